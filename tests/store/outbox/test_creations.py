"""New items whose answers were lost: looked for before they are sent again, and found once or left to the user."""

import time
from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace
from tests.store.documents import item
from tests.store.outbox.entries import comment, edit, from_number, story, temporary
from tests.store.outbox.outboxes import items, journalled, outbox_of, states, writes
from tests.store.reading import Begin
from tests.store.world import Said

from backlit.store import EntryState
from backlit.store.outbox.queue import Outbox
from backlit.store.records.entry import EntryKind, new_entry
from backlit.store.remote.reachability import RetryPauses

PATIENT = RetryPauses(first_pause=60.0, longest_pause=60.0, in_transit=10.0)
LATER = "2026-03-02T10:00:00.000"
RENAMED = {"lastModifiedAt": LATER}
DOUBT = "The item may already exist as #6 or #5, renamed since. If not, send it again."


@pytest.mark.parametrize(
    ("found", "rivals", "outcome"),
    [
        ({}, 0, ["POST workitems"]),
        ({5: {}}, 0, ["POST workitems"]),
        ({5: {"Name": "New"}}, 0, 5),
        ({5: {"Name": "New"}, 6: {"Name": "New"}}, 0, 5),
        ({5: {"Name": "New"}, 6: {"Name": " New "}}, 0, 5),
        ({5: {"Name": "New"}, 6: {"Name": "New", "Estimate": "3"}}, 0, 6),
        ({4: {"Name": "New"}}, 0, ["POST workitems"]),
        ({5: {"Name": "New", "createdBy": "jon"}}, 0, ["POST workitems"]),
        ({5: {"Name": "New", "createdBy": "PAT"}}, 0, 5),
        ({5: {"Name": "New", "kind": "Bug"}}, 0, ["POST workitems"]),
        ({5: RENAMED}, 0, 5),
        ({5: {**RENAMED, "kind": "Bug"}}, 0, ["POST workitems"]),
        ({5: RENAMED, 6: RENAMED}, 0, DOUBT),
        ({5: RENAMED}, 1, DOUBT.replace("#6 or ", "")),
        ({5: {**RENAMED, "Name": "Rival 0"}}, 1, ["POST workitems"]),
    ],
)
async def test_a_new_item_is_found_by_its_author_kind_and_name(
    begin: Begin, found: Mapping[int, Mapping[str, Any]], rivals: int, outcome: object
) -> None:
    reading = await begin()
    store = reading.store
    outbox = await outbox_of(reading, items(1))
    users = [{"id": 4, "name": "jon"}, {"id": 3, "name": "pat"}, {"id": 9, "name": "patricia", "displayName": "Pat"}]
    await store.files.write(lambda writer: writer.mirror.put_resources("user", 0, users))
    entries = await journalled(store, story(), *(story(f"Rival {each}") for each in range(rivals)))
    first, *others = [replace(each, known_id=4) for each in entries]
    first = replace(first, payload={**first.payload, "fields": {"Name": "New", "Estimate": "3"}})
    held = [replace(each, state=EntryState.REFUSED) for each in others]
    await store.files.write(lambda writer: writer.journal.update_all([first, *held]))
    for item_id, values in found.items():
        top = {key: values[key] for key in ("createdBy", "lastModifiedAt") if key in values}
        fields = {key: value for key, value in values.items() if key not in top}
        made = {**item(item_id, project=7, **fields), "createdBy": "pat", **top}
        reading.server.items[item_id] = made

    await outbox.send()

    assert writes(reading) == (outcome if isinstance(outcome, list) else [])
    left = [each for each in store.outbox_entries() if each.id == first.id]
    assert [(each.state, each.reason, each.known_id) for each in left] == (
        [(EntryState.REFUSED, outcome, None)] if isinstance(outcome, str) else []
    )
    if isinstance(outcome, int):
        assert store.files.journal.renames.followed(first.temporary_id) == outcome


