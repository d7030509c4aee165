"""Burndown: remaining work of an iteration by day."""

from datetime import date

from backlit.model.reports.chart import Timeline, Tone
from backlit.model.reports.course import Course
from backlit.model.reports.formatting import day_text, number_text
from backlit.model.reports.report import Column, Measure, Report, ReportName, Table

COLUMNS = (Column("Day", is_text=True), Column("Left"), Column("Done", rank=1))
LINE = Column("Line", rank=2)


def burndown(course: Course, wanted: Measure = Measure.POINTS) -> Report:
    """Report remaining work against an ideal line from the first recorded scope to 0 on the last day.

    A period has no deadline, and so no ideal line.
    """
    measure = course.measure(wanted)
    left = {each.day: measure.of(each.left) for each in course.standings}
    done = {each.day: measure.of(each.done) for each in course.standings}
    guide = {} if course.is_period else _straight(course, measure)
    rows = tuple((day, left.get(day), done.get(day), guide.get(day)) for day in course.past_days)
    lines = () if course.is_period else (course.series("ideal line", Tone.GUIDE, guide),)
    chart = Timeline(course.days, course.series("left", Tone.LEFT, left), lines, frozenset(course.gaps), course.today)
    table = Table(COLUMNS, tuple(row[:3] for row in rows)) if course.is_period else Table((*COLUMNS, LINE), rows)
    notes = course.notes()
    if guide:
        first = course.standings[0]
        scope = f"{number_text(measure.of(first.scope))} {measure.value}"
        notes = (
            *notes,
            f"The ideal line falls evenly from {scope}, the scope first recorded on {day_text(first.day)}.",
        )
    return Report(ReportName.BURNDOWN, course.name, _headline(course, measure, guide), chart, table, notes)


def _straight(course: Course, measure: Measure) -> dict[date, float]:
    """Return the ideal remaining work at the end of each day; the first day begins with all of it."""
    if not course.standings:
        return {}
    scope, count = measure.of(course.standings[0].scope), len(course.days)
    return {day: scope * (count - n) / count for n, day in enumerate(course.days, 1)}


def _headline(course: Course, measure: Measure, guide: dict[date, float]) -> str:
    if not course.standings:
        return course.unrecorded(measure)
    last = course.standings[-1]
    left, scope = number_text(measure.of(last.left)), number_text(measure.of(last.scope))
    when = "today" if last.day == course.today else f"on {day_text(last.day)}"
    said = f"{left} of {scope} {measure.value} left {when}"
    line = guide.get(last.day)
    return f"{said}." if line is None else f"{said}; the ideal line is at {number_text(line)}."
