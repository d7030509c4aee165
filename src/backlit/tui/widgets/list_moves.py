"""The commands that move in a list, by rows, pages and counts (KEYMAP, Lists)."""

from backlit.tui.widgets.line_list import LineList


class ListMoves(LineList):
    """A list whose cursor the list commands move."""

    def do_list_down(self, count: int | None) -> None:
        """Move down."""
        self.move_to(self.cursor + (count or 1))

    def do_list_up(self, count: int | None) -> None:
        """Move up."""
        self.move_to(self.cursor - (count or 1))

    def do_list_first(self, count: int | None) -> None:
        """Go to the first row, or to row `count`."""
        self.move_to((count or 1) - 1)

    def do_list_last(self, count: int | None) -> None:
        """Go to the last row, or to row `count`."""
        self.move_to((count or self.row_count()) - 1)

    def do_list_half_down(self, count: int | None) -> None:
        """Move down half a page."""
        self.move_to(self.cursor + (self.page // 2) * (count or 1))

    def do_list_half_up(self, count: int | None) -> None:
        """Move up half a page."""
        self.move_to(self.cursor - (self.page // 2) * (count or 1))

    def do_list_page_down(self, count: int | None) -> None:
        """Scroll down a page, the cursor staying at its line."""
        self._page_by(self.page * (count or 1))

    def do_list_page_up(self, count: int | None) -> None:
        """Scroll up a page."""
        self._page_by(-self.page * (count or 1))

    def do_list_centre(self, _count: int | None) -> None:
        """Scroll the row to the middle."""
        self.scroll_rows(self.cursor - self.page // 2)

    def do_list_to_top(self, _count: int | None) -> None:
        """Scroll the row to the top."""
        self.scroll_rows(self.cursor)

    def do_list_to_bottom(self, _count: int | None) -> None:
        """Scroll the row to the bottom."""
        self.scroll_rows(self.cursor - self.page + 1)
