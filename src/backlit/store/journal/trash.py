"""The trash: copies of permanently deleted items, for undo."""

import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from backlit.store.journal.schema import UNDELIVERED_SQL
from backlit.store.records.item import Document, whole
from backlit.store.sqlite.database import transaction

KEPT_DAYS = 90


@dataclass(frozen=True, slots=True)
class Copy:
    """A deleted item as last known, with its tasks and the comments of all of them."""

    item: Document
    tasks: Sequence[Document] = ()
    comments: Sequence[Document] = ()
    attachments: Sequence[Document] = field(default=())

    @property
    def item_id(self) -> int:
        """The item's former id."""
        return whole(self.item.get("id")) or 0

    def document(self) -> Document:
        """Return the copy as a JSON document."""
        return {
            "item": self.item,
            "tasks": list(self.tasks),
            "comments": list(self.comments),
            "attachments": list(self.attachments),
        }


class Trash:
    """The table of copies, through the journal's connection. Copies expire after ninety days."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def keep(self, copy: Copy, entry_id: int | None = None) -> None:
        """Store a copy: the latest of a deleting entry, or of an item that others deleted."""
        row = (time.time(), copy.item_id, entry_id, orjson.dumps(copy.document()).decode())
        with transaction(self._connection):
            self._connection.execute("DELETE FROM trash WHERE entry_id = ?", (entry_id,))
            self._connection.execute("INSERT INTO trash (kept_at, item_id, entry_id, content) VALUES (?, ?, ?, ?)", row)

    def of_entry(self, entry_id: int) -> Copy | None:
        """Return the copy of an entry's deletion."""
        return self._one("SELECT content FROM trash WHERE entry_id = ?", entry_id)

    def of_item(self, item_id: int) -> Copy | None:
        """Return an item's latest copy."""
        return self._one("SELECT content FROM trash WHERE item_id = ? ORDER BY id DESC LIMIT 1", item_id)

    def every(self, item_id: int | None = None) -> list[tuple[float, Copy]]:
        """Return the copies of an item or of all items with their times, the latest first."""
        sql = "SELECT kept_at, content FROM trash WHERE ?1 IS NULL OR item_id = ?1 ORDER BY id DESC"
        return [(kept_at, _copy_of(orjson.loads(text))) for kept_at, text in self._connection.execute(sql, (item_id,))]

    def forget_old(self, now: float) -> None:
        """Delete copies older than KEPT_DAYS, except of pending deletions. `now` is in seconds."""
        waiting = f"SELECT id FROM entries WHERE {UNDELIVERED_SQL}"  # noqa: S608 # constants
        sql = f"DELETE FROM trash WHERE kept_at < ? AND (entry_id IS NULL OR entry_id NOT IN ({waiting}))"  # noqa: S608 # constants
        self._connection.execute(sql, (now - KEPT_DAYS * 86_400,))

    def _one(self, sql: str, number: int) -> Copy | None:
        found = self._connection.execute(sql, (number,)).fetchone()
        return _copy_of(orjson.loads(found[0])) if found else None


def _copy_of(content: Mapping[str, object]) -> Copy:
    item = content.get("item")
    return Copy(
        item if isinstance(item, dict) else {},
        _documents(content.get("tasks")),
        _documents(content.get("comments")),
        _documents(content.get("attachments")),
    )


def _documents(value: object) -> tuple[Document, ...]:
    return tuple(each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()
