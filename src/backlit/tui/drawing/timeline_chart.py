"""Timelines as lines of coloured text: areas, stepped lines and guides by day over an axis."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.dates import start_of_week
from backlit.model.reports.report import Series, Timeline, Tone, day_text, number_text, signed_text, ticks
from backlit.tui.drawing.cell_grid import LOWER_HALF, CellGrid
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
BEHIND, AHEAD = ("bar-over", "conflict"), ("bar-done", "status-done")
"""The colours of the gap to the ideal line and of its words."""
CORNER, TICK = "└", "┤"
LEFT_HALF, LOWER_LEFT = "▌", "▖"
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
    for line in sorted(chart.lines, key=lambda each: each.tone is Tone.GUIDE):
        _draw_line(grid, _over_days_off(chart, line), slots, plot, top)
    for series in (chart.bars, *chart.lines):
        if series.tone in STEPPED and not chart.layers:
            _name_steps(grid, series, slots, plot, top)
    _draw_gap(grid, chart, slots, plot, top)
    for tick in scale[1:] if plot >= LEAST_PLOT_WITH_GRID else ():
        grid.put_behind(left, plot - round(tick / top * plot), GRID_LINE, "rule")
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
        lines = None if before is None else plot - (before + 1) // 2, plot - up
        _draw_stair(grid, slot, lines, LINES[tone], colour)
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
    for slot, after in zip(slots, [*slots[1:], None], strict=True):
        value = slot.value(line)
        if value is None:
            continue
        following = after.value(line) if after is not None else None
        width = after.end - slot.end if after is not None and following is not None else 1
        for step in range(2 * width):
            between = value + ((following or 0.0) - value) * step / (2 * width) if following is not None else value
            quarter = int((between / top * plot + 0.5) * 4)
            dots = RIGHT_DOTS if step % 2 else LEFT_DOTS
            grid.put_dot(slot.end + step // 2, plot - quarter // 4, dots[quarter % 4], colour)


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
    """Write beside the largest steps in sight how far they go, where there is room."""
    known = [(slot, value, round(value / top * plot)) for slot in slots if (value := slot.value(line)) is not None]
    steps = [(after[0], after[2], after[1] - before[1]) for before, after in pairwise(known) if after[2] != before[2]]
    for slot, height, change in sorted(steps, key=lambda step: -abs(step[2]))[:NAMED_STEPS]:
        text, y = f"{line.name} {signed_text(change)}", plot - height
        x = min(slot.x + 1, grid.width - len(text))
        free = next((each for each in (y - 1, y + 1) if grid.is_free(x, each, len(text))), None)
        if free is not None:
            grid.put_over(x, free, text, "muted")


def _draw_gap(grid: CellGrid, chart: Timeline, slots: Sequence[ChartColumn], plot: int, top: float) -> None:
    """Draw how far the last record is from the ideal line, or name what a burnup still lacks of its scope."""
    slot = next((each for each in reversed(slots) if each.value(chart.bars) is not None), None)
    line = next((each for each in chart.lines if each.tone is _GAP_TO.get(chart.bars.tone)), None)
    value, goal = (None, None) if slot is None or line is None else (slot.value(chart.bars), slot.value(line))
    if not chart.has_gap or slot is None or value is None or goal is None or number_text(abs(value - goal)) == "0":
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
    begins = [at for at, day in enumerate(chart.days) if day == start_of_week(day)]
    weeks = max(1, ceil(LABEL * len(chart.days) / (7 * cells)))
    for at in dict.fromkeys(at for at in (marked, today, *begins[::weeks], 0, len(chart.days) - 1) if at is not None):
        sign, colour = (MARK, "foreground") if at == marked else (LABEL_TICK, "muted")
        colour = TODAY if at == today else colour
        text, x = f"{sign}{'today' if at == today else day_text(chart.days[at])}", place[at].middle
        if x + len(text) > grid.width:
            text, x = f"{text[1:]}{sign}", x - len(text) + 1
        before, after = min(1, x), min(1, grid.width - x - len(text))
        if grid.is_free(x - before, plot + 1, len(text) + before + after):
            grid.put(x, plot + 1, text, colour)
