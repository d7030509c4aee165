"""A terminal for tests: the real command in a pseudo-terminal, its screen drawn by pyte."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

import pyte
from tests.loaded import Command

PATIENCE = 90.0
"""Seconds after which something that should be on the screen counts as missing."""
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "space": " ",
    "tab": "\t",
    "backspace": "\x7f",
    "down": "\x1b[B",
    "up": "\x1b[A",
}
BACKLIT = (sys.executable, "-m", "backlit")
_FOREIGN = re.compile(rb"\x1b\[[<=>][0-9;]*[A-Za-z]|\x1b\[\?[0-9;]*(?:\$p|u)|\x1b\[[0-9;]*\$p|\x1bP[^\x1b]*\x1b\\")


class Program:
    """A program that began in a process of its own."""

    def __init__(self, process: int) -> None:
        self.process = process

    def status(self) -> int | None:
        """Return the exit code, negative for a signal, or None while the program runs."""
        process, status = os.waitpid(self.process, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if process else None

    def close(self) -> None:
        """Wait for the end, which is near."""
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.process, 0)


class Terminal:
    """One program and its screen."""

    def __init__(self, program: Program | Command, file: int, size: tuple[int, int], modes: list[object]) -> None:
        self.process = program.process
        self.first_modes = modes
        """How the terminal treated what was typed when the program began."""
        self._program = program
        self._file = file
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self.written = b""
        """All that the program has written."""

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def press(self, *keys: str) -> None:
        """Send keys: names as in KEYS, `ctrl+x`, or text to type."""
        for key in keys:
            sent = KEYS.get(key) or (chr(ord(key[5]) & 0x1F) if key.startswith("ctrl+") else key)
            os.write(self._file, sent.encode())
            self.read(0.02)

    def read(self, seconds: float) -> None:
        """Draw what comes within some time."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self._file], [], [], left)[0]:
                return
            try:
                data = os.read(self._file, 65536)
            except OSError:
                return
            self.written += data
            self._stream.feed(_FOREIGN.sub(b"", data))

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds for what the screen shows."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"It did not come about on\n{self.text}"
            self.read(0.05)

    def wait_until_synced(self) -> None:
        """Wait until the local copy is that of the service, which tells of changes or is asked for them."""
        self.wait_for(r"synced|● live")

    def wait_for(self, pattern: str) -> None:
        """Wait until the screen shows something."""
        deadline = time.monotonic() + PATIENCE
        while not re.search(pattern, self.text):
            assert time.monotonic() < deadline, f"{pattern!r} did not appear on\n{self.text}"
            self.read(0.05)

    def wait_without(self, pattern: str) -> None:
        """Wait until the screen no longer shows something."""
        deadline = time.monotonic() + PATIENCE
        while re.search(pattern, self.text):
            assert time.monotonic() < deadline, f"{pattern!r} stays on\n{self.text}"
            self.read(0.05)

    @property
    def modes(self) -> list[object]:
        """How the terminal treats what is typed."""
        return termios.tcgetattr(self._file)

    def signal(self, number: int) -> None:
        """Send the program a signal."""
        os.kill(self.process, number)

    def hang_up(self) -> None:
        """Take the terminal away; nothing can be read or pressed any more."""
        os.close(self._file)
        self._file = os.open(os.devnull, os.O_RDWR)

    def ended(self) -> int:
        """Wait until the program has ended; returns its exit status, that of a signal as a shell has it."""
        deadline = time.monotonic() + PATIENCE
        while (status := self._program.status()) is None:
            assert time.monotonic() < deadline, f"It goes on on\n{self.text}"
            self.read(0.01)
        self.read(0.1)
        return 128 - status if status < 0 else status

    def close(self) -> None:
        """Be done with the terminal."""
        os.close(self._file)

    def kill(self) -> None:
        """End the program as a crash of the machine would."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        self._program.close()


@contextmanager
def terminal(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    size: tuple[int, int] = (120, 40),
    *,
    ignored: Sequence[int] = (),
    program: Sequence[str] = (),
) -> Iterator[Terminal]:
    """Run `backlit` with some arguments on a terminal of some size, some signals ignored; it is killed at the end.

    The command has loaded its modules when it begins, unless a `program` such as BACKLIT runs it.
    """
    environment = {**environment, "LINES": str(size[1]), "COLUMNS": str(size[0])}
    file, other = pty.openpty()
    fcntl.ioctl(file, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    modes: list[object] = termios.tcgetattr(file)
    begin = partial(_begin, program) if program else Command
    shown = Terminal(begin(other, arguments, environment, ignored), file, size, modes)
    os.close(other)
    try:
        yield shown
    finally:
        shown.kill()
        shown.close()


def _begin(
    program: Sequence[str],
    terminal: int,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    ignored: Sequence[int],
) -> Program:
    process = os.fork()
    if process == 0:
        os.login_tty(terminal)
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        os.execve(program[0], [*program, *arguments], environment)
    return Program(process)
