"""Work logged on tasks, and the timer: two fields and a comment where there are no time entries, as one step."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, no_service, offline_store, places_in
from tests.store.world import World, raised, sent, until

from backlit.model.errors import BadRequest, NotFound
from backlit.store import ConnectionState, Store
from backlit.store.edits.work_log import LoggedWork, type_named
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.work import remaining_after


async def task_of(world: World, **fields: object) -> int:
    """A task of the first story, with the work it is to have."""
    page = await world.rival.work_items.page(filter="projectId eq 1 and type eq 'Story'", order="id", top=1)
    values = {"Name": "Reproduce it", "ParentID": page.results[0]["id"], **fields}
    made = await world.rival.work_items.create({"type": "Task", "projectId": 1, "fields": values})
    return int(made["id"])


async def work_on_service(world: World, task_id: int) -> tuple[object, object, list[str]]:
    fields = (await world.rival.work_items.get(task_id))["fields"]
    page = await world.rival.work_items.comments(task_id).page(order="id")
    return fields["WorkCompleted"], fields["WorkRemaining"], [each["description"] for each in page.results]


async def without_entries(world: World) -> Store:
    """A store at a service that has no time entries."""
    world.without_history()
    return await world.online()


async def test_hours_reach_the_service_as_two_fields_and_a_comment(world: World) -> None:
    task_id = await task_of(world, WorkCompleted=1.5, WorkRemaining=4)
    store = await without_entries(world)

    await store.work_log.log(task_id, LoggedWork(2.5, "Testing", "  both browsers "))
    await sent(store)

    expected = (4.0, 1.5, ["[time] 2.5h Testing: both browsers"])
    assert await work_on_service(world, task_id) == expected


async def test_both_fields_go_in_one_change_and_are_taken_back_with_the_comment_in_one_step(world: World) -> None:
    task_id = await task_of(world, WorkCompleted=1, WorkRemaining=4)
    store = await without_entries(world)
    world.faults.requests.clear()
    await store.work_log.log(task_id, LoggedWork(2))
    await sent(store)
    writes = [method for method, path in world.faults.requests if method in {"PUT", "POST"}]

    undone = await store.history.undo()
    await sent(store)

    assert sorted(writes) == ["POST", "PUT"]
    assert undone is not None
    assert not undone.is_grave
    assert await work_on_service(world, task_id) == (1.0, 4.0, [])


async def test_offline_it_is_shown_at_once_and_sent_later(world: World) -> None:
    task_id = await task_of(world, WorkRemaining=1)
    store = await without_entries(world)
    world.faults.is_down = True
    await store.work_log.log(task_id, LoggedWork(2, "Design"))
    shown = store.item(task_id)
    await until(lambda: store.connection.state is ConnectionState.OFFLINE)

    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    assert shown is not None
    assert (shown.fields["WorkCompleted"], shown.fields["WorkRemaining"]) == (2, 0)
    assert await work_on_service(world, task_id) == (2.0, 0.0, ["[time] 2h Design"])


async def test_undone_offline_nothing_of_it_is_ever_sent(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, kind="Task", WorkRemaining=3)]) as store:
        await store.work_log.log(1, LoggedWork(1))
        await store.history.undo()
        found = store.item(1)

        assert store.outbox_entries() == ()
        assert found is not None
        assert (found.fields.get("WorkCompleted"), found.fields["WorkRemaining"]) == (None, 3)
        assert store.comments.of_item(1) == ()


async def logged_beside_a_rival(world: World, work: LoggedWork, theirs: dict[str, float]) -> tuple[Store, int]:
    """Log work while the service is away and a rival logs on the same task."""
    task_id = await task_of(world, WorkCompleted=1, WorkRemaining=4)
    store = await without_entries(world)
    world.faults.is_down = True
    await store.work_log.log(task_id, work, {"WorkRemaining": 4})
    await world.rival.work_items.update(task_id, theirs)
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.pending == 0)
    return store, task_id


async def test_the_same_hours_of_two_people_are_both_counted(world: World) -> None:
    store, task_id = await logged_beside_a_rival(world, LoggedWork(2), {"WorkCompleted": 3.0, "WorkRemaining": 2.0})
    both = (await work_on_service(world, task_id))[:2]

    await store.history.undo()
    await sent(store)

    assert both == (5.0, 0.0)
    assert await work_on_service(world, task_id) == (3.0, 2.0, [])


async def test_what_remains_may_grow_meanwhile(world: World) -> None:
    _, task_id = await logged_beside_a_rival(world, LoggedWork(1), {"WorkRemaining": 10.0})

    assert (await work_on_service(world, task_id))[:2] == (2.0, 9.0)


async def test_what_was_typed_as_remaining_is_a_conflict_where_somebody_changed_it(world: World) -> None:
    store, task_id = await logged_beside_a_rival(world, LoggedWork(1, remaining=6.0), {"WorkRemaining": 10.0})

    assert store.outbox.conflicts == 1
    assert (await work_on_service(world, task_id))[:2] == (1.0, 10.0)


async def test_hours_whose_answer_was_lost_are_not_counted_twice(world: World) -> None:
    task_id = await task_of(world, WorkCompleted=1, WorkRemaining=4)
    store = await without_entries(world)
    world.faults.lost_answers["PUT"] = 1
    await store.work_log.log(task_id, LoggedWork(2))
    await store.refresh()
    await sent(store)

    assert (await work_on_service(world, task_id))[:2] == (3.0, 2.0)


async def test_what_remains_may_be_said_and_is_checked_against_what_was_seen(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, kind="Task", WorkRemaining=3)]) as store:
        await store.work_log.log(1, LoggedWork(1, remaining=8.0), {"WorkRemaining": 5})
        (edit, _comment) = store.outbox_entries()

        assert dict(edit.payload) == {"WorkCompleted": 1, "WorkRemaining": 8}
        assert dict(edit.base) == {"WorkCompleted": None, "WorkRemaining": 5}


@pytest.mark.parametrize(("remaining", "hours", "left"), [(4, 1.5, 2.5), (1, 2, 0), (0, 2, 0), (0.3, 0.1, 0.2)])
def test_what_remains_is_never_less_than_nothing(remaining: float, hours: float, left: float) -> None:
    assert remaining_after({"WorkRemaining": remaining}, hours) == left


async def test_remaining_work_that_is_not_set_stays_so_through_logging_undo_and_redo(world: World) -> None:
    task_id = await task_of(world)
    store = await without_entries(world)
    found = []

    for step in (store.work_log.log(task_id, LoggedWork(2)), store.history.undo(), store.history.redo()):
        await step
        await sent(store)
        found.append((await work_on_service(world, task_id))[:2])

    assert found == [(2.0, None), (None, None), (2.0, None)]


async def test_tenths_add_up(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, kind="Task")]) as store:
        for _ in range(3):
            await store.work_log.log(1, LoggedWork(0.1))
        found = store.item(1)

        assert found is not None
        assert found.fields["WorkCompleted"] == 0.3


async def test_only_tasks_take_hours(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        assert isinstance(await raised(store.work_log.log(1, LoggedWork(1))), BadRequest)
        assert isinstance(await raised(store.work_log.log(9, LoggedWork(1))), NotFound)
        assert isinstance(await raised(store.work_log.log(1, LoggedWork(0))), BadRequest)
        assert store.outbox_entries() == ()


async def test_the_last_type_of_time_is_remembered(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, kind="Task")]) as store:
        types = [store.work_log.last_type]
        for each in ("Testing", ""):
            await store.work_log.log(1, LoggedWork(1, entry_type=each))
            types.append(store.work_log.last_type)

    assert types == ["", "Testing", ""]


@pytest.mark.parametrize(
    ("typed", "named"), [("", ""), ("t", None), ("TEST", "Test"), ("testi", "Testing"), ("dev", "Dev"), ("x", None)]
)
def test_a_type_of_time_is_named_by_a_prefix_or_whole(typed: str, named: str | None) -> None:
    types = ["Testing", "Dev", "Test"]

    if named is None:
        with pytest.raises(BadRequest, match="Testing, Dev, Test"):
            type_named(types, typed)
    else:
        assert type_named(types, typed) == named


# The timer


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 11, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def opened(folder: Path, clock: Clock) -> Store:
    store = Store(places_in(folder), no_service, clock)
    store.open()
    return store


async def test_the_timer_runs_on_while_the_program_is_closed(tmp_path: Path) -> None:
    clock = Clock()
    store = opened(tmp_path, clock)
    await store.timer.start(7)
    store.close()
    clock.now += timedelta(minutes=42)
    again = opened(tmp_path, clock)

    assert (again.timer.seconds(), again.timer.hours_on(7), again.timer.hours_on(8)) == (2520, 0.7, None)
    again.close()


async def test_there_is_one_timer(tmp_path: Path) -> None:
    store = opened(tmp_path, Clock())
    await store.timer.start(7)

    assert isinstance(await raised(store.timer.start(8)), BadRequest)
    await store.timer.stop()
    await store.timer.start(8)
    assert store.timer.running is not None
    assert store.timer.running.item_id == 8
    store.close()


async def test_logging_on_its_task_ends_the_timer_and_logging_elsewhere_does_not(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, kind="Task"), item(2, kind="Task")]) as store:
        await store.timer.start(1)
        await store.work_log.log(2, LoggedWork(1))
        still = store.timer.running
        heard: list[StoreChange] = []
        store.subscribe(heard.append)
        await store.work_log.log(1, LoggedWork(1))

        assert still is not None
        assert store.timer.running is None
        assert StoreChange(Subject.TIMER, is_own=True) in heard


async def test_a_clock_that_was_put_back_gives_no_negative_time(tmp_path: Path) -> None:
    clock = Clock()
    store = opened(tmp_path, clock)
    await store.timer.start(7)
    clock.now -= timedelta(hours=2)

    assert store.timer.seconds() == 0
    store.close()
