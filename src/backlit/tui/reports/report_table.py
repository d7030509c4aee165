"""The table of a report: the columns that fit, and rows that open their items."""

from datetime import date

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.model.reports.chart import Timeline
from backlit.model.reports.report import Column, Report, Value, value_text
from backlit.tui.drawing.text import fit, fit_right, safe
from backlit.tui.drawing.theme_styles import ThemeStyles
from backlit.tui.widgets.line_list import LineList

GAP = 2
LEAD = 1


class ReportTable(LineList):
    """The rows of a report."""

    HEADER_LINES = 1

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._report: Report | None = None

    def show(self, report: Report | None) -> None:
        """Show a report; a timeline starts at its end, and the same report keeps the cursor."""
        before, self._report = self._report, report
        is_same = before is not None and report is not None and before.title == report.title
        self.rows_replaced(self.cursor if is_same else self._first_row())
        self.post_message(self.Highlighted(self, self.cursor))

    def _first_row(self) -> int:
        chart = self._report.chart if self._report is not None else None
        is_in_time = isinstance(chart, Timeline) or (chart is not None and chart.keeps_last)
        return max(0, self.row_count() - 1) if is_in_time else 0

    @property
    def current_item(self) -> int | None:
        """Return the item of the row under the cursor; None in other reports."""
        ids = self._report.table.item_ids if self._report is not None else ()
        return ids[self.cursor] if self.cursor < len(ids) else None

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
        return self._row(row, "muted" if row[1] is None else "foreground", is_cursor=is_cursor)

    def _row(self, values: tuple[Value, ...], colour: str, *, is_cursor: bool, is_header: bool = False) -> Strip:
        assert self._report is not None
        theme = ThemeStyles.of(self.app)
        on = "cursor-background" if is_cursor else None
        segments = [Segment("▌" if is_cursor else " ", theme.style("accent", on=on))]
        style = theme.style(colour, on=on, bold=is_cursor and not is_header)
        for at, width in widths_of(self._report, self.size.width - LEAD).items():
            column, value = self._report.table.columns[at], values[at]
            text = str(value) if is_header else value_text(value, column)
            is_left = column.is_text and not isinstance(value, date) and not _has_days(self._report, at)
            segments.append(Segment((fit if is_left else fit_right)(text, width) + " " * GAP, style))
        return Strip(segments).adjust_cell_length(self.size.width, theme.style(on=on))


def _has_days(report: Report, at: int) -> bool:
    return bool(report.table.rows) and isinstance(report.table.rows[0][at], date)


def natural_width(report: Report) -> int:
    """Return the cells of the whole table."""
    return LEAD + sum(_natural(report, at) + GAP for at in range(len(report.table.columns)))


def widths_of(report: Report, room: int) -> dict[int, int]:
    """Return the shown columns with their widths: those of the largest rank are dropped first, then texts shrink."""
    columns = report.table.columns
    shown = {at: _natural(report, at) for at in range(len(columns))}
    least = {at: min(width, columns[at].least) if columns[at].is_text else width for at, width in shown.items()}
    for at in sorted(shown, key=lambda at: (-columns[at].rank, -at)):
        if columns[at].rank == 0 or sum(least[each] + GAP for each in shown) <= room:
            break
        del shown[at]
    over = sum(shown.values()) + GAP * len(shown) - room
    for at in sorted((at for at in shown if columns[at].is_text), key=lambda at: -shown[at]):
        less = max(0, min(over, shown[at] - least[at]))
        shown[at] -= less
        over -= less
    return shown


def _natural(report: Report, at: int) -> int:
    column: Column = report.table.columns[at]
    cells = (cell_len(safe(value_text(row[at], column))) for row in report.table.rows)
    return max(len(column.title), max(cells, default=1))
