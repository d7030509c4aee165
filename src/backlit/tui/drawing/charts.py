"""Charts as lines of coloured text: their signs and colours, bars, and legends."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TypeAlias

from backlit.model.amounts import counted
from backlit.model.planning import Capacity, CapacityFit, PlannedLoad
from backlit.model.reports.report import (
    Bar,
    Bars,
    Chart,
    Tone,
    number_text,
)
from backlit.tui.drawing.themes import CURRENT_ITERATION

Piece: TypeAlias = tuple[str, str]
"""Some text and the theme variable that colours it, with ON and the one of its ground, if that is another."""
ON = " on "
Row: TypeAlias = tuple[Piece, ...]
"""One line of a drawing."""

COLOURS: Mapping[Tone, str] = {
    Tone.DONE: "bar-done",
    Tone.LEFT: "bar",
    Tone.STARTED: "status-progress",
    Tone.TESTED: "status-test",
    Tone.UNDERWAY: CURRENT_ITERATION,
    Tone.PLAIN: "type-task",
    Tone.LATE: "bar-over",
    Tone.SCOPE: "foreground",
    Tone.GUIDE: "foreground",
}
FILLS: Mapping[Tone, str] = {
    Tone.DONE: "█",
    Tone.LEFT: "▒",
    Tone.STARTED: "█",
    Tone.TESTED: "▒",
    Tone.UNDERWAY: "▓",
    Tone.PLAIN: "░",
    Tone.LATE: "█",
}
"""Fills of bars with several parts."""
FULL_SIGNS = frozenset("█▓▒")
"""Fills whose cells have their colour as ground below a line across them, so that it leaves no gap in a bar."""
LAYER_FILLS = {**FILLS, Tone.STARTED: "▓"}
"""Fills of layers, which lie on each other and so have four signs."""
LINES: Mapping[Tone, str] = {Tone.SCOPE: "─", Tone.PLAIN: "━", Tone.LEFT: "─", Tone.DONE: "─", Tone.GUIDE: "⠒⠤"}
AREAS: Mapping[Tone, str] = {Tone.LEFT: "chart-area", Tone.DONE: "chart-done"}
"""The grounds below the line of a series; a series without one is a line alone."""
GAP, GAP_LINE = "muted", "┈"
"""The line of a day without a record, at the value of the last one; there is no area below it."""
AXIS, FOOT = "─", "▀"
"""The axis, which is in the middle of its cells, and the part of an area in them: values are read there too."""
LIMIT_LINE, OTHER_LINE = "│", "┊"
"""The line across bars, and beside those that it is not of."""
EIGHTHS_ACROSS = " ▏▎▍▌▋▊▉█"


def joined(cells: Sequence[Piece]) -> list[Piece]:
    return [("".join(text for text, _ in run), colour) for colour, run in groupby(cells, key=lambda each: each[1])]


def line_at(chart: Bars, room: int) -> int | None:
    """Return the cell of the line across bars, behind a bar of just that length; None without a line or room."""
    return min(room - 1, round(chart.line / chart.top * room)) if chart.line and room > 0 else None


def stacked_bar(chart: Bars, bar: Bar, room: int) -> list[Piece]:
    """Return the parts of a bar and the line across bars, as wide as the room.

    A longer bar goes beyond the line, which has one colour over all bars.
    """
    line = line_at(chart, room)
    cells: list[Piece] = []
    so_far = 0.0
    if bar.values[0] == bar.total <= (chart.line or bar.total):
        cells = [(sign, COLOURS[chart.parts[0].tone]) for sign in plain_bar(bar.total, chart.top, room)]
    else:
        for value, part in zip(bar.values, chart.parts, strict=True):
            so_far += value
            least = len(cells) + 1 if line is None or so_far <= chart.line else max(len(cells) + 1, line + 2)
            end = max(least, round(so_far / (chart.top or 1.0) * room)) if value > 0 else 0
            cells += [(FILLS[part.tone], COLOURS[part.tone])] * (min(room, end) - len(cells))
    cells += [(" ", "foreground")] * (room - len(cells))
    if line is not None:
        sign, colour = cells[line]
        # Dark on a full cell in dark themes, light in light ones: the other way round, red leaves a contrast of 2.1.
        ground = f"background{ON}{colour}" if sign in FULL_SIGNS else "foreground"
        line_sign = LIMIT_LINE if bar.is_of_line else OTHER_LINE
        cells[line] = (line_sign, f"foreground{ON}chart-shade" if colour == COLOURS[Tone.LEFT] else ground)
    return joined(cells)


def plain_bar(value: float, top: float, room: int) -> str:
    """Return a bar to an eighth of a cell, at least one eighth for a value above 0; the top fills the room."""
    eighths = round(value / top * room * 8) if top else 0
    eighths = max(1, eighths) if value > 0 else 0
    return "█" * (eighths // 8) + EIGHTHS_ACROSS[eighths % 8].strip()


def thin_bar(value: float, top: float, room: int) -> str:
    """Return a bar to half a cell in the middle of its row, so that rows stay apart; the top fills the room."""
    halves = round(value / top * room * 2) if top else 0
    halves = max(1, halves) if value > 0 else 0
    return "━" * (halves // 2) + "╸" * (halves % 2)


def progress_line(share: float, cells: int, colour: str = "bar-done") -> list[Piece]:
    """Return a line of so many cells, which is heavy up to a share of it."""
    done = round(share * cells)
    return [("━" * done, colour), ("─" * (cells - done), "rule")]


def legend(chart: Chart, drawn: Sequence[Row] = ()) -> Row:
    """Return the legend of a chart, of the parts that bars have or a drawing shows; empty for one kind of bar."""
    if isinstance(chart, Bars):
        parts = [part for at, part in enumerate(chart.parts) if any(bar.values[at] for bar in chart.bars)]
        signs = [(FILLS[part.tone], COLOURS[part.tone], part.name) for part in parts if len(chart.parts) > 1]
        has_others = not all(bar.is_of_line for bar in chart.bars)
        lines = [(LIMIT_LINE, "foreground", chart.line_name), *[(OTHER_LINE, "foreground", "others")] * has_others]
        signs += lines if chart.line and not chart.is_empty else []
    else:
        tone = chart.bars.tone
        has_area = tone in AREAS and not chart.is_hollow
        signs = [(FOOT if has_area else LINES[tone], COLOURS[tone], chart.bars.name)]
        if chart.layers:
            signs = [(LAYER_FILLS[layer.tone], COLOURS[layer.tone], layer.name) for layer in chart.layers]
        signs += [(LINES[line.tone], COLOURS[line.tone], line.name) for line in chart.lines]
        text = "".join(text for row in drawn for text, _ in row)
        signs += [(GAP_LINE, GAP, "no record")] if not drawn or GAP_LINE in text else []
    return tuple(piece for sign, colour, name in signs for piece in ((f"{sign} ", colour), (f"{name}  ", "muted")))


# Capacities

TRACKS = {"█": ("█", "░", LIMIT_LINE), "━": ("╍", "─", "┼")}
"""The signs of the open and of the free part of a bar and of its limits, by those of its done part."""
LEAST_CELLS = 4
"""Cells of the shortest bar on a scale."""


def scale_of(capacity: Capacity, amount: float = 0.0) -> float:
    """Return the points of a whole bar: the maximum or the amount; bars beside each other share the largest."""
    return max(capacity.most or (capacity.least or 0) * 1.25, amount)


def scaled_bar(load: PlannedLoad, capacity: Capacity, width: int, scale: float, full: str = "█") -> list[Piece]:
    """Return the bar of a load, and blanks up to the width, which stands for the points of a scale."""
    whole = scale_of(capacity, load.points)
    cells = max(min(width, LEAST_CELLS), round(width * whole / max(scale, whole))) if whole else width
    bar = capacity_bar(load.points, load.done, capacity, cells, full)
    return [*bar, (" " * (width - cells), "muted")] if bar else []


def capacity_bar(amount: float, done: float, capacity: Capacity, width: int, full: str = "█") -> list[Piece]:
    """Return a bar up to the maximum or the amount, with a line at the minimum and one at the maximum.

    Done, planned and excess parts have a colour each; `full` is the sign of done cells. Without a capacity there is
    no bar.
    """
    least, most = capacity.least, capacity.most
    whole = scale_of(capacity, amount)
    if not (least or most) or not whole:
        return []

    def cell(part: float) -> int:
        return min(width, round(part / whole * width))

    upper = min(width - 1, cell(most)) if most else width
    lower = max(1, min(cell(least), upper - 2)) if least else 0
    limits = {*([lower] if least else ()), *([upper] if most else ())}
    filled, finished, end = cell(amount), cell(done), cell(most or whole)
    if least and 0 < amount <= least:  # the bar meets the line of the minimum at the minimum, and goes on beyond it
        filled = lower if amount == least else max(1, min(filled, lower - 1))
    elif least and least < amount < (most or whole):
        inner = upper - lower - 1
        part = round((amount - least) / ((most or whole) - least) * inner)
        filled = lower + 1 + (max(1, min(part, inner - 1)) if inner > 1 else part)

    opened, free, limit = TRACKS[full]

    def piece(at: int) -> Piece:
        if at in limits:
            return limit, "foreground"
        if at >= filled:
            return free, "rule"
        return (full, "bar-done") if at < finished else (opened, "bar-over" if at >= end else "bar")

    return joined([piece(at) for at in range(width)])


def range_words(capacity: Capacity) -> str:
    """Return the minimum and the maximum, as 32–42, or the one there is, as min 32; nothing without a capacity."""
    least, most = capacity.least, capacity.most
    if least and most:
        return f"{number_text(least)}–{number_text(most)}"
    return f"min {number_text(least)}" if least else number_text(most) if most else ""


def capacity_words(load: PlannedLoad, capacity: Capacity, *, is_brief: bool = False) -> list[Piece]:
    """Return points, capacity, and the points over the maximum or up to the minimum; briefly without "pts"."""
    over, target = capacity.over(load.points), range_words(capacity)
    limit = ("capacity " if capacity.least else "max ") if capacity.most else ""
    points = number_text(load.points) if is_brief and target else counted(round(load.points, 1), "pt")
    amount = f", {limit}{target}" if target else ""
    parts: list[Piece] = [(points, "foreground"), (amount, "muted")]
    if over:
        parts.append((f"  {number_text(over)} over", "conflict"))
    elif capacity.fit(load.points) is CapacityFit.UNDER:
        parts.append((f"  {number_text((capacity.least or 0) - load.points)} under", "muted"))
    return parts
