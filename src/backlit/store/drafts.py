"""The journal's drafts: what was being written when a screen went away."""

import json
import sqlite3
import time
from collections.abc import Mapping

from backlit.store.database import transaction


class Drafts:
    """Writes the table of drafts through the journal's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def find(self, key: str) -> dict[str, object] | None:
        """What was being written under a key."""
        found = self._connection.execute("SELECT content FROM drafts WHERE key = ?", (key,)).fetchone()
        return json.loads(found[0]) if found else None

    def save(self, key: str, content: Mapping[str, object]) -> None:
        """Keep what is being written."""
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)", (key, json.dumps(dict(content)), time.time())
            )

    def discard(self, key: str) -> None:
        """Throw a draft away; nothing happens where there is none."""
        with transaction(self._connection):
            self._connection.execute("DELETE FROM drafts WHERE key = ?", (key,))
