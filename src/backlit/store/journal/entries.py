"""The journal's entries, and the renames of their ids."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace

import orjson

from backlit.store.journal.connection import UNDELIVERED_SQL
from backlit.store.records.entry import TEMPORARY_IDS, EntryKind, EntryState, OutboxEntry
from backlit.store.sqlite.database import ids_json

_ENTRY_COLUMNS = (
    "id, created_at, project_id, item_id, kind, payload, base, base_modified_at, state, reason, attempts, step,"
    " known_id, theirs"
)


class Entries:
    """Reads of the table of entries through the journal's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def find(self, entry_id: int) -> OutboxEntry | None:
        """Return an entry in any state."""
        found = self.select("id = ?", (entry_id,))
        return found[0] if found else None

    def of_step(self, step: int) -> list[OutboxEntry]:
        """Return the entries of a step, including shared ones, oldest first."""
        return self.select("step = ?1 OR id IN (SELECT entry_id FROM shared WHERE step = ?1)", (step,))

    def undelivered(
        self, item_ids: Iterable[int] | None = None, *, kind: EntryKind | None = None, naming: int | None = None
    ) -> list[OutboxEntry]:
        """Return undelivered entries, oldest first: of some items, of a kind, or possibly naming an id."""
        where, values = UNDELIVERED_SQL, []
        if item_ids is not None:
            where += " AND item_id IN (SELECT value FROM json_each(?))"
            values.append(ids_json(item_ids))
        if kind is not None:
            where += " AND kind = ?"
            values.append(kind.value)
        if naming is not None:
            where += " AND payload LIKE ?"
            values.append(f"%{naming}%")
        return self.select(where, tuple(values))

    def outgoing(self) -> Iterator[OutboxEntry]:
        """Return all undelivered entries, oldest first, lazily. Nothing may write during the iteration."""
        sql = f"SELECT {_ENTRY_COLUMNS} FROM entries INDEXED BY undelivered WHERE {UNDELIVERED_SQL} ORDER BY id"  # noqa: S608 # constants
        return map(_entry, self._connection.execute(sql))

    def on_nodes(self, project_id: int | None, tree: str) -> list[OutboxEntry]:
        """Return the undelivered entries on a project's areas or iterations, oldest first."""
        where = f"{UNDELIVERED_SQL} AND item_id = 0 AND project_id = ? AND json_extract(payload, '$.tree') = ?"
        return self.select(where, (project_id or 0, tree))

    def following(self, item_id: int) -> list[OutboxEntry]:
        """Return the undelivered entries on an item and on new tasks below it."""
        kind = f"kind = '{EntryKind.ADD}' AND json_extract(payload, '$.fields.ParentID')"
        return self.select(f"{UNDELIVERED_SQL} AND (item_id = ?1 OR {kind} = ?1)", (item_id,))

    def sending(self) -> list[OutboxEntry]:
        """Return the entries in state SENDING."""
        return self.select(f"{UNDELIVERED_SQL} AND state = '{EntryState.SENDING}'", ())

    def unsettled(self, entry: OutboxEntry) -> list[OutboxEntry]:
        """Return the other entries of this kind and project whose creation is unconfirmed."""
        where = f"{UNDELIVERED_SQL} AND known_id IS NOT NULL AND kind = ? AND project_id = ? AND id <> ?"
        return self.select(where, (entry.kind.value, entry.project_id, entry.id))

    def own_values(self, item_id: int) -> dict[str, object]:
        """Return the user's last value for each field of an item, as far back as the journal goes."""
        found = self._connection.execute(
            "SELECT payload FROM entries WHERE item_id = ? AND kind = ? AND state <> ? ORDER BY id",
            (item_id, EntryKind.EDIT.value, EntryState.DISCARDED.value),
        )
        values: dict[str, object] = {}
        for (payload,) in found:
            values.update(orjson.loads(payload))
        return values

    def made_ids(self, kind: EntryKind) -> frozenset[int]:
        """Return the real ids of everything that entries of a kind have created."""
        found = self._connection.execute(
            "SELECT real_id FROM renames JOIN entries ON entries.id = temporary_id - ? WHERE kind = ?",
            (TEMPORARY_IDS, kind.value),
        )
        return frozenset(real_id for (real_id,) in found)

    def select(self, where: str, values: tuple[object, ...]) -> list[OutboxEntry]:
        """Return the entries that meet a constant SQL condition, oldest first."""
        sql = f"SELECT {_ENTRY_COLUMNS} FROM entries WHERE {where} ORDER BY id"  # noqa: S608 # constants only
        return [_entry(found) for found in self._connection.execute(sql, values)]


class Renames:
    """The table of renames. Each row leads to the latest id directly."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def follow(self, item_id: int, new_id: int) -> None:
        """Record that an id was replaced by another. An item and a comment may share an id."""
        self._connection.execute(
            "UPDATE renames SET real_id = ? WHERE real_id = ? AND (temporary_id > 0"
            " OR EXISTS (SELECT 1 FROM entries WHERE entries.id = temporary_id - ? AND kind = ?))",
            (new_id, item_id, TEMPORARY_IDS, EntryKind.ADD.value),
        )
        self._connection.execute("INSERT OR REPLACE INTO renames VALUES (?, ?)", (item_id, new_id))

    def followed(self, item_id: int) -> int:
        """Return the id that replaced an id, or the id itself."""
        found = self._connection.execute("SELECT real_id FROM renames WHERE temporary_id = ?", (item_id,)).fetchone()
        return int(found[0]) if found else item_id


def _entry(values: tuple[object, ...]) -> OutboxEntry:
    made = OutboxEntry(*values)  # type: ignore[arg-type] # the columns have these types; the JSON is parsed below
    return replace(
        made,
        kind=EntryKind(made.kind),
        state=EntryState(made.state),
        payload=orjson.loads(str(made.payload)),
        base=orjson.loads(str(made.base)),
        theirs=orjson.loads(str(made.theirs)),
    )
