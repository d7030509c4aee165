"""New areas and iterations are taken back after they were sent too, and deleted ones are made again."""

from datetime import date

import pytest
from msgspec.structs import replace
from tests.store.nodes import AREAS, ITERATIONS, leaf, named, on_service, root_of, shape, shown
from tests.store.undo.undo_steps import redone, undone
from tests.store.world import Said, World, sent, until

from backlit.client.client import Client
from backlit.model.planning import IterationEvent
from backlit.model.trees import NO_TOTALS
from backlit.store import Store
from backlit.store.edits.nodes import NewNode
from backlit.store.remote.reachability import USUAL_PAUSES

SPRINT = NewNode("Sprint X", date(2026, 3, 2), date(2026, 3, 15), max_capacity=30.0)


async def place_of(world: World, item_id: int, key: str = "IterationID") -> object:
    return (await world.rival.work_items.get(item_id))["fields"][key]


def items_in(store: Store, node_id: int, column: str = "iteration_id") -> list[int]:
    sql = f"SELECT id FROM items WHERE {column} = ? ORDER BY id"
    return [item_id for (item_id,) in store.files.mirror.execute(sql, (node_id,))]


async def test_a_new_iteration_that_was_sent_is_deleted_and_made_anew(world: World) -> None:
    store = await world.online()
    before = await shape(world, ITERATIONS)
    root = root_of(store, ITERATIONS)
    await store.nodes.add(ITERATIONS, root, SPRINT, 0)
    await sent(store)
    made = named(store, ITERATIONS, "Sprint X")

    done = await undone(store)
    assert [(each.moved, each.is_changed) for each in done.nodes_deleted] == [(NO_TOTALS, False)]
    assert not done.is_grave
    assert shown(store, ITERATIONS) == before
    await sent(store)
    assert await shape(world, ITERATIONS) == before

    again = await redone(store)
    await sent(store)
    assert [each.entry.payload["name"] for each in again.nodes_made] == ["Sprint X"]
    found = next(each for each in (await on_service(world, ITERATIONS)).values() if each["name"] == "Sprint X")
    assert (found["id"] != made.id, found["startDate"], found["endDate"]) == (True, "2026-03-02", "2026-03-15")
    assert (found["maxCapacity"], found["sequence"], found["parentId"]) == (30.0, 1, root)


async def test_a_step_that_was_sent_is_described_alike_at_each_reading(world: World) -> None:
    store = await world.online()
    await store.nodes.add(ITERATIONS, root_of(store, ITERATIONS), SPRINT)
    await sent(store)
    deletions = [await store.history.to_undo() for _ in range(2)]
    await store.nodes.record(named(store, ITERATIONS, "Sprint X").id, IterationEvent.CLOSE)
    await sent(store)
    reopenings = [await store.history.to_undo() for _ in range(2)]

    assert deletions[0] is not None
    assert reopenings[0] is not None
    assert deletions[0] == deletions[1]
    assert reopenings[0] == reopenings[1]


async def test_acts_on_what_is_made_anew_are_done_again_on_it(world: World) -> None:
    store = await world.online()
    await store.nodes.add(ITERATIONS, root_of(store, ITERATIONS), SPRINT)
    await sent(store)
    node_id = named(store, ITERATIONS, "Sprint X").id
    await store.nodes.edit(ITERATIONS, node_id, {"name": "Sprint Y"})
    await store.items.edit([1], {"IterationID": node_id})
    await sent(store)
    was = None

    for _ in range(3):
        await undone(store)
        await sent(store)
        was = was or await place_of(world, 1)
    assert "Sprint X" not in [name for _, name in await shape(world, ITERATIONS)]
    store = await restarted(world, store)
    for _ in range(3):
        await redone(store)
        await sent(store)

    again = named(store, ITERATIONS, "Sprint Y")
    assert await place_of(world, 1) == again.id
    for _ in range(3):
        await undone(store)
    await sent(store)
    assert await place_of(world, 1) == was
    assert store.outbox_entries() == ()


