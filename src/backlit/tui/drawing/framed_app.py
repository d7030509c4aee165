"""An application that sends its terminal only the changed cells, and waits while the terminal is busy.

This module alone uses private names of Textual's compositor and driver; a test lists them.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import is_not, ne
from queue import Queue

from rich.color import ColorSystem
from rich.console import Console, RenderableType
from textual import events
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.driver import Driver
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.timer import Timer

from backlit.tui.drawing.frame_rows import RESET, Pen, Row, Run, cell_style

_LEAST_SCROLLED = 6
"""Differing rows from which on a search for moved rows is worth its time."""
_TOLD_BY = 40
"""Cells at the left that identify a row; a pane beside a list does not scroll with it."""
_LEAST_MOVED = 4
_LEAST_GAIN = 60
"""Cells that moving rows must save."""


@dataclass(frozen=True, slots=True)
class Scroll:
    """The rows from `top` to before `bottom` move up by so many lines, or down where they are less than 0."""

    top: int
    bottom: int
    lines: int


KeptFrame = tuple[tuple[int, int], str, list[tuple[list[str], list[tuple[int, str, str, str]]]]]
"""Size, the sequence that draws a frame on an empty screen, and the characters and styles of each row."""


class Frame:
    """Takes strips as they are painted; `flush` returns the update, which may cover many paintings.

    `erases` tells whether the terminal fills erased cells with the current background.
    """

    def __init__(self, *, erases: bool = True) -> None:
        self.size = Size(0, 0)
        self.erases = erases
        self._rows: list[Row] = []
        self._cursor: tuple[int, int] | None = None
        self._is_sure = False

    def resize(self, size: Size) -> None:
        """Start over with another size."""
        if size != self.size:
            self.size = size
            self._rows = [Row(size.width) for _ in range(size.height)]
            self.forget()

    def forget(self, region: Region | None = None) -> None:
        """Mark cells as unknown, in a region or anywhere; they are written when they are next painted."""
        if region is None:
            self._is_sure = False
            for row in self._rows:
                row.forget()
            return
        for row in self._rows[max(0, region.y) : max(0, region.bottom)]:
            row.forget(region.x, region.right)

    def put(self, x: int, y: int, strip: Strip, system: ColorSystem) -> None:
        """Put the cells of a strip at a place."""
        self._rows[y].put(x, strip, system)

    def blank(self, region: Region) -> None:
        """Erase the characters in a region."""
        for row in self._rows[max(0, region.y) : max(0, region.bottom)]:
            row.blank(max(0, region.x), region.right)

    def kept(self) -> KeptFrame:
        """Return the frame for another process to begin with."""
        return (self.size.width, self.size.height), self.flush(), [row.kept() for row in self._rows]

    def begin_with(self, kept: KeptFrame) -> None:
        """Note what the terminal shows already."""
        size, _, rows = kept
        self.resize(Size(*size))
        for row, (characters, styles) in zip(self._rows, rows, strict=True):
            row.begin_with(characters, [cell_style(*style) for style in styles])
        self._is_sure = True

    def flush(self, cursor: tuple[int, int] = (0, 0)) -> str:
        """Return the update to the wanted frame and cursor; empty where the terminal shows both."""
        differing = [y for y, row in enumerate(self._rows) if row.differs()]
        pen = Pen(self.size.width)
        if not self._is_sure:
            pen.say(RESET)
        if len(differing) >= _LEAST_SCROLLED:
            scroll = find_scroll(self._rows, differing)
            if scroll is not None:
                self._scroll(pen, scroll)
                differing = [y for y, row in enumerate(self._rows) if row.differs()]
        pen = self._drawn(pen, differing)
        if not pen.sequence and cursor == self._cursor:
            return ""
        pen.rest()
        pen.go(*cursor)
        self._cursor, self._is_sure = cursor, True
        return pen.sequence

    def _drawn(self, pen: Pen, differing: Sequence[int]) -> Pen:
        """Return the pen after the differing rows; those with wide characters or disputed ones are written in order."""
        free: list[Run] = []
        for y in differing:
            is_ordered = self._rows[y].has_wide
            runs = self._rows[y].changes(y, erases=self.erases)
            if is_ordered or not all(run.is_agreed for run in runs):
                for run in runs:
                    pen.draw(run)
            else:
                free += runs
        return pen.drawn(free)

    def _scroll(self, pen: Pen, scroll: Scroll) -> None:
        """Have the terminal move rows, and move the rows shown here alike."""
        pen.scroll(scroll.top, scroll.bottom, scroll.lines)
        band = range(scroll.top, scroll.bottom)
        for y in band if scroll.lines > 0 else reversed(band):
            source = y + scroll.lines
            self._rows[y].move_shown(self._rows[source] if source in band else None)


def find_scroll(rows: Sequence[Row], differing: Sequence[int]) -> Scroll | None:
    """Return the scroll that most moved rows agree on, if it saves enough cells; None without one."""
    shown: dict[tuple[str | None, ...], list[int]] = {}
    for y, row in enumerate(rows):
        shown.setdefault(tuple(row.shown[:_TOLD_BY]), []).append(y)
    moved: dict[int, list[int]] = {}
    for y in differing:
        found = shown.get(tuple(rows[y].characters[:_TOLD_BY]), ())
        if len(found) == 1 and found[0] != y:
            moved.setdefault(found[0] - y, []).append(y)
    if not moved:
        return None
    ((lines, _count),) = Counter({step: len(each) for step, each in moved.items()}).most_common(1)
    targets = moved[lines]
    if len(targets) < _LEAST_MOVED:
        return None
    scroll = Scroll(
        min(*targets, *(y + lines for y in targets)), max(*targets, *(y + lines for y in targets)) + 1, lines
    )
    return scroll if _gain(rows, scroll) >= _LEAST_GAIN else None


def _gain(rows: Sequence[Row], scroll: Scroll) -> int:
    band = range(scroll.top, scroll.bottom)
    before = sum(_differing(rows[y], rows[y]) for y in band)
    after = sum(_differing(rows[y], rows[y + scroll.lines] if y + scroll.lines in band else None) for y in band)
    return before - after


def _differing(row: Row, shown: Row | None) -> int:
    if shown is None:
        return len(row.characters)
    characters: int = sum(map(ne, row.characters, shown.shown))
    return max(characters, sum(map(is_not, row.styles, shown.shown_styles)))


SWITCH = "BACKLIT_FRAME_DIFF"
"""Environment variable: 0 lets Textual write its frames itself."""
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
"""Names of terminals that fill erased cells with the current background; screen does not."""
_MOST_WAITING = 1
"""Frames that may wait behind the one being written; with more waiting, painting is only changes."""
_SOON = 1 / 50
_SHORT = 512
"""Characters of a frame that arrives in one piece anyway."""
_HOLD, _SHOW = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronized output, around longer frames where the terminal supports it."""


