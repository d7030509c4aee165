"""Values of a field in a view: the headers and lines of a grouped list, folded or not, and the count of each value."""

import sqlite3
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import counted
from backlit.model.fields import ItemType
from backlit.model.filters import Comparison, Filter, In, Literal, Not, Operator, Or, Property
from backlit.model.local_times import LocalTimes
from backlit.model.trees import NodeTotals
from backlit.store.views.query import ViewStatements, level_day, level_value

GroupKey = tuple[object, ...]
"""The values of a group's fields, outermost first."""


class GroupLine(Struct, frozen=True):
    """The header of a group. `value` is that of the field `key`. The caller resolves its name.

    `count` leaves out tasks, `rows` includes them.
    """

    group: GroupKey
    key: str
    value: object
    level: int
    count: int
    points: float
    rows: int
    is_folded: bool = False

    @property
    def counts(self) -> Sequence[str]:
        """The number of its items in words, and that of its tasks if it has both; of tasks below an item, theirs.

        Where it has fewer rows than items, these are its first ones.
        """
        if self.key == "ParentID":
            return [counted(self.count, "task")]
        if self.rows < self.count:
            return [f"{self.rows:,} of {counted(self.count, 'item')}"]
        tasks = [counted(self.rows - self.count, "task")] if self.rows > self.count else []
        return [*([counted(self.count, "item")] if self.count or not tasks else []), *tasks]


class KeyedHeading(Struct, frozen=True):
    """The value of a group that keys show alone: the keys, and words for it."""

    keys: str
    words: str

    def __str__(self) -> str:
        return self.words


class _LineRange(Struct, frozen=True):
    """Consecutive lines: a header, or items from `start` to `stop` of the ids."""

    header: GroupLine | None
    start: int
    stop: int

    @property
    def length(self) -> int:
        return 1 if self.header else self.stop - self.start


class GroupBucket(Struct, frozen=True):
    """The ids for one combination of values, with the number of items other than tasks and their points."""

    values: GroupKey
    ids: "array[int]"


Figures = Mapping[GroupKey, tuple[int, float]]


class MergedGroupValues:
    """Values of a level that are merged with another value."""

    def __init__(self, level: int, sets: Sequence[Sequence[object]]) -> None:
        self._level = level
        self._firsts = {value: values[0] for values in sets for value in values}

    def first_of(self, group: GroupKey) -> GroupKey:
        if not self._firsts or self._level < 0:
            return group
        value = group[self._level]
        return (*group[: self._level], self._firsts.get(value, value), *group[self._level + 1 :])


def in_order(
    buckets: list[GroupBucket], ranks: Sequence[Mapping[object, object] | None], directions: Sequence[bool]
) -> list[GroupBucket]:
    """Sort buckets, level by level. The empty value is last in both directions."""
    for level in reversed(range(len(ranks))):
        places = ranks[level]
        buckets.sort(key=lambda each, level=level, places=places: _place(each.values[level], places),  # type: ignore[misc]
                     reverse=directions[level])  # fmt: skip
        buckets.sort(key=lambda each, level=level: each.values[level] is None)  # type: ignore[misc]
    return buckets


def _place(value: object, places: Mapping[object, object] | None) -> tuple[object, ...]:
    if places is not None and value in places:
        return (0, places[value])
    return (1, value, "") if isinstance(value, int | float) else (2, str(value).casefold())


