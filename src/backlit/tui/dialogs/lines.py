"""Some lines of text, each with its label."""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Static

from backlit.model.errors import BadRequest
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.text import literal, literal_block
from backlit.tui.widgets.inputs import LineInput

Read = Callable[[Sequence[str]], str]
"""Reads what was typed and says what it comes to; raises BadRequest for what is wrong with it."""


class LinesDialog(Dialog[tuple[str, ...] | None]):
    """Asks for several lines and shows what they come to; tab and the arrows go from one to the next.

    Enter accepts all of them once they are right; the answer is what was typed, None when it was left.
    """

    def __init__(self, title: str, lines: Sequence[tuple[str, str]], read: Read) -> None:
        super().__init__(title)
        self.inputs = [LineInput(text) for _, text in lines]
        self._labels = [label for label, _ in lines]
        self._read = read
        self._note = Static(literal(""), classes="note")
        self._fault = Static(literal(""), classes="fault")
        self.frame.border_subtitle = literal("tab next, enter accepts")

    def content(self) -> ComposeResult:
        """A label and an input for each line, then what they come to."""
        width = max(len(label) for label in self._labels) + 1
        for label, line in zip(self._labels, self.inputs, strict=True):
            with Horizontal(classes="labelled"):
                yield Static(literal(f"{label:{width}}"), classes="label")
                yield line
        yield self._note
        yield self._fault

    def on_mount(self) -> None:
        """Begin with the first line, selected."""
        self.inputs[0].focus()
        self.inputs[0].select_all()
        self._show(is_final=False)

    @property
    def typed(self) -> tuple[str, ...]:
        """What stands in the lines."""
        return tuple(line.value for line in self.inputs)

    def type_early(self, character: str) -> None:
        """Type into the first line."""
        self.inputs[0].put(character)

    def press(self, key: str) -> bool:
        """Go from line to line, accept or leave."""
        if key in {"tab", "down", "shift+tab", "up"}:
            self._step(1 if key in {"tab", "down"} else -1)
        elif key == "enter":
            if self._show(is_final=True):
                self.dismiss(self.typed)
        else:
            return super().press(key)
        return True

    def _step(self, lines: int) -> None:
        at = next((index for index, line in enumerate(self.inputs) if line.has_focus), 0)
        wanted = self.inputs[(at + lines) % len(self.inputs)]
        wanted.focus()
        wanted.select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what it comes to now; never complain while somebody is typing."""
        event.stop()
        self._show(is_final=False)

    def _show(self, *, is_final: bool) -> bool:
        try:
            words, fault = self._read(self.typed), ""
        except BadRequest as error:
            words, fault = "", str(error)
        self._note.update(literal_block(words))
        self._fault.update(literal(fault if is_final else ""))
        return not fault
