"""An application that sends its terminal only the changed cells, and waits while the terminal is busy.

This module alone uses private names of Textual's compositor and driver; a test lists them.
"""

import asyncio
import contextlib
import os
import select
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.style import Style
from textual import constants, events
from textual._styles_cache import StylesCache
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import ANSIToTruecolor
from textual.geometry import Region, Size
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.strip import Strip
from textual.style import Style as VisualStyle
from textual.timer import Timer
from textual.widget import Widget

from backlit.tui.drawing.frame import PAINTED, Frame, KeptFrame
from backlit.tui.drawing.frame_rows import RESET
from backlit.tui.drawing.text import InputParser

SWITCH = "BACKLIT_FRAME_DIFF"
"""Environment variable: 0 lets Textual write its frames itself."""
_SYSTEMS = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT}
_FILLS = ("xterm", "tmux", "alacritty", "foot", "ghostty", "kitty", "konsole", "linux", "rxvt", "st-", "vte", "wezterm")
"""Names of terminals that fill erased cells with the current background; screen does not."""
_STDERR = 2
"""The descriptor of the terminal that Textual draws on."""
_SOON = 1 / 50
_SHORT = 512
"""Characters of a frame that arrives in one piece anyway."""
_HOLD, _SHOW = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronized output, around longer frames where the terminal supports it."""


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

    @property
    def is_behind(self) -> bool:
        """Return whether the terminal still has to take what was written; a thread may have one frame more."""
        return bool(self._waiting) or (self._writer_thread is not None and self._writer_thread._queue.qsize() > 1)  # noqa: SLF001 - as above

    def start_application_mode(self) -> None:
        """Enter the terminal, or stay out of it as a job in the background."""
        self._close_terminal()
        with contextlib.suppress(OSError):
            self._terminal = os.open(os.ttyname(_STDERR), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's
        if self._writer_thread is not None:
            self.starts += 1
            self._writer_thread._queue.maxsize = 0  # noqa: SLF001 - else the loop waits where the terminal takes nothing

    def stop_application_mode(self) -> None:
        """Leave the terminal to others, without attributes and with the cursor at its first cell."""
        self.write(f"{RESET}\x1b[H")
        super().stop_application_mode()

    def run_input_thread(self) -> None:
        """Pass the input on, until the exit event. A lone escape is a key after a pause."""
        parser, decode = InputParser(), getincrementaldecoder("utf-8")("replace").decode
        poll = select.poll()
        poll.register(self.fileno, select.POLLIN)
        poll.register(self._exit.file, select.POLLIN)
        pause: float | None = None
        while True:
            files = [file for file, _ in poll.poll(pause)]
            if self._exit.is_set():
                return
            if not files:
                for message in parser.tick():
                    self.process_message(message)
                pause = None
            elif received := os.read(self.fileno, 4096):
                for message in parser.feed(decode(received)):
                    self.process_message(message)
                pause = constants.ESCAPE_DELAY * 1000 + 1
            else:
                return  # the terminal is gone

    def write(self, data: str) -> None:
        """Write now, or behind what waits."""
        if self._terminal is None:
            super().write(data)
        elif threading.current_thread() is not threading.main_thread():
            self._loop.call_soon_threadsafe(self.write, data)
        else:
            self._waiting += data.encode("utf-8", "backslashreplace")
            if not self._is_watched:
                self._go_on(self._terminal)

    def _go_on(self, terminal: int) -> None:
        """Write what the terminal takes, and come back for the rest once it takes more."""
        self._waiting = self._waiting[_written(terminal, self._waiting) :]
        if self._waiting and not self._is_watched:
            self._is_watched = True
            self._loop.add_writer(terminal, self._go_on, terminal)
        elif self._is_watched and not self._waiting:
            self._is_watched = False
            self._loop.remove_writer(terminal)

    def close(self) -> None:
        """Leave the terminal, which gets what waits."""
        self._close_terminal()
        super().close()

    def _close_terminal(self) -> None:
        terminal, self._terminal = self._terminal, None
        if terminal is not None:
            self._loop.remove_writer(terminal)
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


class DirectPainter:
    """Paints the lines of widgets into a frame, without a pass over the other widgets.

    `waiting` has the parts to be painted of each widget; an empty set stands for all of it.
    """

    def __init__(self, app: "FramedApp", frame: Frame) -> None:
        self.waiting: dict[Widget, set[Region]] = {}
        self._scrolled: dict[Widget, tuple[Region, int]] = {}
        self._app = app
        self._frame = frame

    def paint_soon(self, widget: Widget, regions: Sequence[Region]) -> None:
        """Paint parts of a widget, or all of it without parts, when the event loop is next free."""
        if not self.waiting:
            asyncio.get_running_loop().call_soon(self.paint)
        before = self.waiting.get(widget, {*regions})
        self.waiting[widget] = {*before, *regions} if before and regions else set()

    def scroll(self, widget: Widget, region: Region, lines: int) -> bool:
        """Move painted lines of a widget up, or down where `lines` is less than 0, when the event loop is next free.

        False where all of the widget has to be painted.
        """
        waiting, (place, before) = self.waiting.get(widget), self._scrolled.get(widget, (region, 0))
        if waiting == set() or place != region or abs(before + lines) >= region.height:
            return False
        edge = Region(region.x, region.bottom - lines if lines > 0 else region.y, region.width, abs(lines))
        moved = {each.translate((0, -lines)).intersection(region) for each in waiting or () if each.overlaps(region)}
        still = {each for each in waiting or () if not region.contains_region(each)}
        self.paint_soon(widget, [edge])
        self.waiting[widget] = {edge, *moved, *still}
        self._scrolled[widget] = region, before + lines
        return True

    def forget_scrolls(self) -> None:
        """Have all of the widgets painted that were to be scrolled: Textual may have drawn them meanwhile."""
        self.waiting.update((widget, set()) for widget in self._scrolled)
        self._scrolled.clear()

    def paint(self) -> None:
        """Paint what was asked for: directly where nothing hinders that, else as Textual does."""
        waiting, self.waiting = self.waiting, {}
        try:
            for widget, regions in waiting.items():
                parts = () if widget in self._scrolled else regions
                if not self.paint_directly(widget, regions):
                    Widget.refresh(widget, *parts)
            self._scrolled.clear()
            self._app.send()
        except Exception as error:  # noqa: BLE001 - raised again where it ends the application
            self._app.call_later(raise_again, error)

    def paint_directly(self, widget: Widget, regions: set[Region]) -> bool:
        """Put parts of a widget into the frame; False where it is not wholly in sight, or other changes wait."""
        if not (widget.is_attached and self._is_free_for(widget)):
            return False
        compositor, cache = widget.screen._compositor, widget._styles_cache  # noqa: SLF001 - as above
        place, clip = compositor.visible_widgets.get(widget, (None, None))
        if place is None or clip is None or not clip.contains_region(place):
            return False
        own, content = place.size.region, widget.size.region.translate(widget.content_offset)
        parts = [each.translate(content.offset).intersection(content) for each in regions] or [own]
        places = [part.translate(place.offset) for part in parts]
        region, moved = self._scrolled.get(widget, (Region(), 0))
        body, layers = region.translate(content.offset + place.offset), compositor.layers_visible
        if not all(_is_on_top(widget, each, line) for each in (*places, body) for line in layers[each.y : each.bottom]):
            return False
        if moved:
            cache.clear()
            self._frame.scroll(body, moved)
        elif regions:
            cache.set_dirty(*parts)
        else:
            cache.clear()
            widget._dirty_regions.add(own)  # noqa: SLF001 - as above; for widgets that draw all their lines at once
        system = colours_of(self._app.console)
        is_plain = _is_plain(widget) and all(map(content.contains_region, parts))
        lines = _content_lines(widget) if is_plain else widget.render_lines
        for part, at in zip(parts, places, strict=True):
            for y, strip in enumerate(lines(part) if part else (), at.y):
                self._frame.put(at.x, y, strip, system)
        return True

    def _is_free_for(self, widget: Widget) -> bool:
        """Return whether frames are shown, and a widget's screen is on top without a layout or a paint to come."""
        screen = widget.screen
        if not self._app.takes_frames or screen is not self._app.screen:
            return False
        compositor = screen._compositor  # noqa: SLF001 - as above
        waiting = (
            self._frame.size != compositor.size,
            *(each for node in (widget, screen) for each in (node._layout_required, node._repaint_required)),  # noqa: SLF001 - as above
            *(screen._scroll_required, screen._recompose_required, screen._dirty_widgets),  # noqa: SLF001 - as above
            compositor._dirty_regions,  # noqa: SLF001 - as above
        )
        return not any(waiting)


