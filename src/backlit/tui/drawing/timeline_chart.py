"""Timelines as lines of coloured text: areas, stepped lines and guides by day over an axis."""

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.dates import start_of_week
from backlit.model.reports.report import Series, Timeline, Tone, day_text, number_text, ticks
from backlit.tui.drawing.cell_grid import FULL, LOWER_HALF, CellGrid
from backlit.tui.drawing.charts import (
    AREAS,
    AXIS,
    COLOURS,
    FOOT,
    GAP,
    GAP_LINE,
    LAYER_FILLS,
    LINES,
    ON,
    Row,
)
from backlit.tui.drawing.themes import TODAY

LEFT_DOTS, RIGHT_DOTS = (0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08)
"""The dots of a braille cell from the lowest to the highest, as bits of its character."""
DOTS = len(LEFT_DOTS)
"""Dots of a cell, one above the other."""
BEHIND, AHEAD = ("bar-over", "conflict"), ("bar-done", "status-done")
"""The colours of the gap to the ideal line and of its words."""
CORNER, TICK = "└", "┤"
GRID_LINE = "╌"
MARK, LABEL_TICK = "▲", "╵"
"""The mark of the chosen day, and the tick of another one, below the axis."""


LEAST_PLOT_WITH_GRID = 12
"""Lines of a plot from which its ticks have faint lines."""
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
    def last_dot(self) -> int:
        """Return the column of dots, two in a cell, at the end of its day."""
        return 2 * (self.x + self.width) - 1

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
    gap = _gap_of(chart, slots)
    if gap is not None:
        _draw_gap(grid, gap, plot, top)
    for line in sorted(chart.lines, key=lambda each: each.tone is Tone.GUIDE):
        _draw_line(grid, _over_days_off(chart, line), slots, plot, top)
    for series in (chart.bars, *chart.lines):
        if series.tone in STEPPED and not chart.layers:
            _name_steps(grid, series, slots, plot, top)
    if gap is not None:
        _name_gap(grid, gap, plot, top)
    for tick in scale[1:] if plot >= LEAST_PLOT_WITH_GRID else ():
        grid.put_behind(left, plot - round(tick / top * plot), GRID_LINE, "rule")
    return grid.rows()


def _marked_day(chart: Timeline, chosen: int | None) -> int | None:
    if chosen is not None and chosen < len(chart.days):
        return chosen
    return chart.days.index(chart.today) if chart.today in chart.days else None


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
        elif chart.bars.tone not in AREAS or chart.is_hollow:
            _draw_hollow_day(grid, chart.bars.tone, slot, (before, halves if last > 0 else None), plot)
            before = halves if last > 0 else None
        else:
            if last > 0:
                _draw_day(grid, chart.bars.tone, slot, halves, plot)
            if before is not None and slot.width >= LEAST_SLOT_WITH_EDGES:
                _draw_edge(grid, chart.bars.tone, slot.x, (before, halves), plot)
            before = halves


