"""The yardstick: the smallest Textual application that shows a list of lines and moves a cursor in it."""

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

LINES = 30


class MinimalApp(App[None]):
    """Thirty lines of text; `j` moves the cursor, `q` quits."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar = [Binding("j", "down"), Binding("q", "quit")]
    cursor = 0

    def compose(self) -> ComposeResult:
        """One widget for every line."""
        yield Static("ready")
        for number in range(LINES):
            yield Static(Content(f"line {number}"), classes="line")

    def action_down(self) -> None:
        """Mark the next line and clear the one before."""
        lines = list(self.query(".line").results(Static))
        lines[self.cursor].styles.text_style = "none"
        self.cursor = (self.cursor + 1) % LINES
        lines[self.cursor].styles.text_style = "reverse"


if __name__ == "__main__":
    MinimalApp().run()
