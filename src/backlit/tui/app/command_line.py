"""The command line: runs the commands of the focused place by their words."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Protocol, cast

from textual.app import ComposeResult
from textual.dom import DOMNode

from backlit.model.errors import BadRequest
from backlit.model.query import Candidate
from backlit.tui.app.screen_navigator import ScreenNavigator
from backlit.tui.commands.command import Command, CommandContext, item_number
from backlit.tui.commands.table import commands_in, key_of
from backlit.tui.dialogs.dialog import STYLES, Dialog
from backlit.tui.shell.dispatch import Dispatch, Runner, contexts_of, function_of, run_asking, runner_of, target_of
from backlit.tui.shell.target import StoreCommandTarget
from backlit.tui.widgets.inputs import COMMAND, QueryLine

HINT = "command or item number · tab complete · ↑ ↓ history"


class CommandLineCommandTarget(StoreCommandTarget, Protocol):
    """The application, as the command line sees it."""

    navigator: ScreenNavigator
    dispatch: Dispatch


async def ask(target: CommandLineCommandTarget, _call: CommandContext) -> None:
    node = target.dispatch.focused_node
    typed = await target.ask(CommandLine(CommandLineParser(node), target.store.typed.lines))
    if typed is not None:
        target.store.typed.remember(COMMAND, typed)
        await run_line(target, node, typed)


async def run_line(target: CommandLineCommandTarget, node: DOMNode, line: str) -> None:
    """Run a command of the node, or go to the item of a number. Raises BadRequest for any other line."""
    number = item_number(line)
    if number is None:
        runner, call = CommandLineParser(node).run_of(line)
        await run_asking(runner, call)
    elif target.store.item(number) is None:
        raise BadRequest(f"No item #{number} in this project, or it is not loaded yet.")
    else:
        await target.navigator.go_to_item(number)


class CommandLineParser:
    """The words that run a command at the focus; the nearest command has precedence."""

    def __init__(self, node: DOMNode) -> None:
        self._node = node
        self._commands: dict[str, Command] = {}
        for command in commands_in(contexts_of(node)):
            for word in command.words:
                if target_of(node, command) is not None:
                    self._commands.setdefault(word, command)

    def run_of(self, text: str) -> tuple[Runner, CommandContext]:
        """Return the runner and the call of a line. Raises BadRequest for a line without a meaning here."""
        word = max((word for word in self._commands if f"{text} ".startswith(f"{word} ")), key=len, default=None)
        if word is None:
            alike = get_close_matches(text, self._commands, 1)
            meant = f"Did you mean :{alike[0]}? " if alike else ""
            raise BadRequest(f"Unknown command “{text}”. {meant}{key_of('app.help')} lists all commands.")
        command, rest = self._commands[word], text[len(word) :].strip()
        runner = runner_of(self._node, command) if not rest or command.takes_text or command.completer else None
        if runner is None:
            raise BadRequest(f":{word} takes no argument.")
        return runner, CommandContext(command, text=rest)

    def candidates(self, text: str, cursor: int) -> Sequence[Candidate]:
        """Return completions at the cursor: words, or arguments of one."""
        typed = text[:cursor]
        words = [Candidate(word, 0, cursor) for word in self._commands if word.startswith(typed)]
        known = [word for word in self._commands if typed.startswith(f"{word} ")]
        if words or not known:
            return words
        word = max(known, key=len)
        before = len(word) + 1
        found = self._following(self._commands[word], text[before:], cursor - before)
        return [Candidate(each.text, each.start + before, each.stop + before, each.help) for each in found]

    def _following(self, command: Command, text: str, cursor: int) -> Sequence[Candidate]:
        target = target_of(self._node, command) if command.completer else None
        if target is None:
            return ()
        return cast("Sequence[Candidate]", function_of(command.completing)(target, text, cursor))


class CommandLine(Dialog[str | None]):
    """A line at the foot of the screen; the answer is the typed line, None when it was closed."""

    CSS_PATH = [STYLES, STYLES.with_name("query_line.tcss")]
    DIMS = False

    def __init__(self, words: CommandLineParser, history: Callable[[str], Sequence[str]]) -> None:
        super().__init__("")
        self.line = QueryLine(lambda _sign, text, cursor: words.candidates(text, cursor), history)

    def content(self) -> ComposeResult:
        yield self.line

    def on_mount(self) -> None:
        self.line.open(COMMAND, "", HINT)

    def type_early(self, character: str) -> None:
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
