"""Commands that are typed: which words a screen knows, and who takes what stands behind them."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from textual.dom import DOMNode

from backlit.model.errors import BadRequest
from backlit.model.query import Candidate
from backlit.tui.acting import contexts_of, handler_of
from backlit.tui.commands import Command, commands_in

ID_DIGITS = 19
"""Digits from which a number is no id."""


Following = Callable[[Command, str, int], Sequence[Candidate]]
"""Gives what may stand behind a command's word: of the command, the text there, and the cursor in it."""


class Spoken:
    """The words that are known where the focus is, the nearest meaning of each."""

    def __init__(self, node: DOMNode) -> None:
        self._node = node
        self._commands: dict[str, Command] = {}
        for command in commands_in(contexts_of(node)):
            for word in command.words:
                if handler_of(node, command) is not None:
                    self._commands.setdefault(word, command)

    @property
    def words(self) -> Mapping[str, Command]:
        """All of them, and what they stand for."""
        return self._commands

    def read(self, text: str) -> tuple[Command, str]:
        """A command, and what stands behind its word. Raises BadRequest naming the words there are."""
        found = max((word for word in self._commands if f"{text} ".startswith(f"{word} ")), key=len, default=None)
        if found is None:
            words = ", ".join(self._commands)
            raise BadRequest(f"There is no command “{text}”; there are {words}, or an item's number.")
        return self._commands[found], text[len(found) :].strip()

    def act_of(self, text: str) -> Callable[[], None]:
        """What a line does. Raises BadRequest where it says nothing that is known here."""
        command, rest = self.read(text)
        if not rest:
            handler = handler_of(self._node, command)
            return (lambda: handler(None)) if handler else lambda: None
        told = self._told(command)
        if told is None:
            raise BadRequest(f":{text.removesuffix(rest).strip()} takes nothing behind it.")
        return lambda: told(rest)

    def candidates(self, text: str, cursor: int) -> Sequence[Candidate]:
        """What could stand at the cursor: words, or what may follow one."""
        typed = text[:cursor]
        words = [Candidate(word, 0, cursor) for word in self._commands if word.startswith(typed)]
        known = [word for word in self._commands if typed.startswith(f"{word} ")]
        if words or not known:
            return words
        word = max(known, key=len)
        before = len(word) + 1
        found = self._following(self._commands[word], text[before:], cursor - before)
        return [Candidate(each.text, each.start + before, each.stop + before, each.help) for each in found]

    def _told(self, command: Command) -> Callable[[str], None] | None:
        found = (getattr(node, command.told, None) for node in self._node.ancestors_with_self)
        return cast("Callable[[str], None] | None", next((each for each in found if each is not None), None))

    def _following(self, command: Command, text: str, cursor: int) -> Sequence[Candidate]:
        for node in self._node.ancestors_with_self:
            may_follow = getattr(node, "may_follow", None)
            found = cast("Following", may_follow)(command, text, cursor) if may_follow else ()
            if found:
                return found
        return ()


def item_number(text: str) -> int | None:
    """The id that a line is, as `1042` or `#1042`."""
    number = text.removeprefix("#")
    return int(number) if number.isdecimal() and len(number) < ID_DIGITS else None


def beginning(names: Sequence[str], text: str, cursor: int) -> list[Candidate]:
    """Of some names those that begin as what is typed."""
    typed = text[:cursor].casefold()
    return [Candidate(name, 0, cursor) for name in names if name.casefold().startswith(typed)]
