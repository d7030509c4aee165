"""Documents of reports as a service answers them."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from backlit.model.reports.document import CellValue, FigureSource, ReportDocument
from backlit.model.reports.names import ReportName, ReportUnit

MONDAY = date(2026, 3, 2)
NOON = datetime(2026, 3, 5, 12)
"""The time of the answers, a Thursday."""


def day(number: int) -> date:
    return date(2026, 3, number)


def week() -> list[date]:
    return [MONDAY + timedelta(number) for number in range(7)]


def document(
    name: ReportName,
    columns: Sequence[str],
    rows: Sequence[Sequence[CellValue]],
    summary: Mapping[str, CellValue] | None = None,
    *,
    about: str = "Sprint 9",
    unit: ReportUnit = ReportUnit.POINTS,
    source: FigureSource = FigureSource.HISTORY,
    as_of: datetime = NOON,
    notes: Sequence[str] = (),
    details: Sequence[Mapping[str, CellValue]] = (),
) -> ReportDocument:
    return ReportDocument(
        report=name.value,
        about=about,
        team=None,
        unit=unit.value,
        source=source,
        since=None,
        as_of=as_of,
        time_zone="UTC",
        summary=summary or {},
        columns=columns,
        rows=rows,
        notes=notes,
        details=details,
    )


def burndown(
    remaining: Sequence[float | None] = (40.0, 32.0, 28.0, 25.0, None, None, None),
    done: Sequence[float | None] = (0.0, 8.0, 12.0, 20.0, None, None, None),
    *,
    as_of: datetime = NOON,
    source: FigureSource = FigureSource.HISTORY,
    behind: float | None = 17.0,
    notes: Sequence[str] = (),
) -> ReportDocument:
    ideal = (32.0, 24.0, 16.0, 8.0, 0.0, 0.0, 0.0)
    columns = ("Day", "Remaining", "Done", "Ideal")
    rows = list(zip(week(), remaining, done, ideal, strict=True))
    summary = {"behind": behind}
    return document(ReportName.BURNDOWN, columns, rows, summary, as_of=as_of, source=source, notes=notes)
