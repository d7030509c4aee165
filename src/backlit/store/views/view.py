"""View: a list's selection and order, as ids in an array and rows in windows."""

import asyncio
import sqlite3
from array import array
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import orjson
from msgspec import Struct
from msgspec.structs import replace

from backlit.model.filters import POINTS, VIRTUAL
from backlit.model.local_times import LocalTimes
from backlit.model.trees import NodeTotals
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import ROW_COLUMNS, ItemRow, gone_row, row_of
from backlit.store.records.object_kinds import OBJECT_KINDS
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.groups import (
    Facet,
    GroupBucket,
    GroupKey,
    GroupLine,
    ListLines,
    MergedGroupValues,
    facets,
    in_order,
)
from backlit.store.views.query import ViewNames, ViewSpec, ViewStatements, explained, level_day, resolved_query
from backlit.store.views.tree import TreeFolds, TreeLines, read_families

_T = TypeVar("_T")
Read = Callable[[Callable[[sqlite3.Connection], _T]], Awaitable[_T]]
"""Runs a function on the reading thread with that thread's connection."""

# More than any terminal has rows, so that the first page and the next need no second query.
FIRST_WINDOW = 200
KEPT_ROWS = 4_000
NOTED_CHANGES = 256
_BELOW_ITEMS = frozenset(kind.subject for kind in OBJECT_KINDS)
# Above it the widths of columns come from the rows in sight: the walk over all values would outlast the load.
MOST_COMPARED = 20_000
"""The most items whose `values` are read."""
PARSED_AT_ONCE = 65_536
"""Characters of JSON that are parsed together."""
TICK = 1_000
TICKS_COVERED, TICKS_READ = 60, 10
"""The most thousands of database steps for the first rows, with and without a covering index."""


class ColumnValues(NamedTuple):
    """The different values of a view's items in the columns that every list can have."""

    statuses: frozenset[str | None] = frozenset()
    estimates: frozenset[str | None] = frozenset()
    owner_ids: frozenset[int | None] = frozenset()
    iteration_ids: frozenset[int | None] = frozenset()


class _LoadedList(Struct, frozen=True):
    ids: "array[int]"
    largest_id: int
    totals: NodeTotals
    lines: ListLines
    values: ColumnValues | None = None
    tree: TreeLines | None = None


