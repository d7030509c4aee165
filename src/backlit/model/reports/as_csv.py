"""The table of a report as CSV: plain numbers and ISO dates, so that other programs can read it."""

import csv
import io
from datetime import date

from backlit.model.plain import plain
from backlit.model.reports.report import Report, Value

_FORMULAS = ("=", "+", "-", "@")
"""What a spreadsheet takes for a formula; text of the service must not be one."""


def as_csv(report: Report) -> str:
    """A line of titles and one for each row; what is not known is empty."""
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
