"""What was done is taken back and done again one act after the other, in whatever way the acts touched each other."""

from pathlib import Path

from tests.store.papers import item, offline_store
from tests.store.test_conflicts import case_of, contested, fields
from tests.store.test_history import field, redone, undone
from tests.store.world import World, sent, until

from backlit.store import Store
from backlit.store.edits.conflicts import Keep


async def again(world: World, store: Store) -> Store:
    """The same store after a restart."""
    await world.close(store)
    return await world.online()


async def test_a_settled_conflict_is_walked_down_and_up_again_across_restarts(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's"}, {"Name": "Jon's"})
    await store.conflicts.resolve(case_of(store), {"Name": Keep.THEIRS})
    await sent(store)

    await undone(store)
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    store = await again(world, store)
    given_up = await undone(store)
    assert [(each.before, each.after) for each in given_up.changes] == [("Maya's", "Jon's")]
    assert (field(store, item_id), store.outbox_entries()) == ("Jon's", ())

    store = await again(world, store)
    taken_up = await redone(store)
    assert [(each.after, each.is_contested) for each in taken_up.changes] == [("Maya's", True)]
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    settled = await redone(store)
    assert [(each.before, each.after) for each in settled.changes] == [("Maya's", "Jon's")]
    assert (field(store, item_id), store.outbox_entries()) == ("Jon's", ())
    assert await store.history.redo() is None


async def test_keeping_mine_is_walked_down_to_the_edit_and_up_again(world: World) -> None:
    store, item_id = await contested(world, {"Name": "Maya's", "Estimate": "777"}, {"Name": "Jon's"})
    await store.conflicts.resolve(case_of(store), {"Name": "Both"})
    await sent(store)

    for _ in range(2):
        await undone(store)
        await undone(store)
        await sent(store)
        found = await fields(world, item_id)
        assert (found["Name"], found["Estimate"] == "777") == ("Jon's", False)

        await redone(store)
        await redone(store)
        await sent(store)
        found = await fields(world, item_id)
        assert (found["Name"], found["Estimate"]) == ("Both", "777")
    assert store.outbox_entries() == ()


async def test_an_unsent_item_goes_and_comes_as_often_as_one_likes(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        new_id = await store.items.add("Story", {"Name": "New"})
        await store.items.edit([new_id], {"Name": "Newer"})

        for _ in range(3):
            await undone(store)
            await undone(store)
            assert store.item(new_id) is None
            assert await store.history.undo() is None
            await redone(store)
            assert field(store, new_id) == "New"
            await redone(store)
            assert field(store, new_id) == "Newer"
            assert await store.history.redo() is None


async def test_what_was_discarded_in_the_outbox_is_an_act_among_the_others(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "One"})
        await store.items.edit([1], {"Estimate": "3"})
        await store.conflicts.discard(store.outbox_entries()[1].id)

        for _ in range(2):
            for _, expected in zip(range(3), (("One", "3"), ("One", None), ("Item 1", None)), strict=True):
                await undone(store)
                assert (field(store, 1), field(store, 1, "Estimate")) == expected
            for _, expected in zip(range(3), (("One", None), ("One", "3"), ("One", None)), strict=True):
                await redone(store)
                assert (field(store, 1), field(store, 1, "Estimate")) == expected


async def test_a_deletion_that_was_given_up_in_the_outbox_comes_back_to_the_act_that_deleted(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.deletions.delete_items([1])
        await store.conflicts.discard(store.outbox_entries()[0].id)

        await undone(store)
        assert store.item(1) is None
        await undone(store)
        assert store.item(1) is not None
        await redone(store)
        assert store.item(1) is None
        await redone(store)
        assert store.item(1) is not None
