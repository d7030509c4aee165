"""A deletion that may have been done is looked for when it is taken back; what is gone is made again, once."""

import asyncio
import threading

import pytest
from msgspec.structs import replace
from tests.store.nodes import AREAS, leaf, named, on_service, root_of
from tests.store.service_items import exists, of_type, with_task
from tests.store.store_items import field
from tests.store.undo.undo_steps import redone, undone
from tests.store.world import PATIENCE, Said, World, sent, until

from backlit.store import Store, StoreChange
from backlit.store.records.entry import EntryKind
from backlit.store.remote.reachability import USUAL_PAUSES


async def deleting(world: World, in_transit: float = 0.2) -> Store:
    """A store that knows quickly that no answer comes any more."""
    world.pacing = replace(world.pacing, attempts=1)
    world.waits = replace(USUAL_PAUSES, first_pause=0.05, in_transit=in_transit)
    return await world.online()


async def unclear(world: World, store: Store, *, is_done: bool) -> None:
    """Wait until a deletion was sent and nobody knows what became of it; then the service is gone."""
    if is_done:
        await until(lambda: world.faults.lost_answers["DELETE"] == 0)
    await until(lambda: [each for each in store.outbox_entries() if each.may_have_been_sent and each.reason])
    world.faults.is_down = True
    world.faults.says = lambda _method, _path: None


def lose(world: World, *, is_done: bool) -> None:
    """Have the next deletion done without an answer and none to come, or the coming ones lost on the way."""
    lost = world.faults.lost_answers
    lost["DELETE"] = 1 if is_done else 0
    if is_done:
        world.faults.says = lambda _method, _path: None if lost["DELETE"] else Said(503)
    else:
        world.faults.says = lambda method, _path: Said(504) if method == "DELETE" else None


async def settled(world: World, store: Store) -> list[str]:
    """Reach the service again; returns what the user is told."""
    told: list[str] = []

    def listen(change: StoreChange) -> None:
        told.extend([change.sentence] * bool(change.sentence))

    store.subscribe(listen)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    assert store.outbox_entries() == ()
    return told


async def test_an_item_that_is_gone_is_made_again_with_what_was_done_to_it_meanwhile(world: World) -> None:
    store = await deleting(world)
    item_id, _ = await with_task(world)
    name = field(store, item_id)
    lose(world, is_done=True)
    await store.deletions.delete_items([item_id])
    await unclear(world, store, is_done=True)

    done = await undone(store)
    assert [each.item_id for each in done.recalled] == [item_id]
    await store.items.edit([item_id], {"Estimate": "99"})
    assert (field(store, item_id), field(store, item_id, "Estimate")) == (name, "99")
    told = await settled(world, store)

    new_id = store.files.journal.renames.followed(item_id)
    assert told == [f"#{item_id} was already deleted. It is restored with a new number."]
    found = (await world.rival.work_items.get(new_id))["fields"]
    assert (new_id != item_id, found["Name"], found["Estimate"]) == (True, name, "99")
    assert len((await world.rival.work_items.tasks(new_id).page()).results) == 1
    assert not await exists(world, item_id)


async def test_a_task_that_is_added_meanwhile_waits_for_its_item(world: World) -> None:
    store = await deleting(world)
    item_id = await of_type(world)
    lose(world, is_done=True)
    await store.deletions.delete_items([item_id])
    await unclear(world, store, is_done=True)
    await undone(store)
    await store.items.add("Task", {"Name": "Added meanwhile", "ParentID": item_id})

    await settled(world, store)

    tasks = await world.rival.work_items.tasks(store.files.journal.renames.followed(item_id)).page()
    assert [each["fields"]["Name"] for each in tasks.results] == ["Added meanwhile"]


async def test_an_item_that_is_still_there_stays(world: World) -> None:
    store = await deleting(world)
    item_id = await of_type(world)
    lose(world, is_done=False)
    await store.deletions.delete_items([item_id])
    await unclear(world, store, is_done=False)

    await undone(store)
    told = await settled(world, store)

    assert told == [f"#{item_id} was not deleted and is unchanged."]
    assert await exists(world, item_id)
    assert store.item(item_id) is not None


async def test_a_deletion_that_arrives_late_is_not_taken_for_one_that_was_not_done(world: World) -> None:
    store = await deleting(world, in_transit=PATIENCE)
    item_id = await of_type(world)
    lose(world, is_done=False)
    await store.deletions.delete_items([item_id])
    await unclear(world, store, is_done=False)
    looks = iter((False, True))

    async def arrive(method: str, path: str) -> None:
        is_look = (method, path) == ("GET", f"/api/v1/workitems/{item_id}") and not world.faults.is_down
        if is_look and next(looks, False):
            await world.rival.work_items.delete(item_id)

    world.faults.before = arrive
    await undone(store)
    told = await settled(world, store)

    assert told == [f"#{item_id} was already deleted. It is restored with a new number."]
    assert store.files.journal.renames.followed(item_id) != item_id


async def test_given_up_in_the_outbox_it_is_looked_for_too(world: World) -> None:
    store = await deleting(world)
    item_id = await of_type(world)
    name = str(field(store, item_id))
    lose(world, is_done=True)
    await store.deletions.delete_items([item_id])
    await unclear(world, store, is_done=True)

    await store.conflicts.discard(store.outbox_entries()[0].id)
    assert store.item(item_id) is not None
    await settled(world, store)

    assert (await world.names()).count(name) == 1


