"""The journal: the user's changes, durable before they are shown, and never thrown away."""

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import cast

import orjson
from msgspec.structs import replace

from backlit.model.errors import Forbidden, StorageError
from backlit.store.journal.connection import JournalConnection, opened
from backlit.store.journal.groom_queue import GroomQueues
from backlit.store.journal.imported import ImportedTable
from backlit.store.journal.inbox import InboxTable
from backlit.store.journal.reports import ScopeLogTable, SnapshotTable, StatusHistoryTable
from backlit.store.journal.schema import RELATIONS_SQL, TARGET_SQL, TRANSFORMS_SQL, UNDELIVERED_SQL
from backlit.store.journal.settings import DraftTable, RankTable, SettingsTable
from backlit.store.journal.undo_log import Trash, UndoLog
from backlit.store.records.changes import OutboxState
from backlit.store.records.entry import (
    OBJECT_CREATIONS,
    ON_OBJECTS,
    EntryCause,
    EntryKind,
    EntryState,
    OutboxEntry,
)
from backlit.store.records.entry_values import TEMPORARY_IDS
from backlit.store.sqlite.database import (
    FileIdentity,
    JournalReads,
    SqliteTable,
    drop_database,
    failure,
    transaction,
)
from backlit.store.sqlite.ids import ids_json

# What was sent is kept for undo, which goes back through it.
KEPT_SENT = 10_000


