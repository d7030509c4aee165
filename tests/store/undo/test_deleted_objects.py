"""Undo of a permanent deletion brings back what was below the item."""

from tests.store.related import criteria_at, criteria_in, links_at, made, related, relations_at, relations_in
from tests.store.transformed import settled
from tests.store.world import World


async def test_relations_criteria_and_links_come_back_with_a_deleted_item(world: World) -> None:
    feature, story, blocked = await made(world, "Feature"), await made(world), await made(world)
    await related(world, story, "Parent", feature)
    await related(world, story, "Blocks", blocked)
    store = await world.online()
    await store.criterion_edits.add_all(story, ["One", "Two"])
    await store.link_edits.add(story, "Survey", "https://survey.example")
    await settled(world, store)
    before = relations_in(store, story), criteria_in(store, story)

    await store.deletions.delete_items([story])
    await settled(world, store)
    gone = relations_in(store, feature), relations_in(store, blocked)
    undone = await store.history.undo()
    await settled(world, store)

    assert gone == (set(), set())
    assert undone is not None
    again = store.item(undone.new_ids[0])
    assert again is not None
    assert (relations_in(store, again.id), criteria_in(store, again.id)) == before
    assert await relations_at(world, again.id) == before[0]
    assert await criteria_at(world, again.id) == before[1]
    assert await links_at(world, again.id) == ["https://survey.example"]
    assert store.outbox_entries() == ()


async def test_children_come_back_below_a_deleted_feature_and_items_deleted_together_are_related_once(
    world: World,
) -> None:
    feature, story, other = await made(world, "Feature"), await made(world), await made(world)
    await related(world, story, "Parent", feature)
    await related(world, other, "Related", feature)
    store = await world.online()

    await store.deletions.delete_items([feature, other])
    await settled(world, store)
    undone = await store.history.undo()
    await settled(world, store)

    assert undone is not None
    first, second = (item.id for each in undone.new_ids if (item := store.item(each)) is not None)
    again, beside = (first, second) if ("Child", story) in relations_in(store, first) else (second, first)
    assert relations_in(store, again) == {("Child", story), ("Related", beside)} == await relations_at(world, again)
    assert relations_in(store, story) == {("Parent", again)}
    assert store.outbox_entries() == ()
