"""The choices of a picker, and the list that shows them."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.widgets.line_list import LineList

LEAD = 4
"""Cells before the label: the cursor bar, the sign, and blanks."""
LEAST_LABEL = 16
PARTLY = "–"
"""The sign of a value that only some of many items have."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice: its value, its label, and a hint beside it.

    A hint of one cell is a sign in front of the label.
    """

    value: object
    label: str
    hint: str = ""


class ChoiceList(LineList, can_focus=False):
    """Shows choices; the dialog sets the rows and the selected values."""

    def __init__(self, sign: str) -> None:
        super().__init__()
        self._sign = sign
        self._choices: Sequence[Choice] = ()
        self._selected: frozenset[object] = frozenset()
        self._partly: frozenset[object] = frozenset()
        self._is_flat = False

    def show(self, choices: Sequence[Choice], cursor: int, *, is_flat: bool) -> None:
        """Show other rows; flat ones lose the indentation of a tree."""
        self._choices = choices
        self._is_flat = is_flat
        self.rows_replaced(cursor)

    def select(self, selected: frozenset[object], partly: frozenset[object] = frozenset()) -> None:
        """Select the rows of some values, and those of values that only some of many items have."""
        self._selected, self._partly = selected, partly
        self.refresh()

    def row_count(self) -> int:
        """Return the number of choices."""
        return len(self._choices)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one choice: bar, sign, label, and the hint on the right where it fits."""
        choice = self._choices[index]
        theme = ThemeStyles.of(self.app)
        on = "cursor-background" if is_cursor else None
        room = self.size.width - LEAD
        hint = safe(choice.hint)
        label = choice.label.strip() if self._is_flat else choice.label
        if cell_len(hint) == 1:
            hint, label = "", f"{hint} {label}"
        hint_width = cell_len(hint) + 2 if hint else 0
        if hint_width and room - hint_width < min(LEAST_LABEL, cell_len(label)):
            hint_width = max(0, room - LEAST_LABEL)
        sign = self._sign if choice.value in self._selected else PARTLY if choice.value in self._partly else " "
        segments = [
            Segment("▌ " if is_cursor else "  ", theme.style("accent", on=on)),
            Segment(f"{sign} ", theme.style("mark", on=on)),
            Segment(fit(label, room - hint_width), theme.style(on=on, bold=is_cursor)),
            Segment(" " * min(2, hint_width) + fit(hint, hint_width - 2), theme.style("muted", on=on)),
        ]
        return Strip(segments).adjust_cell_length(self.size.width, theme.style(on=on))

    def render_blank(self, y: int) -> Strip:
        """Draw a note without choices."""
        theme = ThemeStyles.of(self.app)
        text = "    No matches" if y == 0 and not self._choices else ""
        return Strip([Segment(text, theme.style("muted"))]).adjust_cell_length(self.size.width, theme.style())
