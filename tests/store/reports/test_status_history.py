"""Since when items have been in their status: exactly where the change was seen, else at least."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, put
from tests.store.reports.presented import presented
from tests.store.world import World, sent

from backlit.model.reports.names import ReportName
from backlit.store import Store
from backlit.store.journal.reports import ObservedStatus
from backlit.store.reports.records import ObservedHistory

MONDAY = date(2026, 3, 9)
WEDNESDAY, FRIDAY = MONDAY + timedelta(2), MONDAY + timedelta(4)


class Calendar:
    """A clock that is put forward by the day."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 11, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


@pytest.fixture
async def dated(tmp_path: Path, sample: Path, calendar: Calendar) -> AsyncIterator[World]:
    world = World(tmp_path, sample, calendar)
    world.without_history()
    await world.start()
    yield world
    await world.stop()


async def age_of(store: Store, item_id: int) -> float | None:
    """The days of an item under way."""
    report = await presented(store, ReportName.AGE, store.reports.coverages.period(30))
    rows = dict(zip(report.table.item_ids, report.table.rows, strict=True))
    return float(str(rows[item_id][0])) if item_id in rows else None


async def way_of(store: Store, item_id: int) -> list[tuple[str, int]]:
    """The statuses of an item under way, with the days in each."""
    table = (await presented(store, ReportName.AGE, store.reports.coverages.period(30))).table
    return [(each.status, each.days) for each in table.item_ways[table.item_ids.index(item_id)]]


async def waiting_story(world: World) -> int:
    page = await world.rival.work_items.page(filter="projectId eq 1 and type eq 'Story'", order="id", top=1000)
    ids: list[int] = [each["id"] for each in page.results if each["fields"]["Status"] == "Not Done"]
    return ids[0]


async def test_an_item_whose_change_was_seen_ages_from_that_day(dated: World, calendar: Calendar) -> None:
    item_id = await waiting_story(dated)
    store = await dated.online()
    await store.items.edit([item_id], {"Status": "In Progress"})
    await sent(store)
    await store.refresh()
    assert await age_of(store, item_id) == 0.0
    calendar.moment += timedelta(days=5)
    await store.refresh()

    assert await age_of(store, item_id) == 5.0


async def test_another_change_of_the_item_does_not_make_it_younger(dated: World, calendar: Calendar) -> None:
    item_id = await waiting_story(dated)
    store = await dated.online()
    await store.items.edit([item_id], {"Status": "In Progress"})
    await sent(store)
    await store.refresh()
    calendar.moment += timedelta(days=5)
    await dated.rival.work_items.update(item_id, {"Estimate": "3"})
    await store.refresh()

    assert await age_of(store, item_id) == 5.0


@pytest.mark.slow
async def test_another_status_begins_anew_and_done_ends_it(dated: World, calendar: Calendar) -> None:
    item_id = await waiting_story(dated)
    store = await dated.online()
    await store.items.edit([item_id], {"Status": "In Progress"})
    await sent(store)
    await store.refresh()
    calendar.moment += timedelta(days=1)
    await store.refresh()
    await store.items.edit([item_id], {"Status": "Ready For Test"})
    await sent(store)
    await store.refresh()
    assert await age_of(store, item_id) == 0.0
    assert await way_of(store, item_id) == [("In Progress", 1), ("Ready For Test", 0)]
    await store.items.edit([item_id], {"Status": "Done"})
    await sent(store)
    await store.refresh()

    assert await age_of(store, item_id) is None
    seen = await store.status_history.seen(1)
    assert item_id not in seen.items
    assert item_id not in seen.changes


async def test_an_earlier_status_seen_at_the_first_sync_is_counted_from_then_on(
    dated: World, calendar: Calendar
) -> None:
    item_id = await waiting_story(dated)
    await dated.rival.work_items.update(item_id, {"Status": "In Progress"})
    store = await dated.online()
    await store.refresh()
    calendar.moment += timedelta(days=1)
    await store.refresh()
    await dated.rival.work_items.update(item_id, {"Status": "Ready For Test"})
    await store.refresh()

    assert await way_of(store, item_id) == [("In Progress", 1), ("Ready For Test", 0)]


async def test_a_day_without_changes_was_looked_at_too(tmp_path: Path, calendar: Calendar) -> None:
    with offline_store(tmp_path, [item(1, Status="In Progress")], calendar) as store:
        for status in ("In Progress", "In Progress", "Ready For Test"):
            put(store, [{**item(1, Status=status), "lastModifiedAt": calendar.moment.isoformat()}])
            await store.status_history.note(1)
            calendar.moment += timedelta(days=1)

        seen = await store.status_history.seen(1)

    thursday, friday = WEDNESDAY + timedelta(1), FRIDAY
    assert seen.items == {1: ObservedStatus("Ready For Test", friday, thursday)}


@pytest.mark.parametrize(
    ("seen", "noted_on", "changed", "expected"),
    [
        (None, None, MONDAY, (MONDAY, False)),
        (ObservedStatus("In Progress", WEDNESDAY, None), FRIDAY, MONDAY, (MONDAY, False)),
        (ObservedStatus("In Progress", WEDNESDAY, None), FRIDAY, FRIDAY, (WEDNESDAY, False)),
        (ObservedStatus("In Progress", FRIDAY, MONDAY), FRIDAY, WEDNESDAY, (WEDNESDAY, False)),
        (ObservedStatus("In Progress", FRIDAY, MONDAY), FRIDAY, MONDAY + timedelta(1), (MONDAY + timedelta(1), True)),
        (ObservedStatus("In Progress", FRIDAY, MONDAY), FRIDAY, FRIDAY, (FRIDAY, False)),
        (ObservedStatus("In Progress", WEDNESDAY, WEDNESDAY), FRIDAY, MONDAY, (WEDNESDAY, True)),
        (ObservedStatus("Ready For Test", MONDAY, MONDAY), WEDNESDAY, MONDAY, (WEDNESDAY, True)),
        (None, FRIDAY, None, (FRIDAY, True)),
    ],
)
def test_what_was_seen_and_the_last_change_bound_the_day(
    seen: ObservedStatus | None, noted_on: date | None, changed: date | None, expected: tuple[date, bool]
) -> None:
    stays = ObservedHistory({7: seen} if seen else {}, noted_on)

    assert stays.since(7, "In Progress", changed, FRIDAY) == expected
