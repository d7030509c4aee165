"""What may or may not have been made is taken back at once here, and deleted on the service when it is clear."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from tests.store.service_items import of_type
from tests.store.undo.undo_steps import redone, undone
from tests.store.world import Said, World, sent, until

from backlit.store import Store
from backlit.store.remote.reachability import USUAL_PAUSES


async def unclear(world: World, store: Store, answers: Callable[[str, str], Said | None] | None = None) -> None:
    """Wait until one entry was sent and nobody knows what became of it; then the service is gone."""
    await until(lambda: [each.known_id for each in store.outbox_entries() if each.known_id is not None])
    await until(lambda: answers is not None or world.faults.lost_answers["POST"] == 0)
    world.faults.is_down = True
    await until(lambda: all(each.state.value == "waiting" for each in store.outbox_entries()), store.outbox_entries)


async def settled(world: World, store: Store) -> None:
    world.faults.is_down = False
    await store.refresh()
    await sent(store)


async def named(world: World, name: str) -> list[dict[str, object]]:
    page = await world.rival.work_items.page(filter=f"projectId eq 1 and Name eq '{name}'", top=10)
    return [dict(each["fields"]) for each in page.results]


@pytest.mark.parametrize(("item_type", "left"), [("Story", ["Deleted"]), ("Feedback", [])])
async def test_a_new_item_is_deleted_once_it_is_clear_that_it_was_made(
    world: World, item_type: str, left: list[str]
) -> None:
    store = await world.online()
    world.faults.lost_answers["POST"] = 1
    temporary = await store.items.add(item_type, {"Name": "Perhaps"})
    await unclear(world, store)

    await undone(store)
    shown = store.item(temporary)
    assert [each.fields["Status"] for each in (shown,) if each] == left
    await settled(world, store)

    assert [each.get("Status") for each in await named(world, "Perhaps")] == left
    assert store.outbox_entries() == ()


async def test_a_comment_is_deleted_once_it_is_clear_that_it_was_made(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    world.faults.lost_answers["POST"] = 1
    await store.items.comment(item_id, "Perhaps")
    await unclear(world, store)

    await undone(store)
    assert "Perhaps" not in [each.text for each in store.comments.of_item(item_id)]
    await settled(world, store)

    page = await world.rival.work_items.comments(item_id).page()
    assert "Perhaps" not in [each["description"] for each in page.results]
    assert store.outbox_entries() == ()


async def test_what_was_taken_back_before_it_was_clear_can_be_had_again(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    world.faults.lost_answers["POST"] = 1
    await store.items.comment(item_id, "After all")
    await unclear(world, store)

    await undone(store)
    await redone(store)
    await settled(world, store)

    page = await world.rival.work_items.comments(item_id).page()
    assert [each["description"] for each in page.results].count("After all") == 1


@pytest.mark.parametrize("item_type", ["Story", "Feedback"])
async def test_what_was_taken_back_and_is_then_refused_leaves_nothing_to_settle(world: World, item_type: str) -> None:
    world.waits = replace(USUAL_PAUSES, first_pause=0.05, in_transit=0.2)
    store = await world.online()
    world.faults.says = lambda method, path: Said(504) if method == "POST" and path.endswith("/workitems") else None
    temporary = await store.items.add(item_type, {"Name": "Never"})
    await unclear(world, store, world.faults.says)

    await undone(store)
    world.faults.says = lambda method, path: Said(400) if method == "POST" and path.endswith("/workitems") else None
    await settled(world, store)
    await until(lambda: not store.outbox_entries(), store.outbox_entries)

    assert store.outbox.refused == 0
    assert store.item(temporary) is None


async def test_deleting_by_hand_what_may_have_been_made_waits_too(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    world.faults.lost_answers["POST"] = 2
    comment = await store.items.comment(item_id, "Perhaps")
    temporary = await store.items.add("Story", {"Name": "Perhaps"})
    await unclear(world, store)

    await store.deletions.delete_comment(comment)
    await store.deletions.delete_items([temporary])
    assert store.item(temporary) is None
    await settled(world, store)

    assert await named(world, "Perhaps") == []
    assert "Perhaps" not in [
        each["description"] for each in (await world.rival.work_items.comments(item_id).page()).results
    ]
