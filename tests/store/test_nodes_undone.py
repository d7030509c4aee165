"""New areas and iterations are taken back after they were sent too, and deleted ones are made again."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import orjson
import pytest
from msgspec.structs import replace
from tests.store.nodes import AREAS, ITERATIONS, leaf, named, on_service, root_of, shape, shown
from tests.store.papers import item, node, offline_store, put_nouns
from tests.store.test_history import redone, undone
from tests.store.test_nodes import boss
from tests.store.world import Said, World, sent, until

from backlit.client.client import Client
from backlit.model.trees import NO_TOTALS
from backlit.store import Store
from backlit.store.edits.nodes import NewNode
from backlit.store.files.files import Writer
from backlit.store.journal.undo_log import ActState
from backlit.store.mirror import overlay
from backlit.store.outbox.nodes import deliver_node
from backlit.store.records.entry import EntryKind
from backlit.store.records.item import fields_in
from backlit.store.remote.reachability import USUAL_WAITS

__all__ = ["boss"]
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
    world.waits = replace(USUAL_WAITS, first_pause=0.05, in_transit=0.2)
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
    world.waits = replace(USUAL_WAITS, first_pause=0.05, in_transit=0.2)
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
    world.waits = replace(USUAL_WAITS, first_pause=0.05, in_transit=0.2)
    store = await world.online()
    before = await shape(world, AREAS)
    lost = world.faults.lost_answers
    lost["POST"] = 1 if status == 504 else 0
    world.faults.says = lambda method, path: (
        Said(504) if not lost["POST"] and (status == 504 or (method == "POST" and path.endswith("/areas"))) else None
    )
    await store.nodes.add(AREAS, root_of(store, AREAS), NewNode("Perhaps"))
    await until(lambda: [each for each in store.outbox_entries() if each.has_left and each.reason])
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


# Without a service: the nodes 12 with 14 and 15, and 13, below the root 11


@contextmanager
def grove(folder: Path) -> Iterator[Store]:
    """A store with areas. Items 1 to 3 lie in the areas 12, 14 and 13."""
    with offline_store(folder, [item(1, AreaID=12), item(2, AreaID=14), item(3, AreaID=13)]) as store:
        below = [node(12, "A", 11), node(13, "B", 11), node(14, "A.1", 12), node(15, "A.2", 12)]
        put_nouns(store, areas=[node(11, "Root"), *below])
        yield store


def settle(store: Store, *made: int, most: int = 99) -> None:
    """Have the service take the oldest unsent entries. New nodes get the given ids."""
    ids = iter(made)

    def act(writer: Writer) -> None:
        for entry in writer.journal.entries.undelivered()[:most]:
            current = writer.journal.entries.find(entry.id) or entry
            if current.kind is EntryKind.EDIT:
                known = writer.mirror.received([current.item_id])[current.item_id]
                writer.mirror.put_items([{**known, "fields": {**fields_in(known), **current.payload}}], ())
                writer.journal.deliver(current)
                continue
            node_id = next(ids) if current.kind is EntryKind.NODE_ADD else current.node_id
            known_nodes = {each["id"]: each for each in writer.mirror.resources("areas", 1)}
            place = {"parentId": entry_place[0]} if (entry_place := overlay.place_of(current)) else {}
            before = known_nodes.get(node_id, {"id": node_id, "projectId": 1})
            document = {**before, **overlay.values_of(current), **place}
            deliver_node(writer, current, None if current.kind is EntryKind.NODE_DELETE else document, None)

    store.files.submit(act).result()


def areas_of(store: Store) -> list[object]:
    return [area for (area,) in store.files.mirror.execute("SELECT area_id FROM items ORDER BY id")]


def entries(store: Store) -> list[tuple[str, object, object]]:
    """The unsent entries: kind, node or item, and the parent or area that they name."""
    return [
        (each.kind.value, each.item_id or each.node_id, (overlay.place_of(each) or (each.payload.get("AreaID"),))[0])
        for each in store.outbox_entries()
    ]


@pytest.mark.parametrize("is_sent", [True, False])
async def test_a_move_goes_back_and_forth(tmp_path: Path, is_sent: bool) -> None:
    with grove(tmp_path) as store:
        before = shown(store, AREAS)
        await store.nodes.move(AREAS, 13, 12, 1)
        moved = shown(store, AREAS)
        found, bases = [], []
        for act in (undone, redone, undone, redone):
            if is_sent:
                settle(store)
            await act(store)
            found.append(shown(store, AREAS))
            bases.append([(each.base, each.payload.get("was")) for each in store.outbox_entries()])

        assert moved == [(0, "Root"), (1, "A"), (2, "A.1"), (2, "B"), (2, "A.2")]
        assert found == [before, moved] * 2
        assert not is_sent or [base[0][0]["parentId"] for base in bases] == [12, 11] * 2


async def test_a_restored_sub_tree_keeps_its_order_and_its_items(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        before = shown(store, AREAS)
        await store.nodes.delete(AREAS, 12, 13)
        settle(store)
        gone = areas_of(store)

        told = await undone(store)

        (made,) = told.nodes_made
        new = [each.node_id for each in store.outbox_entries() if each.kind is EntryKind.NODE_ADD]
        assert (gone, made.item_ids, made.stay) == ([13, 13, 13], (1, 2), 0)
        assert shown(store, AREAS) == before
        assert areas_of(store) == [new[0], new[1], 13]
        assert [overlay.place_of(each) for each in store.outbox_entries()[:3]] == [
            (11, 0),
            (new[0], 0),
            (new[0], new[1]),
        ]


@pytest.mark.parametrize(("sent", "below"), [(99, [22, 24, 25]), (1, [22])])
async def test_a_restored_sub_tree_is_deleted_again_as_one_node(tmp_path: Path, sent: int, below: list[int]) -> None:
    with grove(tmp_path) as store:
        await store.nodes.delete(AREAS, 12, 13)
        settle(store)
        await undone(store)
        settle(store, 22, 24, 25, most=sent)

        told = await redone(store)

        (deleted,) = told.nodes_deleted
        assert (deleted.target, sorted(overlay.deleted_nodes(deleted.entry)), told.final) == ("B", below, ())
        assert [name for _, name in shown(store, AREAS)] == ["Root", "B"]
        assert areas_of(store) == [13, 13, 13]
        assert [kind for kind, *_ in entries(store)] == ["delete node"]
        settle(store)
        await undone(store)
        assert [name for _, name in shown(store, AREAS)] == ["Root", "A", "A.1", "A.2", "B"]


async def test_items_go_to_the_parent_when_their_target_is_gone(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        await store.nodes.delete(AREAS, 12, 13)
        settle(store)
        await undone(store)
        settle(store, 22, 24, 25)
        found = store.files.mirror.execute("SELECT doc FROM resources WHERE kind = 'areas'")
        documents = [orjson.loads(doc) for (doc,) in found]
        put_nouns(store, areas=[each for each in documents if each["id"] != 13])

        (deleted,) = (await redone(store)).nodes_deleted

        assert (deleted.target, deleted.entry.payload["reassignmentId"]) == ("Root", 11)


async def test_items_that_left_the_target_or_are_gone_stay_where_they_are(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        await store.nodes.delete(AREAS, 12, 13)
        settle(store)
        await store.items.edit([1], {"AreaID": 11})
        settle(store)
        store.files.submit(lambda writer: writer.mirror.delete_items([2])).result()
        store.files.submit(lambda writer: writer.journal.undo_log.set_state(2, ActState.OVER)).result()

        (made,) = (await undone(store)).nodes_made

        assert (made.item_ids, made.stay) == ((), 2)
        assert [kind for kind, *_ in entries(store)] == ["add node"] * 3


async def test_an_item_restored_meanwhile_returns_to_its_restored_node(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        await store.nodes.delete(AREAS, 12, 13)
        settle(store)
        await store.deletions.delete_items([1])
        (deletion,) = store.outbox_entries()
        store.files.submit(lambda writer: writer.mirror.delete_items([1])).result()
        store.files.submit(lambda writer: writer.journal.deliver(deletion)).result()

        again = (await undone(store)).new_ids
        (made,) = (await undone(store)).nodes_made

        new = [each.node_id for each in store.outbox_entries() if each.kind is EntryKind.NODE_ADD]
        assert (set(made.item_ids), made.stay) == ({*again, 2}, 0)
        assert ("edit", again[0], new[0]) in entries(store)


async def test_an_unsent_node_follows_the_one_above_it_that_is_made_anew(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        await store.nodes.add(AREAS, 11, NewNode("Above"))
        settle(store, 22)
        await store.nodes.add(AREAS, 22, NewNode("Below"))
        await store.nodes.edit(AREAS, 22, {"name": "Higher"})
        for _ in range(3):
            await undone(store)
        settle(store)
        gone = shown(store, AREAS)

        for _ in range(3):
            await redone(store)

        above, below, *_ = store.outbox_entries()
        tail = shown(store, AREAS)[-2:]
        assert [name for _, name in gone] == ["Root", "A", "A.1", "A.2", "B"]
        assert tail == [(1, "Higher"), (2, "Below")]
        assert (overlay.place_of(below) or (0,))[0] == above.node_id
        assert all(each.known_id is None and not each.attempts for each in store.outbox_entries())
        for _ in range(3):
            await undone(store)
        assert (shown(store, AREAS), store.outbox_entries()) == (gone, ())
        for _ in range(3):
            await redone(store)
        assert shown(store, AREAS)[-2:] == tail


async def test_edits_of_items_and_nodes_follow_a_node_that_is_made_anew(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        await store.nodes.add(AREAS, 11, NewNode("New"))
        settle(store, 22)
        await store.nodes.edit(AREAS, 22, {"name": "Newer"})
        await store.items.edit([3], {"AreaID": 22})
        settle(store)
        for _ in range(3):
            await undone(store)
            settle(store)
        before = areas_of(store)

        for made in (32, 0, 0):
            await redone(store)
            settle(store, made)

        assert (before, areas_of(store)) == ([12, 14, 13], [12, 14, 32])
        assert shown(store, AREAS)[-1] == (1, "Newer")
        await undone(store)
        assert (areas_of(store), store.outbox_entries()[0].base) == ([12, 14, 13], {"AreaID": 32})
