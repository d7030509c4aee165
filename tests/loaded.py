"""A process that has loaded backlit and forks for each terminal: loading takes most of the time of a start.

`python -m tests.loaded FILE` takes requests from the socket with this number until its other end is closed.
"""

import gc
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import backlit

ROOT = Path(__file__).parents[1]
NUMBER = struct.Struct("!i")


class Command:
    """A command that runs on a terminal."""

    def __init__(
        self, terminal: int, arguments: Sequence[str], environment: Mapping[str, str], ignored: Sequence[int]
    ) -> None:
        request = json.dumps([arguments, dict(environment), ignored, str(Path.cwd())]).encode()
        told, tells = os.pipe()
        way, _ = _loaded()
        socket.send_fds(way, [NUMBER.pack(len(request))], [terminal, tells])
        way.sendall(request)
        os.close(tells)
        self._told = open(told, "rb", buffering=0)  # noqa: PTH123, SIM115 - of a number, until it is closed
        (self.process,) = NUMBER.unpack(self._told.read(NUMBER.size))
        os.set_blocking(told, False)

    def status(self) -> int | None:
        """Return the exit code, negative for a signal, or None while the command runs."""
        told = self._told.read(NUMBER.size)
        return os.waitstatus_to_exitcode(*NUMBER.unpack(told)) if told else None

    def close(self) -> None:
        """Wait for the end, which is near."""
        if not self._told.closed:
            os.set_blocking(self._told.fileno(), True)
            self._told.read(NUMBER.size)
            self._told.close()


@cache
def _loaded() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Return the way to the process that has loaded backlit, and the process."""
    here, there = socket.socketpair()
    words = (sys.executable, "-m", "tests.loaded", str(there.fileno()))
    files = [there.fileno()]
    process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True, pass_fds=files)
    there.close()
    return here, process


def serve(requests: socket.socket) -> None:
    """Load every module of backlit, and run the commands that are asked for."""
    for module in walk_packages(backlit.__path__, "backlit."):
        if not module.name.startswith("backlit.config.schema"):  # with pydantic, which no start loads
            import_module(module.name)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that wait for a command
    while True:
        head, files, *_ = socket.recv_fds(requests, NUMBER.size, 2)
        if not head:
            return
        (length,), (terminal, tells) = NUMBER.unpack(head), files
        request = requests.recv(length, socket.MSG_WAITALL)
        if os.fork() == 0:
            requests.close()
            _fork_command(terminal, tells, request)
        os.close(terminal)
        os.close(tells)


def _fork_command(terminal: int, tells: int, request: bytes) -> None:
    """Run a command in a process of its own, and tell its number and how it ended."""
    arguments, environment, ignored, folder = json.loads(request)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = os.fork()
    if process == 0:
        os.close(tells)
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        _run(terminal, arguments)
    os.close(terminal)
    os.write(tells, NUMBER.pack(process))
    status = os.waitpid(process, 0)[1]
    with suppress(BrokenPipeError):
        os.write(tells, NUMBER.pack(status))
    os._exit(0)


def _run(terminal: int, arguments: list[str]) -> None:
    """Run a command as a new process on a terminal would, and exit."""
    os.login_tty(terminal)
    time.tzset()
    sys.stdin = sys.__stdin__ = os.fdopen(0, closefd=False)  # type: ignore[misc] # as Python does when it begins
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", closefd=False)  # type: ignore[misc] # likewise
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", closefd=False, errors="backslashreplace")  # type: ignore[misc] # likewise
    sys.argv = ["backlit", *arguments]
    import_module("backlit.__main__").main()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
