"""A command typed by its word, as `:w`; or an item by its number."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widgets import Static

from backlit.tui.commands import Command, Context, commands_in
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.text import literal
from backlit.tui.widgets.inputs import LineInput

if TYPE_CHECKING:
    from backlit.store.store import Store

ID_DIGITS = 19
"""Digits from which a number is no id."""


class CommandLine(Dialog[Command | int | None]):
    """The answer is a command to run, or the id of an item to open."""

    def __init__(self, store: "Store", contexts: Sequence[Context]) -> None:
        super().__init__(":")
        self.input = LineInput()
        self._store = store
        self._commands: dict[str, Command] = {}
        for command in commands_in(contexts):
            for word in command.words:
                self._commands.setdefault(word, command)
        self._note = Static(literal(" ".join(f":{word}" for word in self._commands)), classes="note")

    def content(self) -> ComposeResult:
        """The input, and what may be typed."""
        yield self.input
        yield self._note

    def type_early(self, character: str) -> None:
        """Type into the input."""
        self.input.put(character)

    def press(self, key: str) -> bool:
        """Run, complete, or leave."""
        match key:
            case "enter":
                self._run(self.input.value.strip().removeprefix(":"))
            case "tab":
                self._complete()
            case "backspace" if not self.input.value:
                self.dismiss(None)
            case _:
                return super().press(key)
        return True

    def _run(self, typed: str) -> None:
        number = typed.removeprefix("#")
        if not typed:
            self.dismiss(None)
        elif typed in self._commands:
            self.dismiss(self._commands[typed])
        elif number.isdecimal() and len(number) < ID_DIGITS and self._store.item(int(number)) is not None:
            self.dismiss(int(number))
        else:
            words = " ".join(f":{word}" for word in self._commands)
            self._note.update(literal(f"“{typed}” is none of {words}, nor an item's id."))

    def _complete(self) -> None:
        found = [word for word in self._commands if word.startswith(self.input.value)]
        if found:
            self.input.value = found[0]
            self.input.cursor_position = len(found[0])
