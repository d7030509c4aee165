"""What a deletion counts, compares and keeps, in a store without a service."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put, put_nouns
from tests.store.store_items import copy_of
from tests.store.world import raised

from backlit.model.errors import BadRequest, NotFound
from backlit.model.trees import NodeTotals
from backlit.store import EntryState, Store
from backlit.store.edits.deletions import ItemDeletionExtent, keep_last_copy
from backlit.store.edits.nodes import MOST_ITEMS, NewNode, kept_nodes
from backlit.store.edits.nodes import NodeDeletionExtent as NodeExtent
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import FOR_CUSTOMERS, EntryKind, new_entry
from backlit.store.records.item import Document
from backlit.store.records.people import TreeKind
from backlit.store.sync.deletions import forget
from backlit.store.undo.history import Reversal
from backlit.store.undo.operations import DeleteNodeOperation, FieldChange, IrreversibleNodeChange, NamedItem


def comment(comment_id: int, item_id: int, kind: str = "Service") -> Document:
    words = {"description": f"Comment {comment_id}", "type": kind, "createdBy": "jon"}
    return {"id": comment_id, "workItemId": item_id, "projectId": 1, "createdAt": "2026-03-01T10:00:00.000", **words}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Item 1 with the tasks 2 and 3, and item 4; a comment on each but 3."""
    tasks = [item(each, kind="Task", ParentID=1) for each in (2, 3)]
    with offline_store(tmp_path, [item(1), *tasks, item(4)]) as made:
        for item_id in (1, 2, 4):
            found = [comment(item_id + 10, item_id, FOR_CUSTOMERS if item_id == 2 else "Service")]
            made.files.submit(
                lambda writer, of=item_id, found=found: writer.mirror.comments.replace_all(of, found)  # type: ignore[misc] # bound at once
            ).result()
        yield made


def set_state(store: Store, state: EntryState, **more: object) -> None:
    (entry,) = store.outbox_entries()
    changed = replace(entry, state=state, **more)
    store.files.submit(lambda writer: writer.journal.update(changed)).result()


@pytest.mark.parametrize(
    ("picked", "extent"),
    [
        ([1], ItemDeletionExtent(1, 2, 2, 0)),
        ([1, 2], ItemDeletionExtent(2, 1, 2, 0)),
        ([1, 1, 2, 3, 4], ItemDeletionExtent(4, 0, 3, 0)),
        ([3], ItemDeletionExtent(1, 0, 0, 0)),
        ([], ItemDeletionExtent(0, 0, 0, 0)),
    ],
)
def test_a_deletion_counts_everything_once(store: Store, picked: list[int], extent: ItemDeletionExtent) -> None:
    assert store.deletions.extent(picked) == extent


async def test_a_copy_holds_the_tasks_and_the_comments_of_all(store: Store) -> None:
    await store.deletions.delete_items([1, 4, 1])

    assert [entry.item_id for entry in store.outbox_entries()] == [1, 4]
    copy = copy_of(store, 1)
    assert [each["id"] for each in copy.tasks] == [2, 3]
    assert sorted(str(each["id"]) for each in copy.comments) == ["11", "12"]


async def test_the_first_copy_of_an_item_that_is_gone_stays(store: Store) -> None:
    for name in ("First", "Second"):
        put(store, [{**item(4, Name=name), "lastModifiedAt": f"2026-03-0{len(name)}T10:00:00.000"}])
        store.files.submit(lambda writer: keep_last_copy(writer, 4)).result()
    store.files.submit(lambda writer: keep_last_copy(writer, 99)).result()

    assert copy_of(store, 4).item["fields"]["Name"] == "First"  # type: ignore[index] # an item's
    assert store.files.journal.trash.of_item(99) is None


async def test_an_item_that_is_gone_leaves_a_copy_while_changes_wait(store: Store) -> None:
    await store.items.edit([4], {"Name": "Mine"})

    store.files.submit(lambda writer: forget(writer, {1, 4})).result()

    assert copy_of(store, 4).item["fields"]["Name"] == "Mine"  # type: ignore[index] # an item's
    assert (store.item(4) is None, store.item(1)) == (False, None)


async def test_an_item_made_again_sends_no_empty_values(store: Store) -> None:
    put(store, [item(5, Description="", IsBlocking=False, AssignedToID=None, Tags=[])])
    store.files.submit(lambda writer: keep_last_copy(writer, 5)).result()

    await store.history.create_again(5)

    (entry,) = store.outbox_entries()
    sent = entry.payload["fields"]
    assert isinstance(sent, dict)
    assert (sent.get("IsBlocking"), sent.keys() & {"Description", "AssignedToID", "Tags"}) == (False, set())


