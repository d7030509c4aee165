"""The reports: one at a time, as a sentence, a chart and the table of its numbers; the selection and its commands.

The service computes them: each is asked for by a worker when it is chosen and after changes, and no key waits for it.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError
from backlit.model.reports.document import FigureSource
from backlit.model.reports.formats import FORMATS, as_markdown
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.presentation import present
from backlit.model.reports.report import Report, day_text
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.reports.answers import ReportAnswer
from backlit.store.reports.coverages import PERIODS, Coverage
from backlit.store.reports.reports import NO_TEAMS
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.dialogs.pick import Choice, PickDialog
from backlit.tui.dialogs.prompts import TextToSave, file_in, save_file
from backlit.tui.drawing.themes import KEY, owner_colour
from backlit.tui.fields.dates import event_words, span
from backlit.tui.items.preview import ItemPreview, item_context
from backlit.tui.reports.figures import ReportFigures
from backlit.tui.reports.report_panes import ReportChart, ReportTableView, natural_width, note_words, way_words
from backlit.tui.shell.paths import downloads
from backlit.tui.shell.status_text import status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import FRAMED_CLASS, PaneFrame
from backlit.tui.widgets.side_lines import FooterLine, RuleLine, TabLine, Word

RELOAD_DELAY = 0.5
"""Seconds between reloads while items change."""
NARROW = 80
"""Cells below which the table is under the chart."""
MIN_LINES_FOR_TABLE = 24
"""Lines below which it shows one row there, so that the chart has room."""
TABLE_SHARE = 0.5
"""Largest share of the width for the table."""
HINTS = (
    *("reports.next", "reports.about", "reports.later", "reports.unit", "reports.days", "reports.save", "g"),
    "app.help",
)
UNITS = {ReportUnit.POINTS: "Points", ReportUnit.ITEMS: "Items", ReportUnit.HOURS: "Hours"}
"""The words over a chart, by what it counts."""
LIST_HINTS = ("reports.open", *(each for each in HINTS if each not in {"reports.unit", "reports.days"}))
LIST_FRAME, AROUND = 1, 10
"""The line of titles above a list of items, and the lines around a list of bars."""
RELOAD_SUBJECTS = (Subject.ITEMS, Subject.TREES, Subject.PEOPLE, Subject.HISTORY)
LOADING_DELAY = 0.4
"""Seconds for which the last report stays while another one is read."""
STALE_HOURS = 24
"""Hours from which an earlier answer is in the warning colour."""
STILL_LOADING = "The report is still loading."
DAYS_WORDS: Sequence[Word] = [("td", KEY, "reports.days"), (" day table", "muted", "reports.days")]
SAVE_NOTE = "The suffix sets the format: .md, .csv or .json for the numbers, .svg for the chart."
_TEAM_KEY = "report team:"
"""The key of the value with a project's chosen team, before the project's number."""
_NOT_FOR_FILES = re.compile(r"[^\w.-]+")


class ReportSelection:
    """The selection of the reports' screen; it follows changed dates of a chosen iteration."""

    def __init__(self, store: Store) -> None:
        self.name = ReportName.BURNDOWN
        self.unit: ReportUnit | None = None
        """The chosen unit; None for the usual one of each report."""
        self._store = store
        self._teams: dict[int | None, int | None] = {}
        """The chosen teams by project, None for all."""
        self._coverages = store.reports.coverages
        self._chosen: Coverage | None = None

    def choose(self, coverage: Coverage | None) -> None:
        self._chosen = coverage

    @property
    def coverage(self) -> Coverage:
        chosen = self._chosen
        if chosen is None:
            return self._coverages.usual()
        if chosen.node_id is None:
            return self._coverages.period(chosen.days)
        return next(
            (each for each in self._coverages.iterations() if each.node_id == chosen.node_id), self._coverages.usual()
        )

    @property
    def team_id(self) -> int | None:
        """The team whose items alone count, which each project keeps; None for all, and where no server knows teams."""
        store = self._store
        if store.project_id not in self._teams:
            kept = store.kept.find(f"{_TEAM_KEY}{store.project_id}")
            self._teams[store.project_id] = kept if isinstance(kept, int) else None
        team_id = self._teams[store.project_id]
        return team_id if store.reports.has_history and team_id in store.lookups.teams() else None

    def choose_team(self, team_id: int | None) -> None:
        self._teams[self._store.project_id] = team_id
        self._store.kept.keep(f"{_TEAM_KEY}{self._store.project_id}", team_id)

    @property
    def question(self) -> tuple[ReportName, Coverage, ReportUnit | None, int | None]:
        return self.name, self.coverage, self.unit, self.team_id

    def offered(self) -> Sequence[Coverage]:
        return [*(self._coverages.period(days) for days in PERIODS), *self._coverages.iterations()]

    def turn(self, steps: int) -> None:
        """Choose a later or earlier iteration or release; raises CannotAct without one."""
        here, leaves = self.coverage, self._coverages.leaves()
        others = [each for each in self._coverages.iterations() if each not in leaves]
        row = leaves if here in leaves else sorted(others, key=lambda each: each.start)
        if here not in row:
            raise CannotAct("Periods always end today. fi chooses an iteration or a release.")
        at, noun = row.index(here) + steps, "iteration" if row is leaves else "release"
        if not 0 <= at < len(row):
            raise CannotAct(f"No {noun} {'after' if steps > 0 else 'before'} this one.")
        self._chosen = row[at]