@pytest.mark.parametrize(
    ("answer", "took", "waits"),
    [
        (Said(500, body=b'{"message": "Broken."}'), 0.0, 10.0),
        (Said(200, body=b'{"id": 0}'), 0.0, 10.0),
        (Said(500, body=b'{"message": "Broken."}'), 20.0, 20.0),
        (Said(500, body=b'{"message": "Broken."}'), 90.0, 30.0),
    ],
)
async def test_a_lost_request_may_arrive_for_as_long_as_its_answer_took(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, answer: Said, took: float, waits: float
) -> None:
    later, real = 0.0, time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + later)
    reading = await begin()
    outbox = await outbox_of(reading, items(1), PATIENT)
    await journalled(reading.store, story())
    reading.faults.says = lambda method, _: answer if method == "POST" else None

    async def pass_time(method: str, _path: str) -> None:
        nonlocal later
        later += took if method == "POST" else 0.0

    reading.faults.before = pass_time
    posts = []
    await outbox.send()
    for pause in (0.0, waits - 2.0, 4.0):
        later += pause
        outbox.hurry()
        await outbox.send()
        posts.append(reading.faults.count("POST"))

    assert posts == [1, 1, 2]


async def test_a_creation_before_the_start_may_still_arrive(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    later, real = 0.0, time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + later)
    reading = await begin()
    await outbox_of(reading, items(1))
    (entry,) = await journalled(reading.store, story())
    await reading.store.files.write(lambda writer: writer.journal.update(replace(entry, known_id=1)))
    outbox = Outbox(reading.client, reading.store.files, PATIENT)
    found = []

    for later in (0.0, 8.0, 12.0):  # noqa: B007 # the clock reads it
        outbox.hurry()
        await outbox.send()
        found.append(writes(reading))

    assert found == [[], [], ["POST workitems"]]


async def test_a_delivered_deletion_discards_what_waits_for_the_item(begin: Begin) -> None:
    reading = await begin()
    store = reading.store
    outbox = await outbox_of(reading, items(1, 2))
    await from_number(store, 1_000)
    below, held = story(state=EntryState.REFUSED, ParentID=1), edit(1, EntryState.CONFLICT)
    remove = new_entry(EntryKind.DELETE, 7, {"name": "Item 1"}, 1, {"Name": "Item 1"})
    await journalled(store, below, held, edit(2, EntryState.CONFLICT), remove)
    await store.files.write(
        lambda writer: writer.mirror.lay_over([1, temporary(0)], writer.journal.entries.undelivered())
    )

    await outbox.send()

    assert [(each.kind, each.item_id) for each in store.outbox_entries()] == [(EntryKind.EDIT, 2)]
    assert (reading.ids(), sorted(reading.server.items)) == ([2], [2])


async def test_a_rejected_item_that_was_deleted_takes_everything_along(begin: Begin) -> None:
    reading = await begin()
    store = reading.store
    outbox = await outbox_of(reading, items(1))
    await from_number(store, 1_000)
    remove = new_entry(EntryKind.DELETE, 7, {"name": "New"}, temporary(0))
    await journalled(store, story(), story("Below", ParentID=temporary(0)), comment(temporary(0)), comment(1), remove)
    reading.faults.says = lambda method, path: Said(400) if (method, path[-9:]) == ("POST", "workitems") else None

    await outbox.send()

    assert (states(store), reading.ids()) == ([], [1])
    assert [each["workItemId"] for each in reading.server.comments.values()] == [1]


async def test_a_comment_that_was_gone_is_shown_once(begin: Begin) -> None:
    reading = await begin()
    store = reading.store
    outbox = await outbox_of(reading, items(1))
    said = {"id": 5, "workItemId": 1, "projectId": 7, "description": "Keep this"}
    await store.files.write(lambda writer: writer.mirror.comments.put([said]))
    await store.deletions.delete_comment(5)
    unclear = replace(store.outbox_entries()[0], known_id=0)
    await store.files.write(lambda writer: writer.journal.update(unclear))
    await store.history.undo()

    await outbox.send()

    assert [each.text for each in store.comments.of_item(1)] == ["Keep this"]
    assert [each["description"] for each in reading.server.comments.values()] == ["Keep this"]
    steps = await store.files.write(
        lambda writer: writer.journal.file.execute("SELECT count(*) FROM withdrawn").fetchone()[0]
    )
    assert steps == 0
