"""Report on scope change between records: added, removed and re-estimated items."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from backlit.model.reports.chart import Series, Timeline, Tone
from backlit.model.reports.course import Course, Flow
from backlit.model.reports.report import (
    Column,
    Measure,
    Report,
    Table,
    Value,
    counted,
    day_text,
    number_text,
    signed_text,
)
from backlit.model.trees import Totals

COLUMNS = (
    Column("Day", is_text=True),
    Column("Scope"),
    Column("Change", is_signed=True),
    Column("In"),
    Column("Out"),
)
OF_POINTS = (Column("Est.", is_signed=True, rank=1), Column("Items", rank=2))
KNOWN = "In and Out are whole items between two records; Est. is the effect of new estimates on the others."
KNOWN_ITEMS = "Items added and removed between the same two records are not counted."
NET = "A – in In and Out: only the net change was recorded."


@dataclass(frozen=True, slots=True)
class Change:
    """A change of scope between two records, with its causes if known."""

    day: date
    net: float
    flow: Flow | None


def scope_change(course: Course, wanted: Measure = Measure.POINTS) -> Report:
    """Report the scope by day against the first recorded one."""
    measure = course.measure(wanted)
    scope = {each.day: each.scope for each in course.progress}
    changes = {each.day: each for each in _changes(course, measure)}
    rows = tuple(_row(day, scope.get(day), changes.get(day), measure) for day in course.past_days)
    first = measure.of(course.progress[0].scope) if course.progress else None
    line = Series("first recorded", Tone.GUIDE, (first,) * len(course.days))
    bars = course.series("scope", Tone.PLAIN, {day: measure.of(totals) for day, totals in scope.items()})
    chart = Timeline(course.days, bars, (line,), frozenset(course.gaps), course.today)
    every = tuple(changes.values())
    headline, notes = _headline(course, measure, every), (*course.notes(), *_notes(every, measure))
    columns = (*COLUMNS, *OF_POINTS) if measure is Measure.POINTS else COLUMNS
    return Report("Scope change", course.name, headline, chart, Table(columns, rows), notes)


def _changes(course: Course, measure: Measure) -> Sequence[Change]:
    return [
        Change(after.day, measure.of(after.scope) - measure.of(before.scope), course.flow(before, after))
        for before, after in pairwise(course.progress)
    ]


def _row(day: date, scope: Totals | None, change: Change | None, measure: Measure) -> tuple[Value, ...]:
    flow = change.flow if change is not None else None
    row = (
        day,
        None if scope is None else measure.of(scope),
        None if change is None else change.net,
        None if flow is None else measure.of(flow.came),
        None if flow is None else measure.of(flow.went),
    )
    if measure is Measure.ITEMS:
        return row
    return (*row, None if flow is None else flow.sized, None if scope is None else float(scope.count))


def _headline(course: Course, measure: Measure, changes: Sequence[Change]) -> str:
    if not course.progress:
        return course.unrecorded(measure)
    first, last = course.progress[0], course.progress[-1]
    now = f"{number_text(measure.of(last.scope))} {measure.value}"
    if not changes:
        return f"{now} on {day_text(last.day)}; a change needs a second record."
    since = f"since {day_text(first.day)}"
    known = [each.flow for each in changes if each.flow is not None]
    net = sum(each.net for each in changes if each.flow is None)
    if not known:
        return f"{now}, {_signed(net)} {since}; additions and removals were not recorded."
    whole = sum(known, Flow())
    said = f"{now}: {_amount(whole.came, measure)} added and {_amount(whole.went, measure)} removed {since}"
    sized = whole.sized if measure is Measure.POINTS else 0.0
    more = [f"{_signed(sized)} by new estimates"] if signed_text(sized) != "0" else []
    more += [f"{_signed(net)} of it as net change only"] if len(known) < len(changes) else []
    return f"{', '.join((said, *more))}."


def _amount(totals: Totals, measure: Measure) -> str:
    """Write an amount, such as 5 in 1 item; in items only 1."""
    if not totals.count:
        return "nothing"
    if measure is Measure.ITEMS:
        return number_text(totals.count)
    return f"{number_text(totals.points)} in {counted(totals.count, 'item')}"


def _signed(number: float) -> str:
    text = signed_text(number)
    return "±0" if text == "0" else text


def _notes(changes: Sequence[Change], measure: Measure) -> tuple[str, ...]:
    known = KNOWN if measure is Measure.POINTS else KNOWN_ITEMS
    is_any, is_every = any(each.flow for each in changes), all(each.flow for each in changes)
    return (*((known,) if is_any else ()), *((NET,) if changes and not is_every else ()))
