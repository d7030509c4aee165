"""A report on the screen: its sentence, chart, legend and notes."""

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.reports.chart import Bars
from backlit.model.reports.report import Report
from backlit.tui.drawing.charts import Row, draw, legend
from backlit.tui.drawing.text import wrapped
from backlit.tui.drawing.theme_styles import ThemeStyles

LEAST_PLOT = 9
"""Lines of a timeline below which notes are cut."""
MOST_BARS = 12
"""Lines of bars below which notes are cut."""
LEAST_NOTES = 2
"""Lines kept for notes, whose first names the source; one on the smallest screens."""
AIRY = 14
"""Lines from which there are blank lines between the parts."""
MOST_PLOT = 22
MARGIN = 1
BLANK: Row = ()
SAMPLE = "SAMPLE"
"""Beginning of a note about made-up data."""


class ReportChart(Widget):
    """Shows a report; redraws only for another report or size."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._report: Report | None = None
        self._sentence = ""
        self._rows: list[Row] = []

    def show(self, report: Report) -> None:
        """Show a report."""
        self._report, self._sentence = report, ""
        self._draw()

    def say(self, sentence: str) -> None:
        """Show a sentence instead of a report."""
        self._report, self._sentence = None, sentence
        self._draw()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._draw()

    def _draw(self) -> None:
        width = self.size.width - 2 * MARGIN
        self._rows = rows_of(self._report, width, self.size.height) if self._report else words(self._sentence, width)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line of it."""
        theme, width = ThemeStyles.of(self.app), self.size.width
        row = self._rows[y] if y < len(self._rows) else BLANK
        segments = [Segment(" " * MARGIN, theme.style())]
        segments += [Segment(text, theme.style(colour)) for text, colour in row]
        return Strip(segments).adjust_cell_length(width, theme.style())


def words(text: str, width: int, colour: str = "muted") -> list[Row]:
    """Return a sentence as lines."""
    return [((line, colour),) for line in wrapped(text, max(1, width))] if text else []


def rows_of(report: Report, width: int, height: int) -> list[Row]:
    """Return the report in so many cells; notes are cut before the chart."""
    gap = [BLANK] if height >= AIRY else []
    said = [*words(report.headline, width, "foreground"), *gap]
    is_empty = report.chart.is_empty
    signs = _legend_rows(() if is_empty else legend(report.chart), width)
    signs = [*gap, *signs] if signs else []
    notes = [row for note in report.notes for row in words(note, width, _note_colour(note))]
    left = height - len(said) - len(signs) - len(gap)
    least = min(len(report.chart.bars), MOST_BARS) if isinstance(report.chart, Bars) else LEAST_PLOT
    notes = _cut(notes, max(LEAST_NOTES if gap else 1, left - least), width)
    plot = left - len(notes)
    plot = min(plot, max(1, 2 * len(report.chart.bars)) if isinstance(report.chart, Bars) else MOST_PLOT)
    chart = [] if is_empty else draw(report.chart, width, max(1, plot))
    return [*said, *chart, *signs, *(gap if notes and chart else []), *notes]


def _cut(notes: list[Row], most: int, width: int) -> list[Row]:
    """Return the first lines, with a sign for the rest."""
    if len(notes) <= most:
        return notes
    kept = notes[: max(0, most)]
    if kept:
        text, colour = kept[-1][0]
        words_kept = text if cell_len(text) <= width - 2 else text.rpartition(" ")[0]
        kept[-1] = ((f"{words_kept} …", colour),)
    return kept


def _note_colour(note: str) -> str:
    return "pending" if note.startswith(SAMPLE) else "muted"


def _legend_rows(row: Row, width: int) -> list[Row]:
    """Return the legend on as many lines as it needs; a sign stays with its word."""
    lines: list[list[tuple[str, str]]] = [[]]
    used = 0
    for at in range(0, len(row), 2):
        pair = row[at : at + 2]
        length = sum(cell_len(text) for text, _ in pair)
        if lines[-1] and used + length > width + 2:
            lines.append([])
            used = 0
        lines[-1] += pair
        used += length
    return [tuple(line) for line in lines if line]
