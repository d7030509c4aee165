"""Saving a report as a file whose suffix says what it is, and copying it; nothing is overwritten without a question."""

import re
from pathlib import Path

from backlit.model.reports.as_markdown import as_markdown
from backlit.model.reports.report import Report
from backlit.model.reports.written import FORMATS
from backlit.tui.paths import downloads
from backlit.tui.screens.base import StoreScreen
from backlit.tui.text_saving import Saved, ask_where, file_in

_NOT_FOR_FILES = re.compile(r"[^\w.-]+")
NOTE = "The suffix says what is written: .md or .csv the table, .svg the chart."


class ReportSaving(StoreScreen[None]):
    """A screen that shows a report."""

    def shown_report(self) -> Report:
        """The report that is shown; raises CannotAct where there is none yet."""
        raise NotImplementedError

    def do_reports_copy(self, _count: int | None) -> None:
        """Copy the report as Markdown."""
        report = self.shown_report()
        self.app.copy_to_clipboard(as_markdown(report))
        self.say(f"Copied {report.title} as Markdown.")

    def do_reports_save(self, _count: int | None) -> None:
        """Ask where to, then save."""
        report = self.shown_report()
        saved = Saved("Save the report", lambda path: FORMATS[path.suffix.lower()](report), place_of, NOTE)
        ask_where(self, saved, downloads() / file_name_of(report))


def file_name_of(report: Report) -> str:
    """The name that is proposed: of the report and what it is about."""
    return f"{_NOT_FOR_FILES.sub('-', f'{report.name} {report.about}').strip('-.').lower()}.md"


def place_of(text: str) -> tuple[Path, str]:
    """The folder and the name that a text means; ValueError with a sentence where nothing can be saved there."""
    folder, name = file_in(text)
    if Path(name).suffix.lower() not in FORMATS or not Path(name).stem:
        raise ValueError("The file name ends in .md, .csv or .svg.")
    return folder, name
