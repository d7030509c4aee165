"""Charts as lines of coloured text: timelines by day, bars, and their legends."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import ceil
from typing import TypeAlias

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.planning import Capacity, CapacityFit, PlannedLoad
from backlit.model.reports.report import Bar, Bars, Chart, Series, Timeline, Tone, day_text, number_text, ticks
from backlit.tui.drawing.themes import TODAY

Piece: TypeAlias = tuple[str, str]
"""Some text and the theme variable that colours it, with ON and the one of its ground, if that is another."""
ON = " on "
Row: TypeAlias = tuple[Piece, ...]
"""One line of a drawing."""

COLOURS: Mapping[Tone, str] = {
    Tone.DONE: "bar-done",
    Tone.LEFT: "bar",
    Tone.STARTED: "bar",
    Tone.TESTED: "status-test",
    Tone.UNDERWAY: "bar-done",
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
GUIDE_DOTS = "⣀⠤⠒⠉"
"""The dots of a guide, by their height in a cell."""
LINES: Mapping[Tone, str] = {Tone.SCOPE: "━", Tone.GUIDE: GUIDE_DOTS[2:0:-1]}
GAP = "bar-gap"
"""The colour of the bar of a day without a record, which has the value of the last one."""
OVER = "bar-over"
"""The colour of the part of a bar above the ideal line."""
AXIS, CORNER, TICK, FOOT = "─", "└", "┤", "▀"
"""The axis, which is in the middle of its cells, and the part of a bar in them: values are read there too."""
LIMIT_LINE = "│"
MARK, LABEL_TICK = "▲", "╵"
"""The mark of the chosen day, and the tick of another one, below the axis."""
SATURDAY = 5
EIGHTHS_UP = " ▁▂▃▄▅▆▇█"
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

    def put_dots(self, x: int, y: int, quarter: int, colour: str) -> None:
        """Write the dots of a guide at a quarter of a cell's height, inside a bar that is higher than they are."""
        sign, under = self._cells[y][x] if 0 <= y < len(self._cells) and 0 <= x < self.width else (FOOT, colour)
        part = EIGHTHS_UP.find(sign)
        if 2 * quarter < part <= 4:
            self.put_dots(x, y + 1, len(GUIDE_DOTS) - 1, colour)
        elif sign != FOOT:
            self._cells[y][x] = (GUIDE_DOTS[quarter], f"{colour}{ON}{under}" if part > 4 else colour)

    def is_free(self, x: int, y: int, count: int) -> bool:
        """Return whether some cells of a line are in the grid and blank."""
        is_inside = 0 <= y < len(self._cells) and x >= 0 and x + count <= self.width
        return is_inside and all(self._cells[y][at][0] == " " for at in range(x, x + count))

    def rows(self) -> list[Row]:
        return [tuple(joined(line)) for line in self._cells]


def joined(cells: Sequence[Piece]) -> list[Piece]:
    runs = groupby(cells, key=lambda each: each[1])
    return [("".join(text for text, _ in run), colour) for colour, run in runs]


BELOW = 2
"""Lines of the axis and its labels."""
WIDEST_SLOT = 8
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
    def bar_width(self) -> int:
        return self.width - 1 if self.width > 2 else self.width

    @property
    def middle(self) -> int:
        return self.x + max(0, self.bar_width - 1) // 2

    @property
    def end(self) -> int:
        """Return the column that marks the end of its day, beside the bar in a wide slot."""
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
    guide, last = _guide_of(chart), None
    known = max((at for at, value in enumerate(chart.bars.values) if value is not None), default=-1)
    for slot in slots:
        value = slot.value(chart.bars)
        day = chart.days[slot.first]
        last = last if value is None else value
        is_off = day.weekday() >= SATURDAY
        if last is None or (value is None and (day not in chart.gaps or (is_off and slot.first > known))):
            continue
        is_gap = value is None and not is_off
        ideal = slot.value(guide) if guide is not None and not is_gap else None
        ends = last / top * plot, None if ideal is None else ideal / top * plot
        _draw_bar(grid, GAP if is_gap else COLOURS[chart.bars.tone], slot, ends, plot)
    for line in chart.lines:
        _draw_line(grid, line, slots, plot, top)
    return grid.rows()


