"""Settings and drafts by key. They survive a rebuild of the mirror."""

import json
import sqlite3
import time
from collections.abc import Mapping

from backlit.store.sqlite.database import transaction


class SettingsTable:
    """The journal's table of settings, through its connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def value(self, key: str) -> str | None:
        """Return the value of a key."""
        found = self._connection.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
        return str(found[0]) if found else None

    def keep(self, key: str, value: str) -> None:
        """Store the value of a key."""
        with transaction(self._connection):
            self._connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))


class Drafts:
    """The journal's table of drafts, through its connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def find(self, key: str) -> dict[str, object] | None:
        """Return the draft of a key."""
        found = self._connection.execute("SELECT content FROM drafts WHERE key = ?", (key,)).fetchone()
        return json.loads(found[0]) if found else None

    def save(self, key: str, content: Mapping[str, object]) -> None:
        """Store a draft."""
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)", (key, json.dumps(dict(content)), time.time())
            )

    def discard(self, key: str) -> None:
        """Delete a draft, if there is one."""
        with transaction(self._connection):
            self._connection.execute("DELETE FROM drafts WHERE key = ?", (key,))
