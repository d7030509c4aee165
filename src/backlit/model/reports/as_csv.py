"""CSV of a report's table: plain numbers and ISO dates, for other programs."""

import csv
import io
from datetime import date

from backlit.model.plain import plain
from backlit.model.reports.report import Report, Value

_FORMULAS = ("=", "+", "-", "@")
"""First characters of spreadsheet formulas, which are escaped in text from the service."""


def as_csv(report: Report) -> str:
    """Write a line of titles and a line for each row; unknown values are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.title for column in report.table.columns)
    writer.writerows([_cell(value) for value in row] for row in report.table.rows)
    return out.getvalue()


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        text = plain(value)
        return f"'{text}" if text.startswith(_FORMULAS) else text
    return f"{round(value, 4) + 0.0:.12g}"
