"""What stands in an empty list: the reason, the ways out, and the first items that a wider filter would show."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment

from backlit.model.amounts import counted
from backlit.tui.drawing.text import Line, fit, fit_right, wrapped
from backlit.tui.drawing.themes import WORDMARK, ThemeStyles

WayOut = tuple[str, str]
"""A way out of an empty list: what to press or to run, and what it does."""
WAYS_GAP = 3
"""Cells between the two columns of the ways out."""
MIN_WIDTH_OF_MARK, MIN_HEIGHT_OF_MARK = 60, 18
"""Cells and lines of a list that has room for the program's name."""
SIDE = 3
"""Blanks at least on either side."""
MAX_WIDTH, HEAD_LINES, AMOUNT_WIDTH, STATUS_WIDTH, OWNER_WIDTH = 140, 3, 5, 14, 11
"""Cells of the hidden items at most, the lines of the head above them, and the cells of their columns."""
MIN_WIDTH_WITH_STATUS = 80
"""Cells from which the hidden items have a status."""
MIN_HEIGHT_OF_SPACED = 28
"""Lines of a list with room for blanks between the ways out, if it is to begin in the middle."""


class HiddenItem(Struct, frozen=True):
    """An item that a wider filter would show, with the colours of its type and its owner."""

    number: str
    sign: str
    name: str
    amount: str
    status: str
    owner: str
    sign_colour: str
    owner_colour: str


class HiddenItems(Struct, frozen=True):
    """What a wider filter would show, in words: how many items, the first of them, and the way to it, if one key is."""

    heading: str
    count: int
    items: Sequence[HiddenItem]
    way: WayOut | None = None


