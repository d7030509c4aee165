"""A program in a pseudo-terminal, measured from the terminal's side: starts, keys, bytes, memory, CPU."""

import fcntl
import gc
import os
import re
import select
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from benchmarks import processes
from benchmarks.screen import Terminal

KEYS = {"Down": "\x1b[B", "PageDown": "\x1b[6~", "PageUp": "\x1b[5~", "Home": "\x1b[H", "Enter": "\r", "Esc": "\x1b"}
OWN_TERMINAL = re.compile(
    r"TERM_PROGRAM.*|TMUX.*|STY|VTE_VERSION|KITTY_.*|NO_COLOR|COLUMNS|LINES|SSH_.*|CI|PYTHONDONTWRITEBYTECODE"
)
"""Variables that a program does not get: those of this terminal, and one without which an installed program starts."""
QUIET = 0.1
PATIENCE = 1.0
SAMPLE_EVERY = 0.002
LOOK_EVERY = 0.01


class NoScreen(Exception):
    """The program ended, or its screen never came to match; the text holds its last screen."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The moment a screen matched: milliseconds since exec, CPU in milliseconds, memory in MB."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one key: milliseconds to the first byte, first and last change seen; bytes; CPU in ms."""

    first: float | None
    changed: float | None
    shown: float | None
    size: int
    cpu: float


@dataclass(frozen=True, slots=True)
class Burst:
    """Keys at repeat speed; `lag` is how long the screen went on changing after the last, in milliseconds."""

    lag: float
    bytes_per_key: float
    cpu_per_key: float


