"""The time of a project: the service's, the day of its team, and the viewer's."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from backlit.model.local_times import LocalTimes, MachineZone
from backlit.store.records.changes import Subject
from backlit.store.views.lookups import Lookups

_MACHINE_ZONE = MachineZone()


def local_time() -> datetime:
    """Return the time with the viewer's zone."""
    return datetime.now(_MACHINE_ZONE)


class ProjectClock:
    """Times in the current project. `offset` is the service's clock offset from this machine's UTC."""

    def __init__(self, lookups: Lookups, clock: Callable[[], datetime], offset: Callable[[], timedelta]) -> None:
        self._lookups = lookups
        self._clock = clock
        self._offset = offset

    def now(self) -> datetime:
        """Return the service's time, by this machine's clock and the known offset. UTC before the offset is known."""
        return self.server_time(self._clock())

    def server_time(self, when: datetime) -> datetime:
        offset = self._lookups.keep(Subject.PEOPLE, "clock", self._offset)
        return when.astimezone(UTC).replace(tzinfo=None) + offset

    def today(self) -> date:
        """Return the day in the project's time zone, for the dates of iterations and items: the same for everybody.

        A service that states no zone leaves it to this machine.
        """
        return self.project_time().date()

    def project_time(self) -> datetime:
        zone = self._lookups.keep(Subject.PEOPLE, "zone", lambda: self._lookups.stated_settings().zone)
        now = self._clock()
        return now if zone is None else now.astimezone(zone)

    def local_today(self) -> date:
        """Return the viewer's day, for single times."""
        return self._clock().date()

    def times(self) -> LocalTimes:
        zone, lookups = self._clock().tzinfo, self._lookups
        return lookups.keep(Subject.PEOPLE, "times", lambda: LocalTimes(zone if lookups.has_utc_times() else None))

    def local(self, when: datetime) -> datetime:
        return self.times().local(when)

    def is_in_zone(self, zone: str) -> bool:
        """Report whether this machine's clock shows the time of a zone now."""
        from zoneinfo import ZoneInfo  # 4 ms, for a note of reports alone

        now = self._clock()
        return now.tzinfo is None or now.utcoffset() == now.astimezone(ZoneInfo(zone)).utcoffset()
