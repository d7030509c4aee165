"""Commands of the reports, and the selection that they change: report, measure, and covered days."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from backlit.model.reports.formats import FORMATS, as_markdown
from backlit.model.reports.report import Measure, Report
from backlit.store.reports.reports import PERIODS, Coverage, Coverages, ReportName
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.pick import Choice, PickDialog
from backlit.tui.dialogs.prompts import Saved, file_in, save_file
from backlit.tui.fields.dates import span
from backlit.tui.shell.paths import downloads
from backlit.tui.shell.target import ItemPlace, StoreTarget

NOTE = "The suffix sets the format: .md or .csv for the table, .svg for the chart."
_NOT_FOR_FILES = re.compile(r"[^\w.-]+")


class ReportSelection:
    """The selection of the reports' screen; it follows changed dates of a chosen iteration."""

    def __init__(self, coverages: Coverages) -> None:
        self.name = ReportName.BURNDOWN
        self.measure = Measure.POINTS
        self._coverages = coverages
        self._chosen: Coverage | None = None

    def choose(self, coverage: Coverage | None) -> None:
        """Choose a coverage; None chooses the default."""
        self._chosen = coverage

    @property
    def coverage(self) -> Coverage:
        """Return the coverage with its current days."""
        chosen = self._chosen
        if chosen is None:
            return self._coverages.usual()
        if chosen.node_id is None:
            return self._coverages.period((chosen.end - chosen.start).days + 1)
        return next(
            (each for each in self._coverages.iterations() if each.node_id == chosen.node_id), self._coverages.usual()
        )

    def offered(self) -> Sequence[Coverage]:
        """Return every coverage to choose from."""
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


class ReportTarget(StoreTarget, Protocol):
    """The screen of the reports."""

    selection: ReportSelection

    @property
    def current_item(self) -> int | None:
        """Return the item of the row under the cursor; None in other reports."""

    def report(self) -> Report:
        """Return the shown report; raises CannotAct while the first one loads."""

    def load(self) -> None:
        """Load the selected report and show it."""


def step(target: ReportTarget, call: Call) -> None:
    """Show the next or previous report, by argument and count, wrapping around."""
    names = list(ReportName)
    at = names.index(target.selection.name) + int(call.command.argument) * (call.count or 1)
    target.selection.name = names[at % len(names)]
    target.load()


async def choose_coverage(target: ReportTarget, _call: Call) -> None:
    """Choose an iteration, a release, or a period for all reports."""
    today, selection = target.store.today(), target.selection
    choices = [Choice(each, each.name, span(each.start, each.end, today)) for each in selection.offered()]
    choice = await target.ask(PickDialog("Reports on", choices, selection.coverage))
    if choice is not None and isinstance(choice.value, Coverage):
        selection.choose(choice.value)
        target.load()


def turn(target: ReportTarget, call: Call) -> None:
    """Show the next or previous iteration or release, by argument and count."""
    target.selection.turn(int(call.command.argument) * (call.count or 1))
    target.load()


def turn_measure(target: ReportTarget, _call: Call) -> None:
    """Switch between points and number of items."""
    is_points = target.selection.measure is Measure.POINTS
    target.selection.measure = Measure.ITEMS if is_points else Measure.POINTS
    target.load()


def open_item(target: ReportTarget, _call: Call) -> None:
    """Open the item of the row."""
    if target.current_item is None:
        raise CannotAct("This row is not an item. The report “Age” lists items.")
    target.open(target.current_item, ItemPlace.EDITOR)


def copy(target: ReportTarget, _call: Call) -> None:
    """Copy the report as Markdown."""
    report = target.report()
    target.copy(as_markdown(report))
    target.say(f"Copied {report.title} as Markdown.")


async def save(target: ReportTarget, _call: Call) -> None:
    """Save the report to a file; its suffix sets the format."""
    report = target.report()
    saved = Saved("Save the report", lambda path: FORMATS[path.suffix.lower()](report), place_of, NOTE)
    await save_file(target, saved, downloads() / file_name_of(target.selection.name, report))


def file_name_of(name: str, report: Report) -> str:
    """Return the proposed file name, from report and coverage."""
    return f"{_NOT_FOR_FILES.sub('-', f'{name} {report.about}').strip('-.').lower()}.md"


def place_of(text: str) -> tuple[Path, str]:
    """Return the folder and the name of a typed path; raises ValueError with a sentence for an unusable one."""
    folder, name = file_in(text)
    if Path(name).suffix.lower() not in FORMATS or not Path(name).stem:
        raise ValueError("The file name ends in .md, .csv or .svg.")
    return folder, name
