"""The viewer's local times, and the only conversion between them and the DateTimes of a service."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from msgspec import Struct

_EPOCH = datetime(1970, 1, 1)


class MachineZone(tzinfo):
    """This machine's time zone, with the offset that it had or will have at each moment.

    The zone of `datetime.astimezone()` has the offset of one moment only, and is wrong across a change of clocks.
    """

    def utcoffset(self, when: datetime | None, /) -> timedelta | None:
        return None if when is None else when.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, _when: datetime | None, /) -> timedelta | None:
        """Return None: the part of the offset that is daylight saving time is not known."""
        return None

    def tzname(self, when: datetime | None, /) -> str | None:
        return None if when is None else when.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, when: datetime, /) -> datetime:
        return when.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)


class LocalTimes(Struct, frozen=True):
    """The conversion for one service and one viewer.

    `zone` is the viewer's, or None for a service that does not announce that its DateTimes are UTC: their zone is not
    known, so that nothing is converted. All DateTimes are without a zone. A time at the border of the calendar stays
    as it is.
    """

    zone: tzinfo | None

    def local(self, when: datetime) -> datetime:
        """Return a service's DateTime as the viewer's clock shows it."""
        if self.zone is None:
            return when
        try:
            return when.replace(tzinfo=UTC).astimezone(self.zone).replace(tzinfo=None)
        # The years 1 and 9999 have no neighbours to convert into.
        except (OverflowError, ValueError):
            return when

    def start_of(self, day: date) -> datetime:
        """Return the service's DateTime of the viewer's midnight at which a day begins."""
        midnight = datetime.combine(day, time())
        if self.zone is None:
            return midnight
        try:
            return midnight.replace(tzinfo=self.zone).astimezone(UTC).replace(tzinfo=None)
        except (OverflowError, ValueError):
            return midnight

    def day_of(self, microseconds: int) -> date:
        """Return the viewer's day of a stamp of the mirror: a service's DateTime since 1970."""
        return self.local(_EPOCH + timedelta(microseconds=microseconds)).date()
