"""A list of entries with heads between them, which the cursor passes over."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from backlit.tui.widgets.line_list import Entry, EntryList


class HeadedList(EntryList[Entry]):
    """A list of entries, some of which are heads or notes: the cursor never stands on them."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._own_rows: list[int] = []
        """The rows between the heads."""

    def is_head(self, entry: Entry) -> bool:
        raise NotImplementedError

    @property
    def position(self) -> tuple[int, int]:
        """The number of the current entry, and how many there are, without the heads."""
        return bisect_right(self._own_rows, self.cursor), len(self._own_rows)

    def row_of(self, number: int) -> int:
        """Return the row of the entry with a number; heads do not count."""
        return self._own_rows[min(number, len(self._own_rows)) - 1] if self._own_rows else 0

    def show(self, entries: Sequence[Entry]) -> None:
        self._own_rows = [at for at, each in enumerate(entries) if not self.is_head(each)]
        super().show(entries)

    def _nearest(self, index: int, *, is_up: bool = False) -> int:
        """Return the next row that is no head from a row on, the one before where there is none."""
        rows = self._own_rows
        first_below, end_above = bisect_left(rows, index), bisect_right(rows, index)
        below, above = rows[first_below : first_below + 1], rows[max(0, end_above - 1) : end_above]
        wanted = (above or below) if is_up else (below or above)
        return wanted[0] if wanted else index

    def move_by(self, rows: int) -> None:
        """Move by entries; the heads between them do not count."""
        places = self._own_rows
        if self.current is not None and not self.is_head(self.current):
            number = bisect_left(places, self.cursor) + rows
            super().move_by(places[max(0, min(number, len(places) - 1))] - self.cursor)

    def move_to(self, index: int) -> None:
        super().move_to(self._nearest(index, is_up=index < self.cursor))
        self._show_head()

    def page_by(self, step: float, count: int) -> None:
        super().page_by(step, count)
        if self.current is not None and self.is_head(self.current):
            self.move_to(self.cursor)

    def rows_replaced(self, cursor: int) -> None:
        super().rows_replaced(self._nearest(cursor))
        self._show_head()

    def _show_head(self) -> None:
        """Show the first head with its first entry: there is no row above to go to."""
        if self.entries and self.cursor == self._nearest(0) and self.top:
            self.show_from(0)
