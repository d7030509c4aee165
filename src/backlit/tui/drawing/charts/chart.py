"""Any chart as lines of cells, and what its signs stand for."""

from backlit.model.reports.chart import Chart, Timeline
from backlit.tui.drawing.charts.bars import draw_bars
from backlit.tui.drawing.charts.signs import COLOURS, FILLS, GAP, LINES, Row
from backlit.tui.drawing.charts.timeline import draw_timeline


def draw(chart: Chart, width: int, height: int) -> list[Row]:
    """Draw into a width and at most so many lines."""
    return draw_timeline(chart, width, height) if isinstance(chart, Timeline) else draw_bars(chart, width, height)


def legend(chart: Chart) -> Row:
    """The signs of a chart with their names; nothing where there is only one kind of bar."""
    if isinstance(chart, Timeline):
        pieces = [("█ ", COLOURS[chart.bars.tone]), (f"{chart.bars.name}  ", "muted")]
        for line in chart.lines:
            pieces += [(f"{LINES[line.tone]} ", COLOURS[line.tone]), (f"{line.name}  ", "muted")]
        if chart.gaps:
            pieces += [(f"{GAP} no record", "muted")]
        return tuple(pieces)
    if len(chart.parts) == 1:
        return ()
    return tuple(
        piece
        for part in chart.parts
        for piece in ((f"{FILLS[part.tone]} ", COLOURS[part.tone]), (f"{part.name}  ", "muted"))
    )
