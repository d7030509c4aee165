"""Entries of the outbox, with numbers that are known."""

from msgspec.structs import replace

from backlit.store import EntryState, Store
from backlit.store.files.files import WriteContext
from backlit.store.records.entry import EntryKind, OutboxEntry, new_comment, new_entry
from backlit.store.records.entry_values import TEMPORARY_IDS

_FIRST = 1_000
"""The first entry's number in each case."""


def temporary(number: int) -> int:
    """Return the temporary id of a case's entry, counted from 0."""
    return TEMPORARY_IDS + _FIRST + number


def edit(item_id: int = 1, state: EntryState = EntryState.WAITING, **values: object) -> OutboxEntry:
    values = values or {"Name": "Mine"}
    return replace(new_entry(EntryKind.EDIT, 7, values, item_id, {"Name": f"Item {item_id}"}), state=state)


def story(name: str = "New", state: EntryState = EntryState.WAITING, project: int = 7, **fields: object) -> OutboxEntry:
    payload = {"type": "Task" if fields else "Story", "projectId": project, "fields": {"Name": name, **fields}}
    return replace(new_entry(EntryKind.ADD, project, payload), state=state)


def comment(item_id: int = 1, state: EntryState = EntryState.WAITING) -> OutboxEntry:
    return replace(new_comment(7, item_id, "Look"), state=state)


async def from_number(store: Store, number: int) -> None:
    """Empty the journal, and give the next entry a number."""

    def act(writer: WriteContext) -> None:
        for table in ("entries", "sqlite_sequence"):
            writer.journal.file.execute(f"DELETE FROM {table}")
        writer.journal.file.execute("INSERT INTO sqlite_sequence VALUES ('entries', ?)", (number - 1,))

    await store.files.write(act)
