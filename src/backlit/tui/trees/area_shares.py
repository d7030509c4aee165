"""Whose the open points of an area are, when they are planned and how far they are, below a tree with room for it."""

from collections.abc import Callable, Mapping, Sequence

from textual.strip import Strip
from textual.widget import Widget

from backlit.model.statuses import status_word
from backlit.model.trees import NodeTotals
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.view import View
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.themes import (
    CURRENT_ITERATION,
    ThemeStyles,
    owner_colour,
    status_colour,
    status_sign,
    type_colour,
    type_sign,
)
from backlit.tui.fields.dates import Phase, phases
from backlit.tui.trees.tree_columns import PointsShare, TreeLayout

LEAST_BLOCK, LEAST_LINES = 5, 10
"""Lines of a block of shares at least, a blank, a head and three values, and those of the two blocks from which there
are any."""


async def read_shares(store: Store, view: View, area: str) -> Mapping[str, Sequence[PointsShare]]:
    """Return the open points of an area's view by owner, iteration and more, the largest first, by their headings."""
    people, iterations = store.lookups.known_people(), store.lookups.iterations()
    known, phase_of = sorted(people), phases(iterations.values(), store.today())
    roots = {root.id for root in store.lookups.tree(TreeKind.ITERATIONS).roots}
    owners, places = list[PointsShare](), list[PointsShare]()
    for facet in await view.facets("AssignedToID"):
        if isinstance(facet.value, int) and facet.value in people:
            colour = owner_colour(facet.value, known)
            owners.append(
                PointsShare(people[facet.value].username, facet.totals.count, facet.totals.points, colour, "bar")
            )
        elif facet.value is None:
            owners.append(PointsShare("unassigned", facet.totals.count, facet.totals.points, "muted", "bar"))
    backlog = NodeTotals()
    for facet in await view.facets("IterationID"):
        entry = iterations.get(facet.value) if isinstance(facet.value, int) and facet.value not in roots else None
        if entry is None:
            backlog += facet.totals
        else:
            colour = CURRENT_ITERATION if phase_of.get(entry.id) is Phase.CURRENT else "foreground"
            places.append(PointsShare(entry.name, facet.totals.count, facet.totals.points, colour, "bar"))
    places.append(PointsShare("backlog", backlog.count, backlog.points, "muted", "bar"))
    groups, statuses, types = store.lookups.status_groups(), list[PointsShare](), list[PointsShare]()
    for facet in await view.facets("Status"):
        status = str(facet.value or "")
        totals, name = facet.totals, f"{status_sign(status, groups)} {status_word(status)}"
        statuses.append(PointsShare(name, totals.count, totals.points, status_colour(status, groups), "bar"))
    for facet in await view.facets("type"):
        totals, item_type = facet.totals, str(facet.value or "")
        name = f"{type_sign(item_type)} {item_type}"
        types.append(PointsShare(name, totals.count, totals.points, type_colour(item_type), "bar"))
    found = (f"{area} by owner", owners), ("by sprint", places), ("by status", statuses), ("by type", types)
    return {heading: _largest_first(shares) for heading, shares in found}


def _largest_first(shares: Sequence[PointsShare]) -> list[PointsShare]:
    return sorted((each for each in shares if each.points), key=lambda each: -each.points)


class AreaShares(Widget):
    """Blocks of rows in the columns of the tree above; they change once the cursor of the tree rests."""

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
        blocks = [each for each in self._shares.items() if each[1]][: self.size.height // LEAST_BLOCK]
        room = self.size.height - 2 * len(blocks)
        lines = list[PointsShare | str | None]()
        for number, (title, shares) in enumerate(blocks):
            others = sum(len(each) for _, each in blocks[number + 1 :])
            most = max(room - others, room // (len(blocks) - number))
            shown = [*shares] if len(shares) <= most else [*shares[: most - 1], _sum_of(shares[most - 1 :])]
            room -= len(shown)
            lines += [None, title, *shown]
        return lines


def _sum_of(shares: Sequence[PointsShare]) -> PointsShare:
    points, count = sum(each.points for each in shares), sum(each.count for each in shares)
    return PointsShare(f"{len(shares)} more", count, points, "muted", "bar")
