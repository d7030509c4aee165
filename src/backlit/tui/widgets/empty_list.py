"""What stands in an empty list: the reason and the ways out."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment

from backlit.tui.drawing.text import Line, fit, wrapped
from backlit.tui.drawing.themes import WORDMARK, ThemeStyles

WayOut = tuple[str, str]
"""A way out of an empty list: what to press or to run, and what it does."""
Fact = tuple[str, str, str]
"""A fact about a list that was never filled: its label, its words, and their colour."""
WAY_GAP, KEY_GAP = 3, 2
"""Cells between two ways out in one line, and between keys and words of those below one another."""
BOX_WIDTH, BOX_SIDE = 78, "│  "
"""Cells of the box around facts where there is room, as of the dialog that signs in; and its side."""
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
    facts: Sequence[Fact] = ()
    """What is known of the fault in the way of the first rows; the text is the title of the box around it."""
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
        if self.facts:
            return self._box(width, height, theme)
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

    def _box(self, width: int, height: int, theme: ThemeStyles) -> list[Line]:
        """Return facts and ways out on a surface in the middle, with one left edge of all words.

        Where lines are short, first those between the ways go, then the name of the program, and the box at last.
        """
        box = min(BOX_WIDTH, width)
        inside, room = theme.on_surface, box - 2 * len(BOX_SIDE)
        ways = [*self._below_one_another(room, inside)]
        facts = [*self._fact_lines(room, inside)]
        spare = height - len(facts) - len(ways) - 1 - len(("top", "bottom"))
        if spare < 0:
            margin = Segment(" " * SIDE, theme.style())
            bare = *self._fact_lines(room, theme), [], *self._below_one_another(room, theme)
            return [[margin, *line] for line in bare][:height]
        lines: list[Line] = [*facts, [], *ways]
        spare -= 2
        if spare >= 0:
            indent = Segment(" " * self._edge(inside), inside.style())
            mark = [[indent, *line] for line in self._mark(inside)[:-1]] if room >= MIN_WIDTH_OF_MARK else []
            has_mark = len(mark) <= spare
            parted = [part for way in ways for part in (way, [])] if spare >= len(mark) + len(ways) else [*ways, []]
            lines = [[], *(mark if has_mark else ()), *facts, [], *parted]
        side = inside.style("muted")
        head = Segment("╭─ ", side), Segment(self.text, inside.heading())
        margin = Segment(" " * ((width - box) // 2), theme.style())
        return [
            *[[]] * ((height - len(lines) - 2) // 2),
            [margin, *head, Segment(f" {'─' * (box - _length([*head]) - 2)}╮", side)],
            *([margin, *_between_sides(line, room, inside)] for line in lines),
            [margin, Segment(f"╰{'─' * (box - 2)}╯", side)],
        ]

    def _fact_lines(self, room: int, theme: ThemeStyles) -> Iterator[Line]:
        edge = self._edge(theme)
        for label, words, colour in self.facts:
            style = theme.style(colour, bold=colour == "error")
            for at, line in enumerate(wrapped(words, room - edge)):
                yield [Segment(fit("" if at else label, edge), theme.style("muted")), Segment(line, style)]

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
        """Yield the ways out; what they do has one left edge."""
        edge = self._edge(theme)
        for keys, effect in self.ways:
            cap = theme.cap(keys)
            gap = Segment(" " * (edge - cap.cell_length), theme.style())
            for at, line in enumerate(wrapped(effect, room - edge)):
                lead = [Segment(" " * edge, theme.style())] if at else [cap, gap]
                yield [*lead, Segment(line, theme.style("muted"))]

    def _edge(self, theme: ThemeStyles) -> int:
        """Return the cells before the words of ways out, and of facts: those of the widest keys or label, and a gap."""
        labels = (cell_len(label) for label, *_ in self.facts)
        return max(*(theme.cap(keys).cell_length for keys, _ in self.ways), *labels, 0) + KEY_GAP


def _between_sides(line: Line, room: int, theme: ThemeStyles) -> Line:
    side = theme.style("muted")
    blanks = Segment(" " * (room - _length(line)), theme.style())
    return [Segment(BOX_SIDE, side), *line, blanks, Segment(BOX_SIDE[::-1], side)]


def _length(line: Line) -> int:
    return sum(segment.cell_length for segment in line)