def _draw_hollow_day(
    grid: CellGrid, tone: Tone, slot: ChartColumn, halves: tuple[int | None, int | None], plot: int
) -> None:
    before, now = (None if each is None else plot - (each + 1) // 2 for each in halves)
    _draw_stair(grid, slot, (before, now), LINES[tone], COLOURS[tone])


def _draw_day(grid: CellGrid, tone: Tone, slot: ChartColumn, halves: int, plot: int) -> None:
    """Draw the line of a day, so many half cells above the axis, and the area below it."""
    colour, area, up = COLOURS[tone], AREAS[tone], (halves + 1) // 2
    grid.put(slot.x, plot, FOOT * slot.width, area)
    for row in range(1, up):
        grid.put(slot.x, plot - row, " " * slot.width, f"{colour}{ON}{area}")
    is_upper = halves % 2 == 0
    line = f"{colour}{ON}{area}" if is_upper and up else colour
    grid.put(slot.x, plot - up, (FOOT if is_upper else LOWER_HALF) * slot.width, line)


def _draw_edge(grid: CellGrid, tone: Tone, x: int, halves: tuple[int, int], plot: int) -> None:
    """Join the lines of two days, as wide as these are high, in the first cell of the later one."""
    if halves[0] != halves[1]:
        _fill(grid, x, range(min(halves), max(halves) + 1), plot, HalfCellColours(COLOURS[tone], below=AREAS[tone]))


class HalfCellColours(Struct, frozen=True):
    """The colour of what is filled, and those of the other half of its lowest and its highest cell."""

    fill: str
    below: str = ""
    above: str = ""


def _fill(grid: CellGrid, x: int, halves: range, plot: int, colours: HalfCellColours) -> None:
    """Fill half cells of a column, counted from the axis, which has the first one; full cells stay."""
    for row in range((halves[0] + 1) // 2, (halves[-1] + 1) // 2 + 1):
        y, has_lower, has_upper = plot - row, 2 * row - 1 in halves, 2 * row in halves
        if grid.sign(x, y) == FULL:
            continue
        if has_lower and has_upper:
            grid.put(x, y, FULL, colours.fill)
        elif has_upper:
            grid.put(x, y, FOOT, f"{colours.fill}{ON}{colours.below}" if row and colours.below else colours.fill)
        elif colours.above:
            grid.put(x, y, FOOT, f"{colours.above}{ON}{colours.fill}")
        else:
            grid.put(x, y, LOWER_HALF, colours.fill)


def _over_days_off(chart: Timeline, series: Series) -> Series:
    """Return a series whose days off between records have the value of the last one."""
    known = max((at for at, value in enumerate(series.values) if value is not None), default=-1)
    values = list(series.values)
    for at, day in enumerate(chart.days[:known]):
        if at and values[at] is None and not chart.work.includes(day):
            values[at] = values[at - 1]
    return replace(series, values=tuple(values))


def _draw_line(grid: CellGrid, line: Series, slots: Sequence[ChartColumn], plot: int, top: float) -> None:
    """Draw a line in the nearest blank cells: a scope in steps, a guide as dots between the ends of days."""
    colour = COLOURS[line.tone]
    if line.tone is not Tone.GUIDE:
        before: int | None = None
        for slot in slots:
            value = slot.value(line)
            y = None if value is None else plot - max(0, min(plot, round(value / top * plot)))
            _draw_stair(grid, slot, (before, y), LINES[line.tone], colour)
            before = y
        return
    points = [(slot.last_dot, value) for slot in slots if (value := slot.value(line)) is not None]
    if points and line.start is not None:
        points.insert(0, (2 * slots[0].x, line.start))
    dots = [(x, int((value / top * plot + 0.5) * DOTS)) for x, value in _without_straight(points)]
    for (x, y), (next_x, next_y) in pairwise(dots):
        steps = max(1, next_x - x, abs(next_y - y))
        for step in range(steps + 1):
            column, row = x + round((next_x - x) * step / steps), y + round((next_y - y) * step / steps)
            sides = RIGHT_DOTS if column % 2 else LEFT_DOTS
            grid.put_dot(column // 2, plot - row // DOTS, sides[row % DOTS], colour)


def _without_straight(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Leave out what falls as much before as after: slots differ by a cell, which would bend a straight line."""
    inner = zip(points, points[1:], points[2:], strict=False)
    bends = [here for before, here, after in inner if abs(before[1] - 2 * here[1] + after[1]) > 1e-6 * abs(here[1])]
    return [*points[:1], *bends, *points[1:][-1:]]


STAIRS: Mapping[str, tuple[str, tuple[str, str], tuple[str, str]]] = {
    "─": ("│", ("╭", "╯"), ("╮", "╰")),
    "━": ("┃", ("┏", "┛"), ("┓", "┗")),
}
"""For the line of a day its upright, and the corners at the upper and lower end of a rise and of a fall."""


def _draw_stair(
    grid: CellGrid, slot: ChartColumn, lines: tuple[int | None, int | None], sign: str, colour: str
) -> None:
    """Draw a day of a stepped line, with its rise or fall from the day before; both days' lines from the top."""
    before, now = lines
    if now is None:
        return
    signs = {(slot.x + at, now): sign for at in range(slot.width)}
    if before is not None and before != now:
        upright, rise, fall = STAIRS[sign]
        signs |= {(slot.x, y): upright for y in range(min(before, now) + 1, max(before, now))}
        signs[slot.x, min(before, now)], signs[slot.x, max(before, now)] = rise if now < before else fall
    for (x, y), text in signs.items():
        if grid.is_free(x, y, 1):
            grid.put_over(x, y, text, colour)


STEPPED = frozenset({Tone.SCOPE, Tone.PLAIN})
"""Series whose steps are named."""
NAMED_STEPS = 3


def _name_steps(grid: CellGrid, line: Series, slots: Sequence[ChartColumn], plot: int, top: float) -> None:
    """Write into the line how far it goes: behind its last step all of a few, else behind each of the largest."""
    values = [(slot, value) for slot in slots if (value := slot.value(line)) is not None]
    known = [(slot.x + 1, value, plot - round(value / top * plot)) for slot, value in values]
    steps = [(after[0], after[2], after[1] - before[1]) for before, after in pairwise(known) if after[1] != before[1]]

    def write(x: int, y: int, words: str) -> bool:
        """Write into the line where it is long enough; return whether it is."""
        has_room = grid.is_line(x, y, LINES[line.tone], len(words) + 1)
        grid.put_over(x, y, words if has_room else "", COLOURS[line.tone])
        return has_room

    said = " → ".join(number_text(value) for value, _ in groupby(value for _, value in values))
    if not steps or (len(steps) <= NAMED_STEPS and write(*steps[-1][:2], f" {line.name} {said} ")):
        return
    for x, y, change in sorted(steps, key=lambda step: -abs(step[2]))[:NAMED_STEPS]:
        words = _step_words(change)
        any(write(x, y, each) for each in (f" {line.name} {words} ", f" {words} "))


def _step_words(change: float) -> str:
    return f"{'up' if change > 0 else 'down'} {number_text(abs(change))}"


class IdealGap(Struct, frozen=True):
    """How far the last record is from the line that it is measured against."""

    slot: ChartColumn
    value: float
    goal: float
    is_to_ideal: bool
    named: float | None = None
    """The distance that the report names."""

    @property
    def is_behind(self) -> bool:
        return self.value > self.goal


def _gap_of(chart: Timeline, slots: Sequence[ChartColumn]) -> IdealGap | None:
    line = next((each for each in chart.lines if each.tone is _GAP_TO.get(chart.bars.tone)), None)
    last = next((at for at in reversed(range(len(chart.days))) if chart.bars.values[at] is not None), None)
    if not chart.has_gap or line is None or last is None:
        return None
    value, goal = chart.bars.values[last], line.values[last]
    if value is None or goal is None or number_text(abs(value - goal)) == "0":
        return None
    slot = next(each for each in slots if each.first <= last <= each.last)
    return IdealGap(slot, value, goal, chart.bars.tone is Tone.LEFT, chart.gap)


def _draw_gap(grid: CellGrid, gap: IdealGap, plot: int, top: float) -> None:
    """Fill the last day between the line of its record and the height of the ideal line at its end."""
    value, goal = (round(2 * each / top * plot) for each in (gap.value, gap.goal))
    halves = range(goal, value) if gap.is_behind else range(value + 1, goal + 1)
    line, area = COLOURS[Tone.LEFT], AREAS[Tone.LEFT]
    colours = HalfCellColours(BEHIND[0], area, line) if gap.is_behind else HalfCellColours(AHEAD[0], below=line)
    for x in range(gap.slot.x, gap.slot.x + gap.slot.width) if gap.is_to_ideal and halves else ():
        _fill(grid, x, halves, plot, colours)


def _name_gap(grid: CellGrid, gap: IdealGap, plot: int, top: float) -> None:
    apart, slot = number_text(abs(gap.value - gap.goal if gap.named is None else gap.named)), gap.slot
    if gap.is_to_ideal:
        text, colour = f" {apart} {'behind' if gap.is_behind else 'ahead'} ", (BEHIND if gap.is_behind else AHEAD)[1]
    else:
        text, colour = f" {apart} to go ", "foreground"
    x, y = slot.x + slot.width, plot - max(1, round((gap.value + gap.goal) / 2 / top * plot))
    grid.put_over(x if x + len(text) <= grid.width else slot.x - len(text), y, text, colour)


_GAP_TO: Mapping[Tone, Tone] = {Tone.LEFT: Tone.GUIDE, Tone.DONE: Tone.SCOPE}
"""The line that a series is measured against."""


def _draw_axis(grid: CellGrid, chart: Timeline, slots: Sequence[ChartColumn], plot: int, chosen: int | None) -> None:
    cells = sum(slot.width for slot in slots)
    grid.put(slots[0].x, plot, AXIS * cells, "rule")
    place = {at: slot for slot in slots for at in range(slot.first, slot.last + 1)}
    today, marked = _marked_day(chart, None), _marked_day(chart, chosen)
    begins = [at for at, day in enumerate(chart.days) if day == start_of_week(day)]
    weeks = max(1, ceil(LABEL * len(chart.days) / (7 * cells)))
    for at in dict.fromkeys(at for at in (marked, today, *begins[::weeks], 0, len(chart.days) - 1) if at is not None):
        sign, colour = (MARK, "foreground") if at == marked else (LABEL_TICK, "muted")
        colour = TODAY if at == today else colour
        text = f"{sign}{'today' if at == today else day_text(chart.days[at])}"
        x = place[at].middle if sign == MARK else place[at].x
        if x + len(text) > grid.width:
            text, x = f"{text[1:]}{sign}", x - len(text) + 1
        before, after = min(1, x), min(1, grid.width - x - len(text))
        if grid.is_free(x - before, plot + 1, len(text) + before + after):
            grid.put(x, plot + 1, text, colour)