class View:
    """A list of items in backlog order, tasks directly under their item, or in the spec's order, or as a tree.

    Creating a view runs no query. Before `load`, an index can provide the first rows, and `count` may be None.
    `is_grouped` is True for items under headers. `largest_id` is the largest loaded id, 0 for none. `values` is None
    for too many items, or unloaded ones. All methods except `note` run on one thread. Raises BadRequest for an invalid
    query.
    """

    def __init__(
        self,
        spec: ViewSpec,
        project_id: int | None,
        mirror: sqlite3.Connection,
        read: Read[object],
        names: ViewNames | None = None,
        *,
        shape: Callable[[ItemRow], ItemRow] | None = None,
    ) -> None:
        self.spec = spec
        self.project_id = project_id
        self._names = names
        self._query = self._resolved()
        self._mirror = mirror
        self._read = read
        self._row_of = row_of if shape is None else lambda values: shape(row_of(values))
        self.is_grouped = bool(spec.group)
        # Eight bytes an item. As objects with their fields, 100,000 items took 48 MB as tuples and 130 as pydantic
        # models, and the garbage collector stopped the program for 10 to 46 ms.
        self._ids: array[int] = array("q")
        self._lines = ListLines(0)
        self._folded: frozenset[GroupKey] = frozenset()
        self.tree: TreeLines | None = None
        """The lines of a loaded tree; None for a list."""
        self.tree_folds = TreeFolds()
        """The folds with which a tree is loaded first; from then on `tree` has them."""
        self.largest_id = 0
        self._is_complete = False
        self._rows: dict[int, ItemRow] = {}
        self._changes: deque[StoreChange] = deque(maxlen=NOTED_CHANGES)
        self._is_stale = False
        self._are_totals_stale = True
        self._reading = asyncio.Lock()
        self.totals: NodeTotals | None = None
        self.values: ColumnValues | None = None

    def _resolved(self) -> ViewStatements:
        """Return the statements with names resolved now. The current iteration changes with the day."""
        return resolved_query(self.spec, self.project_id, self._names)

    def _times(self) -> LocalTimes:
        return LocalTimes(None) if self._names is None else self._names.times()

    @property
    def query(self) -> ViewStatements:
        return self._query

    @property
    def count(self) -> int | None:
        return len(self._ids) if self._is_complete else None

    @property
    def line_count(self) -> int | None:
        """The number of lines, headers included and folded items excluded, None until it is known."""
        return (self.tree or self._lines).count if self._is_complete else None

    def rows(self, start: int, stop: int) -> list[ItemRow]:
        """Return the items of a window, fewer at the end, without headers. Every window costs the same."""
        if not self._is_complete and stop > len(self._ids):
            self._read_first(max(stop, FIRST_WINDOW))
        ids = self._ids[start:stop]
        missing = [item_id for item_id in ids if item_id not in self._rows]
        if missing:
            if len(self._rows) > KEPT_ROWS:
                self._rows.clear()
                missing = list(ids)
            # By their numbers: a window of 50 takes 0.3 ms at 100,000 items under any order, where OFFSET walks over
            # all rows before it.
            sql = f"SELECT {ROW_COLUMNS} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constant
            for values in self._mirror.execute(sql, (ids_json(missing),)):
                self._rows[values[0]] = self._row_of(values)
        return [self._rows.get(item_id) or gone_row(item_id) for item_id in ids]

    def lines(self, start: int, stop: int) -> list[ItemRow | GroupLine]:
        if not self._is_complete:
            return [*self.rows(start, stop)]
        found: list[ItemRow | GroupLine] = []
        for part in (self.tree or self._lines).window(start, stop):
            found.extend(self.rows(part.start, part.stop) if isinstance(part, range) else [part])
        return found

    def fold(self, *groups: GroupKey, is_folded: bool) -> None:
        """Hide or show the lines below some headers. Reloads keep it."""
        self._folded = self._folded.union(groups) if is_folded else self._folded.difference(groups)
        if self.is_grouped:
            self._lines.fold(self._folded)

    def hold(self, ids: Sequence[int]) -> None:
        """Have some items in the place of those of the spec, until it is loaded."""
        self._ids, self._lines, self._is_complete = array("q", ids), ListLines(len(ids)), True
        self.largest_id = max(ids, default=0)

    def divide(self, key: str, parts: Sequence[tuple[object, int, NodeTotals]]) -> None:
        """Put headers over ranges of an ungrouped list: each one's value, end and totals."""
        buckets: list[GroupBucket] = []
        start = 0
        for value, stop, _ in parts:
            buckets.append(GroupBucket((value,), self._ids[start:stop]))
            start = stop
        figures: dict[GroupKey, tuple[int, float]] = {
            (value,): (totals.count, totals.points) for value, _, totals in parts
        }
        self._lines, self.is_grouped = ListLines.grouped((key,), buckets, figures), True
        self._lines.fold(self._folded)

    @property
    def folded(self) -> frozenset[GroupKey]:
        return self._folded

    @property
    def outline(self) -> ListLines:
        return self._lines

    def _read_first(self, limit: int) -> None:
        """Find the first rows within a bounded number of steps. Never sorts."""
        if not self._query.is_walk:
            return
        sql, values = self._query.rows(limit)
        ticks = iter(range(TICKS_COVERED if self._query.is_covered else TICKS_READ))
        self._mirror.set_progress_handler(lambda: next(ticks, None) is None, TICK)
        found: list[ItemRow] = []
        try:
            for each in self._mirror.execute(sql, values):
                found.append(self._row_of(each))  # noqa: PERF401 - rows before an interrupt count
            self._is_complete = len(found) < limit
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
        finally:
            self._mirror.set_progress_handler(None, 0)
        self._ids = array("q", [row.id for row in found])
        self._lines = ListLines(len(self._ids))
        self._rows.update((row.id, row) for row in found)
        self.largest_id = max(self._ids, default=0)

    def id_at(self, index: int) -> int | None:
        """Return the id of the item on a line, or None on a header and outside the loaded lines."""
        if not self._is_complete and index >= len(self._ids):
            self.rows(index, index + 1)
        if not (self.is_grouped or self.tree):
            return self._ids[index] if 0 <= index < len(self._ids) else None
        part = next(iter((self.tree or self._lines).window(index, index + 1)), None) if index >= 0 else None
        return self._ids[part.start] if isinstance(part, range) and part else None

    def ids(self, start: int = 0, stop: int | None = None) -> Sequence[int]:
        return self._ids[start:stop]

    def ids_on(self, start: int, stop: int) -> Sequence[int]:
        if not (self.is_grouped or self.tree):
            return self._ids[start:stop]
        found = array("q")
        for part in (self.tree or self._lines).window(start, stop):
            if isinstance(part, range):
                found.extend(self._ids[part.start : part.stop])
        return found

    def ids_in(self, group: GroupKey) -> Sequence[int]:
        places = self._lines.places_in(group)
        return self._ids[places.start : places.stop]

    def index_of(self, item_id: int) -> int | None:
        """Return the line of an item, or None for a missing, folded or unloaded one."""
        try:
            place = self._ids.index(item_id)
        except ValueError:
            return None
        return (self.tree or self._lines).line_of(place)

    def reveal(self, item_id: int) -> bool:
        """Open what an item of a tree is folded in; return False where it is not folded."""
        is_folded = self.tree is not None and self.index_of(item_id) is None and item_id in self._ids
        if is_folded and self.tree is not None:
            self.tree.reveal(self._ids.index(item_id))
        return is_folded

    async def load(self) -> None:
        """Read all ids and totals on the reading thread. The count is known afterwards."""
        self._take_changes()
        self._is_stale = True  # until the end, so that a cancelled load leaves a stale view
        query = self._query = self._resolved()
        ranks = [self._names.ranks(level) if self._names else None for level in query.levels]
        times = self._times()
        folds = self.tree_folds if self.tree is None else self.tree.folds

        def read(mirror: sqlite3.Connection) -> _LoadedList:
            found = _load(mirror, query, ranks, self.spec, times)
            if self.spec.is_tree:
                families, ids = read_families(mirror, self.project_id or 0, found.ids), found.ids
                if families.missing:  # each parent has its own place in the order
                    every = query.of_items([*ids, *families.missing])
                    ids = _load(mirror, every, ranks, self.spec, times).ids
                tree = TreeLines(ids, families, folds)
                found = replace(found, ids=tree.ids, largest_id=max(ids, default=0), tree=tree)
            return _with_values(mirror, found)

        loaded = await self._read(read)
        assert isinstance(loaded, _LoadedList)
        self._ids, self.largest_id, self.totals = loaded.ids, loaded.largest_id, loaded.totals
        self._lines, self.is_grouped = loaded.lines, bool(self.spec.group)
        self.values, self.tree = loaded.values, loaded.tree
        if self._folded:
            self._lines.fold(self._folded)
        self._is_complete = True
        self._is_stale = self._are_totals_stale = False

    async def reload(self) -> None:
        """Catch up with noted changes, one call after another; read ids if the order or the selection may differ."""
        async with self._reading:
            self._take_changes()
            if self._is_stale or not self._is_complete or (self._are_totals_stale and self.spec.group):
                await self.load()
            elif self._are_totals_stale:
                self.totals = await self.read_totals()
                self._are_totals_stale = False

    async def read_totals(self) -> NodeTotals:
        """Read the totals alone, on the reading thread."""
        totals = await self._read(partial(_totals, query=self._query))
        assert isinstance(totals, NodeTotals)
        return totals

    async def facets(self, key: str) -> list[Facet]:
        found = await self._read(partial(facets, query=self._query, key=key, times=self._times()))
        assert isinstance(found, list)
        return found

    def explain(self) -> list[str]:
        return explained(self._query, self.spec, self._mirror, self.count)

    def forget_rows(self, ids: Iterable[int] | None) -> None:
        """Read the rows of some items again, or all, and leave them where they are."""
        if ids is None:
            self._rows.clear()
        for item_id in ids or ():
            self._rows.pop(item_id, None)

    def note(self, change: StoreChange) -> None:
        """Record a change for `reload`. Can be called on any thread."""
        if change.kind in {Subject.ITEMS, Subject.COMMENTS, Subject.ATTACHMENTS, Subject.TREES, *_BELOW_ITEMS}:
            self._changes.append(change)

    def _take_changes(self) -> None:
        if len(self._changes) == NOTED_CHANGES:
            self._changes.append(StoreChange(Subject.ITEMS))
        ordering = self._ordering_fields()
        while self._changes:
            change = self._changes.popleft()
            if change.kind is Subject.ITEMS:
                self._take_items(change, ordering)
            else:
                self._is_stale = self._is_stale or change.kind.value in ordering

    def _take_items(self, change: StoreChange, ordering: set[str]) -> None:
        if not change.ids:
            self._rows.clear()
        for item_id in change.ids:
            self._rows.pop(item_id, None)
        fields = change.fields
        self._is_stale = self._is_stale or not fields or bool(fields & ordering)
        self._are_totals_stale = self._are_totals_stale or "Estimate" in fields

    def _ordering_fields(self) -> set[str]:
        spec = self.spec
        keys = {"BacklogPriority", "ParentID", *self._query.reads}
        keys |= {"Name"} if spec.text else set()
        keys |= {"Status"} if not self._query.with_done else set()
        keys |= {"AreaID"} if spec.area_ids is not None else set()
        keys |= {"IterationID"} if spec.iteration_ids is not None or spec.leading else set()
        keys |= {"Estimate"} if POINTS in keys else set()
        keys |= {Subject.COMMENTS.value} if "Description" in keys else set()
        if any(key.startswith(VIRTUAL) for key in keys):
            from backlit.store.views.virtual import virtual_reads

            keys |= virtual_reads(keys)
        return keys | ({Subject.TREES.value} if spec.query or self._query.levels else set())


