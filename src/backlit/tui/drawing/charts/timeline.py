"""Days along the bottom, bars above them in eighths of a cell, lines over the bars, gaps where nothing was recorded."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from backlit.model.reports.chart import Series, Timeline, Tone, ticks
from backlit.model.reports.report import day_text, number_text
from backlit.tui.drawing.charts.grid import Grid
from backlit.tui.drawing.charts.signs import COLOURS, EIGHTHS_UP, GAP, LINES, Row

BELOW = 2
"""The axis and its labels."""
WIDEST_SLOT = 8
LINES_PER_TICK = 3
LABEL_GAP = 2
DOT_EVERY = 3
"""Where columns are one cell wide, a guide leaves most of the bars to be seen."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One column of the chart: where it is, how wide, and the days it stands for (of several the last recorded)."""

    x: int
    width: int
    first: int
    last: int

    @property
    def middle(self) -> int:
        """Where its signs stand."""
        return self.x + max(0, self.bar_width - 1) // 2

    @property
    def bar_width(self) -> int:
        """Bars leave a blank between them where there is room."""
        return self.width - 1 if self.width > 2 else self.width

    @property
    def end(self) -> int:
        """Where the end of its day is marked: beside the bar where there is a cell."""
        return self.x + self.width - 1

    def value(self, series: Series) -> float | None:
        """The last number of its days."""
        return next((each for each in reversed(series.values[self.first : self.last + 1]) if each is not None), None)


def draw_timeline(chart: Timeline, width: int, height: int) -> list[Row]:
    """Draw into exactly so many cells."""
    grid = Grid(width, height)
    plot = max(1, height - BELOW)
    scale = ticks(chart.top, max(2, plot // LINES_PER_TICK + 1))
    left = max(len(number_text(tick)) for tick in scale) + 2
    slots = slots_of(len(chart.days), left, width - left)
    _draw_scale(grid, scale, left, plot)
    for slot in slots:
        _draw_bar(grid, chart, slot, plot, scale[-1])
    for line in chart.lines:
        _draw_line(grid, line, slots, plot, scale[-1])
    _draw_days(grid, chart, slots, left, plot)
    return grid.rows()


def slots_of(days: int, left: int, room: int) -> list[Slot]:
    """A column for each day; for so many days at once that they fit, where there are more days than cells."""
    room = max(1, room)
    if days <= room:
        width = min(WIDEST_SLOT, room // max(1, days))
        return [Slot(left + width * n, width, n, n) for n in range(days)]
    each = -(-days // room)
    return [Slot(left + n, 1, at, min(at + each, days) - 1) for n, at in enumerate(range(0, days, each))]


def _draw_scale(grid: Grid, scale: Sequence[float], left: int, plot: int) -> None:
    for y in range(plot):
        grid.put(left - 1, y, "│", "rule")
    for tick in scale:
        y = plot - round(tick / scale[-1] * plot)
        grid.put(0, y, f"{number_text(tick):>{left - 2}}", "muted")
        grid.put(left - 1, y, "┤" if tick else "┼", "rule")


def _draw_bar(grid: Grid, chart: Timeline, slot: Slot, plot: int, top: float) -> None:
    value = slot.value(chart.bars)
    if value is None:
        if any(day in chart.gaps for day in chart.days[slot.first : slot.last + 1]):
            grid.put(slot.middle, plot - 1, GAP, "muted")
        return
    eighths = round(value / top * plot * 8)
    eighths = max(eighths, 1) if value > 0 else 0
    colour = COLOURS[chart.bars.tone]
    for up in range(plot):
        part = min(8, eighths - 8 * up)
        if part > 0:
            grid.put(slot.x, plot - 1 - up, EIGHTHS_UP[part] * slot.bar_width, colour)


def _draw_line(grid: Grid, line: Series, slots: Sequence[Slot], plot: int, top: float) -> None:
    """A sign in the cell whose middle is nearest; a scope runs through, a guide is dots at the ends of days."""
    sign, colour = LINES[line.tone], COLOURS[line.tone]
    is_through = line.tone is not Tone.GUIDE
    every = DOT_EVERY if slots[0].width == 1 and not is_through else 1
    for slot in slots[::every]:
        value = slot.value(line)
        if value is not None:
            y = plot - 1 - max(0, min(plot - 1, round(value / top * plot - 0.5)))
            grid.put(slot.x if is_through else slot.end, y, sign * (slot.width if is_through else 1), colour)


def _draw_days(grid: Grid, chart: Timeline, slots: Sequence[Slot], left: int, plot: int) -> None:
    """The axis, with today on it, and as many dates below as have room: the ends and today before the Mondays."""
    grid.put(left, plot, "─" * sum(slot.width for slot in slots), "rule")
    place = {at: slot for slot in slots for at in range(slot.first, slot.last + 1)}
    today = chart.days.index(chart.today) if chart.today in chart.days else None
    if today is not None:
        grid.put(place[today].middle, plot, "▲", "accent")
    mondays = [at for at, day in enumerate(chart.days) if day.weekday() == 0]
    wanted = [0, *([today] if today is not None else []), len(chart.days) - 1, *mondays]
    for at in dict.fromkeys(wanted):
        text = _day_label(chart.days[at], chart.today)
        slot = place[at]
        x = min(slot.x if at == 0 else slot.middle - len(text) // 2, grid.width - len(text))
        before, after = min(LABEL_GAP, x), min(LABEL_GAP, grid.width - x - len(text))
        if grid.is_free(x - before, plot + 1, len(text) + before + after):
            grid.put(x, plot + 1, text, "accent" if at == today else "muted")


def _day_label(day: date, today: date) -> str:
    return "today" if day == today else day_text(day)
