"""Finding by counting what is gone and what came into sight."""

from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.foreign_server import ForeignServer, Quirks
from tests.store.service_items import on_service
from tests.store.store_items import mirrored
from tests.store.world import World, until

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.store import ViewSpec
from backlit.store.records.item import fields_in
from backlit.store.remote.capabilities import ServiceTraits
from backlit.store.remote.listing import ProjectLists
from backlit.store.sync.deletions import DeletionScan


async def test_scattered_deletions_and_additions_are_found_by_halving(world: World) -> None:
    store = await world.online()
    ids = sorted(await on_service(world))
    for item_id in (ids[0], ids[len(ids) // 2], ids[-1]):
        await world.rival.work_items.delete(item_id)
    for number in range(9):
        await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": f"Unseen {number}"}})

    await DeletionScan(store.files, 4).reconcile(ProjectLists(world.rival, ServiceTraits(), 1))

    assert mirrored(store) == await on_service(world)


async def test_items_that_came_into_sight_in_the_middle_are_found(world: World) -> None:
    store = await world.online()
    ids = sorted(mirrored(store))
    hidden = ids[3:20]
    store.files.submit(lambda writer: writer.mirror.remove_items(hidden)).result()

    await DeletionScan(store.files, 4).reconcile(ProjectLists(world.rival, ServiceTraits(), 1))

    assert mirrored(store) == await on_service(world)


async def test_where_nothing_is_amiss_one_question_is_enough(world: World) -> None:
    store = await world.online()
    await store.refresh()
    world.faults.requests.clear()

    await store.refresh()

    lists = [path for _, path in world.faults.requests if path.endswith("/workitems")]
    assert len(lists) == 2


async def test_a_deleted_item_with_unsent_changes_stays_until_the_outbox_is_done_with_it(world: World) -> None:
    store = await world.online()
    item_id = next(row for row in sorted(mirrored(store)))
    await world.rival.work_items.delete(item_id)
    await store.items.edit([item_id], {"Name": "Too late"})

    await store.refresh()
    world.faults.requests.clear()
    await store.refresh()
    assert store.item(item_id) is not None
    assert len([path for _, path in world.faults.requests if path.endswith("/workitems")]) == 2
    (entry,) = store.outbox_entries()

    await store.conflicts.discard(entry.id)
    await store.refresh()
    assert store.item(item_id) is None


@pytest.mark.slow
async def test_a_few_deletions_near_each_other_in_two_hundred_pages_take_a_handful_of_requests(tmp_path: Path) -> None:
    server = ForeignServer(Quirks(), items=0)
    server.items = {item_id: item(item_id, project=7) for item_id in range(1, 4_001)}
    with offline_store(tmp_path) as store:
        known = [{**item(item_id, project=7), "fields": {}} for item_id in server.items]
        store.files.submit(lambda writer: writer.mirror.put_items(known, ())).result()
        for gone in (2_801, 2_802, 2_815):
            del server.items[gone]
        async with Client.inside(server, TokenCache(tmp_path / "pat.json", "here")) as client:
            await client.auth.sign_in("pat", "secret")
            server.requests.clear()
            await DeletionScan(store.files, 20).reconcile(ProjectLists(client, ServiceTraits(), 7))

        asked = len(server.requests)
        assert store.files.mirror.execute("SELECT count(*) FROM items").fetchone() == (3_997,)
        assert asked <= 15


async def test_what_is_gone_when_it_is_looked_at_leaves_a_copy_in_the_trash(world: World) -> None:
    store = await world.online()
    (row,) = store.view(ViewSpec()).rows(0, 1)
    await world.rival.work_items.delete(row.id)

    await store.look_at(row.id)
    await until(lambda: store.item(row.id) is None)

    copy = store.files.journal.trash.of_item(row.id)
    assert copy is not None
    assert fields_in(copy.item)["Name"] == row.name
