"""How the scope changed: what came into an iteration or the backlog, and what went out, from one record to the next."""

from datetime import date
from itertools import pairwise

from backlit.model.reports.chart import Series, Timeline, Tone
from backlit.model.reports.course import Course
from backlit.model.reports.report import Column, Measure, Report, ReportName, Table
from backlit.model.reports.words import day_text, number_text

COLUMNS = (Column("Day", is_text=True), Column("Scope"), Column("Change", is_signed=True), Column("Items", rank=1))
NET = "A change is the net of what came and what went since the record before it, new estimates included."


def scope_change(course: Course, wanted: Measure = Measure.POINTS) -> Report:
    """The scope day by day, over the one first recorded."""
    measure = course.measure(wanted)
    scope = {each.day: measure.of(each.scope) for each in course.standings}
    items = {each.day: float(each.scope.count) for each in course.standings}
    changes = {later: scope[later] - scope[earlier] for earlier, later in pairwise(scope)}
    rows = tuple((day, scope.get(day), changes.get(day), items.get(day)) for day in course.past_days)
    first = next(iter(scope.values()), None)
    line = Series("first recorded", Tone.GUIDE, (first,) * len(course.days))
    bars = course.series("scope", Tone.PLAIN, scope)
    chart = Timeline(course.days, bars, (line,), frozenset(course.gaps), course.today)
    notes = (*course.notes(), NET) if course.standings else course.notes()
    return Report(
        ReportName.SCOPE, course.name, _headline(course, measure, changes), chart, Table(COLUMNS, rows), notes
    )


def _headline(course: Course, measure: Measure, changes: dict[date, float]) -> str:
    if not course.standings:
        return course.unrecorded(measure)
    first, last = course.standings[0], course.standings[-1]
    now = f"{number_text(measure.of(last.scope))} {measure.value}"
    if first == last:
        return f"{now} on {day_text(last.day)}; one record shows no change yet."
    more = sum(each for each in changes.values() if each > 0)
    less = sum(each for each in changes.values() if each < 0)
    return f"{now}: {number_text(more)} came in and {number_text(-less)} went out since {day_text(first.day)}."
