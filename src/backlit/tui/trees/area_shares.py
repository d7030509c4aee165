"""Whose the open points of an area are, and when they are planned, below a tree that leaves room for it."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.reports.report import number_text
from backlit.model.trees import NodeTotals
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.view import View
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.text import fit, fit_right
from backlit.tui.drawing.themes import CURRENT_ITERATION, ThemeStyles, owner_colour
from backlit.tui.fields.dates import Phase, phases
from backlit.tui.trees.tree_columns import HALF_LINE, LINE

LEAST_LINES = 6
"""Lines below the tree from which the shares are shown: a blank, the heads, and some values."""
NAME, AMOUNT, GAP, MARGIN = 12, 5, 3, 2
"""Cells of a name, of an amount, between two columns, and beside both."""


class Share(Struct, frozen=True):
    """The open points of one owner or one iteration; the bar of an iteration has no colour of its own."""

    name: str
    points: float
    colour: str
    bar_colour: str


async def read_shares(store: Store, view: View) -> Mapping[str, Sequence[Share]]:
    """Return the open points of a view by owner and by iteration, the largest first, by their headings."""
    people, iterations = store.lookups.known_people(), store.lookups.iterations()
    known, phase_of = sorted(people), phases(iterations.values(), store.today())
    roots = {root.id for root in store.lookups.tree(TreeKind.ITERATIONS).roots}
    owners, places = list[Share](), list[Share]()
    for facet in await view.facets("AssignedToID"):
        if isinstance(facet.value, int) and facet.value in people:
            colour = owner_colour(facet.value, known)
            owners.append(Share(people[facet.value].username, facet.totals.points, colour, colour))
        elif facet.value is None:
            owners.append(Share("unassigned", facet.totals.points, "muted", "faint"))
    backlog = NodeTotals()
    for facet in await view.facets("IterationID"):
        entry = iterations.get(facet.value) if isinstance(facet.value, int) and facet.value not in roots else None
        if entry is None:
            backlog += facet.totals
        else:
            colour = CURRENT_ITERATION if phase_of.get(entry.id) is Phase.CURRENT else "foreground"
            places.append(Share(entry.name, facet.totals.points, colour, "bar"))
    places.append(Share("backlog", backlog.points, "muted", "faint"))
    return {title: _largest_first(shares) for title, shares in (("Owner", owners), ("Planned in", places))}


def _largest_first(shares: Sequence[Share]) -> list[Share]:
    return sorted((each for each in shares if each.points), key=lambda each: -each.points)


class AreaShares(Widget):
    """Two columns of bars to one scale; it changes once the cursor of the tree rests."""

    refresh = refresh

    def __init__(self) -> None:
        super().__init__(id="shares")
        self._shares: Mapping[str, Sequence[Share]] = {}

    def show(self, shares: Mapping[str, Sequence[Share]]) -> None:
        if shares != self._shares:
            self._shares = shares
            self.refresh()

    def render_line(self, y: int) -> Strip:
        theme, (width, height) = ThemeStyles.of(self.app), self.size
        if y == 0 or not self._shares:
            return Strip.blank(width, theme.style())
        cells = (width - 2 * MARGIN - GAP * (len(self._shares) - 1)) // len(self._shares)
        top = max((each.points for shares in self._shares.values() for each in shares), default=0.0)
        segments = [Segment(" " * MARGIN, theme.style())]
        for title, shares in self._shares.items():
            segments += (
                self._head(title, cells, theme) if y == 1 else self._share(shares, y - 2, height - 2, top, cells)
            )
            segments.append(Segment(" " * GAP, theme.style()))
        return Strip(segments).adjust_cell_length(width, theme.style())

    @staticmethod
    def _head(title: str, cells: int, theme: ThemeStyles) -> list[Segment]:
        rule = "─" * max(0, cells - len(title) - 1)
        return [Segment(f"{title} ", theme.heading()), Segment(rule, theme.style("rule"))]

    def _share(self, shares: Sequence[Share], at: int, lines: int, top: float, cells: int) -> list[Segment]:
        """Draw a share; the last line has the sum of those that have no line of their own."""
        theme = ThemeStyles.of(self.app)
        if at >= len(shares):
            return [Segment(" " * cells, theme.style())]
        share = shares[at]
        if at == lines - 1 and len(shares) > lines:
            rest = shares[at:]
            share = Share(f"{len(rest)} more", sum(each.points for each in rest), "muted", "faint")
        room = cells - NAME - AMOUNT - 2
        halves = min(2 * room, max(1, round(2 * share.points / top * room)))
        bar = fit(LINE * (halves // 2) + HALF_LINE * (halves % 2), room)
        is_current = share.colour == CURRENT_ITERATION
        return [
            Segment(fit(share.name, NAME), theme.style(share.colour, bold=is_current)),
            Segment(f"{fit_right(number_text(share.points), AMOUNT)}  ", theme.style()),
            Segment(bar, theme.style(share.bar_colour)),
        ]
