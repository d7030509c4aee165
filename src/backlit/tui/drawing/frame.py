"""Frames: the cells of a terminal, and the shortest update from what it shows to what is wanted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import is_not, ne

from msgspec import Struct
from rich.color import ColorSystem
from textual.geometry import Region, Size
from textual.strip import Strip

from backlit.tui.drawing.frame_rows import DEFAULT_STYLE, RESET, CellRow, CellRun, CellWriter, cell_style
from backlit.tui.drawing.textual_private import ChopsUpdate, LayoutUpdate

_LEAST_SCROLLED = 6
"""Differing rows from which on a search for moved rows is worth its time."""
_IDENTIFYING_CELLS = 40
"""Cells at the left that identify a row; a pane beside a list does not scroll with it."""
_LEAST_MOVED = 4
_LEAST_GAIN = 60
"""Cells that moving rows must save."""


class Scroll(Struct, frozen=True):
    """The rows from `top` to before `bottom` move up by so many lines, or down where they are less than 0."""

    top: int
    bottom: int
    lines: int


KeptFrame = tuple[tuple[int, int], str, list[tuple[list[str], list[tuple[int, str, str, str]]]]]
"""Size, the sequence that draws a frame on an empty screen, and the characters and styles of each row."""


# Textual writes whole lines, and the whole screen three times for each change of screens. On 2,000 items at 120 by 40
# it sends 15,356 bytes for a page, 11,272 for a letter in the filter and 132,898 for the board; as differing cells
# these are 4,500, 996 and 8,525. A page that is other in every line takes 2 to 4 ms more CPU for it (`python -m
# benchmarks wire`).
class Frame:
    """Takes strips as they are painted; `flush` returns the update, which may cover many paintings.

    `erases` tells whether the terminal fills erased cells with the current background.
    """

    def __init__(self, *, erases: bool = True) -> None:
        self.size = Size(0, 0)
        self.erases = erases
        self._rows: list[CellRow] = []
        self._cursor: tuple[int, int] | None = None
        self._style = DEFAULT_STYLE
        self._is_sure = False
        self._scrolled: Scroll | None = None

    def resize(self, size: Size) -> None:
        if size != self.size:
            self.size = size
            self._rows = [CellRow(size.width) for _ in range(size.height)]
            self.forget()

    def forget(self) -> None:
        """Mark all cells as unknown; they are written when they are next painted."""
        self._is_sure = False
        for row in self._rows:
            row.forget()

    def take(self, update: LayoutUpdate | ChopsUpdate, system: ColorSystem) -> None:
        if isinstance(update, LayoutUpdate):
            self.resize(update.region.size)
        else:
            self.resize(Size(update.chop_ends[0][-1], len(update.chops)))
        for x, y, strip in strips_of(update):
            self.put(x, y, strip, system)

    def put(self, x: int, y: int, strip: Strip, system: ColorSystem) -> None:
        self._rows[y].put(x, strip, system)

    def scroll(self, region: Region, lines: int) -> None:
        """Move the cells wanted in a region up by so many lines, or down where they are less than 0."""
        rows = self._rows[region.y : region.bottom]
        sources = rows[lines:] if lines > 0 else rows[lines - 1 :: -1]
        for row, source in zip(rows if lines > 0 else reversed(rows), sources, strict=False):
            row.take(source, region.x, region.right)
        # The terminal is told the same scroll. Searching the frame for it takes 0.5 ms, a tenth of the CPU of a `j` at
        # 30 a second (`python -m benchmarks keys`). Only whole lines scroll in a terminal, and one scroll a frame is
        # enough.
        is_whole = region.width == self.size.width and self._scrolled is None
        self._scrolled = Scroll(region.y, region.bottom, lines) if is_whole else None

    def blank(self, region: Region) -> None:
        for row in self._rows[max(0, region.y) : max(0, region.bottom)]:
            row.blank(max(0, region.x), region.right)

    def kept(self) -> KeptFrame:
        return (self.size.width, self.size.height), self.flush() + self.rest(), [row.kept() for row in self._rows]

    def begin_with(self, kept: KeptFrame) -> None:
        """Note what the terminal shows already."""
        size, _, rows = kept
        self.resize(Size(*size))
        for row, (characters, styles) in zip(self._rows, rows, strict=True):
            row.begin_with(characters, [cell_style(*style) for style in styles])
        self._is_sure = True

    def flush(self, cursor: tuple[int, int] | None = None) -> str:
        """Return the update to the wanted frame and cursor; empty where the terminal shows both.

        The cursor of None is out of sight. The terminal keeps the last attributes for the next update.
        """
        differing = [y for y, row in enumerate(self._rows) if row.differs()]
        # At the start and after another program the attributes of the terminal are unknown.
        begun = "" if self._is_sure else self.rest()
        pen = CellWriter(self.size.width, self._style)
        pen.say(begun)
        scrolled, self._scrolled = self._scrolled, None
        if len(differing) >= _LEAST_SCROLLED:
            scroll = scrolled or find_scroll(self._rows, differing)
            if scroll is not None:
                self._scroll(pen, scroll)
                differing = [y for y, row in enumerate(self._rows) if row.differs()]
        pen = self._drawn(pen, differing)
        if not pen.sequence and cursor in {None, self._cursor}:
            return ""
        pen.take(cell_style(*pen.style.key[:3], ""))  # no link stays open for what others write
        if cursor is not None:
            pen.go(*cursor)
        self._cursor, self._is_sure, self._style = cursor, True, pen.style
        return pen.sequence

    def rest(self) -> str:
        """Return what resets the attributes, for somebody else to write after it."""
        self._style = DEFAULT_STYLE
        return RESET

    def _drawn(self, pen: CellWriter, differing: Sequence[int]) -> CellWriter:
        """Return the pen after the differing rows; those with wide characters or disputed ones are written in order."""
        free: list[CellRun] = []
        for y in differing:
            is_ordered = self._rows[y].has_wide
            runs = self._rows[y].changes(y, erases=self.erases)
            if is_ordered or not all(run.is_agreed for run in runs):
                for run in runs:
                    pen.draw(run)
            else:
                free += runs
        return pen.drawn(free)

    def _scroll(self, pen: CellWriter, scroll: Scroll) -> None:
        pen.scroll(scroll.top, scroll.bottom, scroll.lines)
        band = range(scroll.top, scroll.bottom)
        for y in band if scroll.lines > 0 else reversed(band):
            source = y + scroll.lines
            self._rows[y].move_shown(self._rows[source] if source in band else None)


def find_scroll(rows: Sequence[CellRow], differing: Sequence[int]) -> Scroll | None:
    """Return the scroll that most moved rows agree on, if it saves enough cells; None without one."""
    shown: dict[tuple[str | None, ...], list[int]] = {}
    for y, row in enumerate(rows):
        shown.setdefault(tuple(row.shown[:_IDENTIFYING_CELLS]), []).append(y)
    moved: dict[int, list[int]] = {}
    for y in differing:
        found = shown.get(tuple(rows[y].characters[:_IDENTIFYING_CELLS]), ())
        # A row that is shown twice, such as a blank one, does not tell from where it moved.
        if len(found) == 1 and found[0] != y:
            moved.setdefault(found[0] - y, []).append(y)
    if not moved:
        return None
    ((lines, _count),) = Counter({step: len(each) for step, each in moved.items()}).most_common(1)
    targets = moved[lines]
    # A few rows that look as others did are chance, such as equal names below each other.
    if len(targets) < _LEAST_MOVED:
        return None
    scroll = Scroll(
        min(*targets, *(y + lines for y in targets)), max(*targets, *(y + lines for y in targets)) + 1, lines
    )
    return scroll if _gain(rows, scroll) >= _LEAST_GAIN else None


def _gain(rows: Sequence[CellRow], scroll: Scroll) -> int:
    band = range(scroll.top, scroll.bottom)
    before = sum(_differing(rows[y], rows[y]) for y in band)
    after = sum(_differing(rows[y], rows[y + scroll.lines] if y + scroll.lines in band else None) for y in band)
    return before - after


def _differing(row: CellRow, shown: CellRow | None) -> int:
    if shown is None:
        return len(row.characters)
    characters: int = sum(map(ne, row.characters, shown.shown))
    return max(characters, sum(map(is_not, row.styles, shown.shown_styles)))


def strips_of(update: LayoutUpdate | ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
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
