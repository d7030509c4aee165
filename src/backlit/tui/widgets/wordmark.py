"""The program's name in half blocks, for the screens before the first list."""

from rich.text import Text
from textual.widget import Widget

from backlit.tui.drawing.themes import WORDMARK, ThemeStyles

LINES = (
    "█           █   █  ▀  █ ",
    "█▀▄ ▄▀█ ▄▀▀ █▄▀ █  █ ▀█▀",
    "█▄▀ ▀▄█ ▀▄▄ █▀▄ ▀▄ █  █▄",
)
LIT = 16
"""The cell at which the lit half of the name begins."""
HALVES = tuple((line[:LIT], line[LIT:]) for line in LINES)
"""Both halves of each line."""
MIN_WIDTH, MIN_HEIGHT = 64, 24
"""Columns and rows of a terminal that has room for it."""


class Wordmark(Widget):
    """Three lines, or none in a small terminal."""

    DEFAULT_CSS = "Wordmark { width: 24; height: 3; margin-bottom: 1; }"

    def on_mount(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Show it in a terminal with room for it; its screen calls this when that changes."""
        size = self.app.size
        self.display = size.width >= MIN_WIDTH and size.height >= MIN_HEIGHT

    def render(self) -> Text:
        styles = ThemeStyles.of(self.app).on_surface
        back, lit = styles.style("foreground"), styles.style(WORDMARK)
        return Text("\n").join(Text.assemble((first, back), (second, lit)) for first, second in HALVES)
