"""The viewer's local times against the DateTimes of a service."""

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from backlit.model.local_times import LocalTimes, MachineZone

HONOLULU, KIRITIMATI = timezone(timedelta(hours=-10)), timezone(timedelta(hours=14))
EPOCH = datetime(1970, 1, 1)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[MachineZone]:
    """The zone of a machine whose clock changes in March and October."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        yield MachineZone()
    time.tzset()


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        (HONOLULU, datetime(2026, 3, 1, 23, 50)),
        (KIRITIMATI, datetime(2026, 3, 2, 23, 50)),
        (None, datetime(2026, 3, 2, 9, 50)),
    ],
)
def test_a_time_is_shown_in_the_zone_of_the_viewer(zone: timezone | None, shown: datetime) -> None:
    when = datetime(2026, 3, 2, 9, 50)
    times = LocalTimes(zone)

    assert times.local(when) == shown
    assert times.day_of((when - EPOCH) // timedelta(microseconds=1)) == shown.date()


@pytest.mark.parametrize("zone", [HONOLULU, KIRITIMATI, UTC, None])
def test_a_day_begins_where_its_first_time_is_shown(zone: timezone | None) -> None:
    times, day = LocalTimes(zone), date(2026, 3, 2)

    begin = times.start_of(day)

    assert times.local(begin) == datetime(2026, 3, 2)
    assert times.local(begin - timedelta(microseconds=1)).date() == date(2026, 3, 1)


@pytest.mark.parametrize("zone", [HONOLULU, KIRITIMATI, MachineZone(), None])
@pytest.mark.parametrize("when", [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59)])
def test_a_time_at_the_border_of_the_calendar_is_shown_somehow(zone: timezone | None, when: datetime) -> None:
    times = LocalTimes(zone)

    assert abs(times.local(when) - when) < timedelta(days=1)
    assert abs(times.start_of(when.date()) - datetime.combine(when.date(), datetime.min.time())) < timedelta(days=1)


def test_each_time_has_the_offset_of_its_own_season(berlin: MachineZone) -> None:
    times = LocalTimes(berlin)

    assert times.local(datetime(2026, 1, 15, 12)) == datetime(2026, 1, 15, 13)
    assert times.local(datetime(2026, 7, 15, 12)) == datetime(2026, 7, 15, 14)
    assert times.start_of(date(2026, 1, 15)) == datetime(2026, 1, 14, 23)
    assert times.start_of(date(2026, 7, 15)) == datetime(2026, 7, 14, 22)


def test_the_day_of_a_change_of_clocks_is_an_hour_shorter_or_longer(berlin: MachineZone) -> None:
    times, hour = LocalTimes(berlin), timedelta(hours=1)

    assert times.start_of(date(2026, 3, 30)) - times.start_of(date(2026, 3, 29)) == 23 * hour
    assert times.start_of(date(2026, 10, 26)) - times.start_of(date(2026, 10, 25)) == 25 * hour


def test_the_clock_of_the_machine_has_its_zone(berlin: MachineZone) -> None:
    moment = datetime(2026, 7, 15, 12, tzinfo=UTC)

    there = moment.astimezone(berlin)

    assert there.replace(tzinfo=None) == datetime(2026, 7, 15, 14)
    assert there.timestamp() == moment.timestamp()
    assert there.tzname() == "CEST"