async def test_an_item_made_again_and_its_tasks_have_each_their_unsent_values(store: Store) -> None:
    for item_id in (1, 2):
        await store.items.edit([item_id], {"Name": f"Mine {item_id}"})
    store.files.submit(lambda writer: forget(writer, {1, 2, 3})).result()

    await store.history.create_again(1)

    made = [each.payload["fields"] for each in store.outbox_entries() if each.kind is EntryKind.ADD]
    assert [each["Name"] for each in made] == ["Mine 1", "Mine 2", "Item 3"]  # type: ignore[index] # fields


async def test_an_item_is_made_again_with_the_tasks_that_went_with_it(store: Store) -> None:
    await store.items.edit([1], {"Name": "Mine"})
    store.files.submit(lambda writer: forget(writer, {1, 2, 3})).result()

    await store.history.create_again(1)

    entries = store.outbox_entries()
    made = [each.payload["fields"] for each in entries if each.kind is EntryKind.ADD]
    texts = [str(each.payload["text"]) for each in entries if each.kind is EntryKind.COMMENT]
    assert [each["Name"] for each in made] == ["Mine", "Item 2", "Item 3"]  # type: ignore[index] # fields
    assert ["Comment 11" in texts[0], "Comment 12" in texts[1]] == [True, True], texts


async def test_an_unsent_comment_on_a_task_goes_with_the_task_that_is_made_again(store: Store) -> None:
    await store.items.edit([1], {"Name": "Mine"})
    await store.items.comment(3, "On the task")
    store.files.submit(lambda writer: forget(writer, {1, 2, 3})).result()

    await store.history.create_again(1)

    entries = store.outbox_entries()
    tasks = {each.fields["Name"]: each.item_id for each in entries if each.parent_id is not None}
    said = {str(each.payload["text"]): each.item_id for each in entries if each.kind is EntryKind.COMMENT}
    assert said["On the task"] == tasks["Item 3"]
    assert [each.item_id for each in entries if each.item_id > 0] == []


async def test_an_item_made_again_has_its_unsent_comments_and_goes_back_by_undo(store: Store) -> None:
    await store.items.edit([4], {"Name": "Mine"})
    await store.items.comment(4, "For all", for_customers=True)
    store.files.submit(lambda writer: forget(writer, {4})).result()
    heard: list[StoreChange] = []
    store.subscribe(heard.append)

    made = await store.history.create_again(4)

    comments = [(each.item_id, each.payload) for each in store.outbox_entries() if each.kind is EntryKind.COMMENT]
    assert [each for each in comments if each[1]["text"] == "For all"] == [
        (made, {"text": "For all", "type": FOR_CUSTOMERS})
    ]
    assert [each.ids for each in heard if each.renamed == {4: made}] == [frozenset({4, made})]
    assert frozenset({made}) in [each.ids for each in heard if each.kind is Subject.COMMENTS]
    assert store.item(4) is None
    kept = store.outbox_entries()
    told = await store.history.undo()
    assert told is not None
    assert ([each.id for each in told.given_up], store.outbox_entries()) == ([made], ())
    await store.history.redo()
    assert store.outbox_entries() == kept


@pytest.mark.parametrize(
    ("state", "name"),
    [
        (EntryState.WAITING, "Mine"),
        (EntryState.SENDING, "Mine"),
        (EntryState.CONFLICT, "Item 4"),
        (EntryState.REFUSED, "Item 4"),
    ],
)
async def test_a_deletion_expects_the_changes_that_will_be_sent(store: Store, state: EntryState, name: str) -> None:
    await store.items.edit([4], {"Name": "Mine"})
    set_state(store, state)

    await store.deletions.delete_items([4])

    assert store.outbox_entries()[-1].base["Name"] == name


@pytest.mark.parametrize(("comment_id", "kind"), [(11, None), (12, FOR_CUSTOMERS)])
async def test_a_deleted_comment_keeps_its_text_author_and_readers(
    store: Store, comment_id: int, kind: str | None
) -> None:
    await store.deletions.delete_comment(comment_id)

    (entry,) = store.outbox_entries()
    kept = {"id": comment_id, "text": f"Comment {comment_id}", "by": "jon"}
    assert entry.payload == {**kept, **({"type": kind} if kind else {})}


@pytest.mark.parametrize(
    ("known_id", "kinds"), [(None, []), (0, [EntryKind.RECALL])], ids=["never sent", "sent perhaps"]
)
async def test_a_discarded_deletion_is_looked_up_where_it_may_have_been_done(
    store: Store, known_id: int | None, kinds: list[EntryKind]
) -> None:
    await store.deletions.delete_items([4])
    set_state(store, EntryState.WAITING, known_id=known_id)
    (entry,) = store.outbox_entries()

    await store.conflicts.discard(entry.id)

    waiting = store.files.journal.entries.undelivered()
    assert [each.kind for each in waiting] == kinds
    assert [each.payload["of"] for each in waiting] == [entry.id] * len(kinds)


