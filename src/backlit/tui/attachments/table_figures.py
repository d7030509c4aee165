"""What the columns of a table hold: the range and the chart of numbers, and how often each of a few values occurs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import ceil, floor, isfinite, log10
from statistics import median

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment

from backlit.model.amounts import counted
from backlit.model.field_values import number_text
from backlit.tui.drawing.charts import AXIS, FOOT, thin_bar
from backlit.tui.drawing.text import Line, fit, fit_right, safe
from backlit.tui.drawing.themes import ThemeStyles

MAX_VALUES, LEAST_REPEATED = 6, 2
"""Values of a column that are counted at most, and how often one of them occurs on average at least."""
CHART_CELLS, SHAPES, HALF = 160, "▁▂▃▄▅▆▇█", 4
"""Cells of the chart of numbers at most, which are in the order of their rows, its signs by height, and half a line."""
LEAST_CHART_LINES, MAX_CHART_LINES, AXIS_LINES = 3, 30, 2
"""Lines of a chart: with less room it is one line without axes."""
MAX_STEPS = 4
"""Steps of the axis of values at most."""
BAR_COLOUR = "table-bar"
"""The colour of tables among files, dimmed: blue is for planned work."""
MAX_LABEL = 16
"""Cells of the values before bars."""
MIN_FIGURES_WIDTH = 36
"""Cells below which there are no figures beside a table."""


class ColumnFigures(Struct, frozen=True):
    """A column by its name: its counted values, the most frequent first, else its range in words and its chart."""

    name: str
    counts: Sequence[tuple[str, int]] = ()
    words: str = ""
    numbers: Sequence[float] = ()
    median: float = 0.0
    """The median of the rows, of which the numbers may be means."""
    ends: tuple[str, str] = ("", "")
    """The names of the first and the last row that the numbers are of."""

    @property
    def has_range(self) -> bool:
        return bool(self.numbers) and max(self.numbers) > min(self.numbers)

    def labels(self) -> list[str]:
        """Return what stands before the figures: the values, or the ticks of a chart from its top."""
        if self.counts:
            return [value for value, _ in self.counts]
        ticks = self.ticks
        decimals = max(0, -floor(log10(ticks[0] - ticks[1])))
        return [f"{tick:,.{decimals}f}" for tick in ticks]

    @property
    def ticks(self) -> list[float]:
        """The round values of the axis, the largest first; the numbers are between its ends."""
        least, most = min(self.numbers), max(self.numbers)
        size = 10.0 ** floor(log10((most - least) / 3))
        size = next(factor * size for factor in (1, 2, 5, 10) if (most - least) / (factor * size) <= MAX_STEPS)
        return [size * at for at in range(ceil(most / size), floor(least / size) - 1, -1)]


def column_figures(rows: Sequence[Sequence[str]]) -> list[ColumnFigures]:
    """Return the figures of the columns of a table, whose first row is its heading; of other texts there are none.

    A column that counts the rows has no figures: it names them.
    """
    heading, *body = rows
    columns = [(name, [cell.strip() for cell in column]) for name, *column in zip(heading, *body, strict=True)]
    counting = next((each for each in columns if _counts_rows(each[1])), None)
    ends = ("row 1", f"row {len(body):,}")
    if counting is not None:
        name, numbers = counting
        ends = f"{name} {numbers[0]}", f"{name} {numbers[-1]}"
    found = (_figures(name, column, ends) for name, column in columns if not _counts_rows(column))
    return [each for each in found if each is not None]


def _counts_rows(column: Sequence[str]) -> bool:
    numbers = [_number(each) for each in column]
    known = [each for each in numbers if each is not None]
    return len(known) == len(numbers) > 1 and all(after - before == 1 for before, after in pairwise(known))


def _figures(name: str, column: Sequence[str], ends: tuple[str, str]) -> ColumnFigures | None:
    counts = Counter(each for each in column if each)
    if not counts:
        return None
    if len(counts) <= MAX_VALUES and counts.total() >= LEAST_REPEATED * len(counts):
        return ColumnFigures(name, counts.most_common())
    numbers = [number for each in column if each and (number := _number(each)) is not None]
    if len(numbers) < counts.total():
        return None
    middle = median(numbers)
    words = f"{_short(min(numbers))} to {_short(max(numbers))}, median {_short(middle)}"
    if min(numbers) == max(numbers):
        words = _short(middle)
    return ColumnFigures(name, (), words, _means(numbers, CHART_CELLS), middle, ends)


def _short(number: float) -> str:
    return number_text(round(number, 2))


def _number(text: str) -> float | None:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return None
    return number if isfinite(number) else None


def _means(numbers: Sequence[float], most: int) -> Sequence[float]:
    """Return numbers, the means of neighbours where there are more than `most`."""
    cells = min(max(1, most), len(numbers))
    ends = [len(numbers) * at // cells for at in range(cells + 1)]
    return [sum(numbers[start:end]) / (end - start) for start, end in pairwise(ends)]


def figure_lines(figures: Sequence[ColumnFigures], width: int, height: int, theme: ThemeStyles) -> Iterator[Line]:
    """Yield the figures below their names, with a blank line between two columns; charts share the lines left over."""
    charts = sum(bool(each.numbers) for each in figures)
    others = sum(len(each.counts) for each in figures) + 2 * len(figures) - 1
    lines = min(MAX_CHART_LINES, (height - others) // max(1, charts) - AXIS_LINES)
    has_charts = lines >= LEAST_CHART_LINES
    labels = [each.labels() if each.counts or (has_charts and each.has_range) else [] for each in figures]
    start = min(MAX_LABEL, max((cell_len(safe(text)) for texts in labels for text in texts), default=0))
    for number, (each, texts) in enumerate(zip(figures, labels, strict=True)):
        words = "" if texts else f"  {each.words}"
        name = fit(each.name, min(cell_len(safe(each.name)), width - cell_len(words)))
        yield from [[]] if number else []
        yield [Segment(name, theme.style(bold=True)), Segment(words, theme.style("muted"))]
        if each.counts:
            yield from _bars(each.counts, start, width, theme)
        elif texts:
            yield from _chart(each, start, width, lines, theme)
        else:
            yield _shape(each.numbers, width, theme)


def _bars(counts: Sequence[tuple[str, int]], start: int, room: int, theme: ThemeStyles) -> Iterator[Line]:
    """Yield the bars of values, whose names end at a column before them."""
    most = counts[0][1]
    width = len(counted(most, "row"))
    bars = min(CHART_CELLS, room - start - width - 3)
    for value, count in counts:
        amount = f"{count:>{len(f'{most:,}')},} {'row' if count == 1 else 'rows'}"
        yield [
            Segment(fit_right(value, start) + "  ", theme.style("muted")),
            Segment(thin_bar(count, most, bars), theme.style(BAR_COLOUR)),
            Segment(f" {amount}", theme.style()),
        ]


def _shape(numbers: Sequence[float], room: int, theme: ThemeStyles) -> Line:
    """Return numbers as columns of blocks in one line."""
    points = _means(numbers, room)
    least, span = min(points), (max(points) - min(points)) or 1.0
    heights = [min(len(SHAPES), 1 + int((each - least) / span * len(SHAPES))) for each in points]
    return [Segment(row, theme.style(BAR_COLOUR)) for row in _columns(heights, 1)]


def _chart(figures: ColumnFigures, start: int, room: int, lines: int, theme: ThemeStyles) -> list[Line]:
    """Return numbers as columns over the rows of the table, below a line at the median, between axes.

    Numbers are read in the middle of lines, and a step of the axis is a whole number of them where there is room.
    """
    numbers, (first, last), ticks = figures.numbers, figures.ends, figures.ticks
    most, least = ticks[0], ticks[-1]
    steps = len(ticks) - 1
    lines -= lines % steps if lines >= steps else 0

    def line_of(number: float) -> int:
        return lines - round((number - least) / (most - least) * lines)

    labels = dict[int, str]()
    for tick, label in sorted(zip(ticks, figures.labels(), strict=True), key=lambda each: each[0] not in {most, least}):
        if not {line_of(tick) - 1, line_of(tick), line_of(tick) + 1} & {*labels}:
            labels[line_of(tick)] = fit_right(label, start)
    cells = max(1, min(CHART_CELLS, room - start - 2))
    points = _means(numbers, cells)
    muted, rule, bar = theme.style("muted"), theme.style("rule"), theme.style(BAR_COLOUR)
    middle = min(line_of(figures.median), lines - 1)
    drawn: list[Line] = []
    shares = [(points[cell * len(points) // cells] - least) / (most - least) for cell in range(cells)]
    heights = [round(share * lines * len(SHAPES)) - HALF for share in shares]
    for at, row in enumerate(_columns(heights, lines)):
        label = labels.get(at, "")
        lead = [Segment(f"{label:{start}} ", muted), Segment("┤" if label else "│", rule)]
        drawn.append([*lead, *(_median_line(row, figures.median, theme) if at == middle else [Segment(row, bar)])])
    gap = " " * max(1, cells - cell_len(safe(first)) - cell_len(safe(last)))
    below = fit(f"{first}{gap}{last}", cells)
    feet = groupby(FOOT if height >= -HALF // 2 else AXIS for height in heights)
    axis = [Segment("".join(foot), bar if sign == FOOT else rule) for sign, foot in feet]
    axis = [Segment(f"{labels[lines]} ", muted), Segment("└", rule), *axis]
    return [*drawn, axis, [Segment(" " * (start + 2) + below, muted)]]


def _median_line(row: str, number: float, theme: ThemeStyles) -> Line:
    """Return a line of columns with a rule over them all that names the median, on the ground of those below."""
    reached, words = theme.style("foreground", on=BAR_COLOUR), f"── median {_short(number)} "
    signs = words.ljust(len(row), "─") if len(words) < len(row) else "─" * len(row)
    runs = groupby(zip(signs, row, strict=True), key=lambda each: each[1] in SHAPES[3:])
    return [
        Segment("".join(sign for sign, _ in run), reached if is_below else theme.style("muted"))
        for is_below, run in runs
    ]


def _columns(heights: Sequence[int], lines: int) -> list[str]:
    """Return heights in eighths as columns of blocks, in lines from the top one."""
    return ["".join(_block(each - line * len(SHAPES)) for each in heights) for line in reversed(range(lines))]


def _block(eighths: int) -> str:
    return SHAPES[min(eighths, len(SHAPES)) - 1] if eighths > 0 else " "
