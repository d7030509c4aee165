"""Relations, criteria and links that a user makes, changes and deletes: sent once, undone, redone, and never lost."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import pytest
from tests.store.related import criteria_at, criteria_in, links_at, made, related, relations_at, relations_in
from tests.store.service_items import fields, of_type
from tests.store.store_items import field, shown
from tests.store.world import World, raised, sent

from backlit.model.errors import BadRequest, Conflict
from backlit.store import EntryState, Store
from backlit.store.edits.copies import copies_of
from backlit.store.remote.reachability import RetryPauses

EVIDENT_SOON = RetryPauses(first_pause=0.01, longest_pause=0.01, in_transit=0.05)


class Act(NamedTuple):
    """What a user does with an item and another one, and what follows here and at the service."""

    act: Callable[[Store, int, int], Awaitable[object]]
    here: Callable[[Store, int], object]
    at_service: Callable[[World, int], Awaitable[object]]
    prepare: Callable[[Store, int, int], Awaitable[object]] | None = None


async def _set_parent(store: Store, item_id: int, feature_id: int) -> None:
    await store.relation_edits.set_parent([item_id], feature_id)


async def _passed(store: Store, item_id: int, _: int) -> None:
    await store.criterion_edits.edit([store.criteria.of_item(item_id)[0].id], {"status": "Pass"})


async def _deleted(store: Store, item_id: int, _: int) -> None:
    await store.criterion_edits.delete([store.criteria.of_item(item_id)[0].id])


async def _moved_down(store: Store, item_id: int, _: int) -> None:
    first, last = (each.id for each in store.criteria.of_item(item_id))
    await store.criterion_edits.place(first, last)


async def _two(store: Store, item_id: int, _: int) -> None:
    await store.criterion_edits.add_all(item_id, ["One", "Two"])


LISTED = "How it looks.\n\n## Done when\n\n- One\n- Two"


async def _described(store: Store, item_id: int, _: int) -> None:
    await store.items.edit([item_id], {"Description": LISTED})


def _criteria_and_text(store: Store, item_id: int) -> object:
    return [*criteria_in(store, item_id), field(store, item_id, "Description") or ""]


async def _criteria_and_text_at(world: World, item_id: int) -> object:
    return [*await criteria_at(world, item_id), (await fields(world, item_id))["Description"] or ""]


async def _closed_as_duplicate(store: Store, item_id: int, other_id: int) -> None:
    edits, closed = store.relation_edits, store.relation_edits.closed_status(shown(store, item_id))
    await edits.close({item_id: closed or ""}, await edits.relate([item_id], "Duplicates", [other_id]))


def _relations_and_status(store: Store, item_id: int) -> object:
    return [*relations_in(store, item_id), shown(store, item_id).status]


async def _relations_and_status_at(world: World, item_id: int) -> object:
    return [*await relations_at(world, item_id), (await fields(world, item_id))["Status"]]


ACTS = {
    "relate": Act(
        lambda store, item, other: store.relation_edits.relate([item], "Blocked By", [other]),
        relations_in,
        relations_at,
    ),
    "set the parent": Act(_set_parent, relations_in, relations_at),
    "change the parent": Act(
        lambda store, item, _: _other_feature(store, item), relations_in, relations_at, prepare=_set_parent
    ),
    "leave the parent": Act(
        lambda store, item, _: store.relation_edits.set_parent([item], None),
        relations_in,
        relations_at,
        prepare=_set_parent,
    ),
    "add criteria": Act(_two, criteria_in, criteria_at),
    "pass a criterion": Act(_passed, criteria_in, criteria_at, prepare=_two),
    "move a criterion": Act(_moved_down, criteria_in, criteria_at, prepare=_two),
    "delete a criterion": Act(_deleted, criteria_in, criteria_at, prepare=_two),
    "take criteria from the description": Act(
        lambda store, item, _: store.criterion_edits.take_from_description(item),
        _criteria_and_text,
        _criteria_and_text_at,
        prepare=_described,
    ),
    "close a duplicate": Act(_closed_as_duplicate, _relations_and_status, _relations_and_status_at),
    "add a link": Act(
        lambda store, item, _: store.link_edits.add(item, "Survey", "https://survey.example"),
        lambda store, item: [each.url for each in store.links.of_item(item)],
        links_at,
    ),
}


async def _other_feature(store: Store, item_id: int) -> None:
    sql = "SELECT max(id) FROM items WHERE type = 'Feature'"
    (feature_id,) = store.files.mirror.execute(sql).fetchone()
    await store.relation_edits.set_parent([item_id], feature_id)


@pytest.mark.parametrize("name", ACTS)
@pytest.mark.parametrize("is_online", [True, False], ids=["online", "offline"])
async def test_a_change_is_shown_sent_undone_and_redone(world: World, name: str, is_online: bool) -> None:
    act = ACTS[name]
    story, feature = await made(world), await made(world, "Feature")
    await made(world, "Feature")
    store = await world.online()
    if act.prepare is not None:
        await act.prepare(store, story, feature)
        await sent(store)
    before = act.here(store, story)

    world.faults.is_down = not is_online
    await act.act(store, story, feature)
    after = act.here(store, story)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    await store.refresh()

    assert after != before
    assert act.here(store, story) == after == await act.at_service(world, story)
    assert store.outbox_entries() == ()

    for back, wanted in ((store.history.undo, before), (store.history.redo, after), (store.history.undo, before)):
        await back()
        assert act.here(store, story) == wanted
        await sent(store)
        await store.refresh()
        assert act.here(store, story) == wanted == await act.at_service(world, story)


@pytest.mark.parametrize("name", ACTS)
async def test_a_change_that_was_not_sent_is_undone_and_redone(world: World, name: str) -> None:
    act = ACTS[name]
    story, feature = await made(world), await made(world, "Feature")
    await made(world, "Feature")
    store = await world.online()
    if act.prepare is not None:
        await act.prepare(store, story, feature)
        await sent(store)
    before = act.here(store, story)
    world.faults.is_down = True

    await act.act(store, story, feature)
    after = act.here(store, story)
    await store.history.undo()
    undone = act.here(store, story)
    await store.history.redo()

    assert undone == before
    assert act.here(store, story) == after
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    assert await act.at_service(world, story) == after


async def test_a_copy_has_the_criteria_of_its_original_and_none_of_its_relations(world: World) -> None:
    story, feature = await made(world), await made(world, "Feature")
    store = await world.online()
    await _set_parent(store, story, feature)
    await _two(store, story, 0)
    await _passed(store, story, 0)

    world.faults.is_down = True
    families = copies_of(store.lookups, store.criteria, [shown(store, story)], {}, set())
    (copy,) = await store.items.add_families(families)
    offline = criteria_in(store, copy)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    copied = shown(store, copy).id
    assert offline == [("One", "Not Executed"), ("Two", "Not Executed")] == await criteria_at(world, copied)
    assert await relations_at(world, copied) == set()
    await store.history.undo()
    assert criteria_in(store, copied) == []
    assert criteria_in(store, story) == [("One", "Pass"), ("Two", "Not Executed")]


async def _between(store: Store, item_id: int, _: int) -> None:
    await store.criterion_edits.add(item_id, "Between", after=store.criteria.of_item(item_id)[0].id)


async def _moved_up(store: Store, item_id: int, _: int) -> None:
    await store.criterion_edits.place(store.criteria.of_item(item_id)[-1].id, 0)


@pytest.mark.parametrize("act", [_between, _moved_down, _moved_up])
async def test_criteria_keep_their_order_when_the_answer_to_a_place_arrives(
    world: World, act: Callable[[Store, int, int], Awaitable[None]]
) -> None:
    story = await made(world)
    store = await world.online()
    await _two(store, story, 0)
    await sent(store)
    await store.refresh()

    await act(store, story, 0)
    shown = criteria_in(store, story)
    await sent(store)

    assert criteria_in(store, story) == shown == await criteria_at(world, story)


@pytest.mark.parametrize("name", ["relate", "add criteria", "add a link"])
async def test_a_lost_answer_makes_nothing_twice(world: World, name: str) -> None:
    act = ACTS[name]
    world.waits = EVIDENT_SOON
    story, feature = await made(world), await made(world, "Feature")
    store = await world.online()
    world.faults.lost_answers["POST"] = 1

    await act.act(store, story, feature)
    await sent(store)

    assert await act.at_service(world, story) == act.here(store, story)
    assert store.outbox_entries() == ()


@pytest.mark.parametrize("word", ["Blocks", "Blocked By", "Parent", "Related"])
async def test_a_new_item_is_at_either_end(world: World, word: str) -> None:
    feature = await made(world, "Feature")
    store = await world.online()
    world.faults.is_down = True

    temporary = await store.items.add("Story", {"Name": "New"})
    await store.relation_edits.relate([temporary], word, [feature])
    waiting = relations_in(store, temporary)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    item = store.item(temporary)
    assert item is not None
    assert item.id > 0
    assert waiting == {(word, feature)}
    assert relations_in(store, item.id) == {(word, feature)} == await relations_at(world, item.id)
    assert {other for _, other in relations_in(store, feature)} == {item.id}


@pytest.mark.parametrize("word", ["Blocks", "Blocked By"])
async def test_a_relation_is_given_up_with_its_new_item(world: World, word: str) -> None:
    world.take_loaded()
    store, bug = world.store(), await of_type(world, "Bug")
    before = relations_in(store, bug)
    temporary = await store.items.add("Story", {"Name": "New"})
    await store.relation_edits.relate([temporary], word, [bug])

    await store.deletions.delete_items([temporary])

    assert store.outbox_entries() == ()
    assert relations_in(store, bug) == before


async def test_two_who_change_one_parent_have_a_conflict(world: World) -> None:
    story, old = await made(world), await made(world, "Feature")
    mine, theirs = await made(world, "Feature"), await made(world, "Feature")
    relation = await related(world, story, "Parent", old)
    store = await world.online()
    world.faults.is_down = True
    await store.relation_edits.set_parent([story], mine)

    await world.rival.resource("relations").update(relation, {"targetId": theirs})
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    (entry,) = store.outbox_entries()
    assert entry.state is EntryState.CONFLICT
    assert entry.reason == "jon changed Feature in the meantime."
    await store.conflicts.retry(entry.id)
    await store.refresh()
    await sent(store)
    assert await relations_at(world, story) == {("Parent", mine)}


async def test_a_circle_that_others_closed_is_refused_and_taken_off(world: World) -> None:
    story, bug = await made(world), await made(world, "Bug")
    store = await world.online()
    world.faults.is_down = True
    await store.relation_edits.relate([story], "Blocks", [bug])
    await related(world, bug, "Blocks", story)

    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    await store.refresh()

    (entry,) = store.outbox_entries()
    assert entry.state is EntryState.REFUSED
    assert entry.reason == f"That would be a circle: #{story} → #{bug} → #{story}."
    assert relations_in(store, story) == {("Blocked By", bug)}


async def test_a_relation_that_breaks_a_rule_is_not_written(world: World) -> None:
    story, feature = await made(world), await made(world, "Feature")
    store = await world.online()
    await store.relation_edits.relate([story], "Blocks", [feature])

    circle = await raised(store.relation_edits.relate([feature], "Blocks", [story]))
    twice = await raised(store.relation_edits.relate([feature], "Blocked By", [story]))
    task = await made(world, "Task", ParentID=story)
    await store.refresh()

    assert isinstance(circle, BadRequest)
    assert circle.message.startswith("That would be a circle")
    assert isinstance(twice, Conflict)
    assert "whose parent is its ParentID" in store.relation_edits.fault(task, "Parent", feature)
    assert not store.relation_edits.fault(story, "Parent", feature)


async def test_a_service_without_relations_is_named(world: World) -> None:
    story, feature = await made(world), await made(world, "Feature")
    world.without_history()
    store = await world.online("fresh")

    error = await raised(store.relation_edits.set_parent([story], feature))

    assert error.message == "This server has no relations between items."
