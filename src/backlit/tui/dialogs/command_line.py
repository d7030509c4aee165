"""The command line: a line at the foot of the screen, over whatever is shown."""

from collections.abc import Sequence

from textual.app import ComposeResult

from backlit.model.query import Candidate
from backlit.store.store import Store
from backlit.tui.dialogs.dialog import STYLES, Dialog
from backlit.tui.spoken import Spoken
from backlit.tui.widgets.query_line import COMMAND, QueryLine

HINT = "a command or an item's number; tab completes, up and down bring back what was typed"


class CommandLine(Dialog[str | None]):
    """The answer is the line that was typed; None when it was left."""

    CSS_PATH = [STYLES, STYLES.with_name("query_line.tcss")]

    def __init__(self, store: Store, spoken: Spoken, text: str = "", fault: str = "") -> None:
        super().__init__("")
        self.line = QueryLine(self._candidates, store.typed.lines)
        self._spoken = spoken
        self._text = text
        self._fault = fault

    def content(self) -> ComposeResult:
        """The line."""
        yield self.line

    def on_mount(self) -> None:
        """Begin with what could not be done the last time, and why."""
        self.line.open(COMMAND, self._text, HINT)
        if self._fault:
            self.line.blame(self._fault, is_sure=True)

    def type_early(self, character: str) -> None:
        """Type into the line."""
        self.line.input.put(character)

    def press(self, key: str) -> bool:
        """Answer, or leave, also by deleting the sign."""
        if key == "enter":
            self.dismiss(self.line.text.removeprefix(COMMAND).strip() or None)
            return True
        if key == "backspace" and not self.line.input.value:
            self.dismiss(None)
            return True
        return super().press(key)

    def _candidates(self, _sign: str, text: str, cursor: int) -> Sequence[Candidate]:
        return self._spoken.candidates(text, cursor)
