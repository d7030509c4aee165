"""The panes of a report: its sentence, chart, legend and notes, and the table of its numbers."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.amounts import counted
from backlit.model.reports.item_reports import STUCK_DAYS
from backlit.model.reports.report import Bars, Report, ReportColumn, StatusStep, Value, number_text, value_text
from backlit.model.statuses import StatusGroups, status_word
from backlit.tui.drawing.charts import (
    LIMIT_LINE,
    ON,
    Piece,
    Row,
    legend,
    line_at,
    stacked_bar,
)
from backlit.tui.drawing.histogram import draw_histogram
from backlit.tui.drawing.text import SHADES, fit, fit_right, safe, wrapped
from backlit.tui.drawing.themes import CURSOR_BAR, ThemeStyles, status_colour, status_sign, type_colour, type_sign
from backlit.tui.drawing.timeline_chart import draw_timeline
from backlit.tui.reports.status_spans import DayScale, day_axis, day_scale, span_bar, without_words
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import key_words
from backlit.tui.widgets.side_lines import HEADING, Word

LEAST_PLOT = 9
"""Lines of a timeline below which notes are cut."""
AIRY, AIRIEST = 14, 24
"""Lines from which there are blank lines between the parts, and one above the unit."""
ROOMY, FRAME = 10, 9
"""Lines for the words above a table from which there is a blank line among them, and lines besides a table's rows."""
MOST_PLOT = 45
MARGIN = 1
BLANK: Row = ()
LEAST_BAR, LEAST_ITEM_BAR = 16, 8
"""Cells of the longest bar beside columns that a narrow table drops, of iterations and the like and of items."""
LEAD, GAP = 1, 2
"""Cells of the cursor bar, and between columns."""
SIGN = 2
"""Cells of a sign and the blank behind it."""
TALL_ROW_LINES = 5
"""Lines of a row with a high span: those of its name, of the span, and a blank one."""
LEAST_TITLE = 6
"""Cells that a title of figures keeps where a narrow table cuts it."""


