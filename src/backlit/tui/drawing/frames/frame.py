"""The screen as it is wanted and as the terminal has it, and the least that makes the one out of the other."""

from rich.color import ColorSystem
from textual.geometry import Region, Size
from textual.strip import Strip

from backlit.tui.drawing.frames.cell_style import RESET
from backlit.tui.drawing.frames.escape_writer import Pen
from backlit.tui.drawing.frames.row import Row
from backlit.tui.drawing.frames.scrolling import Scroll, find_scroll

_LEAST_SCROLLED = 6
"""Differing rows from which on it is looked whether some of them only moved."""


class Frame:
    """Takes strips as they are painted; `flush` says what to send, which may be for many paintings together.

    `erases` is whether the terminal fills what it erases with the ground that is set.
    """

    def __init__(self, *, erases: bool = True) -> None:
        self.size = Size(0, 0)
        self._erases = erases
        self._rows: list[Row] = []
        self._cursor: tuple[int, int] | None = None
        self._is_sure = False

    def resize(self, size: Size) -> None:
        """Begin anew where the size is another one."""
        if size != self.size:
            self.size = size
            self._rows = [Row(size.width) for _ in range(size.height)]
            self.forget()

    def forget(self, region: Region | None = None) -> None:
        """Know no longer what the terminal shows, in a region or anywhere; it is written when it is next painted."""
        if region is None:
            self._is_sure = False
            for row in self._rows:
                row.forget()
            return
        for row in self._rows[max(0, region.y) : max(0, region.bottom)]:
            row.forget(region.x, region.right)

    def put(self, x: int, y: int, strip: Strip, system: ColorSystem) -> None:
        """Want the cells of a strip at a place."""
        self._rows[y].put(x, strip, system)

    def flush(self, cursor: tuple[int, int] = (0, 0)) -> str:
        """What has to be sent for the terminal to show what is wanted, its cursor at a place; empty where it does."""
        differing = [y for y, row in enumerate(self._rows) if row.differs()]
        pen = Pen(self.size.width, erases=self._erases)
        if not self._is_sure:
            pen.say(RESET)
        if len(differing) >= _LEAST_SCROLLED:
            scroll = find_scroll(self._rows, differing)
            if scroll is not None:
                self._scroll(pen, scroll)
                differing = [y for y, row in enumerate(self._rows) if row.differs()]
        for y in differing:
            self._rows[y].write(pen, y)
        if not pen.sequence and cursor == self._cursor:
            return ""
        pen.rest()
        pen.go(*cursor)
        self._cursor, self._is_sure = cursor, True
        return pen.sequence

    def _scroll(self, pen: Pen, scroll: Scroll) -> None:
        """Have the terminal move rows, and note what it shows then."""
        pen.scroll(scroll.top, scroll.bottom, scroll.lines)
        band = range(scroll.top, scroll.bottom)
        for y in band if scroll.lines > 0 else reversed(band):
            source = y + scroll.lines
            self._rows[y].move_shown(self._rows[source] if source in band else None)
