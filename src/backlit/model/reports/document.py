"""The answer of a report, which is the same for the screen, the command line and other programs."""

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from backlit.model.dates import time_zone, write_datetime
from backlit.model.errors import ServiceError
from backlit.model.plain import plain

CellValue: TypeAlias = str | float | int | date | None
"""A value of a table or a summary; None where it is not known."""
WireValue: TypeAlias = str | float | int | None
DECIMALS = 4
NOT_COMMITTED = "The sprint is not committed yet: its scope so far."
"""The note of a sprint before its commitment, whose figures are those so far."""
_FORMULAS = ("=", "+", "-", "@")
"""First characters of spreadsheet formulas, which are escaped in text from the service."""
_DAY_COLUMNS = frozenset({"Day", "As of", "Since", "Ends"})
"""The titles of columns whose texts are days."""
_DAY_KEYS = frozenset({"day", "since", "ends50", "ends85"})


class FigureSource(StrEnum):
    """What a figure was computed from; `machine` are the daily records of one client."""

    HISTORY = "history"
    NOW = "now"
    MACHINE = "machine"


class ReportDocument(Struct, frozen=True, kw_only=True):
    """A report: its figures, its table and the sentences about both.

    `details` are rows below those of the table: each change of a scope, the earlier statuses of items, the work of
    people and areas by group of status, and of each iteration of a velocity whether it is one of its samples. Other
    reports have none.
    """

    report: str
    about: str
    team: str | None
    unit: str
    source: FigureSource
    since: datetime | None
    as_of: datetime
    time_zone: str | None
    """The name of the project's zone; None where `as_of` and the days are those of this machine."""
    summary: Mapping[str, CellValue]
    columns: Sequence[str]
    rows: Sequence[Sequence[CellValue]]
    notes: Sequence[str] = ()
    details: Sequence[Mapping[str, CellValue]] = ()

    @property
    def is_committed(self) -> bool:
        return NOT_COMMITTED not in self.notes

    @property
    def today(self) -> date:
        """The day of the answer, in the time zone of the project."""
        if self.time_zone is None:
            return self.as_of.date()
        return self.as_of.replace(tzinfo=UTC).astimezone(ZoneInfo(self.time_zone)).date()

    @property
    def days(self) -> tuple[date, ...]:
        """The days of a report with a row for each."""
        return tuple(row[0] for row in self.rows if isinstance(row[0], date))

    def column(self, title: str) -> tuple[CellValue, ...]:
        at = self.columns.index(title)
        return tuple(row[at] for row in self.rows)

    def numbers(self, title: str) -> tuple[float | None, ...]:
        return tuple(_number(value) for value in self.column(title))

    def figure(self, key: str) -> float | None:
        """Return a number of the summary; None where it is not known."""
        return _number(self.summary.get(key))

    def wire(self) -> dict[str, Any]:
        """Return the document for JSON."""
        return {
            "report": self.report,
            "about": self.about,
            "team": self.team,
            "unit": self.unit,
            "source": self.source.value,
            "since": None if self.since is None else write_datetime(self.since),
            "asOf": write_datetime(self.as_of),
            "timeZone": self.time_zone,
            "summary": _written_values(self.summary),
            "columns": list(self.columns),
            "rows": [[_written(value) for value in row] for row in self.rows],
            "notes": list(self.notes),
            "details": [_written_values(each) for each in self.details],
        }

    def csv(self) -> str:
        """Return a line of titles and one for each row: unknown is empty, zero is 0."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_cell(title) for title in self.columns)
        writer.writerows([_cell(_written(value)) for value in row] for row in self.rows)
        return text.getvalue()


class _ReportWire(Struct, frozen=True, kw_only=True, rename="camel"):
    """A document as it is sent."""

    report: str
    about: str
    unit: str
    source: FigureSource
    as_of: datetime
    time_zone: str | None
    summary: dict[str, WireValue]
    columns: list[str]
    rows: list[list[WireValue]]
    team: str | None = None
    since: datetime | None = None
    notes: list[str] = []
    details: list[dict[str, WireValue]] = []


def read_document(wire: object) -> ReportDocument:
    """Read a document as it was sent; raise ServiceError for anything else."""
    try:
        return _read(msgspec.convert(wire, _ReportWire))
    except (ValueError, OverflowError) as error:
        raise ServiceError(f"The server sent a report that cannot be read ({error}).") from error


def _read(read: _ReportWire) -> ReportDocument:
    if read.time_zone is not None:
        if time_zone(read.time_zone) is None:
            raise ValueError(f"unknown time zone {read.time_zone!r}")
        read.as_of.replace(tzinfo=UTC).astimezone(ZoneInfo(read.time_zone))  # OverflowError for the first and last days
    is_day = [title in _DAY_COLUMNS for title in read.columns]
    return ReportDocument(
        report=read.report,
        about=read.about,
        team=read.team,
        unit=read.unit,
        source=read.source,
        since=read.since,
        as_of=read.as_of.replace(tzinfo=None),
        time_zone=read.time_zone,
        summary=_with_days(read.summary),
        columns=read.columns,
        rows=[[_day(value) if day else value for value, day in zip(row, is_day, strict=True)] for row in read.rows],
        notes=read.notes,
        details=[_with_days(each) for each in read.details],
    )


def _with_days(values: Mapping[str, WireValue]) -> dict[str, CellValue]:
    return {key: _day(value) if key in _DAY_KEYS else value for key, value in values.items()}


def _day(value: WireValue) -> CellValue:
    return date.fromisoformat(value) if isinstance(value, str) else value


def _number(value: CellValue) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _written_values(values: Mapping[str, CellValue]) -> dict[str, Any]:
    return {key: _written(value) for key, value in values.items()}


def _written(value: CellValue) -> WireValue:
    if isinstance(value, datetime):
        return write_datetime(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        rounded = round(value, DECIMALS)
        return int(rounded) if rounded.is_integer() else rounded
    return value


def _cell(value: WireValue) -> WireValue:
    if value is None:
        return ""
    if isinstance(value, str):
        text = plain(value)
        return f"'{text}" if text.startswith(_FORMULAS) else text
    return value