async def restarted(world: World, store: Store) -> Store:
    await world.close(store)
    return await world.online()


async def test_what_others_planned_into_it_goes_to_the_node_above_after_it_was_agreed(
    world: World, boss: Client
) -> None:
    store = await world.online()
    above = store.lookups.tree(ITERATIONS).children(root_of(store, ITERATIONS))[0]
    await store.nodes.add(ITERATIONS, above.id, SPRINT)
    await sent(store)
    node = named(store, ITERATIONS, "Sprint X")
    await boss.work_items.update(1, {"IterationID": node.id})
    await store.refresh()

    offered = await store.history.to_undo()
    assert offered is not None
    (deleted,) = offered.nodes_deleted
    assert (offered.is_grave, deleted.moved.count, deleted.target) == (True, 1, above.name)
    await undone(store)
    await sent(store)
    assert await place_of(world, 1) == above.id

    await redone(store)
    await sent(store)
    assert await place_of(world, 1) == named(store, ITERATIONS, "Sprint X").id


async def test_what_others_put_below_it_keeps_it_and_that_is_said(world: World, boss: Client) -> None:
    store = await world.online()
    await store.nodes.add(AREAS, root_of(store, AREAS), NewNode("Mine"))
    await sent(store)
    node = named(store, AREAS, "Mine")
    await boss.areas.create({"name": "Theirs", "projectId": 1, "parentId": node.id, "sequence": 0})
    await store.refresh()

    done = await undone(store)

    assert (done.is_impossible, [each.reason for each in done.final]) == (
        True,
        ["“Theirs” is below it now; delete the node in its tree instead"],
    )
    assert {"Mine", "Theirs"} <= {each["name"] for each in (await on_service(world, AREAS)).values()}


async def test_where_somebody_has_deleted_it_that_is_said(world: World, boss: Client) -> None:
    store = await world.online()
    await store.nodes.add(AREAS, root_of(store, AREAS), NewNode("Mine"))
    await sent(store)
    await boss.areas.delete(named(store, AREAS, "Mine").id)
    await store.refresh()

    done = await undone(store)

    assert [each.reason for each in done.final] == ["it was already deleted"]


async def test_one_that_somebody_renamed_is_not_deleted_unasked(world: World, boss: Client) -> None:
    store = await world.online()
    await store.nodes.add(AREAS, root_of(store, AREAS), NewNode("Mine"))
    await sent(store)
    await boss.areas.update(named(store, AREAS, "Mine").id, {"name": "Theirs by now"})
    await store.refresh()

    offered = await store.history.to_undo()

    assert offered is not None
    assert (offered.is_grave, offered.nodes_deleted[0].is_changed) == (True, True)


async def test_a_series_half_sent_goes_and_comes_as_one_step(world: World) -> None:
    world.waits = replace(USUAL_PAUSES, first_pause=0.05, in_transit=0.2)
    store = await world.online()
    before = await shape(world, ITERATIONS)
    names = ["One", "Two", "Three"]
    posts = world.faults.count("POST")
    world.faults.says = lambda method, path: (
        Said(503)
        if path.endswith("/iterations") and method == "POST" and world.faults.count("POST") > posts + 1
        else None
    )
    await store.nodes.add_all(ITERATIONS, root_of(store, ITERATIONS), [replace(SPRINT, name=each) for each in names])
    await until(lambda: len(store.outbox_entries()) == 2)
    world.faults.is_down = True
    await until(lambda: all(each.state.value == "waiting" for each in store.outbox_entries()))
    world.faults.says = lambda _method, _path: None

    await undone(store)
    assert shown(store, ITERATIONS) == before
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    assert await shape(world, ITERATIONS) == before

    await redone(store)
    await sent(store)
    assert [name for _, name in await shape(world, ITERATIONS) if name in names] == names
    await undone(store)
    await sent(store)
    assert await shape(world, ITERATIONS) == before


