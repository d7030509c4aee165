"""What a person chose or a server showed, by key; it outlives the mirror."""

import sqlite3

from backlit.store.database import transaction


class SettingsKept:
    """Reads and writes the journal's table of settings through its connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def value(self, key: str) -> str | None:
        """What was kept under a key."""
        found = self._connection.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
        return str(found[0]) if found else None

    def keep(self, key: str, value: str) -> None:
        """Put a value in the place of what was kept under a key."""
        with transaction(self._connection):
            self._connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))
