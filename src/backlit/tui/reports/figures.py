"""The large figures beside a chart, and the facts below them."""

from collections.abc import Sequence

from msgspec import Struct
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.amounts import counted
from backlit.model.reports.document import FigureSource
from backlit.model.reports.report import Report
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.charts import Piece, Row
from backlit.tui.drawing.large_figures import GAP, figure_rows
from backlit.tui.drawing.text import fit, safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.reports.report_panes import piece_style
from backlit.tui.reports.upcoming import UpcomingSprint, upcoming_rows
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.side_lines import HEADING

MARGIN = 2
DEFINITION_HEADING, DEFINITION_MARGIN, MAX_DEFINITION_LINES = "What counts", 3, 8
"""The heading, its line with the blanks around the definition, and the lines of it at most."""
OPEN_HEADING, LINES_OF_ITEM = "Still open", 2


class UnfinishedItem(Struct, frozen=True):
    """An item that is not done: the sign of its status, its owner and its points, with their colours."""

    sign: str
    colour: str
    name: str
    owner: str
    owner_colour: str
    amount: str


class FiguresBeside(Struct, frozen=True):
    """What stands below the figures of some reports: open items, and the next sprints."""

    open_items: Sequence[UnfinishedItem] = ()
    upcoming: Sequence[UpcomingSprint] = ()


class ReportFigures(Widget):
    """Shows the figures of a report, and below them what they mean; it changes with the report alone."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.frame: PaneFrame | None = None
        self._report: Report | None = None
        self._beside = FiguresBeside()
        self._rows: Sequence[Row] = ()

    def bar_lines(self) -> range:
        return range(0)

    def foot_words(self) -> Sequence[Piece]:
        return ()

    def show(self, report: Report, beside: FiguresBeside) -> None:
        self._report, self._beside = report, beside
        self._lay_out()

    @staticmethod
    def rows_of(report: Report, width: int) -> list[Row]:
        """Return the figures of a report in a widget of some width, without what stands below them."""
        is_hollow = report.document.source is not FigureSource.HISTORY
        return figure_rows(report.figures, report.facts, width - 2 * MARGIN, is_hollow=is_hollow)

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        if (report := self._report) is None:
            return
        width = self.size.width - 2 * MARGIN
        rows = self.rows_of(report, self.size.width)
        beside, velocity = self._beside, report.document.figure("median") or 0.0
        rows += open_rows(beside.open_items, width, self.size.height - len(rows))
        rows += upcoming_rows(beside.upcoming, velocity, width, self.size.height - len(rows))
        room = min(MAX_DEFINITION_LINES, self.size.height - len(rows) - DEFINITION_MARGIN)
        self._rows = [*rows, *definition_rows(report.name.sentences, width, room)]
        self.refresh()

    def render_line(self, y: int) -> Strip:
        theme, width = ThemeStyles.of(self.app), self.size.width
        row = self._rows[y] if y < len(self._rows) else ()
        segments = [
            Segment(" " * MARGIN, theme.style()),
            *(Segment(text, piece_style(theme, tone)) for text, tone in row),
        ]
        return Strip(segments).adjust_cell_length(width, theme.style())


def definition_rows(sentences: Sequence[str], width: int, room: int) -> list[Row]:
    """Return the first sentences of a definition that fit into some lines, below a heading; nothing without one.

    The help has all of them.
    """
    rows: list[Row] = []
    for at, sentence in enumerate(sentences):
        lines = wrapped(sentence, width)
        if len(rows) + len(lines) > room:
            more = counted(len(sentences) - at, "more rule")
            rows += [((key_of("app.help"), HEADING), (f"  {more}", "muted"))] if rows else []
            break
        rows += [((line, "muted"),) for line in lines]
    return [(), ((DEFINITION_HEADING, HEADING),), *rows] if rows else []


def open_rows(items: Sequence[UnfinishedItem], width: int, room: int) -> list[Row]:
    """Return open items below their heading, and how many more there are where not all of them fit.

    A name has two lines where all of them have room, else one.
    """
    if not items or room < 2 + LINES_OF_ITEM:
        return []
    most = (room - 2) // LINES_OF_ITEM
    shown = items if len(items) <= most else items[: (room - 3) // LINES_OF_ITEM]
    rows: list[Row] = [(), ((OPEN_HEADING, HEADING), (f" {len(items)}", "muted"))]
    names = [_name_lines(item.name, width - GAP) for item in shown]
    has_whole = len(rows) + len(names) + sum(map(len, names)) <= room and len(shown) == len(items)
    for item, lines in zip(shown, names, strict=True):
        first, *more = lines if has_whole else [fit(safe(item.name), width - GAP).rstrip()]
        rows.append(((f"{item.sign} ", item.colour), (first, "foreground")))
        rows += [((" " * GAP, "muted"), (line, "foreground")) for line in more]
        rows.append(((" " * GAP, "muted"), (safe(item.owner), item.owner_colour), (item.amount, "muted")))
    return [*rows, ((f"{len(items) - len(shown)} more", "muted"),)] if len(shown) < len(items) else rows


def _name_lines(name: str, width: int) -> list[str]:
    first, *rest = wrapped(safe(name), width) or [""]
    return [first, fit(" ".join(rest), width).rstrip()] if rest else [first]
