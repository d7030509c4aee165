"""The columns of a list: those that are chosen, and the first of them in sight."""

from collections.abc import Callable, Sequence

from textual.strip import Strip

from backlit.store.records.item import Row
from backlit.store.views.groups import GroupLine
from backlit.tui.widgets.badges import Badge
from backlit.tui.widgets.columns import Column
from backlit.tui.widgets.item_rows import Layout

STRIPS_KEPT = 512

Drawn = tuple[Row | GroupLine, tuple[str, ...], bool, bool, Badge]
"""One line: the row, the words of its cells, whether it has the cursor and a mark, and its quiet signs."""


class ColumnScroll:
    """Lays chosen columns out from the first in sight on, and keeps the lines that were drawn in them.

    `lay_out` makes the layout of some columns for a width; `changed` has everything drawn anew.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        width: Callable[[], int],
        lay_out: Callable[[int, Sequence[Column]], Layout],
        changed: Callable[[], None],
    ) -> None:
        self.chosen = columns
        self._width = width
        self._lay_out = lay_out
        self._changed = changed
        self._first = 0
        self._layout: Layout | None = None
        self._strips: dict[Drawn, Strip] = {}

    def use(self, columns: Sequence[Column]) -> None:
        """Show other columns, from the first on."""
        if columns != self.chosen or self._first:
            self.chosen, self._first = columns, 0
            self._changed()

    def forget(self) -> None:
        """Forget layout and drawn lines: width, names or theme changed."""
        self._layout = None
        self._strips.clear()

    @property
    def layout(self) -> Layout:
        """The columns in sight."""
        width = self._width()
        if self._layout is None or self._layout.width != width:
            self._layout = self._lay_out(width, self.chosen[self._first :])
        return self._layout

    def hidden(self) -> Sequence[Column]:
        """Return the chosen columns that do not fit."""
        shown = {each.key for each in self.layout.columns}
        return [each for each in self.chosen[self._first :] if each.key not in shown]

    def scroll(self, steps: int) -> bool:
        """Scroll as far as there are columns out of sight; False where there are none."""
        before = self._first
        for _ in range(steps):
            if len(self.chosen) - self._first == len(self.layout.columns):
                break
            self._first += 1
            self._layout = None
        if steps < 0:
            self._first = max(0, before + steps)
        if self._first != before:
            self._changed()
        return self._first != before

    def header(self) -> Strip:
        """Draw the headings; says how many columns are out of sight at the left."""
        return self.layout.header(f"  ‹ {self._first}" if self._first else "")

    def line(self, drawn: Drawn) -> Strip:
        """Draw an item or the header of a group, from memory where it was drawn before."""
        strip = self._strips.get(drawn)
        if strip is None:
            if len(self._strips) >= STRIPS_KEPT:
                self._strips.clear()
            row, cells, is_cursor, is_marked, badge = drawn
            if isinstance(row, GroupLine):
                strip = self.layout.group(row, is_cursor=is_cursor)
            else:
                strip = self.layout.row(row, cells, is_cursor=is_cursor, is_marked=is_marked, badge=badge)
            self._strips[drawn] = strip
        return strip