class FramedApp(App[None], inherit_bindings=False):
    """Keeps a copy of the terminal's cells."""

    def __init__(self) -> None:
        super().__init__()
        if self.driver_class is LinuxDriver:
            self.driver_class = LoopDriver
        is_wanted = os.environ.get(SWITCH) != "0"
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
        self.app_resume_signal.subscribe(self, lambda _: self.draw_anew())
        self.screen_change_signal.subscribe(self, lambda _: StylesCache.get_inner_outer.cache_clear(), immediate=True)

    def on_resize(self, event: events.Resize) -> None:
        """Redraw where the size changed and came back, which garbles the terminal's cells."""
        before, self._terminal_size = self._terminal_size, event.size
        if self._frame is not None and before != event.size == self._frame.size:
            self.draw_anew()

    def begin_with(self, kept: KeptFrame) -> None:
        """Keep what the terminal shows until the first whole frame, which `show_frames` announces."""
        if self._frame is not None:
            self._frame.begin_with(kept)
            self._terminal_size = self._frame.size
            self._is_held = True

    def show_frames(self) -> None:
        """Send the frames that were held, and all later ones."""
        self._is_held = False
        self.send()

    def kept_frame(self, passing: str) -> KeptFrame | None:
        """Return the screen for the next process to begin with, blank where a selector finds widgets.

        None where no frames are kept, and while the screen has not taken a new size yet.
        """
        compositor = self.screen._compositor  # noqa: SLF001 - as above
        if self._frame is None or not self.is_framed or compositor.size != self.size:
            return None
        frame = Frame(erases=self._frame.erases)
        frame.resize(self.size)
        system = colours_of(self.console)
        for y, strip in enumerate(compositor.render_strips()):
            frame.put(0, y, strip, system)
        for widget in self.screen.query(passing):
            frame.blank(widget.region)
        return frame.kept()

    def draw_anew(self) -> None:
        """Write every cell again."""
        if self._frame is not None:
            self._frame.forget()
        self.refresh(layout=True)
        self.screen.refresh(layout=True)

    def draw_beside(self, sequence: str, region: Region | None = None) -> None:
        """Send a sequence that is no text, such as a picture, after the frame drawn so far.

        The cells of `region`, which it covers, become unknown.
        """
        driver = self._driver
        if driver is None or not sequence:
            return
        framed = self._framed_driver()
        if self._frame is not None and framed is not None:
            self._write(framed, self._frame)
            if region is not None:
                self._frame.forget(region)
            sequence = self._frame.rest() + sequence
        driver.write(sequence)
        driver.flush()

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Take painted strips, and send the changed cells."""
        frame = self._frame
        if frame is None or not self.is_framed or not isinstance(renderable, PAINTED):
            super()._display(screen, renderable)
            return
        try:
            if self._framed_driver() is not None and not self._batch_count:
                if self.painter:
                    self.painter.forget_scrolls()
                frame.take(renderable, colours_of(self.console))
                self.send()
        finally:
            self.post_display_hook()

    @property
    def is_framed(self) -> bool:
        """True if frames are compared here: the driver has a whole terminal, and the user did not turn it off."""
        return self._frame is not None and isinstance(self._driver, LoopDriver)

    @property
    def takes_frames(self) -> bool:
        """True while painted lines go to the terminal; not in a batch, and not before the first whole frame."""
        return self._framed_driver() is not None and not (self._is_held or self._batch_count)

    def _framed_driver(self) -> LoopDriver | None:
        """Return the driver of a terminal that gets frames, or None; start over after it was left and entered again."""
        driver, frame = self._driver, self._frame
        if frame is None or not isinstance(driver, LoopDriver) or self._closed or not (driver.starts and self._running):
            return None
        if driver.starts != self._starts:
            self._starts = driver.starts
            if not self._is_held:
                frame.forget()
        return driver

    def send(self) -> None:
        """Send the changed cells, unless the terminal has not taken the last frame; then it is asked for again."""
        driver, frame = self._framed_driver(), self._frame
        if driver is None or frame is None or self._is_held:
            return
        if self._batch_count or driver.is_behind:
            self._sending = self._sending or self.set_timer(_SOON, self._send_again)
        else:
            self._write(driver, frame)

    def _send_again(self) -> None:
        self._sending = None
        self.send()

    def _write(self, driver: Driver, frame: Frame) -> None:
        is_typed_at = hasattr(self.focused, "cursor_screen_offset")  # elsewhere the cursor is out of sight
        sequence = frame.flush(self.screen.outer_size.clamp_offset(self.cursor_position) if is_typed_at else None)
        if sequence:
            is_torn = self._sync_available and len(sequence) > _SHORT
            driver.write(f"{_HOLD}{sequence}{_SHOW}" if is_torn else sequence)
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


def paint(screen: Screen[Any]) -> None:
    """Paint the changed parts of a screen; in a batch, such as the start, they wait for its end."""
    if not screen.app._batch_count:  # noqa: SLF001 - as above
        Screen._compositor_refresh(screen)  # noqa: SLF001 - as above


def _is_plain(widget: Widget) -> bool:
    """Return whether a widget's content is shown as it is drawn, without an effect of its styles."""
    styles = widget.styles
    has_effect = styles.outline or styles.tint.a or styles.has_rule("hatch") or styles.text_opacity != 1
    return not has_effect and widget.opacity == 1


