"""Commands and signs under ruled headings, in equal columns."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.strip import Strip

from backlit.tui.dialogs.finder import KEY_GAP, Offer, OfferList, first_clause, fitted_clauses
from backlit.tui.drawing.text import fit, wrapped
from backlit.tui.drawing.themes import CURSOR_BAR, ThemeStyles

MIN_COLUMN_WIDTH, MAX_COLUMNS, COLUMN_GAP = 52, 3, 2
LEAD = 1
"""Cells of the cursor, which stands before headings, keys and signs alike."""
KEYS_WIDTH = 17
"""Cells of keys, with the blanks behind them: room for `tab  shift+tab`."""
NARROW_KEY_GAP = "  "
MIN_SIGN_WIDTH = 18
"""Cells of a sign, its words and the blanks behind them."""

Sign = tuple[str, str, str]
"""A sign, its colour, and its words."""


class GridOffer(Offer, frozen=True):
    """An offer of the grid; without a value a heading, sentences or signs over the whole width."""

    sentences: Sequence[str] = ()
    signs: Sequence[Sign] = ()


class GridRow(Struct, frozen=True):
    """A line: the offers side by side, by index, or a line of a heading, of sentences or of signs."""

    indexes: Sequence[int] = ()
    words: str = ""
    signs: Sequence[Sign] = ()
    is_heading: bool = False


def shown_keys(offer: Offer) -> tuple[str, Sequence[str]]:
    """Return what the key column shows of an offer, its keys or else its words, and what it leaves out."""
    parts = sorted(offer.keys.split(KEY_GAP), key=lambda part: part.startswith(":"))
    shown, *others = parts
    while others and not others[0].startswith(":") and cell_len(f"{shown}{NARROW_KEY_GAP}{others[0]}") < KEYS_WIDTH - 1:
        shown += NARROW_KEY_GAP + others.pop(0)
    return shown, others


class HelpGrid(OfferList):
    """Sections one below the other, each under a heading over the whole width.

    A section is read down its first column, then down the next one: the cursor goes the same way. `top` counts lines.
    What matches a search has no heading, and stands in one column while there is room.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[GridRow] = ()
        self._place: dict[int, tuple[int, int]] = {}
        """The line and the column of each offer."""

    def show(self, offers: Sequence[Offer], value: object = None) -> None:
        self.lines = offers
        self._lay_out()
        super().show(offers, value)

    def on_resize(self) -> None:
        if self.lines:
            current = self.current
            self.show(self.lines, current.value if current else None)

    # Laying out

    @property
    def _columns(self) -> int:
        if not any(offer.is_heading for offer in self.lines) and len(self.lines) <= self.size.height:
            return 1
        return max(1, min(MAX_COLUMNS, (self.size.width + COLUMN_GAP) // (MIN_COLUMN_WIDTH + COLUMN_GAP)))

    @property
    def _column_width(self) -> int:
        return (self._inner_width + COLUMN_GAP) // self._columns - COLUMN_GAP

    @property
    def _inner_width(self) -> int:
        return self.size.width - 2  # a scroll bar, and a blank before it

    @property
    def line_count(self) -> int:
        return len(self._rows)

    def _lay_out(self) -> None:
        rows: list[GridRow] = []
        section: list[int] = []
        for index, offer in enumerate(self.lines):
            if isinstance(offer, GridOffer) and offer.is_heading:
                rows += [*self._side_by_side(section), *self._lines_of(offer, is_first=not index)]
                section = []
            else:
                section.append(index)
        self._rows = [*rows, *self._side_by_side(section)]
        self._place = {
            index: (line, column) for line, row in enumerate(self._rows) for column, index in enumerate(row.indexes)
        }

    def _side_by_side(self, section: Sequence[int]) -> Iterator[GridRow]:
        height = -(-len(section) // self._columns)
        for line in range(height):
            yield GridRow(section[line::height])

    def _lines_of(self, offer: GridOffer, *, is_first: bool) -> Iterator[GridRow]:
        if not is_first:
            yield GridRow()
        yield GridRow(words=offer.label, is_heading=True)
        for sentence in offer.sentences:
            yield from (GridRow(words=line) for line in wrapped(sentence, self._inner_width - LEAD))
        number = self._columns * self._signs_in_column
        for at in range(0, len(offer.signs), number):
            yield GridRow(signs=offer.signs[at : at + number])

    @property
    def _signs_in_column(self) -> int:
        return max(1, (self._column_width - LEAD) // MIN_SIGN_WIDTH)

    # Moving

    def step(self, rows: int) -> None:
        super().step(rows)
        if self.cursor == max(self._place, default=0):
            self._scroll(self.line_count)  # the signs stand below the last one

    def turn(self, pages: int) -> None:
        """Move by pages in the column of the cursor."""
        if not self._place:
            return
        line, column = self._place[self.cursor]
        wanted = line + pages * self.page
        beside = [index for index, (_, at) in self._place.items() if at == column]
        self.move_to(min(beside, key=lambda index: abs(self._place[index][0] - wanted)))
        self.step(0)
        if wanted > max(self._place[index][0] for index in beside):
            self._scroll(self.line_count)  # nothing further in this column

    def _keep_in_sight(self) -> None:
        if self.cursor not in self._place:
            return
        line, _ = self._place[self.cursor]
        if not self.top <= line < self.top + self.page:
            self._scroll(line if line < self.top else line - self.page + 1)

    def _scroll(self, top: int) -> None:
        top = max(0, min(top, self.line_count - self.page))
        if top != self.top:
            self.top = top
            self.refresh()

    def rows_replaced(self, cursor: int) -> None:
        self.cursor, self.top = max(0, min(cursor, len(self.lines) - 1)), 0
        self._keep_in_sight()
        self.refresh()

    def turn_wheel(self, lines: int) -> None:
        self._scroll(self.top + lines)

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()  # the list's own handler knows no columns
        row = self._rows[self.top + event.y] if self.top + event.y < self.line_count else GridRow()
        column = event.x // (self._column_width + COLUMN_GAP)
        if column < len(row.indexes):
            self.clicked(row.indexes[column], event)

    # Drawing

    def refresh_row(self, index: int) -> None:
        if index in self._place:
            self.refresh(Region(0, self._place[index][0] - self.top, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        theme, width = ThemeStyles.of(self.app), self.size.width
        if not self.lines:
            return self.render_blank(y)
        row = self._rows[self.top + y] if self.top + y < self.line_count else GridRow()
        cells = (self._cell(index) for index in row.indexes)
        strip = Strip.join(list(cells)) if row.indexes else self._across(row)
        return self.with_bar(strip.adjust_cell_length(width, theme.style()), y, self.line_count)

    def _across(self, row: GridRow) -> Strip:
        theme, width = ThemeStyles.of(self.app), self._inner_width
        if row.is_heading:
            words = fit(f"{' ' * LEAD}{row.words} ", cell_len(row.words) + LEAD + 1)
            rule = "─" * (width - cell_len(words))
            return Strip([Segment(words, theme.heading()), Segment(rule, theme.style("rule"))])
        lead = Segment(" " * LEAD + row.words, theme.style("foreground"))
        each, gap = divmod(self._column_width - LEAD, self._signs_in_column)
        parts = [lead]
        for number, (sign, colour, words) in enumerate(row.signs, 1):
            parts += [Segment(f"{sign} ", theme.style(colour)), Segment(fit(words, each - 2), theme.style("muted"))]
            if number % self._signs_in_column == 0:
                parts.append(Segment(" " * (gap + COLUMN_GAP + LEAD), theme.style()))
        return Strip(parts)

    def _cell(self, index: int) -> Strip:
        offer, theme, width = self.lines[index], ThemeStyles.of(self.app), self._column_width
        is_cursor = index == self.cursor
        on = "cursor-background" if is_cursor else None
        keys, _ = shown_keys(offer)
        segments = [
            Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR, on=on)),
            Segment(f"{fit(keys, KEYS_WIDTH - 1)} ", theme.style("foreground", on=on, bold=True)),
            Segment(self._help_in_row(offer), theme.style("foreground" if is_cursor else "muted", on=on)),
        ]
        cell = Strip(segments).adjust_cell_length(width, theme.style(on=on))
        return cell.adjust_cell_length(width + COLUMN_GAP, theme.style())

    def _help_in_row(self, offer: Offer) -> str:
        room = self._column_width - LEAD - KEYS_WIDTH
        return fitted_clauses(offer.help if self._columns == 1 else first_clause(offer.help), room)

    def cuts_help(self) -> bool:
        return self.current is not None and self._help_in_row(self.current).rstrip() != self.current.help