async def test_undone_and_done_again_before_it_is_clear_deletes_it_and_undo_makes_it_again(world: World) -> None:
    store = await deleting(world)
    item_id = await of_type(world)
    name = str(field(store, item_id))
    lose(world, is_done=True)
    await store.deletions.delete_items([item_id])
    await unclear(world, store, is_done=True)

    await undone(store)
    again = await redone(store)
    assert [each.id for each in again.deleted] == [item_id]
    assert store.item(item_id) is None
    await undone(store)
    assert store.item(item_id) is not None
    await redone(store)
    await settled(world, store)
    assert not await exists(world, item_id)

    await undone(store)
    await sent(store)
    assert (await world.names()).count(name) == 1


async def test_what_was_made_again_can_be_deleted_again(world: World) -> None:
    store = await deleting(world)
    item_id = await of_type(world)
    name = str(field(store, item_id))
    lose(world, is_done=True)
    await store.deletions.delete_items([item_id])
    await unclear(world, store, is_done=True)
    await undone(store)
    await settled(world, store)
    assert (await world.names()).count(name) == 1

    await redone(store)
    await sent(store)

    assert name not in await world.names()
    assert await store.history.redo() is None


async def test_taken_back_while_it_is_on_its_way_it_is_looked_for_when_that_is_over(world: World) -> None:
    store = await deleting(world)
    item_id = await of_type(world)
    name = str(field(store, item_id))

    def slowly(method: str, _path: str) -> None:
        world.faults.delay = 1.0 if method == "DELETE" else 0.0

    world.faults.says = slowly
    await store.deletions.delete_items([item_id])
    await until(lambda: ("DELETE", f"/api/v1/workitems/{item_id}") in world.faults.requests)

    await undone(store)
    world.faults.delay = 0.0
    assert store.item(item_id) is not None
    await settled(world, store)

    assert not await exists(world, item_id)
    assert (await world.names()).count(name) == 1


async def test_a_deletion_taken_back_on_its_way_is_not_sent_again_when_it_fails(world: World) -> None:
    store = await deleting(world)
    item_id = await of_type(world)
    goes_on = threading.Event()

    async def hold(method: str, _path: str) -> None:
        if method == "DELETE":
            await asyncio.to_thread(goes_on.wait, PATIENCE)

    world.faults.before = hold
    world.faults.says = lambda method, _path: Said(504) if method == "DELETE" else None
    await store.deletions.delete_items([item_id])
    await until(lambda: world.faults.count("DELETE"))
    await undone(store)
    goes_on.set()

    await settled(world, store)

    assert world.faults.count("DELETE") == 1
    assert await exists(world, item_id)


@pytest.mark.slow
async def test_a_comment_that_is_gone_is_written_again_and_one_that_is_there_stays(world: World) -> None:
    for is_done in (True, False):
        store, item_id = await deleting(world), await of_type(world)
        await store.items.comment(item_id, "A word")
        await sent(store)
        (comment,) = [each for each in store.comments.of_item(item_id) if each.text == "A word"]
        lose(world, is_done=is_done)
        await store.deletions.delete_comment(comment.id)
        await unclear(world, store, is_done=is_done)

        await undone(store)
        assert "A word" in [each.text for each in store.comments.of_item(item_id)]
        await settled(world, store)

        left = (await world.rival.work_items.comments(item_id).page()).results
        assert [each["description"] for each in left].count("A word") == 1
        assert (comment.id in [each["id"] for each in left]) is not is_done
        await store.deletions.delete_comment(next(each["id"] for each in left if each["description"] == "A word"))
        await sent(store)
        await world.close(store)


async def test_an_area_that_is_gone_is_made_again_with_its_items(world: World) -> None:
    store = await deleting(world)
    node = leaf(store, AREAS)
    inside = store.files.mirror.execute("SELECT id FROM items WHERE area_id = ?", (node.id,)).fetchall()
    lose(world, is_done=True)
    await store.nodes.delete(AREAS, node.id, root_of(store, AREAS))
    await unclear(world, store, is_done=True)

    done = await undone(store)
    assert [each.kind for each in done.recalled] == [EntryKind.NODE_DELETE]
    assert node.id in store.lookups.tree(AREAS)
    told = await settled(world, store)

    again = named(store, AREAS, node.name)
    assert told == [f"“{node.name}” was already deleted; it is restored with a new number."]
    assert (again.id != node.id, node.id in await on_service(world, AREAS)) == (True, False)
    for (item_id,) in inside:
        assert (await world.rival.work_items.get(item_id))["fields"]["AreaID"] == again.id


async def test_a_renamed_area_whose_answer_was_lost_gets_its_name_back(world: World) -> None:
    store = await deleting(world)
    node = leaf(store, AREAS)
    world.faults.lost_answers["PUT"] = 1
    world.faults.says = lambda method, _path: (
        Said(503) if method == "GET" and not world.faults.lost_answers["PUT"] else None
    )
    await store.nodes.edit(AREAS, node.id, {"name": "Other"})
    await until(lambda: world.faults.lost_answers["PUT"] == 0)
    await until(lambda: [each for each in store.outbox_entries() if each.reason])
    world.faults.says = lambda _method, _path: None

    await undone(store)
    await settled(world, store)

    assert (await on_service(world, AREAS))[node.id]["name"] == node.name
