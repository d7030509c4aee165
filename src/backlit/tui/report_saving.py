"""Saving a report as a file whose suffix says what it is, and copying it; nothing is overwritten without a question."""

import asyncio
import os
import re
import tempfile
from pathlib import Path

from backlit.model.reports.as_markdown import as_markdown
from backlit.model.reports.report import Report
from backlit.model.reports.written import FORMATS
from backlit.tui.attaching import fault_of
from backlit.tui.paths import downloads, folder_and_name, shown_path
from backlit.tui.screens.base import StoreScreen
from backlit.tui.work import work

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
        from backlit.tui.dialogs.path import PathDialog

        report = self.shown_report()

        def typed(text: str | None) -> None:
            if text is not None:
                folder, name = place_of(text)
                self._save(report, folder / name, is_agreed=False)

        proposed = shown_path(downloads() / file_name_of(report))
        dialog = PathDialog("Save the report", proposed, lambda text: fault_of(lambda: place_of(text)), NOTE)
        self.app.push_screen(dialog, typed)

    def _save(self, report: Report, path: Path, *, is_agreed: bool) -> None:
        content = FORMATS[path.suffix.lower()](report)
        self.run_worker(work(self._write, report, path, content, is_agreed=is_agreed), group="save")

    async def _write(self, report: Report, path: Path, content: str, *, is_agreed: bool) -> None:
        try:
            await asyncio.to_thread(write_new if not is_agreed else write_over, path, content)
        except FileExistsError:
            self._ask(report, path)
        except OSError as error:
            self.say(f"{shown_path(path)} cannot be written: {error.strerror}.", is_bad=True)
        else:
            self.say(f"Saved {shown_path(path)}")

    def _ask(self, report: Report, path: Path) -> None:
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        def answered(key: str | None) -> None:
            if key == "o":
                self._save(report, path, is_agreed=True)

        sentence = f"There is a file {shown_path(path)} already."
        self.app.push_screen(
            ConfirmDialog("Save the report", sentence, [Answer("o", "overwrite it")], "leave it"), answered
        )


def file_name_of(report: Report) -> str:
    """The name that is proposed: of the report and what it is about."""
    return f"{_NOT_FOR_FILES.sub('-', f'{report.name} {report.about}').strip('-.').lower()}.md"


def place_of(text: str) -> tuple[Path, str]:
    """The folder and the name that a text means; ValueError with a sentence where nothing can be saved there."""
    folder, name = folder_and_name(text, "")
    if not name or (folder / name).is_dir():
        raise ValueError("Name the file too.")
    if Path(name).suffix.lower() not in FORMATS or not Path(name).stem:
        raise ValueError("The file name ends in .md, .csv or .svg.")
    return folder, name


def write_new(path: Path, content: str) -> None:
    """Write a file that must not be there yet."""
    with path.open("x", encoding="utf-8") as file:
        file.write(content)


def write_over(path: Path, content: str) -> None:
    """Put a file in the place of another, whole or not at all."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
        beside.chmod(path.stat().st_mode & 0o777)
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