class Journal:
    """A connection to the journal. Each write is on disk when its method returns."""

    file: JournalConnection
    """The connection of a writable journal."""
    reads: JournalReads
    """The connection of a read-only journal."""

    def __init__(self, path: Path, *, is_for_reading: bool = False) -> None:
        if is_for_reading:
            self.reads = JournalReads(partial(opened, path, patience=0.0), path)
            self._connection = cast("sqlite3.Connection", self.reads)
        else:
            self._connection = self.file = opened(path)
        self.refusal = ""
        """Why no edit is taken, as a sentence; empty where edits are."""
        self.drafts = DraftTable(self._connection)
        self.entries = EntryTable(self._connection)
        self.renames = RenameTable(self._connection)
        self.undo_log = UndoLog(self._connection)
        self.trash = Trash(self._connection)
        self.inbox = InboxTable(self._connection)
        self.snapshots = SnapshotTable(self._connection)
        self.ranks = RankTable(self._connection)
        self.settings = SettingsTable(self._connection)
        self.status_history = StatusHistoryTable(self._connection)
        self.scope_log = ScopeLogTable(self._connection)
        self.groom_queues = GroomQueues(self._connection)
        self.imported = ImportedTable(self._connection)

    def close(self) -> None:
        self._connection.close()

    def transaction(self) -> AbstractContextManager[None]:
        return transaction(self._connection)

    def add(self, entries: Iterable[OutboxEntry], step: int | None = None) -> list[OutboxEntry]:
        """Write the entries of an act in one transaction. Returns them with their ids and a common step.

        Without a step they are a new act. An ADD gets its own temporary id as item id. Temporary ids with a
        known real id are replaced. Entries of an undo have that cause. Raises Forbidden in read-only mode.
        """
        if self.refusal:
            raise Forbidden(self.refusal)
        written: list[OutboxEntry] = []
        is_undo = step is not None and self.undo_log.is_undo(step)
        with transaction(self._connection):
            for entry in entries:
                step = self.undo_log.begin() if step is None else step
                placed = replace(self._resolved(entry), step=step, cause=EntryCause.UNDO if is_undo else entry.cause)
                made = replace(placed, id=self._insert(placed))
                if made.kind is EntryKind.ADD:
                    made = replace(made, item_id=made.temporary_id)
                    self._connection.execute("UPDATE entries SET item_id = ? WHERE id = ?", (made.item_id, made.id))
                written.append(made)
        return written

    def _resolved(self, entry: OutboxEntry) -> OutboxEntry:
        entry = entry.with_real_ids(self.renames.followed)
        parent_id = entry.parent_id
        if parent_id is not None and parent_id < 0:
            entry = _below(entry, self.real_id(parent_id))
        return replace(entry, item_id=self.real_id(entry.item_id)) if entry.item_id < 0 else entry

    def _insert(self, entry: OutboxEntry) -> int:
        cursor = self._connection.execute(
            "INSERT INTO entries"
            " (created_at, project_id, item_id, kind, payload, base, base_modified_at, state, reason, step, cause)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                entry.created_at,
                entry.project_id,
                entry.item_id,
                entry.kind.value,
                _dump(entry.payload),
                _dump(entry.base),
                entry.base_modified_at,
                entry.state.value,
                entry.reason,
                entry.step,
                entry.cause.value,
            ),
        )
        return cursor.lastrowid or 0

    def update(self, entry: OutboxEntry) -> None:
        self.update_all([entry])

    def update_all(self, entries: Iterable[OutboxEntry]) -> None:
        rows = [
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
            )
            for entry in entries
        ]
        with transaction(self._connection):
            self._connection.executemany(
                "UPDATE entries SET item_id = ?, payload = ?, base = ?, base_modified_at = ?, state = ?, reason = ?,"
                " attempts = ?, known_id = ?, theirs = ? WHERE id = ?",
                rows,
            )

    def deliver_items(self, entries: Sequence[OutboxEntry], new_ids: Mapping[int, int]) -> None:
        """Mark the entries of new items as sent. `new_ids` are the items' real ids by the temporary ones."""
        with transaction(self._connection):
            self.update_all(_sent(entry) for entry in entries)
            self.follow(new_ids)

    def deliver(self, entry: OutboxEntry, real_id: int | None = None) -> None:
        """Mark an entry as sent. A real id replaces the temporary one in all waiting entries."""
        with transaction(self._connection):
            self.update(_sent(entry))
            if real_id is not None:
                self.follow({entry.temporary_id: real_id})
            if entry.kind is EntryKind.NODE_ADD:
                self.rewrite(str(entry.temporary_id), lambda each: each.with_real_ids(self.renames.followed))
            if entry.kind in OBJECT_CREATIONS:
                # By the item, which has an index: an import has thousands of undelivered entries.
                for each in self.entries.undelivered([entry.item_id], naming=entry.temporary_id):
                    if each.kind in ON_OBJECTS:
                        self.update(each.with_real_ids(self.renames.followed))

    def follow(self, new_ids: Mapping[int, int]) -> None:
        """Have what names items name them by their new ids, by the old ones."""
        following = self.entries.following(new_ids)
        self.renames.follow(new_ids)
        of_temporary = {item_id: new_id for item_id, new_id in new_ids.items() if item_id < 0}
        self.ranks.follow(of_temporary)
        self.drafts.follow(of_temporary)
        self.update_all(_following(entry, new_ids) for entry in following)

    def rewrite(self, text: str, change: Callable[[OutboxEntry], OutboxEntry]) -> None:
        """Change all entries that contain a text, sent ones too, because undo may need them."""
        where = "payload LIKE ?1 OR base LIKE ?1 OR theirs LIKE ?1"
        for entry in self.entries.select(where, (f"%{text}%",)):
            changed = change(entry)
            if changed != entry:
                self.update(changed)

    def real_id(self, item_id: int) -> int:
        """Return the real id for a temporary one, or the id itself if there is none yet."""
        return item_id if item_id > 0 else self.renames.followed(item_id)

    def state(self) -> OutboxState:
        # Counted by SQLite: this follows every write, and an import has thousands of undelivered entries.
        held = f"total(state = '{EntryState.REFUSED}'), total(state = '{EntryState.CONFLICT}')"
        sql = f"SELECT count(*), {held} FROM entries INDEXED BY undelivered WHERE {UNDELIVERED_SQL}"  # noqa: S608 # constants
        undelivered, refused, conflicts = map(int, self._connection.execute(sql).fetchone())
        return OutboxState(pending=undelivered - refused - conflicts, refused=refused, conflicts=conflicts)

    def data_version(self) -> int:
        """Return a number that changes when another connection writes."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def forget_old(self) -> None:
        """Delete delivered entries beyond the latest ten thousand, and expired copies in the trash."""
        with transaction(self._connection):
            sql = f"DELETE FROM entries WHERE NOT ({UNDELIVERED_SQL}) AND id <= (SELECT max(id) FROM entries) - ?"  # noqa: S608 # constants
            if self._connection.execute(sql, (KEPT_SENT,)).rowcount:
                self.undo_log.forget_old()
            self.trash.forget_old(time.time())


def _sent(entry: OutboxEntry) -> OutboxEntry:
    return replace(entry, state=EntryState.SENT, reason="", theirs={})


def _following(entry: OutboxEntry, new_ids: Mapping[int, int]) -> OutboxEntry:
    parent_id = entry.parent_id
    if parent_id is not None and parent_id in new_ids:
        entry = _below(entry, new_ids[parent_id])
    if not entry.targets.isdisjoint(new_ids):
        entry = entry.with_targets(new_ids)
    return replace(entry, item_id=new_ids.get(entry.item_id, entry.item_id))


def _below(entry: OutboxEntry, parent_id: int) -> OutboxEntry:
    return replace(entry, payload={**entry.payload, "fields": {**entry.fields, "ParentID": parent_id}})


def _dump(value: Mapping[str, object]) -> str:
    return orjson.dumps(dict(value)).decode()


_ENTRY_COLUMNS = (
    "id, created_at, project_id, item_id, kind, payload, base, base_modified_at, state, reason, attempts, step,"
    " known_id, theirs, cause"
)


class EntryTable(SqliteTable):
    """Reads of the table of entries through the journal's connection."""

    def find(self, entry_id: int) -> OutboxEntry | None:
        found = self.select("id = ?", (entry_id,))
        return found[0] if found else None

    def last_id(self) -> int:
        return int(self._connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()[0])

    def after(self, entry_id: int) -> list[OutboxEntry]:
        return self.select("id > ?", (entry_id,))

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
        where = f"{UNDELIVERED_SQL} AND item_id = 0 AND project_id = ? AND json_extract(payload, '$.tree') = ?"
        return self.select(where, (project_id or 0, tree))

    def following(self, item_ids: Iterable[int]) -> list[OutboxEntry]:
        """Return the undelivered entries on items, on tasks that come below them and on relations to them."""
        ids, among = ids_json(item_ids), "IN (SELECT value FROM json_each(?1))"
        tasks = f"kind = '{EntryKind.ADD}' AND json_extract(payload, '$.fields.ParentID')"
        # Look-ups by index: an import has thousands of undelivered entries, and asks this for each of its requests.
        found = [*self.select(f"{UNDELIVERED_SQL} AND item_id {among}", (ids,))]
        found += self.select(f"{UNDELIVERED_SQL} AND {tasks} {among}", (ids,))
        for kinds in (RELATIONS_SQL, TRANSFORMS_SQL):
            found += self.select(f"{UNDELIVERED_SQL} AND {kinds} AND {TARGET_SQL} {among}", (ids,))
        return sorted({each.id: each for each in found}.values(), key=lambda each: each.id)

    def sending(self) -> list[OutboxEntry]:
        return self.select(f"{UNDELIVERED_SQL} AND state = '{EntryState.SENDING}'", ())

    def unconfirmed(self, entry: OutboxEntry) -> list[OutboxEntry]:
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

    def restoring(self, object_id: int, kind: EntryKind) -> int | None:
        """Return the temporary id of the object that was made again in the place of a deleted one."""
        where = "kind = ? AND state <> ? AND json_extract(payload, '$.restores') = ?"
        found = self.select(where, (kind.value, EntryState.DISCARDED.value, object_id))
        return found[-1].temporary_id if found else None

    def made_ids(self, kind: EntryKind) -> frozenset[int]:
        found = self._connection.execute(
            "SELECT real_id FROM renames JOIN entries ON entries.id = temporary_id - ? WHERE kind = ?",
            (TEMPORARY_IDS, kind.value),
        )
        return frozenset(real_id for (real_id,) in found)

    def along(self, move: OutboxEntry) -> list[OutboxEntry]:
        """Return the entries of what goes along with a MOVE."""
        where = f"step = ? AND kind = '{EntryKind.MOVE_ALONG}' AND {TARGET_SQL} = ?"
        return self.select(where, (move.step, move.item_id)) if move.kind is EntryKind.MOVE else []

    def items_made(self, step: int) -> list[int]:
        """Return the items that a step created and the service has, by their numbers."""
        # From the entries of the step to their renames: the other way round each entry would scan all renames.
        found = self._connection.execute(
            "SELECT real_id FROM entries JOIN renames ON temporary_id = entries.id + ? WHERE step = ? AND kind = ?"
            " ORDER BY real_id",
            (TEMPORARY_IDS, step, EntryKind.ADD.value),
        )
        return [real_id for (real_id,) in found]

    def select(self, where: str, values: tuple[object, ...]) -> list[OutboxEntry]:
        """Return the entries that meet a constant SQL condition, oldest first."""
        sql = f"SELECT {_ENTRY_COLUMNS} FROM entries WHERE {where} ORDER BY id"  # noqa: S608 # constants only
        return [_entry(found) for found in self._connection.execute(sql, values)]


