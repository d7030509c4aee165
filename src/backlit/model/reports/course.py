"""Recorded progress of a scope of work, day by day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from backlit.model.reports.chart import Series, Tone
from backlit.model.reports.report import Measure, counted, day_text, number_text, ranges_text
from backlit.model.trees import NO_TOTALS, Totals


@dataclass(frozen=True, slots=True)
class Flow:
    """Added and removed items between two records; `sized` is the change of points by new estimates."""

    came: Totals = NO_TOTALS
    went: Totals = NO_TOTALS
    sized: float = 0.0

    def __add__(self, other: "Flow") -> "Flow":
        return Flow(self.came + other.came, self.went + other.went, self.sized + other.sized)

    def leads(self, before: Totals, after: Totals) -> bool:
        """Return True if the flow explains the whole change between two scopes."""
        points = before.points + self.came.points - self.went.points + self.sized
        return before.count + self.came.count - self.went.count == after.count and abs(points - after.points) < 1e-6


def flow_of(before: float | None, after: float | None) -> Flow:
    """Return the flow of one item by its points; None for an item outside the scope."""
    if before is None:
        return Flow() if after is None else Flow(came=Totals(1, after))
    return Flow(went=Totals(1, before)) if after is None else Flow(sized=after - before)


_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Progress:
    """The last recorded state of a day: scope and completed work."""

    day: date
    scope: Totals
    done: Totals

    @property
    def left(self) -> Totals:
        """Remaining work: the scope less the completed part."""
        return Totals(self.scope.count - self.done.count, self.scope.points - self.done.points)


@dataclass(frozen=True, slots=True)
class Course:
    """The recorded days of an iteration, a release or a period, the oldest first; `end` is inclusive.

    Up to `sample_until` the records are demo data of the sample workspace.
    """

    name: str
    start: date
    end: date
    today: date
    recorded: Sequence[Progress]
    sample_until: date | None = None
    now: Progress | None = None
    """The current state, if no day is recorded."""
    is_period: bool = False
    """True for a period that ends today and has no deadline."""
    flows: Mapping[date, Flow] = field(default_factory=dict)
    """Items added and removed since the previous record, for the days with a scope log."""

    @property
    def progress(self) -> tuple[Progress, ...]:
        """Return the records within the days of the period."""
        return tuple(each for each in self.recorded if self.start <= each.day <= self.end)

    @property
    def days(self) -> tuple[date, ...]:
        """Return all days of the period."""
        return tuple(self.start + _DAY * n for n in range((self.end - self.start).days + 1))

    @property
    def gaps(self) -> tuple[date, ...]:
        """Return the days up to today without a record."""
        known = {each.day for each in self.progress}
        return tuple(day for day in self.days if day <= self.today and day not in known)

    @property
    def past_days(self) -> tuple[date, ...]:
        """Return the days up to today."""
        return tuple(day for day in self.days if day <= self.today)

    def flow(self, before: Progress, after: Progress) -> Flow | None:
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
        """Return the notes on the origin of the numbers and on missing ones."""
        past = len(self.past_days)
        if not past:
            return (f"Starts on {day_text(self.start)}; no data yet.",)
        of_days = f"{len(self.progress):,} of {counted(past, 'day')}"
        notes = []
        if self.sample_until is not None and any(each.day <= self.sample_until for each in self.progress):
            notes.append(f"Demo data up to {day_text(self.sample_until)}.")
        notes.append(f"Based on this machine's records of {of_days}; the server keeps no history.")
        if self.gaps and self.progress:
            notes.append(f"No data for {ranges_text(self.gaps)} (backlit was not running).")
        return tuple(notes)