def _content_lines(widget: Widget) -> Callable[[Region], Iterator[Strip]]:
    """Return what draws a part of the content, on the widget's ground, as Textual's cache of styled lines has it."""
    (left, top), width = widget.content_offset, widget.size.width
    base, ground = widget.background_colors
    style, filters = VisualStyle(background=base + ground).rich_style, widget.get_line_filters()

    def lines(part: Region) -> Iterator[Strip]:
        start, end = part.x - left, part.right - left
        for y in part.line_range:
            strip = widget.render_line(y - top)
            if start or strip.cell_length != end:
                strip = strip.adjust_cell_length(width, style).crop(start, end)
            for each in filters:
                if not (isinstance(each, ANSIToTruecolor) and all(_is_true(look) for _, look, _ in strip)):
                    strip = strip.apply_filter(each, ground)
            yield strip

    return lines


@lru_cache(maxsize=1024)
def _is_true(style: Style | None) -> bool:
    """Return whether a style has colours of its own, which Textual does not replace by those of a theme."""
    return style is None or not (style.dim or any(each and not each.triplet for each in (style.color, style.bgcolor)))


def colours_of(console: Console) -> ColorSystem:
    """Return the number of colours; Textual treats a terminal that does not say as one with all."""
    return _SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)


def _is_on_top(widget: Widget, part: Region, line: Iterable[tuple[Widget, Region, Region]]) -> bool:
    """Return whether a widget is the first of those on a line that are in a part of it."""
    return next((each for each, seen, _ in line if seen.overlaps(part)), None) is widget


def is_resting(pump: MessagePump) -> bool:
    """Return whether a message pump has handled all its messages and waits for the next one."""
    queue: Any = pump._message_queue  # noqa: SLF001 - as above
    return queue.empty() and bool(queue.ready_event._waiters)  # noqa: SLF001 - as above


def raise_again(error: BaseException) -> None:
    """Raise an error of a task, which thus ends the application that calls this."""
    raise error
