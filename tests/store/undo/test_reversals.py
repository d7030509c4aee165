"""Undo in a store without a service: what it tells before and writes after, for each kind of entry and its state."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import asdict, replace
from tests.store.documents import item, offline_store, put

from backlit.store import EntryState, Store
from backlit.store.edits.items import ItemWithTasks
from backlit.store.files.files import WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import FOR_CUSTOMERS, EntryKind, OutboxEntry, new_entry
from backlit.store.undo.history import Reversal
from backlit.store.undo.operations import FieldChange, NamedItem, NamedObject

LATER = "2026-03-09T10:00:00.000"
Act = Callable[[Store, int], Awaitable[object]]
SENT, WAITING, REFUSED, CONFLICT = EntryState.SENT, EntryState.WAITING, EntryState.REFUSED, EntryState.CONFLICT
UNCLEAR: dict[str, Any] = {"known_id": 0}


async def lose(store: Store, *item_ids: int) -> None:
    await store.files.write(lambda writer: writer.mirror.delete_items(item_ids))


async def settle(store: Store, count: int, state: EntryState, made: int = 0, **more: Any) -> None:
    """Set the state of the latest entries. New objects get ids from `made` on."""

    def act(writer: WriteContext) -> None:
        for at, each in enumerate(writer.journal.entries.undelivered()[-count:]):
            if state is not SENT:
                writer.journal.update(replace(each, state=state, **more))
                continue
            if each.kind is EntryKind.ADD:
                document = item(made + at, kind=str(each.payload["type"]), **cast("dict[str, Any]", each.fields))
                writer.mirror.put_items([document], ())
            writer.journal.deliver(each, made + at if made else None)
            writer.mirror.remove_items([each.temporary_id])

    await store.files.write(act)


async def edited(
    store: Store, at: int, state: EntryState = WAITING, is_gone: bool = False, now: object = None, **more: Any
) -> None:
    """Edit two fields. `now` holds the fields that the service has by now."""
    await store.items.edit([at], {"Name": "Mine", "Estimate": "5"})
    await settle(store, 1, state, **more)
    if isinstance(now, dict):
        put(store, [{**item(at, **{"Name": "Old", **now}), "lastModifiedAt": LATER}])
    if is_gone:
        await lose(store, at)


async def added(
    store: Store, at: int, state: EntryState = WAITING, kind: str = "Story", is_gone: bool = False, **more: Any
) -> None:
    await store.items.add_families([ItemWithTasks(kind, {"Name": "New"}, [{"Name": "Below"}])])
    await settle(store, 2, state, at + 5, **more)
    if is_gone:
        await lose(store, at + 5, at + 6)


async def commented(store: Store, at: int, state: EntryState = WAITING, is_gone: bool = False, **more: Any) -> None:
    await store.items.comment(at, "Look", for_customers=True)
    await settle(store, 1, state, at + 5, **more)
    if is_gone:
        await lose(store, at)


async def deleted(
    store: Store, at: int, state: EntryState = WAITING, is_task: bool = False, has_copy: bool = True, **more: Any
) -> None:
    await store.deletions.delete_items([at + is_task])
    await settle(store, 1, state, **more)
    if state is SENT:
        await lose(store, at, at + 1)
    if not has_copy:
        await store.files.write(lambda writer: writer.journal.file.execute("DELETE FROM trash"))


async def uncommented(store: Store, at: int, state: EntryState = WAITING, is_gone: bool = False, **more: Any) -> None:
    words = {"description": "Old words", "type": FOR_CUSTOMERS, "createdBy": "jon"}
    comment = {"id": at + 5, "workItemId": at, "projectId": 1, "createdAt": LATER, **words}
    await store.files.write(lambda writer: writer.mirror.comments.replace_all(at, [comment]))
    await store.deletions.delete_comment(at + 5)
    await settle(store, 1, state, **more)
    if is_gone:
        await lose(store, at)


async def moved(store: Store, at: int, state: EntryState = WAITING, is_gone: bool = False) -> None:
    entry = new_entry(EntryKind.RANK, 1, {"beside": [["top", 0]]}, at, {"beside": [["after", at + 2]]})
    await store.files.write(lambda writer: writer.journal.add([replace(entry, state=state)]))
    if is_gone:
        await lose(store, at)


async def half_sent(store: Store, at: int) -> None:
    await store.items.edit([at, at + 1], {"Name": "Mine"})
    first, _ = store.outbox_entries()[-2:]
    await store.files.write(lambda writer: writer.journal.deliver(first))
    put(store, [{**item(at, Name="Mine"), "lastModifiedAt": LATER}])


BACK = [("Name", "Mine", "Old"), ("Estimate", "5", None)]
MISSING: dict[str, Sequence[object]] = {"missing": [0]}
TOLD_NEW = {"given_up": ["Below", "New"]}
UNLIKE = frozenset({"deletion rejected", "comment sent"})
"""Cases whose redo shows another state than the act: a deletion that waits, and a comment that the list lacked."""
REDONE: Mapping[str, Mapping[str, Sequence[object]]] = {
    "edit": {"changes": [("Name", "Old", "Mine"), ("Estimate", None, "5")]},
    "new items": {"returned": ["New", "Below"]},
    "deletion sent perhaps": {"deleted": ["Old"]},
    "deleted comment sent perhaps": {"objects_deleted": ["Old words"]},
}
"""What a redo tells, for some of the cases."""
CASES: Mapping[str, tuple[Act, Mapping[str, Sequence[object]], Sequence[object]]] = {
    "edit": (edited, {"changes": BACK}, ["-edit"]),
    "edit sent": (
        partial(edited, state=SENT, now={"Name": "Mine", "Estimate": "5"}),
        {"changes": BACK},
        [("edit", {"Name": "Old", "Estimate": None}, {"Name": "Mine", "Estimate": "5"})],
    ),
    "edit sent, changed by another": (
        partial(edited, state=SENT, now={"Name": "Jon's", "Estimate": "5"}),
        {"changes": [("Estimate", "5", None), ("Name", "Jon's", "Old", "contested")]},
        [("edit", {"Name": "Old", "Estimate": None}, {"Name": "Mine", "Estimate": "5"})],
    ),
    "edit sent, changed back": (
        partial(edited, state=SENT, now={"Estimate": "5"}),
        {"changes": [("Estimate", "5", None)]},
        [("edit", {"Estimate": None}, {"Estimate": "5"})],
    ),
    "edit sent perhaps": (
        partial(edited, **UNCLEAR),
        {"changes": BACK},
        [("edit", {"Name": "Old", "Estimate": None}, {"Name": "Mine", "Estimate": "5"})],
    ),
    "edit in conflict": (
        partial(edited, state=CONFLICT, theirs={"Name": "Jon's"}, now={"Name": "Jon's"}),
        {"changes": [("Name", "Mine", "Jon's"), ("Estimate", "5", None)]},
        ["-edit"],
    ),
    "edit rejected in part": (
        partial(edited, state=REFUSED, now={"Estimate": "5"}),
        {"changes": BACK},
        ["-edit", ("edit", {"Estimate": None}, {"Estimate": "5"})],
    ),
    "edit rejected": (partial(edited, state=REFUSED), {"changes": BACK}, ["-edit"]),
    "edit of a deleted item": (partial(edited, state=SENT, is_gone=True), MISSING, []),
    "edits of two items, one sent": (
        half_sent,
        {"changes": [("Name", "Mine", "Task"), ("Name", "Mine", "Old")]},
        ["-edit", ("edit", {"Name": "Old"}, {"Name": "Mine"})],
    ),
    "new items": (added, TOLD_NEW, ["-add", "-add"]),
    "new items rejected": (partial(added, state=REFUSED), TOLD_NEW, ["-add", "-add"]),
    "new items sent": (
        partial(added, state=SENT),
        {"changes": [("Status", "Not Done", "Deleted")] * 2},
        [("edit", {"Status": "Deleted"}, {"Status": "Not Done"})] * 2,
    ),
    "new items of a type without a deleted status": (
        partial(added, state=SENT, kind="Feedback"),
        {"changes": [("Status", "Not Done", "Deleted")], "deleted": ["New"]},
        [("edit", {"Status": "Deleted"}, {"Status": "Not Done"}), "delete"],
    ),
    "new items sent and gone": (partial(added, state=SENT, is_gone=True), {"missing": [6, 5]}, []),
    "comment": (commented, {"objects_deleted": ["Look"]}, ["-comment"]),
    "comment sent": (
        partial(commented, state=SENT),
        {"objects_deleted": ["Look"]},
        [("delete comment", {"id": 5, "text": "Look", "by": None, "type": FOR_CUSTOMERS}, {})],
    ),
    "comment on a deleted item": (partial(commented, state=SENT, is_gone=True), MISSING, []),
    "deletion": (deleted, {"returned": ["Old"]}, ["-delete"]),
    "deletion rejected": (partial(deleted, state=REFUSED), {"returned": ["Old"]}, ["-delete"]),
    "deletion sent": (partial(deleted, state=SENT), {"made_again": ["Old"]}, ["add", "add"]),
    "deletion sent perhaps": (partial(deleted, **UNCLEAR), {"recalled": ["delete"]}, ["-delete", "recall"]),
    "deletion without a copy": (partial(deleted, state=SENT, has_copy=False), MISSING, []),
    "deletion of a task whose item is gone": (partial(deleted, state=SENT, is_task=True), {"missing": [1]}, []),
    "deleted comment": (uncommented, {"objects_made_again": ["Old words"]}, ["-delete comment"]),
    "deleted comment sent": (
        partial(uncommented, state=SENT),
        {"objects_made_again": ["Old words"]},
        [("comment", {"text": "Old words", "type": FOR_CUSTOMERS}, {})],
    ),
    "deleted comment sent perhaps": (
        partial(uncommented, **UNCLEAR),
        {"recalled": ["delete comment"]},
        ["-delete comment", "recall"],
    ),
    "deleted comment of a deleted item": (partial(uncommented, state=SENT, is_gone=True), MISSING, []),
    "move": (moved, {"moved": ["Old"]}, [("rank", [["after", 2]])]),
    "move rejected": (partial(moved, state=REFUSED), {}, ["-rank"]),
    "move on this machine": (
        partial(moved, state=EntryState.KEPT),
        {"moved": ["Old"]},
        [("kept rank", [["after", 2]])],
    ),
    "move of a deleted item": (partial(moved, is_gone=True), MISSING, []),
}


@pytest.mark.slow
async def test_an_undo_tells_what_it_then_writes_and_a_redo_brings_back(tmp_path: Path) -> None:
    done = {}
    with offline_store(tmp_path) as store:
        heard: list[StoreChange] = []
        store.subscribe(heard.append)
        for number, (name, (act, effects, _)) in enumerate(CASES.items()):
            at = 1_000 * (number + 1)
            put(store, [item(at, Name="Old"), item(at + 1, kind="Task", Name="Task", ParentID=at), item(at + 2)])
            await act(store, at)
            shown = [await everything(store)]
            offered = await store.history.to_undo()
            before = await journal(store)
            heard.clear()

            undone = await store.history.undo()

            assert offered is not None, name
            assert undone is not None, name
            assert told(undone, at) == told(offered, at), name
            done[name] = [told(offered, at), written(before, await journal(store), at)]
            kinds = {each.kind for each in heard}
            is_done = "missing" not in effects
            assert (undone.is_impossible, Subject.OUTBOX in kinds) == (not is_done, is_done), name
            assert (Subject.COMMENTS in kinds) is ("comment" in str(done[name][1])), name
            shown.append(await everything(store))
            redone = await store.history.redo()
            assert (redone is not None) is is_done, name
            assert name not in REDONE or (redone and told(redone, at)) == REDONE[name], name
            shown.append(await everything(store))
            assert (await store.history.undo() is not None) is is_done, name
            shown.append(await everything(store))
            assert shown[2] == shown[0] or name in UNLIKE, name
            assert shown[3] == shown[1], name
            for table in ("entries", "steps", "withdrawn", "shared"):
                await store.files.write(lambda writer, table=table: writer.journal.file.execute(f"DELETE FROM {table}"))  # type: ignore[misc] # bound at once

    assert done == {name: expected for name, (_, *expected) in CASES.items()}


async def everything(store: Store) -> list[tuple[object, ...]]:
    """Return the shown items and comments."""
    sql = "SELECT name, status, points FROM items ORDER BY name, status"
    texts = "SELECT text, is_internal FROM comments ORDER BY 1"
    return await store.files.write(
        lambda writer: [row for each in (sql, texts) for row in writer.mirror.connection.execute(each).fetchall()]
    )


async def journal(store: Store) -> dict[int, OutboxEntry]:
    return {each.id: each for each in await store.files.write(lambda writer: writer.journal.entries.select("1", ()))}


def told(reversal: Reversal, at: int) -> dict[str, list[object]]:
    """Return the effects that there are. Ids count from an item's."""
    unseen = {"act", "is_redo", "new_ids", "item_ids"}
    return {
        key: [_short(each, at) for each in effects]
        for key, effects in asdict(reversal).items()
        if key not in unseen and effects
    }


