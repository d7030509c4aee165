"""Conflicts and rejections in a store without a service: what a resolution writes, and what screens are told."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put, put_nouns
from tests.store.world import raised

from backlit.model.errors import BadRequest
from backlit.store import EntryState, Store
from backlit.store.edits.conflicts import ConflictCase, KeptSide
from backlit.store.edits.deletions import keep_last_copy
from backlit.store.edits.nodes import NewNode
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import FOR_CUSTOMERS, EntryKind, OutboxEntry, new_entry
from backlit.store.records.people import TreeKind


def case_of(store: Store) -> ConflictCase:
    entry = store.outbox_entries()[0]
    case = store.conflicts.case(entry.id)
    assert case is not None
    return case


async def set_last(store: Store, state: EntryState, **more: Any) -> OutboxEntry:
    entry = replace(store.outbox_entries()[-1], state=state, **more)
    await store.files.write(lambda writer: writer.journal.update(entry))
    return entry


SECOND, THIRD = {"Name": "Second", "Tags": ["b"]}, {"Name": "Third"}
REST = ({"Estimate": "3"}, {"Estimate": None})


@pytest.mark.parametrize(
    ("decision", "later", "waiting"),
    [
        (KeptSide.MINE, None, [({"Tags": ["b"]}, {"Tags": None}), REST, ({"Name": "Second"}, {"Name": "Theirs"})]),
        (KeptSide.THEIRS, None, [({"Tags": ["b"]}, {"Tags": None}), REST]),
        (KeptSide.THEIRS, THIRD, [({"Tags": ["b"]}, {"Tags": None}), REST, (THIRD, {"Name": "Second"})]),
        (
            "Both",
            THIRD,
            [
                ({"Name": "Both", "Estimate": "3"}, {"Name": "Theirs", "Estimate": None}),
                ({"Tags": ["b"]}, {"Tags": None}),
                (THIRD, {"Name": "Second"}),
            ],
        ),
    ],
)
async def test_a_resolution_settles_the_field_in_the_edits_that_were_shown(
    tmp_path: Path, decision: object, later: Mapping[str, object] | None, waiting: Sequence[tuple[object, object]]
) -> None:
    heard: list[StoreChange] = []
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine", "Estimate": "3"})
        await set_last(store, EntryState.CONFLICT, theirs={"Name": "Theirs"}, reason="No.", attempts=2)
        put(store, [{**item(1, Name="Theirs"), "lastModifiedAt": "2026-03-02T10:00:00.000"}])
        await store.items.edit([1], SECOND)
        case = case_of(store)
        if later:
            await store.items.edit([1], later)
        shown = store.item(1)
        store.subscribe(heard.append)

        await store.conflicts.resolve(case, {"Name": decision})

        found = store.outbox_entries()
        assert sorted([(each.payload, each.base) for each in found], key=repr) == sorted(waiting, key=repr)
        assert {(each.state, each.reason, each.attempts) for each in found} == {(EntryState.WAITING, "", 0)}
        assert StoreChange(Subject.ITEMS, frozenset({1}), frozenset({"sign"}), is_own=True) in heard
        assert StoreChange(Subject.OUTBOX, is_own=True) in heard
        if later is None:
            await store.history.undo()
            again = store.item(1)
            assert again is not None
            assert shown is not None
            assert again.fields == shown.fields


@pytest.mark.parametrize("more", [{"state": EntryState.REFUSED}, {"payload": {"Name": "Another"}}])
async def test_a_case_that_changed_meanwhile_is_not_resolved(tmp_path: Path, more: dict[str, Any]) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        await set_last(store, EntryState.CONFLICT, theirs={"Name": "Theirs"})
        case = case_of(store)
        changed = await set_last(store, **{"state": EntryState.CONFLICT, **more})

        error = await raised(store.conflicts.resolve(case, {"Name": KeptSide.THEIRS}))

        assert "already resolved" in str(error)
        assert store.outbox_entries() == (changed,)


@pytest.mark.parametrize(
    ("decisions", "faults", "fields"),
    [
        ({"Name": KeptSide.THEIRS}, {"Name"}, {}),
        ({"ParentID": KeptSide.THEIRS}, {"ParentID"}, {}),
        ({"Name": " "}, {"Name"}, {}),
        ({"Name": KeptSide.MINE}, set(), {"Name": "Mine", "ParentID": 1, "WorkRemaining": 2.0}),
        ({"WorkRemaining": KeptSide.THEIRS, "ParentID": 2}, set(), {"Name": "Mine", "ParentID": 2}),
    ],
)
async def test_a_rejected_new_item_keeps_what_it_needs(
    tmp_path: Path, decisions: Mapping[str, object], faults: set[str], fields: Mapping[str, object]
) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.items.add("Task", {"Name": "Mine", "ParentID": 1, "WorkRemaining": 2.0})
        await set_last(store, EntryState.REFUSED, reason="No.")
        case = case_of(store)
        wanted = {**dict.fromkeys((each.key for each in case.fields), KeptSide.MINE), **decisions}
        if faults:
            error = await raised(store.conflicts.resolve(case, wanted))

            assert isinstance(error, BadRequest)
            assert error.errors.keys() == faults
            return
        await store.conflicts.resolve(case, wanted)

        (entry,) = store.outbox_entries()
        assert (case.item_type, entry.fields, entry.state) == ("Task", fields, EntryState.WAITING)


async def test_a_decided_value_is_sent_as_the_interface_has_it(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Estimate": "3"})
        await set_last(store, EntryState.CONFLICT, theirs={"Estimate": "5"})

        await store.conflicts.resolve(case_of(store), {"Estimate": 8})

        assert [each.payload for each in store.outbox_entries()] == [{"Estimate": "8"}]


async def test_a_rewritten_comment_keeps_its_readers_and_is_shown(tmp_path: Path) -> None:
    heard: list[StoreChange] = []
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.comment(1, "Hello", for_customers=True)
        entry = await set_last(store, EntryState.REFUSED, reason="No.", attempts=4)
        store.subscribe(heard.append)

        await store.conflicts.rewrite(entry.id, "Other words")

        (again,) = store.outbox_entries()
        assert again.payload == {"text": "Other words", "type": FOR_CUSTOMERS}
        assert (again.state, again.reason, again.attempts) == (EntryState.WAITING, "", 0)
        assert StoreChange(Subject.COMMENTS, frozenset({1}), is_own=True) in heard


@pytest.mark.parametrize(
    ("kind", "state", "is_gone"),
    [
        (EntryKind.EDIT, EntryState.REFUSED, True),
        (EntryKind.COMMENT, EntryState.REFUSED, True),
        (EntryKind.EDIT, EntryState.CONFLICT, False),
        (EntryKind.DELETE, EntryState.REFUSED, False),
    ],
)
async def test_only_a_rejection_for_a_gone_item_says_that_it_is_gone(
    tmp_path: Path, kind: EntryKind, state: EntryState, *, is_gone: bool
) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.files.write(lambda writer: keep_last_copy(writer, 1))
        on = [replace(new_entry(kind, 1, {"Name": "Mine"}, item_id), state=state) for item_id in (1, 2)]

        assert [store.conflicts.is_gone(each) for each in on] == [is_gone, False]


async def test_a_discarded_entry_takes_along_what_needs_it_and_is_told(tmp_path: Path) -> None:
    heard: list[StoreChange] = []
    with offline_store(tmp_path, [item(1, AreaID=12)]) as store:
        put_nouns(store, areas=[node(11, "Root"), node(12, "A", 11)])
        area = await store.nodes.add(TreeKind.AREAS, 11, NewNode("New"))
        below = await store.nodes.add(TreeKind.AREAS, area, NewNode("Below"))
        await store.nodes.edit(TreeKind.AREAS, below, {"name": "Renamed"})
        await store.items.edit([1], {"AreaID": below})
        await store.items.edit([1], {"AreaID": area, "Name": "Mine"})
        await store.items.comment(1, "Look")
        new_id = await store.items.add("Story", {"Name": "New", "AreaID": below})
        first, *_, comment, new = store.outbox_entries()
        store.subscribe(heard.append)
        told: list[set[Subject]] = []
        kept: list[list[tuple[object, object]]] = []

        for each in (comment, first, new):
            heard.clear()
            await store.conflicts.discard(each.id)
            told.append({change.kind for change in heard})
            kept.append([(entry.fields, entry.base) for entry in store.outbox_entries()])

        mine = ({"Name": "Mine"}, {"Name": "Item 1"})
        assert told == [
            {Subject.COMMENTS, Subject.OUTBOX},
            {Subject.ITEMS, Subject.TREES, Subject.OUTBOX},
            {Subject.ITEMS, Subject.OUTBOX},
        ]
        assert kept[1:] == [[mine, ({"Name": "New"}, {})], [mine]]
        assert StoreChange(Subject.ITEMS, frozenset({new_id}), is_own=True) in heard
        shown = store.item(1)
        assert shown is not None
        assert (shown.fields["AreaID"], shown.fields["Name"], store.item(new_id)) == (12, "Mine", None)
