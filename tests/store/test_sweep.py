"""Finding by counting what is gone and what came into sight."""

from tests.store.test_sync import mirrored, on_service
from tests.store.world import World

from backlit.store.asking import Asking
from backlit.store.probes import Traits
from backlit.store.sweep import Sweep


async def test_scattered_deletions_and_additions_are_found_by_halving(world: World) -> None:
    store = await world.online()
    ids = sorted(await on_service(world))
    for item_id in (ids[0], ids[len(ids) // 2], ids[-1]):
        await world.rival.work_items.delete(item_id)
    for number in range(9):
        await world.rival.work_items.create_document(
            {"type": "Bug", "projectId": 1, "fields": {"Name": f"Unseen {number}"}}
        )

    await Sweep(store._files, 4).reconcile(Asking(world.rival, Traits(), 1))

    assert mirrored(store) == await on_service(world)


async def test_items_that_came_into_sight_in_the_middle_are_found(world: World) -> None:
    store = await world.online()
    ids = sorted(mirrored(store))
    hidden = ids[3:20]
    store._files.submit(lambda writer: writer.mirror.remove_items(hidden)).result()

    await Sweep(store._files, 4).reconcile(Asking(world.rival, Traits(), 1))

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
    await store.edit([item_id], {"Name": "Too late"})

    await store.refresh()
    await store.refresh()
    assert store.item(item_id) is not None
    (entry,) = store.outbox_entries()

    await store.discard(entry.id)
    await store.refresh()
    assert store.item(item_id) is None
