"""Documents from what one machine knows, for servers that keep no history."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

from msgspec import Struct

from backlit.model.reports.document import CellValue, FigureSource, ReportDocument
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.trees import NodeTotals
from backlit.model.working_days import WorkingDays

NO_HISTORY = "The server keeps no history: these are the daily records of this machine."


class MachineReport(Struct, frozen=True):
    """What a report of this machine is about, in a unit, at a time of the project's zone, else of this machine's."""

    name: ReportName
    about: str
    unit: ReportUnit
    now: datetime
    work: WorkingDays = WorkingDays()
    zone: str | None = None
    """The name of the project's time zone, if the server states one; then `now` has a zone."""

    @property
    def today(self) -> date:
        return self.now.date()

    def amount(self, totals: NodeTotals) -> float:
        return totals.points if self.unit is ReportUnit.POINTS else float(totals.count)

    def document(
        self,
        summary: Mapping[str, CellValue],
        columns: Sequence[str],
        rows: Sequence[Sequence[CellValue]],
        notes: Sequence[str] = (),
        *,
        details: Sequence[Mapping[str, CellValue]] = (),
        source: FigureSource = FigureSource.MACHINE,
    ) -> ReportDocument:
        return ReportDocument(
            report=self.name.value,
            about=self.about,
            team=None,
            unit=self.unit.value,
            source=source,
            since=None,
            as_of=(self.now if self.zone is None else self.now.astimezone(UTC)).replace(tzinfo=None),
            time_zone=self.zone,
            summary=summary,
            columns=columns,
            rows=rows,
            notes=notes,
            details=details,
        )
