"""Terminal modes before the program reads the terminal: keys typed meanwhile wait, and are not echoed."""

import contextlib
import os
import signal
import sys
import termios
from collections.abc import Iterator
from types import FrameType
from typing import Any, Self

_INPUT, _LOCAL = 0, 3
_CHARACTERS = 6


def is_own(terminal: int) -> bool:
    """True if this process owns the terminal, which it does not while the shell has stopped it."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return True  # the terminal is gone


def has_screen() -> bool:
    """Return whether the screens of the application can be shown."""
    is_terminal = bool(sys.stdin and sys.stdout and sys.stdin.isatty() and sys.stdout.isatty())
    return is_terminal and os.environ.get("TERM", "dumb") != "dumb"


class TypedAhead:
    """The terminal from the start to the first picture: keys wait unseen; ctrl+c and ctrl+z still send their signals.

    A context that restores the terminal's modes, also where a signal ends the process.
    """

    def __init__(self) -> None:
        self.terminal = sys.stdin.fileno()
        self._modes = termios.tcgetattr(self.terminal)
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Take the signals, and hush the terminal."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, self._end)
        self.hush()
        return self

    def __exit__(self, *_: object) -> None:
        """Give the terminal and the signals back."""
        self.give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def hush(self) -> None:
        """Pass keys on as they are typed, without echo."""
        modes = termios.tcgetattr(self.terminal)
        modes[_INPUT] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON)
        modes[_LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        modes[_CHARACTERS][termios.VMIN] = 1
        _set(self.terminal, modes)

    def give_back(self) -> None:
        """Restore the modes."""
        _set(self.terminal, self._modes)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self.give_back()
        os._exit(128 + number)


@contextlib.contextmanager
def echo(*, is_on: bool) -> Iterator[None]:
    """Have a terminal echo what is typed, or not; does nothing without one."""
    try:
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
    except (AttributeError, OSError, ValueError, termios.error):
        yield
        return
    modes = [*before]
    modes[_LOCAL] = modes[_LOCAL] | termios.ECHO if is_on else modes[_LOCAL] & ~termios.ECHO
    _set(terminal, modes)
    try:
        yield
    finally:
        _set(terminal, before)


def _set(terminal: int, modes: list[object]) -> None:
    """Set the modes at once, and keep what was typed."""
    if is_own(terminal):
        with contextlib.suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSANOW, modes)  # type: ignore[arg-type]  # typeshed's own alias


def read_secret(question: str) -> str:
    """Ask on the terminal and read a line without echo; takes what was typed before the question."""
    with echo(is_on=False):
        print(question, end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
    print(file=sys.stderr)
    return answer.rstrip("\r\n")
