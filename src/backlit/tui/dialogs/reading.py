"""Something to read that may be longer than the screen."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.tui.dialogs.dialog import Dialog

MOST_LINES = 400
FRAME_LINES = 2


class ReadingDialog(Dialog[None]):
    """Shows lines; j and k scroll, q, enter and esc leave."""

    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, title: str, lines: Sequence[Content]) -> None:
        super().__init__(title)
        self._lines = tuple(lines)
        self._scroll = VerticalScroll()

    def content(self) -> ComposeResult:
        """The lines."""
        with self._scroll:
            yield Static(Content("\n").join(self._lines[:MOST_LINES]))

    def on_mount(self) -> None:
        """Take the lines it needs, as far as there are any."""
        self._scroll.styles.max_height = max(1, self.app.size.height - FRAME_LINES)

    def type_early(self, character: str) -> None:
        """Scroll, or leave."""
        match character:
            case "j":
                self._scroll.scroll_down(animate=False)
            case "k":
                self._scroll.scroll_up(animate=False)
            case "q":
                self.dismiss(None)

    def press(self, key: str) -> bool:
        """Leave."""
        return super().press("escape" if key == "enter" else key)
