"""One line of text."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.widgets import Input, Static

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.text import literal
from backlit.tui.widgets.inputs import LineInput


class LineDialog(Dialog[str | None]):
    """Asks for a line; `check` gives the sentence that says what is wrong with it, or None.

    The answer is the text as typed; None when it was left. With `is_replaced` the text is selected, so that
    what is typed takes its place. `note` stands above.
    """

    def __init__(
        self,
        title: str,
        text: str = "",
        check: Callable[[str], str | None] | None = None,
        *,
        is_replaced: bool = False,
        note: str = "",
    ) -> None:
        super().__init__(title)
        self.input = LineInput(text)
        if is_replaced:
            self.input.select_all()
        self._check = check
        self._about = Static(literal(note), classes="note") if note else None
        self._note = Static(literal(""), classes="fault")

    def content(self) -> ComposeResult:
        """What is to be known, the input, and what is wrong with it."""
        if self._about is not None:
            yield self._about
        yield self.input
        yield self._note

    def type_early(self, character: str) -> None:
        """Type into the input."""
        self.input.put(character)

    def press(self, key: str) -> bool:
        """Accept or leave."""
        if key != "enter":
            return super().press(key)
        fault = self._check(self.input.value) if self._check else None
        if fault is None:
            self.dismiss(self.input.value)
        else:
            self._note.update(literal(fault))
        return True

    def tell(self, words: str) -> None:
        """Say something below the input, until more is typed."""
        self._note.update(literal(words))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take the complaint away once it is answered; never complain while somebody is typing."""
        event.stop()
        if self._note.content and (self._check is None or self._check(event.value) is None):
            self._note.update(literal(""))
