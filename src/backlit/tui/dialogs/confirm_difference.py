"""A question about a difference: what would change, line by line, before it is done."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import literal

FRAME_LINES = 2
WIDEST = 88


class DifferenceQuestion(Dialog[bool | None]):
    """A heading over lines that scroll; y agrees, everything else leaves things as they are (KEYMAP, rule g)."""

    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, title: str, act: str) -> None:
        super().__init__(title)
        self._scroll = VerticalScroll()
        self.frame.border_subtitle = literal(f"y {act}  n leave")

    def heading(self) -> Sequence[Content]:
        """What stands above, whatever is scrolled to."""
        return ()

    def lines(self) -> Sequence[Content]:
        """The difference."""
        return ()

    def content(self) -> ComposeResult:
        """The heading, then the difference."""
        yield Static(Content("\n").join(self.heading()), classes="head")
        with self._scroll:
            yield Static(Content("\n").join(self.lines()))

    def on_mount(self) -> None:
        """Take the lines it needs, as far as there are any."""
        self._fit()

    def on_resize(self) -> None:
        """Fit a smaller or larger screen."""
        self._fit()

    def _fit(self) -> None:
        width = min(WIDEST, max(10, self.app.size.width - 4))
        taken = sum(len(line.wrap(width)) for line in self.heading())
        self._scroll.styles.max_height = max(1, self.app.size.height - FRAME_LINES - taken)

    def type_early(self, character: str) -> None:
        """Agree, leave, or scroll."""
        match character:
            case "y":
                self.dismiss(True)
            case "n" | "q":
                self.dismiss(None)
            case "j":
                self._scroll.scroll_down(animate=False)
            case "k":
                self._scroll.scroll_up(animate=False)

    def press(self, key: str) -> bool:
        """Scroll by pages; enter agrees to nothing (KEYMAP, confirmations)."""
        match key:
            case "down":
                self._scroll.scroll_down(animate=False)
            case "up":
                self._scroll.scroll_up(animate=False)
            case "ctrl+d" | "pagedown":
                self._scroll.scroll_page_down(animate=False)
            case "ctrl+u" | "pageup":
                self._scroll.scroll_page_up(animate=False)
            case _:
                return super().press("escape" if key == "enter" else key)
        return True