def _short(effect: object, at: int) -> object:
    match effect:
        case FieldChange(_, key, before, after, is_contested):
            return (key, before, after, "contested") if is_contested else (key, before, after)
        case NamedItem():
            return effect.name
        case NamedObject():
            return effect.text
        case OutboxEntry():
            return effect.kind.value
        case int():
            return effect - at
    return effect


def written(before: Mapping[int, OutboxEntry], after: Mapping[int, OutboxEntry], at: int) -> list[object]:
    """Return the new entries, and those that were discarded with a minus."""
    found: list[object] = []
    for each in after.values():
        kind, payload = each.kind.value, dict(each.payload)
        if each.id in before and each.state is EntryState.DISCARDED is not before[each.id].state:
            found.append(f"-{kind}")
        elif each.id in before:
            assert each == before[each.id]
        elif each.kind is EntryKind.RANK:
            beside = [[where, neighbour_id - at] for where, neighbour_id in payload["beside"]]  # type: ignore[attr-defined]
            found.append((kind if each.state is WAITING else f"{each.state.value} {kind}", beside))
        elif each.kind in {EntryKind.EDIT, EntryKind.COMMENT, EntryKind.DELETE_COMMENT}:
            found.append((kind, {**payload, **({"id": 5} if payload.get("id") == at + 5 else {})}, dict(each.base)))
        else:
            found.append(kind)
    return found
