"""Reports by day: the recorded progress of a scope, and its burndown, burnup and scope change."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from math import floor

from msgspec import Struct, field

from backlit.model.amounts import counted
from backlit.model.reports.report import (
    SAMPLE_NOTE,
    Figure,
    Measure,
    Report,
    ReportColumn,
    ReportTable,
    Series,
    Timeline,
    Tone,
    Value,
    day_text,
    number_text,
    ranges_text,
    signed_text,
)
from backlit.model.trees import NO_TOTALS, NodeTotals

_DAY = timedelta(days=1)
SATURDAY = 5
"""The first weekday off."""
BURNDOWN_COLUMNS = (ReportColumn("Day", is_text=True), ReportColumn("Remaining"), ReportColumn("Done", rank=1))
LINE_COLUMN = ReportColumn("Ideal", rank=2, has_decimal=True)
BURNUP_COLUMNS = (
    ReportColumn("Day", is_text=True),
    ReportColumn("Done"),
    ReportColumn("Scope"),
    ReportColumn("%", rank=1),
)
SCOPE_COLUMNS = (
    ReportColumn("Day", is_text=True),
    ReportColumn("Scope"),
    ReportColumn("Change", is_signed=True),
    ReportColumn("In"),
    ReportColumn("Out"),
)
OF_POINTS = (ReportColumn("Est.", is_signed=True, rank=1), ReportColumn("Items", rank=2))
IN_OUT_NOTE = "In and Out are whole items between two records; Est. is the effect of new estimates on the others."
IN_OUT_ITEMS_NOTE = "Items added and removed between the same two records are not counted."
NET_CHANGE_NOTE = "A – in In and Out: only the net change was recorded."


class ScopeFlow(Struct, frozen=True):
    """Added and removed items between two records; `sized` is the change of points by new estimates."""

    came: NodeTotals = NO_TOTALS
    went: NodeTotals = NO_TOTALS
    sized: float = 0.0

    def __add__(self, other: "ScopeFlow") -> "ScopeFlow":
        return ScopeFlow(self.came + other.came, self.went + other.went, self.sized + other.sized)

    def leads(self, before: NodeTotals, after: NodeTotals) -> bool:
        """Return True if the flow explains the whole change between two scopes."""
        points = before.points + self.came.points - self.went.points + self.sized
        return before.count + self.came.count - self.went.count == after.count and abs(points - after.points) < 1e-6


def flow_of(before: float | None, after: float | None) -> ScopeFlow:
    """Return the flow of one item by its points; None for an item outside the scope."""
    if before is None:
        return ScopeFlow() if after is None else ScopeFlow(came=NodeTotals(1, after))
    return ScopeFlow(went=NodeTotals(1, before)) if after is None else ScopeFlow(sized=after - before)


class DayProgress(Struct, frozen=True):
    """The last recorded state of a day: scope and completed work."""

    day: date
    scope: NodeTotals
    done: NodeTotals

    @property
    def left(self) -> NodeTotals:
        """Remaining work: the scope less the completed part."""
        return NodeTotals(self.scope.count - self.done.count, self.scope.points - self.done.points)


class RecordedPeriod(Struct, frozen=True):
    """The recorded days of an iteration, a release or a period, the oldest first; `end` is inclusive.

    Up to `sample_until` the records are demo data of the sample workspace.
    """

    name: str
    start: date
    end: date
    today: date
    recorded: Sequence[DayProgress]
    sample_until: date | None = None
    now: DayProgress | None = None
    """The current state, if no day is recorded."""
    is_period: bool = False
    """True for a period that ends today and has no deadline."""
    flows: Mapping[date, ScopeFlow] = field(default_factory=dict)
    """Items added and removed since the previous record, for the days with a scope log."""

    @property
    def progress(self) -> tuple[DayProgress, ...]:
        return tuple(each for each in self.recorded if self.start <= each.day <= self.end)

    @property
    def days(self) -> tuple[date, ...]:
        return tuple(self.start + _DAY * n for n in range((self.end - self.start).days + 1))

    @property
    def gaps(self) -> tuple[date, ...]:
        """Return the days up to today without a record."""
        known = {each.day for each in self.progress}
        return tuple(day for day in self.days if day <= self.today and day not in known)

    @property
    def past_days(self) -> tuple[date, ...]:
        return tuple(day for day in self.days if day <= self.today)

    def flow(self, before: DayProgress, after: DayProgress) -> ScopeFlow | None:
        """Return the flow between two records; None if the scope log does not explain the whole change."""
        found = self.flows.get(after.day)
        return found if found is not None and found.leads(before.scope, after.scope) else None

    def measure(self, wanted: Measure) -> Measure:
        """Return the measure of the report; items if no item is estimated."""
        has_points = any(each.scope.points for each in self.progress)
        return wanted if has_points or not self.progress else Measure.ITEMS

    def series(self, name: str, tone: Tone, numbers: dict[date, float]) -> Series:
        """Return a number for each day, None for a day without one."""
        return Series(name, tone, tuple(numbers.get(day) for day in self.days))

    def unrecorded(self, measure: Measure) -> str:
        """Return the headline of a period without records: the lack of records, and the current state."""
        if self.start > self.today:
            said = "It has not started."
        elif self.end < self.today:
            said = "It has ended, and no day was recorded."
        else:
            said = "No data yet. Recording starts with the next sync."
        if self.now is None or not self.now.scope.count:
            return said
        shown = measure if self.now.scope.points else Measure.ITEMS
        done, scope = number_text(shown.of(self.now.done)), number_text(shown.of(self.now.scope))
        return f"{said} Currently {done} of {scope} {shown.value} are done."

    def notes(self) -> tuple[str, ...]:
        past = len(self.past_days)
        if not past:
            return (f"Starts on {day_text(self.start)}; no data yet.",)
        of_days = f"{len(self.progress):,} of {counted(past, 'day')}"
        notes = []
        if self.sample_until is not None and any(each.day <= self.sample_until for each in self.progress):
            ends_later = self.progress[-1].day > self.sample_until
            notes.append(f"{SAMPLE_NOTE} up to {day_text(self.sample_until)}." if ends_later else f"{SAMPLE_NOTE}.")
        notes.append(f"Based on this machine's records of {of_days}; the server keeps no history.")
        if self.gaps and self.progress:
            notes.append(f"No data for {ranges_text(self.gaps)} (backlit was not running).")
        return tuple(notes)


def burndown(course: RecordedPeriod, wanted: Measure = Measure.POINTS) -> Report:
    """Report remaining work against an ideal line from the first recorded scope to 0 on the last day.

    A period has no deadline, and so no ideal line.
    """
    measure = course.measure(wanted)
    left = {each.day: measure.of(each.left) for each in course.progress}
    done = {each.day: measure.of(each.done) for each in course.progress}
    guide = {} if course.is_period else _straight(course, measure)
    rows = tuple((day, left.get(day), done.get(day), guide.get(day)) for day in course.past_days)
    scope_by_day = {each.day: measure.of(each.scope) for each in course.progress}
    ideal, scope_line = course.series("ideal", Tone.GUIDE, guide), course.series("scope", Tone.SCOPE, scope_by_day)
    lines = () if course.is_period else (ideal, scope_line)
    bars = course.series("remaining", Tone.LEFT, left)
    chart = Timeline(course.days, bars, lines, frozenset(course.gaps), course.today)
    table = (
        ReportTable(BURNDOWN_COLUMNS, tuple(row[:3] for row in rows))
        if course.is_period
        else ReportTable((*BURNDOWN_COLUMNS, LINE_COLUMN), rows)
    )
    notes = course.notes()
    if guide:
        first = course.progress[0]
        scope = f"{number_text(measure.of(first.scope))} {measure.value}"
        notes = (
            *notes,
            f"The ideal line falls evenly from {scope}, the scope first recorded on {day_text(first.day)}.",
        )
    headline = _burndown_headline(course, measure, guide)
    figures = _burndown_figures(course, measure, guide)
    return Report("Burndown", course.name, headline, chart, table, notes, figures, _facts(course, measure))


def _straight(course: RecordedPeriod, measure: Measure) -> dict[date, float]:
    """Return the ideal remaining work at the end of each day; the first day begins with all of it."""
    if not course.progress:
        return {}
    scope, count = measure.of(course.progress[0].scope), len(course.days)
    return {day: scope * (count - n) / count for n, day in enumerate(course.days, 1)}


def _burndown_headline(course: RecordedPeriod, measure: Measure, guide: dict[date, float]) -> str:
    if not course.progress:
        return course.unrecorded(measure)
    last = course.progress[-1]
    left, scope = measure.of(last.left), number_text(measure.of(last.scope))
    when = "today" if last.day == course.today else f"on {day_text(last.day)}"
    said = f"{number_text(left)} of {scope} {measure.value} left {when}"
    line = guide.get(last.day)
    if line is None:
        return f"{said}."
    apart = round(abs(left - line), 1)
    amount = counted(apart, measure.value.removesuffix("s"))
    beside = f"{amount} {'behind' if left > line else 'ahead'}" if apart else "on the ideal line"
    return f"{said}, {beside}."


def _burndown_figures(course: RecordedPeriod, measure: Measure, guide: Mapping[date, float]) -> tuple[Figure, ...]:
    if not course.progress:
        return ()
    last = course.progress[-1]
    left, line = measure.of(last.left), guide.get(last.day)
    figures = (Figure(number_text(left), f"{measure.value} left", f"of {number_text(measure.of(last.scope))}"),)
    if line is None:
        return figures
    word, tone = ("behind", Tone.LATE) if left > line else ("ahead", Tone.DONE)
    return (*figures, Figure(number_text(abs(left - line)), word, f"ideal {number_text(line)}", tone))


def _facts(course: RecordedPeriod, measure: Measure) -> tuple[tuple[str, str], ...]:
    if not course.progress:
        return ()
    first, last = (number_text(measure.of(each.scope)) for each in (course.progress[0], course.progress[-1]))
    facts = [("Scope", first if first == last else f"{first} → {last}")]
    working = sum(day > course.today and day.weekday() < SATURDAY for day in course.days)
    return (*facts, ("Days left", f"{working} working")) if working else tuple(facts)


def burnup(course: RecordedPeriod, wanted: Measure = Measure.POINTS) -> Report:
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
        ReportTable(BURNUP_COLUMNS, rows),
        course.notes(),
        _burnup_figures(course, measure),
        _facts(course, measure),
    )


def _burnup_figures(course: RecordedPeriod, measure: Measure) -> tuple[Figure, ...]:
    if not course.progress:
        return ()
    last = course.progress[-1]
    done, scope = measure.of(last.done), number_text(measure.of(last.scope))
    to_go = Figure(number_text(measure.of(last.left)), f"{measure.value} to go")
    return Figure(number_text(done), f"{measure.value} done", f"of {scope}", Tone.DONE), to_go


def _share(done: float | None, scope: float | None) -> float | None:
    """Return whole per cent; 100 only for complete work."""
    return None if done is None or not scope else float(floor(100 * done / scope + 1e-9))


def _burnup_headline(course: RecordedPeriod, measure: Measure) -> str:
    if not course.progress:
        return course.unrecorded(measure)
    first, last = course.progress[0], course.progress[-1]
    done, scope = number_text(measure.of(last.done)), number_text(measure.of(last.scope))
    when = "today" if last.day == course.today else f"on {day_text(last.day)}"
    if first == last:
        return f"{done} of {scope} {measure.value} done {when}."
    gained = signed_text(measure.of(last.done) - measure.of(first.done))
    return f"{done} of {scope} {measure.value} done {when}; {gained} since {day_text(first.day)}."


class ScopeChange(Struct, frozen=True):
    """A change of scope between two records, with its causes if known."""

    day: date
    net: float
    flow: ScopeFlow | None


def scope_change(course: RecordedPeriod, wanted: Measure = Measure.POINTS) -> Report:
    """Report the scope by day against the first recorded one."""
    measure = course.measure(wanted)
    scope = {each.day: each.scope for each in course.progress}
    changes = {each.day: each for each in _changes(course, measure)}
    rows = tuple(_scope_row(day, scope.get(day), changes.get(day), measure) for day in course.past_days)
    first = measure.of(course.progress[0].scope) if course.progress else None
    line = Series("first recorded", Tone.GUIDE, (first,) * len(course.days))
    bars = course.series("scope", Tone.PLAIN, {day: measure.of(totals) for day, totals in scope.items()})
    chart = Timeline(course.days, bars, (line,), frozenset(course.gaps), course.today)
    every = tuple(changes.values())
    headline, notes = _scope_headline(course, measure, every), (*course.notes(), *_scope_notes(every, measure))
    columns = (*SCOPE_COLUMNS, *OF_POINTS) if measure is Measure.POINTS else SCOPE_COLUMNS
    figures = _scope_figures(course, measure)
    table = ReportTable(columns, rows)
    return Report("Scope change", course.name, headline, chart, table, notes, figures, _facts(course, measure))


def _scope_figures(course: RecordedPeriod, measure: Measure) -> tuple[Figure, ...]:
    if not course.progress:
        return ()
    first, last = (measure.of(each.scope) for each in (course.progress[0], course.progress[-1]))
    change = Figure(signed_text(last - first), "since", day_text(course.progress[0].day))
    return Figure(number_text(last), f"{measure.value} in scope"), change


def _changes(course: RecordedPeriod, measure: Measure) -> Sequence[ScopeChange]:
    return [
        ScopeChange(after.day, measure.of(after.scope) - measure.of(before.scope), course.flow(before, after))
        for before, after in pairwise(course.progress)
    ]


def _scope_row(day: date, scope: NodeTotals | None, change: ScopeChange | None, measure: Measure) -> tuple[Value, ...]:
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


def _scope_headline(course: RecordedPeriod, measure: Measure, changes: Sequence[ScopeChange]) -> str:
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
    whole = sum(known, ScopeFlow())
    said = f"{now}; {since} {_amount(whole.came, measure)} added, {_amount(whole.went, measure)} removed"
    sized = whole.sized if measure is Measure.POINTS else 0.0
    more = [f"{_signed(sized)} by new estimates"] if signed_text(sized) != "0" else []
    more += [f"{_signed(net)} of it as net change only"] if len(known) < len(changes) else []
    return f"{', '.join((said, *more))}."


def _amount(totals: NodeTotals, measure: Measure) -> str:
    """Write an amount, such as 5 in 1 item; in items only 1."""
    if not totals.count:
        return "nothing"
    if measure is Measure.ITEMS:
        return number_text(totals.count)
    return f"{counted(totals.points, 'pt')} in {counted(totals.count, 'item')}"


def _signed(number: float) -> str:
    text = signed_text(number)
    return "±0" if text == "0" else text


def _scope_notes(changes: Sequence[ScopeChange], measure: Measure) -> tuple[str, ...]:
    known = IN_OUT_NOTE if measure is Measure.POINTS else IN_OUT_ITEMS_NOTE
    is_any, is_every = any(each.flow for each in changes), all(each.flow for each in changes)
    return (*((known,) if is_any else ()), *((NET_CHANGE_NOTE,) if changes and not is_every else ()))
