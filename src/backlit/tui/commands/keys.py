"""Chords and counts: resolves single keys to commands by the table."""

from collections.abc import Sequence
from dataclasses import dataclass

from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.table import commands_in


@dataclass(frozen=True, slots=True)
class Pending:
    """More keys are needed; `keys` is the chord so far."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A complete command, with its count if one was typed."""

    command: Command
    count: int | None
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A chord without a command; `keys` is the whole of it."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passed:
    """An unbound key, left to the focused widget."""


Outcome = Pending | Run | Unknown | Passed

COUNT_LIMIT = 9_999_999
COUNTED = frozenset({Context.LIST, Context.MOVES})
"""Contexts in which digits are counts."""


class Resolver:
    """Collects keys until they are a command, a dead end, or unbound."""

    def __init__(self) -> None:
        self._chord: tuple[str, ...] = ()
        self._count: int | None = None

    @property
    def chord(self) -> tuple[str, ...]:
        """Return the keys of the unfinished chord; empty without one."""
        return self._chord

    @property
    def count(self) -> int | None:
        """Return the count so far."""
        return self._count

    def cancel(self) -> bool:
        """Forget chord and count; return False without any."""
        had_any = bool(self._chord) or self._count is not None
        self._chord, self._count = (), None
        return had_any

    def feed(self, key: str, contexts: Sequence[Context], *, in_text: bool = False) -> Outcome:
        """Take a key (a printable character, or a name such as `ctrl+d`) in the contexts of the focus."""
        if in_text:
            return self._feed_in_text(key, contexts)
        if self._is_count(key, contexts):
            self._count = min((self._count or 0) * 10 + int(key), COUNT_LIMIT)
            return Pending(())
        self._chord = (*self._chord, key)
        wanted = " ".join(self._chord)
        candidates = commands_in(contexts)
        for command in candidates:
            if wanted in command.keys:
                return self._run(command)
        for command in candidates:
            if self._is_lettered(command):
                return self._run(command, key)
        if any(sequence.startswith(wanted + " ") for command in candidates for sequence in command.keys):
            return Pending(self._chord)
        return self._dead_end()

    def continuations(self, contexts: Sequence[Context]) -> tuple[tuple[str, Command], ...]:
        """Return the remaining keys and the command of every continuation of the chord."""
        begun = " ".join(self._chord) + " "
        return tuple(
            (sequence.removeprefix(begun), command)
            for command in commands_in(contexts)
            for sequence in command.keys
            if sequence.startswith(begun)
        )

    def _feed_in_text(self, key: str, contexts: Sequence[Context]) -> Outcome:
        self.cancel()
        for command in commands_in(contexts):
            if command.in_text and key in command.keys:
                return Run(command, None)
        return Passed()

    def _is_count(self, key: str, contexts: Sequence[Context]) -> bool:
        if self._chord or not (key.isascii() and key.isdigit()):
            return False
        return not COUNTED.isdisjoint(contexts) and (key != "0" or self._count is not None)

    def _is_lettered(self, command: Command) -> bool:
        """Return whether the chord ends a command's keys that take any letter, or any digit but 0."""
        *begun, last = self._chord
        kind = "letter" if "a" <= last <= "z" else "digit" if "1" <= last <= "9" else ""
        return len(last) == 1 and bool(kind) and " ".join([*begun, kind]) in command.keys

    def _run(self, command: Command, letter: str = "") -> Run:
        count = self._count
        self.cancel()
        return Run(command, count, letter)

    def _dead_end(self) -> Outcome:
        keys = self._chord
        was_begun = len(keys) > 1 or self._count is not None
        self.cancel()
        return Unknown(keys) if was_begun else Passed()
