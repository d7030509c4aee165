"""An application that sends its terminal only the cells that changed, and nothing while the terminal takes nothing.

This and `updates` are the only places that know private names of Textual; a test says which.
"""

import os
from queue import Queue

from rich.color import ColorSystem
from rich.console import Console, RenderableType
from textual import events
from textual.app import App
from textual.driver import Driver
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.timer import Timer

from backlit.tui.drawing.frames.compositor_updates import PAINTED, size_of, strips_of
from backlit.tui.drawing.frames.frame import Frame

SWITCH = "BACKLIT_FRAME_DIFF"
"""Environment: 0 has Textual write its frames itself."""
_SYSTEMS = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT}
_FILLING = (
    "xterm",
    "tmux",
    "alacritty",
    "foot",
    "ghostty",
    "kitty",
    "konsole",
    "linux",
    "rxvt",
    "st-",
    "vte",
    "wezterm",
)
"""What terminals call themselves that fill what they erase with the ground that is set; screen does not."""
_MOST_WAITING = 1
"""Frames that may wait behind the one being written; while more do, what is painted is gathered."""
_SOON = 1 / 50
_SHORT = 512
"""Characters of a frame that comes in one piece anyway."""
_HOLD, _SHOW = "\x1b[?2026h", "\x1b[?2026l"
"""What stands around a longer one, where the terminal knows that."""


class FramedApp(App[None], inherit_bindings=False):
    """Keeps what the terminal shows, cell by cell."""

    def __init__(self) -> None:
        super().__init__()
        is_wanted = os.environ.get(SWITCH) != "0"
        erases = os.environ.get("TERM", "").startswith(_FILLING)
        self._frame = Frame(erases=erases) if is_wanted else None
        self._terminal_size = Size(0, 0)
        self._writer: object = None
        self._sending: Timer | None = None

    def on_mount(self) -> None:
        """Draw everything anew when the shell gives the terminal back."""
        self.app_resume_signal.subscribe(self, lambda _: self.draw_anew())

    def on_resize(self, event: events.Resize) -> None:
        """Draw everything anew where the size went away and came back, which the terminal's cells do not survive."""
        before, self._terminal_size = self._terminal_size, event.size
        if self._frame is not None and before != event.size == self._frame.size:
            self.draw_anew()

    def draw_anew(self) -> None:
        """Write every cell again, whatever the terminal shows."""
        if self._frame is not None:
            self._frame.forget()
        self.refresh(layout=True)
        self.screen.refresh(layout=True)

    def draw_beside(self, sequence: str, region: Region | None = None) -> None:
        """Send something to the terminal that is no text, such as a picture, behind what was drawn so far.

        It covers a region, of which is unknown then what it shows.
        """
        driver = self._driver
        if driver is None or not sequence:
            return
        if self._frame is not None and self._running and self._is_framed(driver):
            self._write(driver, self._frame)
            if region is not None:
                self._frame.forget(region)
        driver.write(sequence)
        driver.flush()

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Take what was painted, and send what of it is new to the terminal."""
        frame, driver = self._frame, self._driver
        if frame is None or driver is None or not self._is_framed(driver) or not isinstance(renderable, PAINTED):
            super()._display(screen, renderable)
            return
        try:
            if self._running and not self._closed and not self._batch_count:
                system = colours_of(self.console)
                frame.resize(size_of(renderable))
                for x, y, strip in strips_of(renderable):
                    frame.put(x, y, strip, system)
                self._send()
        finally:
            self.post_display_hook()

    def _is_framed(self, driver: Driver) -> bool:
        """Whether the driver has a terminal's whole screen; also notes where it was left and entered again."""
        queue = self._queue(driver)
        if queue is None or driver.is_headless or driver.is_inline or driver.is_web:
            return False
        if queue is not self._writer and self._frame is not None:
            self._writer = queue
            queue.maxsize = 0  # else the loop waits where the terminal does not take what little is sent beside frames
            self._frame.forget()
        return True

    def _queue(self, driver: Driver) -> "Queue[str | None] | None":
        """What waits to be written to the terminal; another one whenever the application enters the screen."""
        queue = getattr(getattr(driver, "_writer_thread", None), "_queue", None)
        return queue if isinstance(queue, Queue) else None

    def _send(self) -> None:
        """Send what differs, or see again soon where the terminal has not taken what was sent before."""
        driver, frame = self._driver, self._frame
        queue = self._queue(driver) if driver is not None else None
        if driver is None or frame is None or queue is None or self._closed or not self._running:
            return
        if self._batch_count or queue.qsize() > _MOST_WAITING:
            self._sending = self._sending or self.set_timer(_SOON, self._send_again)
        else:
            self._write(driver, frame)

    def _send_again(self) -> None:
        self._sending = None
        self._send()

    def _write(self, driver: Driver, frame: Frame) -> None:
        x, y = self.screen.outer_size.clamp_offset(self.cursor_position)
        sequence = frame.flush((x, y))
        if sequence:
            is_torn = self._sync_available and len(sequence) > _SHORT
            driver.write(f"{_HOLD}{sequence}{_SHOW}" if is_torn else sequence)
            driver.flush()


def colours_of(console: Console) -> ColorSystem:
    """How many colours the terminal has; Textual takes one that does not say for one that has all."""
    return _SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)
