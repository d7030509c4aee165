"""What stands in an empty list: the reason, the ways out, and the first items that a wider filter would show."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment

from backlit.model.amounts import counted
from backlit.store.records.item import ItemRow
from backlit.tui.drawing.text import Line, fit, wrapped
from backlit.tui.drawing.themes import WORDMARK, ThemeStyles

WayOut = tuple[str, str]
"""A way out of an empty list: what to press or to run, and what it does."""
WAY_GAP = 3
"""Cells between two ways out in one line, and between the two columns of those below one another."""
MIN_WIDTH_OF_MARK, MIN_HEIGHT_OF_MARK = 60, 18
"""Cells and lines of a list that has room for the program's name."""
SIDE = 3
"""Blanks on either side: rows begin there, behind the cursor and the signs of their state."""
FEW = 5
"""Items of a list that has no room for all: more of them below "no item matches" would look like what was found."""
HEAD_LINES = 2
"""The blank and the head above the items of a wider filter."""
MIN_HEIGHT_OF_SPACED = 28
"""Lines of a list with room for blanks between the ways out below the name of the program."""
DrawRows = Callable[[Sequence[ItemRow]], Sequence[Line]]
"""Returns the headings of the columns, and a line for each of some rows."""


class HiddenItems(Struct, frozen=True):
    """What a wider filter would show, in words: how many items, and the first of them."""

    heading: str
    count: int
    rows: Sequence[ItemRow]


class EmptyList(Struct, frozen=True):
    """The content of an empty list: a reason, which begins with ! for a fault, with a note below it; and the rest."""

    text: str
    ways: Sequence[WayOut]
    hidden: Sequence[HiddenItems] = ()
    mark: Sequence[tuple[str, str]] = ()
    """The two halves of the lines of the program's name, in a list that was never filled."""

    def lines(self, width: int, height: int, theme: ThemeStyles, draw: DrawRows) -> list[Line]:
        """Return the lines from the first one of the list on, all with one left edge: where rows would begin.

        A list that was never filled has them in its middle, below the name of the program.
        """
        room = width - 2 * SIDE
        margin = Segment(" " * SIDE, theme.style())
        if self.mark and room >= MIN_WIDTH_OF_MARK and height >= MIN_HEIGHT_OF_MARK:
            ways = self._below_one_another(room, theme, is_spaced=height >= MIN_HEIGHT_OF_SPACED)
            block = [*self._mark(theme), *self._reason(room, theme), [], *ways]
            margin = Segment(" " * ((width - max(map(_length, block))) // 2), theme.style())
            return [*[[]] * ((height - len(block)) // 2), *([margin, *line] for line in block)]
        text = [*self._reason(room, theme), [], *self._ways(room, theme)]
        above = [[margin, *line] for line in text]
        return [*above, *self._below(width, height - len(above), theme, draw)][:height]

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

    def _below_one_another(self, room: int, theme: ThemeStyles, *, is_spaced: bool = False) -> Iterator[Line]:
        """Yield the ways out; what they do has one left edge."""
        keys_width = max((cell_len(keys) for keys, _ in self.ways), default=0)
        before = keys_width + WAY_GAP + 2 * theme.has_frames
        for number, (keys, effect) in enumerate(self.ways):
            if is_spaced and number:
                yield []
            words = fit(effect, min(cell_len(effect), room - before))
            gap = Segment(" " * (WAY_GAP + keys_width - cell_len(keys)), theme.style())
            yield [theme.cap(keys), gap, Segment(words, theme.style("muted"))]

    def _below(self, width: int, room: int, theme: ThemeStyles, draw: DrawRows) -> Iterator[Line]:
        """Yield the headings of columns, and a head and the first items of each wider filter."""
        shown: list[Sequence[ItemRow]] = []
        room -= 1
        for number, hidden in enumerate(self.hidden):
            others = len(self.hidden) - number
            share = room // others if room // others > HEAD_LINES else room
            fitting = max(0, share - HEAD_LINES)
            shown.append(hidden.rows[: min(fitting, FEW) if hidden.count > fitting else fitting])
            room -= (len(shown[-1]) + HEAD_LINES) * bool(shown[-1])
        if not any(shown) or not (drawn := draw([row for rows in shown for row in rows])):
            return
        headings, *lines = drawn
        for number, (hidden, rows) in enumerate(zip(self.hidden, shown, strict=True)):
            if rows:
                yield []
                yield from () if number else (headings,)
                yield self._head(hidden, len(rows), width, theme)
                yield from lines[: len(rows)]
                del lines[: len(rows)]

    @staticmethod
    def _head(hidden: HiddenItems, shown: int, width: int, theme: ThemeStyles) -> Line:
        """Return the words of a wider filter, the number of its items, and a rule."""
        whole = counted(hidden.count, "item")
        count = f" {shown} of {whole} " if shown < hidden.count else f" {whole} "
        room = width - 2 * SIDE - cell_len(count)
        heading = fit(hidden.heading, max(1, min(cell_len(hidden.heading), room)))
        return [
            Segment(" " * SIDE, theme.style()),
            Segment(heading, theme.heading()),
            Segment(count, theme.style("muted")),
            Segment("─" * max(0, room - cell_len(heading)), theme.style("rule")),
        ]


def _length(line: Line) -> int:
    return sum(segment.cell_length for segment in line)