class ReportChart(Widget):
    """Shows a report; redraws only for another report or size."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._report: Report | None = None
        self._sentence = ""
        self._has_notes = False
        self._unit = ""
        self._notes: Sequence[str] = ()
        self._chosen: int | None = None
        self._rows: list[Row] = []

    def show(self, report: Report, unit: str, notes: Sequence[str], *, has_notes: bool) -> None:
        self._report, self._sentence, self._unit, self._has_notes = report, "", unit, has_notes
        self._notes = notes
        self._draw()

    def choose(self, row: int) -> None:
        if row != self._chosen:
            self._chosen = row
            self._draw()

    def say(self, sentence: str) -> None:
        self._report, self._sentence = None, sentence
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width, report = self.size.width - 2 * MARGIN, self._report
        if report is None:
            self._rows = words(self._sentence, width)
            self.styles.height = None
        else:
            has_list = report.is_list
            height = self.app.size.height // 3 if has_list else self.size.height
            warnings = [row for note in (*self._notes, *report.warnings) for row in words(note, width, "warn")]
            is_open = self._has_notes or report.chart.is_empty
            hidden = [row for note in report.hidden_notes if is_open for row in words(note, width)]
            notes = DrawnNotes([*warnings, *hidden], len(warnings))
            self._rows = rows_of(report, width, height, self._unit, notes, chosen=self._chosen)
            self.styles.height = min(height, len(self._rows)) if has_list else None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        theme, width = ThemeStyles.of(self.app), self.size.width
        row = self._rows[y] if y < len(self._rows) else BLANK
        segments = [Segment(" " * MARGIN, theme.style())]
        segments += [Segment(text, piece_style(theme, colour)) for text, colour in row]
        return Strip(segments).adjust_cell_length(width, theme.style())


def words(text: str, width: int, colour: str = "muted") -> list[Row]:
    return [((line, colour),) for line in wrapped(text, max(1, width))] if text else []


def piece_style(theme: ThemeStyles, colour: str, on: str | None = None) -> Style:
    """Return the style of a piece of a drawing, on a ground of its own or the given one."""
    name, _, ground = colour.partition(ON)
    return theme.style("foreground" if name == HEADING else name, on=ground or on, bold=name == HEADING)


class DrawnNotes(Struct, frozen=True):
    """The lines of the notes, of which the first are never cut."""

    rows: list[Row]
    least: int = 0


def rows_of(
    report: Report, width: int, height: int, unit: str, below: DrawnNotes, *, chosen: int | None = None
) -> list[Row]:
    """Return the report in so many cells: a timeline takes the room that its words leave; bars are in the table.

    Its unit and its legend stand above it. Bars get a third of the screen's height.
    """
    said = words(report.headline, width, "foreground")
    notes = below.rows
    if isinstance(report.chart, Bars) and report.is_list:
        signs = () if report.table.item_ids else legend(report.chart)
        is_roomy = not signs or height > ROOMY or 3 * height > len(report.table.rows) + FRAME
        above = [BLANK] if is_roomy else []
        above += _legend_rows(((unit, "muted"), ("  ", "muted"), *signs), width) if signs else []
        return [*said, *_cut(notes, max(below.least, height - len(said) - len(above)), width), *above]
    if report.chart.is_empty:
        return [*said, BLANK, *notes]
    if isinstance(report.chart, Bars):
        notes = _cut(notes, max(below.least, height - len(said) - LEAST_PLOT), width)
        rest = height - len(said) - len(notes) - 2 * bool(height >= AIRY)
        around = [BLANK] * (height >= AIRY)
        return [*said, *around, *draw_histogram(report.chart, width, max(3, rest)), *around, *notes]
    said += [BLANK] * (height >= AIRIEST)
    gap = [BLANK] if notes and height >= AIRY else []
    before = (unit, "muted"), ("  ", "muted")
    left = height - len(said) - len(gap) - len(_legend_rows((*before, *legend(report.chart)), width))
    notes = _cut(notes, max(below.least, left - LEAST_PLOT), width)
    chart = draw_timeline(report.chart, width, max(1, min(left - len(notes), MOST_PLOT)), chosen)
    return [*said, *_legend_rows((*before, *legend(report.chart, chart)), width), *chart, *gap, *notes]


def note_words(report: Report, *, has_notes: bool) -> list[Word]:
    if not report.has_hidden_notes:
        return []
    verb = "hide" if has_notes else "show"
    return key_words("reports.notes", f"{verb} {counted(len(report.hidden_notes), 'note')}")


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
    lines: list[Row] = []
    for at in range(0, len(row), 2):
        pair = row[at : at + 2]
        if lines and sum(cell_len(text) for text, _ in (*lines[-1], *pair)) <= width + 2:
            lines[-1] = (*lines[-1], *pair)
        else:
            lines.append(pair)
    return lines


class TableLayout(Struct, frozen=True):
    """The cells of a table: all of them, of its columns, and of bars behind the first or spans below the others."""

    room: int
    widths: dict[int, int]
    bars: int = 0
    lead: int = 0
    """The cells before what stands below the first line of a row."""
    scale: DayScale | None = None


class ReportTableView(LineList):
    """The rows of a report; those of items with their ways have these on a second line."""

    HEADER_LINES = 1

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._report: Report | None = None
        self._bars: Bars | None = None
        self._layout: TableLayout | None = None
        self.status_groups = StatusGroups()
        self.owner_colours: Mapping[str, str] = {}
        """The colours of people by their user names."""

    def show(self, report: Report) -> None:
        """Show a report, at its end if it is in order of time; one of the same title or days keeps the cursor."""
        before = self._report
        is_same = before is not None and (before.title == report.title or before.days == report.days != ())
        self._report, self._layout = report, None
        self._bars = report.chart if isinstance(report.chart, Bars) and report.is_list and report.chart.bars else None
        self.rows_replaced(self.cursor if is_same else self._first_row(report))

    def clear(self) -> None:
        self._report = self._bars = self._layout = None
        self.rows_replaced(0)

    @property
    def least_row_lines(self) -> int:
        """The lines of a row without a blank one."""
        return 2 if self._report is not None and self._report.table.item_ways else 1

    def space(self, lines: int) -> None:
        """Give each row so many lines."""
        if lines != self.ROW_LINES:
            self.ROW_LINES, self._layout = lines, None
            self.rows_replaced(self.cursor)

    def _first_row(self, report: Report) -> int:
        rows = report.table.rows
        if isinstance(report.chart, Bars) and not report.chart.is_in_time:
            return 0
        return next((at for at in range(len(rows) - 1, -1, -1) if rows[at][1] is not None), 0)

    @property
    def current_item(self) -> int | None:
        """Return the item of the row under the cursor; None in other reports."""
        ids = self._report.table.item_ids if self._report is not None else ()
        return ids[self.cursor] if self.cursor < len(ids) else None

    @property
    def current_way(self) -> Sequence[StatusStep]:
        """Return the statuses that the item under the cursor had; nothing in other reports."""
        ways = self._report.table.item_ways if self._report is not None else ()
        return ways[self.cursor] if self.cursor < len(ways) else ()

    def row_count(self) -> int:
        return len(self._report.table.rows) if self._report is not None else 0

    # Drawing

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        if self._report is None or not self._report.table.rows:
            return Strip.blank(self.size.width, ThemeStyles.of(self.app).style())
        layout, bar, at = self._laid_out(self._report), list[Piece](), None
        titles = tuple(column.title for column in self._report.table.columns)
        if layout.scale is not None:
            days = fit_right(titles[0], layout.widths[0])
            return self._below(day_axis(layout.scale, self._report.document.today), is_cursor=False, lead=days)
        if self._bars is not None and layout.bars and (at := line_at(self._bars, layout.bars)) is not None:
            # Elsewhere the legend names the line.
            days = f"{number_text(self._bars.line)}d" if self._report.table.item_ids else ""
            bar = [(fit_right(days, at), "muted"), (LIMIT_LINE, "muted")]
        return self._row(titles, "muted", bar, is_cursor=False, is_header=True)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        assert self._report is not None
        table, layout, bar = self._report.table, self._laid_out(self._report), list[Piece]()
        row = table.rows[index]
        if self._bars is not None and layout.bars:
            bar = stacked_bar(self._bars, self._bars.bars[index], layout.bars)
        item_type = table.item_types[index] if table.item_types else ""
        colour = "muted" if row[1] is None else "foreground"
        strip = self._row(row, colour, bar, is_cursor=is_cursor, item_type=item_type)
        return self.with_scrollbar(strip, index)

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        if not line or self._report is None or self._bars is None:
            return self.render_row(index, is_cursor=is_cursor)
        layout = self._laid_out(self._report)
        if layout.scale is None:
            drawn = self._bars.bars[index]
            blank = replace(drawn, values=(0.0,) * len(drawn.values))
            return self._below(stacked_bar(self._bars, blank, layout.bars), is_cursor=False)
        high = self.ROW_LINES - 2 if self.ROW_LINES == TALL_ROW_LINES else 1
        if line > high:
            return self._below((), is_cursor=False)
        bar = span_bar(self._report.table.item_ways[index], self.status_groups, layout.scale)
        bar = bar if line == 1 + high // 2 else without_words(bar)
        return self.with_scrollbar(self._below(bar, is_cursor=is_cursor), index)

    def _below(self, pieces: Sequence[Piece], *, is_cursor: bool, lead: str = "") -> Strip:
        """Draw what stands below the first line of a row."""
        assert self._report is not None
        theme = ThemeStyles.of(self.app)
        lead = lead.ljust(self._laid_out(self._report).lead)
        segments = [Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR))]
        segments += [Segment(text, piece_style(theme, colour)) for text, colour in ((lead, "muted"), *pieces)]
        return Strip(segments).adjust_cell_length(self.size.width, theme.style())

    def _laid_out(self, report: Report) -> TableLayout:
        room = self.size.width - LEAD - MARGIN - bool(self.scrollbar_rows())
        if self._layout is None or self._layout.room != room:
            self._layout = _with_spans(report, room, self.status_groups) or self._with_bars(report, room)
        return self._layout

    def _with_bars(self, report: Report, room: int) -> TableLayout:
        width = self.size.width
        share = min(12, (width - 30) // 4) if report.table.item_ids else width // 4
        has_bars = self._bars is not None and not self._bars.gives_way
        least = max(LEAST_ITEM_BAR if report.table.item_ids else LEAST_BAR, share) if has_bars else 0
        widths = widths_of(report, room - (least + GAP if least else 0))
        rest = room - sum(cells + GAP for cells in widths.values())
        if rest < LEAST_ITEM_BAR or (widths[0] < _natural(report, 0) and not report.table.item_ids):
            least, widths = 0, widths_of(report, room)
        is_left = self._bars is not None and self._bars.gives_way and rest >= LEAST_ITEM_BAR
        return TableLayout(room, widths, bars=rest if least or is_left else 0, lead=widths[0] + GAP)

    def _row(
        self,
        values: tuple[Value, ...],
        colour: str,
        bar: list[Piece],
        *,
        is_cursor: bool,
        is_header: bool = False,
        item_type: str = "",
    ) -> Strip:
        assert self._report is not None
        theme = ThemeStyles.of(self.app)
        on = "cursor-background" if is_cursor else None
        segments = [Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR, on=on))]
        style = theme.heading(colour) if is_header else theme.style(colour, on=on, bold=is_cursor)
        layout = self._laid_out(self._report)
        for at, width in self._widths(layout, values).items():
            column, value = self._report.table.columns[at], values[at]
            text = str(value) if is_header else "" if value is None else value_text(value, column)
            text = fit(text, min(width, cell_len(text))) if is_header else text
            is_late = layout.scale is not None and isinstance(value, float) and value > STUCK_DAYS
            cell = theme.style("conflict", on=on, bold=True) if is_late else style
            if value == 0 and not is_cursor:
                cell = theme.style("faint")  # what there is stands out
            if column.is_owner and not is_header:
                cell = theme.style(self.owner_colours.get(text, "faint"), on=on)
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
            is_left &= layout.scale is None or not column.is_owner  # above the end of the spans
            cells = width - SIGN * column.is_item
            padded = (fit if is_left else fit_right)(text, cells)
            before, word, after = padded.partition(padded.strip()) if is_header and text else ("", padded, "")
            segments += [Segment(before, theme.style()), Segment(word, cell), Segment(after, theme.style())]
            segments.append(Segment(" " * GAP, theme.style(on=on)))
            if at == 0 and layout.bars:
                drawn = [*bar, (" " * (layout.bars + GAP - sum(len(text) for text, _ in bar)), colour)]
                # Below the cursor the shades would have another colour than in the legend.
                grounds = ("background" if SHADES.intersection(text) else on for text, _ in drawn)
                segments += [
                    Segment(text, piece_style(theme, tone, ground))
                    for (text, tone), ground in zip(drawn, grounds, strict=True)
                ]
        return Strip(segments).adjust_cell_length(self.size.width, theme.style(on=on))

    def _widths(self, layout: TableLayout, values: Sequence[Value]) -> dict[int, int]:
        """Return the cells of a row's columns; above spans a name has what its owner leaves."""
        assert self._report is not None
        columns, widths = self._report.table.columns, layout.widths
        owner = next((at for at in widths if columns[at].is_owner), None)
        if layout.scale is None or owner is None:
            return widths
        spare = widths[owner] - cell_len(safe(str(values[owner] or "")))
        return {at: width + (spare if columns[at].is_item else -spare * (at == owner)) for at, width in widths.items()}


