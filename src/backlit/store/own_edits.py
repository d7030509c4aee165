"""The journal's answer to who gave a field the value it has: the user, or somebody else."""

import sqlite3

import orjson

from backlit.store.entries import EntryKind, EntryState


class OwnEdits:
    """Reads the user's edits through the journal's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def values(self, item_id: int) -> dict[str, object]:
        """The value that the user last gave to each field of an item, as far back as the journal goes."""
        found = self._connection.execute(
            "SELECT payload FROM entries WHERE item_id = ? AND kind = ? AND state <> ? ORDER BY id",
            (item_id, EntryKind.EDIT.value, EntryState.DISCARDED.value),
        )
        values: dict[str, object] = {}
        for (payload,) in found:
            values.update(orjson.loads(payload))
        return values
