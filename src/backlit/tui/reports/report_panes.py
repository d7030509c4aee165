"""The panes of a report: its sentence, chart, legend and notes, and the table of its numbers."""

from collections.abc import Iterator, Sequence
from datetime import date

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.amounts import counted
from backlit.model.reports.open_items import STUCK
from backlit.model.reports.report import Bars, Column, Report, Step, Timeline, Value, value_text
from backlit.model.statuses import StatusGroups, status_word
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.charts import LIMIT, ON, Piece, Row, draw, legend, plain_bar
from backlit.tui.drawing.text import fit, fit_right, safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles, status_colour, status_sign, type_colour, type_sign
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import Word

LEAST_PLOT = 9
"""Lines of a timeline below which notes are cut."""
MOST_BARS = 12
"""Lines of bars below which notes are cut."""
AIRY = 14
"""Lines from which there are blank lines between the parts."""
MOST_PLOT = 30
MARGIN = 1
BLANK: Row = ()
BAR = 20
"""Cells of the longest bar in a wide table."""
LEAST_BAR = 8
"""Cells below which a table has no bars."""
LEAST_NAMES = 40
"""Cells of a table that bars leave to the other columns."""
GAP = 2
SIGN = 2
"""Cells of a sign and the blank behind it."""


class ReportChart(Widget):
    """Shows a report; redraws only for another report or size."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._report: Report | None = None
        self._sentence = ""
        self._has_notes = False
        self._unit = ""
        self._chosen: int | None = None
        self._rows: list[Row] = []

    def show(self, report: Report, unit: str, *, has_notes: bool) -> None:
        """Show a report in a unit, with its notes or with their number."""
        self._report, self._sentence, self._unit, self._has_notes = report, "", unit, has_notes
        self._draw()

    def choose(self, row: int) -> None:
        """Mark the day or the bar of a row in the chart."""
        if row != self._chosen:
            self._chosen = row
            self._draw()

    def say(self, sentence: str) -> None:
        """Show a sentence instead of a report."""
        self._report, self._sentence = None, sentence
        self._draw()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._draw()

    def _draw(self) -> None:
        width, report = self.size.width - 2 * MARGIN, self._report
        if report is None:
            self._rows = words(self._sentence, width)
        else:
            has_list = is_list(report)
            height = self.app.size.height // 3 if has_list else self.size.height
            self._rows = rows_of(report, width, height, self._unit, has_notes=self._has_notes, chosen=self._chosen)
            self.styles.height = min(height, len(self._rows)) if has_list else None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line of it."""
        theme, width = ThemeStyles.of(self.app), self.size.width
        row = self._rows[y] if y < len(self._rows) else BLANK
        segments = [Segment(" " * MARGIN, theme.style())]
        segments += [Segment(text, piece_style(theme, colour)) for text, colour in row]
        return Strip(segments).adjust_cell_length(width, theme.style())


def words(text: str, width: int, colour: str = "muted") -> list[Row]:
    """Return a sentence as lines."""
    return [((line, colour),) for line in wrapped(text, max(1, width))] if text else []


def is_list(report: Report) -> bool:
    """Return whether a report is a list of items with bars, which replaces the chart."""
    return any(column.has_bar for column in report.table.columns)


def piece_style(theme: ThemeStyles, colour: str) -> Style:
    """Return the style of a piece of a drawing."""
    name, _, ground = colour.partition(ON)
    return theme.style(name, on=ground or None)


def rows_of(
    report: Report, width: int, height: int, unit: str, *, has_notes: bool, chosen: int | None = None
) -> list[Row]:
    """Return the report in so many cells: the chart takes the room that its words leave.

    Its unit stands above it, where blank lines fit too.
    """
    gap = [BLANK] if height >= AIRY else []
    has_chart = not report.chart.is_empty and not is_list(report)
    above: list[Row] = [((unit, "muted"),)] if has_chart else [BLANK]
    said = [*words(report.headline, width, "foreground"), *(above if gap or is_list(report) else [])]
    most_signs = [*gap, *_legend_rows(legend(report.chart), width)] if has_chart else []
    warnings = [row for note in report.warnings for row in words(note, width, "pending")]
    notes = warnings
    if has_notes or report.chart.is_empty:
        notes = [*warnings, *(row for note in report.sources for row in words(note, width))]
    left = height - len(said) - len(most_signs) - len(gap)
    least = min(len(report.chart.bars), MOST_BARS) if isinstance(report.chart, Bars) else LEAST_PLOT
    notes = _cut(notes, max(len(warnings), left - least), width)
    plot = left - len(notes)
    plot = min(plot, max(1, 2 * len(report.chart.bars)) if isinstance(report.chart, Bars) else MOST_PLOT)
    chart = draw(report.chart, width, max(1, plot), chosen) if has_chart else []
    signs = _legend_rows(legend(report.chart, chart), width) if has_chart else []
    return [*said, *chart, *(gap if signs else []), *signs, *(gap if notes and chart else []), *notes]


