"""The days on which a team works."""

from collections.abc import Iterator
from datetime import date, timedelta

from msgspec import Struct

DAY = timedelta(days=1)
MONDAY_TO_FRIDAY = frozenset(range(5))


class WorkingDays(Struct, frozen=True):
    """The weekdays on which a team works (Monday is 0), and its days off."""

    weekdays: frozenset[int] = MONDAY_TO_FRIDAY
    days_off: frozenset[date] = frozenset()

    def includes(self, day: date) -> bool:
        return day.weekday() in self.weekdays and day not in self.days_off

    def between(self, first: date, last: date) -> tuple[date, ...]:
        """Return the working days from a first to a last day, both inclusive."""
        return tuple(day for day in days_between(first, last) if self.includes(day))


def days_between(first: date, last: date) -> Iterator[date]:
    for number in range((last - first).days + 1):
        yield first + DAY * number
