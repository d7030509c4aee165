"""The answer of a report, which is the same for the screen, the command line and other programs."""

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct

from backlit.model.dates import write_datetime

CellValue: TypeAlias = str | float | int | date | None
"""A value of a table or a summary; None where it is not known."""
DECIMALS = 4


class FigureSource(StrEnum):
    """What a figure was computed from."""

    HISTORY = "history"
    NOW = "now"


class ReportDocument(Struct, frozen=True, kw_only=True):
    """A report: its figures, its table and the sentences about both.

    `changes` holds the item, day, cause and amount of each change of a scope; other reports have none.
    """

    report: str
    about: str
    team: str | None
    unit: str
    source: FigureSource
    since: datetime | None
    as_of: datetime
    time_zone: str
    summary: Mapping[str, CellValue]
    columns: Sequence[str]
    rows: Sequence[Sequence[CellValue]]
    notes: Sequence[str] = ()
    changes: Sequence[Mapping[str, CellValue]] | None = None

    def wire(self) -> dict[str, Any]:
        """Return the document for JSON."""
        document = {
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
        }
        if self.changes is None:
            return document
        return document | {"changes": [_written_values(each) for each in self.changes]}

    def csv(self) -> str:
        """Return a line of titles and one for each row: unknown is empty, zero is 0."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if value is None else _written(value) for value in row] for row in self.rows)
        return text.getvalue()


def _written_values(values: Mapping[str, CellValue]) -> dict[str, Any]:
    return {key: _written(value) for key, value in values.items()}


def _written(value: CellValue) -> str | float | int | None:
    if isinstance(value, datetime):
        return write_datetime(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        rounded = round(value, DECIMALS)
        return int(rounded) if rounded.is_integer() else rounded
    return value
