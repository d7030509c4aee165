"""The sync of the local copy with the server."""

import argparse
import asyncio
import time

from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.synced import synced_store
from backlit.model.errors import Offline
from backlit.store.records.changes import ConnectionState

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
            asyncio.run(store.refresh(is_full=True))
        outbox, projects = store.outbox, {each.id: each.name for each in store.lookups.projects()}
        row = {
            "project": projects.get(store.project_id or 0),
            "seconds": round(time.monotonic() - begun, 1),
            "unsent": outbox.pending,
            "refused": outbox.refused,
            "conflicts": outbox.conflicts,
        }
        write_rows(arguments, columns, [row])
        return 7 if outbox.conflicts else 0
