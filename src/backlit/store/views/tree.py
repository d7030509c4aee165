"""The tree of a list: items below their parents, in the order of the list, folded or not."""

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from backlit.store.sqlite.ids import ids_json

TASK_LEVEL = 100
"""The level of parents that have tasks alone; that of others is their depth."""
_LEAF = 127
MAX_DEPTH = TASK_LEVEL - 1
MAX_MISSING = 100_000
"""The most parents that are read beside a list: parents without an end, of a service that allows them, are cut."""
MAX_ASKED = 5_000
"""The most items whose parents are read by their ids."""


class TreeFolds(Struct, frozen=True):
    """What is open in a tree: the parents of levels below `levels`, but for some. At first the outermost Features."""

    levels: int = 1
    but_of: frozenset[int] = frozenset()

    def opens(self, item_id: int, level: int) -> bool:
        return (level < self.levels) != (item_id in self.but_of)


ALL_OPEN = TreeFolds(TASK_LEVEL + 1)


class TreeMark(NamedTuple):
    """A row's depth in a tree, the number of rows folded directly below it, and whether it only leads to others."""

    depth: int = 0
    folded: int = 0
    is_path: bool = False


NO_MARK = TreeMark()


class Families(Struct, frozen=True):
    """The parents of items and of what is above them, those of more than tasks, and those that a list lacks."""

    parents: Mapping[int, int]
    with_items: frozenset[int]
    missing: frozenset[int]


def read_families(mirror: sqlite3.Connection, project_id: int, ids: Sequence[int]) -> Families:
    """Read what is above some items. Parents in other projects, and those that nobody here knows, count as none."""
    is_long = len(ids) > MAX_ASKED
    parents: dict[int, int] = dict(mirror.execute(_ALL_PARENTS)) if is_long else {}
    known: set[int] = set()
    above = set(ids)
    while above and len(known) < len(ids) + MAX_MISSING:
        if not is_long:
            parents.update(mirror.execute(_PARENTS, (ids_json(above),)))
        known |= above
        wanted = set(map(parents.get, above)) - known
        found = mirror.execute(_EXISTING, (ids_json(each for each in wanted if each is not None), project_id))
        above = {item_id for (item_id,) in found}
    if is_long:
        tasks = {item_id for (item_id,) in mirror.execute(_ALL_TASKS, (project_id,))}
        with_items = {parent for item_id, parent in parents.items() if item_id not in tasks}
    else:
        with_items = {parent for (parent,) in mirror.execute(_WITH_ITEMS, (ids_json(known),))}
    return Families(parents, frozenset(with_items), frozenset(known.difference(ids)))


# Of a long list all parents are read, and all tasks: two indexes have them, in half the time of a look at each item.
_ALL_PARENTS = "SELECT id, parent_id FROM items INDEXED BY items_by_parent WHERE parent_id IS NOT NULL"
_ALL_TASKS = "SELECT id FROM items INDEXED BY items_in_order WHERE project_id = ? AND is_task = 1"
_AMONG = "IN (SELECT value FROM json_each(?))"
_PARENTS = f"SELECT id, parent_id FROM items WHERE id {_AMONG} AND parent_id IS NOT NULL"  # noqa: S608 # constants
_WITH_ITEMS = f"SELECT DISTINCT parent_id FROM items WHERE parent_id {_AMONG} AND is_task = 0"  # noqa: S608 # constants
_EXISTING = f"SELECT id FROM items WHERE id {_AMONG} AND project_id = ?"  # noqa: S608 # constants


