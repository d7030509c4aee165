"""What the service's history says of changes by this program: why they were made, and when."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.store.world import World, sent

from backlit.model.dates import parse_datetime
from backlit.store import Store
from backlit.store.records.entry import EntryCause
from backlit.store.views.query import ViewSpec


async def recorded(world: World, item_id: int) -> list[dict[str, Any]]:
    """Return the changes of an item, oldest first."""
    return list(reversed((await world.rival.work_items.history(item_id))["results"]))


async def causes(world: World, item_id: int) -> list[str]:
    return [row["cause"] for row in await recorded(world, item_id)]


async def new_item(store: Store) -> int:
    temporary = await store.items.add("Story", {"Name": "Fresh"})
    await sent(store)
    return store.files.journal.real_id(temporary)


async def test_an_undo_names_itself_and_its_redo_is_an_ordinary_change(world: World, store: Store) -> None:
    item_id = await new_item(store)
    await store.items.edit([item_id], {"Estimate": "3"})
    await sent(store)
    await store.history.undo()
    await sent(store)
    await store.history.redo()
    await sent(store)

    assert await causes(world, item_id) == ["asked", "asked", "undo", "asked"]


async def test_an_undone_comment_order_and_deletion_name_the_undo(world: World, store: Store) -> None:
    item_id, other = await new_item(store), await new_item(store)
    await store.items.comment(item_id, "A word")
    await sent(store)
    await store.history.undo()
    await sent(store)
    await store.ranking.up(store.view(ViewSpec()), [other])
    await sent(store)
    await store.history.undo()
    await sent(store)
    await store.deletions.delete_items([other])
    await sent(store)
    undone = await store.history.undo()
    await sent(store)

    assert undone is not None
    again = store.files.journal.real_id(undone.new_ids[0])
    assert await causes(world, item_id) == ["asked", "asked", "undo"]
    assert await causes(world, other) == ["asked", "asked", "undo", "asked"]
    assert await causes(world, again) == ["undo"]


async def test_an_item_that_is_created_again_is_a_restoration(world: World, store: Store) -> None:
    item_id = await new_item(store)
    await world.rival.work_items.update(item_id, {"Name": "Theirs"})
    await store.refresh()

    again = await store.history.create_again(item_id)
    await sent(store)

    assert await causes(world, store.files.journal.real_id(again)) == ["restore"]


async def test_a_restored_value_names_itself(world: World, store: Store) -> None:
    item_id = await new_item(store)
    await store.items.edit([item_id], {"Estimate": "3"}, cause=EntryCause.RESTORE)
    await sent(store)

    assert await causes(world, item_id) == ["asked", "restore"]


async def test_a_change_says_when_it_was_made(world: World, store: Store) -> None:
    item_id = await new_item(store)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Estimate": "3"})
    await asyncio.sleep(0)
    (entry,) = store.outbox_entries()
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    made_at = parse_datetime((await recorded(world, item_id))[-1]["madeAt"])
    assert abs(made_at.replace(tzinfo=UTC) - datetime.fromtimestamp(entry.created_at, UTC)) < timedelta(seconds=1)
