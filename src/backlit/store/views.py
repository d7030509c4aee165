"""What a list shows: which items in which order, as ids in an array and rows in windows."""

import sqlite3
from array import array
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from backlit.model.trees import Totals
from backlit.store.changes import Change, Subject
from backlit.store.database import ids_json
from backlit.store.rows import ROW_COLUMNS, Row, gone_row, row_of

_T = TypeVar("_T")
Read = Callable[[Callable[[sqlite3.Connection], _T]], Awaitable[_T]]
"""Runs a function on the reading thread, with that thread's connection."""

FIRST_WINDOW = 200
KEPT_ROWS = 4_000
NOTED_CHANGES = 256

_ORDER = "rank_priority, rank_id, is_task, own_priority, id"


@dataclass(frozen=True, slots=True)
class ViewSpec:
    """Which items of the project: `text` is a part of the name in any case, or `#id`.

    None as a set of ids means any; done and deferred items are left out unless asked for.
    """

    text: str = ""
    area_ids: frozenset[int] | None = None
    iteration_ids: frozenset[int] | None = None
    with_done: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A view's condition as SQL over the table of items, with its values."""

    source: str
    where: str
    values: tuple[object, ...]

    def rows(self, limit: int) -> tuple[str, tuple[object, ...]]:
        """The statement for the first rows."""
        sql = f"SELECT {ROW_COLUMNS} FROM {self.source} WHERE {self.where} ORDER BY {_ORDER} LIMIT ?"  # noqa: S608
        return sql, (*self.values, limit)

    def ids(self) -> tuple[str, tuple[object, ...]]:
        """The statement for all ids in order."""
        return f"SELECT id FROM {self.source} WHERE {self.where} ORDER BY {_ORDER}", self.values  # noqa: S608

    def totals(self) -> tuple[str, tuple[object, ...]]:
        """The statement for the number of items that are not tasks, and the points of all."""
        sql = f"SELECT count(*) - total(is_task), total(points) FROM {self.source} WHERE {self.where}"  # noqa: S608
        return sql, self.values


def query_of(spec: ViewSpec, project_id: int | None) -> Query:
    """Write a view's condition; the indexes that hold its order are named, so that no planner sorts."""
    parts = ["project_id = ?"]
    values: list[object] = [-1 if project_id is None else project_id]
    if not spec.with_done:
        parts.append("is_open = 1")
    if spec.area_ids is not None:
        parts.append("area_id IN (SELECT value FROM json_each(?))")
        values.append(ids_json(sorted(spec.area_ids)))
    if spec.iteration_ids is not None:
        parts.append("iteration_id IN (SELECT value FROM json_each(?))")
        values.append(ids_json(sorted(spec.iteration_ids)))
    text = spec.text.strip()
    number = text.removeprefix("#")
    if text.startswith("#") and number.isdecimal() and len(number) < 19:
        parts.append("id = ?")
        values.append(int(number))
    elif text:
        parts.append("instr(name_fold, ?)")
        values.append(text.casefold())
    index = "items_in_order" if spec.with_done else "open_items_in_order"
    return Query(f"items INDEXED BY {index}", " AND ".join(parts), tuple(values))


