"""What stands in an empty list: the reason and the ways out."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment

from backlit.tui.drawing.text import Line, fit, wrapped
from backlit.tui.drawing.themes import WORDMARK, ThemeStyles

WayOut = tuple[str, str]
"""A way out of an empty list: what to press or to run, and what it does."""
WAY_GAP, KEY_GAP = 3, 2
"""Cells between two ways out in one line, and between keys and words of those below one another."""
LONG_KEYS = 6
"""Cells of keys, as a command with its argument, that do not move the words of the other ways away from their keys."""
MIN_WIDTH_OF_MARK, MIN_HEIGHT_OF_MARK = 60, 18
"""Cells and lines of a list that has room for the program's name."""
SIDE = 3
"""Blanks on either side: rows begin there, behind the cursor and the signs of their state."""


class EmptyList(Struct, frozen=True):
    """The content of an empty list: a reason, which begins with ! for a fault, with a note below it; and the rest."""

    text: str
    ways: Sequence[WayOut]
    mark: Sequence[tuple[str, str]] = ()
    """The two halves of the lines of the program's name, in a list that was never filled."""
    is_alone: bool = True
    """False where rows of other filters are below, or may be in a moment."""

    def lines(self, width: int, height: int, theme: ThemeStyles) -> list[Line]:
        """Return the lines from the first one of the list on, all with one left edge: in its middle where it is high.

        A list that was never filled has the name of the program above them.
        """
        room = width - 2 * SIDE
        is_high = room >= MIN_WIDTH_OF_MARK and height >= MIN_HEIGHT_OF_MARK
        if not self.is_alone:
            return self.head(width, height, theme)[:height]
        if not is_high:
            margin = Segment(" " * SIDE, theme.style())
            return [[margin, *line] for line in (*self._reason(room, theme), [], *self._ways(room, theme))][:height]
        if self.mark:
            ways: Sequence[Line] = [*self._below_one_another(room, theme)]
        else:
            ways = self._ways(room, theme)
        block = [*(self._mark(theme) if self.mark else ()), *self._reason(room, theme), [], *ways]
        margin = Segment(" " * ((width - max(map(_length, block))) // 2), theme.style())
        return [*[[]] * ((height - len(block)) // 2), *([margin, *line] for line in block)]

    def head(self, width: int, height: int, theme: ThemeStyles) -> list[Line]:
        """Return the lines above what is shown in the place of rows; a high list parts them from it."""
        room = width - 2 * SIDE
        margin, is_high = Segment(" " * SIDE, theme.style()), height >= MIN_HEIGHT_OF_MARK
        lines: list[Line] = [[margin, *line] for line in (*self._reason(room, theme), *self._ways(room, theme))]
        return [[], *lines, []] if is_high else lines

    def _mark(self, theme: ThemeStyles) -> list[Line]:
        styles = theme.style("foreground"), theme.style(WORDMARK)
        return [*([Segment(back, styles[0]), Segment(lit, styles[1])] for back, lit in self.mark), [], []]

    def _reason(self, room: int, theme: ThemeStyles) -> list[Line]:
        head, *notes = self.text.split("\n")
        style = theme.style("conflict" if head.startswith("!") else "foreground", bold=True)
        lines: list[Line] = [[Segment(each, style)] for each in wrapped(head, room)]
        return [*lines, *([Segment(each, theme.style("muted"))] for note in notes for each in wrapped(note, room))]

    def _ways(self, room: int, theme: ThemeStyles) -> Sequence[Line]:
        """Return the ways out in one line where they fit, else below one another."""
        line: Line = []
        for keys, effect in self.ways:
            gap = [Segment(" " * WAY_GAP, theme.style())] if line else []
            line += [*gap, theme.cap(keys), Segment(f" {effect}", theme.style("muted"))]
        return [line] if _length(line) <= room else [*self._below_one_another(room, theme)]

    def _below_one_another(self, room: int, theme: ThemeStyles) -> Iterator[Line]:
        """Yield the ways out; what they do has one left edge, but where keys are long."""
        widths = [cell_len(keys) for keys, _ in self.ways]
        edge = max((width for width in widths if width < LONG_KEYS), default=0)
        for (keys, effect), width in zip(self.ways, widths, strict=True):
            gap = KEY_GAP + max(0, edge - width)
            words = fit(effect, min(cell_len(effect), room - width - gap))
            # As in the lists of keys, without the grounds of caps, which would run into one another.
            yield [Segment(keys + " " * gap, theme.style(bold=True)), Segment(words, theme.style("muted"))]


def _length(line: Line) -> int:
    return sum(segment.cell_length for segment in line)
