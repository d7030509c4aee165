"""Areas that are moved, deleted and made anew by undo and redo, in a store without a service."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put_nouns
from tests.store.nodes import AREAS, shown
from tests.store.undo.undo_steps import redone, undone

from backlit.store import Store
from backlit.store.edits.nodes import NewNode
from backlit.store.files.files import WriteContext
from backlit.store.journal.undo_log import ActState
from backlit.store.mirror import overlay
from backlit.store.mirror.mirror import tree_writes
from backlit.store.outbox.nodes import ReceivedNodes, deliver_node, known_below, largest_known
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import EntryKind
from backlit.store.records.item import Document, fields_in


@contextmanager
def grove(folder: Path) -> Iterator[Store]:
    """A store with the areas 12, with 14 and 15 below it, and 13. Items 1 to 3 lie in 12, 14 and 13."""
    with offline_store(folder, [item(1, AreaID=12), item(2, AreaID=14), item(3, AreaID=13)]) as store:
        below = [node(12, "A", 11), node(13, "B", 11), node(14, "A.1", 12), node(15, "A.2", 12)]
        put_nouns(store, areas=[node(11, "Root"), *below])
        yield store


def settle(store: Store, *made: int, most: int = 99) -> None:
    """Have the service take the oldest unsent entries. New nodes get the given ids."""
    ids = iter(made)

    def act(writer: WriteContext) -> None:
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


async def test_everything_on_an_unsent_node_follows_it_below_one_that_is_made_anew(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        await store.nodes.add(AREAS, 11, NewNode("Above"))
        settle(store, 22)
        below = await store.nodes.add(AREAS, 22, NewNode("Below"))
        failed = replace(store.outbox_entries()[0], reason="Broken.", attempts=2)
        store.files.submit(lambda writer: writer.journal.update(failed)).result()
        await store.nodes.edit(AREAS, below, {"name": "Deeper"})
        await store.items.edit([3], {"AreaID": below})
        for _ in range(4):
            await undone(store)
        settle(store)

        for _ in range(4):
            await redone(store)

        above, again, renamed, moved = store.outbox_entries()
        assert (again.reason, again.attempts) == ("", 0)
        assert again.node_id > above.node_id
        assert (renamed.node_id, moved.payload) == (again.node_id, {"AreaID": again.node_id})
        assert shown(store, AREAS)[-2:] == [(1, "Above"), (2, "Deeper")]
        assert areas_of(store) == [12, 14, again.node_id]


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


# What is stored of a node that was sent


def sent_with(store: Store, document: Document | None, level: ReceivedNodes | None = None) -> list[StoreChange]:
    """Have the service take the oldest entry with an answer and the level that was read after it."""
    heard: list[StoreChange] = []
    store.subscribe(heard.append)
    entry = store.outbox_entries()[0]
    store.files.submit(lambda writer: deliver_node(writer, entry, document, level)).result()
    return [each for each in heard if each.kind is Subject.TREES]


def stored(store: Store) -> list[tuple[object, ...]]:
    found = store.files.mirror.execute("SELECT doc FROM resources WHERE kind = 'areas' ORDER BY id")
    documents = [orjson.loads(doc) for (doc,) in found]
    return [(each["id"], each["name"], each["parentId"], each["sequence"]) for each in documents]


GROVE = [(11, "Root", -1, 11), (12, "A", 11, 12), (13, "B", 11, 13), (14, "A.1", 12, 14), (15, "A.2", 12, 15)]


async def test_an_edited_node_is_stored_alone(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        await store.nodes.edit(AREAS, 13, {"name": "Mine"})

        sent_with(store, node(13, "Mine", 11, sequence=7))

        assert stored(store) == [*GROVE[:2], (13, "Mine", 11, 7), *GROVE[3:]]
        writes = store.files.submit(lambda writer: writer.mirror.note(tree_writes(1))).result()
        assert (store.outbox_entries(), writes) == ((), 1)


async def test_a_moved_node_is_stored_with_its_level_or_as_it_was_shown(tmp_path: Path) -> None:
    for level in (
        None,
        ReceivedNodes([node(13, "B", 12, sequence=2), node(15, "A.2", 12, sequence=3)], is_whole=False),
    ):
        folder = tmp_path / str(level is None)
        with grove(folder) as store:
            await store.nodes.move(AREAS, 13, 12, 1)

            sent_with(store, node(13, "By Jon", 12, sequence=99), level)

            first = 1 if level is None else 14
            name = "By Jon" if level is None else "B"
            assert stored(store)[2:] == [(13, name, 12, 2), (14, "A.1", 12, first), (15, "A.2", 12, 3)]


async def test_a_new_node_gets_its_number_in_everything_that_names_it(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        new = await store.nodes.add(AREAS, 11, NewNode("New"))
        await store.items.edit([3], {"AreaID": new})
        await store.nodes.add(AREAS, new, NewNode("Below"))

        heard = sent_with(store, node(22, "New", 11, sequence=4))

        edit, below = store.outbox_entries()
        assert {new: 22} in [dict(each.renamed) for each in heard]
        assert (edit.payload, overlay.place_of(below), areas_of(store)) == ({"AreaID": 22}, (22, 0), [12, 14, 22])
        assert shown(store, AREAS)[-2:] == [(1, "New"), (2, "Below")]


async def test_the_items_of_a_deleted_node_are_stored_in_its_target(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        await store.nodes.delete(AREAS, 12, 13)
        await store.items.edit([2], {"Name": "Mine"})

        sent_with(store, None)

        assert [each[0] for each in stored(store)] == [11, 13]
        assert areas_of(store) == [13, 13, 13]
        received = store.files.submit(lambda writer: writer.mirror.received([1, 2, 3])).result()
        assert [fields_in(received[each])["AreaID"] for each in (1, 2, 3)] == [13, 13, 13]
        assert [fields_in(received[each])["Name"] for each in (1, 2, 3)] == ["Item 1", "Item 2", "Item 3"]
        assert [each.payload for each in store.outbox_entries()] == [{"Name": "Mine"}]


def test_known_nodes_are_those_of_their_tree_and_project(tmp_path: Path) -> None:
    with grove(tmp_path) as store:
        others = [node(31, "I", 12), node(32, "J", 31)]
        put_nouns(store, iterations=others)

        def ask(writer: WriteContext) -> tuple[object, ...]:
            mirror = writer.mirror
            below = [
                known_below(mirror, kind, 1, parents) for kind, parents in (("areas", [12, 11]), ("iterations", [12]))
            ]
            return *below, [largest_known(mirror, *place) for place in (("areas", 1), ("iterations", 1), ("areas", 2))]

        assert store.files.submit(ask).result() == ({12, 13, 14, 15}, {31}, [15, 32, 0])
