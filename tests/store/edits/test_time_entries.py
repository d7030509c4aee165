"""Work that is logged as time entries: sent once, counted in the task, and taken back."""

from datetime import date
from typing import Any

import pytest
from tests.store.related import made
from tests.store.transformed import settled
from tests.store.world import World, sent

from backlit.store import Store
from backlit.store.edits.work_log import LoggedWork
from backlit.store.remote.reachability import RetryPauses

EVIDENT_SOON = RetryPauses(first_pause=0.01, longest_pause=0.01, in_transit=0.05)
DAY = date(2026, 3, 11)


async def task_with(world: World, **work: Any) -> int:
    return await made(world, "Task", ParentID=await made(world), **work)


async def at_service(world: World, task_id: int) -> tuple[object, object, list[tuple[str, float, str, str]]]:
    fields = (await world.rival.work_items.get(task_id))["fields"]
    page = await world.rival.resource("timeentries").page(filter=f"taskId eq {task_id}")
    entries = [(str(each["date"])[:10], each["hours"], each["type"], each["note"]) for each in page.results]
    return fields["WorkCompleted"], fields["WorkRemaining"], entries


def work_here(store: Store, task_id: int) -> tuple[object, object]:
    task = store.item(task_id)
    assert task is not None
    return task.fields.get("WorkCompleted"), task.fields.get("WorkRemaining")


@pytest.mark.parametrize("is_online", [True, False], ids=["online", "offline"])
async def test_hours_are_an_entry_that_is_shown_sent_undone_and_redone(world: World, is_online: bool) -> None:
    task = await task_with(world, WorkCompleted=1.0, WorkRemaining=4.0)
    store = await world.online()
    world.faults.is_down = not is_online

    await store.work_log.log(task, LoggedWork(2.5, "Testing", " both ", day=DAY))
    at_once = work_here(store, task), [each.hours for each in store.time_entries.of_task(task)]
    await settled(world, store)

    assert at_once == ((3.5, 1.5), [2.5])
    assert work_here(store, task) == (3.5, 1.5)
    assert await at_service(world, task) == (3.5, 1.5, [("2026-03-11", 2.5, "Testing", "both")])
    assert store.comments.of_item(task) == ()
    await store.history.undo()
    await settled(world, store)
    assert await at_service(world, task) == (1.0, 4.0, [])
    assert work_here(store, task) == (1.0, 4.0)
    await store.history.redo()
    await settled(world, store)
    assert (await at_service(world, task))[:2] == (3.5, 1.5) == work_here(store, task)
    assert store.outbox_entries() == ()


@pytest.mark.parametrize("work", [LoggedWork(6.0), LoggedWork(1.0, remaining=9.0)], ids=["too many hours", "typed"])
async def test_undo_brings_the_remaining_work_back_as_it_was(world: World, work: LoggedWork) -> None:
    task = await task_with(world, WorkCompleted=1.0, WorkRemaining=4.0)
    store = await world.online()

    await store.work_log.log(task, work)
    await settled(world, store)
    logged = (await at_service(world, task))[:2]
    await store.history.undo()
    await settled(world, store)

    assert logged == (1.0 + work.hours, work.remaining or 0.0)
    assert await at_service(world, task) == (1.0, 4.0, [])


async def test_undo_leaves_the_remaining_work_that_somebody_changed_since(world: World) -> None:
    task = await task_with(world, WorkRemaining=4.0)
    store = await world.online()
    await store.work_log.log(task, LoggedWork(6.0))
    await settled(world, store)
    await world.rival.work_items.update(task, {"WorkRemaining": 3.0})
    await store.refresh()

    await store.history.undo()
    await settled(world, store)

    assert (await at_service(world, task))[1] == 9.0  # what the service gives back


async def test_a_lost_answer_logs_once(world: World) -> None:
    world.waits = EVIDENT_SOON
    task = await task_with(world)
    store = await world.online()
    world.faults.lost_answers["POST"] = 1

    await store.work_log.log(task, LoggedWork(2.0))
    await sent(store)

    assert len((await at_service(world, task))[2]) == 1


async def test_hours_of_a_new_task_wait_for_it_and_those_of_others_count_too(world: World) -> None:
    story = await made(world)
    store = await world.online()
    world.faults.is_down = True
    task = await store.items.add("Task", {"Name": "New", "ParentID": story, "WorkRemaining": 8.0})
    await store.work_log.log(task, LoggedWork(1.0))
    await store.work_log.log(task, LoggedWork(2.0))
    at_once = work_here(store, task)

    await settled(world, store)

    found = store.item(task)
    assert found is not None
    assert at_once == (3.0, 5.0) == work_here(store, found.id)
    assert (await at_service(world, found.id))[:2] == (3.0, 5.0)
