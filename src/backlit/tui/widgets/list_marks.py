"""Marking rows of a list: one, a range, all, or the others (KEYMAP, Lists)."""

from collections.abc import Mapping, Sequence

from textual import events
from textual.message import Message

from backlit.tui.acting import CannotAct
from backlit.tui.marks import Marks
from backlit.tui.widgets.list_moves import ListMoves


class ListMarks(ListMoves):
    """A list whose rows can be marked; subclasses say which ids its rows have.

    What marking costs depends on the rows in sight, but for the set of ids of all that match.
    """

    class Marked(Message):
        """Other rows are marked than before."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._marks = Marks()
        self._anchor: int | None = None

    # What subclasses say

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """The ids of the rows of a stretch."""
        raise NotImplementedError

    def find_row(self, item_id: int) -> int | None:
        """Where an item stands; None where it does not."""
        raise NotImplementedError

    def is_complete(self) -> bool:
        """Whether the ids of all rows are known."""
        raise NotImplementedError

    # What is marked

    @property
    def has_range(self) -> bool:
        """Whether moves extend a range."""
        return self._marks.anchor is not None

    def marked_ids(self) -> Sequence[int]:
        """The marked items, those of the open range too."""
        if self._anchor is None:
            return self._marks.with_range(())
        return self._marks.with_range(self.ids_between(*self._range()))

    def is_marked(self, index: int, item_id: int) -> bool:
        """Whether a row is marked, or in the open range."""
        if item_id in self._marks:
            return True
        if self._anchor is None:
            return False
        start, stop = self._range()
        return start <= index < stop

    def rename_marks(self, ids: Mapping[int, int]) -> None:
        """Follow temporary ids that became real ones."""
        self._marks.rename(ids)

    def find_anchor(self) -> None:
        """Find the range's first row again, after the rows were replaced; a range without it is over."""
        anchor = self._marks.anchor
        self._anchor = None if anchor is None else self.find_row(anchor)
        if self._anchor is None:
            self._marks.anchor = None

    def end_range(self) -> bool:
        """Mark the rows of the open range; False where none is open."""
        if self._anchor is None:
            return False
        self._marks.add(self.ids_between(*self._range()))
        self._marks.anchor = self._anchor = None
        self._marked()
        return True

    def clear_marks(self) -> bool:
        """Take all marks off; False where there were none."""
        had_any = bool(self._marks) or self._anchor is not None
        self._marks.clear()
        self._anchor = None
        if had_any:
            self._marked()
        return had_any

    def moved(self, before: int) -> None:
        """Paint what came into the range or fell out of it."""
        if self._anchor is not None and before != self.cursor:
            first, last = sorted((before, self.cursor))
            for index in range(max(first, self.top), min(last, self.top + self.page - 1) + 1):
                self.refresh_row(index)
            self.post_message(self.Marked())
        super().moved(before)

    def _range(self) -> tuple[int, int]:
        first, last = sorted((self._anchor or 0, self.cursor))
        return first, last + 1

    def _marked(self) -> None:
        self.repaint()
        self.post_message(self.Marked())

    def clicked(self, index: int, event: events.Click) -> None:
        """With ctrl mark the row or take its mark off, with shift mark all from the cursor to it."""
        first, last = sorted((self.cursor, index))
        if event.ctrl:
            self.end_range()
            for item_id in self.ids_between(index, index + 1):
                self._marks.toggle(item_id)
            self._marked()
        elif event.shift:
            self.end_range()
            self._marks.add(self.ids_between(first, last + 1))
            self._marked()
        super().clicked(index, event)

    # Commands

    def do_list_mark(self, count: int | None) -> None:
        """Mark the row, or take its mark off, and go down; with a count so many rows."""
        self.end_range()
        stop = self.cursor + (count or 1)
        ids = self.ids_between(self.cursor, stop)
        if not ids:
            raise CannotAct("There is no row to mark.")
        for item_id in ids:
            self._marks.toggle(item_id)
        for index in range(max(self.cursor, self.top), min(stop, self.top + self.page)):
            self.refresh_row(index)
        self.post_message(self.Marked())
        self.move_to(stop)

    def do_list_range(self, _count: int | None) -> None:
        """Begin a range at the row, or end it and keep its rows marked."""
        if self.end_range():
            return
        ids = self.ids_between(self.cursor, self.cursor + 1)
        if not ids:
            raise CannotAct("There is no row to mark.")
        self._marks.anchor, self._anchor = ids[0], self.cursor
        self._marked()

    def do_list_invert(self, _count: int | None) -> None:
        """Mark the rows that are not marked, and only those."""
        self._need_all()
        self.end_range()
        self._marks.invert(self.ids_between(0, None))
        self._marked()

    def do_list_mark_all(self, _count: int | None) -> None:
        """Mark all that match."""
        self._need_all()
        self.end_range()
        self._marks.add(self.ids_between(0, None))
        self._marked()

    def _need_all(self) -> None:
        if not self.is_complete():
            raise CannotAct("The list is still being read; try again in a moment.")
