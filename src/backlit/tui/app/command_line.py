"""The command line: runs the commands of the focused place by their words."""

from collections.abc import Sequence
from typing import Protocol

from textual.app import ComposeResult
from textual.dom import DOMNode

from backlit.model.errors import BacklitError, BadRequest
from backlit.model.query import Candidate
from backlit.store.store import Store
from backlit.tui.app.places import Places
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.commands.dispatch import CommandWords, item_number
from backlit.tui.dialogs.dialog import STYLES, Dialog
from backlit.tui.shell.target import StoreTarget
from backlit.tui.widgets.inputs import COMMAND, QueryLine

HINT = "command or item number · tab complete · ↑ ↓ history"


class CommandLineTarget(StoreTarget, Protocol):
    """An application with places and a focus."""

    places: Places

    @property
    def focused_node(self) -> DOMNode:
        """The node that keys go to."""


async def ask(target: CommandLineTarget, _call: Call) -> None:
    """Ask for a command and run it; a faulty line is shown again with its error."""
    node, line, fault = target.focused_node, "", ""
    while True:
        typed = await target.ask(CommandLine(target.store, CommandWords(node), line, fault))
        if typed is None:
            return
        try:
            await run_line(target, node, typed)
        except (CannotAct, BacklitError) as reason:
            line, fault = typed, str(reason)
        else:
            target.store.typed.remember(COMMAND, typed)
            return


async def run_line(target: CommandLineTarget, node: DOMNode, line: str) -> None:
    """Run a command of the node, or go to the item of a number. Raises BadRequest for any other line."""
    number = item_number(line)
    if number is None:
        runner, call = CommandWords(node).run_of(line)
        running = runner(call)
        if running is not None:
            await running
    elif target.store.item(number) is None:
        raise BadRequest(f"No item #{number} in this project, or it is not loaded yet.")
    else:
        await target.places.go_to_item(number)


class CommandLine(Dialog[str | None]):
    """A line at the foot of the screen; the answer is the typed line, None when it was closed."""

    CSS_PATH = [STYLES, STYLES.with_name("query_line.tcss")]

    def __init__(self, store: Store, words: CommandWords, text: str = "", fault: str = "") -> None:
        super().__init__("")
        self.line = QueryLine(self._candidates, store.typed.lines)
        self._words = words
        self._text = text
        self._fault = fault

    def content(self) -> ComposeResult:
        """Compose the line."""
        yield self.line

    def on_mount(self) -> None:
        """Open the line, with the error of the last attempt."""
        self.line.open(COMMAND, self._text, HINT)
        if self._fault:
            self.line.blame(self._fault, is_sure=True)

    def type_early(self, character: str) -> None:
        """Type into the line."""
        self.line.input.put(character)

    def press(self, key: str) -> bool:
        """Answer, or close the line, also by deleting its sign."""
        if key == "enter":
            self.dismiss(self.line.text.removeprefix(COMMAND).strip() or None)
            return True
        if key == "backspace" and not self.line.input.value:
            self.dismiss(None)
            return True
        return super().press(key)

    def _candidates(self, _sign: str, text: str, cursor: int) -> Sequence[Candidate]:
        return self._words.candidates(text, cursor)
