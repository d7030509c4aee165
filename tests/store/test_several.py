"""Several processes on one profile: all see what one does, one at a time syncs and sends, and any may go."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest
from tests.store.documents import offline_store
from tests.store.nodes import AREAS, leaf, on_service, shown
from tests.store.world import World, raised, sent, until

from backlit.model.errors import TransientError
from backlit.store import ConnectionState, Store, ViewSpec
from backlit.store.sqlite.process_lock import HolderState, SharedLock, SyncLock


async def two(world: World) -> tuple[Store, Store]:
    """Two stores on the same files, as two processes have them."""
    return await world.online(), await world.online()


def name_of(store: Store, item_id: int) -> object:
    found = store.item(item_id)
    return found and found.fields["Name"]


async def test_an_edit_in_one_is_seen_in_the_other_and_sent_once(world: World) -> None:
    one, other = await two(world)
    item_id = one.view(ViewSpec()).rows(0, 1)[0].id
    puts = world.faults.count("PUT")

    await other.items.edit([item_id], {"Name": "Made in the other"})

    await until(lambda: name_of(one, item_id) == "Made in the other")
    await sent(other)
    await until(lambda: one.outbox.pending == 0)
    assert world.faults.count("PUT") == puts + 1


async def test_what_one_process_journals_and_does_not_send_the_other_sends(world: World) -> None:
    one = await world.online()
    closed = world.store()
    area = leaf(one, AREAS)

    await closed.nodes.edit(AREAS, area.id, {"name": "Left behind"})  # the journal alone changes

    await until(lambda: "Left behind" in [name for _, name in shown(one, AREAS)])
    await until(lambda: closed.outbox_entries() == ())
    assert (await on_service(world, AREAS))[area.id]["name"] == "Left behind"


async def test_many_new_items_of_two_processes_are_made_once_each(world: World) -> None:
    one, other = await two(world)

    for number in range(6):
        await (one, other)[number % 2].items.add("Bug", {"Name": f"From both {number}"})
    await sent(one)
    await sent(other)

    await until(lambda: one.outbox_entries() == ())
    made = [name for name in await world.names() if name.startswith("From both")]
    assert sorted(made) == [f"From both {number}" for number in range(6)]


async def test_both_say_that_the_service_cannot_be_reached(world: World) -> None:
    one, other = await two(world)

    world.faults.is_down = True
    assert isinstance(await raised(one.refresh()), TransientError)
    assert isinstance(await raised(other.refresh()), TransientError)

    assert (one.connection.state, other.connection.state) == (ConnectionState.OFFLINE, ConnectionState.OFFLINE)
    world.faults.is_down = False
    await one.refresh()
    await until(lambda: other.connection.state is ConnectionState.ONLINE)


async def test_signing_out_and_in_again_reaches_the_other(world: World) -> None:
    one, other = await two(world)

    await one.engine.sign_out()
    await until(lambda: other.connection.state is ConnectionState.SIGNED_OUT)
    await other.engine.sign_in_with_code(await asyncio.to_thread(world.service.invite, "maya"))

    await until(lambda: one.connection.state is ConnectionState.ONLINE, lambda: one.connection)


async def test_two_that_look_at_different_projects_are_both_kept_fresh(world: World) -> None:
    one, other = await two(world)
    first, second = [project.id for project in one.lookups.projects()][:2]
    other.choose_project(second)
    await until(lambda: other.view(ViewSpec()).rows(0, 1) and other.connection.state is ConnectionState.ONLINE)

    one.choose_project(first)
    await one.refresh()
    await other.refresh()

    assert one.view(ViewSpec()).rows(0, 1)[0].id != other.view(ViewSpec()).rows(0, 1)[0].id
    assert (one.project_id, other.project_id) == (first, second)


async def test_a_turn_of_one_counts_for_both(world: World) -> None:
    one, other = await two(world)
    before = other.connection.synced_at or 0.0

    await one.refresh()

    await until(lambda: (other.connection.synced_at or 0.0) > before)
    assert other.connection.synced_at == one.connection.synced_at


async def test_one_that_waits_shows_how_far_the_other_has_loaded(world: World) -> None:
    one = await world.online()
    assert one.project_id is not None
    lock = SharedLock(world.places("mine").syncing(one.project_id))

    async with lock.held("loading"):
        lock.publish(HolderState(process=1, done=300, total=1000))
        refreshing = asyncio.create_task(one.refresh())
        await until(lambda: one.connection.total == 1000)
        loading = one.connection
    await refreshing

    assert (loading.state, loading.done) == (ConnectionState.LOADING, 300)
    assert one.connection.state is ConnectionState.ONLINE
    lock.close()


async def test_a_process_that_stopped_in_the_middle_is_named(tmp_path: Path) -> None:
    holder, waiter = SharedLock(tmp_path / "lock"), SharedLock(tmp_path / "lock", deaf=0.3)

    async with holder.held("sending"):
        with pytest.raises(TransientError, match=f"process {os.getpid()}.* stopped while it was sending"):
            await enter(waiter)
    await enter(waiter)


async def enter(lock: SharedLock) -> None:
    async with lock.held("sending"):
        pass


@pytest.mark.slow
async def test_new_files_may_be_opened_by_many_at_once(tmp_path: Path) -> None:
    openers = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", OPEN, str(tmp_path), stdin=asyncio.subprocess.PIPE)
        for _ in range(4)
    ]
    for each in openers:
        assert each.stdin is not None
        each.stdin.write(b"now\n")

    assert [await each.wait() for each in openers] == [0] * 4


OPEN = """
import pathlib, sys
from tests.store.documents import offline_store
sys.stdin.readline()
with offline_store(pathlib.Path(sys.argv[1])):
    pass
"""


@pytest.mark.parametrize(("ago", "is_due"), [(10.0, False), (1000.0, True), (2000.0, True), (-3600.0, True)])
async def test_a_sync_is_due_after_its_pause_and_at_once_where_the_clock_went_back(
    tmp_path: Path, ago: float, *, is_due: bool
) -> None:
    with offline_store(tmp_path) as store:
        lock = SharedLock(store.files.places.syncing(7))
        async with lock.held("loading"):
            lock.publish(HolderState(synced_at=time.time() - ago))
        lock.close()
        locks = SyncLock(store.files.places, 1000.0, lambda *_: None)

        wait = locks.until_due(7)
        locks.close()

    assert (wait == 0.0, 0 <= wait <= 1000.0) == (is_due, True)
