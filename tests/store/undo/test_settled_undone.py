"""A settled conflict is a step like any other: undo brings it back or puts theirs back, redo settles it again."""

import pytest
from tests.store.conflicts import case_of, contested
from tests.store.service_items import fields
from tests.store.store_items import field
from tests.store.undo.undo_steps import redone, undone
from tests.store.world import World, sent, until

from backlit.store import EntryState
from backlit.store.edits.conflicts import KeptSide


async def test_keeping_theirs_is_undone_to_the_conflict_that_it_was(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's", "Estimate": "777"}, {"Name": "Jon's"})
    await store.conflicts.resolve(case_of(store), {"Name": KeptSide.THEIRS})
    await sent(store)
    assert (field(store, item_id), field(store, item_id, "Estimate")) == ("Jon's", "777")

    done = await undone(store)
    (change,) = done.changes
    assert (change.key, change.before, change.after, change.is_contested) == ("Name", "Jon's", "Maya's", True)
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    assert (case_of(store).fields[0].mine, case_of(store).fields[0].theirs) == ("Maya's", "Jon's")

    await redone(store)
    await sent(store)
    assert store.outbox_entries() == ()
    assert (await fields(world, item_id))["Name"] == "Jon's"


@pytest.mark.parametrize("decision", [KeptSide.MINE, "Both"])
async def test_keeping_mine_or_another_value_is_undone_to_theirs_once_it_was_sent(
    world: World, decision: object
) -> None:
    store, item_id = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})
    await store.conflicts.resolve(case_of(store), {"Name": decision})
    await sent(store)
    kept = (await fields(world, item_id))["Name"]

    done = await undone(store)
    await sent(store)
    assert [(change.before, change.after) for change in done.changes] == [(kept, "Jon's")]
    assert (await fields(world, item_id))["Name"] == "Jon's"
    assert store.outbox_entries() == ()

    await redone(store)
    await sent(store)
    assert (await fields(world, item_id))["Name"] == kept


async def test_keeping_mine_is_undone_to_the_conflict_while_it_is_not_sent(world: World) -> None:
    before, item_id = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})
    await world.close(before)
    store = world.store()
    await store.conflicts.resolve(case_of(store), {"Name": "Both"})
    assert field(store, item_id) == "Both"

    done = await undone(store)
    assert [(change.before, change.after, change.is_contested) for change in done.changes] == [("Both", "Maya's", True)]
    assert field(store, item_id) == "Maya's"
    store.start()
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)

    await redone(store)
    await sent(store)
    assert (await fields(world, item_id))["Name"] == "Both"


async def test_what_was_settled_in_two_ways_at_once_is_undone_at_once(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's", "Estimate": "777"}, {"Name": "Jon's", "Estimate": "8"})
    await store.conflicts.resolve(case_of(store), {"Name": KeptSide.MINE, "Estimate": KeptSide.THEIRS})
    await sent(store)

    await undone(store)
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    await until(lambda: not any(each.state is EntryState.WAITING for each in store.outbox_entries()))

    found = await fields(world, item_id)
    assert (found["Name"], found["Estimate"]) == ("Jon's", "8")
    assert [(each.key, each.mine, each.theirs) for each in case_of(store).fields] == [("Estimate", "777", "8")]
