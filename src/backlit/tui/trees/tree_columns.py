"""The columns of a tree of areas or iterations: which fit a width, and how a node is drawn in them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.model.reports.report import number_text
from backlit.model.trees import Node, Totals, Tree
from backlit.store.records.item import RowSign
from backlit.store.records.people import IterationEntry
from backlit.tui.drawing.text import fit, fit_right
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.dates import Phase, phases, span
from backlit.tui.widgets.item_rows import ROW_SIGNS

CURSOR = "cursor-background"
PHASE_SIGNS: Mapping[Phase, tuple[str, str]] = {
    Phase.PAST: ("●", "faint"),
    Phase.CURRENT: ("◐", "accent"),
    Phase.NEXT: ("○", "foreground"),
    Phase.LATER: ("○", "muted"),
    Phase.UNDATED: (" ", "muted"),
}
PHASE_WORDS: Mapping[Phase, str] = {Phase.CURRENT: "now", Phase.NEXT: "next"}
RELEASE_SIGN = "⚑"
INDENT = 2
LEAD = 2
"""Cells before the name: the cursor bar and the sign of the filter."""


@dataclass(frozen=True)
class Branches:
    """The content of a tree: the nodes, their own totals, and the dates of iterations."""

    tree: Tree
    own: Mapping[int, Totals]
    today: date
    iterations: Mapping[int, IterationEntry] = field(default_factory=dict)
    signs: Mapping[int, RowSign] = field(default_factory=dict)
    """The nodes that the service does not have as they are shown."""

    @cached_property
    def all(self) -> Mapping[int, Totals]:
        """Return the totals of every node with all below it."""
        return self.tree.roll_up(self.own)

    @cached_property
    def phases(self) -> Mapping[int, Phase]:
        """Return the phases of the iterations."""
        return phases(self.iterations.values(), self.today)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading and its width."""

    title: str
    width: int


WORD = Column("", 4)
DATES = Column("Dates", 18)
CAPACITY = Column("Capacity", 8)
LOAD = Column("Load", 8)
"""Load: the points of all open items in the node and below."""
OWN_ITEMS = Column("Items", 6)
OWN_POINTS = Column("Pts", 6)
ALL_ITEMS = Column("Σ Items", 7)
ALL_POINTS = Column("Σ Pts", 7)
COLUMNS = (WORD, DATES, CAPACITY, LOAD, OWN_ITEMS, OWN_POINTS, ALL_ITEMS, ALL_POINTS)
AREA_PRIORITY = ((ALL_ITEMS, ALL_POINTS), (OWN_ITEMS, OWN_POINTS))
ITERATION_PRIORITY = ((ALL_ITEMS, ALL_POINTS), (DATES,), (CAPACITY,), (WORD,), (LOAD,), (OWN_ITEMS, OWN_POINTS))
"""The order in which columns are shown where there is little room."""
MARGIN = 1
"""Cells that stay blank at the right, so that numbers do not touch what is beside them."""
LEAST_NAME = 20
"""Cells that the name keeps before more than the first columns are shown."""


