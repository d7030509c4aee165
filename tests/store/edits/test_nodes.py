"""Areas and iterations written through the store: journalled, shown at once, sent behind."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from typing import Any

import orjson
import pytest
from msgspec.structs import replace
from tests.store.nodes import AREAS, ITERATIONS, leaf, named, on_service, root_of, shape, shown
from tests.store.world import Said, World, raised, sent, until

from backlit.client.client import Client
from backlit.model.errors import BadRequest
from backlit.store import ConnectionState, Store
from backlit.store.edits.nodes import NewNode
from backlit.store.records.item import RowSign


async def test_a_new_iteration_is_shown_at_once_and_made_with_both_dates(world: World) -> None:
    store = await world.online()
    new = NewNode("Sprint X", date(2026, 3, 2), date(2026, 3, 15), 20, 30)
    temporary_id = await store.nodes.add(ITERATIONS, root_of(store, ITERATIONS), new, 0)
    assert store.lookups.iterations()[temporary_id].start == date(2026, 3, 2)
    assert store.nodes.signs(ITERATIONS) == {temporary_id: RowSign.PENDING}

    await sent(store)

    made = (await on_service(world, ITERATIONS))[store.nodes.real_id(temporary_id)]
    wanted = ("Sprint X", "2026-03-02", "2026-03-15", 20, 30, 1)
    assert (
        tuple(made[key] for key in ("name", "startDate", "endDate", "minCapacity", "maxCapacity", "sequence")) == wanted
    )
    assert shown(store, ITERATIONS) == await shape(world, ITERATIONS)


async def test_a_tree_that_was_read_before_a_write_does_not_replace_the_written_one(world: World) -> None:
    store = await world.online()
    page = await world.rival.areas.of_project(1).page()
    before = Said(200, (), orjson.dumps({"totalResults": page.total, "top": 1, "results": page.results}))
    answers: list[Said] = []

    async def write(_method: str, path: str) -> None:
        if path.endswith("/projects/1/areas") and len(store.lookups.tree(AREAS)) == page.total:
            await store.nodes.add(AREAS, root_of(store, AREAS), NewNode("Meanwhile"))
            await sent(store)
            answers.append(before)

    world.faults.before = write
    world.faults.says = lambda _, path: answers.pop() if path.endswith("/projects/1/areas") and answers else None
    await store.refresh()

    assert "Meanwhile" in [name for _, name in shown(store, AREAS)]


async def test_what_is_planned_into_a_new_iteration_follows_it_when_it_gets_its_number(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    temporary_id = await store.nodes.add(ITERATIONS, root_of(store, ITERATIONS), NewNode("New"))
    child = await store.nodes.add(ITERATIONS, temporary_id, NewNode("Below"))
    await store.items.edit([1], {"IterationID": temporary_id})
    added = await store.items.add("Story", {"Name": "Planned", "IterationID": child})

    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    nodes = await on_service(world, ITERATIONS)
    real_id, below_id = store.nodes.real_id(temporary_id), store.nodes.real_id(child)
    assert nodes[below_id]["parentId"] == real_id
    assert (await world.rival.work_items.get(1))["fields"]["IterationID"] == real_id
    item = store.item(added)
    assert item is not None
    assert item.fields["IterationID"] == below_id


async def test_a_child_keeps_its_place_under_a_parent_that_is_moved_offline(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    root = root_of(store, AREAS)
    first = await store.nodes.add(AREAS, root, NewNode("First"), 0)
    second = await store.nodes.add(AREAS, first, NewNode("Second"))
    third = await store.nodes.add(AREAS, root, NewNode("Third"))
    await store.nodes.move(AREAS, first, third)
    await store.nodes.edit(AREAS, second, {"name": "Second again"})

    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    assert await shape(world, AREAS) == shown(store, AREAS)
    assert (await shape(world, AREAS))[-3:] == [(1, "Third"), (2, "First"), (3, "Second again")]


async def test_one_date_changed_sends_both_and_keeps_the_other_as_somebody_set_it(world: World, boss: Client) -> None:
    store = await world.online()
    node = leaf(store)
    entry = store.lookups.iterations()[node.id]
    assert entry.start is not None
    assert entry.end is not None
    world.faults.is_down = True
    later = entry.end + timedelta(days=3)
    await store.nodes.edit(ITERATIONS, node.id, {"startDate": entry.start + timedelta(days=1)})
    await boss.iterations.update(node.id, {"endDate": later.isoformat()})

    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    now = (await on_service(world, ITERATIONS))[node.id]
    assert (now["startDate"], now["endDate"]) == ((entry.start + timedelta(days=1)).isoformat(), later.isoformat())


async def test_a_name_that_somebody_else_changed_too_waits_as_a_conflict_with_theirs(
    world: World, boss: Client
) -> None:
    store = await world.online()
    node = leaf(store)
    world.faults.is_down = True
    await store.nodes.edit(ITERATIONS, node.id, {"name": "Mine"})
    await boss.iterations.update(node.id, {"name": "Theirs"})

    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.conflicts == 1)

    (entry,) = store.outbox_entries()
    assert entry.theirs == {"name": "Theirs"}
    assert store.nodes.signs(ITERATIONS)[node.id] is RowSign.CONFLICT
    await store.nodes.edit(ITERATIONS, node.id, {"name": "Mine, later"})
    await store.items.edit([1], {"Name": "Sent beside it"})
    await until(lambda: store.outbox.pending == 1)
    assert (await on_service(world, ITERATIONS))[node.id]["name"] == "Theirs"
    await store.conflicts.retry(entry.id)
    await sent(store)
    assert (await on_service(world, ITERATIONS))[node.id]["name"] == "Mine, later"


async def test_items_of_a_deleted_iteration_are_shown_in_the_other_one_at_once(world: World) -> None:
    store = await world.online()
    node = leaf(store)
    root = root_of(store, ITERATIONS)
    going = store.nodes.extent(ITERATIONS, node.id)
    before = store.lookups.totals(ITERATIONS)[root].count if root in store.lookups.totals(ITERATIONS) else 0
    world.faults.is_down = True

    await store.nodes.delete(ITERATIONS, node.id, root)

    assert going.nodes == 1
    assert going.moved.count > 0
    assert node.id not in store.lookups.tree(ITERATIONS)
    assert store.lookups.totals(ITERATIONS)[root].count == before + going.open_items
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    assert node.id not in await on_service(world, ITERATIONS)
    assert store.lookups.totals(ITERATIONS)[root].count == before + going.open_items


async def test_a_deletion_goes_after_the_edits_that_put_items_there(world: World) -> None:
    store = await world.online()
    node = leaf(store)
    world.faults.is_down = True
    await store.items.edit([1, 2], {"IterationID": node.id})
    await store.nodes.delete(ITERATIONS, node.id, root_of(store, ITERATIONS))

    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    assert store.outbox.refused == 0
    fields = (await world.rival.work_items.get(1))["fields"]
    assert fields["IterationID"] == root_of(store, ITERATIONS)


async def test_a_node_is_deleted_only_after_a_change_that_is_on_its_way_into_it(world: World) -> None:
    store = await world.online()
    node = leaf(store)
    hangs = "/workitems/1"
    world.faults.stalls = frozenset({hangs})
    await store.items.edit([1], {"IterationID": node.id})
    await until(lambda: ("GET", f"/api/v1{hangs}") in world.faults.requests)

    await store.nodes.delete(ITERATIONS, node.id, root_of(store, ITERATIONS))
    await store.items.edit([2], {"Name": "Not held up"})
    await until(lambda: store.outbox.pending == 2)

    assert world.faults.count("DELETE") == 0
    assert node.id in await on_service(world, ITERATIONS)


async def test_what_somebody_put_below_meanwhile_keeps_a_node_from_being_deleted(world: World, boss: Client) -> None:
    store = await world.online()
    node = leaf(store)
    world.faults.is_down = True
    await store.nodes.delete(ITERATIONS, node.id, root_of(store, ITERATIONS))
    await boss.iterations.create({"projectId": 1, "parentId": node.id, "name": "Theirs"})

    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.conflicts == 1)

    assert node.id in store.lookups.tree(ITERATIONS)
    assert "Theirs" in store.outbox_entries()[0].reason


async def test_the_order_of_siblings_is_that_of_the_service_after_a_reorder(world: World) -> None:
    store = await world.online()
    root = root_of(store, AREAS)
    names = [node.name for node in store.lookups.tree(AREAS).children(root)]
    first = named(store, AREAS, names[0])

    await store.nodes.reorder(AREAS, first.id, 1)
    await sent(store)

    assert [node.name for node in store.lookups.tree(AREAS).children(root)] == [names[1], names[0], *names[2:]]
    assert shown(store, AREAS) == await shape(world, AREAS)


REFUSED: dict[str, Callable[[Store, int], Any]] = {
    "Name cannot be empty.": lambda store, node: store.nodes.edit(ITERATIONS, node, {"name": " "}),
    "longer than 500": lambda store, node: store.nodes.edit(ITERATIONS, node, {"name": "x" * 501}),
    "is before the start": lambda store, node: store.nodes.edit(ITERATIONS, node, {"endDate": date(1999, 1, 1)}),
    "not less than 0": lambda store, node: store.nodes.edit(ITERATIONS, node, {"minCapacity": -1}),
    "is more than the max": lambda store, node: store.nodes.edit(
        ITERATIONS, node, {"minCapacity": 9, "maxCapacity": 3}
    ),
    "cannot move below itself": lambda store, node: store.nodes.move(ITERATIONS, node, node),
    "The root cannot be deleted": lambda store, node: store.nodes.delete(ITERATIONS, root_of(store, ITERATIONS), node),
    "The root cannot be moved": lambda store, node: store.nodes.move(ITERATIONS, root_of(store, ITERATIONS), node),
    "being deleted too": lambda store, node: store.nodes.delete(ITERATIONS, node, node),
}


@pytest.mark.parametrize("sentence", REFUSED)
async def test_what_cannot_be_is_said_before_anything_is_journalled(world: World, sentence: str) -> None:
    store = await world.online()

    error = await raised(REFUSED[sentence](store, leaf(store).id))

    assert isinstance(error, BadRequest)
    assert sentence in error.message
    assert store.outbox_entries() == ()


async def test_a_rename_and_a_move_can_be_undone(world: World) -> None:
    store = await world.online()
    before = shown(store, AREAS)
    root = root_of(store, AREAS)
    first, second = store.lookups.tree(AREAS).children(root)[:2]
    await store.nodes.edit(AREAS, first.id, {"name": "Other"})
    await store.nodes.move(AREAS, first.id, second.id)
    await sent(store)

    await store.history.undo()
    await store.history.undo()
    await sent(store)

    assert shown(store, AREAS) == before == await shape(world, AREAS)


async def test_giving_a_new_iteration_up_leaves_its_items_where_they_were(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    await raised(store.refresh())
    await until(lambda: store.connection.state is ConnectionState.OFFLINE)
    was = store.item(1)
    new = await store.nodes.add(ITERATIONS, root_of(store, ITERATIONS), NewNode("New"))
    await store.nodes.add(ITERATIONS, new, NewNode("Below"))
    await store.items.edit([1], {"IterationID": new})

    await store.conflicts.discard(store.outbox_entries()[0].id)

    now = store.item(1)
    assert was is not None
    assert now is not None
    assert now.fields["IterationID"] == was.fields["IterationID"]
    assert store.outbox_entries() == ()
    assert new not in store.lookups.tree(ITERATIONS)


async def test_the_root_keeps_the_name_of_its_project(world: World) -> None:
    store = await world.online()

    error = await raised(store.nodes.edit(AREAS, root_of(store, AREAS), {"name": "Other"}))

    assert "named after its project" in error.message
    assert store.outbox_entries() == ()


async def test_who_is_no_manager_is_told_so_before_anything_is_journalled(world: World) -> None:
    store = await world.online()
    await asyncio.to_thread(_make_contributor, world)
    await store.refresh()

    error = await raised(store.nodes.edit(AREAS, root_of(store, AREAS), {"name": "Other"}))

    assert "Only managers" in error.message
    assert store.outbox_entries() == ()


def _make_contributor(world: World) -> None:
    path = world.folder / "service.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE grants SET role = 'contributor' WHERE role = 'manager'")


async def test_an_answer_that_is_lost_makes_no_second_node(world: World) -> None:
    store = await world.online()
    world.faults.lost_answers["POST"] = 1

    await store.nodes.add(AREAS, root_of(store, AREAS), NewNode("Once"))
    await sent(store)

    assert [name for _, name in await shape(world, AREAS)].count("Once") == 1


async def test_node_edit_is_sent_again_when_a_proxy_fakes_its_success(world: World) -> None:
    store = await world.online()
    area = leaf(store, AREAS)
    fakes = [Said(200, [(b"content-type", b"application/json")], b'{"status": "ok"}')]
    world.faults.says = lambda method, path: fakes.pop() if fakes and method == "PUT" and "/areas/" in path else None

    await store.nodes.edit(AREAS, area.id, {"name": "Renamed"})
    await sent(store)

    assert store.outbox_entries() == ()
    assert "Renamed" in [name for _, name in await shape(world, AREAS)]


async def test_a_new_place_stays_shown_where_the_tree_cannot_be_read_after_it_was_sent(world: World) -> None:
    store = await world.online()
    root = root_of(store, AREAS)
    first, second = store.lookups.tree(AREAS).children(root)[:2]
    world.faults.says = lambda method, path: (
        Said(503) if method == "GET" and path.endswith("/areas") and world.faults.count("PUT") else None
    )

    await store.nodes.reorder(AREAS, second.id, -1)
    await until(lambda: not store.outbox.pending)

    assert store.lookups.tree(AREAS).children(root)[:2] == (replace(second, sequence=1), replace(first, sequence=2))


@pytest.mark.slow
async def test_trees_changed_by_two_people_come_out_the_same(world: World) -> None:
    mine, other = await world.online("mine"), await world.online("other")
    root = root_of(mine, AREAS)
    names = {f"Mine {at}" for at in range(5)} | {f"Other {at}" for at in range(5)}

    for at in range(5):
        await mine.nodes.add(AREAS, root, NewNode(f"Mine {at}"), at)
        await other.nodes.add(AREAS, root, NewNode(f"Other {at}"), at)
    await sent(mine)
    await sent(other)
    await mine.refresh()
    await other.refresh()

    assert shown(mine, AREAS) == shown(other, AREAS) == await shape(world, AREAS)
    assert names <= {name for _, name in shown(mine, AREAS)}
