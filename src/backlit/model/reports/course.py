"""How a piece of work stood from day to day, as far as it was recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from backlit.model.reports.chart import Series, Tone
from backlit.model.reports.flow import Flow
from backlit.model.reports.report import Measure
from backlit.model.reports.words import counted, day_text, number_text, ranges_text
from backlit.model.trees import Totals

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Standing:
    """The last state of a day: all that counts, and what of it is done."""

    day: date
    scope: Totals
    done: Totals

    @property
    def left(self) -> Totals:
        """What counts and is not done."""
        return Totals(self.scope.count - self.done.count, self.scope.points - self.done.points)


@dataclass(frozen=True, slots=True)
class Course:
    """The recorded days of an iteration, a release or a period, the oldest first; `end` is inclusive.

    Up to `sample_until` they are made up, for the sample workspace.
    """

    name: str
    start: date
    end: date
    today: date
    recorded: Sequence[Standing]
    sample_until: date | None = None
    now: Standing | None = None
    """How it stands now, where it was never recorded."""
    is_period: bool = False
    """Whether it only ends because today does."""
    flows: Mapping[date, Flow] = field(default_factory=dict)
    """What came and went since the record before, for the days on which that was noted."""

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The records of its own days."""
        return tuple(each for each in self.recorded if self.start <= each.day <= self.end)

    @property
    def days(self) -> tuple[date, ...]:
        """All its days."""
        return tuple(self.start + _DAY * n for n in range((self.end - self.start).days + 1))

    @property
    def gaps(self) -> tuple[date, ...]:
        """The days that are over, or are today, and have no record."""
        known = {each.day for each in self.standings}
        return tuple(day for day in self.days if day <= self.today and day not in known)

    @property
    def past_days(self) -> tuple[date, ...]:
        """Its days up to today."""
        return tuple(day for day in self.days if day <= self.today)

    def flow(self, before: Standing, after: Standing) -> Flow | None:
        """What came and went between two records; None where what was noted is not all that lies between them."""
        found = self.flows.get(after.day)
        return found if found is not None and found.leads(before.scope, after.scope) else None

    def measure(self, wanted: Measure) -> Measure:
        """What can be added up: items where nothing is estimated."""
        has_points = any(each.scope.points for each in self.standings)
        return wanted if has_points or not self.standings else Measure.ITEMS

    def series(self, name: str, tone: Tone, numbers: dict[date, float]) -> Series:
        """A number for each of its days, None for those that have none."""
        return Series(name, tone, tuple(numbers.get(day) for day in self.days))

    def unrecorded(self, measure: Measure) -> str:
        """The headline where no day was recorded: that, and how it stands now."""
        if self.start > self.today:
            said = "It has not begun."
        elif self.end < self.today:
            said = "It is over, and no day of it is on record."
        else:
            said = "No day of it is on record yet; one is from the next sync on."
        if self.now is None or not self.now.scope.count:
            return said
        shown = measure if self.now.scope.points else Measure.ITEMS
        done, scope = number_text(shown.of(self.now.done)), number_text(shown.of(self.now.scope))
        return f"{said} As it stands now, {done} of {scope} {shown.value} are done."

    def notes(self) -> tuple[str, ...]:
        """Where the numbers come from, and which are missing."""
        past = len(self.past_days)
        if not past:
            return (f"It begins on {day_text(self.start)}; there is nothing to record yet.",)
        of_days = f"{len(self.standings):,} of {counted(past, 'day')}"
        notes = []
        if self.sample_until is not None and any(each.day <= self.sample_until for each in self.standings):
            notes.append(f"SAMPLE: the records up to {day_text(self.sample_until)} are made up for the demonstration.")
        notes.append(f"From your own records: {of_days}; the service keeps no history.")
        if self.gaps and self.standings:
            notes.append(f"No record of {ranges_text(self.gaps)}: backlit did not sync then.")
        return tuple(notes)