def _load(
    mirror: sqlite3.Connection,
    query: ViewStatements,
    ranks: list[Mapping[object, object] | None],
    spec: ViewSpec,
    times: LocalTimes,
) -> _LoadedList:
    if not query.levels:
        ids = _ids(mirror, query)
        return _LoadedList(ids, max(ids, default=0), _totals(mirror, query), ListLines(len(ids)))
    alike = MergedGroupValues(len(spec.group) - 1, spec.alike)
    met: dict[GroupKey, _BucketRows] = {}
    found: dict[GroupKey, _BucketRows] = {}
    for row in mirror.execute(*query.ids()):
        key = row[:-4]
        if key not in met:
            group = tuple(level_day(level, value, times) for level, value in zip(query.levels, key, strict=True))
            met[key] = found.setdefault(alike.first_of(group), _BucketRows())
        met[key].add(*row[-4:])
    places = [_as_met(found, at) if level == "ParentID" else ranks[at] for at, level in enumerate(query.levels)]
    if spec.group and (spec.latest or spec.leading):
        leading = _ids_in(mirror, spec.leading)
        for key, each in found.items():
            if key[len(spec.group) - 1] in spec.latest:
                each.ids = _by_change(mirror, each.ids)
            elif leading:
                each.ids = array("q", sorted(each.ids, key=lambda item_id: item_id not in leading))
    buckets = in_order([GroupBucket(key, each.ids) for key, each in found.items()], places, query.directions)
    ids = array("q")
    for bucket in buckets:
        ids.extend(bucket.ids)
    figures = {key: (each.count, each.points) for key, each in found.items()}
    lines = ListLines.grouped(spec.group, buckets, figures) if spec.group else ListLines(len(ids))
    count, points = sum(each.count for each in found.values()), sum(each.points for each in found.values())
    totals = NodeTotals(count, points, len(ids) - count, sum(each.every for each in found.values()) - points)
    return _LoadedList(ids, max(ids, default=0), totals, lines)


