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
    leads,
    number_text,
)

PARTS = (BarPart("hours", Tone.DONE),)
DAYS_WITH_WEEKDAY = 7
"""Days whose titles name the weekday too."""


def logged_time(document: ReportDocument) -> Report:
    """Return the hours, the rows with the most first."""
    first, *every, total = document.columns
    is_week, today = len(every) <= DAYS_WITH_WEEKDAY, document.as_of.date()
    # Later ones without hours say nothing yet, but in a week.
    shown = [at for at, day in enumerate(every, 1) if is_week or _has_hours(document, at) or not _is_later(day, today)]
    days = [every[at - 1] for at in shown]
    rows = tuple(
        (row[0], row[-1], *(row[at] or None for at in shown))
        for row in sorted(document.rows, key=lambda row: -_hours(row[-1]))
    )
    columns = (
        ReportColumn(first, is_text=True, is_owner=first == "Person"),
        ReportColumn(total),
        # A narrow table drops the weekend of a week, else the earliest.
        *(
            ReportColumn(_title(day, today, has_weekday=is_week), rank=1 if is_week else len(days) - at)
            for at, day in enumerate(days)
        ),
    )
    bars = tuple(Bar(str(row[0]), (_hours(row[1]),)) for row in rows)
    hours, people = document.figure("hours") or 0.0, round(document.figure("people") or 0)
    figures = []
    if len(rows) > 1:
        entries = counted(round(document.figure("entries") or 0), "entry", "entries")
        figures = [Figure(number_text(hours), "h logged", entries)]
    has_most = leads([_hours(row[1]) for row in rows])
    preposition = "by" if first == "Person" else "for"
    if has_most:
        figures.append(Figure(number_text(_hours(rows[0][1])), f"most {preposition}", str(rows[0][0]), is_phrase=True))
    headline = f"{number_text(hours)} h logged by {counted(people, 'person', 'people')}"
    if has_most:
        headline += f", most {preposition} {rows[0][0]} ({number_text(_hours(rows[0][1]))})"
    headline = f"{headline}." if rows else "No hours were logged."
    return Report(document, headline, Bars(PARTS, bars, gives_way=True), ReportTable(columns, rows), tuple(figures))


def _hours(value: CellValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _is_later(column: str, today: date) -> bool:
    year, week, _ = today.isocalendar()
    return column > (f"{year}-W{week:02}" if "W" in column else today.isoformat())


def _has_hours(document: ReportDocument, at: int) -> bool:
    return any(row[at] for row in document.rows)


def _title(column: str, today: date, *, has_weekday: bool) -> str:
    """Return the title of a day's column, or of a week's, with the year where that is another one."""
    if "W" in column:
        year, _, week = column.partition("-")
        return week if int(year) == today.isocalendar().year else f"{week}/{year[2:]}"
    day = date.fromisoformat(column)
    return f"{day:%a} {day.day}" if has_weekday else f"{day.day}"
