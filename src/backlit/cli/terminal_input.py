"""Terminal modes before the program reads the terminal: keys typed meanwhile wait, and are not echoed."""

import codecs
import contextlib
import os
import signal
import sys
import termios
import unicodedata
from types import FrameType

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from typing import Any, BinaryIO, Self

ALTERNATE = "\x1b[?1049h"
"""Shows the alternate screen."""
_ENTER, _LEAVE = f"{ALTERNATE}\x1b[?25l\x1b[2J\x1b[H", "\x1b[?25h\x1b[?1049l"
_INPUT, _LOCAL = 0, 3
_CHARACTERS = 6
CTRL_D, CTRL_U = "\x04", "\x15"
BACKSPACES = {"\x7f", "\b"}
PIPE = "-"
"""The name of standard input as a file."""


def is_own(terminal: int) -> bool:
    """True if this process owns the terminal, which it does not while the shell has stopped it."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return True  # the terminal is gone


def can_ask() -> bool:
    # Python has no `sys.stdin` where it was closed (`<&-`).
    return sys.stdin is not None and sys.stdin.isatty()


def has_screen() -> bool:
    # Textual starts without a terminal too, and then waits for keys for ever; of a dumb one it thinks that it has all
    # colours, and sends 106 KB.
    is_terminal = bool(sys.stdin and sys.stdout and sys.stdin.isatty() and sys.stdout.isatty())
    return is_terminal and os.environ.get("TERM", "dumb") != "dumb"


class RawTerminal:
    """The terminal until the first picture or the last answer: keys wait unseen; ctrl+c and ctrl+z still send signals.

    A context that restores the terminal's modes, also where a signal ends the process.
    """

    def __init__(self) -> None:
        self.terminal = sys.stdin.fileno()
        self._modes = termios.tcgetattr(self.terminal)
        self._handlers: dict[int, Any] = {}
        self.is_entered = False
        """Whether the screen below the shell's is shown, and not handed over yet."""

    def __enter__(self) -> "Self":
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, self._end)
        self.disable_echo()
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def disable_echo(self) -> None:
        modes = termios.tcgetattr(self.terminal)
        modes[_INPUT] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON)
        modes[_LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        modes[_CHARACTERS][termios.VMIN] = 1
        _set(self.terminal, modes)

    def enter(self, picture: str) -> None:
        os.write(sys.stdout.fileno(), f"{_ENTER}{picture}".encode())
        self.is_entered = True

    def give_back(self) -> None:
        if self.is_entered:
            self.is_entered = False
            with contextlib.suppress(OSError):
                os.write(sys.stdout.fileno(), _LEAVE.encode())
        _set(self.terminal, self._modes)

    def hand_over(self) -> bool:
        """Restore the modes for a driver that enters the screen; return whether it is entered already."""
        was_entered, self.is_entered = self.is_entered, False
        self.give_back()
        return was_entered

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self.give_back()
        os._exit(128 + number)


def _set(terminal: int, modes: list[object]) -> None:
    """Set the modes at once, and keep what was typed."""
    if is_own(terminal):
        # At once, as the other ways of setting modes wait for what is written, or drop what was typed.
        with contextlib.suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSANOW, modes)  # type: ignore[arg-type]  # typeshed's own alias


def read_line(question: str, *, is_secret: bool = False) -> str:
    """Ask on a terminal without echo; return the line, drawn as it is typed unless secret. Earlier keys count.

    Without a terminal, read the next line of standard input; raise BadRequest if it is not UTF-8.
    """
    if not can_ask():
        return _piped_line()
    print(question, end="", file=sys.stderr, flush=True)
    text, decoder = "", codecs.getincrementaldecoder("utf-8")("replace")
    while byte := os.read(sys.stdin.fileno(), 1):
        key, before = decoder.decode(byte), text
        if key in {"\r", "\n"} or (key == CTRL_D and not text):
            break
        text = _typed(text, key)
        if not is_secret:
            print(_redrawn(before, text), end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return text


def standard_input(noun: str) -> "BinaryIO":
    """Return the bytes of standard input; raise StorageError that names the noun where it was closed (`<&-`)."""
    from backlit.model.errors import StorageError

    if sys.stdin is None:
        raise StorageError(f"Could not read the {noun} in standard input: it is closed. Name a file, or pipe one in.")
    return sys.stdin.buffer


def _piped_line() -> str:
    """Read a line of UTF-8, which the locale may not be.

    Raises BadRequest for other bytes, AnswerNeeded where standard input is closed.
    """
    from backlit.model.errors import AnswerNeeded, BadRequest

    if sys.stdin is None:
        raise AnswerNeeded("Standard input is closed. Write the answer to it, or run the command in a terminal.")
    try:
        return sys.stdin.buffer.readline().decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise BadRequest("Standard input is not UTF-8 text.") from None


def _typed(text: str, key: str) -> str:
    """Return a line after a key; control characters but those that delete are left out."""
    if key in BACKSPACES:
        return text[:-1]
    if key == CTRL_U:
        return ""
    return text if unicodedata.category(key or " ") == "Cc" else text + key


def _redrawn(before: str, after: str) -> str:
    gone = sum(_width(each) for each in before[len(after) :])
    return "\b \b" * gone + after[len(before) :]


def _width(character: str) -> int:
    wide = 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return 0 if unicodedata.combining(character) else wide
