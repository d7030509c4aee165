"""Questions with named answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
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
        """Give the answer of the key; q stays, and any other key does nothing."""
        if any(answer.key == character for answer in self._answers):
            self.dismiss(character)
        elif character == "q":
            self.dismiss(None)

    def press(self, key: str) -> bool:
        """Stay."""
        return super().press("escape" if key == "enter" else key)