def _with_values(mirror: sqlite3.Connection, loaded: _LoadedList) -> _LoadedList:
    if len(loaded.ids) > MOST_COMPARED:
        return loaded
    sql = "SELECT DISTINCT status, estimate, owner_id, iteration_id FROM json_each(?), items WHERE items.id = value"
    found = mirror.execute(sql, (ids_json(loaded.ids),))
    return replace(loaded, values=ColumnValues(*map(frozenset, zip(*found, strict=True))))


def _as_met(found: Iterable[GroupKey], level: int) -> Mapping[object, object]:
    """Return the order of a level's values as found, which is that of the tasks' items."""
    return {value: place for place, value in enumerate(dict.fromkeys(key[level] for key in found))}


class _BucketRows:
    """The items found so far for a bucket."""

    __slots__ = ("count", "every", "ids", "points")

    def __init__(self) -> None:
        self.ids = array("q")
        self.count, self.points, self.every = 0, 0.0, 0.0

    def add(self, points: float, every: float, count: int, item_id: int) -> None:
        """Add an item with the points that count and those that it has."""
        self.ids.append(item_id)
        self.count += count
        self.points += points
        self.every += every


def _ids_in(mirror: sqlite3.Connection, iterations: frozenset[int]) -> frozenset[int]:
    sql = "SELECT id FROM items WHERE iteration_id IN (SELECT value FROM json_each(?))"
    rows = mirror.execute(sql, (ids_json(sorted(iterations)),)) if iterations else ()
    return frozenset(item_id for (item_id,) in rows)


def _by_change(mirror: sqlite3.Connection, ids: "array[int]") -> "array[int]":
    """Return items in the order of their last change, those with unsent changes first."""
    sql = (
        "SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?)) ORDER BY sign > 0 DESC, modified_at DESC, id"
    )
    return array("q", [item_id for (item_id,) in mirror.execute(sql, (ids_json(ids),))])


def _ids(mirror: sqlite3.Connection, query: ViewStatements) -> "array[int]":
    """Return all ids in order. One JSON array takes half the time of rows; in parts, no full list of objects exists."""
    sql, values = query.ids()
    (text,) = mirror.execute(f"SELECT json_group_array(id) FROM ({sql})", values).fetchone()  # noqa: S608 # bound values
    ids, start, last = array("q"), 1, len(text) - 1
    while start < last:
        comma = text.find(",", start + PARSED_AT_ONCE)
        end = last if comma < 0 else comma
        ids.extend(orjson.loads(f"[{text[start:end]}]"))
        start = end + 1
    return ids


def _totals(mirror: sqlite3.Connection, query: ViewStatements) -> NodeTotals:
    count, points, tasks, every = mirror.execute(*query.totals()).fetchone()
    return NodeTotals(int(count), float(points), int(tasks), float(every - points))
