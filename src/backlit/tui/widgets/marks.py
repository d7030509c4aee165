"""Marks: the selected items of a list, and the range that is open."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from textual.message import Message

from backlit.tui.commands.command import CannotAct


class Marked(Message):
    """Other rows of a list are marked than before."""


class MarkableRows(Protocol):
    """A list whose rows can be marked."""

    cursor: int
    top: int

    @property
    def page(self) -> int:
        """The number of rows that fit."""

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """Return the ids of the rows of a stretch; without an end of all rows."""

    def find_row(self, item_id: int) -> int | None:
        """Return the row of an item; None where it has none."""

    def refresh_row(self, index: int) -> None:
        """Repaint one row."""

    def repaint(self) -> None:
        """Repaint what may look otherwise."""

    def post_message(self, message: Message) -> bool:
        """Send a message up."""


class RowMarks:
    """Marked items, and a range that is open between a row and the cursor.

    The cost of marking depends on the rows in sight, but for the set of ids of all that match.
    """

    def __init__(self, rows: MarkableRows) -> None:
        self._rows = rows
        self._marks = Marks()
        self._anchor: int | None = None

    def ids(self) -> Sequence[int]:
        """Return the marked items, those of the open range too."""
        return self._marks.with_range(() if self._anchor is None else self._rows.ids_between(*self._range()))

    def has(self, item_id: int) -> bool:
        """Return whether an item is marked by itself."""
        return item_id in self._marks

    def has_row(self, index: int, item_id: int) -> bool:
        """Return whether a row is marked, or in the open range."""
        if item_id in self._marks:
            return True
        if self._anchor is None:
            return False
        start, stop = self._range()
        return start <= index < stop

    def rename(self, ids: Mapping[int, int]) -> None:
        """Follow temporary ids that became real ones."""
        self._marks.rename(ids)

    def find_anchor(self) -> None:
        """Find the range's first row again, after the rows were replaced; a range without it is over."""
        anchor = self._marks.anchor
        self._anchor = None if anchor is None else self._rows.find_row(anchor)
        if self._anchor is None:
            self._marks.anchor = None

    def begin_range(self) -> None:
        """Open a range at the cursor; raises CannotAct without a row there."""
        self._marks.anchor, self._anchor = self._ids(self._rows.cursor, self._rows.cursor + 1)[0], self._rows.cursor
        self._changed()

    def end_range(self) -> bool:
        """Mark the rows of the open range; False where none is open."""
        if self._anchor is None:
            return False
        self._marks.add(self._rows.ids_between(*self._range()))
        self._marks.anchor = self._anchor = None
        self._changed()
        return True

    def clear(self) -> bool:
        """Take all marks off; False where there were none."""
        had_any = bool(self._marks) or self._anchor is not None
        self._marks.clear()
        self._anchor = None
        if had_any:
            self._changed()
        return had_any

    def toggle(self, start: int, stop: int) -> None:
        """Mark some rows, or take their marks off; raises CannotAct where there are none."""
        self.end_range()
        rows = self._rows
        for item_id in self._ids(start, stop):
            self._marks.toggle(item_id)
        self._refresh(start, stop - 1)
        rows.post_message(Marked())

    def toggle_all(self, ids: Sequence[int]) -> None:
        """Mark all of some items, or take their marks off where all are marked."""
        self.end_range()
        if all(each in self._marks for each in ids):
            self._marks.invert(ids)
        else:
            self._marks.add(ids)
        self._changed()

    def add(self, start: int, stop: int | None) -> None:
        """Mark the rows of a stretch."""
        self.end_range()
        self._marks.add(self._rows.ids_between(start, stop))
        self._changed()

    def invert(self) -> None:
        """Mark the rows that are not marked, and only those."""
        self.end_range()
        self._marks.invert(self._rows.ids_between(0, None))
        self._changed()

    def follow(self, before: int) -> None:
        """Paint what came into the range or fell out of it as the cursor moved."""
        if self._anchor is not None and before != self._rows.cursor:
            self._refresh(*sorted((before, self._rows.cursor)))
            self._rows.post_message(Marked())

    def _ids(self, start: int, stop: int) -> Sequence[int]:
        ids = self._rows.ids_between(start, stop)
        if not ids:
            raise CannotAct("No row to select.")
        return ids

    def _refresh(self, first: int, last: int) -> None:
        rows = self._rows
        for index in range(max(first, rows.top), min(last, rows.top + rows.page - 1) + 1):
            rows.refresh_row(index)

    def _range(self) -> tuple[int, int]:
        first, last = sorted((self._anchor or 0, self._rows.cursor))
        return first, last + 1

    def _changed(self) -> None:
        self._rows.repaint()
        self._rows.post_message(Marked())


class Marks:
    """Marks outlive refresh, filter and order, as they are held by id.

    A range is open between `anchor` (a row's id) and the cursor; its rows count as marked, and ending it marks them.
    """

    def __init__(self) -> None:
        self._ids: set[int] = set()
        self.anchor: int | None = None

    def __bool__(self) -> bool:
        return bool(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, item_id: int) -> bool:
        return item_id in self._ids

    def toggle(self, item_id: int) -> None:
        """Mark one, or take its mark off."""
        self._ids ^= {item_id}

    def add(self, item_ids: Iterable[int]) -> None:
        """Mark some more."""
        self._ids.update(item_ids)

    def invert(self, item_ids: Iterable[int]) -> None:
        """Mark those of some that are not, and take the marks off the others; marks elsewhere stay."""
        self._ids.symmetric_difference_update(item_ids)

    def clear(self) -> None:
        """Take all marks off, and forget the range."""
        self._ids.clear()
        self.anchor = None

    def rename(self, ids: Mapping[int, int]) -> None:
        """Follow items whose temporary ids became real ones."""
        for old in self._ids & ids.keys():
            self._ids.remove(old)
            self._ids.add(ids[old])
        if self.anchor is not None:
            self.anchor = ids.get(self.anchor, self.anchor)

    def with_range(self, between: Iterable[int]) -> Sequence[int]:
        """The marked ones and those of the open range, in no particular order."""
        return list(self._ids.union(between))
