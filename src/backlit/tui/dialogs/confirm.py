"""Questions with named answers, and questions about a difference that is shown line by line."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import literal, safe


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its key and its effect."""

    key: str
    label: str


class ConfirmDialog(Dialog[str | None]):
    """Says a sentence and waits for the key of an answer; the result is that key.

    Enter and esc mean none of them, which `stay` puts into words.
    """

    def __init__(self, title: str, sentence: str, answers: Sequence[Answer], stay: str = "stay") -> None:
        super().__init__(title)
        self._sentence = sentence
        self._answers = tuple(answers)
        self._stay = stay

    def content(self) -> ComposeResult:
        """Yield the sentence, and a line for every answer."""
        yield Static(literal(self._sentence), classes="sentence")
        lines = [*((answer.key, answer.label) for answer in self._answers), ("enter", self._stay)]
        width = max(len(key) for key, _ in lines)
        rows = [Content.assemble((f"  {key:>{width}} ", "bold $accent"), safe(label)) for key, label in lines]
        yield Static(Content("\n").join(rows))

    def type_early(self, character: str) -> None:
        """Give the answer of the key; any other key does nothing."""
        if any(answer.key == character for answer in self._answers):
            self.dismiss(character)

    def press(self, key: str) -> bool:
        """Stay."""
        return super().press("escape" if key == "enter" else key)


FRAME_LINES = 2
WIDEST = 88


class DifferenceQuestion(Dialog[bool | None]):
    """A heading over lines that scroll; y agrees, everything else leaves things as they are."""

    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, title: str, act: str) -> None:
        super().__init__(title)
        self._scroll = VerticalScroll()
        self.frame.border_subtitle = literal(f"y {act}  n leave")

    def heading(self) -> Sequence[Content]:
        """Return the lines above the part that scrolls."""
        return ()

    def lines(self) -> Sequence[Content]:
        """Return the lines of the difference."""
        return ()

    def content(self) -> ComposeResult:
        """Yield the heading, then the difference."""
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
        """Scroll by pages; enter agrees to nothing."""
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
