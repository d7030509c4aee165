"""The report of logged time: hours by person, type or Feature and day."""

from datetime import date

from backlit.model.amounts import counted
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.report import (
    Bar,
    BarPart,
    Bars,
    Figure,
    Report,
    ReportColumn,
    ReportTable,
    Tone,
    number_text,
)

PARTS = (BarPart("hours", Tone.DONE),)
DAYS_WITH_WEEKDAY = 7
"""Days whose titles name the weekday too."""


def logged_time(document: ReportDocument) -> Report:
    """Return the hours, the rows with the most first."""
    first, *days, total = document.columns
    rows = tuple(
        (row[0], row[-1], *(value or None for value in row[1:-1]))
        for row in sorted(document.rows, key=lambda row: -_hours(row[-1]))
    )
    is_week = len(days) <= DAYS_WITH_WEEKDAY
    columns = (
        ReportColumn(first, is_text=True, is_owner=first == "Person"),
        ReportColumn(total),
        # A narrow table drops the weekend of a week, else the earliest.
        *(
            ReportColumn(_title(day, has_weekday=is_week), rank=1 if is_week else len(days) - at)
            for at, day in enumerate(days)
        ),
    )
    bars = tuple(Bar(str(row[0]), (_hours(row[1]),)) for row in rows)
    hours, people = document.figure("hours") or 0.0, round(document.figure("people") or 0)
    figures = []
    if len(rows) > 1:
        entries = counted(round(document.figure("entries") or 0), "entry", "entries")
        figures = [
            Figure(number_text(hours), "h logged", entries),
            Figure(number_text(_hours(rows[0][1])), "most", str(rows[0][0])),
        ]
    headline = f"{number_text(hours)} h logged by {counted(people, 'person', 'people')}"
    if len(rows) > 1:
        preposition = "by" if first == "Person" else "for"
        headline += f", most {preposition} {rows[0][0]} ({number_text(_hours(rows[0][1]))})"
    headline = f"{headline}." if rows else "No hours were logged."
    return Report(document, headline, Bars(PARTS, bars, gives_way=True), ReportTable(columns, rows), tuple(figures))


def _hours(value: CellValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _title(column: str, *, has_weekday: bool) -> str:
    """Return the title of a day's column, or of a week's."""
    if "W" in column:
        return column.partition("-")[2]
    day = date.fromisoformat(column)
    return f"{day:%a} {day.day}" if has_weekday else f"{day.day}"