async def test_what_was_not_sent_yet_follows_what_is_made_anew_before_it(world: World) -> None:
    world.waits = replace(USUAL_PAUSES, first_pause=0.05, in_transit=0.2)
    store = await world.online()
    before = await shape(world, AREAS)
    await store.nodes.add(AREAS, root_of(store, AREAS), NewNode("Above"))
    await sent(store)
    world.faults.is_down = True
    above = named(store, AREAS, "Above").id
    await store.nodes.add(AREAS, above, NewNode("Below"))
    await store.nodes.edit(AREAS, above, {"name": "Higher"})
    for _ in range(3):
        await undone(store)
    assert shown(store, AREAS) == before
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    world.faults.is_down = True

    for _ in range(3):
        await redone(store)
    expected = shown(store, AREAS)
    assert {(1, "Higher"), (2, "Below")} <= set(expected)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    assert await shape(world, AREAS) == expected

    for _ in range(3):
        await undone(store)
    await sent(store)
    assert await shape(world, AREAS) == before


@pytest.mark.parametrize("status", [504, 400])
async def test_one_that_may_have_been_made_is_deleted_once_that_is_clear(world: World, status: int) -> None:
    world.waits = replace(USUAL_PAUSES, first_pause=0.05, in_transit=0.2)
    store = await world.online()
    before = await shape(world, AREAS)
    lost = world.faults.lost_answers
    lost["POST"] = 1 if status == 504 else 0
    world.faults.says = lambda method, path: (
        Said(504) if not lost["POST"] and (status == 504 or (method == "POST" and path.endswith("/areas"))) else None
    )
    await store.nodes.add(AREAS, root_of(store, AREAS), NewNode("Perhaps"))
    await until(lambda: [each for each in store.outbox_entries() if each.may_have_been_sent and each.reason])
    world.faults.is_down = True

    done = await undone(store)
    assert len(done.nodes_deleted) == 1
    assert shown(store, AREAS) == before
    world.faults.says = lambda method, path: Said(status) if method == "POST" and path.endswith("/areas") else None
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: not store.outbox_entries(), store.outbox_entries)

    assert await shape(world, AREAS) == before == shown(store, AREAS)


async def test_a_deleted_sub_tree_is_made_again_with_its_items_and_deleted_again(world: World) -> None:
    store = await world.online()
    kind, key, column = AREAS, "AreaID", "area_id"
    root, above, other = (
        root_of(store, kind),
        leaf(store, kind),
        store.lookups.tree(kind).children(root_of(store, kind))[0],
    )
    inside = items_in(store, above.id, column)
    await store.nodes.add(kind, above.id, NewNode("Below"))
    await sent(store)
    below = named(store, kind, "Below").id
    await store.items.edit(inside[:1], {key: below})
    await sent(store)
    before = await shape(world, kind)
    await store.nodes.delete(kind, above.id, root)
    await sent(store)
    gone = inside[1]
    await store.items.edit([gone], {key: other.id})
    await sent(store)
    await undone(store)
    await sent(store)

    done = await undone(store)
    assert done.is_grave
    assert [(len(each.item_ids), each.stay) for each in done.nodes_made] == [(len(inside), 0)]
    await sent(store)
    assert await shape(world, kind) == before == shown(store, kind)
    assert await place_of(world, inside[0], key) == named(store, kind, "Below").id
    assert {await place_of(world, each, key) for each in inside[1:]} == {named(store, kind, above.name).id}

    puts = world.faults.count("PUT")
    deleted = await redone(store)
    await sent(store)
    assert ([each.moved.count + each.moved.tasks for each in deleted.nodes_deleted], world.faults.count("PUT")) == (
        [len(inside)],
        puts,
    )
    assert {await place_of(world, each, key) for each in inside} == {root}
    assert above.name not in [name for _, name in await shape(world, kind)]

    await undone(store)
    await sent(store)
    assert store.outbox_entries() == ()
    assert await shape(world, kind) == before
    assert {await place_of(world, each, key) for each in inside[1:]} == {named(store, kind, above.name).id}