class EmptyList(Struct, frozen=True):
    """The content of an empty list: a reason, which begins with ! for a fault, with a note below it; and the rest."""

    text: str
    ways: Sequence[WayOut]
    hidden: Sequence[HiddenItems] = ()
    mark: Sequence[tuple[str, str]] = ()
    """The two halves of the lines of the program's name, in a list that was never filled."""

    def lines(self, width: int, height: int, theme: ThemeStyles) -> list[Line]:
        """Return the lines from the first one of the list on; what belongs together has one left edge."""
        room = width - 2 * SIDE
        has_mark = bool(self.mark) and room >= MIN_WIDTH_OF_MARK and height >= MIN_HEIGHT_OF_MARK
        is_spaced = not self.hidden and height >= MIN_HEIGHT_OF_SPACED
        reason, ways = self._reason(room, theme), list(self._ways(room, theme, is_spaced))
        parts = [self._mark(theme) if has_mark else [], *([line] for line in reason), ways]
        above = [line for part in parts for line in part]
        if self.hidden:  # rows begin where a list has them
            below = self._below(min(room, MAX_WIDTH), height - len(above) - 1, theme)
            return [*_centred([[*above, *below]], width, theme)][:height]
        blanks = max(0, height - len(above)) // (2 if has_mark else 3)
        drawn = _centred(parts if has_mark else [above], width, theme)
        return [*([] for _ in range(blanks)), *drawn]

    def _mark(self, theme: ThemeStyles) -> list[Line]:
        styles = theme.style("foreground"), theme.style(WORDMARK)
        return [*([Segment(back, styles[0]), Segment(lit, styles[1])] for back, lit in self.mark), [], []]

    def _reason(self, room: int, theme: ThemeStyles) -> list[Line]:
        head, *notes = self.text.split("\n")
        style = theme.style("conflict" if head.startswith("!") else "foreground", bold=True)
        lines: list[Line] = [[Segment(each, style)] for each in wrapped(head, room)]
        return [*lines, *([Segment(each, theme.style("muted"))] for note in notes for each in wrapped(note, room))]

    def _ways(self, room: int, theme: ThemeStyles, is_spaced: bool) -> Iterator[Line]:
        """Yield the ways out; what they do has one left edge."""
        keys_width = max((cell_len(keys) for keys, _ in self.ways), default=0)
        before = keys_width + WAYS_GAP + 2 * theme.has_frames
        for number, (keys, effect) in enumerate(self.ways):
            if is_spaced or not number:
                yield []
            words = fit(effect, min(cell_len(effect), room - before))
            gap = Segment(" " * (WAYS_GAP + keys_width - cell_len(keys)), theme.style())
            yield [theme.cap(keys), gap, Segment(words, theme.style("muted"))]

    def _below(self, width: int, room: int, theme: ThemeStyles) -> Iterator[Line]:
        """Yield a head and the first hidden items of each wider filter, drawn as muted rows without a cursor."""
        number_width = max((len(item.number) for hidden in self.hidden for item in hidden.items), default=0)
        for number, hidden in enumerate(self.hidden):
            others = len(self.hidden) - number
            share = room // others if room // others > HEAD_LINES else room
            shown = hidden.items[: max(0, share - HEAD_LINES)]
            if not shown:
                return
            room -= len(shown) + HEAD_LINES
            yield from ([], self._head(hidden, len(shown), width, theme))
            heads = HiddenItem("#", " ", "Name", "Pts", "Status", "Owner", *["muted"] * 2)
            yield [
                Segment(
                    "".join(each.text for each in self._row(heads, number_width, width, theme)), theme.heading("muted")
                )
            ]
            yield from (self._row(each, number_width, width, theme) for each in shown)

    @staticmethod
    def _head(hidden: HiddenItems, shown: int, width: int, theme: ThemeStyles) -> Line:
        """Return the words of a wider filter, the number of its items, a rule, and the way to it at the right."""
        count = (
            f" {shown} of {counted(hidden.count, 'item')} " if shown < hidden.count else f" {counted(shown, 'item')} "
        )
        keys, effect = hidden.way or ("", "")
        way = (
            [Segment(" ", theme.style()), theme.cap(keys), Segment(f" {effect}", theme.style("muted"))] if keys else []
        )
        if cell_len(hidden.heading) + cell_len(count) + sum(each.cell_length for each in way) + 2 > width:
            way = []
        heading = fit(hidden.heading, max(1, min(cell_len(hidden.heading), width - cell_len(count))))
        rule = width - cell_len(heading) - cell_len(count) - sum(each.cell_length for each in way)
        words = Segment(heading, theme.heading()), Segment(count, theme.style("muted"))
        return [*words, Segment("─" * max(0, rule), theme.style("rule")), *way]

    @staticmethod
    def _row(item: HiddenItem, number_width: int, width: int, theme: ThemeStyles) -> Line:
        status = STATUS_WIDTH + 2 if width >= MIN_WIDTH_WITH_STATUS else 0
        name = width - number_width - 4 - AMOUNT_WIDTH - 2 - status - OWNER_WIDTH
        return [
            Segment(f"{fit_right(item.number, number_width)} ", theme.style("faint")),
            Segment(f"{item.sign} ", theme.style(item.sign_colour)),
            Segment(fit(item.name, max(1, name)), theme.style("muted")),
            Segment(f" {fit_right(item.amount, AMOUNT_WIDTH)}  ", theme.style("muted")),
            Segment(f"{fit(item.status, STATUS_WIDTH)}  " if status else "", theme.style("muted")),
            Segment(fit(item.owner, OWNER_WIDTH), theme.style(item.owner_colour)),
        ]


def _centred(parts: Sequence[Sequence[Line]], width: int, theme: ThemeStyles) -> Iterator[Line]:
    """Yield the lines of parts in the middle of a width; those of a part have one left edge."""
    for lines in parts:
        cells = max((sum(each.cell_length for each in line) for line in lines), default=0)
        margin = Segment(" " * max(SIDE, (width - cells) // 2), theme.style())
        yield from ([margin, *line] for line in lines)