def note_words(report: Report, *, has_notes: bool) -> list[Word]:
    """Return the note on made-up records, and the key of the notes with its words."""
    badge: list[Word] = [(f"{report.badge}  ", "muted")] if report.badge else []
    if not report.has_hidden_notes:
        return badge
    words = f" {'hide' if has_notes else 'show'} {counted(len(report.sources), 'note')}"
    return [*badge, (key_of("reports.notes"), "accent", "reports.notes"), (words, "muted", "reports.notes")]


def way_words(way: Sequence[Step], groups: StatusGroups) -> Iterator[Piece]:
    """Yield the statuses that an item had, with the time in each."""
    for at, step in enumerate(way):
        if at:
            yield " → ", "muted"
        if step.status:
            yield f"{status_sign(step.status, groups)} {status_word(step.status)} ", status_colour(step.status, groups)
        yield step.words, "heading" if at == len(way) - 1 else "muted"


def _cut(notes: list[Row], most: int, width: int) -> list[Row]:
    """Return the first lines, with a sign for the rest."""
    if len(notes) <= most:
        return notes
    kept = notes[: max(0, most)]
    if kept:
        *first, (text, colour) = kept[-1]
        words_kept = text if cell_len(text) <= width - 2 else text.rpartition(" ")[0]
        kept[-1] = (*first, (f"{words_kept} …", colour))
    return kept


def _legend_rows(row: Row, width: int) -> list[Row]:
    """Return the legend on as many lines as it needs; a sign stays with its word."""
    lines: list[Row] = []
    for at in range(0, len(row), 2):
        pair = row[at : at + 2]
        if lines and sum(cell_len(text) for text, _ in (*lines[-1], *pair)) <= width + 2:
            lines[-1] = (*lines[-1], *pair)
        else:
            lines.append(pair)
    return lines