async def test_new_items_take_their_entries_along_and_others_are_deleted_in_the_same_step(store: Store) -> None:
    made = await store.items.add("Story", {"Name": "New"})
    kept = await store.items.add("Story", {"Name": "Kept"})
    await store.items.edit([made], {"Estimate": "3"})

    await store.deletions.delete_items([made, 4])

    assert [(each.kind, each.item_id) for each in store.outbox_entries()] == [
        (EntryKind.ADD, kept),
        (EntryKind.DELETE, 4),
    ]
    assert await store.history.undo()
    assert sorted((each.kind, each.item_id) for each in store.outbox_entries()) == sorted(
        [(EntryKind.ADD, made), (EntryKind.ADD, kept), (EntryKind.EDIT, made)]
    )


@pytest.mark.parametrize("state", [EntryState.SENT, EntryState.DISCARDED])
async def test_a_comment_is_deleted_once(store: Store, state: EntryState) -> None:
    comment_id = await store.items.comment(4, "A slip", for_customers=True)
    set_state(store, state, known_id=0)

    if state is EntryState.DISCARDED:
        assert isinstance(await raised(store.deletions.delete_comment(comment_id)), NotFound)
        return
    await store.deletions.delete_comment(comment_id)
    (entry,) = store.outbox_entries()
    assert (entry.payload["id"], entry.payload["type"]) == (comment_id, FOR_CUSTOMERS)


@pytest.mark.parametrize(("author", "is_own"), [("Maya", True), ("maya ruiz", True), ("jon", False), ("", False)])
def test_an_author_is_the_user_by_either_name(store: Store, author: str, *, is_own: bool) -> None:
    put_nouns(store, user=[{"id": 1, "name": "maya", "displayName": "Maya Ruiz"}])

    assert store.deletions.is_own(author) is is_own


async def test_what_is_discarded_or_unknown_is_not_discarded_again(store: Store) -> None:
    await store.items.edit([4], {"Name": "Mine"})
    (entry,) = store.outbox_entries()
    for entry_id in (entry.id, entry.id, 99):
        await store.conflicts.discard(entry_id)

    assert await store.history.undo()
    assert [each.payload for each in store.outbox_entries()] == [{"Name": "Mine"}]
    assert await store.history.undo()
    assert store.outbox_entries() == ()
    assert await store.history.to_undo() is None


def test_the_extent_of_a_node_counts_its_subtree_in_its_project(tmp_path: Path) -> None:
    documents = [
        item(1, IterationID=22, Estimate="3"),
        item(2, IterationID=23, Estimate="5", Status="Done"),
        item(3, IterationID=23, Estimate="8"),
        item(4, kind="Task", ParentID=1, IterationID=22, Estimate="13"),
        item(5, IterationID=21, Estimate="21"),
        item(6, project=2, IterationID=22, Estimate="34"),
    ]
    with offline_store(tmp_path, documents) as store:
        put_nouns(store, iterations=[node(21, "Root"), node(22, "S", 21), node(23, "S.1", 22)])

        extents = [store.nodes.extent(TreeKind.ITERATIONS, node_id) for node_id in (22, 23)]

    assert extents == [NodeExtent(2, NodeTotals(3, 11.0, 1), 2), NodeExtent(1, NodeTotals(2, 8.0, 0), 1)]


@pytest.mark.parametrize("count", [MOST_ITEMS, MOST_ITEMS + 1])
async def test_the_copy_of_a_node_names_its_items_up_to_a_limit(tmp_path: Path, count: int) -> None:
    with offline_store(tmp_path, [item(number, AreaID=12) for number in range(1, count + 1)]) as store:
        put_nouns(store, areas=[node(11, "Root"), node(12, "A", 11)])
        await store.nodes.delete(TreeKind.AREAS, 12, 11)
        (entry,) = store.outbox_entries()

    is_kept = count <= MOST_ITEMS
    (copy,) = kept_nodes(entry)
    assert copy["items"] == (list(range(1, count + 1)) if is_kept else [])
    assert entry.payload["left"] == (0 if is_kept else count)


@pytest.mark.parametrize(("parent_id", "is_refused"), [(11, False), (12, True)])
async def test_a_rejected_new_node_keeps_only_what_holds_it(
    tmp_path: Path, parent_id: int, *, is_refused: bool
) -> None:
    with offline_store(tmp_path) as store:
        put_nouns(store, areas=[node(11, "Root"), node(12, "A", 11)])
        await store.nodes.add(TreeKind.AREAS, parent_id, NewNode("Rejected"))
        set_state(store, EntryState.REFUSED)

        with pytest.raises(BadRequest) if is_refused else nullcontext():
            await store.nodes.delete(TreeKind.AREAS, 12, 11)

        assert [each.kind for each in store.outbox_entries()] == [
            EntryKind.NODE_ADD,
            *[EntryKind.NODE_DELETE] * (not is_refused),
        ]


