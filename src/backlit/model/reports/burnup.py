"""Burnup: completed work under the scope of an iteration, a release or the backlog, by day."""

from math import floor

from backlit.model.reports.chart import Timeline, Tone
from backlit.model.reports.course import Course
from backlit.model.reports.formatting import day_text, number_text, signed_text
from backlit.model.reports.report import Column, Measure, Report, ReportName, Table

COLUMNS = (Column("Day", is_text=True), Column("Done"), Column("Scope"), Column("%", rank=1))


def burnup(course: Course, wanted: Measure = Measure.POINTS) -> Report:
    """Report completed work under each day's scope."""
    measure = course.measure(wanted)
    done = {each.day: measure.of(each.done) for each in course.standings}
    scope = {each.day: measure.of(each.scope) for each in course.standings}
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
        ReportName.BURNUP, course.name, _headline(course, measure), chart, Table(COLUMNS, rows), course.notes()
    )


def _share(done: float | None, scope: float | None) -> float | None:
    """Return whole per cent; 100 only for complete work."""
    return None if done is None or not scope else float(floor(100 * done / scope + 1e-9))


def _headline(course: Course, measure: Measure) -> str:
    if not course.standings:
        return course.unrecorded(measure)
    first, last = course.standings[0], course.standings[-1]
    done, scope = number_text(measure.of(last.done)), number_text(measure.of(last.scope))
    when = "today" if last.day == course.today else f"on {day_text(last.day)}"
    if first == last:
        return f"{done} of {scope} {measure.value} done {when}."
    gained = signed_text(measure.of(last.done) - measure.of(first.done))
    return f"{done} of {scope} {measure.value} done {when}; {gained} since {day_text(first.day)}."
