"""An application that sends its terminal only the changed cells."""

import os
from typing import TypeVar

from rich.console import RenderableType
from textual import events
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from backlit.tui.drawing import textual_private
from backlit.tui.drawing.direct_painter import DirectPainter, colours_of
from backlit.tui.drawing.frame import Frame, KeptFrame
from backlit.tui.drawing.loop_driver import LoopDriver
from backlit.tui.drawing.textual_private import PAINTED, HookedApp, driver_of, has_batch

FRAME_DIFF_SWITCH = "BACKLIT_FRAME_DIFF"
"""Environment variable: 0 lets Textual write its frames itself."""
_FILLS = ("xterm", "tmux", "alacritty", "foot", "ghostty", "kitty", "konsole", "linux", "rxvt", "st-", "vte", "wezterm")
"""Names of terminals that fill erased cells with the current background; screen does not."""
_SEND_AGAIN_AFTER = 1 / 50
_MAX_UNSYNCHRONIZED_LENGTH = 512
"""Characters of a frame that arrives in one piece anyway."""
_BEGIN_SYNCHRONIZED, _END_SYNCHRONIZED = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronized output, around longer frames where the terminal supports it."""


class FramedApp(HookedApp, inherit_bindings=False):
    """Keeps a copy of the terminal's cells."""

    def __init__(self) -> None:
        super().__init__()
        is_familiar = textual_private.is_familiar()
        if is_familiar and self.driver_class is LinuxDriver:
            self.driver_class = LoopDriver
        is_wanted = is_familiar and os.environ.get(FRAME_DIFF_SWITCH) != "0"
        erases = os.environ.get("TERM", "").startswith(_FILLS)
        self._frame = Frame(erases=erases) if is_wanted else None
        self._terminal_size = Size(0, 0)
        self._starts = 0
        self._sending: Timer | None = None
        self._is_held = False
        """Whether frames wait for the first that is whole."""
        self.painter = DirectPainter(self, self._frame) if self._frame is not None else None

    def on_mount(self) -> None:
        """Redraw when the shell gives the terminal back; free the lines of screens that close.

        Textual keeps them for as long as the colours around a widget are among the last 1,024 that it mixed.
        """
        self.app_resume_signal.subscribe(self, lambda _: self.redraw_all())
        self.screen_change_signal.subscribe(self, lambda _: textual_private.forget_closed_screens(), immediate=True)

    def on_resize(self, event: events.Resize) -> None:
        """Redraw where the size changed and came back, which garbles the terminal's cells."""
        before, self._terminal_size = self._terminal_size, event.size
        if self._frame is not None and before != event.size == self._frame.size:
            self.redraw_all()

    def begin_with(self, kept: KeptFrame) -> None:
        """Keep what the terminal shows until the first whole frame, which `show_frames` announces."""
        if self._frame is not None:
            self._frame.begin_with(kept)
            self._terminal_size = self._frame.size
            self._is_held = True

    def show_frames(self) -> None:
        self._is_held = False
        self.send()

    def kept_frame(self, passing: str) -> KeptFrame | None:
        """Return the screen for the next process to begin with, blank where a selector finds widgets.

        None where no frames are kept, and while the screen has not taken a new size yet.
        """
        if self._frame is None or not self.is_framed:
            return None
        compositor = textual_private.compositor_of(self.screen)
        if compositor.size != self.size:
            return None
        frame = Frame(erases=self._frame.erases)
        frame.resize(self.size)
        system = colours_of(self.console)
        for y, strip in enumerate(compositor.render_strips()):
            frame.put(0, y, strip, system)
        # The next start shows these cells before it knows the time or the connection.
        for widget in self.screen.query(passing):
            frame.blank(widget.region)
        return frame.kept()

    def redraw_all(self) -> None:
        if self._frame is not None:
            self._frame.forget()
        self.refresh(layout=True)
        self.screen.refresh(layout=True)

    def send_after_frame(self, sequence: str) -> None:
        """Send a sequence that is no text, such as a picture, after the frame drawn so far."""
        driver = driver_of(self)
        if driver is None or not sequence:
            return
        framed = self._framed_driver()
        if self._frame is not None and framed is not None:
            self._write(framed, self._frame)
            sequence = self._frame.rest() + sequence
        driver.write(sequence)
        driver.flush()

    def take_painted(self, screen: Screen[object], painted: RenderableType | None) -> bool:  # noqa: ARG002 - the hook's
        frame = self._frame
        if frame is None or not self.is_framed or not isinstance(painted, PAINTED):
            return False
        try:
            if self._framed_driver() is not None and not has_batch(self):
                if self.painter:
                    self.painter.forget_scrolls()
                frame.take(painted, colours_of(self.console))
                self.send()
        finally:
            self.post_display_hook()
        return True

    @property
    def is_framed(self) -> bool:
        """True if frames are compared here: the driver has a whole terminal, and the user did not turn it off."""
        return self._frame is not None and isinstance(driver_of(self), LoopDriver)

    @property
    def takes_frames(self) -> bool:
        """True while painted lines go to the terminal; not in a batch, and not before the first whole frame."""
        return self._framed_driver() is not None and not (self._is_held or has_batch(self))

    def _framed_driver(self) -> LoopDriver | None:
        """Return the driver of a terminal that gets frames, or None; start over after it was left and entered again."""
        driver = driver_of(self)
        if self._frame is None or not isinstance(driver, LoopDriver):
            return None
        if not (driver.starts and textual_private.is_at_work(self)):
            return None
        if driver.starts != self._starts:
            self._starts = driver.starts
            if not self._is_held:
                self._frame.forget()
        return driver

    def send(self) -> None:
        """Send the changed cells, unless the terminal has not taken the last frame; then it is asked for again."""
        driver, frame = self._framed_driver(), self._frame
        if driver is None or frame is None or self._is_held:
            return
        # A terminal that does not take the last frame gets only the newest one later. Textual queues them: on a link
        # that stalled its loop stood still for 1.4 s, and then 2.7 MB of old frames were sent.
        if has_batch(self) or driver.is_behind:
            self._sending = self._sending or self.set_timer(_SEND_AGAIN_AFTER, self._send_again)
        else:
            self._write(driver, frame)

    def _send_again(self) -> None:
        self._sending = None
        self.send()

    def _write(self, driver: Driver, frame: Frame) -> None:
        is_typed_at = hasattr(self.focused, "cursor_screen_offset")  # elsewhere the cursor is out of sight
        sequence = frame.flush(self.screen.outer_size.clamp_offset(self.cursor_position) if is_typed_at else None)
        if sequence:
            is_torn = textual_private.can_synchronize(self) and len(sequence) > _MAX_UNSYNCHRONIZED_LENGTH
            driver.write(f"{_BEGIN_SYNCHRONIZED}{sequence}{_END_SYNCHRONIZED}" if is_torn else sequence)
            driver.flush()


_Painted = TypeVar("_Painted", bound=Widget)


def refresh(
    widget: _Painted, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
) -> _Painted:
    """Paint parts of a widget that draws lines, or all of it, at the next turn of the event loop."""
    app = widget.app if widget.is_mounted and repaint and not (layout or recompose) else None
    if not (isinstance(app, FramedApp) and app.painter and app.is_framed):
        return Widget.refresh(widget, *regions, repaint=repaint, layout=layout, recompose=recompose)
    app.painter.paint_soon(widget, regions)
    return widget


def scroll(widget: Widget, region: Region, lines: int) -> bool:
    """Move lines of a widget that are painted already; False where all of it has to be painted."""
    app = widget.app if widget.is_mounted else None
    if not (isinstance(app, FramedApp) and app.painter and app.is_framed):
        return False
    return app.painter.scroll(widget, region, lines)
