"""Days and times of the viewer over the service's DateTimes in UTC: queries, groups, columns, reports."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.store.documents import announce, item, offline_store, put
from tests.store.reports.presented import presented

from backlit.model.local_times import MachineZone
from backlit.model.reports.names import ReportName
from backlit.store import Store, ViewSpec
from backlit.store.views.groups import GroupLine

HONOLULU, KIRITIMATI = timezone(timedelta(hours=-10)), timezone(timedelta(hours=14))
LATE = [
    pytest.param(datetime(2026, 3, 1, 23, 50, tzinfo=HONOLULU), id="Honolulu"),
    pytest.param(datetime(2026, 3, 1, 23, 50, tzinfo=KIRITIMATI), id="Kiritimati"),
]
"""Ten minutes to midnight, on another day than in UTC or many hours before the day ends there."""
DAY = date(2026, 3, 1)


@contextmanager
def evening(folder: Path, now: datetime, *, announced: bool = True) -> Iterator[Store]:
    """A store at a viewer's time: item 1 was made a few minutes ago, 2 a day and 3 two days before."""
    with offline_store(folder, clock=lambda: now) as store:
        if announced:
            announce(store, {"dateTimes": "UTC"})
        made = (now - timedelta(minutes=5)).astimezone(UTC).replace(tzinfo=None)
        stamps = [made, made - timedelta(days=1), made - timedelta(days=2)]
        put(
            store,
            [
                item(number, Status="In Progress")
                | {"createdAt": stamp.isoformat(), "lastModifiedAt": stamp.isoformat(), "lastModifiedBy": "jon"}
                for number, stamp in enumerate(stamps, 1)
            ],
        )
        yield store


async def found(store: Store, query: str) -> list[int]:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return list(view.ids())


@pytest.mark.parametrize("now", LATE)
@pytest.mark.parametrize("key", ["created", "changed"])
async def test_a_day_of_a_query_is_the_viewers(tmp_path: Path, now: datetime, key: str) -> None:
    with evening(tmp_path, now) as store:
        assert await found(store, f"{key}:today") == [1]
        assert await found(store, f"{key}:yesterday") == [2]
        assert await found(store, f"{key}>2026-02-27") == [1, 2]
        assert await found(store, f"{key}>=2026-02-28") == [1, 2]
        assert await found(store, f"{key}<2026-02-28") == [3]
        assert await found(store, f"{key}<=2026-02-28") == [2, 3]


@pytest.mark.parametrize("now", LATE)
async def test_an_age_of_a_query_counts_from_now(tmp_path: Path, now: datetime) -> None:
    with evening(tmp_path, now) as store:
        assert await found(store, "created:1h") == [1]
        assert await found(store, "created<25h") == [1, 2]
        assert await found(store, "changed>47h") == [3]


@pytest.mark.parametrize("now", LATE)
async def test_groups_counts_and_columns_by_time_have_the_viewers_days(tmp_path: Path, now: datetime) -> None:
    days = [DAY, DAY - timedelta(days=1), DAY - timedelta(days=2)]
    with evening(tmp_path, now) as store:
        view = store.view(ViewSpec(group=("createdAt",)))
        await view.load()

        lines = [each for each in view.lines(0, 9) if isinstance(each, GroupLine)]
        assert sorted([each.value for each in lines], key=str) == sorted(days)
        assert sorted([each.value for each in await view.facets("createdAt")], key=str) == sorted(days)
        cells = store.cells.values([1, 2, 3], ["lastModifiedAt"])
        assert [cells[number]["lastModifiedAt"] for number in (1, 2, 3)] == days


async def test_items_of_one_day_share_a_group_at_whatever_time_they_were_made(tmp_path: Path) -> None:
    now = datetime(2026, 3, 1, 23, 50, tzinfo=HONOLULU)
    midnight = datetime(2026, 3, 1, 10)
    hours = [0, 5, 13.99, 14, 23.99]
    with evening(tmp_path, now) as store:
        made = [(midnight + timedelta(hours=each)).isoformat() for each in hours]
        put(store, [item(number) | {"createdAt": stamp} for number, stamp in enumerate(made, 1)])
        view = store.view(ViewSpec(group=("createdAt",)))
        await view.load()

        (line,) = [each for each in view.lines(0, 9) if isinstance(each, GroupLine)]
        assert (line.value, line.count) == (DAY, len(hours))
        assert list(view.ids()) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("now", LATE)
async def test_days_of_reports_are_the_viewers(tmp_path: Path, now: datetime) -> None:
    with evening(tmp_path, now) as store:
        report = await presented(store, ReportName.AGE, store.reports.coverages.period(7))

        since = {row[1]: (row[0], row[5]) for row in report.table.rows}
        assert since == {
            "#1": (0.0, date(2026, 3, 1)),
            "#2": (1.0, date(2026, 2, 28)),
            "#3": (2.0, date(2026, 2, 27)),
        }


@pytest.mark.parametrize("told", [None, {"version": "1"}, {"dateTimes": "local"}, {"dateTimes": 7}])
async def test_times_of_a_service_that_does_not_announce_utc_are_not_converted(
    tmp_path: Path, told: dict[str, object] | None
) -> None:
    now = datetime(2026, 3, 1, 23, 50, tzinfo=HONOLULU)
    with evening(tmp_path, now, announced=False) as store:
        if told is not None:
            announce(store, told)

        assert store.local(datetime(2026, 3, 1, 12)) == datetime(2026, 3, 1, 12)
        assert await found(store, "created:2026-03-02") == [1]
        assert store.cells.values([1], ["createdAt"])[1]["createdAt"] == date(2026, 3, 2)


async def test_the_service_announces_utc_and_the_store_converts(store: Store) -> None:
    assert isinstance(store.times().zone, MachineZone)