class View:
    """A list of items in backlog order, each task directly under its item.

    Made cheaply and without a query. Before `load`, the first rows are there but `count` may be None.
    All methods but `note` are called on one thread.
    """

    def __init__(self, spec: ViewSpec, project_id: int | None, mirror: sqlite3.Connection, read: Read[object]) -> None:
        self.spec = spec
        self._query = query_of(spec, project_id)
        self._mirror = mirror
        self._read = read
        self._ids: array[int] = array("q")
        self._largest_id = 0
        self._is_complete = False
        self._rows: dict[int, Row] = {}
        self._changes: deque[Change] = deque(maxlen=NOTED_CHANGES)
        self._is_stale = False
        self._are_totals_stale = True
        self.totals: Totals | None = None

    @property
    def count(self) -> int | None:
        """How many rows there are; None until that is known."""
        return len(self._ids) if self._is_complete else None

    def rows(self, start: int, stop: int) -> list[Row]:
        """The rows of a window; fewer at the end. Costs the same wherever the window is."""
        if not self._is_complete and stop > len(self._ids):
            self._read_first(max(stop, FIRST_WINDOW))
        ids = self._ids[start:stop]
        missing = [item_id for item_id in ids if item_id not in self._rows]
        if missing:
            if len(self._rows) > KEPT_ROWS:
                self._rows.clear()
                missing = list(ids)
            sql = f"SELECT {ROW_COLUMNS} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constant
            for values in self._mirror.execute(sql, (ids_json(missing),)):
                self._rows[values[0]] = row_of(values)
        return [self._rows.get(item_id) or gone_row(item_id) for item_id in ids]

    def _read_first(self, limit: int) -> None:
        sql, values = self._query.rows(limit)
        found = [row_of(each) for each in self._mirror.execute(sql, values)]
        self._ids = array("q", [row.id for row in found])
        self._rows.update((row.id, row) for row in found)
        self._largest_id = max(self._ids, default=0)
        self._is_complete = len(found) < limit

    @property
    def largest_id(self) -> int:
        """The largest id there is in the view, as far as it is loaded; 0 where there is none."""
        return self._largest_id

    def id_at(self, index: int) -> int | None:
        """The id of a row; None outside of what is loaded."""
        if not self._is_complete and index >= len(self._ids):
            self.rows(index, index + 1)
        return self._ids[index] if 0 <= index < len(self._ids) else None

    def ids(self, start: int = 0, stop: int | None = None) -> Sequence[int]:
        """The ids of a stretch of rows, or of all, as far as they are loaded."""
        return self._ids[start:stop]

    def index_of(self, item_id: int) -> int | None:
        """Where an item is; None when it is not in the view or its place is not loaded."""
        try:
            return self._ids.index(item_id)
        except ValueError:
            return None

    async def load(self) -> None:
        """Read all ids and the totals on the reading thread; the count is known after it."""
        self._take_changes()
        self._is_stale = True  # until it is done: whoever cancels this leaves a view that knows it is stale
        loaded = await self._read(self._load)
        assert isinstance(loaded, tuple)
        self._ids, self._largest_id, self.totals = loaded
        self._is_complete = True
        self._is_stale = self._are_totals_stale = False

    def _load(self, mirror: sqlite3.Connection) -> tuple["array[int]", int, Totals]:
        cursor = mirror.cursor()
        cursor.row_factory = lambda _, values: values[0]
        sql, values = self._query.ids()
        ids = array("q", cursor.execute(sql, values).fetchall())
        return ids, max(ids, default=0), self._read_totals(mirror)

    def _read_totals(self, mirror: sqlite3.Connection) -> Totals:
        sql, values = self._query.totals()
        count, points = mirror.execute(sql, values).fetchone()
        return Totals(int(count), float(points))

    async def reload(self) -> None:
        """Catch up with the changes noted since; ids are read again only where the order or the filter may differ."""
        self._take_changes()
        if self._is_stale or not self._is_complete:
            await self.load()
        elif self._are_totals_stale:
            totals = await self._read(self._read_totals)
            assert isinstance(totals, Totals)
            self.totals = totals
            self._are_totals_stale = False

    def note(self, change: Change) -> None:
        """Remember a change; called on any thread, the view catches up in `reload`."""
        if change.kind is Subject.ITEMS:
            self._changes.append(change)

    def _take_changes(self) -> None:
        if len(self._changes) == NOTED_CHANGES:
            self._changes.append(Change(Subject.ITEMS))
        while self._changes:
            change = self._changes.popleft()
            if not change.ids:
                self._rows.clear()
            for item_id in change.ids:
                self._rows.pop(item_id, None)
            fields = change.fields
            self._is_stale = self._is_stale or not fields or bool(fields & self._ordering_fields())
            self._are_totals_stale = self._are_totals_stale or "Estimate" in fields

    def _ordering_fields(self) -> set[str]:
        keys = {"BacklogPriority", "ParentID"}
        keys |= {"Name"} if self.spec.text else set()
        keys |= {"Status"} if not self.spec.with_done else set()
        keys |= {"AreaID"} if self.spec.area_ids is not None else set()
        keys |= {"IterationID"} if self.spec.iteration_ids is not None else set()
        return keys
