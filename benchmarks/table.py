"""Plain tables of figures, and the statistics in them."""

import math
import statistics
from collections.abc import Sequence

Cell = str | float | None


def percentile(values: Sequence[float], fraction: float) -> float:
    """By nearest rank."""
    return sorted(values)[max(0, math.ceil(fraction * len(values)) - 1)]


def median(values: Sequence[float]) -> float:
    """The middle value; nan where there is none, so that a table still prints."""
    return statistics.median(values) if values else math.nan


def written(cell: Cell) -> str:
    """Three figures that mean something."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.2f}"


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """The first column to the left, the others to the right."""
    cells = [list(header), *([written(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    print(f"\n{title}")
    for number, row in enumerate(cells):
        parts = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        print("  " + "  ".join(parts).rstrip())
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths))
