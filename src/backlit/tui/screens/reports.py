"""Reports: how the work went and where it stands, each as a sentence, a chart and the table of its numbers."""

from datetime import date

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer

from backlit.model.errors import BacklitError
from backlit.model.reports.report import Measure, Report, ReportName
from backlit.store.changes import Subject
from backlit.store.coverages import Coverage
from backlit.store.reports import OF_DAYS
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.gathered import Gathered
from backlit.tui.log_verbs import timer_words
from backlit.tui.report_choice import ReportChoice
from backlit.tui.report_saving import ReportSaving
from backlit.tui.screens.backlog_words import left_status
from backlit.tui.spans import span
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.widgets.report_chart import ReportChart
from backlit.tui.widgets.report_strip import ReportStrip
from backlit.tui.widgets.report_table import ReportTable, natural_width
from backlit.tui.work import work

DELAY = 0.5
"""Seconds between readings while items change."""
NARROW = 80
"""Cells below which the table stands under the chart."""
TABLE_SHARE = 0.46
"""How much of the width the table takes at most."""
HINTS = ("reports.measure", "reports.save", "reports.later", "reports.about", "reports.next", "app.help")
FEW_HINTS = ("reports.next", "app.help")
TOLD = (Subject.ITEMS, Subject.TREES, Subject.PEOPLE)


class ReportsScreen(ReportSaving):
    """One report at a time; what it is about stays while one goes from report to report."""

    AUTO_FOCUS = "ReportTable"
    CSS_PATH = "../styles/reports.tcss"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._which = ReportName.BURNDOWN
        self._measure = Measure.POINTS
        self._choice = ReportChoice(store.reports.coverages)
        self._project_id = store.project_id
        self._report: Report | None = None
        self._timer: Timer | None = None
        self._synced: tuple[float, date] | None = None

    def compose(self) -> ComposeResult:
        """Title, the list of reports, chart and table between rules, status."""
        self._title, self._status = SidesLine(id="title"), SidesLine(id="status")
        self._strip = ReportStrip(id="reports")
        self._chart, self._table = ReportChart(id="chart"), ReportTable(id="numbers")
        yield self._title
        yield self._strip
        yield RuleLine("┬")
        with Container(id="report"):
            yield self._chart
            yield self._table
        yield RuleLine("┴")
        yield self._status

    def on_mount(self) -> None:
        """Begin with what the user most likely wants."""
        self._chart.say("Adding up …")
        self._load()

    def on_resize(self) -> None:
        """Put the table beside the chart, or under it."""
        self.set_class(self.size.width < NARROW, "-narrow")
        self._fit_table()
        self._draw_words()

    def store_changed(self, gathered: Gathered) -> None:
        """Add up again what changed, at a measured pace; records change when the service was asked."""
        if self.store.project_id != self._project_id:
            self._project_id = self.store.project_id
            self._choice.choose(None)
        synced_at = self.store.connection.synced_at
        synced = (synced_at, self.store.today()) if synced_at is not None else None
        is_new_record = synced != self._synced and self._which in {*OF_DAYS, ReportName.VELOCITY}
        self._synced = synced
        if (is_new_record or any(subject in gathered for subject in TOLD)) and self._timer is None:
            self._timer = self.set_timer(DELAY, self._load_again)
        self._draw_words()

    # The report

    def shown_report(self) -> Report:
        """The report that is shown."""
        if self._report is None:
            raise CannotAct("The report is not added up yet.")
        return self._report

    def _load_again(self) -> None:
        self._timer = None
        self._load()

    def _load(self) -> None:
        self._strip.show(self._which)
        self._draw_words()
        self.run_worker(
            work(self._make, self._which, self._choice.coverage, self._measure), exclusive=True, group="report"
        )

    async def _make(self, name: ReportName, coverage: Coverage, measure: Measure) -> None:
        try:
            report = await self.store.reports.make(name, coverage, measure)
        except BacklitError as error:
            self._chart.say(str(error))
            return
        if self.is_attached and report != self._report:
            self._report = report
            self._chart.show(report)
            self._table.show(report)
            self._fit_table()
            self._draw_words()

    def _fit_table(self) -> None:
        if self._report is None:
            return
        width = self.size.width
        beside = min(natural_width(self._report) + 1, round(width * TABLE_SHARE))
        is_narrow = width < NARROW
        self._table.styles.width = "100%" if is_narrow else beside
        for rule in self.query(RuleLine):
            rule.join_at(None if is_narrow else width - beside)

    # Words

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._draw_words()

    def _draw_words(self) -> None:
        coverage, store = self._choice.coverage, self.store
        project = next((f" {each.name}" for each in store.projects() if each.id == store.project_id), "")
        about = self._report.about if self._report is not None else coverage.name
        days = span(coverage.start, coverage.end, store.today()) if about == coverage.name else ""
        place: list[Part] = [(project, "foreground"), (" › Reports", "muted"), (f" › {about}", "foreground")]
        unit = f"{self._measure.value} "
        self._title.say([(" backlit ", "accent"), *place], [(f"  {days}  ", "muted"), (unit, "foreground")])
        left = left_status(store.connection, store.outbox, self._table.cursor + 1, self._table.row_count())
        status = [*left, *timer_words(store)]
        self._status.say(status, hints(HINTS if self.size.width >= NARROW else FEW_HINTS))

    # Commands

    @on(ReportStrip.Chosen)
    def _report_chosen(self, message: ReportStrip.Chosen) -> None:
        message.stop()
        self._show(message.name)

    def _show(self, name: ReportName) -> None:
        self._which = name
        self._load()

    def do_reports_next(self, count: int | None) -> None:
        """Show the next report, the first after the last."""
        self._go_on(count or 1)

    def do_reports_previous(self, count: int | None) -> None:
        """Show the report before."""
        self._go_on(-(count or 1))

    def _go_on(self, steps: int) -> None:
        every = list(ReportName)
        self._show(every[(every.index(self._which) + steps) % len(every)])

    def do_reports_about(self, _count: int | None) -> None:
        """Pick what the reports are about."""
        from backlit.tui.dialogs.pick import Choice, PickDialog

        today = self.store.today()
        choices = [Choice(each, each.name, span(each.start, each.end, today)) for each in self._choice.offered()]

        def chosen(choice: Choice | None) -> None:
            if choice is not None and isinstance(choice.value, Coverage):
                self._choice.choose(choice.value)
                self._load()

        self.app.push_screen(PickDialog("Reports on", choices, self._choice.coverage), chosen)

    def do_reports_later(self, count: int | None) -> None:
        """Show the iteration or release after this one."""
        self._turn(count or 1)

    def do_reports_earlier(self, count: int | None) -> None:
        """Show the one before."""
        self._turn(-(count or 1))

    def _turn(self, steps: int) -> None:
        self._choice.turn(steps)
        self._load()

    def do_reports_measure(self, _count: int | None) -> None:
        """Add up points, or count items."""
        self._measure = Measure.ITEMS if self._measure is Measure.POINTS else Measure.POINTS
        self._load()

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        if self._table.current_item is not None:
            self.do_reports_open(None)

    def do_reports_open(self, _count: int | None) -> None:
        """Open the item of the row."""
        item_id = self._table.current_item
        if item_id is None:
            raise CannotAct("This row is no item; the rows of “Age” are.")
        from backlit.tui.screens.editor import EditorScreen

        self.app.push_screen(EditorScreen(self.store, item_id))
