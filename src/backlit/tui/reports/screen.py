"""The reports: one, or two side by side, each as a sentence, a chart and the table of its numbers; their commands.

The service computes them: each is asked for by a worker when it is chosen and after changes, and no key waits for it.
"""

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer

from backlit.model.reports.formats import FORMATS, as_markdown
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.report import Report
from backlit.model.time_groups import TimeGroup
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.reports.coverages import Coverage
from backlit.store.reports.reports import NO_TEAMS
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.dialogs.pick import Choice, PickDialog
from backlit.tui.dialogs.prompts import TextToSave, file_in, save_file
from backlit.tui.fields.dates import span
from backlit.tui.reports.pane import ReportPane, ReportSelection, SharedSelection
from backlit.tui.shell.paths import downloads
from backlit.tui.shell.status_text import status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemDestination
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.side_lines import RuleLine, TabLine

RELOAD_DELAY = 0.5
"""Seconds between reloads while items change."""
MIN_TWO_REPORTS_WIDTH = 190
"""Columns of a terminal with two reports."""
FIRST_REPORTS = (ReportName.BURNDOWN, ReportName.VELOCITY)
HINTS = (
    *("reports.next", "reports.about", "reports.later", "reports.unit", "reports.group", "reports.days"),
    *("reports.save", "g"),
    "app.help",
)
LIST_HINTS = ("reports.open", *(each for each in HINTS if each not in {"reports.unit", "reports.days"}))
RELOAD_SUBJECTS = (Subject.ITEMS, Subject.TREES, Subject.PEOPLE, Subject.HISTORY, Subject.TIME_ENTRIES)
SAVE_NOTE = "The suffix sets the format: .md, .csv or .json for the numbers, .svg for the chart."
_NOT_FOR_FILES = re.compile(r"[^\w.-]+")


