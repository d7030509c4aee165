"""Logged work on a task: two fields in one checked change, and a comment."""

import argparse
import asyncio
import time

from backlit.cli.synced import synced_store
from backlit.model.errors import BacklitError, BadRequest, NotFound
from backlit.model.fields import ItemType
from backlit.model.hours import hours_of, hours_text
from backlit.model.plain import plain
from backlit.store.edits.work_log import COMPLETED, REMAINING, Work, type_named
from backlit.store.records.changes import ConnectionState
from backlit.store.records.entry import EntryState
from backlit.store.records.item import Item
from backlit.store.store import Store

LOOK_EVERY = 0.1
PATIENCE = 60.0
"""Seconds to wait for the service."""
_HELD = {EntryState.REFUSED, EntryState.CONFLICT}


def run(arguments: argparse.Namespace) -> None:
    """Print the change; without --dry-run, save it and wait for the service."""
    hours = hours_of(arguments.hours)
    remaining = None if arguments.remaining is None else hours_of(arguments.remaining, "Remaining", least=0.0)
    with synced_store(arguments) as store:
        task = store.item(arguments.id)
        if task is None:
            raise NotFound(f"Work item {arguments.id} does not exist here, or you have no access to it.")
        if task.type != ItemType.TASK:
            raise BadRequest("Only tasks take logged work.")
        done = Work(hours, type_named(store.lookups.time_entry_types(), arguments.type), arguments.note, remaining)
        after = done.changes(task.fields)
        for label, key in (("completed", COMPLETED), ("remaining", REMAINING)):
            print(f"{label}  {_hours(task.fields.get(key))} → {_hours(after[key])}")
        print(f"comment    {plain(done.comment)}")
        if not arguments.dry_run:
            print(asyncio.run(_log(store, task, done)))


def _hours(value: object) -> str:
    return f"{hours_text(value)} h" if isinstance(value, int | float) else "–"


async def _log(store: Store, task: Item, done: Work) -> str:
    await store.work_log.log(task.id, done, {REMAINING: task.fields.get(REMAINING)})
    deadline = time.monotonic() + PATIENCE
    while waiting := [each for each in store.outbox_entries() if each.item_id == task.id]:
        if any(each.state in _HELD for each in waiting):
            raise BacklitError("The server rejected the change. Press go in backlit for the reason.")
        if store.connection.state is not ConnectionState.ONLINE or time.monotonic() > deadline:
            return "Saved on this machine; backlit sends it when the server is reachable."
        await asyncio.sleep(LOOK_EVERY)
    return "Logged: hours added to the task and noted in a comment (the server has no time entries)."
