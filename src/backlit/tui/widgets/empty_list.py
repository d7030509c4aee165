"""What stands in an empty list: the reason, the ways out, and the first items that a wider filter would show."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment

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
MAX_WIDTH, HEAD_LINES, NUMBER_WIDTH, AMOUNT_WIDTH, OWNER_WIDTH = 88, 3, 6, 5, 11
"""Cells of the hidden items at most, the lines of the head above them, and the cells of their columns."""


class HiddenItem(Struct, frozen=True):
    """An item that a wider filter would show, with the colours of its type and its owner."""

    number: str
    sign: str
    name: str
    amount: str
    owner: str
    sign_colour: str
    owner_colour: str


class HiddenItems(Struct, frozen=True):
    """What a wider filter would show, in words, and the first of its items."""

    heading: str
    items: Sequence[HiddenItem]


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
        above = self._above(room, theme, has_mark=room >= MIN_WIDTH_OF_MARK and height >= MIN_HEIGHT_OF_MARK)
        below = list(self._below(min(room, MAX_WIDTH), height - len(above) - 1, theme))
        cells = max((sum(each.cell_length for each in line) for line in (*above, *below)), default=0)
        margin = Segment(" " * max(SIDE, (width - cells) // 2), theme.style())
        blanks = max(0, height - len(above) - len(below)) // 3
        return [*([] for _ in range(blanks)), *([margin, *line] for line in (*above, *below))]

    def _above(self, room: int, theme: ThemeStyles, *, has_mark: bool) -> list[Line]:
        head, _, note = self.text.partition("\n")
        colour = "conflict" if head.startswith("!") else "foreground"
        lines: list[Line] = []
        for back, lit in self.mark if has_mark else ():
            lines.append([Segment(back, theme.style("foreground")), Segment(lit, theme.style(WORDMARK))])
        lines += [[], []] if lines else []
        lines += [[Segment(each, theme.style(colour, bold=True))] for each in wrapped(head, room)]
        lines += [[Segment(each, theme.style("muted"))] for each in (wrapped(note, room) if note else ())]
        keys_width = max((cell_len(keys) for keys, _ in self.ways), default=0)
        before = keys_width + WAYS_GAP + 2 * theme.has_frames
        lines += [[]] if self.ways else []
        for keys, effect in self.ways:
            words = fit(effect, min(cell_len(effect), room - before))
            caps = theme.cap(keys.ljust(keys_width)), Segment(" " * WAYS_GAP, theme.style())
            lines.append([*caps, Segment(words, theme.style("muted"))])
        return lines

    def _below(self, width: int, room: int, theme: ThemeStyles) -> Iterator[Line]:
        """Yield a head and the first hidden items of each wider filter, drawn as muted rows without a cursor."""
        for number, hidden in enumerate(self.hidden):
            others = len(self.hidden) - number
            shown = hidden.items[: max(0, room // others - HEAD_LINES)]
            if not shown:
                return
            room -= len(shown) + HEAD_LINES
            heading = fit(hidden.heading, min(cell_len(hidden.heading), width - 2))
            rule = "─" * (width - cell_len(heading) - 1)
            yield from ([], [], [Segment(f"{heading} ", theme.heading()), Segment(rule, theme.style("rule"))])
            yield from (self._row(each, width, theme) for each in shown)

    @staticmethod
    def _row(item: HiddenItem, width: int, theme: ThemeStyles) -> Line:
        before = f"{fit_right(item.number, NUMBER_WIDTH)} "
        name = width - NUMBER_WIDTH - 4 - AMOUNT_WIDTH - 2 - OWNER_WIDTH
        return [
            Segment(before, theme.style("faint")),
            Segment(f"{item.sign} ", theme.style(item.sign_colour)),
            Segment(fit(item.name, max(1, name)), theme.style("muted")),
            Segment(f" {fit_right(item.amount, AMOUNT_WIDTH)}  ", theme.style("muted")),
            Segment(fit(item.owner, OWNER_WIDTH), theme.style(item.owner_colour)),
        ]
