"""Ids that go on under others: temporary ones under the service's, those of deleted items under what was made again."""

import sqlite3

from backlit.store.entries import TEMPORARY_IDS, EntryKind


class Renames:
    """Writes the table of renames through the journal's connection; every row leads to the latest id at once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def follow(self, item_id: int, new_id: int) -> None:
        """Note that what had an id goes on under another one; a comment's id may be the same as an item's."""
        self._connection.execute(
            "UPDATE renames SET real_id = ? WHERE real_id = ? AND (temporary_id > 0"
            " OR EXISTS (SELECT 1 FROM entries WHERE entries.id = temporary_id - ? AND kind = ?))",
            (new_id, item_id, TEMPORARY_IDS, EntryKind.ADD.value),
        )
        self._connection.execute("INSERT OR REPLACE INTO renames VALUES (?, ?)", (item_id, new_id))

    def followed(self, item_id: int) -> int:
        """The id under which something goes on; the id itself where there is no other."""
        found = self._connection.execute("SELECT real_id FROM renames WHERE temporary_id = ?", (item_id,)).fetchone()
        return int(found[0]) if found else item_id