class TreeLines:
    """The items of a tree from its top down, and which of them are on a line.

    A fold or an unfold costs what it hides or shows; closing or opening a level copies four bytes a line.
    """

    def __init__(self, ids: "array[int]", families: Families, folds: TreeFolds) -> None:
        self.path_ids = families.missing
        self._depths = array("b", bytes(len(ids)))
        self._levels = array("b", [_LEAF]) * len(ids)
        self._ends = array("i", range(1, len(ids) + 1))
        """For each place, that after the last item below it."""
        self._lay_out(ids, families)
        self._present = sorted(set(self._levels) - {_LEAF})
        # Made with the load, behind the screen: at 100,000 items each takes 5 ms, and a key copies one in 0.05 ms.
        self._opened = {level: self._places_open_below(level) for level in (0, *(each + 1 for each in self._present))}
        self._tops = self._opened[0]
        self._use(folds)

    def _lay_out(self, ids: "array[int]", families: Families) -> None:
        first_below, next_beside = _linked(ids, families.parents)
        order: list[int] = []
        path: list[tuple[int, int]] = []
        index = first_below[-1]
        while index >= 0 or path:
            if index < 0:
                index, place = path.pop()
                self._ends[place] = len(order)
                index = next_beside[index]
                continue
            place, below = len(order), first_below[index]
            order.append(ids[index])
            if path:
                self._depths[place] = min(len(path), MAX_DEPTH)
            if below < 0:
                index = next_beside[index]
            else:
                has_items = ids[index] in families.with_items
                self._levels[place] = self._depths[place] if has_items else TASK_LEVEL
                path.append((index, place))
                index = below
        if len(order) < len(ids):  # a circle of parents, which a service refuses, hangs on no top
            reached = frozenset(order)
            order.extend(item_id for item_id in ids if item_id not in reached)
        self.ids = array("q", order)

    def _places_open_below(self, levels: int) -> "array[int]":
        places: array[int] = array("i")
        place, stop = 0, len(self.ids)
        while place < stop:
            places.append(place)
            place = place + 1 if self._levels[place] < levels else self._ends[place]
        return places

    def _use(self, folds: TreeFolds) -> None:
        self.folds = folds
        level = max((each for each in self._opened if each <= folds.levels), default=0)
        self._places, self._is_shared = self._opened[level], True
        for place, item_id in enumerate(self.ids if folds.but_of else ()):
            if item_id in folds.but_of and self.has_below(place):
                self._show(place, is_open=self.is_open(place))

    # Lines

    @property
    def count(self) -> int:
        return len(self._places)

    def window(self, start: int, stop: int) -> Iterator[range]:
        """Yield ranges of places among the ids, for the lines from `start` to `stop`."""
        begin = end = -1
        for place in self._places[max(0, start) : max(0, stop)]:
            if place != end:
                if begin >= 0:
                    yield range(begin, end)
                begin = place
            end = place + 1
        if begin >= 0:
            yield range(begin, end)

    def line_of(self, place: int) -> int | None:
        """Return the line of a place, or None for a folded one."""
        line = bisect_left(self._places, place)
        return line if line < len(self._places) and self._places[line] == place else None

    def line_above(self, place: int) -> int:
        """Return the line of a place, or of the innermost item around it that has one."""
        return max(0, bisect_left(self._places, place + 1) - 1)

    def place_at(self, line: int) -> int | None:
        return self._places[line] if 0 <= line < len(self._places) else None

    def mark(self, line: int) -> TreeMark:
        place = self._places[line]
        is_path = self.ids[place] in self.path_ids
        folded = 0 if self._levels[place] == _LEAF or self.is_open(place) else len(self.below(place))
        return TreeMark(self._depths[place], folded, is_path)

    def below(self, place: int) -> list[int]:
        """Return the places directly below one."""
        places, child = [], place + 1
        while child < self._ends[place]:
            places.append(child)
            child = self._ends[child]
        return places

    def parent_of(self, place: int) -> int | None:
        """Return the place of the item around one; None at the top."""
        if not self._depths[place]:
            return None
        for line in range(self.line_above(place), -1, -1):
            above = self._places[line]
            if above < place < self._ends[above]:
                return above
        return None

    def place_before(self, place: int) -> int | None:
        """Return the place of the item before one among those around the same item; None for the first."""
        before, child = None, (above + 1 if (above := self.parent_of(place)) is not None else None)
        if child is None:
            at = bisect_left(self._tops, place) - 1
            return self._tops[at] if at >= 0 else None
        while child < place:
            before, child = child, self._ends[child]
        return before

    def next_top(self, line: int, steps: int) -> int | None:
        """Return the line of the item at the top that is some steps from a line; None beyond the ends."""
        here = bisect_left(self._tops, self._places[line] + 1) - 1
        if steps < 0 and self._tops[here] != self._places[line]:
            here += 1  # the first step up goes to the top of the same family
        there = here + steps
        return self.line_of(self._tops[there]) if 0 <= there < len(self._tops) else None

    # Folds

    def has_below(self, place: int) -> bool:
        return self._levels[place] != _LEAF

    def is_open(self, place: int) -> bool:
        return self.has_below(place) and self.folds.opens(self.ids[place], self._levels[place])

    def turn(self, place: int, *, is_open: bool) -> None:
        if self.has_below(place) and self.is_open(place) != is_open:
            self.folds = TreeFolds(self.folds.levels, self.folds.but_of ^ {self.ids[place]})
            self._show(place, is_open=is_open)

    def _show(self, place: int, *, is_open: bool) -> None:
        line = self.line_of(place)
        if line is None:
            return
        if self._is_shared:
            self._places, self._is_shared = self._places[:], False
        stop = bisect_left(self._places, self._ends[place])
        self._places[line + 1 : stop] = self._open_places_below(place) if is_open else array("i")

    def _open_places_below(self, top: int) -> "array[int]":
        places: array[int] = array("i")
        place, stop = top + 1, self._ends[top]
        while place < stop:
            places.append(place)
            is_open = self.folds.opens(self.ids[place], self._levels[place])
            place = place + 1 if is_open else self._ends[place]
        return places

    def close_level(self) -> None:
        """Close the innermost open level."""
        open_levels = [each for each in self._present if each < self.folds.levels]
        self._use(TreeFolds(open_levels[-1] if open_levels else 0))

    def open_level(self) -> None:
        """Open the outermost closed level."""
        self._use(TreeFolds(min((each for each in self._present if each >= self.folds.levels), default=TASK_LEVEL) + 1))

    def reveal(self, place: int) -> None:
        """Open what is around a place."""
        while self.line_of(place) is None:
            self.turn(self._places[self.line_above(place)], is_open=True)

    def selectable_ids(self) -> Sequence[int]:
        """Return all items that match, without the tasks that are folded under an item."""
        found: array[int] = array("q")
        place = 0
        while place < len(self.ids):
            if self.ids[place] not in self.path_ids:
                found.append(self.ids[place])
            is_closed = self._levels[place] == TASK_LEVEL and not self.is_open(place)
            place = self._ends[place] if is_closed else place + 1
        return found


# Linked by their indices: lists of children, tens of thousands of them, take three times as long.
def _linked(ids: "array[int]", parents: Mapping[int, int]) -> tuple[Sequence[int], Sequence[int]]:
    """Return the indices of the first item below each item and of the next one beside it, -1 for none.

    The last of the first ones is that of the items without a parent among the ids.
    """
    index_of = dict(zip(ids, range(len(ids)), strict=True))
    first_below, next_beside = [-1] * (len(ids) + 1), [-1] * len(ids)
    for index in range(len(ids) - 1, -1, -1):
        parent = parents.get(ids[index])
        above = -1 if parent is None else index_of.get(parent, -1)
        next_beside[index] = first_below[above]
        first_below[above] = index
    return first_below, next_beside
