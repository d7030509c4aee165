"""The fields of an item, one to a line, drawn by one widget; the input of the one being edited lies over its value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.segment import Segment
from textual.app import ComposeResult
from textual.strip import Strip

from backlit.model.fields import Field
from backlit.tui.drawing.text import fit
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.widgets.inputs import LineInput
from backlit.tui.widgets.line_list import LineList

LEAD = 3
"""Cells before the label: the cursor bar, the sign, a blank."""
GAP = 2
WIDEST_LABEL = 20
NARROW, NARROW_LABEL = 50, 12


@dataclass(frozen=True, slots=True)
class GridLine:
    """A line of the grid: a field with its value, or a heading or note (without a field)."""

    text: str
    colour: str = "foreground"
    field: Field | None = None
    sign: str = " "
    sign_colour: str = "accent"
    is_heading: bool = False


class FieldGrid(LineList):
    """Moves from field to field; headings and notes are skipped."""

    def __init__(self) -> None:
        super().__init__(id="fields")
        self.input = LineInput()
        self._lines: Sequence[GridLine] = ()
        self._theme: ThemeStyles | None = None

    def compose(self) -> ComposeResult:
        """Yield the hidden input for one-line values."""
        self.input.display = False
        yield self.input

    # Lines

    @property
    def field(self) -> Field | None:
        """The field under the cursor."""
        return self._lines[self.cursor].field if self.cursor < len(self._lines) else None

    def show(self, lines: Sequence[GridLine]) -> None:
        """Show other lines; repaints those that differ, the cursor stays on its field."""
        before, current = self._lines, self.field
        self._lines = lines
        if len(before) == len(lines):
            for index, (old, new) in enumerate(zip(before, lines, strict=True)):
                if old != new and not self._is_covered(index, old, new):
                    self.refresh_row(index)
            return
        key = current.key if current else ""
        at = next((index for index, line in enumerate(lines) if line.field and line.field.key == key), self._first)
        self.rows_replaced(at)
        self._place_input()

    def _is_covered(self, index: int, old: GridLine, new: GridLine) -> bool:
        """Return whether the input covers all that has changed; closing it paints the line."""
        return self.input.display and index == self.cursor and replace(old, text=new.text, colour=new.colour) == new

    def go_to(self, key: str) -> None:
        """Put the cursor on a field."""
        for index, line in enumerate(self._lines):
            if line.field is not None and line.field.key == key:
                self.move_to(index)

    def move_by(self, rows: int) -> None:
        """Move by a number of fields, as far as there are any; headings and notes do not count."""
        places = self._places
        if places:
            here = places.index(self.cursor) if self.cursor in places else 0
            self.move_to(places[max(0, min(here + rows, len(places) - 1))])

    def page_by(self, step: float, count: int) -> None:
        """Move by pages, with as many fields to a page as there are lines."""
        self.move_by(int(step * count * self.page))

    def move_to(self, index: int) -> None:
        """Put the cursor on the field at or nearest above a line; show the heading over the first one."""
        places = self._places
        super().move_to(max((place for place in places if place <= index), default=self._first))
        self._show_first_heading()

    def stay_in_sight(self) -> None:
        """Show the cursor, wherever it is by now, in a grid that has become lower."""
        self.move_to(self.cursor)

    def _show_first_heading(self) -> None:
        if self.top and self.cursor == self._first:
            self.top = 0
            self.refresh()

    @property
    def _places(self) -> list[int]:
        return [index for index, line in enumerate(self._lines) if line.field is not None]

    @property
    def _first(self) -> int:
        return next(iter(self._places), 0)

    # The input

    def open_input(self, text: str) -> None:
        """Lay the input over the value of the current field, and give it the keys at once."""
        self.input.value = text
        self.input.cursor_position = len(text)
        self.input.display = True
        self._place_input()
        self.screen.set_focus(self.input)

    def close_input(self) -> None:
        """Take the input away."""
        if self.input.display:
            self.input.display = False
            self.refresh_row(self.cursor)
            self.screen.set_focus(self)

    def _place_input(self) -> None:
        if self.input.display:
            left = LEAD + self._label_width + GAP
            self.input.styles.offset = (left, self.cursor - self.top)
            self.input.styles.width = max(4, self.size.width - left)

    def on_resize(self) -> None:
        """Keep the cursor in sight and the input at its place."""
        super().on_resize()
        self._show_first_heading()
        self._place_input()

    # Drawing

    def notify_style_update(self) -> None:
        """Drop the colours of the theme before."""
        self._theme = None
        super().notify_style_update()

    @property
    def _label_width(self) -> int:
        if self.size.width < NARROW:
            return NARROW_LABEL
        return min(WIDEST_LABEL, max((len(line.field.label) for line in self._lines if line.field), default=0))

    def row_count(self) -> int:
        """Return the number of fields, headings and notes."""
        return len(self._lines)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one line."""
        if self._theme is None:
            self._theme = ThemeStyles.of(self.app)
        theme, line, width = self._theme, self._lines[index], self.size.width
        if line.is_heading:
            text = f" {line.text} "
            return Strip(
                [
                    Segment(fit(text, len(text)), theme.style("faint")),
                    Segment("─" * max(0, width - len(text) - 1) + " ", theme.style("rule")),
                ]
            )
        left = LEAD + self._label_width + GAP
        if line.field is None:
            note = Segment(fit(line.text, max(0, width - left)), theme.style(line.colour))
            return Strip([Segment(" " * left, theme.style()), note]).adjust_cell_length(width, theme.style())
        on = "cursor-background" if is_cursor else None
        segments = [
            Segment("▌" if is_cursor else " ", theme.style("accent", on=on)),
            Segment(f"{line.sign} ", theme.style(line.sign_colour, on=on, bold=True)),
            Segment(fit(line.field.label, self._label_width) + " " * GAP, theme.style("muted", on=on)),
            Segment(fit(line.text, max(0, width - left)), theme.style(line.colour, on=on)),
        ]
        return Strip(segments).adjust_cell_length(width, theme.style(on=on))

    def render_blank(self, y: int) -> Strip:  # noqa: ARG002 - all are the same
        """Draw a blank line below the last field."""
        return Strip.blank(self.size.width, ThemeStyles.of(self.app).style())