class ReportsScreen(StoreScreen[None]):
    """Shows one report at a time; its coverage applies to all reports."""

    COMMAND_GROUPS = ("reports.screen", "widgets.text_view")
    AUTO_FOCUS = "ReportTableView"
    PLACE = "app.reports"
    CSS_PATH = "../styles/reports.tcss"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.selection = ReportSelection(store)
        self._project_id = store.project_id
        self._report: Report | None = None
        self._answer: ReportAnswer | None = None
        self._asked: object = None
        """What the shown report answers."""
        self._problem = STILL_LOADING
        self._timer: Timer | None = None
        self._synced: tuple[float, date] | None = None
        self.has_notes = False
        self.has_days = False

    def compose(self) -> ComposeResult:
        self._strip, self._heading = TabLine(id="reports"), RuleLine("┬", id="heading", is_of_first=True)
        self._rule, self._footer = RuleLine("┴", id="below"), FooterLine(id="status")
        self._chart, self._table = ReportChart(id="chart"), ReportTableView(id="numbers")
        self._way, self._preview = RuleLine("─", id="way"), ItemPreview()
        yield self.title_line
        yield self._strip
        self._figures = ReportFigures(id="figures")
        report = Container(self._chart, self._table, self._way, self._preview, id="report")
        self._frame = PaneFrame(report, self._table, id="whole")
        self._figures_frame = PaneFrame(self._figures, id="beside")
        yield self._heading
        with Container(id="panes"):
            yield self._frame
            yield self._figures_frame
        yield self._rule
        yield self._footer

    def on_mount(self) -> None:
        self._chart.say("Loading …")
        self.load()

    def on_resize(self) -> None:
        self.set_class(self.size.width < NARROW, "-narrow")
        self.set_class(self.size.height < MIN_LINES_FOR_TABLE, "-short")
        self._fit_table()
        self._show_item()
        self.update_labels()

    def store_changed(self, changes: ChangeBatch) -> None:
        """Ask again after changes, at a limited rate, and once the service is back; machines record each sync."""
        if self.store.project_id != self._project_id:
            self._project_id = self.store.project_id
            self.selection.choose(None)
        synced_at = self.store.connection.synced_at
        synced = (synced_at, self.store.today()) if synced_at is not None else None
        is_new_record = synced != self._synced and not self.store.reports.has_history
        self._synced = synced
        is_back = self._is_kept and self.store.connection.state is ConnectionState.ONLINE
        is_due = is_new_record or is_back or any(subject in changes for subject in RELOAD_SUBJECTS)
        if is_due and self._timer is None:
            self._timer = self.set_timer(RELOAD_DELAY, self._load_again)
        self.update_labels()

    def definition(self) -> Sequence[str]:
        """Return what the figures of the report mean, for the help."""
        return [self.selection.name.full_title, *self.selection.name.sentences]

    # The report

    @property
    def current_item(self) -> int | None:
        """Return the item of the row under the cursor; None in other reports, and while another one is read."""
        return self._table.current_item if self._is_current else None

    @property
    def _is_kept(self) -> bool:
        return self._answer is not None and self._answer.is_kept

    @property
    def _is_current(self) -> bool:
        return self._report is not None and self._asked == self.selection.question

    def report(self) -> Report:
        """Return the shown report; raises CannotAct while it loads, and for one that could not be read."""
        if self._report is None or not self._is_current:
            raise CannotAct(self._problem)
        return self._report

    def _load_again(self) -> None:
        self._timer = None
        self.load()

    def load(self) -> None:
        names = list(ReportName)
        self._strip.show([each.short_title for each in names], names.index(self.selection.name))
        self.update_labels()
        self._problem = STILL_LOADING
        self.set_timer(LOADING_DELAY, self._say_loading)
        self.run_worker(work(self._read, *self.selection.question), exclusive=True, group="report")

    def _say_loading(self) -> None:
        if not self._is_current and self._problem == STILL_LOADING:
            self._show_sentence("Loading …")

    def _show_sentence(self, sentence: str) -> None:
        """Show a sentence in place of a report."""
        self._report = self._answer = None
        self._chart.say(sentence)
        self._table.clear()
        self._figures_frame.display = False
        self.update_labels()

    async def _read(self, name: ReportName, coverage: Coverage, unit: ReportUnit | None, team_id: int | None) -> None:
        try:
            answer = await self.store.reports.answer(name, coverage, unit, team_id)
            report = present(answer.document)
        except BacklitError as error:
            if self.is_attached:
                self._problem = str(error)
                self._show_sentence(self._problem)
            return
        if self.is_attached:
            self._asked = name, coverage, unit, team_id
            self._show(answer, report)

    def _show(self, answer: ReportAnswer, report: Report) -> None:
        is_other = report != self._report
        self._answer, self._report = answer, report
        self.draw_chart()
        if is_other:
            self._table.status_groups = self.store.lookups.status_groups()
            known = sorted(self.store.lookups.known_people())
            people = self.store.lookups.known_people().values()
            self._table.owner_colours = {each.username: owner_colour(each.id, known) for each in people}
            self._table.show(report)
            self._figures.show(report)
            self._fit_table()
            self._show_item()
        self.update_labels()

    def draw_chart(self) -> None:
        report = self.report()
        self._chart.show(report, UNITS[ReportUnit(report.document.unit)], self._notes(), has_notes=self.has_notes)

    def _notes(self) -> Sequence[str]:
        """Return what stands below a report besides its own notes."""
        report = self.report()
        document = report.document
        # In frames the head names the source, which a narrow one drops.
        is_narrow = self.has_class("-narrow")
        is_unnamed = is_narrow and document.source is not FigureSource.HISTORY
        notes = [f"Source: {report.source}."] if is_unnamed else []
        unsent = self.store.outbox.pending
        if unsent and self.store.reports.has_history:
            notes.append(f"{counted(unsent, 'unsent change is', 'unsent changes are')} not included.")
        zone = document.time_zone
        if zone is not None and not self.store.is_in_zone(zone):
            notes.append(f"Days in {zone}.")
        return notes

    def _source_words(self) -> list[Word]:
        """Return the source of the figures, and the time of an answer that is not of now."""
        if self._report is None:
            return []
        document = self._report.document
        words: list[Word] = [(self._report.source, "muted" if document.source is FigureSource.HISTORY else "warn")]
        if self._is_kept:
            at = self.store.local(document.as_of)
            is_stale = self.store.now() - document.as_of > timedelta(hours=STALE_HOURS)
            day = f"{day_text(at.date())} " if at.date() != self.store.local_today() else ""
            words.append((f" as of {day}{at:%H:%M}", "warn" if is_stale else "muted"))
        return [*words, ("  ", "muted")]

    def _fit_table(self) -> None:
        if self._report is None:
            return
        width = self._frame.size.width - 2 if self.has_class(FRAMED_CLASS) else self.size.width
        is_list, has_items = self._report.is_list, self.current_item is not None
        is_shown = is_list or self.has_days or self._report.chart.is_empty
        self.set_class(not is_shown, "-figures")
        has_frames = self.has_class(FRAMED_CLASS)
        self._figures_frame.display = has_frames and bool(self._report.figures) and not self.has_days
        self.set_class(is_list, "-list")
        self.set_class(has_items, "-items")
        rows = self._table.row_count()
        least = 8 * rows + 1 if has_items else 2 * rows + AROUND
        self._table.space(2 if is_list and least <= self.size.height else 1)
        high = LIST_FRAME + self._table.ROW_LINES * rows if has_items else "1fr"
        # A table without cells keeps the focus: its keys move the mark of the chosen day below the chart.
        self._table.styles.height = 0 if not is_shown else high if is_list else None
        beside = min(natural_width(self._report) + 1, round(width * TABLE_SHARE))
        is_narrow = width < NARROW or is_list
        self._table.styles.width = 0 if not is_shown else "100%" if is_narrow else beside
        for rule in (self._heading, self._rule):
            rule.join_at(None if is_narrow or not is_shown else width - beside)

    # Words

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._preview.show_soon(self._show_item)
        self.update_labels()

    def _show_item(self) -> None:
        item = None if self.current_item is None else self.store.item(self.current_item)
        self._chart.choose(self._table.cursor)
        self._preview.display = self._way.display = item is not None
        self._way.say([*way_words(self._table.current_way, self._table.status_groups)])
        comments = self.store.comments.of_item(item.id) if item is not None else None
        self._preview.show(item, comments, item_context(self.store, item))

    def update_labels(self) -> None:
        coverage, store = self.selection.coverage, self.store
        about = self._report.about if self._report is not None else coverage.name
        is_period = coverage.node_id is None and self.selection.name is not ReportName.VELOCITY
        is_of_coverage = is_period or about == coverage.name
        days = span(coverage.start, coverage.end, store.today()) if is_of_coverage else ""
        notes = note_words(self._report, has_notes=self.has_notes) if self._report is not None else []
        notes = [*self._source_words(), *notes]
        title = about[:1].upper() + about[1:]
        team = self._report.team if self._report is not None else self._team_name
        heading: list[Word] = [(title, "heading"), (f" · {team}" if team else "", "heading")]
        heading += [(f" · {words}", "muted") for words in (days, *self._event_words()) if words and days]
        self._heading.say(heading, notes)
        self._frame.say(heading, notes)
        is_over = coverage.end < store.today()
        day = f"At the end, {day_text(coverage.end)}" if is_over else f"Today, {day_text(store.today())}"
        self._figures_frame.say([(day, "heading")], (), (), DAYS_WORDS)
        position = (self._table.cursor + 1, self._table.row_count()) if not self.has_class("-figures") else ()
        is_list = self._report is not None and self._report.is_list
        hidden = {"reports.later"} if not days else set()
        hidden |= {"reports.days"} if is_list else set()
        self._footer.show(
            [each for each in (LIST_HINTS if self.current_item else HINTS) if each not in hidden],
            status_words(store, *position),
        )

    @property
    def _team_name(self) -> str:
        team_id = self.selection.team_id
        return "" if team_id is None else self.store.lookups.teams()[team_id]

    def _event_words(self) -> Sequence[str]:
        """Return when the chosen iteration was started and closed."""
        iteration = self.store.lookups.iterations().get(self.selection.coverage.node_id or 0)
        return event_words(iteration, self.store.local, self.store.local_today())

    # Messages

    @on(TabLine.Chosen)
    def _report_chosen(self, message: TabLine.Chosen) -> None:
        message.stop()
        self.selection.name = list(ReportName)[message.index]
        self.load()

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        if self.current_item is not None:
            self.run_command("reports.open")

    def step_report(self, call: CommandContext) -> None:
        """Show the next or previous report, by argument and count, wrapping around."""
        names = list(ReportName)
        at = names.index(self.selection.name) + int(call.command.argument) * (call.count or 1)
        self.selection.name = names[at % len(names)]
        self.load()

    async def choose_coverage(self, _call: CommandContext) -> None:
        today, selection = self.store.today(), self.selection
        choices = [Choice(each, each.name, span(each.start, each.end, today)) for each in selection.offered()]
        choice = await self.ask(PickDialog("Reports on", choices, selection.coverage))
        if choice is not None and isinstance(choice.value, Coverage):
            selection.choose(choice.value)
            self.load()

    async def choose_team(self, _call: CommandContext) -> None:
        """Ask for a team, or all; raises CannotAct in a project without teams or history."""
        if not self.store.reports.has_history:
            raise CannotAct(NO_TEAMS)
        teams = self.store.lookups.teams()
        if not teams:
            raise CannotAct("This project has no teams.")
        names = sorted(teams.items(), key=lambda team: team[1].casefold())
        choices = [Choice(None, "all teams"), *(Choice(team_id, name) for team_id, name in names)]
        choice = await self.ask(PickDialog("Reports of a team", choices, self.selection.team_id))
        if choice is not None and (choice.value is None or isinstance(choice.value, int)):
            self.selection.choose_team(choice.value)
            self.load()

    def turn_coverage(self, call: CommandContext) -> None:
        self.selection.turn(int(call.command.argument) * (call.count or 1))
        self.load()

    def turn_unit(self, _call: CommandContext) -> None:
        """Count in the next unit of the report; raises CannotAct for a report with one unit."""
        name = self.selection.name
        if len(name.units) == 1:
            raise CannotAct(f"{name.full_title} has one unit.")
        unit = ReportUnit(self.report().document.unit)
        self.selection.unit = name.units[(name.units.index(unit) + 1) % len(name.units)]
        self.load()

    def toggle_notes(self, _call: CommandContext) -> None:
        if not self.report().has_hidden_notes:
            raise CannotAct("No notes are hidden.")
        self.has_notes = not self.has_notes
        self.draw_chart()
        self.update_labels()

    def toggle_days(self, _call: CommandContext) -> None:
        """Show the numbers of each day beside the chart, or the figures; raises CannotAct where they always stand."""
        if self.report().is_list:
            raise CannotAct("The numbers of this report are always shown.")
        self.has_days = not self.has_days
        self._fit_table()
        self.update_labels()

    def open_item(self, call: CommandContext) -> None:
        report = self.report()
        if not report.table.rows:
            raise CannotAct(f"Nothing to open: the report is empty. {report.headline}")
        if self.current_item is None:
            raise CannotAct("This row is not an item. The report “Age” lists items.")
        self.open(self.current_item, ItemDestination(call.command.argument))

    def copy_report(self, _call: CommandContext) -> None:
        report = self.report()
        self.copy(as_markdown(report), f"Copied {report.title} as Markdown")

    async def save_sprint(self, call: CommandContext) -> None:
        """Save the report of the chosen sprint, which always is Markdown; raises CannotAct for other reports."""
        if call.text not in {"", "sprint"}:
            raise CannotAct(f"Unknown report “{call.text}”. :report sprint saves that of the sprint.")
        text = (await self.store.reports.sprint_summary(self.selection.coverage)).markdown(self.store.local)
        saved = TextToSave("Save the sprint report", lambda _path: text, file_in, "The report is Markdown.")
        name = _NOT_FOR_FILES.sub("-", self.selection.coverage.name).strip("-.").lower()
        await save_file(self, saved, downloads() / f"{name}.md")

    async def save_report(self, _call: CommandContext) -> None:
        """Save the report to a file; its suffix sets the format."""
        report = self.report()
        saved = TextToSave("Save the report", lambda path: FORMATS[path.suffix.lower()](report), place_of, SAVE_NOTE)
        name = _NOT_FOR_FILES.sub("-", f"{self.selection.name} {report.about} {report.team}").strip("-.").lower()
        await save_file(self, saved, downloads() / f"{name}.md")


def place_of(text: str) -> tuple[Path, str]:
    """Return the folder and the name of a typed path; raises ValueError with a sentence for an unusable one."""
    folder, name = file_in(text)
    if Path(name).suffix.lower() not in FORMATS or not Path(name).stem:
        raise ValueError("The file name must end in .md, .csv, .json or .svg.")
    return folder, name
