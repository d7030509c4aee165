"""The quiet lines around the panes: a title, a status with hints, and rules."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from backlit.tui.commands.table import COMMAND_BY_ID, DIGITS, spelled
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.theme_styles import Looks

Part = tuple[str, str]
"""Some text and the theme variable that colours it."""


SCRAP = 12
"""Cells of which a part at the left has to show this many, or all it has; less says nothing."""


class SidesLine(Widget):
    """One line with something at the left and something at the right; the left gives way when it is tight."""

    DEFAULT_CSS = "SidesLine { height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._left: tuple[Part, ...] = ()
        self._right: tuple[Part, ...] = ()

    def say(self, left: Sequence[Part], right: Sequence[Part] = ()) -> None:
        """Show other words; repaints only where they are others."""
        if (self._left, self._right) != (tuple(left), tuple(right)):
            self._left, self._right = tuple(left), tuple(right)
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the line."""
        looks = Looks.of(self.app)
        width = self.size.width
        right = [(safe(text), colour) for text, colour in self._right]
        while right and sum(cell_len(text) for text, _ in right) > width - min(width // 2, self._left_width()):
            right.pop(0)
        left_width = max(0, width - sum(cell_len(text) for text, _ in right))
        segments: list[Segment] = []
        taken = 0
        for text, colour in self._left:
            whole = cell_len(safe(text))
            if segments and left_width - taken < min(whole, SCRAP):
                break
            shown = fit(text, min(whole, left_width - taken))
            taken += cell_len(shown)
            segments.append(Segment(shown, looks.style(colour)))
        segments.append(Segment(" " * (left_width - taken), looks.style()))
        segments += [Segment(text, looks.style(colour)) for text, colour in right]
        return Strip(segments).adjust_cell_length(width, looks.style())

    def _left_width(self) -> int:
        return sum(cell_len(safe(text)) for text, _ in self._left) + 1


def hints(command_ids: Sequence[str]) -> list[Part]:
    """Keys and labels of some commands, as the right side of a status line."""
    commands = [COMMAND_BY_ID[command_id] for command_id in command_ids]
    return [*((f"  {_hinted(command.keys[0])} {command.label}", "muted") for command in commands), (" ", "muted")]


def _hinted(keys: str) -> str:
    """A key as a hint has it: any digit is 1-9."""
    return spelled(keys).replace(DIGITS, DIGITS.strip("{}"))


class RuleLine(Widget):
    """A thin line across, with a junction where a pane's own line meets it."""

    DEFAULT_CSS = "RuleLine { height: 1; }"

    def __init__(self, sign: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._sign = sign
        self._junction: int | None = None

    def join_at(self, column: int | None) -> None:
        """Put the junction at a column, or take it away."""
        if column != self._junction:
            self._junction = column
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the rule."""
        width, at = self.size.width, self._junction
        text = "─" * width if at is None else "─" * at + self._sign + "─" * (width - at - 1)
        return Strip([Segment(text[:width], Looks.of(self.app).style("rule"))])
