"""Charts as lines of coloured text: timelines by day, bars, and their legends."""

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from math import ceil
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import counted
from backlit.model.planning import Capacity, CapacityFit, PlannedLoad
from backlit.model.reports.report import (
    Bar,
    Bars,
    Chart,
    Series,
    Timeline,
    Tone,
    day_text,
    number_text,
    signed_text,
    ticks,
)
from backlit.tui.drawing.themes import CURRENT_ITERATION, TODAY

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
LAYER_FILLS = {**FILLS, Tone.STARTED: "▓"}
"""Fills of layers, which lie on each other and so have four signs."""
LINES: Mapping[Tone, str] = {Tone.SCOPE: "━", Tone.PLAIN: "━", Tone.LEFT: "─", Tone.DONE: "─", Tone.GUIDE: "⠒⠤"}
LEFT_DOTS, RIGHT_DOTS = (0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08)
"""The dots of a braille cell from the lowest to the highest, as bits of its character."""
NO_DOTS, ALL_DOTS = "\u2800", "\u28ff"
AREAS: Mapping[Tone, str] = {Tone.LEFT: "chart-area", Tone.DONE: "chart-done"}
"""The grounds below the line of a series; a series without one is a line alone."""
GAP, GAP_LINE = "muted", "┈"
"""The line of a day without a record, at the value of the last one; there is no area below it."""
BEHIND, AHEAD = ("bar-over", "conflict"), ("bar-done", "status-done")
"""The colours of the gap to the ideal line and of its words."""
AXIS, CORNER, TICK, FOOT = "─", "└", "┤", "▀"
"""The axis, which is in the middle of its cells, and the part of an area in them: values are read there too."""
LOWER_HALF, LEFT_HALF, LOWER_LEFT = "▄", "▌", "▖"
LIMIT_LINE = "│"
MARK, LABEL_TICK = "▲", "╵"
"""The mark of the chosen day, and the tick of another one, below the axis."""
EIGHTHS_ACROSS = " ▏▎▍▌▋▊▉█"


