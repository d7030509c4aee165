"""The columns of a tree of areas or iterations: which fit a width, and how a node is drawn in them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property

from msgspec import Struct, field
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.model.planning import Capacity, CapacityFit, PlannedLoad
from backlit.model.reports.report import number_text
from backlit.model.trees import Node, NodeTotals, Tree
from backlit.store.records.item import RowSign
from backlit.store.records.people import IterationEntry
from backlit.tui.drawing.charts import ON, TRACKS, Piece, range_words, scale_of, scaled_bar, thin_bar
from backlit.tui.drawing.text import SHADES, fit, fit_right
from backlit.tui.drawing.themes import CURRENT_ITERATION, CURSOR_BAR, TODAY, ThemeStyles
from backlit.tui.fields.dates import Phase, column_span, phases
from backlit.tui.trees.timeline import TODAY_LABEL, IterationTimeline
from backlit.tui.widgets.item_rows import ROW_SIGNS

CURSOR = "cursor-background"
PHASE_SIGNS: Mapping[Phase, tuple[str, str]] = {
    Phase.PAST: ("●", "faint"),
    Phase.CURRENT: ("◖", CURRENT_ITERATION),
    Phase.NEXT: ("○", "foreground"),
    Phase.LATER: ("○", "muted"),
    Phase.UNDATED: (" ", "muted"),
}
PHASE_WORDS: Mapping[Phase, str] = {Phase.CURRENT: "now", Phase.NEXT: "next"}
RELEASE_SIGN = "⚑"
INDENT = 2
LEAD = 2
"""Cells before the name: the cursor bar and the sign of the filter."""


class TreeContents(Struct, frozen=True, dict=True):
    """The content of a tree: the nodes, their own totals, and the dates of iterations."""

    tree: Tree
    own: Mapping[int, NodeTotals]
    today: date
    iterations: Mapping[int, IterationEntry] = field(default_factory=dict)
    signs: Mapping[int, RowSign] = field(default_factory=dict)
    """The nodes that the service does not have as they are shown."""
    unready: Mapping[int, NodeTotals] = field(default_factory=dict)
    """The numbers of open items that are not ready, by node."""
    load_of: Callable[[int], PlannedLoad] = lambda _: PlannedLoad()
    """Returns the load of an iteration and all below it; called for the lines in sight that have a capacity."""

    @cached_property
    def all(self) -> Mapping[int, NodeTotals]:
        return self.tree.roll_up(self.own)

    @cached_property
    def all_unready(self) -> Mapping[int, NodeTotals]:
        return self.tree.roll_up(self.unready)

    @cached_property
    def phases(self) -> Mapping[int, Phase]:
        return phases(self.iterations.values(), self.today)

    @cached_property
    def largest_area(self) -> float:
        """Return the points of the largest node below a root, which the longest bar of an area stands for."""
        below = [self.all[node.id].points for root in self.tree.roots for node in self.tree.children(root.id)]
        return max(below, default=0.0)

    @cached_property
    def scale(self) -> float:
        """Return the points that a whole bar of an iteration stands for; a release has a bar of its own scale."""
        return max((scale_of(each.capacity) for each in self.iterations.values() if not each.is_release), default=0.0)

    @cached_property
    def widest_name(self) -> int:
        """Return the cells of the longest name with its indent and its signs."""
        signs = NAME_SIGNS if self.iterations else 0
        return max(
            (self.tree.depth(each.id) * INDENT + cell_len(each.name) + signs for each in self.tree.walk()), default=0
        )

    @property
    def folded_at_first(self) -> list[int]:
        """Return the releases that have ended; of many areas those below a root, so that their sizes compare."""
        if self.iterations:
            phases = self.phases
            return [each.id for each in self.iterations.values() if each.is_release and phases[each.id] is Phase.PAST]
        return [each.id for each in self.tree.walk() if self.tree.depth(each.id)] if len(self.tree) > MANY_AREAS else []

    def capacity_of(self, node_id: int) -> Capacity:
        """Return the capacity of an iteration; open for areas, and for the root, which holds the backlog."""
        entry = self.iterations.get(node_id)
        if entry is None or node_id not in self.tree or self.tree.parent(node_id) is None:
            return Capacity()
        return entry.capacity


class PointsShare(Struct, frozen=True):
    """The open items of one owner or one iteration, and their points."""

    name: str
    count: int
    points: float
    colour: str
    bar: str = "bar"


class TreeColumn(Struct, frozen=True):
    """A column: its heading and its width."""

    title: str
    width: int

    def aligned(self, text: str) -> str:
        return fit(text, self.width) if self in LEFT else fit_right(text, self.width)


GAP, BAR, AMOUNT, OVER, SHARE_BAR = 1, 7, 10, 5, 6
DATES = TreeColumn("Dates", 21)
ITEMS = TreeColumn("Open", 5)
POINTS = TreeColumn("Pts", 6)
NOT_READY = TreeColumn("Not ready", 10)
LOAD = TreeColumn(" Capacity", GAP + BAR + 1 + AMOUNT + OVER)
SHARE = TreeColumn("", GAP + SHARE_BAR)
"""The bar of the points before it, to one scale."""
COLUMNS = (DATES, ITEMS, NOT_READY, POINTS, LOAD, SHARE)
AMOUNTS = TreeColumn(f"{'Load / target':>{AMOUNT + GAP + 3}}", GAP + AMOUNT + OVER)
"""The amounts of a load without its bar, which is in the timeline."""
OPEN_ITEMS = TreeColumn("Open items", 10)
COLUMNS_WITH_TIMELINE = (DATES, OPEN_ITEMS, AMOUNTS)
MIN_WIDTH_WITH_TIMELINE, MIN_TIMELINE, WIDE_TIMELINE = 110, 28, 130
"""Cells of a tree with a timeline, those of the timeline, and those of a tree from which a day is a cell, not half."""
LINE, BEYOND = "━", "▸"
"""The sign of the bars of loads, a line at half the height, on which limits are crosses, and the cut end of others."""
BAR_KEY: Sequence[Piece] = ((LINE, "bar-done"), (" done ", "muted"), (TRACKS[LINE][0], "bar"), (" open ", "muted"))
LIMITS_KEY: Piece = ("┼ min, max", "muted")
"""The meanings of the parts of a capacity's bar, and of its lines where there is room."""
DATED = 17
"""Cells of the dates that words stand beside."""
LEFT = (DATES, LOAD, AMOUNTS, SHARE)
"""Columns whose headings and texts begin at the left."""
AREA_PRIORITY = (POINTS, SHARE, ITEMS, NOT_READY)
ITERATION_PRIORITY = (ITEMS, LOAD, DATES, NOT_READY, POINTS)
"""The order in which columns are shown where there is little room."""
MARGIN = 1
"""Cells that stay blank at the right, so that numbers do not touch what is beside them."""
FOLD, NAME_SIGNS = 4, 5
"""Cells of a name's fold sign and of the blanks behind the name, and those of its other signs and of its phase."""
LEAST_NAME = 20
"""Cells that the name of an iteration keeps before more than the first column is shown."""
AMPLE_AREA, AMPLE_ITERATION, PHASE, LONGEST_BAR = 16, 20, 3, 24
"""Cells that names keep before the bars grow, those added for a phase, and the cells that bars of loads grow to."""
MANY_AREAS, DEPTH_OF_DETAIL = 12, 2
"""The number of areas from which those below the first level begin folded, and the depth that is drawn quietly."""


