"""The backlog's list: rows come from a view of the store as they are seen."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip

from backlit.store.rows import Row
from backlit.store.views import View
from backlit.store.views_groups import GroupKey, GroupLine
from backlit.tui.looks import Looks
from backlit.tui.text import fit
from backlit.tui.widgets.backlog_columns import USUAL_COLUMNS, Column, Layout, Names
from backlit.tui.widgets.list_folds import ListFolds

STRIPS_KEPT = 512
FIRST_ROWS = 200


class BacklogList(ListFolds):
    """A window on a view; what it keeps in memory is the rows in sight and their drawn lines."""

    HEADER_LINES = 1
    COLUMNS: ClassVar[Sequence[Column]] = USUAL_COLUMNS

    def __init__(self, names: Names, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(names, id=id)
        self._group_here: GroupKey | None = None
        self._levels: tuple[str, ...] = ()
        self._is_page_held = False
        self._known = 0
        self._largest_id = 0
        self._rows: dict[int, Row | GroupLine] = {}
        self._strips: dict[tuple[Row | GroupLine, bool, bool, bool], Strip] = {}
        self._layout: Layout | None = None

    # What is shown

    def show(self, view: View, item_id: int | None = None) -> None:
        """Show a view, the cursor on the item where the view has it."""
        self._view = view
        self._rows.clear()
        self._unready.clear()
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
        self._unready.clear()
        for index, row in list(self._rows.items()):
            if ids is None or (isinstance(row, Row) and row.id in ids):
                del self._rows[index]
                self.refresh_row(index)

    def forget_drawn(self) -> None:
        """Draw everything anew, because names or the theme changed."""
        self._layout = None
        self._strips.clear()
        self.refresh()

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

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the headings."""
        return self._columns.header()

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one item or header, from memory where it was drawn before."""
        row = self._row(index)
        if row is None:
            return self.render_blank(-1)
        item_id = row.id if isinstance(row, Row) else 0
        is_marked = bool(item_id) and self.is_marked(index, item_id)
        key = (row, is_cursor, is_marked, bool(item_id) and self.is_unready(item_id))
        strip = self._strips.get(key)
        if strip is None:
            if len(self._strips) >= STRIPS_KEPT:
                self._strips.clear()
            strip = self._strips[key] = self._draw(*key)
        return strip

    def _draw(self, row: Row | GroupLine, is_cursor: bool, is_marked: bool, is_unready: bool) -> Strip:
        if isinstance(row, GroupLine):
            return self._columns.group(row, is_cursor=is_cursor)
        return self._columns.row(row, is_cursor=is_cursor, is_marked=is_marked, is_unready=is_unready)

    def render_blank(self, y: int) -> Strip:
        """Draw nothing, or why there is nothing."""
        looks = Looks.of(self.app)
        if y == 1 and self.row_count() == 0:
            return Strip([Segment(fit("   " + self.empty_words, self.size.width), looks.style("muted"))])
        return Strip.blank(self.size.width, looks.style())

    def on_resize(self) -> None:
        """Lay the columns out anew."""
        self._layout = None
        self._strips.clear()
        super().on_resize()

    def notify_style_update(self) -> None:
        """Take the new theme's colours."""
        super().notify_style_update()
        self._layout = None
        self._strips.clear()

    def rows_read(self) -> Sequence[Row]:
        """The items among the lines in sight."""
        return [row for row in self._rows.values() if isinstance(row, Row)]

    def _note_current(self) -> None:
        row = self._row(self.cursor)
        self.current_id = row.id if isinstance(row, Row) else None
        self._group_here = row.group if isinstance(row, GroupLine) else None

    @property
    def _columns(self) -> Layout:
        if self._layout is None:
            self._layout = Layout(self.size.width, self._names, Looks.of(self.app), self._largest_id, self.COLUMNS)
        return self._layout

    def _row(self, index: int) -> Row | GroupLine | None:
        if self._view is None or not 0 <= index < self.row_count():
            return None
        if index not in self._rows:
            start = max(0, min(self.top, index))
            stop = max(self.top + self.page, index + 1)
            self._rows = dict(enumerate(self._view.lines(start, stop), start))
        return self._rows.get(index)
