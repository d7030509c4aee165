"""Bars beneath each other, with their names at the left and their numbers at the end."""

from collections.abc import Sequence

from rich.cells import cell_len

from backlit.model.reports.chart import Bar, Bars
from backlit.model.reports.report import number_text
from backlit.tui.drawing.charts.signs import COLOURS, EIGHTHS_ACROSS, FILLS, Piece, Row
from backlit.tui.drawing.text import fit, safe

LEAST_BAR = 12
"""Cells that bars keep before names are shown whole."""


def draw_bars(chart: Bars, width: int, height: int) -> list[Row]:
    """Draw into at most so many lines; a blank between bars where there is room for that."""
    shown, hidden = _fitting(chart, height)
    if not shown:
        return []
    numbers = max(len(number_text(each.total)) for each in shown)
    widest = max(cell_len(safe(each.label)) for each in shown)
    names = max(4, min(widest, width - numbers - LEAST_BAR - 3))
    room = max(1, width - names - numbers - 2)
    rows: list[Row] = []
    more: Row = ((f"… and {hidden:,} more in the table", "muted"),)
    if hidden and chart.keeps_last:
        rows.append(more)
    is_airy = height >= 2 * len(shown)
    for each in shown:
        bar = _bar(chart, each, room)
        rows.append(((f"{fit(each.label, names)} ", "foreground"), *bar, (f" {number_text(each.total)}", "muted")))
        if is_airy:
            rows.append(((" ", "foreground"),))
    if hidden and not chart.keeps_last:
        rows.append(more)
    return rows[:height]


def _fitting(chart: Bars, height: int) -> tuple[Sequence[Bar], int]:
    if len(chart.bars) <= height:
        return chart.bars, 0
    most = max(1, height - 1)
    return (chart.bars[-most:] if chart.keeps_last else chart.bars[:most]), len(chart.bars) - most


def _bar(chart: Bars, bar: Bar, room: int) -> list[Piece]:
    if len(chart.parts) == 1:
        eighths = round(bar.total / chart.top * room * 8) if chart.top else 0
        eighths = max(1, eighths) if bar.total > 0 else 0
        text = "█" * (eighths // 8) + EIGHTHS_ACROSS[eighths % 8].strip()
        return [(text, COLOURS[chart.parts[0].tone])]
    pieces: list[Piece] = []
    so_far, drawn = 0.0, 0
    for value, part in zip(bar.values, chart.parts, strict=True):
        so_far += value
        end = round(so_far / chart.top * room) if chart.top else 0
        end = min(room, max(end, drawn + 1)) if value > 0 else drawn
        pieces.append((FILLS[part.tone] * (end - drawn), COLOURS[part.tone]))
        drawn = end
    return pieces
