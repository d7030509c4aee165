"""What the columns of a table hold: the range and the shape of numbers, and how often each of a few values occurs."""

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

MAX_VALUES, LEAST_REPEATED = 6, 2
"""Values of a column that are counted at most, and how often one of them occurs on average at least."""
SHAPE_CELLS, SHAPES = 40, "▁▂▃▄▅▆▇█"
"""Cells of the shape of numbers at most, which are in the order of their rows, and its signs by height."""
TITLE = "What the columns hold"
BAR, MAX_LABEL, COUNT_CELLS = "▆", 16, 6
"""The sign of a bar, which leaves a line between two of them, and cells of names and of counts."""
MIN_FIGURES_WIDTH = 36
"""Cells below which there are no figures beside a table."""


class ColumnFigures(Struct, frozen=True):
    """A column by its name: its counted values, the most frequent first, else its range in words and its shape."""

    name: str
    counts: Sequence[tuple[str, int]] = ()
    words: str = ""
    numbers: Sequence[float] = ()


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
    return ColumnFigures(name, words=f"{least} to {most}, median {middle}", numbers=_means(numbers, SHAPE_CELLS))


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


def _shape(numbers: Sequence[float]) -> str:
    """Return numbers as columns of blocks."""
    least, span = min(numbers), (max(numbers) - min(numbers)) or 1.0
    return "".join(SHAPES[min(len(SHAPES) - 1, int((each - least) / span * len(SHAPES)))] for each in numbers)


def figure_lines(figures: Sequence[ColumnFigures], width: int, theme: ThemeStyles) -> Iterator[Line]:
    """Yield the figures below each other under a title, with a blank line between two columns."""
    yield [Segment(fit(TITLE, min(width, len(TITLE))), theme.style("muted"))]
    label = min(MAX_LABEL, max((cell_len(safe(each.name)) for each in figures), default=0))
    room = width - label - 2
    for each in figures:
        yield []
        name = Segment(fit(each.name, label) + "  ", theme.style(bold=True))
        blank = Segment(" " * name.cell_length, theme.style())
        if not each.counts:
            yield [name, Segment(fit(each.words, min(cell_len(each.words), room)), theme.style("muted"))]
            if each.numbers:
                yield [blank, Segment(_shape(_means(each.numbers, room)), theme.style("bar"))]
            continue
        values = min(MAX_LABEL, max(cell_len(safe(value)) for value, _ in each.counts))
        bars, most = min(SHAPE_CELLS, room - values - COUNT_CELLS - 1), each.counts[0][1]
        for row, (value, count) in enumerate(each.counts):
            cells = max(1, round(count / most * bars))
            yield [
                blank if row else name,
                Segment(fit(value, values) + " ", theme.style("muted")),
                Segment(BAR * cells, theme.style("bar")),
                Segment(fit_right(f"{count:,}", len(f" {most:,}")), theme.style()),
            ]
