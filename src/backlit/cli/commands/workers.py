"""Worker processes that serve one address together."""

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
"""Seconds. A worker that ends sooner is not replaced: its successor would end too."""

Serve = Callable[[socket.socket], None]


def run_workers(listeners: Sequence[socket.socket], serve: Serve) -> None:
    """Run a process for each listener until SIGTERM or SIGINT; replace one that ends by itself.

    Raises BacklitError if a worker cannot start, KeyboardInterrupt after SIGINT.
    """
    _Workers(listeners, serve).run()


class _Workers:
    """Worker processes by id, and the signals this process received."""

    def __init__(self, listeners: Sequence[socket.socket], serve: Serve) -> None:
        self._listeners = listeners
        self._serve = serve
        self._running: dict[int, tuple[int, float]] = {}
        self._received: list[int] = []
        self._life = os.pipe()  # its writing end closes with this process, after a crash too

    def run(self) -> None:
        """Start all workers, replace those that end, and return when all have ended."""
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
                print(f"Worker {ended} ended; starting another.", file=sys.stderr, flush=True)
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
        signal.pthread_sigmask(signal.SIG_BLOCK, ending)  # keeps a signal between the fork and its record
        process = os.fork()
        if process == 0:
            for number in ending:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)
            self._work(place)
        self._running[process] = (place, time.monotonic())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)

    def _work(self, place: int) -> None:
        """Run a worker and end its process."""
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
        except BaseException as error:  # noqa: BLE001 - the process ends: print the traceback as Python does
            traceback.print_exception(error)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)


def _end_with(life: int) -> None:
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)
