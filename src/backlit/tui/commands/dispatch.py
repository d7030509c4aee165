"""Dispatch: resolves a key's command or a typed line to the function and the node that run it."""

import importlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from inspect import iscoroutinefunction
from typing import Any, cast

from textual.dom import DOMNode

from backlit.model.errors import BadRequest
from backlit.model.query import Candidate
from backlit.tui.commands.command import Call, Command, Context
from backlit.tui.commands.table import CONTEXT_BY_GROUP, commands_in

Runner = Callable[[Call], Awaitable[None] | None]
"""Runs a call; may raise CannotAct or BacklitError."""


def contexts_of(node: DOMNode) -> tuple[Context, ...]:
    """Return the contexts of the command groups that a node and its ancestors offer, in order of precedence."""
    groups = {group for ancestor in node.ancestors_with_self for group in getattr(ancestor, "COMMAND_GROUPS", ())}
    found = {CONTEXT_BY_GROUP[group] for group in groups}
    return tuple(context for context in Context if context in found)


def runner_of(node: DOMNode, command: Command) -> Runner | None:
    """Return the runner of the command on the nearest node, from the focus up to the app, that offers its group."""
    return next(_runners(node, command), None)


@cache
def function_of(handler: str) -> Callable[..., Any]:
    """Import the function that `group:function` names."""
    group, _, name = handler.partition(":")
    return cast("Callable[..., Any]", getattr(importlib.import_module(f"backlit.tui.{group}"), name))


def is_awaited(runner: Runner) -> bool:
    """Return whether the runner makes a coroutine."""
    return iscoroutinefunction(runner.func if isinstance(runner, partial) else runner)


def _runners(node: DOMNode, command: Command) -> Iterator[Runner]:
    for ancestor in node.ancestors_with_self:
        if command.group in getattr(ancestor, "COMMAND_GROUPS", ()):
            yield partial(function_of(command.handler), ancestor)


ID_DIGITS = 19
"""Digits from which a number is too long for an id."""


class CommandWords:
    """The words that run a command at the focus; the nearest command has precedence."""

    def __init__(self, node: DOMNode) -> None:
        self._node = node
        self._commands: dict[str, Command] = {}
        for command in commands_in(contexts_of(node)):
            for word in command.words:
                if runner_of(node, command) is not None:
                    self._commands.setdefault(word, command)

    @property
    def words(self) -> Mapping[str, Command]:
        """Return the commands by word."""
        return self._commands

    def read(self, text: str) -> tuple[Command, str]:
        """Return a command and its argument. Raises BadRequest listing the known words."""
        found = max((word for word in self._commands if f"{text} ".startswith(f"{word} ")), key=len, default=None)
        if found is None:
            words = ", ".join(self._commands)
            raise BadRequest(f"Unknown command “{text}”. Commands: {words}, or an item number.")
        return self._commands[found], text[len(found) :].strip()

    def run_of(self, text: str) -> tuple[Runner, Call]:
        """Return the runner and the call of a line. Raises BadRequest for a line without a meaning here."""
        command, rest = self.read(text)
        runner = runner_of(self._node, command) if not rest or command.takes_text or command.completer else None
        if runner is None:
            raise BadRequest(f":{text.removesuffix(rest).strip()} takes no argument.")
        return runner, Call(command, text=rest)

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
        runner = runner_of(self._node, command) if command.completer else None
        if isinstance(runner, partial):
            complete = function_of(command.completing)
            return cast("Sequence[Candidate]", complete(*runner.args, text, cursor))
        return ()


def item_number(text: str) -> int | None:
    """Return the id in `1042` or `#1042`; None for other text."""
    number = text.removeprefix("#")
    return int(number) if number.isdecimal() and len(number) < ID_DIGITS else None


def beginning(names: Sequence[str], text: str, cursor: int) -> list[Candidate]:
    """Return the names that begin with the typed text."""
    typed = text[:cursor].casefold()
    return [Candidate(name, 0, cursor) for name in names if name.casefold().startswith(typed)]
