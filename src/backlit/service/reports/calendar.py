"""Days of a project: their borders in UTC, and which of them are worked on."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from msgspec import Struct

from backlit.model.working_days import DAY, MONDAY_TO_FRIDAY, WorkingDays


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

    def working(self, first: date, last: date) -> tuple[date, ...]:
        return WorkingDays(self.working_days, self.days_off).between(first, last)