class CellGrid:
    """A block of cells, blank at first; text outside of it is dropped."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self._cells: list[list[Piece]] = [[(" ", "foreground")] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, colour: str) -> None:
        for at, character in enumerate(text, x):
            if 0 <= y < len(self._cells) and 0 <= at < self.width:
                self._cells[y][at] = (character, colour)

    def put_over(self, x: int, y: int, text: str, colour: str) -> None:
        """Write a text that keeps the ground of the cells below it."""
        for at, character in enumerate(text, x):
            if 0 <= y < len(self._cells) and 0 <= at < self.width:
                _, on, ground = self._cells[y][at][1].partition(ON)
                self._cells[y][at] = (character, f"{colour}{on}{ground}")

    def put_dot(self, x: int, y: int, dot: int, colour: str) -> None:
        """Add a dot to a cell that is blank or has dots alone, or is part of a line, which then fills the cell."""
        if 0 <= y < len(self._cells) and 0 <= x < self.width:
            sign, line = self._cells[y][x]
            before = ord(sign) if NO_DOTS <= sign <= ALL_DOTS else ord(NO_DOTS)
            # Not on the foot of an area, which would seem to go below zero.
            if sign == LOWER_HALF or (sign == FOOT and ON in line):
                self.put(x, y, chr(before | dot), f"{colour}{ON}{line.partition(ON)[0]}")
            elif sign == " " or before != ord(NO_DOTS):
                self.put_over(x, y, chr(before | dot), colour)

    def is_free(self, x: int, y: int, count: int) -> bool:
        """Return whether some cells of a line are in the grid and blank."""
        is_inside = 0 <= y < len(self._cells) and x >= 0 and x + count <= self.width
        return is_inside and all(self._cells[y][at][0] == " " for at in range(x, x + count))

    def rows(self) -> list[Row]:
        return [tuple(joined(line)) for line in self._cells]


def joined(cells: Sequence[Piece]) -> list[Piece]:
    return [("".join(text for text, _ in run), colour) for colour, run in groupby(cells, key=lambda each: each[1])]


BELOW = 2
"""Lines of the axis and its labels."""
LEAST_SLOT_WITH_EDGES = 3
"""Cells of a day from which the steps of a series have upright edges."""
LINES_PER_TICK = 3
LABEL = len("╵30 Nov ")
"""Cells of a label with its tick and a blank."""


class ChartColumn(Struct, frozen=True):
    """A column of the chart: its place, its width, and its days. The last recorded of several days counts."""

    x: int
    width: int
    first: int
    last: int

    @property
    def middle(self) -> int:
        return self.x + max(0, self.width - 1) // 2

    @property
    def end(self) -> int:
        """Return the column that marks the end of its day."""
        return self.x + self.width - 1

    def value(self, series: Series) -> float | None:
        return next((each for each in reversed(series.values[self.first : self.last + 1]) if each is not None), None)


def draw_timeline(chart: Timeline, width: int, height: int, chosen: int | None = None) -> list[Row]:
    """Draw a timeline into at most so many lines: the height is a multiple of the intervals between ticks.

    The chosen day is marked on the axis.
    """
    plot, scale, top = _scale(chart.top, max(1, height - BELOW))
    grid = CellGrid(width, min(height, plot + BELOW))
    left = max(len(number_text(tick)) for tick in scale) + 2
    slots = slots_of(len(chart.days), left, width - left)
    _draw_scale(grid, scale, left, plot, top)
    _draw_axis(grid, chart, slots, plot, chosen)
    if chart.layers:
        _draw_layers(grid, chart, slots, plot, top)
    else:
        _draw_area(grid, chart, slots, plot, top)
    for line in chart.lines:
        _draw_line(grid, _over_days_off(chart, line), slots, plot, top)
    for series in (chart.bars, *chart.lines):
        if series.tone in STEPPED and not chart.layers:
            _name_steps(grid, series, slots, plot, top)
    _draw_gap(grid, chart, slots, plot, top)
    return grid.rows()


def _marked_day(chart: Timeline, chosen: int | None) -> int | None:
    return chart.days.index(chart.today) if chosen is None and chart.today in chart.days else chosen


def _scale(most: float, plot: int) -> tuple[int, Sequence[float], float]:
    """Return the lines of the plot, its ticks, as many lines apart, and the value at its upper end."""
    finest = max(min(4, plot + 1), plot // LINES_PER_TICK + 1)
    coarsest = min(finest, max(2, finest // 2))
    scales = [_scale_of(ticks(most, count), most, plot) for count in range(finest, coarsest - 1, -1)]
    return max(scales, key=lambda scale: round(most / scale[2] * scale[0]))


def _scale_of(every: Sequence[float], most: float, plot: int) -> tuple[int, Sequence[float], float]:
    step = every[1]
    intervals = max(1.0, most / step)
    lines = max(1, int(plot / intervals))
    plot = min(plot, ceil(intervals * lines - 1e-9))
    return plot, [tick for tick in every if tick / step * lines <= plot], plot / lines * step


def slots_of(days: int, left: int, room: int) -> list[ChartColumn]:
    """Return a slot for each day, or for a few days where there are more days than cells.

    They fill the room, some of them with one cell more than others.
    """
    room = max(1, room)
    slots = min(days, room)
    cells, firsts = ([n * whole // max(1, slots) for n in range(slots + 1)] for whole in (room, days))
    return [ChartColumn(left + cells[n], cells[n + 1] - cells[n], firsts[n], firsts[n + 1] - 1) for n in range(slots)]


def _draw_scale(grid: CellGrid, scale: Sequence[float], left: int, plot: int, top: float) -> None:
    for y in range(plot):
        grid.put(left - 1, y, "│", "rule")
    for tick in scale:
        y = plot - round(tick / top * plot)
        grid.put(0, y, f"{number_text(tick):>{left - 2}}", "muted")
        grid.put(left - 1, y, TICK if tick else CORNER, "rule")


def _draw_layers(grid: CellGrid, chart: Timeline, slots: Sequence[ChartColumn], plot: int, top: float) -> None:
    """Draw layers on each other; a cell has the colour of the layer in its middle, a thin layer at least one cell."""
    for slot in slots:
        below, filled = 0.0, 0
        for layer in chart.layers:
            value = slot.value(layer)
            if not value:
                continue
            below += value
            end = max(filled + 1, round(below / top * plot))
            for row in range(filled, min(end, plot)):
                grid.put(slot.x, plot - 1 - row, LAYER_FILLS[layer.tone] * slot.width, COLOURS[layer.tone])
            filled = end


def _draw_area(grid: CellGrid, chart: Timeline, slots: Sequence[ChartColumn], plot: int, top: float) -> None:
    """Draw the first series as a line of half blocks over an area, from the middle of the axis on.

    Days off have the value of the last record, and days without a record a thin line at it.
    """
    known = max((at for at, value in enumerate(chart.bars.values) if value is not None), default=-1)
    last, before = None, None
    for slot in slots:
        value, day = slot.value(chart.bars), chart.days[slot.first]
        last = last if value is None else value
        is_off = not chart.work.includes(day)
        if last is None or (value is None and (day not in chart.gaps or (is_off and slot.first > known))):
            before = None
            continue
        halves = round(2 * last / top * plot)
        if value is None and not is_off:
            grid.put(slot.x, plot - (halves + 1) // 2, GAP_LINE * slot.width, GAP)
            before = None
        else:
            _draw_step(grid, chart, slot, (before, halves if last > 0 else None), plot)
            before = halves if last > 0 else None


def _draw_step(
    grid: CellGrid, chart: Timeline, slot: ChartColumn, halves: tuple[int | None, int | None], plot: int
) -> None:
    """Draw the line and the area of a day; `halves` are its height and that of the day before, in half cells."""
    tone = chart.bars.tone
    before, now = halves
    if now is None:
        return
    colour, up = COLOURS[tone], (now + 1) // 2
    if tone not in AREAS or chart.is_hollow:
        grid.put(slot.x, plot - up, LINES[tone] * slot.width, colour)
        return
    area = AREAS[tone]
    grid.put(slot.x, plot, FOOT * slot.width, area)
    for row in range(1, up):
        grid.put(slot.x, plot - row, " " * slot.width, f"{colour}{ON}{area}")
    is_upper = now % 2 == 0
    line = f"{colour}{ON}{area}" if is_upper and up else colour
    grid.put(slot.x, plot - up, (FOOT if is_upper else LOWER_HALF) * slot.width, line)
    if before is None or slot.width < LEAST_SLOT_WITH_EDGES:
        return
    other = (before + 1) // 2
    for row in range(up + 1, other + 1):
        grid.put(slot.x, plot - row, LOWER_LEFT if row == other and before % 2 else LEFT_HALF, colour)
    for row in range(max(1, other), up):
        grid.put_over(slot.x, plot - row, LEFT_HALF, colour)


def _over_days_off(chart: Timeline, series: Series) -> Series:
    """Return a series whose days off between records have the value of the last one."""
    known = max((at for at, value in enumerate(series.values) if value is not None), default=-1)
    values = list(series.values)
    for at, day in enumerate(chart.days[:known]):
        if at and values[at] is None and not chart.work.includes(day):
            values[at] = values[at - 1]
    return replace(series, values=tuple(values))


def _draw_line(grid: CellGrid, line: Series, slots: Sequence[ChartColumn], plot: int, top: float) -> None:
    """Draw a line in the nearest blank cells: a scope as a line, a guide as dots between the ends of days."""
    colour = COLOURS[line.tone]
    for slot, after in zip(slots, [*slots[1:], None], strict=True):
        value = slot.value(line)
        if value is None:
            continue
        if line.tone is not Tone.GUIDE:
            y = plot - max(0, min(plot, round(value / top * plot)))
            for x in range(slot.x, slot.x + slot.width):
                if grid.is_free(x, y, 1):
                    grid.put_over(x, y, LINES[line.tone], colour)
            continue
        following = after.value(line) if after is not None else None
        width = after.end - slot.end if after is not None and following is not None else 1
        for step in range(2 * width):
            between = value + ((following or 0.0) - value) * step / (2 * width) if following is not None else value
            quarter = int((between / top * plot + 0.5) * 4)
            dots = RIGHT_DOTS if step % 2 else LEFT_DOTS
            grid.put_dot(slot.end + step // 2, plot - quarter // 4, dots[quarter % 4], colour)


STEPPED = frozenset({Tone.SCOPE, Tone.PLAIN})
"""Series whose steps are named."""
NAMED_STEPS = 3


def _name_steps(grid: CellGrid, line: Series, slots: Sequence[ChartColumn], plot: int, top: float) -> None:
    """Write beside the largest steps of a line how far they go, where there is room."""
    known = [(slot, value) for slot in slots if (value := slot.value(line)) is not None]
    steps = [(after[0], after[1], after[1] - before[1]) for before, after in pairwise(known)]
    for slot, value, change in sorted(steps, key=lambda step: -abs(step[2]))[:NAMED_STEPS]:
        if signed_text(change) == "0":
            continue
        text, y = f"{line.name} {signed_text(change)}", plot - round(value / top * plot)
        x = min(slot.x + 1, grid.width - len(text))
        free = next((each for each in (y - 1, y + 1) if grid.is_free(x, each, len(text))), None)
        if free is not None:
            grid.put_over(x, free, text, "foreground")


def _draw_gap(grid: CellGrid, chart: Timeline, slots: Sequence[ChartColumn], plot: int, top: float) -> None:
    """Draw how far the last record is from the ideal line, or name what a burnup still lacks of its scope."""
    slot = next((each for each in reversed(slots) if each.value(chart.bars) is not None), None)
    line = next((each for each in chart.lines if each.tone is _GAP_TO.get(chart.bars.tone)), None)
    value, goal = (None, None) if slot is None or line is None else (slot.value(chart.bars), slot.value(line))
    if slot is None or value is None or goal is None or number_text(abs(value - goal)) == "0":
        return
    apart = number_text(abs(value - goal))
    low, high = (round(each / top * plot) for each in sorted((value, goal)))
    if chart.bars.tone is Tone.LEFT:
        bar, colour = BEHIND if value > goal else AHEAD
        for row in range(min(low + 1, high), high + 1):
            grid.put_over(slot.x, plot - row, "█" * slot.width, bar)
        text = f" {apart} {'behind' if value > goal else 'ahead'} "
    else:
        text, colour = f" {apart} to go ", "foreground"
    x, y = slot.x + slot.width, plot - max(1, (low + high) // 2)
    grid.put_over(x if x + len(text) <= grid.width else slot.x - len(text), y, text, colour)


_GAP_TO: Mapping[Tone, Tone] = {Tone.LEFT: Tone.GUIDE, Tone.DONE: Tone.SCOPE}
"""The line that a series is measured against."""


def _draw_axis(grid: CellGrid, chart: Timeline, slots: Sequence[ChartColumn], plot: int, chosen: int | None) -> None:
    cells = sum(slot.width for slot in slots)
    grid.put(slots[0].x, plot, AXIS * cells, "rule")
    place = {at: slot for slot in slots for at in range(slot.first, slot.last + 1)}
    today, marked = _marked_day(chart, None), _marked_day(chart, chosen)
    mondays = [at for at, day in enumerate(chart.days) if day.weekday() == 0]
    weeks = max(1, ceil(LABEL * len(chart.days) / (7 * cells)))
    for at in dict.fromkeys(at for at in (marked, today, *mondays[::weeks], 0, len(chart.days) - 1) if at is not None):
        sign, colour = (MARK, "foreground") if at == marked else (LABEL_TICK, "muted")
        colour = TODAY if at == today else colour
        text, x = f"{sign}{'today' if at == today else day_text(chart.days[at])}", place[at].middle
        if x + len(text) > grid.width:
            text, x = f"{text[1:]}{sign}", x - len(text) + 1
        before, after = min(1, x), min(1, grid.width - x - len(text))
        if grid.is_free(x - before, plot + 1, len(text) + before + after):
            grid.put(x, plot + 1, text, colour)


def line_at(chart: Bars, room: int) -> int | None:
    """Return the cell of the line across bars, behind a bar of just that length; None without a line."""
    return min(room - 1, round(chart.line / chart.top * room)) if chart.line else None


def stacked_bar(chart: Bars, bar: Bar | None, room: int) -> list[Piece]:
    """Return the parts of a bar and the line across bars, as wide as the room; without a bar only the line.

    A longer bar goes beyond the line, which has one colour over all bars.
    """
    line = line_at(chart, room)
    cells: list[Piece] = []
    so_far = 0.0
    if bar is not None and bar.values[0] == bar.total <= (chart.line or bar.total):
        cells = [(sign, COLOURS[chart.parts[0].tone]) for sign in plain_bar(bar.total, chart.top, room)]
    elif bar is not None:
        for value, part in zip(bar.values, chart.parts, strict=True):
            so_far += value
            least = len(cells) + 1 if line is None or so_far <= chart.line else max(len(cells) + 1, line + 2)
            end = max(least, round(so_far / (chart.top or 1.0) * room)) if value > 0 else 0
            cells += [(FILLS[part.tone], COLOURS[part.tone])] * (min(room, end) - len(cells))
    cells += [(" ", "foreground")] * (room - len(cells))
    if line is not None:
        sign, colour = cells[line]
        # Dark on a full cell in dark themes, light in light ones: the other way round, red leaves a contrast of 2.1.
        cells[line] = (LIMIT_LINE, f"background{ON}{colour}" if sign == FILLS[Tone.DONE] else "foreground")
    return joined(cells)


def plain_bar(value: float, top: float, room: int) -> str:
    """Return a bar to an eighth of a cell, at least one eighth for a value above 0; the top fills the room."""
    eighths = round(value / top * room * 8) if top else 0
    eighths = max(1, eighths) if value > 0 else 0
    return "█" * (eighths // 8) + EIGHTHS_ACROSS[eighths % 8].strip()


def legend(chart: Chart, drawn: Sequence[Row] = ()) -> Row:
    """Return the legend of a chart, of the parts that bars have or a drawing shows; empty for one kind of bar."""
    if isinstance(chart, Bars):
        parts = [part for at, part in enumerate(chart.parts) if any(bar.values[at] for bar in chart.bars)]
        signs = [(FILLS[part.tone], COLOURS[part.tone], part.name) for part in parts if len(chart.parts) > 1]
        signs += [(LIMIT_LINE, "foreground", chart.line_name)] if chart.line else []
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

TRACKS = {"█": ("░", LIMIT_LINE), "━": ("─", "┼")}
"""The signs of the free part of a bar and of its limits, by those of its filled part."""
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

    Done, planned and excess parts have a colour each; `full` is the sign of their cells. Without a capacity there is
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

    def piece(at: int) -> Piece:
        if at in limits:
            return TRACKS[full][1], "foreground"
        if at >= filled:
            return TRACKS[full][0], "rule"
        return full, "bar-done" if at < finished else "bar-over" if at >= end else "bar"

    return joined([piece(at) for at in range(width)])


def range_words(capacity: Capacity) -> str:
    """Return the minimum and the maximum, as 32–42, or the one there is, as min 32; nothing without a capacity."""
    least, most = capacity.least, capacity.most
    if least and most:
        return f"{number_text(least)}–{number_text(most)}"
    return f"min {number_text(least)}" if least else number_text(most) if most else ""


def capacity_words(load: PlannedLoad, capacity: Capacity, *, is_brief: bool = False) -> list[Piece]:
    """Return the points, the capacity, and the points over the maximum or below the minimum; briefly without "pts"."""
    over, target = capacity.over(load.points), range_words(capacity)
    limit = ("capacity " if capacity.least else "max ") if capacity.most else ""
    points = number_text(load.points) if is_brief and target else counted(round(load.points, 1), "pt")
    amount = f", {limit}{target}" if target else ""
    parts: list[Piece] = [(points, "foreground"), (amount, "muted")]
    if over:
        parts.append((f"  {number_text(over)} over", "conflict"))
    elif capacity.fit(load.points) is CapacityFit.UNDER:
        parts.append((f"  {number_text((capacity.least or 0) - load.points)} below", "muted"))
    return parts
