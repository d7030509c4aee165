"""Days of a project: their borders in UTC, and which of them are worked on."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

DAY = timedelta(days=1)
MONDAY_TO_FRIDAY = frozenset(range(5))


class ProjectCalendar(Struct, frozen=True):
    """The time zone of a project, its working days (Monday is 0) and the days off of everybody."""

    zone: str = "UTC"
    working_days: frozenset[int] = MONDAY_TO_FRIDAY
    days_off: frozenset[date] = frozenset()

    def day_of(self, at: datetime) -> date:
        """Return the project's day of a DateTime of the service."""
        return at.replace(tzinfo=UTC).astimezone(ZoneInfo(self.zone)).date()

    def start_of(self, day: date) -> datetime:
        """Return the DateTime of the service at which a day of the project begins.

        The zone's rules give it: days on which clocks change have 23 or 25 hours.
        """
        return datetime.combine(day, time(), ZoneInfo(self.zone)).astimezone(UTC).replace(tzinfo=None)

    def end_of(self, day: date) -> datetime:
        return self.start_of(day + DAY)

    def is_working(self, day: date) -> bool:
        return day.weekday() in self.working_days and day not in self.days_off

    def working(self, first: date, last: date) -> tuple[date, ...]:
        return tuple(day for day in days_between(first, last) if self.is_working(day))


def days_between(first: date, last: date) -> Iterator[date]:
    for number in range((last - first).days + 1):
        yield first + DAY * number