async def test_a_deleted_node_gets_back_the_items_that_are_still_where_it_put_them(tmp_path: Path) -> None:
    tree = [node(11, "Root"), node(12, "A", 11), node(13, "B", 11)]
    with offline_store(tmp_path, [item(number, AreaID=12) for number in (1, 2, 3)]) as store:
        put_nouns(store, areas=tree)
        await store.nodes.delete(TreeKind.AREAS, 12, 11)
        set_state(store, EntryState.SENT)
        put_nouns(store, areas=[tree[0], tree[2]])
        later = "2026-03-09T10:00:00.000"
        put(store, [{**item(each, AreaID=area), "lastModifiedAt": later} for each, area in ((1, 11), (2, 13), (3, 11))])

        told = await store.history.to_undo()

        assert told is not None
        assert [(each.item_ids, each.stay) for each in told.nodes_made] == [((1, 3), 1)]


@pytest.mark.parametrize(
    ("payload", "parent_id", "stay", "reason"),
    [
        ({}, 11, 0, ""),
        ({"left": 2}, 11, 2, ""),
        ({"nodes": []}, 11, 0, "there is no copy of it; create it again"),
        ({}, 14, 0, "its parent was deleted; create it again"),
    ],
)
async def test_a_deleted_node_is_made_again_if_its_copy_and_parent_are_there(
    tmp_path: Path, payload: dict[str, object], parent_id: int, stay: int, reason: str
) -> None:
    with offline_store(tmp_path, [item(1, AreaID=12)]) as store:
        put_nouns(store, areas=[node(11, "Root"), node(14, "P", 11), node(12, "A", parent_id)])
        await store.nodes.delete(TreeKind.AREAS, 12, 11)
        (entry,) = store.outbox_entries()
        set_state(store, EntryState.SENT, payload={**entry.payload, **payload})
        put_nouns(store, areas=[node(11, "Root")])
        put(store, [{**item(1, AreaID=11), "lastModifiedAt": "2026-03-09T10:00:00.000"}])

        told = await store.history.to_undo()

        assert told is not None
        assert [each.reason for each in told.final] == ([reason] if reason else [])
        assert [(each.item_ids, each.stay) for each in told.nodes_made] == ([] if reason else [((1,), stay)])
        heard: list[StoreChange] = []
        store.subscribe(heard.append)
        await store.history.undo()
        assert (Subject.TREES in {each.kind for each in heard}) is (not reason)
        assert [each.name for each in store.lookups.tree(TreeKind.AREAS).walk()] == ["Root", "A"][: 1 + (not reason)]


SOME = NamedItem(1, "Story", "One")
NO_ITEMS = DeleteNodeOperation(new_entry(EntryKind.NODE_DELETE, 1, {}), "Root")


@pytest.mark.parametrize(
    ("change", "is_grave", "is_impossible"),
    [
        ({}, False, False),
        ({"item_ids": frozenset({1})}, False, False),
        ({"item_ids": frozenset({1, 2})}, True, False),
        ({"item_ids": frozenset({1, 2}), "moved": (SOME,)}, False, False),
        ({"item_ids": frozenset({1}), "deleted": (SOME,)}, True, False),
        ({"item_ids": frozenset({1}), "made_again": (SOME,)}, True, False),
        ({"item_ids": frozenset({1}), "changes": (FieldChange(1, "Name", "a", "b"),)}, False, False),
        ({"item_ids": frozenset({1}), "changes": (FieldChange(1, "Name", "a", "b", True),)}, True, False),
        ({"item_ids": frozenset({0}), "nodes_deleted": (NO_ITEMS,)}, False, False),
        ({"item_ids": frozenset({0}), "nodes_deleted": (NO_ITEMS, NO_ITEMS)}, True, False),
        ({"item_ids": frozenset({0}), "nodes_deleted": (replace(NO_ITEMS, moved=NodeTotals(0, 0.0, 1)),)}, True, False),
        ({"item_ids": frozenset({0}), "nodes_deleted": (replace(NO_ITEMS, is_changed=True),)}, True, False),
        ({"missing": (1,)}, False, True),
        ({"missing": (1,), "item_ids": frozenset({2})}, False, False),
        ({"final": (IrreversibleNodeChange(new_entry(EntryKind.NODE_EDIT, 1, {}), "gone"),)}, False, True),
    ],
)
def test_an_undo_is_confirmed_or_refused_by_what_it_touches(
    change: dict[str, object], is_grave: bool, is_impossible: bool
) -> None:
    reversal = Reversal(act=1, is_redo=False, **change)  # type: ignore[arg-type] # fields of a reversal

    assert (reversal.is_grave, reversal.is_impossible) == (is_grave, is_impossible)
