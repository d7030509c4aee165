"""Burndown and burnup: remaining and completed work under its scope, by day."""

from datetime import date
from math import floor

from backlit.model.reports.chart import Timeline, Tone
from backlit.model.reports.course import Course
from backlit.model.reports.report import Column, Measure, Report, Table, day_text, number_text, signed_text

BURNDOWN_COLUMNS = (Column("Day", is_text=True), Column("Left"), Column("Done", rank=1))
LINE_COLUMN = Column("Line", rank=2)


def burndown(course: Course, wanted: Measure = Measure.POINTS) -> Report:
    """Report remaining work against an ideal line from the first recorded scope to 0 on the last day.

    A period has no deadline, and so no ideal line.
    """
    measure = course.measure(wanted)
    left = {each.day: measure.of(each.left) for each in course.progress}
    done = {each.day: measure.of(each.done) for each in course.progress}
    guide = {} if course.is_period else _straight(course, measure)
    rows = tuple((day, left.get(day), done.get(day), guide.get(day)) for day in course.past_days)
    lines = () if course.is_period else (course.series("ideal line", Tone.GUIDE, guide),)
    chart = Timeline(course.days, course.series("left", Tone.LEFT, left), lines, frozenset(course.gaps), course.today)
    table = (
        Table(BURNDOWN_COLUMNS, tuple(row[:3] for row in rows))
        if course.is_period
        else Table((*BURNDOWN_COLUMNS, LINE_COLUMN), rows)
    )
    notes = course.notes()
    if guide:
        first = course.progress[0]
        scope = f"{number_text(measure.of(first.scope))} {measure.value}"
        notes = (
            *notes,
            f"The ideal line falls evenly from {scope}, the scope first recorded on {day_text(first.day)}.",
        )
    return Report("Burndown", course.name, _burndown_headline(course, measure, guide), chart, table, notes)


def _straight(course: Course, measure: Measure) -> dict[date, float]:
    """Return the ideal remaining work at the end of each day; the first day begins with all of it."""
    if not course.progress:
        return {}
    scope, count = measure.of(course.progress[0].scope), len(course.days)
    return {day: scope * (count - n) / count for n, day in enumerate(course.days, 1)}


def _burndown_headline(course: Course, measure: Measure, guide: dict[date, float]) -> str:
    if not course.progress:
        return course.unrecorded(measure)
    last = course.progress[-1]
    left, scope = number_text(measure.of(last.left)), number_text(measure.of(last.scope))
    when = "today" if last.day == course.today else f"on {day_text(last.day)}"
    said = f"{left} of {scope} {measure.value} left {when}"
    line = guide.get(last.day)
    return f"{said}." if line is None else f"{said}; the ideal line is at {number_text(line)}."


BURNUP_COLUMNS = (Column("Day", is_text=True), Column("Done"), Column("Scope"), Column("%", rank=1))


def burnup(course: Course, wanted: Measure = Measure.POINTS) -> Report:
    """Report completed work under each day's scope."""
    measure = course.measure(wanted)
    done = {each.day: measure.of(each.done) for each in course.progress}
    scope = {each.day: measure.of(each.scope) for each in course.progress}
    rows = tuple(
        (day, done.get(day), scope.get(day), _share(done.get(day), scope.get(day))) for day in course.past_days
    )
    chart = Timeline(
        course.days,
        course.series("done", Tone.DONE, done),
        (course.series("scope", Tone.SCOPE, scope),),
        frozenset(course.gaps),
        course.today,
    )
    return Report(
        "Burnup",
        course.name,
        _burnup_headline(course, measure),
        chart,
        Table(BURNUP_COLUMNS, rows),
        course.notes(),
    )


def _share(done: float | None, scope: float | None) -> float | None:
    """Return whole per cent; 100 only for complete work."""
    return None if done is None or not scope else float(floor(100 * done / scope + 1e-9))


def _burnup_headline(course: Course, measure: Measure) -> str:
    if not course.progress:
        return course.unrecorded(measure)
    first, last = course.progress[0], course.progress[-1]
    done, scope = number_text(measure.of(last.done)), number_text(measure.of(last.scope))
    when = "today" if last.day == course.today else f"on {day_text(last.day)}"
    if first == last:
        return f"{done} of {scope} {measure.value} done {when}."
    gained = signed_text(measure.of(last.done) - measure.of(first.done))
    return f"{done} of {scope} {measure.value} done {when}; {gained} since {day_text(first.day)}."
