"""Dialogs to read lines that may be longer than the screen, such as a difference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import safe

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
        """Yield the lines."""
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


@dataclass(frozen=True, slots=True)
class Difference:
    """A field, as the service has it and as it is here, both as text."""

    label: str
    before: str
    after: str


class DifferenceDialog(ReadingDialog):
    """Shows values one under the other and long texts line by line."""

    def __init__(self, title: str, differences: Sequence[Difference]) -> None:
        super().__init__(title, [line for difference in differences for line in _lines(difference)])


def _lines(difference: Difference) -> Iterator[Content]:
    yield Content.assemble((safe(difference.label), "bold"))
    before, after = difference.before.splitlines() or [""], difference.after.splitlines() or [""]
    if len(before) == len(after) == 1:
        yield _line("-", before[0])
        yield _line("+", after[0])
        return
    for line in list(unified_diff(before, after, lineterm="", n=1))[2:]:
        yield _line(line[:1], line[1:])


def _line(sign: str, text: str) -> Content:
    colour = {"-": "$error", "+": "$success"}.get(sign, "$muted")
    return Content.assemble((f"  {sign} ", colour), (safe(text), colour if sign in "-+" else "$muted"))
