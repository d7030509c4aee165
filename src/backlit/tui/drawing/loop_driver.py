"""A driver that writes from the event loop, which goes on while the terminal is busy."""

import asyncio
import contextlib
import os
import select
import threading
from codecs import getincrementaldecoder
from typing import Any

from textual.drivers.linux_driver import LinuxDriver

from backlit.tui.drawing.frame_rows import RESET
from backlit.tui.drawing.input_parser import InputParser
from backlit.tui.drawing.textual_private import lift_queue_limit, raise_again, waiting_frames

READ_SIZE = 65_536
"""Bytes that are read at once; a terminal gives 4,095 of them at most, a socket may give all."""
_STDERR = 2
"""The descriptor of the terminal that Textual draws on."""


class _ExitEvent(threading.Event):
    """The event that ends the thread of the input, with a file that becomes readable."""

    def __init__(self) -> None:
        super().__init__()
        self.file, self._writes = os.pipe()

    def set(self) -> None:
        """Wake the thread."""
        super().set()
        os.write(self._writes, b"x")

    def clear(self) -> None:
        """Prepare for the next thread."""
        super().clear()
        os.read(self.file, 1)

    def __del__(self) -> None:
        os.close(self.file)
        os.close(self._writes)


# A frame that is handed to Textual's writing thread waits until the event loop lets go of the interpreter: the first
# byte of a `j` comes 1.1 to 1.9 times as late, that of a PageDown 1.2 to 2.3 times, at every percentile under load; the
# CPU is the same within a tenth (`python -m benchmarks keys`). Textual's thread of the input wakes ten times a second:
# idle, the program takes 0.20 % of a core with it and 0.11 % with the one here.


class LoopDriver(LinuxDriver):
    """Writes from the event loop; the loop goes on while the terminal does not take all of it.

    Textual's thread writes where the terminal cannot be opened a second time. The thread that reads sleeps until there
    is input, where Textual's looks ten times a second.
    """

    starts = 0
    """Number of times that the terminal was entered."""
    _terminal: int | None = None
    _waiting = b""
    _is_watched = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.exit_event = self._exit = _ExitEvent()
        self._event_loop = asyncio.get_running_loop()

    @property
    def is_behind(self) -> bool:
        """Return whether the terminal still has to take what was written; a thread may have one frame more."""
        return bool(self._waiting) or waiting_frames(self) > 1

    def start_application_mode(self) -> None:
        """Enter the terminal, or stay out of it as a job in the background."""
        self._close_terminal()
        with contextlib.suppress(OSError):
            # NOCTTY: a process without a terminal of its own must not get this one by opening it.
            self._terminal = os.open(os.ttyname(_STDERR), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's
        self.starts += lift_queue_limit(self)

    def stop_application_mode(self) -> None:
        """Leave the terminal to others, without attributes and with the cursor at its first cell."""
        self.write(f"{RESET}\x1b[H")
        super().stop_application_mode()

    def run_input_thread(self) -> None:
        """Pass the input on, until the exit event. An error here ends the application as any other does."""
        try:
            self._pass_input_on()
        except Exception as error:  # noqa: BLE001 - raised again where it ends the application
            self._app.call_later(raise_again, error)

    def _pass_input_on(self) -> None:
        parser, decode = InputParser(), getincrementaldecoder("utf-8")("replace").decode
        poll = select.poll()
        poll.register(self.fileno, select.POLLIN)
        poll.register(self._exit.file, select.POLLIN)
        while True:
            patience = parser.patience
            files = [file for file, _ in poll.poll(None if patience is None else patience * 1000 + 1)]
            if self._exit.is_set():
                return
            if not files:
                messages = parser.tick()
            elif received := os.read(self.fileno, READ_SIZE):
                messages = parser.feed(decode(received))
            else:
                # Textual 8.2.8 goes on reading at the end of the input, with a whole core, where the hang-up is
                # ignored, as under nohup.
                return  # the terminal is gone
            for message in list(messages):  # all have their time before the first of them can fail
                self.process_message(message)

    def write(self, data: str) -> None:
        """Write now, or behind what waits."""
        if self._terminal is None:
            super().write(data)
        elif threading.current_thread() is not threading.main_thread():
            self._event_loop.call_soon_threadsafe(self.write, data)
        else:
            # Half a surrogate pair in a text must not end the program while it draws.
            self._waiting += data.encode("utf-8", "backslashreplace")
            if not self._is_watched:
                self._go_on(self._terminal)

    def _go_on(self, terminal: int) -> None:
        """Write what the terminal takes, and come back for the rest once it takes more."""
        self._waiting = self._waiting[_written(terminal, self._waiting) :]
        if self._waiting and not self._is_watched:
            self._is_watched = True
            self._event_loop.add_writer(terminal, self._go_on, terminal)
        elif self._is_watched and not self._waiting:
            self._is_watched = False
            self._event_loop.remove_writer(terminal)

    def close(self) -> None:
        """Leave the terminal, which gets what waits."""
        self._close_terminal()
        super().close()

    def _close_terminal(self) -> None:
        terminal, self._terminal = self._terminal, None
        if terminal is not None:
            self._event_loop.remove_writer(terminal)
            self._is_watched = False
            os.set_blocking(terminal, True)
            while self._waiting:
                self._waiting = self._waiting[_written(terminal, self._waiting) :]
            os.close(terminal)


def _written(terminal: int, data: bytes) -> int:
    """Return how many bytes a terminal takes now; a terminal that is gone takes all."""
    try:
        return os.write(terminal, data)
    except BlockingIOError:
        return 0
    except OSError:
        return len(data)