def _marked_day(chart: Timeline, chosen: int | None) -> int | None:
    return chart.days.index(chart.today) if chosen is None and chart.today in chart.days else chosen


def _guide_of(chart: Timeline) -> Series | None:
    return next((each for each in chart.lines if each.tone is Tone.GUIDE and chart.bars.tone is Tone.LEFT), None)


def _scale(most: float, plot: int) -> tuple[int, Sequence[float], float]:
    """Return the lines of the plot, its ticks, as many lines apart, and the value at its upper end."""
    every = ticks(most, max(min(4, plot + 1), plot // LINES_PER_TICK + 1))
    step = every[1]
    intervals = max(1.0, most / step)
    lines = max(1, int(plot / intervals))
    plot = min(plot, ceil(intervals * lines - 1e-9))
    return plot, [tick for tick in every if tick / step * lines <= plot], plot / lines * step


def slots_of(days: int, left: int, room: int) -> list[ChartColumn]:
    """Return a slot for each day, or for a few days where there are more days than cells.

    Days of less than two cells each fill the room, some of them with one cell more than others.
    """
    room = max(1, room)
    width = min(WIDEST_SLOT, room // max(1, days))
    if width > 1:
        return [ChartColumn(left + width * n, width, n, n) for n in range(days)]
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


def _draw_bar(grid: CellGrid, colour: str, slot: ChartColumn, ends: tuple[float, float | None], plot: int) -> None:
    """Draw a bar from the middle of the axis on; `ends` are its own and that of the ideal line, if any, in lines.

    The cells above the line have another colour, at least the upper one of a bar that ends above it.
    """
    height, ideal = ends
    if height <= 0:
        return
    grid.put(slot.x, plot, FOOT * slot.bar_width, colour)
    is_over = ideal is not None and ideal < height
    end = max(int(is_over), round((height - 0.5) * 8))
    limit = min(round(max(0.5, ideal) - 0.5), (end - 1) // 8) if ideal is not None and is_over else plot
    for up in range(ceil(end / 8)):
        sign = EIGHTHS_UP[min(8, end - 8 * up)]
        grid.put(slot.x, plot - 1 - up, sign * slot.bar_width, OVER if up >= limit else colour)


def _draw_line(grid: CellGrid, line: Series, slots: Sequence[ChartColumn], plot: int, top: float) -> None:
    """Draw a line in the nearest cells: a scope as a line, a guide as dots between the ends of days."""
    sign, colour = LINES[line.tone], COLOURS[line.tone]
    for slot, after in zip(slots, [*slots[1:], None], strict=True):
        value = slot.value(line)
        if value is None:
            continue
        if line.tone is not Tone.GUIDE:
            grid.put(slot.x, plot - max(0, min(plot, round(value / top * plot))), sign * slot.width, colour)
            continue
        following = after.value(line) if after is not None else None
        width = after.end - slot.end if after is not None and following is not None else 1
        for x in range(slot.end, slot.end + width):
            between = value + ((following or 0.0) - value) * (x - slot.end) / width
            height = between / top * plot + 0.5
            grid.put_dots(x, plot - int(height), int(height % 1 * len(GUIDE_DOTS)), colour)


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
        cells[line] = (LIMIT_LINE, "foreground")
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
        signs += [(LIMIT_LINE, "foreground", "average")] if chart.line else []
    else:
        signs = [("█", COLOURS[chart.bars.tone], chart.bars.name)]
        signs += [(LINES[line.tone], COLOURS[line.tone], line.name) for line in chart.lines]
        signs += [("█", OVER, "behind")] if _guide_of(chart) else []
        signs += [("█", GAP, "no record")]
        found = " ".join(colour for row in drawn for _, colour in row).split()
        signs = [each for each in signs if not drawn or each[1] == "foreground" or each[1] in found]
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
