"""A list whose rows have columns: which are chosen, which are in sight, and what was drawn in them."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.geometry import Region
from textual.strip import Strip

from backlit.store.rows import Row
from backlit.store.views_groups import GroupLine
from backlit.tui.acting import CannotAct
from backlit.tui.looks import Looks
from backlit.tui.widgets.backlog_columns import LEAD, Layout, Names
from backlit.tui.widgets.badges import Badge
from backlit.tui.widgets.columns import USUAL, Column
from backlit.tui.widgets.list_folds import ListFolds

STRIPS_KEPT = 512

Drawn = tuple[Row | GroupLine, tuple[str, ...], bool, bool, Badge]
"""What a line shows: the row, the words of its cells, whether it has the cursor and a mark, and its quiet signs."""


class ListColumns(ListFolds):
    """Id, type and name stay; the other columns go away where it is narrow, and can be scrolled to."""

    HEADER_LINES = 1
    COLUMNS: ClassVar[Sequence[Column]] = USUAL
    """Those that are shown where nobody chose others."""

    def __init__(self, names: Names, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(names, id=id)
        self._chosen: Sequence[Column] = self.COLUMNS
        self._first = 0
        self._largest_id = 0
        self._layout: Layout | None = None
        self._strips: dict[Drawn, Strip] = {}

    @property
    def chosen_columns(self) -> Sequence[Column]:
        """Those that are shown where there is room."""
        return self._chosen

    def use_columns(self, columns: Sequence[Column]) -> None:
        """Show other columns, from the first on."""
        if columns != self._chosen or self._first:
            self._chosen, self._first = columns, 0
            self.forget_drawn()

    def forget_drawn(self) -> None:
        """Draw everything anew, because names or the theme changed."""
        self._layout = None
        self._strips.clear()
        self.refresh()

    @property
    def columns(self) -> Layout:
        """Those in sight."""
        if self._layout is None or self._layout.width != self.size.width:
            shown = self._chosen[self._first :]
            self._layout = Layout(
                self.size.width,
                self._names,
                Looks.of(self.app),
                self._largest_id,
                shown,
                is_plain=self.is_sparing,
            )
        return self._layout

    def hidden_columns(self) -> Sequence[Column]:
        """Those that were chosen and do not fit."""
        shown = {each.key for each in self.columns.columns}
        return [each for each in self._chosen[self._first :] if each.key not in shown]

    def do_list_columns_right(self, count: int | None) -> None:
        """Let the first columns go out of sight, so that others come in."""
        if not self._scroll_columns(count or 1):
            raise CannotAct("There are no more columns at the right; tc chooses others.")

    def do_list_columns_left(self, count: int | None) -> None:
        """Let the columns that went out of sight come back."""
        if not self._scroll_columns(-(count or 1)):
            raise CannotAct("These are the first columns.")

    def _scroll_columns(self, steps: int) -> bool:
        """Scroll as far as there are columns out of sight; False where there are none."""
        before = self._first
        for _ in range(steps):
            if len(self._chosen) - self._first == len(self.columns.columns):
                break
            self._first += 1
            self._layout = None
        if steps < 0:
            self._first = max(0, before + steps)
        if self._first != before:
            self.forget_drawn()
        return self._first != before

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Scroll the columns, if there are more."""
        event.stop()
        self._scroll_columns(1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Scroll the columns back."""
        event.stop()
        self._scroll_columns(-1)

    # Drawing

    def refresh_cursor(self, index: int) -> None:
        """Repaint the row, or its first cells alone where the cursor is the bar alone."""
        y = index - self.top
        if not self.is_sparing:
            self.refresh_row(index)
        elif 0 <= y < self.page:
            self.refresh(Region(0, y + self.HEADER_LINES, LEAD, 1))

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the headings; says how many columns are out of sight at the left."""
        return self.columns.header(f"  ‹ {self._first}" if self._first else "")

    def draw_line(self, line: Drawn) -> Strip:
        """Draw an item or the header of a group, from memory where it was drawn before."""
        strip = self._strips.get(line)
        if strip is None:
            if len(self._strips) >= STRIPS_KEPT:
                self._strips.clear()
            strip = self._strips[line] = self._draw(*line)
        return strip

    def _draw(
        self, row: Row | GroupLine, cells: Sequence[str], is_cursor: bool, is_marked: bool, badge: Badge
    ) -> Strip:
        if isinstance(row, GroupLine):
            return self.columns.group(row, is_cursor=is_cursor)
        return self.columns.row(row, cells, is_cursor=is_cursor, is_marked=is_marked, badge=badge)

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