class RenameTable(SqliteTable):
    """The table of renames. Each row leads to the latest id directly."""

    def follow(self, new_ids: Mapping[int, int]) -> None:
        """Record that ids were replaced by others. An item and a comment may share an id."""
        self._connection.executemany(
            "UPDATE renames SET real_id = ? WHERE real_id = ? AND (temporary_id > 0"
            " OR EXISTS (SELECT 1 FROM entries WHERE entries.id = temporary_id - ? AND kind = ?))",
            [(new_id, item_id, TEMPORARY_IDS, EntryKind.ADD.value) for item_id, new_id in new_ids.items()],
        )
        self._connection.executemany("INSERT OR REPLACE INTO renames VALUES (?, ?)", new_ids.items())

    def followed(self, item_id: int) -> int:
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
        cause=EntryCause(made.cause),
    )


_MARK = slice(68, 72)


class JournalFile(FileIdentity):
    """The journal's file, restored when it is deleted or replaced."""

    @contextmanager
    def in_place(self) -> Iterator[bool]:
        """Keep other processes from restoring the file during the block. Yields False if the file is lost."""
        with self._renewing(fcntl.LOCK_SH):
            yield not self.is_lost()

    def restore(self, writing: Journal, reading: Journal) -> tuple[Journal, str]:
        """Restore the journal under its name. Returns a new connection for writing, and a sentence for the user.

        Closes `writing` and moves `reading` to the new file. Another process may have restored it already. A
        foreign file is moved aside. Raises StorageError.
        """
        try:
            with self._renewing() as lock:
                return self._restored(lock, writing, reading)
        except OSError as error:
            raise StorageError(f"The journal {self.path} was deleted and cannot be restored: {error}.") from error
        except sqlite3.Error as error:
            raise failure(error, self.path) from error

    def _restored(self, lock: int, writing: Journal, reading: Journal) -> tuple[Journal, str]:
        known = orjson.loads(os.read(lock, 1_000_000) or b"[]")
        if self._found() is not None and self._mark() in known and list(self._identity or ()) in known:
            sentence = f"Another backlit process restored the journal {self.path}."
        else:
            sentence = self._write_again(writing.file)
            os.pwrite(lock, orjson.dumps([*known, self._identity, self._found(), self._mark()]), 0)
        with reading.reads.closed():
            writing.close()
        self.opened()
        return Journal(self.path), sentence

    def _write_again(self, lost: JournalConnection) -> str:
        # Written aside and renamed: a crash in between leaves either no journal or a whole one under the name.
        copy = self.path.with_name(f"{self.path.name}.again")
        drop_database(copy)
        lost.copy_to(copy)
        with closing(sqlite3.connect(copy)) as connection:
            number = int.from_bytes(os.urandom(4)) >> 1  # 31 bits, as SQLite takes
            connection.execute(f"PRAGMA application_id = {number}")
        sentence = self._moved_aside()
        drop_database(self.path)
        copy.rename(self.path)
        return sentence

    def _mark(self) -> str:
        """Return the mark of a restored file, from SQLite's file header.

        No connection to the file is open meanwhile: closing the file ends the locks of all connections of this process.
        """
        with self.path.open("rb") as file:
            return file.read(_MARK.stop)[_MARK].hex()

    def _moved_aside(self) -> str:
        """Move aside a file that took the journal's name. It is never opened, because the logs are not its own."""
        if self._found() is None:
            return f"The journal {self.path} was deleted while in use. It was restored and no data is lost."
        aside = self.path.with_name(f"{self.path.name}.found-{int(time.time())}")
        self.path.rename(aside)
        return f"Another file replaced the journal and was moved to {aside}. No data is lost."
