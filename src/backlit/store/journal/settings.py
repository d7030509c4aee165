"""The journal's settings, drafts and ranks. They survive a rebuild of the mirror."""

import json
import re
import time
from collections.abc import Iterable, Mapping

from backlit.store.journal.schema import UNDELIVERED_SQL
from backlit.store.records.entry import BUSY, EntryKind
from backlit.store.sqlite.database import SqliteTable, transaction
from backlit.store.sqlite.ids import ids_json


class SettingsTable(SqliteTable):
    """The journal's table of settings, through its connection."""

    def value(self, key: str) -> str | None:
        found = self._connection.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
        return str(found[0]) if found else None

    def keep(self, key: str, value: str) -> None:
        with transaction(self._connection):
            self._connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))


class DraftTable(SqliteTable):
    """The journal's table of drafts, through its connection."""

    def find(self, key: str) -> dict[str, object] | None:
        found = self._connection.execute("SELECT content FROM drafts WHERE key = ?", (key,)).fetchone()
        return json.loads(found[0]) if found else None

    def keys(self) -> list[str]:
        return [str(key) for (key,) in self._connection.execute("SELECT key FROM drafts")]

    def save(self, key: str, content: Mapping[str, object]) -> None:
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)", (key, json.dumps(dict(content)), time.time())
            )

    def discard(self, key: str) -> None:
        with transaction(self._connection):
            self._connection.execute("DELETE FROM drafts WHERE key = ?", (key,))

    def follow(self, real_ids: Mapping[int, int]) -> None:
        """Store the drafts about items under their real ids. No other object has the same temporary id."""
        self._connection.executemany(
            "UPDATE OR REPLACE drafts SET key = ? WHERE key = ?",
            [
                (f"{key.removesuffix(str(item_id))}{real_ids[item_id]}", key)
                for key in self.keys()
                if (item_id := item_of_draft(key)) is not None and item_id in real_ids
            ],
        )


_OF_ITEM = re.compile(
    r"(?:comment:|edit:|text:|log |(?:typed:)?field:.*:|typed:(?:split|attach|place|new Task.*):)(-?\d+)", re.DOTALL
)
"""The keys of drafts about one item, or about a new task below it; they end with its id."""


def item_of_draft(key: str) -> int | None:
    found = _OF_ITEM.fullmatch(key)
    return int(found[1]) if found else None


_BUSY_SQL = f"kind = '{EntryKind.RANK}' AND state IN ({', '.join(repr(state.value) for state in sorted(BUSY))})"
_AMONG = "item_id IN (SELECT value FROM json_each(?))"


class RankTable(SqliteTable):
    """The table of ranks, through the journal's connection. Local ranks are permanent and never sent."""

    def numbers(self) -> dict[int, float]:
        return dict(self._connection.execute("SELECT item_id, number FROM ranks"))

    def put(self, project_id: int, numbers: Mapping[int, float], *, is_local: bool) -> None:
        rows = [(item_id, project_id, number, int(is_local)) for item_id, number in numbers.items()]
        with transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO ranks VALUES (?, ?, ?, ?)", rows)

    def count_local(self, project_id: int | None) -> int:
        sql = "SELECT count(*) FROM ranks WHERE project_id = ? AND is_local = 1"
        return int(self._connection.execute(sql, (project_id,)).fetchone()[0])

    def drop(self, item_ids: Iterable[int]) -> None:
        with transaction(self._connection):
            self._connection.execute(f"DELETE FROM ranks WHERE {_AMONG}", (ids_json(item_ids),))  # noqa: S608 # constant

    def local(self, project_id: int) -> list[int]:
        found = self._connection.execute("SELECT item_id FROM ranks WHERE project_id = ? AND is_local", (project_id,))
        return [item_id for (item_id,) in found]

    def unneeded(self) -> list[int]:
        """Return the items whose ranks no pending entry needs any more."""
        busy = f"SELECT project_id FROM entries WHERE {UNDELIVERED_SQL} AND {_BUSY_SQL}"  # noqa: S608 # constants
        sql = f"SELECT item_id FROM ranks WHERE NOT is_local AND project_id NOT IN ({busy})"  # noqa: S608 # constants
        return [item_id for (item_id,) in self._connection.execute(sql)]

    def follow(self, real_ids: Mapping[int, int]) -> None:
        self._connection.executemany(
            "UPDATE OR REPLACE ranks SET item_id = ? WHERE item_id = ?",
            [(real_id, temporary_id) for temporary_id, real_id in real_ids.items()],
        )