class ListLines:
    """The content of each line. Folding a group rebuilds it, at the cost of the number of groups."""

    def __init__(self, count: int) -> None:
        self._groups: list[tuple[GroupLine, int, int]] = []
        self._numbers: Mapping[GroupKey, int] = {}
        self._set([_LineRange(None, 0, count)])

    @classmethod
    def grouped(cls, keys: Sequence[str], buckets: Iterable[GroupBucket], figures: Figures) -> "ListLines":
        lines = cls(0)
        lines._groups = list(_headers(keys, buckets, figures))
        outermost = [header.group for header in lines.headers if header.level == 1]
        lines._numbers = {group: number for number, group in enumerate(outermost, 1)}
        lines.fold(frozenset())
        return lines

    def fold(self, folded: frozenset[GroupKey]) -> None:
        deepest = max((header.level for header, _, _ in self._groups), default=0)
        stretches: list[_LineRange] = []
        hidden: GroupKey | None = None
        for header, start, stop in self._groups:
            if hidden is not None and header.group[: len(hidden)] == hidden:
                continue
            hidden = header.group if header.group in folded else None
            shown = replace(header, is_folded=True) if hidden is not None else header
            stretches.append(_LineRange(shown, start, stop))
            if hidden is None and header.level == deepest:
                stretches.append(_LineRange(None, start, stop))
        self._set(stretches)

    def _set(self, stretches: list[_LineRange]) -> None:
        self._stretches = stretches
        self._firsts: list[int] = []
        self._tops: list[int] = []
        self.count = 0
        for stretch in stretches:
            self._firsts.append(self.count)
            if stretch.header:
                self._tops.append(self.count)
            self.count += stretch.length

    @property
    def headers(self) -> list[GroupLine]:
        """All headers, hidden ones included, outermost first."""
        return [header for header, _, _ in self._groups]

    def window(self, start: int, stop: int) -> Iterator[GroupLine | range]:
        """Yield the content of the lines from `start` to `stop`: headers, and ranges of places among the ids."""
        place = max(0, bisect_right(self._firsts, start) - 1)
        for stretch, first in zip(self._stretches[place:], self._firsts[place:], strict=True):
            if first >= stop:
                return
            if stretch.header is None:
                begin, end = max(start, first) - first, min(stop, first + stretch.length) - first
                yield range(stretch.start + begin, stretch.start + max(begin, end))
            elif first >= start:
                yield stretch.header

    def header_at(self, line: int) -> GroupLine | None:
        """Return the header on a line, or the innermost header above the item on it."""
        top = self.top(line)
        header = next(self.window(top, top + 1)) if top >= 0 else None
        return header if isinstance(header, GroupLine) else None

    def top(self, line: int) -> int:
        """Return the line of the header on a line or above it; -1 above all headers."""
        place = bisect_right(self._tops, line) - 1
        return self._tops[place] if place >= 0 else -1

    def outermost(self, group: GroupKey) -> tuple[int, int]:
        """Return the number, from 1, of the outermost group around a group, and the number of outermost groups."""
        return self._numbers[group[:1]], len(self._numbers)

    def header_line(self, group: GroupKey) -> int | None:
        for stretch, first in zip(self._stretches, self._firsts, strict=True):
            if stretch.header and stretch.header.group == group:
                return first
        return None

    def next_header(self, line: int) -> int | None:
        place = bisect_right(self._tops, line)
        return self._tops[place] if place < len(self._tops) else None

    def previous_header(self, line: int) -> int | None:
        place = bisect_left(self._tops, line) - 1
        return self._tops[place] if place >= 0 else None

    def places_in(self, group: GroupKey) -> range:
        return next((range(start, stop) for header, start, stop in self._groups if header.group == group), range(0))

    def line_of(self, place: int) -> int | None:
        for stretch, first in zip(self._stretches, self._firsts, strict=True):
            if stretch.header is None and stretch.start <= place < stretch.stop:
                return first + place - stretch.start
        return None


def _headers(
    keys: Sequence[str], buckets: Iterable[GroupBucket], figures: Figures
) -> Iterator[tuple[GroupLine, int, int]]:
    stretches: dict[GroupKey, list[int]] = {}
    at = 0
    for bucket in buckets:
        end = at + len(bucket.ids)
        for level in range(1, len(keys) + 1):
            stretches.setdefault(bucket.values[:level], [at, end])[1] = end
        at = end
    sums: dict[GroupKey, tuple[int, float]] = {}
    for values, (count, points) in figures.items():
        for level in range(1, len(keys) + 1):
            known = sums.get(values[:level], (0, 0.0))
            sums[values[:level]] = (known[0] + count, known[1] + points)
    for group, (start, stop) in stretches.items():
        count, points = sums.get(group, (0, 0.0))
        level, key = len(group), keys[len(group) - 1]
        yield GroupLine(group, key, level_value(key, group[-1]), level, count, points, stop - start), start, stop


class Facet(Struct, frozen=True):
    """A value, None for no value, with the number of items other than tasks and their points."""

    value: object
    totals: NodeTotals


def facets(mirror: sqlite3.Connection, query: ViewStatements, key: str, times: LocalTimes) -> list[Facet]:
    """Return the values of a field in a view, the most frequent first. An item counts for each of its tags."""
    sql, values = query.counts(key)
    sums: dict[object, NodeTotals] = {}
    for raw, count, points, tasks, _ in mirror.execute(sql, values):
        found = level_value(key, level_day(key, raw, times))
        for value in found if isinstance(found, tuple) else (found,):
            sums[value] = sums.get(value, NodeTotals()) + NodeTotals(int(count), float(points), int(tasks))
    return sorted(
        (Facet(value, totals) for value, totals in sums.items()), key=lambda each: (-each.totals.count, str(each.value))
    )


_NO_TASK = Comparison(Operator.NE, Property("type"), Literal(ItemType.TASK.value))


class ShownTasks(Struct, frozen=True):
    """The shown tasks: those of all items or of none, with some items as exceptions."""

    of_all: bool = False
    but_of: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return self.of_all or bool(self.but_of)

    def shows(self, item_id: int) -> bool:
        return self.of_all != (item_id in self.but_of)

    def turned(self, item_id: int, *, is_shown: bool) -> "ShownTasks":
        but_of = self.but_of | {item_id} if is_shown != self.of_all else self.but_of - {item_id}
        return replace(self, but_of=but_of)

    def filter(self) -> Filter | None:
        among = In(Property("ParentID"), tuple(map(Literal, sorted(self.but_of))))
        if not self.but_of:
            return None if self.of_all else _NO_TASK
        return Or((_NO_TASK, Not(among) if self.of_all else among))


NO_TASKS = ShownTasks()
