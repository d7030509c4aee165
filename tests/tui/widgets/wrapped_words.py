"""A view of wrapped words."""

from collections.abc import Sequence

from rich.segment import Segment

from backlit.tui.drawing.text import Line, wrapped
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.widgets.text_view import LinesView


class Words(LinesView):
    """Words that are wrapped, in a view of six lines."""

    DEFAULT_CSS = "Words { height: 6; width: 20; overflow-x: hidden; scrollbar-size-vertical: 1; }"
    text = ""

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:  # noqa: ARG002 - as the base has it
        return [[Segment(line)] for line in wrapped(self.text, width)]
