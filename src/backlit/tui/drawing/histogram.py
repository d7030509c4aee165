"""Upright columns, one for each value of a scale."""

from math import ceil

from backlit.model.reports.report import Bars, number_text
from backlit.tui.drawing.cell_grid import CellGrid
from backlit.tui.drawing.charts import AXIS, COLOURS, Row

EIGHTHS_UP = " ▁▂▃▄▅▆▇█"
OUTLINED = "▒"
"""The fill of a column of items that lack what the others are counted by."""
LEAST_WITH_BRACKET = 8
"""Lines above which there is a bracket."""
MOST_COLUMN, COLUMN_GAP = 12, 2
"""Cells of the widest column of a histogram, and between columns."""


def draw_histogram(chart: Bars, width: int, height: int) -> list[Row]:
    """Draw upright columns with their numbers above and their labels below; those of `unset` are outlined."""
    slot = max(2, min(MOST_COLUMN + COLUMN_GAP, width // max(1, len(chart.bars))))
    gap = min(COLUMN_GAP, slot // 3)
    # The bracket over the first columns takes a line of its own.
    bracket = _bracket(chart, chart.within * slot - gap)
    above = 1 if bracket and height > LEAST_WITH_BRACKET else 0
    plot = max(1, height - 2 - above)
    grid = CellGrid(width, plot + 2 + above)
    if above:
        grid.put(0, 0, bracket, "muted")
    for at, bar in enumerate(chart.bars):
        x, cells = at * slot, slot - gap
        eighths = round(bar.total / (chart.top or 1.0) * (plot - 1) * 8)
        eighths = max(1, eighths) if bar.total else 0
        is_unset = bar.label in chart.unset
        colour = "muted" if is_unset else COLOURS[chart.parts[0].tone]
        for up in range(ceil(eighths / 8)):
            sign = OUTLINED if is_unset else EIGHTHS_UP[min(8, eighths - 8 * up)]
            grid.put(x, above + plot - 1 - up, sign * cells, colour)
        grid.put(x, above + plot - 1 - ceil(eighths / 8), f"{number_text(bar.total):^{cells}}"[:cells], "foreground")
        grid.put(x, above + plot, AXIS * (slot if at < len(chart.bars) - 1 else cells), "rule")
        grid.put(x, above + plot + 1, f"{bar.label[:cells]:^{cells}}", "muted")
    return grid.rows()


def _bracket(chart: Bars, width: int) -> str:
    """Return the bracket over the first columns with its words; empty where there is no room for them."""
    words = f" {chart.within_words} "
    rest = width - len(words) - 2
    if not chart.within or rest < 0:
        return ""
    return f"╭{'─' * (rest // 2)}{words}{'─' * (rest - rest // 2)}╮"
