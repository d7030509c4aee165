"""The backlog's list: rows come from a view of the store as they are seen."""

from collections.abc import Sequence

from textual.strip import Strip

from backlit.store.rows import Row
from backlit.store.views import View
from backlit.store.views_groups import GroupKey, GroupLine
from backlit.tui.widgets.backlog_columns import Names
from backlit.tui.widgets.badges import Badge
from backlit.tui.widgets.list_columns import ListColumns

FIRST_ROWS = 200


class BacklogList(ListColumns):
    """A window on a view; what it keeps in memory is the rows in sight and their drawn lines."""

    def __init__(self, names: Names, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(names, id=id)
        self._group_here: GroupKey | None = None
        self._levels: tuple[str, ...] = ()
        self._is_page_held = False
        self._known = 0
        self._rows: dict[int, Row | GroupLine] = {}
        self._cells: dict[int, tuple[str, ...]] = {}

    # What is shown

    def show(self, view: View, item_id: int | None = None) -> None:
        """Show a view, the cursor on the item where the view has it."""
        self._view = view
        self._rows.clear()
        self._forget_read()
        self._known = len(view.rows(0, FIRST_ROWS)) if view.count is None else 0
        if len(str(view.largest_id)) != len(str(self._largest_id)):
            self._largest_id = view.largest_id
            self.forget_drawn()
        index = view.index_of(item_id) if item_id is not None else None
        if index is None and self._group_here is not None:
            index = view.outline.header_line(self._group_here)
        if self._is_page_held and index is not None:
            self.cursor = index
        self.rows_replaced(self.cursor if index is None else index)
        if view.spec.group != self._levels and view.line_count is not None:
            self._levels = view.spec.group
            self._show_headers_above()
        self.find_anchor()
        self._note_current()

    def _show_headers_above(self) -> None:
        """Scroll so far that the headers right above the first row in sight are in sight too."""
        while self.cursor < self.top + self.page - 1 and isinstance(self._row(self.top - 1), GroupLine):
            self.top -= 1

    def hold_page(self) -> None:
        """Let the page stay until the cursor is moved: its item is about to go elsewhere in the order."""
        self._is_page_held = True

    def moved(self, before: int) -> None:
        """Remember whose row it is now."""
        self._is_page_held = False
        self._note_current()
        super().moved(before)

    def rows_changed(self, ids: set[int] | None) -> None:
        """Draw anew the rows in sight whose items changed; None means any of them."""
        self._forget_read()
        for index, row in list(self._rows.items()):
            if ids is None or (isinstance(row, Row) and row.id in ids):
                del self._rows[index]
                self.refresh_row(index)

    def forget_drawn(self) -> None:
        """Read and draw everything anew."""
        self._forget_read()
        super().forget_drawn()

    def _forget_read(self) -> None:
        self._badges.clear()
        self._cells.clear()

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """The ids of the items on a stretch of lines; without an end all of them, what is folded away too."""
        if self._view is None:
            return ()
        return self._view.ids(start) if stop is None else self._view.ids_on(start, stop)

    def find_row(self, item_id: int) -> int | None:
        """Where an item stands; None where it is not in the view."""
        return self._view.index_of(item_id) if self._view is not None else None

    def row_count(self) -> int:
        """The number of lines in the view, as far as it is known."""
        if self._view is None:
            return 0
        return self._known if self._view.line_count is None else self._view.line_count

    # Drawing

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one item or header."""
        row = self._row(index)
        if row is None:
            return self.render_blank(-1)
        if isinstance(row, GroupLine):
            return self.draw_line((row, (), is_cursor, False, Badge.NONE))
        is_marked = self.is_marked(index, row.id)
        return self.draw_line((row, self._cells_of(row.id), is_cursor, is_marked, self.badge(row.id)))

    def render_blank(self, y: int) -> Strip:
        """Draw nothing, or why there is nothing."""
        return self.draw_words("" if self.row_count() else self.empty_words, y)

    def _cells_of(self, item_id: int) -> tuple[str, ...]:
        """The words in columns that the row itself has no values for; read for the rows in sight together."""
        keys = self.columns.read
        if not keys:
            return ()
        if item_id not in self._cells:
            ids = [row.id for row in self.rows_read() if row.id not in self._cells]
            found = self._names.cells(ids, keys)
            self._cells.update((each, tuple(found.get(each, ()))) for each in ids)
        return self._cells.get(item_id, ())

    def rows_read(self) -> Sequence[Row]:
        """The items among the lines in sight."""
        return [row for row in self._rows.values() if isinstance(row, Row)]

    def _note_current(self) -> None:
        row = self._row(self.cursor)
        self.current_id = row.id if isinstance(row, Row) else None
        self._group_here = row.group if isinstance(row, GroupLine) else None

    def _row(self, index: int) -> Row | GroupLine | None:
        if self._view is None or not 0 <= index < self.row_count():
            return None
        if index not in self._rows:
            start = max(0, min(self.top, index))
            stop = max(self.top + self.page, index + 1)
            self._rows = dict(enumerate(self._view.lines(start, stop), start))
        return self._rows.get(index)
