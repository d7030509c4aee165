"""What the columns of a table hold: the range and the chart of numbers, and how often each of a few values occurs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isfinite
from statistics import median

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment

from backlit.model.field_values import number_text
from backlit.tui.drawing.text import Line, fit, fit_right, safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.widgets.side_lines import Part

MAX_VALUES, LEAST_REPEATED = 6, 2
"""Values of a column that are counted at most, and how often one of them occurs on average at least."""
CHART_CELLS, SHAPES = 120, "▁▂▃▄▅▆▇█"
"""Cells of the chart of numbers at most, which are in the order of their rows, and its signs by height."""
LEAST_CHART_LINES, MAX_CHART_LINES, AXIS_LINES = 3, 18, 2
"""Lines of a chart: with less room it is one line without axes."""
BAR_COLOUR = "table-bar"
"""The colour of tables among files, dimmed: blue is for planned work."""
BAR, MAX_LABEL, COUNT_CELLS = "▆", 16, 6
"""The sign of a bar, which leaves a line between two of them, and cells of names and of counts."""
MIN_FIGURES_WIDTH = 36
"""Cells below which there are no figures beside a table."""


class ColumnFigures(Struct, frozen=True):
    """A column by its name: its counted values, the most frequent first, else its range in words and its chart."""

    name: str
    counts: Sequence[tuple[str, int]] = ()
    words: str = ""
    numbers: Sequence[float] = ()
    rows: int = 0
    """The rows that the numbers are of."""


def column_figures(rows: Sequence[Sequence[str]]) -> list[ColumnFigures]:
    """Return the figures of the columns of a table, whose first row is its heading; of other texts there are none."""
    heading, *body = rows
    columns = ([cell.strip() for cell in column] for column in zip(*body, strict=True))
    found = (_figures(name, column) for name, column in zip(heading, columns, strict=False))
    return [each for each in found if each is not None]


def _figures(name: str, column: Sequence[str]) -> ColumnFigures | None:
    counts = Counter(each for each in column if each)
    if not counts:
        return None
    if len(counts) <= MAX_VALUES and counts.total() >= LEAST_REPEATED * len(counts):
        return ColumnFigures(name, counts.most_common())
    numbers = [number for each in column if each and (number := _number(each)) is not None]
    if len(numbers) < counts.total():
        return None
    if len(numbers) > 1 and all(after - before == 1 for before, after in pairwise(numbers)):
        return ColumnFigures(name, words=f"counts the rows, {number_text(numbers[0])} to {number_text(numbers[-1])}")
    least, most, middle = (number_text(round(each, 2)) for each in (min(numbers), max(numbers), median(numbers)))
    return ColumnFigures(name, (), f"{least} to {most}, median {middle}", _means(numbers, CHART_CELLS), len(numbers))


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
    """Yield the figures below each other, with a blank line between two columns; charts share the lines left over."""
    label = min(MAX_LABEL, max((cell_len(safe(each.name)) for each in figures), default=0))
    room, blank = width - label - 2, Segment(" " * (label + 2), theme.style())
    charts = sum(bool(each.numbers) for each in figures)
    others = sum(len(each.counts) or 1 for each in figures) + len(figures) - 1
    lines = min(MAX_CHART_LINES, (height - others) // max(1, charts) - AXIS_LINES)
    for number, each in enumerate(figures):
        name = Segment(fit(each.name, label) + "  ", theme.style(bold=True))
        drawn = [*_bars(each.counts, room, theme)] if each.counts else [_words(each.words, room, theme)]
        if each.numbers:
            chart = (
                _chart(each.numbers, each.rows, room, lines)
                if lines >= LEAST_CHART_LINES
                else _shape(each.numbers, room)
            )
            drawn += [[Segment(text, theme.style(colour)) for text, colour in line] for line in chart]
        yield from [[]] if number else []
        yield from ([blank if row else name, *line] for row, line in enumerate(drawn))


def _words(words: str, room: int, theme: ThemeStyles) -> Line:
    return [Segment(fit(words, min(cell_len(words), room)), theme.style("muted"))]


def _bars(counts: Sequence[tuple[str, int]], room: int, theme: ThemeStyles) -> Iterator[Line]:
    values = min(MAX_LABEL, max(cell_len(safe(value)) for value, _ in counts))
    bars, most = min(CHART_CELLS, room - values - COUNT_CELLS - 1), counts[0][1]
    for value, count in counts:
        yield [
            Segment(fit(value, values) + " ", theme.style("muted")),
            Segment(BAR * max(1, round(count / most * bars)), theme.style(BAR_COLOUR)),
            Segment(fit_right(f"{count:,}", len(f" {most:,}")), theme.style()),
        ]


def _shape(numbers: Sequence[float], room: int) -> list[list[Part]]:
    """Return numbers as columns of blocks in one line."""
    return [[(row, BAR_COLOUR)] for row in _columns(_means(numbers, room), 1)]


def _chart(numbers: Sequence[float], rows: int, room: int, lines: int) -> list[list[Part]]:
    """Return numbers as columns over the rows of the table, with the most, the least and the rows at the axes."""
    most, least = (number_text(round(each, 2)) for each in (max(numbers), min(numbers)))
    values = max(len(most), len(least))
    cells = max(1, min(CHART_CELLS, room - values - 2))
    points = _means(numbers, cells)
    wide = [points[at * len(points) // cells] for at in range(cells)]
    ends = [most, *[""] * (lines - 2), least]
    drawn: list[list[Part]] = [
        [(f"{end:>{values}} ", "muted"), ("┤" if end else "│", "rule"), (row, BAR_COLOUR)]
        for end, row in zip(ends, _columns(wide, lines), strict=True)
    ]
    first, last = "row 1", f"row {rows:,}"
    gap = " " * max(1, cells - len(first) - len(last))
    lead = " " * (values + 1)
    return [*drawn, [(f"{lead}└" + "─" * cells, "rule")], [(f"{lead} {first}{gap}{last}", "muted")]]


def _columns(numbers: Sequence[float], lines: int) -> list[str]:
    """Return numbers as columns of blocks, in lines from the top one; the least has the lowest block."""
    least, span, top = min(numbers), (max(numbers) - min(numbers)) or 1.0, lines * len(SHAPES)
    heights = [min(top, 1 + int((each - least) / span * top)) for each in numbers]
    return ["".join(_block(each - line * len(SHAPES)) for each in heights) for line in reversed(range(lines))]


def _block(eighths: int) -> str:
    return SHAPES[min(eighths, len(SHAPES)) - 1] if eighths > 0 else " "
