"""Whose the open points of an area are, and when they are planned, below a tree that leaves room for it."""

from collections.abc import Callable, Mapping, Sequence

from textual.strip import Strip
from textual.widget import Widget

from backlit.model.trees import NodeTotals
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.view import View
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.themes import CURRENT_ITERATION, ThemeStyles, owner_colour
from backlit.tui.fields.dates import Phase, phases
from backlit.tui.trees.tree_columns import PointsShare, TreeLayout

LEAST_LINES = 10
"""Lines below the tree from which the shares are shown: a blank, a head and three values of each."""


async def read_shares(store: Store, view: View, area: str) -> Mapping[str, Sequence[PointsShare]]:
    """Return the open points of an area's view by owner and by iteration, the largest first, by their headings."""
    people, iterations = store.lookups.known_people(), store.lookups.iterations()
    known, phase_of = sorted(people), phases(iterations.values(), store.today())
    roots = {root.id for root in store.lookups.tree(TreeKind.ITERATIONS).roots}
    owners, places = list[PointsShare](), list[PointsShare]()
    for facet in await view.facets("AssignedToID"):
        if isinstance(facet.value, int) and facet.value in people:
            colour = owner_colour(facet.value, known)
            owners.append(
                PointsShare(people[facet.value].username, facet.totals.count, facet.totals.points, colour, colour)
            )
        elif facet.value is None:
            owners.append(PointsShare("unassigned", facet.totals.count, facet.totals.points, "muted", "faint"))
    backlog = NodeTotals()
    for facet in await view.facets("IterationID"):
        entry = iterations.get(facet.value) if isinstance(facet.value, int) and facet.value not in roots else None
        if entry is None:
            backlog += facet.totals
        else:
            colour = CURRENT_ITERATION if phase_of.get(entry.id) is Phase.CURRENT else "foreground"
            places.append(PointsShare(entry.name, facet.totals.count, facet.totals.points, colour, "bar"))
    places.append(PointsShare("backlog", backlog.count, backlog.points, "muted", "faint"))
    return {f"{area} by owner": _largest_first(owners), f"{area} by sprint": _largest_first(places)}


def _largest_first(shares: Sequence[PointsShare]) -> list[PointsShare]:
    return sorted((each for each in shares if each.points), key=lambda each: -each.points)


class AreaShares(Widget):
    """Two blocks of rows in the columns of the tree above; they change once the cursor of the tree rests."""

    refresh = refresh

    def __init__(self, columns: Callable[[], TreeLayout]) -> None:
        super().__init__(id="shares")
        self._columns = columns
        self._shares: Mapping[str, Sequence[PointsShare]] = {}

    def show(self, shares: Mapping[str, Sequence[PointsShare]]) -> None:
        if shares != self._shares:
            self._shares = shares
            self.refresh()

    def render_line(self, y: int) -> Strip:
        lines, columns = self._lines(), self._columns()
        line = lines[y] if y < len(lines) else None
        if line is None:
            return Strip.blank(self.size.width, ThemeStyles.of(self.app).style())
        strip = columns.share_head(line) if isinstance(line, str) else columns.share_row(line)
        return strip.adjust_cell_length(self.size.width)

    def _lines(self) -> list[PointsShare | str | None]:
        """Return the rows below their heads; those that have no room are one sum."""
        room = self.size.height - 2 * len(self._shares)
        lines = list[PointsShare | str | None]()
        for number, (title, shares) in enumerate(self._shares.items()):
            others = sum(len(each) for each in [*self._shares.values()][number + 1 :])
            most = max(room - others, room // (len(self._shares) - number))
            shown = [*shares] if len(shares) <= most else [*shares[: most - 1], _sum_of(shares[most - 1 :])]
            room -= len(shown)
            lines += [None, title, *shown]
        return lines


def _sum_of(shares: Sequence[PointsShare]) -> PointsShare:
    points, count = sum(each.points for each in shares), sum(each.count for each in shares)
    return PointsShare(f"{len(shares)} more", count, points, "muted", "faint")