class TreeLayout:
    """The columns that fit a width; the name gets what is left."""

    def __init__(self, width: int, branches: Branches, theme: ThemeStyles) -> None:
        self.width = width
        self._branches = branches
        self._theme = theme
        self._has_dates = bool(branches.iterations)
        priority = ITERATION_PRIORITY if self._has_dates else AREA_PRIORITY
        shown = set(priority[0])
        left = width - LEAD - _width(shown) - MARGIN
        for columns in priority[1:]:
            if left - _width(columns) < LEAST_NAME:
                break
            shown |= set(columns)
            left -= _width(columns)
        self._columns = [column for column in COLUMNS if column in shown]
        self._name_width = max(6, left)

    def header(self) -> Strip:
        """Draw the headings."""
        style = self._theme.style("muted")
        text = " " * LEAD + fit("  Iteration" if self._has_dates else "  Area", self._name_width)
        text += "".join(" " + _aligned(column, column.title) for column in self._columns)
        return Strip([Segment(text, style)]).adjust_cell_length(self.width, style)

    def row(self, node: Node, *, fold: str, filter_sign: str, is_cursor: bool) -> Strip:
        """Draw one node; `fold` is its one-cell sign, `filter_sign` says whether the backlog shows it."""
        on = CURSOR if is_cursor else None
        theme = self._theme
        is_past = self._branches.phases.get(node.id) is Phase.PAST
        segments = [
            Segment("▌" if is_cursor else " ", theme.style("accent", on=on)),
            Segment(filter_sign, theme.style("mark", on=on, bold=True)),
            *self._name(node, fold, on, is_past=is_past),
        ]
        for column in self._columns:
            text, colour = self._cell(column, node.id)
            name = "faint" if is_past and colour == "foreground" else colour
            segments.append(Segment(" " + _aligned(column, text), theme.style(name, on=on)))
        return Strip(segments).adjust_cell_length(self.width, theme.style(on=on))

    def _name(self, node: Node, fold: str, on: str | None, *, is_past: bool) -> list[Segment]:
        theme = self._theme
        indent = min(self._branches.tree.depth(node.id) * INDENT, self._name_width // 2)
        before = f"{' ' * indent}{fold} "
        segments = [Segment(before, theme.style("muted", on=on))]
        left = self._name_width - cell_len(before)
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
        name = theme.style("muted" if is_past else "foreground", on=on, bold=is_heavy)
        unsent = ROW_SIGNS[self._branches.signs[node.id]] if node.id in self._branches.signs else None
        left -= 2 if unsent else 0
        segments.append(Segment(fit(node.name, max(0, left)), name))
        if unsent:
            segments.append(Segment(f" {unsent[0]}", theme.style(unsent[1], on=on)))
        return segments

    def _cell(self, column: Column, node_id: int) -> tuple[str, str]:
        """Return the text of a cell and the theme variable that colours it."""
        own, below = self._branches.own.get(node_id, Totals()), self._branches.all[node_id]
        if column in (OWN_ITEMS, ALL_ITEMS):
            return _number((own if column is OWN_ITEMS else below).count)
        if column is OWN_POINTS:
            return _number(own.points)
        iteration = self._branches.iterations.get(node_id)
        most = iteration.max_capacity if iteration else None
        if column is ALL_POINTS:
            text, colour = _number(below.points)
            return (f"!{text}", "conflict") if most and below.points > most else (text, colour)
        if iteration is None:
            return "", "foreground"
        if column is LOAD:
            is_over = bool(most) and below.points > (most or 0)
            return load_bar(below.points, iteration.min_capacity, most), "conflict" if is_over else "foreground"
        if column is CAPACITY:
            return _range(iteration.min_capacity, most), "muted"
        phase = self._branches.phases[node_id]
        if column is WORD:
            return PHASE_WORDS.get(phase, ""), "accent" if phase is Phase.CURRENT else "muted"
        return span(iteration.start, iteration.end, self._branches.today), "foreground"


def _width(columns: Iterable[Column]) -> int:
    return sum(column.width + 1 for column in columns)


def _aligned(column: Column, text: str) -> str:
    return fit(text, column.width) if column is DATES else fit_right(text, column.width)


def _number(value: float) -> tuple[str, str]:
    return (_short(value), "foreground") if value else ("", "faint")


def _short(value: float) -> str:
    """Write a number without separators, as the columns are narrow."""
    return number_text(value).replace(",", "")


def load_bar(points: float, least: float | None, most: float | None) -> str:
    """Draw a bar of the points against the maximum capacity, with a mark at the minimum while it is not reached."""
    if not most:
        return ""
    width = LOAD.width
    full = min(width, round(points / most * width))
    bar = "█" * full + "░" * (width - full)
    mark = min(width - 1, round(least / most * width)) if least else 0
    return bar[:mark] + "│" + bar[mark + 1 :] if mark >= full and mark else bar


def _range(least: float | None, most: float | None) -> str:
    if least and most:
        return f"{_short(least)}–{_short(most)}"
    return f"≥ {_short(least)}" if least else f"≤ {_short(most)}" if most else ""