class TreeLayout:
    """The columns that fit a width; the name gets what is left."""

    def __init__(
        self, width: int, branches: TreeContents, theme: ThemeStyles, shares: Sequence[PointsShare] = ()
    ) -> None:
        """Have the longest bar stand for the largest share, and without shares for the largest area."""
        self.width = width
        self._largest = max((each.points for each in shares), default=branches.largest_area)
        self._branches = branches
        self._theme = theme
        self._has_dates = bool(branches.iterations)
        priority = ITERATION_PRIORITY if self._has_dates else AREA_PRIORITY[:2] if shares else AREA_PRIORITY
        shown = {priority[0]}
        left = width - LEAD - MARGIN - priority[0].width - 1
        least_name = LEAST_NAME if self._has_dates else AMPLE_AREA
        for column in priority[1:]:
            if left - column.width - 1 >= least_name:
                shown.add(column)
                left -= column.width + 1
        self._columns = [column for column in COLUMNS if column in shown]
        widest_share = max((2 * INDENT + cell_len(each.name) for each in shares), default=0)
        ample_name = max(AMPLE_AREA, branches.widest_name + FOLD, widest_share)
        least, ample = (BAR, AMPLE_ITERATION) if self._has_dates else (SHARE_BAR, ample_name)
        ample += PHASE if self._has_dates and DATES not in shown else 0
        has_bar = LOAD in shown or SHARE in shown
        longest = LONGEST_BAR if self._has_dates else width
        self._bar = min(longest, least + max(0, left - ample)) if has_bar else least
        self._name_width = max(6, min(left - (self._bar - least), ample_name))
        rest = width - LEAD - MARGIN - 1 - ample_name - sum(each.width + 1 for each in COLUMNS_WITH_TIMELINE)
        self.timeline: IterationTimeline | None = None
        if self._has_dates and width >= MIN_WIDTH_WITH_TIMELINE and rest >= MIN_TIMELINE:
            self._columns, self._name_width = list(COLUMNS_WITH_TIMELINE), ample_name
            end = max((each.end for each in branches.iterations.values() if each.end), default=None)
            self.timeline = IterationTimeline.around(branches.today, rest, 1 if width >= WIDE_TIMELINE else 2, end)

    def header(self) -> Strip:
        style = self._theme.heading("muted")
        text = " " * LEAD + fit("  Iteration" if self._has_dates else "  Area", self._name_width)
        for column in self._columns:
            text += " " + column.aligned(column.title)
            text += f" {self.timeline.labels(self._starts())}" if column is DATES and self.timeline is not None else ""
        text = text.rstrip()
        limits = [LIMITS_KEY] if self._bar >= BAR + len(LIMITS_KEY[0]) else []
        key = (("  ", "muted"), *BAR_KEY, *limits) if LOAD in self._columns else ()
        words = [Segment(each, self._theme.style(colour)) for each, colour in key]
        before, today, after = text.partition(TODAY_LABEL)
        heads = [Segment(before, style), Segment(today, self._theme.style(TODAY)), Segment(after, style)]
        return Strip([*heads, *words]).adjust_cell_length(self.width, style)

    def _starts(self) -> Iterator[date]:
        for entry in self._branches.iterations.values():
            if entry.start is not None and not entry.is_release and not self._branches.tree.children(entry.id):
                yield entry.start

    def row(self, node: Node, *, fold: str, filter_sign: str, is_cursor: bool) -> Strip:
        """Draw one node; `fold` is its one-cell sign, `filter_sign` says whether the backlog shows it."""
        on = CURSOR if is_cursor else None
        theme = self._theme
        is_past = self._branches.phases.get(node.id) is Phase.PAST
        segments = [
            Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR, on=on)),
            Segment(filter_sign, theme.style("mark", on=on, bold=True)),
            *self._name(node, fold, on, is_past=is_past),
        ]
        for column in self._columns:
            segments.append(Segment(" ", theme.style(on=on)))
            for text, colour in self._cell(column, node.id):
                name = "faint" if (is_past and colour == "foreground") or (on and colour == "rule") else colour
                segments.append(Segment(text, theme.style(name, on=on)))
            if column is DATES and self.timeline is not None:
                segments.append(Segment(" ", theme.style(on=on)))
                cells = self._timeline_cells(node.id)
                # Below the cursor the shades would have another colour than in the key.
                grounds = (None if SHADES.intersection(text) else on for text, _ in cells)
                for (text, colour), ground in zip(cells, grounds, strict=True):
                    name, _, own = colour.partition(ON)
                    segments.append(Segment(text, theme.style(name, on=own or ground)))
        return Strip(segments).adjust_cell_length(self.width, theme.style(on=on))

    def _timeline_cells(self, node_id: int) -> list[Piece]:
        assert self.timeline is not None
        tree = self._branches.tree
        iteration = self._branches.iterations.get(node_id) if tree.parent(node_id) is not None else None
        is_sprint = iteration is not None and not iteration.is_release and not tree.children(node_id)
        return self.timeline.row(iteration, self._branches.load_of(node_id) if is_sprint else None)

    def _name(self, node: Node, fold: str, on: str | None, *, is_past: bool) -> list[Segment]:
        theme = self._theme
        indent = min(self._branches.tree.depth(node.id) * INDENT, self._name_width // 2)
        before = f"{' ' * indent}{fold} "
        segments = [Segment(before, theme.style("muted", on=on))]
        left = self._name_width - cell_len(before)
        depth = self._branches.tree.depth(node.id)
        iteration = self._branches.iterations.get(node.id)
        is_release = iteration is not None and iteration.is_release
        if iteration is not None:
            sign, colour = PHASE_SIGNS[self._branches.phases[node.id]]
            segments.append(Segment(f"{sign} ", theme.style(colour, on=on)))
            left -= 2
        if is_release:
            segments.append(Segment(f"{RELEASE_SIGN} ", theme.style("muted" if is_past else "foreground", on=on)))
            left -= 2
        is_heavy = is_release or on is not None or self._branches.phases.get(node.id) is Phase.CURRENT
        is_heavy |= not self._has_dates and depth < DEPTH_OF_DETAIL
        is_quiet = is_past or (not self._has_dates and depth >= DEPTH_OF_DETAIL and on is None)
        name = theme.style("muted" if is_quiet else "foreground", on=on, bold=is_heavy)
        unsent = ROW_SIGNS[self._branches.signs[node.id]] if node.id in self._branches.signs else None
        left -= 2 if unsent else 0
        word = "" if DATES in self._columns else self._phase_word(node.id)
        word = f" {word:4}" if word and cell_len(node.name) + len(word) < left else ""
        segments.append(Segment(fit(node.name, max(0, left - len(word))), name))
        segments += [Segment(word, theme.style(PHASE_SIGNS[self._branches.phases[node.id]][1], on=on))] if word else []
        if unsent:
            segments.append(Segment(f" {unsent[0]}", theme.style(unsent[1], on=on)))
        return segments

    def _cell(self, column: TreeColumn, node_id: int) -> list[Piece]:
        """Return the text of a cell, as wide as its column, with the theme variables that colour it."""
        totals, capacity = self._branches.all[node_id], self._branches.capacity_of(node_id)
        if column is SHARE and totals.points and self._branches.tree.parent(node_id) is not None:
            return self._share(node_id)
        if column is AMOUNTS and capacity.fit(0) is not CapacityFit.OPEN:
            return [_amounts(self._branches.load_of(node_id), capacity)]
        if column is LOAD and capacity.fit(0) is not CapacityFit.OPEN:
            return _load(self._branches.load_of(node_id), capacity, self._bar, self._branches.scale)
        iteration = self._branches.iterations.get(node_id)
        if column is DATES and iteration is not None:
            return self._dates(iteration)
        is_behind = False
        if column is NOT_READY:
            everything, totals = totals.count, self._branches.all_unready[node_id]
            is_behind = 2 * totals.count >= everything
        value = totals.points if column is POINTS else totals.count
        text = number_text(value) if value and column in (ITEMS, OPEN_ITEMS, POINTS, NOT_READY) else ""
        is_detail = self._branches.tree.depth(node_id) >= DEPTH_OF_DETAIL
        is_quiet = column is NOT_READY or (not self._has_dates and (column is ITEMS or is_detail))
        return [(column.aligned(text), "warn" if is_behind else "muted" if is_quiet else "foreground")]

    def _phase_word(self, node_id: int) -> str:
        is_inner = not self._branches.tree.children(node_id)
        return PHASE_WORDS.get(self._branches.phases.get(node_id, Phase.PAST), "") if is_inner else ""

    def _dates(self, iteration: IterationEntry) -> list[Piece]:
        dates = column_span(iteration.start, iteration.end, self._branches.today)
        word, colour = self._phase_word(iteration.id), PHASE_SIGNS[self._branches.phases[iteration.id]][1]
        room = DATED if word and cell_len(dates) < DATED else DATES.width
        return [(fit(dates, room), "foreground"), (fit(word, DATES.width - room), colour)]

    def _share(self, node_id: int) -> list[Piece]:
        """Return a bar that is full for the largest area below a root."""
        return self._points_bar(self._branches.all[node_id].points, "bar")

    def _points_bar(self, points: float, colour: str) -> list[Piece]:
        """Return the bar of some points to the scale of areas; an arrow ends one that is longer than the column."""
        bar = thin_bar(points, self._largest, self._bar)
        bar = f"{bar[: self._bar - 1]}{BEYOND}" if len(bar) > self._bar else bar
        return [(" " * GAP, "foreground"), (fit(bar, self._bar), colour)]

    def share_head(self, title: str) -> Strip:
        text = f"{' ' * LEAD}  {title}"
        # In themes that underline headings the rule goes over the row, as under the heads of columns.
        return Strip([Segment(text.ljust(self.width), self._theme.heading())])

    def share_row(self, share: PointsShare) -> Strip:
        """Draw a row below those of areas, in their columns and to their scale."""
        theme = self._theme
        name = theme.style(share.colour, bold=share.colour == CURRENT_ITERATION)
        segments = [Segment(" " * LEAD, theme.style())]
        segments.append(Segment(fit(f"{' ' * 2 * INDENT}{share.name}", self._name_width), name))
        for column in self._columns:
            value = {ITEMS: share.count, POINTS: share.points}.get(column, 0)
            pieces = [(column.aligned(number_text(value) if value else ""), "muted")]
            if column is SHARE:
                pieces = self._points_bar(share.points, share.bar)
            segments += [Segment(" ", theme.style()), *(Segment(text, theme.style(colour)) for text, colour in pieces)]
        return Strip(segments).adjust_cell_length(self.width, theme.style())


def _load(load: PlannedLoad, capacity: Capacity, width: int, scale: float) -> list[Piece]:
    """Return the bar of a load, and its amounts."""
    return [(" " * GAP, "foreground"), *scaled_bar(load, capacity, width, scale, LINE), _amounts(load, capacity)]


def _amounts(load: PlannedLoad, capacity: Capacity) -> Piece:
    """Return the points of a load with the capacity, as 37 / 32–42 pts, and whether they are over it."""
    word, colour = (" over", "conflict") if capacity.over(load.points) else (" pts", "foreground")
    points, limits = number_text(load.points), range_words(capacity)
    amounts = [f"{points}, {limits}", f"{points} {limits}"]
    if capacity.most:
        most = number_text(capacity.most)
        amounts = [f"{points} / {limits}", f"{points} / {most}", f"{points}/{most}"]
    amount = next((each for each in amounts if len(each) <= AMOUNT), amounts[-1])
    shown = f"{amount:>{AMOUNT}}{word if len(amount) + len(word) <= AMOUNT + OVER else ''}"
    return " " + fit(shown, AMOUNT + OVER), colour
