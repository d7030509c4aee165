"""Whose the points of an area or of an iteration are, how far they are and more, below the tree or beside the items."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from textual.strip import Strip
from textual.widget import Widget

from backlit.model.statuses import StatusGroup, status_word
from backlit.model.trees import NodeTotals, Tree
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.view import View
from backlit.tui.drawing.charts import Piece
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.themes import (
    CURRENT_ITERATION,
    STATUS_COLOURS,
    STATUS_SIGNS,
    ThemeStyles,
    owner_colour,
)
from backlit.tui.fields.dates import Phase, phases
from backlit.tui.trees.tree_columns import PointsShare, TreeContents, TreeLayout
from backlit.tui.widgets.pane_frame import PaneFrame

LEAST_SHARES, LEAST_BLOCK, LEAST_LINES = 3, 5, 10
"""Shares that each block has room for, its lines with a blank and a head, and those of the two blocks from which there
are any."""


async def read_area_shares(store: Store, view: View) -> Mapping[str, Sequence[PointsShare]]:
    """Return the points of an area's view by what its items have, the largest first, by their headings."""
    found = {"By owner": await _by_owner(store, view), "By sprint": await _by_sprint(store, view)}
    found |= {"By status": await _by_status(store, view)}
    return {heading: _largest_first(shares) for heading, shares in found.items()}


async def read_iteration_shares(store: Store, view: View) -> Mapping[str, Sequence[PointsShare]]:
    """Return those of an iteration's view, which has done items too."""
    found = {"By status": await _by_status(store, view), "By owner": await _by_owner(store, view)}
    found |= {"By area": await _by_area(store, view)}
    return {heading: _largest_first(shares) for heading, shares in found.items()}


async def _by_owner(store: Store, view: View) -> Sequence[PointsShare]:
    people, shares = store.lookups.known_people(), list[PointsShare]()
    known = sorted(people)
    for facet in await view.facets("AssignedToID"):
        if isinstance(facet.value, int) and facet.value in people:
            shares.append(_own_share(people[facet.value].username, facet.totals, owner_colour(facet.value, known)))
        elif facet.value is None:
            shares.append(_own_share("unassigned", facet.totals, "muted"))
    return shares


async def _by_sprint(store: Store, view: View) -> Sequence[PointsShare]:
    iterations, shares, backlog = store.lookups.iterations(), list[PointsShare](), NodeTotals()
    phase_of = phases(iterations.values(), store.today())
    roots = {root.id for root in store.lookups.tree(TreeKind.ITERATIONS).roots}
    for facet in await view.facets("IterationID"):
        entry = iterations.get(facet.value) if isinstance(facet.value, int) and facet.value not in roots else None
        if entry is None:
            backlog += facet.totals
        else:
            colour = CURRENT_ITERATION if phase_of.get(entry.id) is Phase.CURRENT else "foreground"
            shares.append(_share(entry.name, facet.totals, colour))
    return [*shares, _share("backlog", backlog)]


async def _by_area(store: Store, view: View) -> Sequence[PointsShare]:
    names = {node.id: node.name for node in store.lookups.tree(TreeKind.AREAS).walk()}
    found = [(facet.value, facet.totals) for facet in await view.facets("AreaID")]
    return [_share(names[value], totals) for value, totals in found if isinstance(value, int) and value in names]


async def _by_status(store: Store, view: View) -> Sequence[PointsShare]:
    """Return a share of each group of statuses, named as the only status with points, or else as the group."""
    groups, shares = store.lookups.status_groups(), list[PointsShare]()
    found = {str(each.value or ""): each.totals for each in await view.facets("Status") if each.totals.points}
    for group in StatusGroup:
        totals = {status: found[status] for status in found if groups.of(status) is group}
        name = status_word(next(iter(totals))) if len(totals) == 1 else group.capitalize()
        sums = sum(totals.values(), NodeTotals())
        shares.append(_own_share(f"{STATUS_SIGNS[group]} {name}", sums, STATUS_COLOURS[group]))
    return shares


def _share(name: str, totals: NodeTotals, colour: str = "muted") -> PointsShare:
    return PointsShare(name, totals.count, totals.points, colour)


def _own_share(name: str, totals: NodeTotals, colour: str) -> PointsShare:
    """Return a share whose bar has the colour of its name."""
    return PointsShare(name, totals.count, totals.points, colour, colour)


def _largest_first(shares: Sequence[PointsShare]) -> list[PointsShare]:
    return sorted((each for each in shares if each.points), key=lambda each: -each.points)


class PointsShares(Widget):
    """Blocks of rows in columns of a tree; they change once the cursor of the tree rests."""

    refresh = refresh

    def __init__(self, columns: Callable[[], TreeLayout] | None = None, *, id: str) -> None:  # noqa: A002 - Textual's name
        """Have the columns of the tree above, or else own ones."""
        super().__init__(id=id)
        self.frame: PaneFrame | None = None
        self._columns = columns or self._own_columns
        self._shares: Mapping[str, Sequence[PointsShare]] = {}

    def bar_lines(self) -> range:
        return range(0)

    def foot_words(self) -> Sequence[Piece]:
        return ()

    def _own_columns(self) -> TreeLayout:
        shares = [share for each in self._shares.values() for share in each]
        return TreeLayout(self.size.width, TreeContents(Tree(), {}, date.min), ThemeStyles.of(self.app), shares)

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
            most = room - sum(min(LEAST_SHARES, len(each)) for _, each in blocks[number + 1 :])
            shown = [*shares] if len(shares) <= most else [*shares[: most - 1], _sum_of(shares[most - 1 :])]
            room -= len(shown)
            lines += [None, title, *shown]
        return lines[1:]


def _sum_of(shares: Sequence[PointsShare]) -> PointsShare:
    points, count = sum(each.points for each in shares), sum(each.count for each in shares)
    return PointsShare(f"{len(shares)} more", count, points, "muted")
