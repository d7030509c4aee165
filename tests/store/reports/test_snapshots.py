"""Snapshots: a line a day for every iteration and for the whole backlog; the day's last state stays."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.store.world import LOADED, World, until

from backlit.model.amounts import points_of
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.store import ConnectionState, Store


class Calendar:
    """A clock that is put forward by the day."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 11, 23, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def next_day(self, days: int = 1) -> None:
        self.moment += timedelta(days=days)

    def wait(self, minutes: int) -> None:
        self.moment += timedelta(minutes=minutes)


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


def days_of(store: Store) -> list[date]:
    return [each.day for each in store.snapshots.of_project()]


async def in_an_iteration(world: World) -> tuple[int, int]:
    """A story that is open and scheduled, and its iteration."""
    page = await world.rival.work_items.page(filter="projectId eq 1 and type eq 'Story'", order="id", top=1000)
    item = next(each for each in page.results if each["fields"]["Status"] == "Not Done" and each["fields"]["Estimate"])
    return item["id"], item["fields"]["IterationID"]


@pytest.mark.slow
async def test_a_complete_sync_writes_how_everything_stands(dated: World) -> None:
    store = await dated.online()
    page = await dated.rival.work_items.page(filter="projectId eq 1", top=1000)
    fields = [each["fields"] for each in page.results if each["type"] != "Task"]
    tasks = [each["fields"] for each in page.results if each["type"] == "Task"]

    (snapshot,) = store.snapshots.of_project()
    groups = StatusGroups()
    counted = [each for each in fields if "Status" in each and groups.of(each["Status"]) is not StatusGroup.EXCLUDED]
    assert snapshot.day == date(2026, 3, 11)
    assert sum(each.count for each in snapshot.statuses.values()) == len(fields)
    assert snapshot.scope.count == len(counted)
    assert snapshot.scope.points == pytest.approx(sum(points_of(each.get("Estimate")) or 0 for each in counted))
    assert snapshot.done.count == sum(groups.of(each.get("Status")) is StatusGroup.DONE for each in fields)
    assert snapshot.work_remaining == pytest.approx(sum(each["WorkRemaining"] or 0 for each in tasks))
    assert snapshot.work_completed == pytest.approx(sum(each["WorkCompleted"] or 0 for each in tasks))


async def test_the_last_state_of_a_day_stays_and_gaps_stay_gaps(dated: World, calendar: Calendar) -> None:
    store = await dated.online()
    item_id, iteration_id = await in_an_iteration(dated)
    (first,) = store.snapshots.of_iteration(iteration_id)
    calendar.next_day()
    await store.refresh()
    await dated.rival.work_items.update(item_id, {"Status": "Done"})
    await store.refresh()
    calendar.next_day(3)
    await store.refresh()

    found = store.snapshots.of_iteration(iteration_id)
    assert [each.day.day for each in found] == [11, 12, 15]
    assert [each.done.count - first.done.count for each in found] == [0, 1, 1]
    assert [each.scope.points - first.scope.points for each in found] == [0, 0, 0]


async def test_the_day_ends_at_midnight_of_the_machine(dated: World, calendar: Calendar) -> None:
    calendar.moment = datetime(2026, 3, 11, 23, 59, tzinfo=timezone(timedelta(hours=13)))
    store = await dated.online()
    item_id, iteration_id = await in_an_iteration(dated)
    calendar.wait(2)
    await dated.rival.work_items.update(item_id, {"Status": "Done"})
    await store.refresh()

    before, after = store.snapshots.of_iteration(iteration_id)
    assert (before.day.day, after.day.day) == (11, 12)
    assert after.done.count == before.done.count + 1


@pytest.mark.slow
async def test_an_iteration_that_was_emptied_has_no_line_that_day(dated: World, calendar: Calendar) -> None:
    store = await dated.online()
    item_id, _ = await in_an_iteration(dated)
    page = await dated.rival.iterations.page(filter="projectId eq 1", top=1000)
    empty = next(each["id"] for each in page.results if not store.snapshots.of_iteration(each["id"]))
    await dated.rival.work_items.update(item_id, {"IterationID": empty})
    await store.refresh()
    calendar.next_day()
    await store.refresh()
    assert len(store.snapshots.of_iteration(empty)) == 2
    await dated.rival.work_items.update(item_id, {"IterationID": 1})
    await store.refresh()

    assert [each.day.day for each in store.snapshots.of_iteration(empty)] == [11]
    assert [day.day for day in days_of(store)] == [11, 12]


async def test_snapshots_outlive_the_process_and_a_day_begun_is_renewed(dated: World, calendar: Calendar) -> None:
    store = await dated.online()
    await dated.close(store)
    calendar.next_day()
    store = await dated.online()
    await store.refresh()
    before = store.snapshots.of_project()
    await dated.close(store)
    await dated.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Fresh"}})
    store = await dated.online()
    await store.refresh()

    after = store.snapshots.of_project()
    assert [each.day.day for each in after] == [11, 12]
    assert after[0] == before[0]
    assert after[1].scope.count == before[1].scope.count + 1


@pytest.mark.slow
async def test_a_start_without_changes_counts_nothing_again(dated: World) -> None:
    item_id, _ = await in_an_iteration(dated)
    await dated.rival.work_items.update(item_id, {"Status": "In Progress"})
    dated.take_loaded()
    asked: list[str] = []

    async def scans_of_a_start() -> list[str]:
        asked.clear()
        store = dated.store(LOADED)
        await store.files.read(lambda mirror: mirror.set_trace_callback(asked.append))
        store.start()
        await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
        await store.refresh()
        await dated.close(store)
        return [each for each in asked if "GROUP BY iteration_id" in each or "DISTINCT status" in each]

    assert len(await scans_of_a_start()) >= 2
    assert await scans_of_a_start() == []
    await dated.rival.work_items.update(item_id, {"Status": "Done"})
    assert len(await scans_of_a_start()) >= 2


async def test_only_the_process_that_syncs_writes(dated: World, calendar: Calendar) -> None:
    first = await dated.online()
    calendar.next_day()
    second = dated.store()
    second.start()

    assert days_of(second) == [date(2026, 3, 11)]
    await first.refresh()
    assert [day.day for day in days_of(second)] == [11, 12]


async def test_processes_that_take_turns_do_not_take_each_others_snapshots_for_their_own(dated: World) -> None:
    first = await dated.online()
    second = dated.store()
    second.start()
    await until(lambda: second.connection.state is ConnectionState.ONLINE, lambda: second.connection)
    count = first.snapshots.of_project()[-1].scope.count
    made = await dated.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Fresh"}})
    await second.refresh()
    between = first.snapshots.of_project()[-1].scope.count
    await dated.rival.work_items.delete(made["id"])
    await first.refresh()

    assert (between, first.snapshots.of_project()[-1].scope.count) == (count + 1, count)
