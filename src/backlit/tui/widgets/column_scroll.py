"""The columns of a list: their widths, how far they are scrolled, and the lines drawn in them."""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace
from rich.cells import cell_len
from textual.strip import Strip

from backlit.store.records.item import ItemRow
from backlit.store.views.groups import GroupLine
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.widgets.item_rows import (
    Badge,
    DisplayNames,
    ListColumn,
    RowLayout,
    name_widths_of,
    needed_widths,
)
from backlit.tui.widgets.name_widths import NameWidths

FIRST_ROWS = 200
"""Rows that are read of a view that is not loaded."""
STRIPS_KEPT = 512
Drawn = tuple[ItemRow | GroupLine, tuple[str, ...], bool, bool, Badge, tuple[str, ...]]
"""A drawn line: row, cell texts, whether it has the cursor and is selected, its badges, and the columns that flash."""


class ColumnScroll:
    """Chosen columns, laid out from the first in sight on, with a cache of drawn lines.

    `lay_out` makes the layout of some columns for a width; `changed` follows a change of the columns or their widths.
    """

    def __init__(
        self,
        columns: Sequence[ListColumn],
        width: Callable[[], int],
        lay_out: Callable[[int, Sequence[ListColumn]], RowLayout],
        changed: Callable[[], None],
    ) -> None:
        self.chosen = columns
        self._width = width
        self._lay_out = lay_out
        self._changed = changed
        self._first = 0
        self._cells: Mapping[str, int] = {}
        self.name_widths = NameWidths()
        self._list: tuple[int | None, ViewSpec] | None = None
        self._layout: RowLayout | None = None
        self._strips: dict[Drawn, Strip] = {}

    def use(self, columns: Sequence[ListColumn]) -> None:
        if columns != self.chosen or self._first:
            self.chosen, self._first = columns, 0
            self.redraw()

    def fit(self, view: View, top: int, page: int, names: DisplayNames, *, is_renamed: bool = False) -> None:
        """Give default columns the cells for the values of a view, and for those of the rows in sight.

        Columns become narrower for another list, and where the names changed.
        """
        if is_renamed:
            self._list = None
        is_loaded = view.count is not None
        lines = view.lines(top, top + page) if is_loaded else [*view.rows(0, FIRST_ROWS)]
        rows = [each for each in lines if isinstance(each, ItemRow)]
        self.need(needed_widths(view, rows, names), view, name_widths_of(rows))

    def need(self, cells: Mapping[str, int], view: View, name_widths: NameWidths | None = None) -> None:
        """Give default columns the cells that their values need, never less than before in the same list.

        A list stays the same while its text is typed and while its items are planned; so does the width of its names.
        """
        spec = replace(view.spec, text="", planned_in=frozenset(), planned_out=frozenset())
        # Columns that become narrower while somebody types a filter make the names jump at each letter.
        is_same = (view.project_id, spec) == self._list
        before = self._cells if is_same else {}
        self._list = view.project_id, spec
        wanted = {key: max(width, before.get(key, 0)) for key, width in cells.items()}
        name_widths = self.name_widths if is_same else name_widths or NameWidths()
        if (wanted, name_widths) != (self._cells, self.name_widths):
            self._cells, self.name_widths = wanted, name_widths
            self.redraw()

    @property
    def _usable(self) -> Sequence[ListColumn]:
        """The columns from the first one in sight on, without those that need no cells."""
        needed = [
            replace(each, width=min(each.width, max(cell_len(each.title), self._cells.get(each.key, each.width))))
            if each.is_usual
            else each
            for each in self.chosen
            if not each.is_usual or self._cells.get(each.key, each.width)
        ]
        return needed[self._first :]

    def redraw(self) -> None:
        self.forget()
        self._changed()

    # The first rows are painted before their list learns of its size: all were drawn twice.
    def resize(self) -> None:
        """Draw the lines again, unless they are drawn for the width."""
        if self._layout is None or self._layout.width != self._width():
            self.redraw()

    def forget(self) -> None:
        self._layout = None
        self._strips.clear()

    @property
    def layout(self) -> RowLayout:
        width = self._width()
        if self._layout is None or self._layout.width != width:
            self._strips.clear()
            self._layout = self._lay_out(width, self._usable)
        return self._layout

    @property
    def more(self) -> int:
        """The number of columns out of sight at the right; a wide list has more than the usual ones."""
        return max(0, len(self._usable) - len(self.layout.columns))

    def scroll(self, steps: int) -> bool:
        """Scroll the columns, as far as more are out of sight; return False without a change."""
        before = self._first
        for _ in range(steps):
            if not self.more:
                break
            self._first += 1
            self._layout = None
        if steps < 0:
            self._first = max(0, before + steps)
        if self._first != before:
            self.redraw()
        return self._first != before

    def header(self) -> Strip:
        """Draw the headings, with the numbers of columns scrolled off on the left and without room on the right."""
        after = f"+{self.more} ›" if self.more else ""
        return self.layout.header(f"  ‹ {self._first}" if self._first else "", after)

    def line(self, drawn: Drawn) -> Strip:
        layout = self.layout  # another width drops the drawn lines
        strip = self._strips.get(drawn)
        if strip is None:
            # Dropping all lines costs a page of drawing, rarely. A record of their use would cost something for each.
            if len(self._strips) >= STRIPS_KEPT:
                self._strips.clear()
            row, cells, is_cursor, is_selected, badge, flashed = drawn
            if isinstance(row, GroupLine):
                strip = layout.group(row, is_cursor=is_cursor)
            else:
                strip = layout.row(
                    row, cells, is_cursor=is_cursor, is_selected=is_selected, badge=badge, flashed=flashed
                )
            self._strips[drawn] = strip
        return strip
