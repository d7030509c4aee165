"""The journal: what the user did, durable before it is shown, and never thrown away."""

import contextlib
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import orjson

from backlit.model.errors import StorageError
from backlit.store.changes import OutboxState
from backlit.store.database import connect, ids_json, transaction, version_of
from backlit.store.days import Days
from backlit.store.disk import JournalReads, damaged_journal, failure, is_damage
from backlit.store.drafts import Drafts
from backlit.store.entries import TEMPORARY_IDS, EntryKind, EntryState, OutboxEntry, with_real_ids
from backlit.store.journal_schema import STEPS, UNDELIVERED_SQL
from backlit.store.news import News
from backlit.store.own_edits import OwnEdits
from backlit.store.ranks import Ranks
from backlit.store.renames import Renames
from backlit.store.scope_kept import ScopeKept
from backlit.store.settings_kept import SettingsKept
from backlit.store.stays_kept import StaysKept
from backlit.store.steps import Steps
from backlit.store.stops import Stops
from backlit.store.trash import Trash

KEPT_SENT = 10_000

_ENTRY_COLUMNS = (
    "id, created_at, project_id, item_id, kind, payload, base, base_modified_at, state, reason, attempts, step,"
    " known_id, theirs"
)


class Journal:
    """One connection to the journal; every method that writes returns only after the disk has it."""

    def __init__(self, path: Path, *, is_for_reading: bool = False) -> None:
        self._committing = _opened(path)
        self._connection: sqlite3.Connection = self._committing
        if is_for_reading:
            self._connection = cast("sqlite3.Connection", JournalReads(self._committing, path))
        self.kept_changes: Callable[[], int] = lambda: self._committing.kept
        self.drafts = Drafts(self._connection)
        self.own_edits = OwnEdits(self._connection)
        self.renames = Renames(self._connection)
        self.steps = Steps(self._connection)
        self.trash = Trash(self._connection)
        self.news = News(self._connection)
        self.days = Days(self._connection)
        self.ranks = Ranks(self._connection)
        self.settings = SettingsKept(self._connection)
        self.stays = StaysKept(self._connection)
        self.scope = ScopeKept(self._connection)
        self.stops = Stops(self._connection)

    def close(self) -> None:
        """Close the connection; nothing is pending in it."""
        self._connection.close()

    def transaction(self) -> AbstractContextManager[None]:
        """Have all that is written in the block written together or not at all."""
        return transaction(self._connection)

    def add(self, entries: Iterable[OutboxEntry], step: int | None = None) -> list[OutboxEntry]:
        """Write the entries of one act in one transaction; they come back with their ids and one step.

        Without a step they are a new act. An ADD gets its own temporary id as item id; a temporary id that has become a
        real one meanwhile is replaced.
        """
        written: list[OutboxEntry] = []
        with transaction(self._connection):
            for entry in entries:
                step = self.steps.begin() if step is None else step
                placed = replace(self._resolved(entry), step=step)
                made = replace(placed, id=self._insert(placed))
                if made.kind is EntryKind.ADD:
                    made = replace(made, item_id=made.temporary_id)
                    self._connection.execute("UPDATE entries SET item_id = ? WHERE id = ?", (made.item_id, made.id))
                written.append(made)
        return written

    def _resolved(self, entry: OutboxEntry) -> OutboxEntry:
        """The entry with the ids that its item, its parent and its places have by now."""
        entry = with_real_ids(entry, self.renames.followed)
        parent_id = entry.parent_id
        if parent_id is not None and parent_id < 0:
            entry = _below(entry, self.real_id(parent_id))
        return replace(entry, item_id=self.real_id(entry.item_id)) if entry.item_id < 0 else entry

    def _insert(self, entry: OutboxEntry) -> int:
        cursor = self._connection.execute(
            "INSERT INTO entries (created_at, project_id, item_id, kind, payload, base, base_modified_at, state, step)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                entry.created_at,
                entry.project_id,
                entry.item_id,
                entry.kind.value,
                _dump(entry.payload),
                _dump(entry.base),
                entry.base_modified_at,
                entry.state.value,
                entry.step,
            ),
        )
        return cursor.lastrowid or 0

    def entry(self, entry_id: int) -> OutboxEntry | None:
        """One entry, whatever its state."""
        found = self._select("id = ?", (entry_id,))
        return found[0] if found else None

    def of_step(self, step: int) -> list[OutboxEntry]:
        """The entries of a step, oldest first, with those that count among them."""
        return self._select("step = ?1 OR id IN (SELECT entry_id FROM shared WHERE step = ?1)", (step,))

    def undelivered(
        self, item_ids: Iterable[int] | None = None, *, kind: EntryKind | None = None, naming: int | None = None
    ) -> list[OutboxEntry]:
        """What has not reached the service, oldest first: of some items only, of a kind, or that may name an id."""
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
        return self._select(where, tuple(values))

    def outgoing(self) -> Iterator[OutboxEntry]:
        """What has not reached the service, oldest first, read as far as asked for; nothing may write meanwhile."""
        sql = f"SELECT {_ENTRY_COLUMNS} FROM entries INDEXED BY undelivered WHERE {UNDELIVERED_SQL} ORDER BY id"  # noqa: S608 # constants
        return map(_entry, self._connection.execute(sql))

    def on_nodes(self, project_id: int | None, tree: str) -> list[OutboxEntry]:
        """What is undelivered of a project's areas, or of its iterations, oldest first."""
        where = f"{UNDELIVERED_SQL} AND item_id = 0 AND project_id = ? AND json_extract(payload, '$.tree') = ?"
        return self._select(where, (project_id or 0, tree))

    def following(self, item_id: int) -> list[OutboxEntry]:
        """What is undelivered of an item, and the new tasks that are to go under it."""
        kind = f"kind = '{EntryKind.ADD}' AND json_extract(payload, '$.fields.ParentID')"
        return self._select(f"{UNDELIVERED_SQL} AND (item_id = ?1 OR {kind} = ?1)", (item_id,))

    def sending(self) -> list[OutboxEntry]:
        """What is marked as being on its way."""
        return self._select(f"{UNDELIVERED_SQL} AND state = '{EntryState.SENDING}'", ())

    def unsettled(self, entry: OutboxEntry) -> list[OutboxEntry]:
        """The other entries of this kind and project that may have made something already, unknown to us."""
        where = f"{UNDELIVERED_SQL} AND known_id IS NOT NULL AND kind = ? AND project_id = ? AND id <> ?"
        return self._select(where, (entry.kind.value, entry.project_id, entry.id))

    def update(self, entry: OutboxEntry) -> None:
        """Write an entry's new state, reason, attempts, payload and bases."""
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE entries SET item_id = ?, payload = ?, base = ?, base_modified_at = ?, state = ?, reason = ?,"
                " attempts = ?, known_id = ?, theirs = ? WHERE id = ?",
                (
                    entry.item_id,
                    _dump(entry.payload),
                    _dump(entry.base),
                    entry.base_modified_at,
                    entry.state.value,
                    entry.reason,
                    entry.attempts,
                    entry.known_id,
                    _dump(entry.theirs),
                    entry.id,
                ),
            )

    def update_all(self, entries: Iterable[OutboxEntry]) -> None:
        """Write several entries in one transaction."""
        with transaction(self._connection):
            for entry in entries:
                self.update(entry)

    def deliver(self, entry: OutboxEntry, real_id: int | None = None) -> None:
        """Mark an entry as sent; with a real id, all that waits for the temporary one follows it."""
        with transaction(self._connection):
            self.update(replace(entry, state=EntryState.SENT, reason="", theirs={}))
            if real_id is not None:
                self.follow(entry.temporary_id, real_id)
            if entry.kind is EntryKind.NODE_ADD:
                self.rewrite(str(entry.temporary_id), lambda each: with_real_ids(each, self.renames.followed))
            if entry.kind is EntryKind.COMMENT:
                for each in self.undelivered(kind=EntryKind.DELETE_COMMENT, naming=entry.temporary_id):
                    self.update(with_real_ids(each, self.renames.followed))

    def follow(self, item_id: int, new_id: int) -> None:
        """Have an item go on under another id, with all that waits for it."""
        following = self.following(item_id)
        self.renames.follow(item_id, new_id)
        if item_id < 0:
            self.ranks.follow(item_id, new_id)
        for entry in following:
            if entry.item_id == item_id:
                self.update(replace(entry, item_id=new_id))
            elif entry.parent_id == item_id:
                self.update(_below(entry, new_id))

    def rewrite(self, text: str, change: Callable[[OutboxEntry], OutboxEntry]) -> None:
        """Change the entries that hold a text, also those that were sent, as they may be taken back."""
        where = "payload LIKE ?1 OR base LIKE ?1 OR theirs LIKE ?1"
        for entry in self._select(where, (f"%{text}%",)):
            changed = change(entry)
            if changed != entry:
                self.update(changed)

    def real_id(self, item_id: int) -> int:
        """The id the service gave to a temporary one; the id itself while there is none."""
        return item_id if item_id > 0 else self.renames.followed(item_id)

    def made_ids(self, kind: EntryKind) -> frozenset[int]:
        """The real ids of what entries of a kind have made."""
        found = self._connection.execute(
            "SELECT real_id FROM renames JOIN entries ON entries.id = temporary_id - ? WHERE kind = ?",
            (TEMPORARY_IDS, kind.value),
        )
        return frozenset(real_id for (real_id,) in found)

    def state(self) -> OutboxState:
        """Count what is undelivered."""
        sql = f"SELECT state FROM entries INDEXED BY undelivered WHERE {UNDELIVERED_SQL}"  # noqa: S608 # constants
        counts = Counter(state for (state,) in self._connection.execute(sql))
        return OutboxState(
            pending=counts[EntryState.WAITING] + counts[EntryState.SENDING],
            refused=counts[EntryState.REFUSED],
            conflicts=counts[EntryState.CONFLICT],
        )

    def data_version(self) -> int:
        """A number that changes when another connection writes."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def forget_old(self) -> None:
        """Drop delivered entries beyond the latest ten thousand, and what lay in the trash long enough."""
        with transaction(self._connection):
            sql = f"DELETE FROM entries WHERE NOT ({UNDELIVERED_SQL}) AND id <= (SELECT max(id) FROM entries) - ?"  # noqa: S608 # constants
            if self._connection.execute(sql, (KEPT_SENT,)).rowcount:
                self.steps.forget_old()
            self.trash.forget_old(time.time())

    def _select(self, where: str, values: tuple[object, ...]) -> list[OutboxEntry]:
        sql = f"SELECT {_ENTRY_COLUMNS} FROM entries WHERE {where} ORDER BY id"  # noqa: S608 # constants only
        return [_entry(found) for found in self._connection.execute(sql, values)]


class _Committing(sqlite3.Connection):
    """Knows how many of its changes are on the disk; what SQLite counts are those that were undone too."""

    kept = 0

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        cursor = super().execute(sql, values)
        if sql == "COMMIT":
            self.kept = self.total_changes
        return cursor


def _opened(path: Path) -> _Committing:
    try:
        connection = connect(path, "FULL", _Committing)
        assert isinstance(connection, _Committing)
        if version_of(connection) < len(STEPS):
            with transaction(connection):
                _bring_up(connection)
        version = version_of(connection)
    except sqlite3.DatabaseError as error:
        raise (damaged_journal if is_damage(error) else failure)(error, path) from error
    if version > len(STEPS):
        connection.close()
        raise StorageError(f"The journal {path} was written by a newer backlit; it is left as it is.")
    with contextlib.suppress(OSError):  # somebody else's, or on a disk that is only read
        path.chmod(0o600)
    return connection


def _bring_up(connection: sqlite3.Connection) -> None:
    """Take the steps that the file has not taken yet; another process may have taken them meanwhile."""
    for step in STEPS[version_of(connection) :]:
        for statement in step.split(";\n"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(STEPS)}")


def _entry(values: tuple[object, ...]) -> OutboxEntry:
    made = OutboxEntry(*values)  # type: ignore[arg-type] # the columns have these types, the JSON is read below
    return replace(
        made,
        kind=EntryKind(made.kind),
        state=EntryState(made.state),
        payload=orjson.loads(str(made.payload)),
        base=orjson.loads(str(made.base)),
        theirs=orjson.loads(str(made.theirs)),
    )


def _below(entry: OutboxEntry, parent_id: int) -> OutboxEntry:
    fields = {**_mapping(entry.payload["fields"]), "ParentID": parent_id}
    return replace(entry, payload={**entry.payload, "fields": fields})


def _dump(value: Mapping[str, object]) -> str:
    return orjson.dumps(dict(value)).decode()


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