class ReportsScreen(StoreScreen[None]):
    """Shows one report, or two in a wide terminal; commands act on the one with the focus. All have one coverage."""

    COMMAND_GROUPS = ("reports.screen", "widgets.text_view")
    AUTO_FOCUS = "ReportTableView"
    PLACE = "app.reports"
    CSS_PATH = "../styles/reports.tcss"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        shared = SharedSelection()
        self._panes = [ReportPane(store, ReportSelection(store, name, shared)) for name in FIRST_REPORTS]
        self._pane = self._panes[0]
        """The pane with the focus."""
        self._project_id = store.project_id
        self._timer: Timer | None = None
        self._synced: tuple[float, date] | None = None

    def compose(self) -> ComposeResult:
        self._strip, self._heading = TabLine(id="reports"), RuleLine("┬", id="heading", is_of_first=True)
        self._rule, self._footer = RuleLine("┴", id="below"), FooterLine(id="status")
        yield self.title_line
        yield self._strip
        yield self._heading
        yield Container(*self._panes, id="panes")
        yield self._rule
        yield self._footer

    def on_mount(self) -> None:
        self._place()
        self._load_missing()

    def on_resize(self) -> None:
        self._place()
        self._load_missing()

    def store_changed(self, changes: ChangeBatch) -> None:
        """Ask again after changes, at a limited rate, and once the service is back; machines record each sync."""
        if self.store.project_id != self._project_id:
            self._project_id = self.store.project_id
            self.selection.forget()
        synced_at = self.store.connection.synced_at
        synced = (synced_at, self.store.today()) if synced_at is not None else None
        is_new_record = synced != self._synced and not self.store.reports.has_history
        self._synced = synced
        lacks_answer = any(pane.display and pane.lacks_answer for pane in self._panes)
        is_back = lacks_answer and self.store.connection.state is ConnectionState.ONLINE
        is_due = is_new_record or is_back or any(subject in changes for subject in RELOAD_SUBJECTS)
        if is_due and self._timer is None:
            self._timer = self.set_timer(RELOAD_DELAY, self._load_again)
        self.update_labels()

    def definition(self) -> Sequence[str]:
        """Return what the figures of the report mean, for the help."""
        return [self.selection.name.full_title, *self.selection.name.sentences]

    # The panes

    @property
    def selection(self) -> ReportSelection:
        return self._pane.selection

    @property
    def current_item(self) -> int | None:
        return self._pane.current_item

    @property
    def has_notes(self) -> bool:
        return self._pane.has_notes

    @has_notes.setter
    def has_notes(self, has_notes: bool) -> None:
        self._pane.has_notes = has_notes

    @property
    def has_two(self) -> bool:
        return self.size.width >= MIN_TWO_REPORTS_WIDTH

    @property
    def names_beside(self) -> frozenset[ReportName]:
        """The reports of the other panes, which the steps of this one pass over."""
        return frozenset(each.selection.name for each in self._others)

    @property
    def _others(self) -> Sequence[ReportPane]:
        """The panes in sight without the focus."""
        return [pane for pane in self._panes if self.has_two and pane is not self._pane]

    def report(self) -> Report:
        """Return the report with the focus; raises CannotAct while it loads, and for one that could not be read."""
        return self._pane.report()

    def draw_chart(self) -> None:
        self._pane.draw_chart()

    def _place(self) -> None:
        for pane in self._panes:
            pane.display = self.has_two or pane is self._pane
            pane.place(is_beside=self.has_two)

    def _load_again(self) -> None:
        self._timer = None
        for pane in self._panes:
            if pane.display:
                pane.load()

    def load(self) -> None:
        """Read what was chosen; what was said of the report before has had its time."""
        self.forget_messages()
        self._load_missing()

    def _load_missing(self) -> None:
        """Read the reports that do not answer their selection."""
        for pane in self._panes:
            if pane.display and not pane.is_current:
                pane.load()
        self.update_labels()

    @on(PaneFrame.Entered)
    def _pane_entered(self, message: PaneFrame.Entered) -> None:
        self._pane = next(pane for pane in self._panes if pane in message.frame.ancestors)
        self.update_labels()

    def step_pane(self, call: CommandContext) -> None:
        """Go to the other report, or show the next or the previous one where there is one alone."""
        if self._others:
            self._others[0].table.focus()
        else:
            self.step_report(call)

    # Words

    @on(ReportPane.Changed)
    def update_labels(self) -> None:
        pane, names = self._pane, list(ReportName)
        self._strip.show([each.short_title for each in names], names.index(self.selection.name))
        for each in self._panes:
            each.say()
        self._heading.say(pane.heading_words(), pane.note_words())
        for rule in (self._heading, self._rule):
            rule.join_at(pane.line)
        position = (pane.table.cursor + 1, pane.table.row_count()) if not pane.has_class("-figures") else ()
        hidden = {"reports.later"} if not (pane.days() and self.selection.has_others) else set()
        hidden |= {"reports.days"} if pane.is_list else set()
        hidden.add("reports.unit" if self.selection.is_of_time else "reports.group")
        other = ["reports.pane"] * self.has_two
        hints = LIST_HINTS if self.current_item else HINTS
        self._footer.show(
            [*other, *(each for each in hints if each not in hidden)],
            status_words(self.store, *position),
        )

    # Messages

    @on(TabLine.Chosen)
    def _report_chosen(self, message: TabLine.Chosen) -> None:
        message.stop()
        name = list(ReportName)[message.index]
        beside = next((each for each in self._others if each.selection.name == name), None)
        if beside is not None:
            beside.table.focus()
            return
        self.selection.name = name
        self.load()

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        if self.current_item is not None:
            self.run_command("reports.open")

    def step_report(self, call: CommandContext) -> None:
        """Show the next or previous report, by argument and count, wrapping around, past that of the other pane."""
        names = [each for each in ReportName if each not in self.names_beside]
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

    def turn_group(self, _call: CommandContext) -> None:
        """Sum logged time up by the next of person, type and Feature; raises CannotAct for other reports."""
        if not self.selection.is_of_time:
            raise CannotAct("Only logged time is summed up by person, type or Feature.")
        groups = list(TimeGroup)
        self.selection.by = groups[(groups.index(self.selection.by) + 1) % len(groups)]
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
        if not self.report().table.rows:
            raise CannotAct("No numbers to show: this report has no days yet.")
        self._pane.turn_days()
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