class Program:
    """A running program; leaving the context hangs up and ends it."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str] | None = None, size: tuple[int, int] = (120, 40)
    ) -> None:
        self.terminal = Terminal(*size)
        kept = {name: value for name, value in os.environ.items() if not OWN_TERMINAL.fullmatch(name)}
        environment = {"LANG": "C.UTF-8", **kept, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(env or {})}
        self._received = 0
        self._first: float | None = None
        self._samples: dict[float, tuple[float, float]] = {}
        gc.disable()  # no pause of our own while the clock runs
        self._fd, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", size[1], size[0], 0, 0))
        told, tells = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _become(slave, command, environment, tells)
        os.close(slave)
        os.close(tells)
        with open(told, "rb") as moment:  # noqa: PTH123 - a descriptor, not a path
            self._started: float = struct.unpack("d", moment.read())[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pids = processes.tree_of(self.pid)
        os.close(self._fd)
        processes.end(self.pid, pids)
        gc.enable()

    def cpu(self) -> float:
        """Seconds of CPU time of the program and all below it."""
        return processes.cpu_of(processes.tree_of(self.pid))

    def memory(self) -> float:
        """Resident MB of the program and all below it."""
        return processes.memory_of(processes.tree_of(self.pid))

    def elapsed(self) -> float:
        """Milliseconds since exec, as in `Ready`."""
        return (time.perf_counter() - self._started) * 1e3

    def wait_for(self, pattern: str, timeout: float = 60.0) -> Ready:
        """Wait until the screen matches; the moment is that of the output which made it match.

        Output is only stamped while it flows and drawn in the pauses, so that our own drawing does not count.
        """
        regex = re.compile(pattern, re.MULTILINE)
        give_up = time.perf_counter() + timeout
        pause = time.perf_counter()
        self._samples.clear()
        self.terminal.draw()
        if regex.search(self.terminal.text()):
            return Ready((time.perf_counter() - self._started) * 1e3, self.cpu() * 1e3, self.memory())
        while time.perf_counter() < give_up:
            came = self._take(0.05, sample=True)
            if came and time.perf_counter() - pause < 0.5:
                continue
            pause = time.perf_counter()
            for moment in self.terminal.draw_each():
                if regex.search(self.terminal.text()):
                    self.terminal.draw()
                    cpu, memory = self._samples[moment]
                    return Ready((moment - self._started) * 1e3, cpu * 1e3, memory)
        message = f"No screen matched {pattern!r} within {timeout:g} s; the last was:\n{self.terminal.text().rstrip()}"
        raise NoScreen(message)

    def settle(
        self, quiet: float = 0.4, patience: float | None = None, limit: float = 20.0, spent: float | None = None
    ) -> None:
        """Read until nothing came for `quiet` seconds while the program was not busy either.

        `spent` is the CPU time it had used before: looking that up now would delay the first byte's time.
        """
        mark, waiting = time.perf_counter(), patience or quiet
        give_up, used = mark + limit, self.cpu() if spent is None else spent
        while time.perf_counter() < give_up:
            if self._take(waiting):
                waiting = quiet
                continue
            now, busy = time.perf_counter(), self.cpu()
            if busy - used < 0.5 * (now - mark):
                break
            mark, used = now, busy
        self.terminal.draw()

    def rest(self, quiet: float, limit: float = 20.0) -> None:
        """Read until, for `quiet` seconds, nothing came and no thread of the program was at work.

        Each look costs processor time, so that this is for what is compared and not for what is measured.
        """
        give_up, since = time.perf_counter() + limit, time.perf_counter()
        pids = processes.tree_of(self.pid)
        while (now := time.perf_counter()) - since < quiet and now < give_up:
            if self._take(LOOK_EVERY) or processes.is_at_work(pids):
                since = time.perf_counter()
        self.terminal.draw()

    def press(self, key: str) -> Answer:
        """Press one key and take all that comes back."""
        self.terminal.draw()
        self._first = self.terminal.changed_at = None
        before, spent = self._received, self.cpu()
        sent = self._send(key)
        self.settle(QUIET, PATIENCE, spent=spent)
        came, changed = self._first, self.terminal.changed_at
        return Answer(
            None if came is None else (came - sent) * 1e3,
            None if changed is None else (changed - sent) * 1e3,
            None if changed is None else (self.terminal.shown_at - sent) * 1e3,
            self._received - before,
            (self.cpu() - spent) * 1e3,
        )

    def type(self, text: str) -> None:
        """Send keys as they are."""
        self._send(text)

    def read(self, seconds: float) -> None:
        """Take what comes within some time, and draw it."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._take(left)
        self.terminal.draw()

    def burst(self, key: str, count: int = 60, rate: float = 30.0) -> Burst:
        """Press a key at repeat speed."""
        self.terminal.draw()
        before, spent, start = self._received, self.cpu(), time.perf_counter()
        sent = start
        for number in range(count):
            while (left := start + number / rate - time.perf_counter()) > 0:
                self._take(left)
            sent = self._send(key)
        self.settle(0.5, PATIENCE)
        lag = max(0.0, self.terminal.shown_at - sent) * 1e3
        return Burst(lag, (self._received - before) / count, (self.cpu() - spent) / count * 1e3)

    def idle(self, seconds: float) -> tuple[int, float]:
        """Touch nothing; the bytes that came all the same, and the CPU used in percent."""
        before, spent, end = self._received, self.cpu(), time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._take(left)
        return self._received - before, (self.cpu() - spent) / seconds * 100

    def _send(self, key: str) -> float:
        moment = time.perf_counter()
        os.write(self._fd, KEYS.get(key, key).encode())
        return moment

    def _take(self, timeout: float, *, sample: bool = False) -> bool:
        if not select.select([self._fd], [], [], max(0.0, timeout))[0]:
            return False
        moment = time.perf_counter()
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:  # EIO: the other end is closed
            data = b""
        if not data:
            message = f"The program ended; its last screen:\n{self.terminal.text().rstrip()}"
            raise NoScreen(message)
        self._first = self._first or moment
        self._received += len(data)
        if answer := self.terminal.receive(data, moment):
            os.write(self._fd, answer)
        if sample:
            latest = next(reversed(self._samples), None)
            is_fresh = latest is not None and moment - latest < SAMPLE_EVERY
            self._samples[moment] = self._samples[latest] if is_fresh and latest else (self.cpu(), self.memory())
        return True


def _become(slave: int, command: Sequence[str], environment: Mapping[str, str], tells: int) -> None:
    """Turn this (forked) process into the program, on its own terminal; tell when, so that the fork does not count."""
    try:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for descriptor in (0, 1, 2):
            os.dup2(slave, descriptor)
        os.write(tells, struct.pack("d", time.perf_counter()))
        os.execvpe(command[0], list(command), environment)  # noqa: S606 - the program that was asked for
    finally:
        os._exit(127)
