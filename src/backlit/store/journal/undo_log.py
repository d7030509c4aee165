"""The journal's undo log: acts, their undo and redo steps, and the copies of deleted items."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

import orjson
from msgspec import Struct, field

from backlit.store.journal.schema import UNDELIVERED_SQL
from backlit.store.records.item import Document, id_in
from backlit.store.sqlite.database import SqliteTable, transaction


class ActState(StrEnum):
    """The state of an act. An act that is over can be neither undone nor redone."""

    DONE = "done"
    UNDONE = "undone"
    OVER = "over"


class UndoLog(SqliteTable):
    """The tables of steps, through the journal's connection.

    An act is a step. Undo and redo of it are further steps of the same act, and the next one reverts the latest of
    them. An entry may belong to several acts: an entry that one act discarded of another belongs to both when it
    returns.
    """

    def begin(self) -> int:
        """Start a new act. Undone acts can no longer be redone."""
        with transaction(self._connection):
            self._connection.execute("UPDATE steps SET state = 'over' WHERE state = 'undone'")
            step = self._connection.execute("INSERT INTO steps (act, state) VALUES (0, 'done')").lastrowid or 0
            self._connection.execute("UPDATE steps SET act = id WHERE id = ?", (step,))
        return step

    def go_on(self, act: int, state: ActState) -> int:
        with transaction(self._connection):
            self.set_state(act, state)
            return self._connection.execute("INSERT INTO steps (act) VALUES (?)", (act,)).lastrowid or 0

    def is_undo(self, step: int) -> bool:
        """Report whether a step undoes an act. Undo and redo follow the act in turns."""
        sql = "SELECT count(*) FROM steps WHERE act = (SELECT act FROM steps WHERE id = ?1) AND id < ?1"
        return bool(self._connection.execute(sql, (step,)).fetchone()[0] % 2)

    def set_state(self, act: int, state: ActState) -> None:
        self._connection.execute("UPDATE steps SET state = ? WHERE id = ?", (state.value, act))

    def is_undone(self, step: int) -> bool:
        sql = "SELECT 1 FROM steps WHERE id = (SELECT act FROM steps WHERE id = ?) AND state = ?"
        return self._connection.execute(sql, (step, ActState.UNDONE.value)).fetchone() is not None

    def to_undo(self) -> Iterator[int]:
        sql = "SELECT id FROM steps WHERE state = 'done' ORDER BY id DESC"
        return (act for (act,) in self._connection.execute(sql))

    def to_redo(self) -> Iterator[int]:
        sql = "SELECT id FROM steps WHERE state = 'undone' ORDER BY id"
        return (act for (act,) in self._connection.execute(sql))

    def latest(self, act: int) -> int:
        return int(self._connection.execute("SELECT max(id) FROM steps WHERE act = ?", (act,)).fetchone()[0] or act)

    def states(self, step: int) -> dict[str, int]:
        return dict(
            self._connection.execute("SELECT state, count(*) FROM entries WHERE step = ? GROUP BY state", (step,))
        )

    def withdraw(self, entry_ids: Iterable[int], step: int) -> None:
        rows = [(entry_id, step) for entry_id in entry_ids]
        self._connection.executemany("INSERT OR REPLACE INTO withdrawn VALUES (?, ?)", rows)

    def withdrawn(self, step: int) -> list[int]:
        found = self._connection.execute("SELECT entry_id FROM withdrawn WHERE step = ? ORDER BY entry_id", (step,))
        return [entry_id for (entry_id,) in found]

    def take_up(self, entry_ids: Iterable[int]) -> None:
        """Record that entries are no longer discarded, by any step."""
        self._connection.executemany("DELETE FROM withdrawn WHERE entry_id = ?", [(each,) for each in entry_ids])

    def stand_for(self, entry_id: int, original: int, step: int) -> None:
        """Add an entry to a step, and to the latest step of every act that another entry belongs to."""
        self._connection.execute(
            "INSERT OR IGNORE INTO shared SELECT ?1, max(id) FROM steps WHERE act IN (SELECT act FROM steps"
            " WHERE id = ?3 OR id = (SELECT step FROM entries WHERE id = ?2)"
            " OR id IN (SELECT step FROM shared WHERE entry_id = ?2)) GROUP BY act",
            (entry_id, original, step),
        )

    def forget_old(self) -> None:
        self._connection.execute("DELETE FROM steps WHERE act NOT IN (SELECT step FROM entries)")
        self._connection.execute("DELETE FROM withdrawn WHERE step NOT IN (SELECT id FROM steps)")
        self._connection.execute("DELETE FROM shared WHERE entry_id NOT IN (SELECT id FROM entries)")


KEPT_DAYS = 90


class ItemCopy(Struct, frozen=True):
    """A deleted item as last known, with its tasks and the comments of all of them.

    `objects` are the relations, criteria and links of all of them, by the kind of entry that creates them.
    """

    item: Document
    tasks: Sequence[Document] = ()
    comments: Sequence[Document] = ()
    attachments: Sequence[Document] = field(default=())
    objects: Mapping[str, Sequence[Document]] = field(default_factory=dict)

    @property
    def item_id(self) -> int:
        return id_in(self.item)

    def document(self) -> Document:
        return {
            "item": self.item,
            "tasks": list(self.tasks),
            "comments": list(self.comments),
            "attachments": list(self.attachments),
            "objects": {kind: list(documents) for kind, documents in self.objects.items()},
        }


class Trash(SqliteTable):
    """The table of copies, through the journal's connection. Copies expire after ninety days."""

    def keep(self, copy: ItemCopy, entry_id: int | None = None) -> None:
        """Store a copy: the latest of a deleting entry, or of an item that others deleted."""
        row = (time.time(), copy.item_id, entry_id, orjson.dumps(copy.document()).decode())
        with transaction(self._connection):
            self._connection.execute("DELETE FROM trash WHERE entry_id = ?", (entry_id,))
            self._connection.execute("INSERT INTO trash (kept_at, item_id, entry_id, content) VALUES (?, ?, ?, ?)", row)

    def of_entry(self, entry_id: int) -> ItemCopy | None:
        return self._one("SELECT content FROM trash WHERE entry_id = ?", entry_id)

    def of_item(self, item_id: int) -> ItemCopy | None:
        return self._one("SELECT content FROM trash WHERE item_id = ? ORDER BY id DESC LIMIT 1", item_id)

    def of_gone_item(self, item_id: int) -> ItemCopy | None:
        return self._one("SELECT content FROM trash WHERE item_id = ? AND entry_id IS NULL", item_id)

    def every(self, item_id: int | None = None) -> list[tuple[float, ItemCopy]]:
        sql = "SELECT kept_at, content FROM trash WHERE ?1 IS NULL OR item_id = ?1 ORDER BY id DESC"
        return [(kept_at, _copy_of(orjson.loads(text))) for kept_at, text in self._connection.execute(sql, (item_id,))]

    def forget_old(self, now: float) -> None:
        """Delete copies older than KEPT_DAYS, except of pending deletions. `now` is in seconds."""
        waiting = f"SELECT id FROM entries WHERE {UNDELIVERED_SQL}"  # noqa: S608 # constants
        sql = f"DELETE FROM trash WHERE kept_at < ? AND (entry_id IS NULL OR entry_id NOT IN ({waiting}))"  # noqa: S608 # constants
        self._connection.execute(sql, (now - KEPT_DAYS * 86_400,))

    def _one(self, sql: str, number: int) -> ItemCopy | None:
        found = self._connection.execute(sql, (number,)).fetchone()
        return _copy_of(orjson.loads(found[0])) if found else None


def _copy_of(content: Mapping[str, object]) -> ItemCopy:
    item, objects = content.get("item"), content.get("objects")
    return ItemCopy(
        item if isinstance(item, dict) else {},
        _documents(content.get("tasks")),
        _documents(content.get("comments")),
        _documents(content.get("attachments")),
        {kind: _documents(found) for kind, found in objects.items()} if isinstance(objects, dict) else {},
    )


def _documents(value: object) -> tuple[Document, ...]:
    return tuple(each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()
