"""The sync of the local copy with the server."""

import argparse
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from queue import SimpleQueue

from backlit.cli.commands.outbox import wait_for_all
from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.output import write_json_lines
from backlit.cli.synced import synced_store
from backlit.model.errors import Offline
from backlit.model.plain import plain
from backlit.store.records.changes import ConnectionState, StoreChange, Subject
from backlit.store.store import Store

SEND_SECONDS = 60.0
"""The longest time to wait until what waits is sent."""
_WATCHED = {Subject.ITEMS, Subject.COMMENTS, Subject.TREES, Subject.PEOPLE, Subject.OUTBOX, Subject.CONNECTION}

_COLUMNS = (
    Column("project", "Project"),
    Column("seconds", "Seconds", is_right=True),
    Column("unsent", "Unsent", is_right=True),
    Column("refused", "Refused", is_right=True),
    Column("conflicts", "Conflicts", is_right=True),
)


def sync(arguments: argparse.Namespace) -> int:
    """Bring the copy up to date and say what the outbox still has; the exit code is 7 with a conflict in it."""
    columns, begun = chosen_columns(arguments, _COLUMNS), time.monotonic()
    with synced_store(arguments) as store:
        if store.connection.state is not ConnectionState.ONLINE:
            raise Offline("The local copy could not be brought up to date.")
        if arguments.full:
            store.run(store.refresh(is_full=True))
        wait_for_all(store, SEND_SECONDS)
        outbox, projects = store.outbox, {each.id: each.name for each in store.lookups.projects()}
        row = {
            "project": projects.get(store.project_id or 0),
            "seconds": round(time.monotonic() - begun, 1),
            "unsent": outbox.pending,
            "refused": outbox.refused,
            "conflicts": outbox.conflicts,
        }
        write_rows(arguments, columns, [row])
        if arguments.watch:
            _watch(arguments, store)
        return 7 if outbox.conflicts else 0


def _watch(arguments: argparse.Namespace, store: Store) -> None:
    """Write a line for each change, until ctrl+c."""
    changes: SimpleQueue[StoreChange] = SimpleQueue()
    store.subscribe(changes.put)
    is_json = bool(arguments.json) or arguments.format == "ndjson"
    while True:
        sys.stdout.flush()
        change = changes.get()
        if change.kind not in _WATCHED:
            continue
        event = _event(store, change)
        if is_json:
            write_json_lines([event])
        else:
            print("\t".join(plain(_words(value)) for value in event.values()))


def _event(store: Store, change: StoreChange) -> Mapping[str, object]:
    connection = store.connection
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "about": change.kind.value,
        "items": sorted(change.ids) if change.kind in {Subject.ITEMS, Subject.COMMENTS} else [],
        "fields": sorted(change.fields),
        "state": connection.state.value if change.kind is Subject.CONNECTION else None,
    }


def _words(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value or "")
