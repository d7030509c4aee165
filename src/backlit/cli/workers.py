"""Several processes that serve one address together."""

import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence

from backlit.model.errors import BacklitError

SOON = 2.0
"""Seconds; a worker that ends before is not started again, as the next one would end too."""

Serve = Callable[[socket.socket], None]


def run_workers(listeners: Sequence[socket.socket], serve: Serve) -> None:
    """Run a process for each listener until SIGTERM or SIGINT; one that ends by itself is replaced.

    Raises BacklitError where a worker cannot even start, KeyboardInterrupt after SIGINT.
    """
    _Workers(listeners, serve).run()


class _Workers:
    """The processes by id, and what this one was told."""

    def __init__(self, listeners: Sequence[socket.socket], serve: Serve) -> None:
        self._listeners = listeners
        self._serve = serve
        self._running: dict[int, tuple[int, float]] = {}
        self._received: list[int] = []
        self._life = os.pipe()  # its writing end closes when this process is gone, however that happens

    def run(self) -> None:
        """Start all, replace those that end, and come back when all have ended."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._receive)
        for place in range(len(self._listeners)):
            self._start(place)
        failed = False
        while self._running:
            ended, _ = os.wait()
            place, began = self._running.pop(ended)
            if self._received or failed:
                continue
            if time.monotonic() - began < SOON:
                failed = True
                self._tell_all()
            else:
                print(f"Worker {ended} ended; another takes its place.", file=sys.stderr, flush=True)
                self._start(place)
        if failed:
            raise BacklitError("The workers cannot start.")
        if signal.SIGINT in self._received:
            raise KeyboardInterrupt

    def _receive(self, number: int, _frame: object) -> None:
        self._received.append(number)
        self._tell_all()

    def _tell_all(self) -> None:
        for process in self._running:
            os.kill(process, signal.SIGTERM)

    def _start(self, place: int) -> None:
        ending = {signal.SIGTERM, signal.SIGINT}
        signal.pthread_sigmask(signal.SIG_BLOCK, ending)  # so that none is lost between the fork and its note
        process = os.fork()
        if process == 0:
            for number in ending:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)
            self._work(place)
        self._running[process] = (place, time.monotonic())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)

    def _work(self, place: int) -> None:
        """All that a worker does; ends the process."""
        status = 1
        try:
            os.close(self._life[1])
            threading.Thread(target=_end_with, args=(self._life[0],), daemon=True).start()
            self._serve(self._listeners[place])
            status = 0
        except BacklitError as error:
            print(f"backlit: {error}", file=sys.stderr)
        except KeyboardInterrupt:
            status = 0
        except BaseException as error:  # noqa: BLE001 - the end of the process: said, as Python itself would
            traceback.print_exception(error)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)


def _end_with(life: int) -> None:
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)