def natural_width(report: Report) -> int:
    return LEAD + sum(_natural(report, at) + GAP for at in range(len(report.table.columns)))


def _with_spans(report: Report, room: int, groups: StatusGroups) -> TableLayout | None:
    """Return the cells of columns and of the spans below them; None for a report without ways."""
    table = report.table
    if not table.item_ways:
        return None
    widths = widths_of(report, room, has_spans=True)
    name = next(at for at in widths if table.columns[at].is_item)
    widths[name] += max(0, room + GAP - sum(width + GAP for width in widths.values()))
    lead = sum(width + GAP for at, width in widths.items() if at < name) + SIGN
    return TableLayout(room, widths, lead=lead, scale=day_scale(table.item_ways, groups, max(1, room - lead)))


def widths_of(report: Report, room: int, *, has_spans: bool = False) -> dict[int, int]:
    """Return the shown columns with their widths: those of the largest rank are dropped first, then texts shrink.

    Those that say nothing in a list are left out. Statuses keep their signs.
    """
    room += GAP
    columns = report.table.columns
    is_left_out = [_is_spare(report, at) or (has_spans and each.is_in_way) for at, each in enumerate(columns)]
    shown = {at: _natural(report, at) for at in range(len(columns)) if not is_left_out[at]}
    cut = {at: max(min(width, LEAST_TITLE), _values_width(report, at)) for at, width in shown.items()}
    least = {
        at: min(width, columns[at].least) if columns[at].is_text else width if report.is_list else cut[at]
        for at, width in shown.items()
    }
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
    for at in sorted(shown, key=lambda at: -shown[at]):  # titles of figures are cut before a column is
        less = 0 if columns[at].is_text else max(0, min(over, shown[at] - cut[at]))
        shown[at] -= less
        over -= less
    return shown


def _is_spare(report: Report, at: int) -> bool:
    rows = report.table.rows
    return report.is_list and report.table.columns[at].is_spare and all(row[at] in {0, None} for row in rows)


def _natural(report: Report, at: int) -> int:
    column: ReportColumn = report.table.columns[at]
    return max(len(column.title) + SIGN * column.is_item, _values_width(report, at))


def _values_width(report: Report, at: int) -> int:
    column: ReportColumn = report.table.columns[at]
    sign = SIGN if column.is_status or column.is_item else 0
    texts = (value_text(row[at], column) for row in report.table.rows)
    cells = (cell_len(safe(status_word(text) if column.is_status else text)) + sign for text in texts)
    return max(cells, default=1)
