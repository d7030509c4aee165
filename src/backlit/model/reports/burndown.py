"""How much of an iteration was left at the end of each day."""

from datetime import date

from backlit.model.reports.chart import Series, Timeline, Tone
from backlit.model.reports.course import Course
from backlit.model.reports.report import Column, Measure, Report, ReportName, Table
from backlit.model.reports.words import day_text, number_text

COLUMNS = (Column("Day", is_text=True), Column("Left"), Column("Done", rank=1), Column("Line", rank=2))


def burndown(course: Course, wanted: Measure = Measure.POINTS) -> Report:
    """What is left, against a straight line from the first recorded scope on the first day to 0 on the last."""
    measure = course.measure(wanted)
    left = {each.day: measure.of(each.left) for each in course.standings}
    done = {each.day: measure.of(each.done) for each in course.standings}
    line = _straight(course, measure)
    guide = dict(zip(course.days, line.values, strict=True))
    rows = tuple((day, left.get(day), done.get(day), guide[day]) for day in course.past_days)
    chart = Timeline(course.days, course.series("left", Tone.LEFT, left), (line,), frozenset(course.gaps), course.today)
    notes = course.notes()
    if course.standings:
        first = course.standings[0]
        scope = f"{number_text(measure.of(first.scope))} {measure.value}"
        notes = (*notes, f"The line falls evenly from {scope}, the scope first recorded on {day_text(first.day)}.")
    return Report(
        ReportName.BURNDOWN, course.name, _headline(course, measure, guide), chart, Table(COLUMNS, rows), notes
    )


def _straight(course: Course, measure: Measure) -> Series:
    """What would be left at the end of each day; the first day begins with all of it."""
    count = len(course.days)
    if not course.standings:
        return Series("straight line", Tone.GUIDE, (None,) * count)
    scope = measure.of(course.standings[0].scope)
    return Series("straight line", Tone.GUIDE, tuple(scope * (count - n) / count for n in range(1, count + 1)))


def _headline(course: Course, measure: Measure, guide: dict[date, float | None]) -> str:
    if not course.standings:
        return course.unrecorded(measure)
    last = course.standings[-1]
    left, scope = number_text(measure.of(last.left)), number_text(measure.of(last.scope))
    when = "today" if last.day == course.today else f"on {day_text(last.day)}"
    said = f"{left} of {scope} {measure.value} left {when}"
    line = guide[last.day]
    return said if line is None else f"{said}; the straight line is at {number_text(line)}."
