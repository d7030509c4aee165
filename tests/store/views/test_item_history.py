"""The history of an item: whose events it names, and in which order."""

from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, offline_store

from backlit.store import EntryState, Store
from backlit.store.views.item_history import EventKind

COMMENT = {"id": 5, "projectId": 1, "workItemId": 1, "description": "A word", "createdBy": "jon"}
FILE = {"id": 6, "projectId": 1, "workItemId": 1, "name": "plan.pdf", "createdBy": "eve", "size": 3}


def events(store: Store) -> list[tuple[EventKind, str, str]]:
    found = store.item(1)
    assert found is not None
    history = store.item_history.of_item(found)
    assert [each.id for each in history] == list(range(1, len(history) + 1))
    return [(each.kind, each.author, each.text) for each in history]


def test_events_of_the_service_come_the_latest_first(tmp_path: Path) -> None:
    document = item(1) | {"lastModifiedBy": "ada", "lastModifiedAt": "2026-03-04T10:00:00.000"}
    with offline_store(tmp_path, [document]) as store:
        comment, file = COMMENT | {"createdAt": "2026-03-02T10:00:00"}, FILE | {"createdAt": "2026-03-03T10:00:00"}

        store.files.submit(lambda writer: writer.mirror.comments.put([comment])).result()
        store.files.submit(lambda writer: writer.mirror.attachments.put([file])).result()

        assert events(store) == [
            (EventKind.EDITED, "ada", ""),
            (EventKind.ATTACHED, "eve", "plan.pdf"),
            (EventKind.COMMENTED, "jon", "A word"),
            (EventKind.CREATED, "maya", "Story"),
        ]


def test_files_of_one_author_and_minute_share_an_event(tmp_path: Path) -> None:
    made = [
        FILE | {"id": number, "name": f"{number}.txt", "createdBy": author, "createdAt": f"2026-03-03T10:0{minute}:07"}
        for number, author, minute in ((1, "eve", 0), (2, "eve", 0), (3, "jon", 0), (4, "jon", 1))
    ]
    with offline_store(tmp_path, [item(1)]) as store:
        store.files.submit(lambda writer: writer.mirror.attachments.put(made)).result()

        attached = [
            (author, sorted(text.split(", "))) for kind, author, text in events(store) if kind is EventKind.ATTACHED
        ]
        assert sorted(attached) == [("eve", ["1.txt", "2.txt"]), ("jon", ["3.txt"]), ("jon", ["4.txt"])]


@pytest.mark.parametrize(("minutes", "is_told"), [(0, False), (2, False), (3, True)])
def test_the_last_change_is_told_unless_another_event_explains_it(tmp_path: Path, minutes: int, is_told: bool) -> None:
    changed = {"lastModifiedBy": "jon", "lastModifiedAt": datetime(2026, 3, 1, 10, minutes).isoformat()}
    with offline_store(tmp_path, [item(1) | changed]) as store:
        assert ((EventKind.EDITED, "jon", "") in events(store)) is is_told


async def test_own_edits_are_told_with_their_values_until_they_are_discarded(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        await store.items.edit([1], {"Estimate": "3"})
        await store.items.edit([2], {"Name": "Another"})
        await store.history.undo()
        await store.history.undo()
        found = store.item(1)
        assert found is not None

        latest, created = store.item_history.of_item(found)

        assert (latest.kind, latest.state, created.kind) == (EventKind.CHANGED, EntryState.WAITING, EventKind.CREATED)
        assert [(each.key, each.before, each.after) for each in latest.fields] == [("Name", "Item 1", "Mine")]
        (entry,) = store.outbox_entries()
        await store.files.write(lambda writer: writer.journal.update(replace(entry, state=EntryState.REFUSED)))
        assert store.item_history.of_item(found)[0].state is EntryState.REFUSED
