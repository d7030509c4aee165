"""Unsent changes over received items and nodes, without a store: what is shown, where it stands, and its sign."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.store.documents import item, offline_store

from backlit.model.fields import Kind
from backlit.store import EntryState, OutboxEntry, RowSign
from backlit.store.files.files import WriteContext
from backlit.store.mirror.item_rows import kind_of_value
from backlit.store.mirror.learnt import widest
from backlit.store.mirror.mirror import Mirror
from backlit.store.mirror.overlay import (
    LAST_SEQUENCE,
    index_after,
    laid_over,
    laid_over_nodes,
    moved,
    node_signs,
    sequence_for,
    siblings_of,
    subtree,
)
from backlit.store.records.entry import EntryKind, new_entry
from backlit.store.records.item import Document, fields_in, id_in

WAITING, SENDING, REFUSED, CONFLICT = EntryState.WAITING, EntryState.SENDING, EntryState.REFUSED, EntryState.CONFLICT


def entry(kind: EntryKind, state: EntryState = WAITING, number: int = 1, **payload: Any) -> OutboxEntry:
    made = new_entry(kind, 1, {"tree": "areas", **payload} if kind.name.startswith("NODE") else payload, 7)
    return replace(made, state=state, id=number)


# Items


@pytest.mark.parametrize(
    ("states", "sign"),
    [
        ((), RowSign.NONE),
        ((WAITING,), RowSign.PENDING),
        ((SENDING,), RowSign.PENDING),
        ((REFUSED, WAITING), RowSign.REFUSED),
        ((WAITING, CONFLICT, WAITING), RowSign.CONFLICT),
        ((CONFLICT, REFUSED), max(RowSign.CONFLICT, RowSign.REFUSED)),
    ],
)
def test_the_latest_values_are_shown_with_the_gravest_sign(states: Sequence[EntryState], sign: RowSign) -> None:
    received: Document = {"id": 7, "fields": {"Name": "Received", "Estimate": "1"}}
    entries = [entry(EntryKind.EDIT, state, Name=f"Edit {at}") for at, state in enumerate(states)]

    shown, found = laid_over(received, [*entries, *([entry(EntryKind.COMMENT, text="x")] if states else [])])

    name = f"Edit {len(states) - 1}" if states else "Received"
    assert (shown["fields"], found) == ({"Name": name, "Estimate": "1"}, sign)
    assert fields_in(received)["Name"] == "Received"


def test_an_item_moves_out_of_deleted_nodes_only() -> None:
    document: Document = {"id": 7, "fields": {"AreaID": 4, "IterationID": 9}}

    assert moved(document, {"AreaID": {"4": 2}, "IterationID": {"8": 3}})["fields"] == {"AreaID": 2, "IterationID": 9}
    assert moved(document, {"AreaID": {"5": 2}}) is document


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ((1, 2), Kind.INTEGER),
        ((1, 1.5), Kind.NUMBER),
        ((True,), Kind.BOOLEAN),
        ((True, 1), Kind.TEXT),
        ((["a"], ["b"]), Kind.TAGS),
        (("a",), Kind.TEXT),
        (("a", "b\nc"), Kind.LONG_TEXT),
        (("a\nb", 1), Kind.LONG_TEXT),
        ((1.5, "a"), Kind.TEXT),
    ],
)
def test_a_field_of_the_project_has_the_kind_that_holds_all_its_values(values: Sequence[object], kind: Kind) -> None:
    kinds = [found for each in values if (found := kind_of_value(each)) is not None]

    assert (len(kinds), widest(kinds), kind_of_value(None)) == (len(values), kind, None)


# Nodes: 1 has the children 2, 3 and 4, and 2 has the child 5


def node(node_id: int, parent_id: int, sequence: int) -> Document:
    return {"id": node_id, "parentId": parent_id, "sequence": sequence, "name": f"Node {node_id}", "projectId": 1}


TREE = (node(1, -1, 1), node(2, 1, 1), node(3, 1, 2), node(4, 1, 3), node(5, 2, 1))


def children(nodes: Sequence[Document], parent_id: int) -> list[object]:
    of_parent = [each for each in nodes if each["parentId"] == parent_id]
    return [each["name"] for each in sorted(of_parent, key=lambda each: id_in(each, "sequence"))]


def place(parent_id: int, after: int) -> dict[str, int]:
    return {"parentId": parent_id, "after": after}


def edit(node_id: int, **payload: Any) -> OutboxEntry:
    return entry(EntryKind.NODE_EDIT, id=node_id, **payload)


@pytest.mark.parametrize(
    ("change", "of_root", "of_second"),
    [
        (edit(4, place=place(1, 0)), ["Node 4", "Node 2", "Node 3"], ["Node 5"]),
        (edit(2, place=place(1, 3)), ["Node 3", "Node 2", "Node 4"], ["Node 5"]),
        (edit(2, place=place(1, 99)), ["Node 3", "Node 4", "Node 2"], ["Node 5"]),
        (edit(3, place=place(2, 5)), ["Node 2", "Node 4"], ["Node 5", "Node 3"]),
        (edit(2, place=place(5, 0)), ["Node 2", "Node 3", "Node 4"], ["Node 5"]),
        (edit(2, place=place(2, 0)), ["Node 2", "Node 3", "Node 4"], ["Node 5"]),
        (edit(9, values={"name": "Lost"}), ["Node 2", "Node 3", "Node 4"], ["Node 5"]),
        (edit(3, values={"name": "Named"}), ["Node 2", "Named", "Node 4"], ["Node 5"]),
        (
            entry(EntryKind.NODE_ADD, values={"name": "New"}, place=place(1, 2)),
            ["Node 2", "New", "Node 3", "Node 4"],
            ["Node 5"],
        ),
        (entry(EntryKind.NODE_DELETE, id=2), ["Node 3", "Node 4"], []),
        (entry(EntryKind.NODE_DELETE, SENDING, id=2), ["Node 3", "Node 4"], []),
        (entry(EntryKind.NODE_DELETE, REFUSED, id=2), ["Node 2", "Node 3", "Node 4"], ["Node 5"]),
        (entry(EntryKind.NODE_DELETE, CONFLICT, id=2), ["Node 2", "Node 3", "Node 4"], ["Node 5"]),
        (entry(EntryKind.NODE_DELETE, id=9), ["Node 2", "Node 3", "Node 4"], ["Node 5"]),
    ],
)
def test_an_unsent_change_of_a_node_is_shown(
    change: OutboxEntry, of_root: Sequence[str], of_second: Sequence[str]
) -> None:
    shown = laid_over_nodes(TREE, [change])

    assert (children(shown, 1), children(shown, 2)) == (of_root, of_second)


def test_changes_of_nodes_build_on_each_other() -> None:
    shown = laid_over_nodes(TREE, [edit(5, place=place(1, 2)), edit(2, place=place(5, 0)), edit(4, place=place(5, 2))])

    assert (children(shown, 1), children(shown, 5), children(shown, 2)) == (
        ["Node 5", "Node 3"],
        ["Node 2", "Node 4"],
        [],
    )


def gone_node(node_id: int) -> OutboxEntry:
    return entry(EntryKind.NODE_DELETE, id=node_id)


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ([edit(5, place=place(1, 0)), gone_node(2)], {5: 1, 3: 1, 4: 1}),
        ([edit(3, place=place(5, 0)), gone_node(2)], {4: 1}),
        ([gone_node(5), gone_node(2)], {3: 1, 4: 1}),
        ([gone_node(2), edit(5, values={"name": "Late"})], {3: 1, 4: 1}),
        ([edit(3, place=place(5, 0)), edit(5, place=place(4, 0)), gone_node(2)], {4: 1, 5: 4, 3: 5}),
        ([edit(5, place=place(1, 0)), edit(5, place=place(2, 0)), gone_node(2)], {3: 1, 4: 1}),
    ],
)
def test_a_deletion_takes_what_is_below_by_then(changes: Sequence[OutboxEntry], left: dict[int, int]) -> None:
    shown = laid_over_nodes(TREE, changes)

    assert {each["id"]: each["parentId"] for each in shown} == {1: -1, **left}


def test_new_nodes_can_be_changed_and_are_placed_among_the_others_that_are_left() -> None:
    new = entry(EntryKind.NODE_ADD, values={"name": "New"}, place=place(1, 99))
    below = entry(EntryKind.NODE_ADD, number=2, values={"name": "Below"}, place=place(new.node_id, 0))

    shown = laid_over_nodes(TREE, [gone_node(3), new, below, edit(new.node_id, values={"name": "Named"})])

    assert (children(shown, 1), children(shown, new.node_id)) == (["Node 2", "Node 4", "Named"], ["Below"])
    assert {each["sequence"] for each in shown if each["parentId"] == 1} == {1, 2, 3}
    assert all(each["projectId"] == 1 for each in shown)


def test_a_circle_of_received_nodes_takes_others_in() -> None:
    circle = (node(6, 7, 1), node(7, 6, 1))

    shown = laid_over_nodes([*TREE, *circle], [edit(5, place=place(6, 7))])

    assert (children(shown, 6), children(shown, 2)) == (["Node 7", "Node 5"], [])


def test_siblings_stand_by_their_number_and_then_by_their_age() -> None:
    nodes = [node(4, 1, 2), node(3, 1, 2), node(2, 1, 5), node(9, 1, 1), node(8, 2, 1)]

    assert [each["id"] for each in siblings_of(nodes, 1)] == [9, 3, 4, 2]
    assert [each["id"] for each in siblings_of(nodes, 1, 3)] == [9, 4, 2]


@pytest.mark.parametrize(
    ("after", "index", "sequence"), [(0, 0, 0), (2, 1, 2), (4, 3, LAST_SEQUENCE), (99, 3, LAST_SEQUENCE)]
)
def test_a_place_is_first_behind_its_sibling_or_last(after: int, index: int, sequence: int) -> None:
    siblings = [2, 3, 4]

    assert index_after(siblings, after) == index
    assert sequence_for(siblings, index) == sequence
    assert sequence_for(range(LAST_SEQUENCE + 5), LAST_SEQUENCE + 5) == LAST_SEQUENCE + 6


@pytest.mark.parametrize(("node_id", "found"), [(2, {2, 5}), (1, {1, 2, 3, 4, 5}), (5, {5}), (99, set())])
def test_a_subtree_is_a_node_with_everything_below_it(node_id: int, found: set[int]) -> None:
    assert set(subtree(TREE, node_id)) == found
    assert set(subtree([*TREE, node(6, 7, 1), node(7, 6, 1)], 6)) == {6, 7}


def test_a_node_has_the_gravest_sign_of_its_changes() -> None:
    entries = [entry(EntryKind.NODE_EDIT, state, id=2) for state in (CONFLICT, WAITING)] + [edit(3)]

    assert node_signs(entries) == {2: RowSign.CONFLICT, 3: RowSign.PENDING}


def deletion(number: int, gone: int, target: int, state: EntryState = WAITING) -> OutboxEntry:
    return entry(EntryKind.NODE_DELETE, state, number, id=gone, below=[gone], reassignmentId=target)


def test_the_targets_of_deleted_nodes_are_kept_while_a_deletion_waits(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirror.sqlite")
    mirror.put_items([item(1, AreaID=4), item(2, AreaID=5), item(3, AreaID=6)], [])
    first, second, rejected = deletion(1, 4, 5), deletion(2, 5, 7), deletion(3, 6, 7, REFUSED)

    touched = [mirror.reassigned.update(each) for each in ([first], [first], [first, second, rejected])]
    kept = mirror.reassigned.targets()
    left = mirror.reassigned.update([])

    assert touched == [{1}, set(), {1, 2}]
    assert kept == {"AreaID": {"4": 7, "5": 7}}
    assert (left, mirror.reassigned.targets()) == ({1, 2}, {})
    mirror.close()


def place_of_items(mirror: Mirror) -> list[object]:
    return [place for (place,) in mirror.connection.execute("SELECT area_id FROM items ORDER BY id")]


@pytest.mark.parametrize(
    ("steps", "shown"),
    [
        ([[deletion(1, 4, 5)]], [5, 5, 6]),
        ([[deletion(1, 4, 5)], []], [4, 5, 6]),
        ([[deletion(1, 4, 5), deletion(2, 5, 6)], [deletion(1, 4, 5)]], [5, 5, 6]),
        ([[deletion(1, 4, 5)], [deletion(1, 4, 6)]], [6, 5, 6]),
        ([[deletion(1, 4, 5)], [deletion(1, 4, 5, REFUSED), deletion(2, 6, 5)]], [4, 5, 5]),
        ([[deletion(1, 4, 6), deletion(2, 5, 8)]], [6, 8, 6]),
    ],
)
def test_items_are_shown_where_the_deletions_that_wait_put_them(
    tmp_path: Path, steps: Sequence[Sequence[OutboxEntry]], shown: Sequence[int]
) -> None:
    mirror = Mirror(tmp_path / "mirror.sqlite")
    mirror.put_items([item(1, AreaID=4), item(2, AreaID=5), item(3, AreaID=6)], [])

    for undelivered in steps:
        mirror.lay_over(mirror.reassigned.update(undelivered), undelivered)

    assert place_of_items(mirror) == shown
    mirror.close()


def test_a_deletion_moves_the_items_of_its_tree_only(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirror.sqlite")
    mirror.put_items([item(1, AreaID=4, IterationID=9), item(2, AreaID=9, IterationID=4)], [])
    iterations = entry(EntryKind.NODE_DELETE, tree="iterations", id=4, below=[4], reassignmentId=2)

    touched = mirror.reassigned.update([iterations])
    mirror.lay_over(touched, [iterations])

    assert (touched, place_of_items(mirror)) == ({2}, [4, 9])
    assert fields_in(mirror.effective(2) or {})["IterationID"] == 2
    mirror.close()


async def test_a_new_task_is_shown_below_its_item_under_the_real_id(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        story_id = await store.items.add("Story", {"Name": "New"})
        task_id = await store.items.add("Task", {"Name": "Below", "ParentID": story_id})
        added = store.outbox_entries()[0]

        def confirm(writer: WriteContext) -> None:
            writer.mirror.put_items([item(77)], ())
            writer.journal.deliver(added, 77)
            writer.mirror.rename({story_id: item(77)}, writer.journal.entries.following([77]))

        await store.files.write(confirm)

        task = store.item(task_id)
        assert task is not None
        assert (task.fields["ParentID"], store.files.mirror.execute("SELECT count(*) FROM items").fetchone()[0]) == (
            77,
            2,
        )
