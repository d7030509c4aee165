"""A pane of the reports: a report that was chosen, with its chart, its numbers and its figures."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError
from backlit.model.fields import ItemType
from backlit.model.reports.document import FigureSource
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.presentation import present
from backlit.model.reports.report import Report, Tone, day_text
from backlit.model.statuses import StatusGroup
from backlit.model.time_groups import TimeGroup
from backlit.store import ViewSpec
from backlit.store.reports.answers import ReportAnswer
from backlit.store.reports.coverages import PERIODS, Coverage
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.large_figures import COLOURS
from backlit.tui.drawing.themes import owner_colour, status_colour, status_sign
from backlit.tui.fields.dates import event_words, span
from backlit.tui.items.latest_changes import LatestChangesFrame
from backlit.tui.items.preview import ItemPreview, item_context, preview_head
from backlit.tui.reports.figures import FiguresBeside, ReportFigures, UnfinishedItem
from backlit.tui.reports.report_panes import TALL_ROW_LINES, ReportChart, ReportTableView, natural_width, note_words
from backlit.tui.reports.status_spans import days_since_start
from backlit.tui.reports.upcoming import UpcomingSprint, upcoming_sprints
from backlit.tui.shell.workers import work
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import FRAME_LINES, FRAMED_CLASS, PaneFrame
from backlit.tui.widgets.side_lines import RuleLine, Word
from backlit.tui.widgets.storage_errors import StorageErrorGuard

NARROW = 80
"""Cells below which the table is under the chart."""
MIN_LINES_FOR_TABLE = 24
"""Lines below which it shows one row there, so that the chart has room."""
TABLE_SHARE, LIST_SHARE = 0.5, 0.6
"""Largest share of the width for the table, and of the height for a list above its item."""
UNITS = {ReportUnit.POINTS: "Points", ReportUnit.ITEMS: "Items", ReportUnit.HOURS: "Hours"}
"""The words over a chart, by what it counts."""
AROUND = 6
"""The lines around a list of bars."""
ITEM_WIDTH = 40
"""Cells of the figures and of the item beside a list of items."""
LOADING_DELAY = 0.4
"""Seconds for which the last report stays while another one is read."""
STALE_HOURS = 24
"""Hours from which an earlier answer is in the warning colour."""
STILL_LOADING = "The report is still loading."
WITH_OPEN_ITEMS = frozenset({ReportName.BURNDOWN, ReportName.BURNUP, ReportName.CUMULATIVE_FLOW})
"""Reports that name what a running iteration has left."""
DOT: Word = (" · ", "muted")
_TEAM_KEY = "report team:"
"""The key of the value with a project's chosen team, before the project's number."""


class SharedSelection:
    """What the user chose for the reports of all panes."""

    def __init__(self) -> None:
        self.coverage: Coverage | None = None
        """None for the usual one."""
        self.time_coverage: Coverage | None = None
        """That of logged time; None for this week."""
        self.teams: dict[int | None, int | None] = {}
        """The chosen teams by project, None for all."""


class ReportSelection:
    """The selection of a pane; it follows changed dates of a chosen iteration. Panes share coverage and team."""

    def __init__(
        self, store: Store, name: ReportName = ReportName.BURNDOWN, shared: SharedSelection | None = None
    ) -> None:
        self.name = name
        self.unit: ReportUnit | None = None
        """The chosen unit; None for the usual one of each report."""
        self.by = TimeGroup.PERSON
        """What logged time is summed up by."""
        self._store = store
        self._coverages = store.reports.coverages
        self._shared = shared or SharedSelection()

    @property
    def is_of_time(self) -> bool:
        return self.name is ReportName.TIME

    def choose(self, coverage: Coverage) -> None:
        if self.is_of_time:
            self._shared.time_coverage = coverage
        else:
            self._shared.coverage = coverage

    def forget(self) -> None:
        """Choose what is usual."""
        self._shared.coverage = self._shared.time_coverage = None

    @property
    def coverage(self) -> Coverage:
        chosen = self._shared.time_coverage if self.is_of_time else self._shared.coverage
        if chosen is None:
            return self._coverages.weeks()[0] if self.is_of_time else self._coverages.usual()
        if chosen.week is not None:
            return chosen
        if chosen.node_id is None:
            return self._coverages.period(chosen.days)
        return next(
            (each for each in self._coverages.iterations() if each.node_id == chosen.node_id), self._coverages.usual()
        )

    @property
    def team_id(self) -> int | None:
        """The team whose items alone count, which each project keeps; None for all, and where no server knows teams."""
        store, teams = self._store, self._shared.teams
        if store.project_id not in teams:
            kept = store.kept.find(f"{_TEAM_KEY}{store.project_id}")
            teams[store.project_id] = kept if isinstance(kept, int) else None
        team_id = teams[store.project_id]
        return team_id if store.reports.has_history and team_id in store.lookups.teams() else None

    def choose_team(self, team_id: int | None) -> None:
        self._shared.teams[self._store.project_id] = team_id
        self._store.kept.keep(f"{_TEAM_KEY}{self._store.project_id}", team_id)

    @property
    def question(self) -> tuple[ReportName, Coverage, ReportUnit | None, int | None, TimeGroup | None]:
        return self.name, self.coverage, self.unit, self.team_id, self.by if self.is_of_time else None

    def offered(self) -> Sequence[Coverage]:
        weeks = self._coverages.weeks() if self.is_of_time else ()
        return [*weeks, *(self._coverages.period(days) for days in PERIODS), *self._coverages.iterations()]

    @property
    def has_others(self) -> bool:
        """Return whether there may be an earlier and a later coverage; periods always end today."""
        return self.coverage.week is not None or self.coverage.node_id is not None

    def turn(self, steps: int) -> None:
        """Choose a later or earlier iteration, release or week; raises CannotAct without one."""
        here, leaves = self.coverage, self._coverages.leaves()
        if here.week is not None:
            self.choose(self._coverages.week(here.start + timedelta(days=7 * steps)))
            return
        others = [each for each in self._coverages.iterations() if each not in leaves]
        row = leaves if here in leaves else sorted(others, key=lambda each: each.start)
        if here not in row:
            raise CannotAct(f"Periods always end today. {key_of('reports.about')} chooses an iteration or a release.")
        at, noun = row.index(here) + steps, "iteration" if row is leaves else "release"
        if not 0 <= at < len(row):
            raise CannotAct(f"No {noun} {'after' if steps > 0 else 'before'} this one.")
        self.choose(row[at])


class ReportPane(StorageErrorGuard, Container):
    """Shows the report of a selection; beside another pane its figures are in the head of its frame."""

    class Changed(Message):
        """The words around the pane are about something else."""

    def __init__(self, store: Store, selection: ReportSelection) -> None:
        super().__init__()
        self.selection = selection
        self.has_notes = self.has_days = self.is_beside = False
        self._store = store
        self._report: Report | None = None
        self._answer: ReportAnswer | None = None
        self._shown_beside = FiguresBeside()
        self._asked: object = None
        """What the shown report answers."""
        self._problem = STILL_LOADING
        self._chart, self.table = ReportChart(id="chart"), ReportTableView(id="numbers")
        self._rule, self._preview = RuleLine("─", id="above-item"), ItemPreview()
        self._figures = ReportFigures(id="figures")
        self.frame = PaneFrame(Container(self._chart, self.table, id="report"), self.table, id="whole")
        self._item_frame = PaneFrame(Container(self._rule, self._preview, id="item"), self._preview, id="item-frame")
        self._latest_frame = LatestChangesFrame(store, is_of_page=False)
        self._figures_frame = PaneFrame(self._figures, id="beside")
        self._right = Container(self._figures_frame, self._item_frame, id="right")

    def compose(self) -> ComposeResult:
        with Container(id="left"):
            yield self.frame
            yield self._latest_frame
        yield self._right

    def on_mount(self) -> None:
        self._show_sentence("Loading …")

    def place(self, *, is_beside: bool) -> None:
        """Lay the pane out, beside another one or alone."""
        if is_beside is not self.is_beside:
            self.is_beside = is_beside
            if self.is_current:
                self.draw_chart()
        self.set_class(self.screen.size.width < NARROW, "-narrow")
        self.set_class(self.screen.size.height < MIN_LINES_FOR_TABLE, "-short")

    def on_resize(self) -> None:
        self._fit_table()
        if self.is_current:
            self.draw_chart()
        self._show_item()
        self.post_message(self.Changed())

    # The report

    @property
    def current_item(self) -> int | None:
        """Return the item of the row under the cursor; None in other reports, and while another one is read."""
        return self.table.current_item if self.is_current else None

    @property
    def is_kept(self) -> bool:
        """Return whether an earlier answer is shown, as the service did not give one."""
        return self._answer is not None and self._answer.is_kept

    @property
    def lacks_answer(self) -> bool:
        """Return whether an earlier answer is shown, or the problem that prevents one."""
        return self.is_kept or self._problem != STILL_LOADING

    @property
    def is_current(self) -> bool:
        """Return whether the report that is shown answers the selection."""
        return self._report is not None and self._asked == self.selection.question

    @property
    def is_list(self) -> bool:
        return self._report is not None and self._report.is_list

    def report(self) -> Report:
        """Return the shown report; raises CannotAct while it loads, and for one that could not be read."""
        if self._report is None or not self.is_current:
            raise CannotAct(self._problem)
        return self._report

    def load(self) -> None:
        self._problem = STILL_LOADING
        self.set_timer(LOADING_DELAY, self._say_loading)
        self.run_worker(work(self._read, *self.selection.question), exclusive=True, group="report")

    def _say_loading(self) -> None:
        if not self.is_current and self._problem == STILL_LOADING:
            self._show_sentence("Loading …")

    def _show_sentence(self, sentence: str) -> None:
        """Show a sentence in place of a report."""
        self._report = self._answer = None
        self._chart.say(sentence)
        self.table.clear()
        self._figures_frame.display = self._right.display = self._latest_frame.display = False
        self.remove_class("-list", "-items", "-changes").add_class("-figures")
        self.table.styles.width = self.table.styles.height = 0
        self.line = None
        self.post_message(self.Changed())

    async def _read(
        self,
        name: ReportName,
        coverage: Coverage,
        unit: ReportUnit | None,
        team_id: int | None,
        by: TimeGroup | None,
    ) -> None:
        try:
            answer = await self._store.reports.answer(name, coverage, unit, team_id, by)
            report = present(answer.document).at_work_on(self._store.lookups.working_days())
        except BacklitError as error:
            if self.is_attached:
                self._problem = str(error)
                self._show_sentence(self._problem)
            return
        open_items = await self._open_items(name, coverage) if team_id is None else ()
        is_velocity = name is ReportName.VELOCITY and report.document.unit == ReportUnit.POINTS
        upcoming = upcoming_sprints(self._store, self._store.today()) if is_velocity else ()
        if self.is_attached:
            self._asked = name, coverage, unit, team_id, by
            self._show(answer, report, open_items, upcoming)

    async def _open_items(self, name: ReportName, coverage: Coverage) -> Sequence[UnfinishedItem]:
        """Return what a running iteration has left, started items first."""
        is_running = coverage.start <= self._store.today() <= coverage.end
        if name not in WITH_OPEN_ITEMS or coverage.node_id is None or not is_running:
            return ()
        view = self._store.view(ViewSpec(iteration_ids=coverage.iteration_ids))
        await view.load()
        lookups = self._store.lookups
        groups, people, known = lookups.status_groups(), lookups.people(), sorted(lookups.known_people())
        rows = [row for row in view.rows(0, view.count or 0) if row.type not in {ItemType.TASK, ItemType.FEEDBACK}]
        return [
            UnfinishedItem(
                status_sign(row.status, groups),
                status_colour(row.status, groups),
                row.name,
                owner.username if (owner := people.get(row.owner_id or 0)) else "unassigned",
                owner_colour(owner.id, known) if owner else "faint",
                f" · {row.estimate} pts" if row.estimate else " · no estimate",
            )
            for row in sorted(rows, key=lambda row: groups.of(row.status) is StatusGroup.NOT_STARTED)
        ]

    def _show(
        self,
        answer: ReportAnswer,
        report: Report,
        open_items: Sequence[UnfinishedItem],
        upcoming: Sequence[UpcomingSprint],
    ) -> None:
        beside = FiguresBeside(open_items, upcoming)
        is_other = (report, beside) != (self._report, self._shown_beside)
        self._answer, self._report, self._shown_beside = answer, report, beside
        self.draw_chart()
        if is_other:
            self.table.status_groups = self._store.lookups.status_groups()
            known = sorted(self._store.lookups.known_people())
            people = self._store.lookups.known_people().values()
            self.table.owner_colours = {each.username: owner_colour(each.id, known) for each in people}
            self.table.show(report)
            self._figures.show(report, beside)
            self._fit_table()
            self._show_item()
        self.post_message(self.Changed())

    def draw_chart(self) -> None:
        report = self.report()
        unit, is_said = UNITS[ReportUnit(report.document.unit)], report.figures and self._has_figures
        shown = replace(report, headline="") if is_said else report
        self._chart.show(shown, unit, self._notes(), has_notes=self.has_notes)

    @property
    def _has_figures(self) -> bool:
        """True where the figures of a report stand in the head of its frame, or beside it."""
        has_frames = self.screen.has_class(FRAMED_CLASS)
        return has_frames and (self.is_beside or self.is_list or not self.has_days)

    def turn_days(self) -> None:
        """Show the numbers of each day beside the chart, or the figures."""
        self.has_days = not self.has_days
        self._fit_table()
        if self.is_current:
            self.draw_chart()

    def _fit_table(self) -> None:
        if self._report is None:
            return
        has_frames = self.screen.has_class(FRAMED_CLASS)
        width = self.frame.size.width - 2 if has_frames else self.size.width
        is_list, has_items = self._report.is_list, self.current_item is not None
        is_shown = is_list or self.has_days or self._report.chart.is_empty
        self.set_class(not is_shown, "-figures")
        self._figures_frame.display = self._has_figures and not self.is_beside and bool(self._report.figures)
        figures = self._figures.rows_of(self._report, ITEM_WIDTH - FRAME_LINES)
        self._figures_frame.styles.height = len(figures) + 1 + FRAME_LINES if has_items else "1fr"
        self._right.display = self._figures_frame.display or has_items
        self.set_class(is_list, "-list")
        self.set_class(has_items, "-items")
        rows = self.table.row_count()
        most = self.size.height if has_frames or not has_items else round(LIST_SHARE * self.size.height)
        least = self.table.least_row_lines
        lines = least + bool(is_list and (least + 1) * rows + AROUND <= most)
        if has_frames and least > 1 and TALL_ROW_LINES * rows + AROUND <= LIST_SHARE * most:
            lines = TALL_ROW_LINES
        self.table.space(lines)
        need = self.table.HEADER_LINES + self.table.ROW_LINES * rows
        self._latest_frame.display = has_items and has_frames and most - need - AROUND >= LatestChangesFrame.LEAST_LINES
        self.set_class(self._latest_frame.display, "-changes")
        whole = most - (most - self.table.HEADER_LINES) % self.table.ROW_LINES
        high = "1fr" if has_frames or not has_items else min(need, whole)
        if self._latest_frame.display:
            high = need
        # A table without cells keeps the focus: its keys move the mark of the chosen day below the chart.
        self.table.styles.height = 0 if not is_shown else high if is_list else None
        beside = min(natural_width(self._report) + 1, round(width * TABLE_SHARE))
        is_narrow = width < NARROW or is_list
        self.table.styles.width = 0 if not is_shown else "100%" if is_narrow else beside
        self.line = None if is_narrow or not is_shown else width - beside

    line: int | None = None
    """The column of the line between chart and table; None without one."""

    # Words

    def say(self) -> None:
        """Show in the frames what the report is about, its source and its figures."""
        heading, notes = self.heading_words(), self.note_words()
        if self.is_beside:
            self.frame.say(heading, self._figure_words(), notes)
        else:
            self.frame.say(heading, notes)
        coverage, today = self.selection.coverage, self._store.today()
        day = f"At the end, {day_text(coverage.end)}" if coverage.end < today else f"Today, {day_text(today)}"
        self._figures_frame.say([(day, "heading")])

    def heading_words(self) -> list[Word]:
        about, days = self._about(), self.days()
        title = about[:1].upper() + about[1:]
        team = self._report.team if self._report is not None else self._team_name
        words: list[Word] = [(title, "heading"), (f" · {team}" if team else "", "heading")]
        events = () if self.is_beside else self._event_words()
        words += [(f" · {each}", "muted") for each in (days, *events) if each and days]
        if not self.is_beside:
            return words
        return [(self.selection.name.short_title, "heading"), (f" {title}", "foreground"), *words[1:]]

    @property
    def _team_name(self) -> str:
        team_id = self.selection.team_id
        return "" if team_id is None else self._store.lookups.teams()[team_id]

    def _event_words(self) -> Sequence[str]:
        """Return when the chosen iteration was started and closed."""
        iteration = self._store.lookups.iterations().get(self.selection.coverage.node_id or 0)
        return event_words(iteration, self._store.local, self._store.local_today())

    def days(self) -> str:
        """Return the dates of the coverage; nothing for a report that is about something else."""
        coverage = self.selection.coverage
        is_period = coverage.node_id is None and self.selection.name is not ReportName.VELOCITY
        if not (is_period or self._about() == coverage.name):
            return ""
        return span(coverage.start, coverage.end, self._store.today())

    def note_words(self) -> list[Word]:
        notes = note_words(self._report, has_notes=self.has_notes) if self._report is not None else []
        return [*self._source_words(), *notes]

    def _about(self) -> str:
        return self._report.about if self._report is not None and self.is_current else self.selection.coverage.name

    def _figure_words(self) -> list[Word]:
        if self._report is None or not self.is_current or (self._report.is_list and not self._report.figures):
            return []
        words: list[Word] = []
        for figure in self._report.figures:
            colour = COLOURS.get(figure.tone, "foreground")
            more = f" {figure.more}" if figure.tone is not Tone.LATE and figure.more else ""
            words += [DOT] * bool(words) + [(f"{figure.number} {figure.words}{more * figure.is_phrase}", colour)]
            words += [(more, "muted")] if more and not figure.is_phrase else []
        return words

    def _notes(self) -> Sequence[str]:
        """Return what stands below a report besides its own notes."""
        report = self.report()
        document = report.document
        # In frames the head names the source, which a narrow one drops.
        is_unnamed = self.has_class("-narrow") and document.source is not FigureSource.HISTORY
        notes = [f"Source: {report.source}."] if is_unnamed else []
        unsent = self._store.outbox.pending
        if unsent and self._store.reports.has_history:
            notes.append(f"{counted(unsent, 'unsent change is', 'unsent changes are')} not included.")
        zone = document.time_zone
        if zone is not None and not self._store.clock.is_in_zone(zone):
            notes.append(f"Days in {zone}.")
        return notes

    def _source_words(self) -> list[Word]:
        """Return the source of the figures, and the time of an answer that is not of now."""
        if self._report is None:
            return []
        document = self._report.document
        has_room = self.screen.has_class(FRAMED_CLASS) and not self.is_beside
        colour = "muted" if document.source is FigureSource.HISTORY else "warn"
        words: list[Word] = [(f"{'source: ' * has_room}{self._report.source}", colour)]
        if self.is_kept:
            at = self._store.local(document.as_of)
            is_stale = self._store.now() - document.as_of > timedelta(hours=STALE_HOURS)
            day = f"{day_text(at.date())} " if at.date() != self._store.local_today() else ""
            words.append((f" as of {day}{at:%H:%M}", "warn" if is_stale else "muted"))
        return [*words, ("  ", "muted")]

    # The item under the cursor

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._preview.show_soon(self._show_item)
        self.post_message(self.Changed())

    def _show_item(self) -> None:
        item = None if self.current_item is None else self._store.item(self.current_item)
        self._chart.choose(self.table.cursor)
        comments = self._store.comments.of_item(item.id) if item is not None else None
        context = item_context(self._store, item, can_act=False)
        self._preview.display = self._item_frame.display = item is not None
        self._rule.display = not self._item_frame.is_wanted
        way = self.table.current_way
        days = days_since_start(way, self.table.status_groups)
        self._latest_frame.show(item, self._store.today() - timedelta(days) if way else None)
        if item is not None:
            self._item_frame.say(*preview_head(item, context.now))
        self._preview.show(item, comments, context)