class FramedApp(App[None], inherit_bindings=False):
    """Keeps a copy of the terminal's cells."""

    def __init__(self) -> None:
        super().__init__()
        is_wanted = os.environ.get(SWITCH) != "0"
        erases = os.environ.get("TERM", "").startswith(_FILLING)
        self._frame = Frame(erases=erases) if is_wanted else None
        self._terminal_size = Size(0, 0)
        self._writer: object = None
        self._sending: Timer | None = None
        self._is_held = False
        """Whether frames wait for the first that is whole."""

    def on_mount(self) -> None:
        """Redraw when the shell gives the terminal back."""
        self.app_resume_signal.subscribe(self, lambda _: self.draw_anew())

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
        self._send()

    def kept_frame(self, passing: str) -> KeptFrame | None:
        """Return the screen for the next process to begin with, blank where a selector finds widgets.

        None where no frames are kept.
        """
        if self._frame is None or not self.is_framed:
            return None
        frame = Frame(erases=self._frame.erases)
        frame.resize(self.size)
        system = colours_of(self.console)
        for y, strip in enumerate(self.screen._compositor.render_strips()):  # noqa: SLF001 - as above
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
        if self._frame is not None and self._running and self._has_writer(driver):
            self._write(driver, self._frame)
            if region is not None:
                self._frame.forget(region)
        driver.write(sequence)
        driver.flush()

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Take painted strips, and send the changed cells."""
        frame, driver = self._frame, self._driver
        if frame is None or driver is None or not self.is_framed or not isinstance(renderable, PAINTED):
            super()._display(screen, renderable)
            return
        try:
            if self._has_writer(driver) and self._running and not self._closed and not self._batch_count:
                system = colours_of(self.console)
                frame.resize(size_of(renderable))
                for x, y, strip in strips_of(renderable):
                    frame.put(x, y, strip, system)
                self._send()
        finally:
            self.post_display_hook()

    @property
    def is_framed(self) -> bool:
        """True if frames are compared here: the driver has a whole terminal, and the user did not turn it off."""
        driver = self._driver
        return (
            self._frame is not None
            and driver is not None
            and not (driver.is_headless or driver.is_inline or driver.is_web)
        )

    def _has_writer(self, driver: Driver) -> bool:
        """Return whether the terminal is entered; also start over after it was left and entered again."""
        queue = self._queue(driver)
        if queue is None:
            return False
        if queue is not self._writer and self._frame is not None:
            self._writer = queue
            queue.maxsize = 0  # else the loop waits where the terminal does not take what little is sent beside frames
            if not self._is_held:
                self._frame.forget()
        return True

    def _queue(self, driver: Driver) -> "Queue[str | None] | None":
        """Return the queue of the thread that writes; it is another one whenever the application enters the screen."""
        queue = getattr(getattr(driver, "_writer_thread", None), "_queue", None)
        return queue if isinstance(queue, Queue) else None

    def _send(self) -> None:
        """Send the changed cells, or try again soon while the terminal has not taken the last frame."""
        driver, frame = self._driver, self._frame
        queue = self._queue(driver) if driver is not None else None
        if driver is None or frame is None or queue is None or self._closed or self._is_held or not self._running:
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
        is_typed_at = hasattr(self.focused, "cursor_screen_offset")  # elsewhere the shortest move will do
        sequence = frame.flush((x, y) if is_typed_at else (0, 0))
        if sequence:
            is_torn = self._sync_available and len(sequence) > _SHORT
            driver.write(f"{_HOLD}{sequence}{_SHOW}" if is_torn else sequence)
            driver.flush()


def colours_of(console: Console) -> ColorSystem:
    """Return the number of colours; Textual treats a terminal that does not say as one with all."""
    return _SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)


PAINTED = (LayoutUpdate, ChopsUpdate)
"""Painted updates: a whole screen, or spans of lines."""


def size_of(update: LayoutUpdate | ChopsUpdate) -> Size:
    """Return the size of the painted screen."""
    if isinstance(update, LayoutUpdate):
        return update.region.size
    return Size(update.chop_ends[0][-1], len(update.chops))


def strips_of(update: LayoutUpdate | ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Yield column, line and strip of each painted part."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in line:
                yield x, y, strip
                x += strip.cell_length
        return
    for y, start, end in update.spans:
        for right, (x, part) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if part is not None and x < end and right > start:
                yield x, y, part if right <= end else part.crop(0, end - x)