class ReportTable(LineList):
    """The rows of a report."""

    HEADER_LINES = 1

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._report: Report | None = None
        self._longest = 0.0
        self._layout: tuple[int, dict[int, int]] | None = None
        """The width that the columns were laid out for, and the widths of the columns."""
        self.status_groups = StatusGroups()

    def show(self, report: Report | None) -> None:
        """Show a report; a timeline starts at its end, and the same report keeps the cursor."""
        before, self._report, self._layout = self._report, report, None
        days = [row[0] for row in report.table.rows] if report is not None and is_list(report) else []
        self._longest = max(STUCK + 1, *(each for each in days if isinstance(each, float)), 0.0)
        is_same = before is not None and report is not None and before.title == report.title
        self.rows_replaced(self.cursor if is_same else self._first_row())

    def _first_row(self) -> int:
        chart = self._report.chart if self._report is not None else None
        is_in_time = isinstance(chart, Timeline) or (chart is not None and chart.is_in_time)
        if self._report is None or not is_in_time:
            return 0
        rows = self._report.table.rows
        return next((at for at in range(len(rows) - 1, -1, -1) if rows[at][1] is not None), 0)

    @property
    def current_item(self) -> int | None:
        """Return the item of the row under the cursor; None in other reports."""
        ids = self._report.table.item_ids if self._report is not None else ()
        return ids[self.cursor] if self.cursor < len(ids) else None

    @property
    def current_way(self) -> Sequence[Step]:
        """Return the statuses that the item under the cursor had; nothing in other reports."""
        ways = self._report.table.item_ways if self._report is not None else ()
        return ways[self.cursor] if self.cursor < len(ways) else ()

    def row_count(self) -> int:
        """Return the number of rows."""
        return len(self._report.table.rows) if self._report is not None else 0

    # Drawing

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the titles."""
        if self._report is None:
            return Strip.blank(self.size.width, ThemeStyles.of(self.app).style())
        titles = tuple(column.title for column in self._report.table.columns)
        return self._row(titles, "muted", is_cursor=False, is_header=True)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw a row; a row without a number is muted."""
        assert self._report is not None
        row = self._report.table.rows[index]
        item_type = self._report.table.item_types[index] if self._report.table.item_types else ""
        return self._row(row, "muted" if row[1] is None else "foreground", is_cursor=is_cursor, item_type=item_type)

    def _row(
        self, values: tuple[Value, ...], colour: str, *, is_cursor: bool, is_header: bool = False, item_type: str = ""
    ) -> Strip:
        assert self._report is not None
        theme = ThemeStyles.of(self.app)
        on = "cursor-background" if is_cursor else None
        segments = [Segment(fit("▌" if is_cursor else "", lead_of(self._report)), theme.style("accent", on=on))]
        style = theme.heading(colour) if is_header else theme.style(colour, on=on, bold=is_cursor)
        bar = bar_width(self._report, self.size.width)
        room = self.size.width - lead_of(self._report) - bar
        if self._layout is None or self._layout[0] != room:
            self._layout = room, widths_of(self._report, room)
        for at, width in self._layout[1].items():
            column, value = self._report.table.columns[at], values[at]
            text = str(value)[:width] if is_header else "" if value is None else value_text(value, column)
            is_late = column.has_bar and isinstance(value, float) and value > STUCK
            cell = theme.style("conflict", on=on, bold=True) if is_late else style
            if bar and column.has_bar:
                drawn = self._limit(bar - 1) if is_header else self._bar(value, bar - 1)
                segments.append(Segment(fit_right(text, width) + " ", cell))
                segments += [Segment(part, theme.style(tone, on=on)) for part, tone in (*drawn, (" " * GAP, colour))]
                continue
            if column.is_status and not is_header:
                word = f" {status_word(text)}" if width > SIGN else ""
                word = fit(f"{status_sign(text, self.status_groups)}{word}", width) + " " * GAP
                segments.append(Segment(word, theme.style(status_colour(text, self.status_groups), on=on)))
                continue
            if column.is_item:
                sign = type_sign(item_type) if item_type else ""
                segments.append(Segment(fit(sign, SIGN), theme.style(type_colour(item_type), on=on)))
            is_dated = isinstance((self._report.table.rows or [values])[0][at], date)
            is_left = column.is_text and not isinstance(value, date) and not is_dated
            cells = width - SIGN * column.is_item
            segments.append(Segment((fit if is_left else fit_right)(text, cells) + " " * GAP, cell))
        return Strip(segments).adjust_cell_length(self.size.width, theme.style(on=on))

    def _bar(self, days: Value, width: int) -> list[Piece]:
        """Return the bar of an item in eighths of a cell, with a line at the limit and the excess behind it."""
        amount, at = days if isinstance(days, float) else 0.0, self._limit_at(width)
        text = plain_bar(amount, self._longest, width).ljust(width)
        return [(text[:at], "bar"), (LIMIT, "foreground"), (text[at + 1 :], "bar-over")]

    def _limit(self, width: int) -> list[Piece]:
        """Return the title of the bars, with the limit."""
        at = self._limit_at(width)
        return [(fit_right(f"{STUCK}d", at), "muted"), (LIMIT, "muted"), (" " * (width - at - 1), "muted")]

    def _limit_at(self, width: int) -> int:
        return min(width - 2, round(STUCK / self._longest * width))


def bar_width(report: Report, width: int) -> int:
    """Return the cells for bars in a table; 0 without a column for them."""
    bar = min(BAR, (width - LEAST_NAMES) // 4)
    return bar if is_list(report) and bar >= LEAST_BAR else 0


def lead_of(report: Report) -> int:
    """Return the cells of the cursor bar, and of a blank before numbers and days."""
    return 1 if is_list(report) else 2


def natural_width(report: Report) -> int:
    """Return the cells of the whole table."""
    return lead_of(report) + sum(_natural(report, at) + GAP for at in range(len(report.table.columns))) - MARGIN


def widths_of(report: Report, room: int) -> dict[int, int]:
    """Return the shown columns with their widths: those of the largest rank are dropped first, then texts shrink.

    Statuses keep their signs.
    """
    room += GAP - MARGIN
    columns = report.table.columns
    shown = {at: _natural(report, at) for at in range(len(columns))}
    least = {at: min(width, columns[at].least) if columns[at].is_text else width for at, width in shown.items()}
    for at in sorted(shown, key=lambda at: (-columns[at].rank, -at)):
        if columns[at].rank == 0 or sum(least[each] + GAP for each in shown) <= room:
            break
        if columns[at].is_status:
            shown[at] = least[at] = SIGN
        else:
            del shown[at]
    over = sum(shown.values()) + GAP * len(shown) - room
    for at in sorted((at for at in shown if columns[at].is_text), key=lambda at: -shown[at]):
        less = max(0, min(over, shown[at] - least[at]))
        shown[at] -= less
        over -= less
    return shown


def _natural(report: Report, at: int) -> int:
    column: Column = report.table.columns[at]
    sign = SIGN if column.is_status or column.is_item else 0
    texts = (value_text(row[at], column) for row in report.table.rows)
    cells = (cell_len(safe(status_word(text) if column.is_status else text)) + sign for text in texts)
    return max(len(column.title), max(cells, default=1))
