"""The mirror: a disposable copy of the service's data, with the journal laid over it."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import orjson
from msgspec import Struct

from backlit.model.errors import StorageError
from backlit.store.mirror.comments import CommentTable, MirroredAttachments
from backlit.store.mirror.full_text import FullText
from backlit.store.mirror.item_changes import ItemChangeTable
from backlit.store.mirror.item_rows import INSERT_ITEM, NewRows, facts_in, insert_new_rows, learn
from backlit.store.mirror.object_tables import MirroredObjects
from backlit.store.mirror.overlay import (
    TOP_KEYS,
    HiddenItems,
    RankCopyTable,
    ReassignedItems,
    follow_features,
    follow_parents,
    laid_over,
    made_by,
    moved,
)
from backlit.store.mirror.schema import REASSIGNED, SCHEMA, VERSION
from backlit.store.mirror.status_groups import MirroredGroups
from backlit.store.records.changes import Subject
from backlit.store.records.entry import TRANSFORMS, EntryKind, OutboxEntry
from backlit.store.records.item import Document, columns_of, fields_in, id_in, is_news, whole
from backlit.store.records.object_kinds import OBJECT_KINDS, ObjectKind
from backlit.store.sqlite.database import closed_on_failure, connect, drop_database, transaction, version_of
from backlit.store.sqlite.ids import ids_json

CACHE_KIBIBYTES = 8192
"""The writer's page cache: the first load of a large backlog inserts across all indexes."""
CHECKPOINT_PAGES = 4000
"""The number of pages between checkpoints. A large one avoids repeated writes of the same page during a load."""
NOT_ITS_FAULT = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
    }
)
"""Errors with a cause outside the mirror's file. A rebuild would not help."""

_HANGING_ON_ITEMS = (
    *(("items", "id"), ("documents", "id")),
    *(("comments", "item_id"), ("attachments", "item_id"), ("item_changes", "item_id")),
)


OBJECTS_READ = "objects read"
"""The note of a mirror with objects below items, which are read again when their items are changed."""


class WriteResult(Struct, frozen=True):
    """The result of a write: the ids of changed items and the keys of their fields, no keys for new or deleted ones."""

    ids: frozenset[int]
    fields: frozenset[str]


class Mirror:
    """The connection that writes the mirror, used on one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.connection = _opened(path)
        self.comments = CommentTable(self.connection)
        self.object_tables = tuple(MirroredObjects(self.connection, kind) for kind in OBJECT_KINDS)
        self.objects: Mapping[Subject, CommentTable | MirroredObjects] = {
            Subject.COMMENTS: self.comments,
            **{table.kind.subject: table for table in self.object_tables},
        }
        """The tables of the objects below items that users create and delete."""
        self.attachments = MirroredAttachments(self.connection)
        self.item_changes = ItemChangeTable(self.connection)
        self.hidden = HiddenItems(self.connection)
        with closed_on_failure(self.connection):
            self.full_text = FullText(self.connection)
        self.ranks = RankCopyTable(self.connection)
        self.reassigned = ReassignedItems(self.connection)
        self.status_groups = MirroredGroups(self.connection)
        self._deleted: set[int] = set()
        self._extent: tuple[object, tuple[int | None, int]] = (None, (None, 0))

    def close(self) -> None:
        self.connection.close()

    def table_of(self, kind: ObjectKind) -> MirroredObjects:
        return next(table for table in self.object_tables if table.kind is kind)

    def put_items(
        self, received: Iterable[Document], undelivered: Sequence[OutboxEntry], new_rows: NewRows | None = None
    ) -> WriteResult:
        """Store received items, with the undelivered entries laid over them.

        Skips known versions and older ones, because responses may arrive out of order. `new_rows` holds
        precomputed rows.
        """
        sent = {item_id: each for each in received if (item_id := whole(each.get("id"))) is not None}
        for item_id in self._deleted & sent.keys():
            del sent[item_id]
        with transaction(self.connection):
            known = self.received(sent)
            arrived = set(self._insert_new(sent, known, undelivered, new_rows))
            documents = {
                item_id: each
                for item_id, each in sent.items()
                if item_id not in arrived and is_news(known.get(item_id), each)
            }
            before = self._visible(known.keys() & documents.keys()) if documents else {}
            after = self._write(documents, undelivered) if documents else {}
            learn(self.connection, facts_in(documents.values()))
            written = _compared(before, after)
            # A first load reads the objects by their lists: its rows were computed before.
            self._note_objects_due(written.ids | arrived if new_rows is None else written.ids)
        return WriteResult(written.ids | arrived, frozenset()) if arrived else written

    def _note_objects_due(self, item_ids: Collection[int]) -> None:
        """Note items that were changed: the service moves the stamp of an item on with each object below it."""
        if item_ids:
            self.connection.execute(
                "INSERT OR IGNORE INTO objects_due SELECT value FROM json_each(?)"
                " WHERE EXISTS (SELECT 1 FROM notes WHERE key = ?)",
                (ids_json(item_ids), OBJECTS_READ),
            )

    def read_objects_of(self, item_ids: Collection[int]) -> None:
        """Have the objects below items read with the next sync."""
        with transaction(self.connection):
            self._note_objects_due(item_ids)

    def objects_due(self, count: int) -> list[int]:
        sql = "SELECT item_id FROM objects_due ORDER BY item_id LIMIT ?"
        return [item_id for (item_id,) in self.connection.execute(sql, (count,))]

    def objects_were_read(self, item_ids: Iterable[int]) -> None:
        among = "item_id IN (SELECT value FROM json_each(?))"
        self.connection.execute(f"DELETE FROM objects_due WHERE {among}", (ids_json(item_ids),))  # noqa: S608 # a constant

    def put_values(self, key: str, values: Mapping[int, object], undelivered: Sequence[OutboxEntry]) -> WriteResult:
        """Store a received field of known items, whose stamps stay as they are."""
        with transaction(self.connection):
            documents = {
                item_id: {**document, "fields": {**fields_in(document), key: values[item_id]}}
                for item_id, document in self.received(values).items()
                if fields_in(document).get(key) != values[item_id]
            }
            before = self._visible(documents) if documents else {}
            after = self._write(documents, undelivered) if documents else {}
        return _compared(before, after)

    def _insert_new(
        self,
        sent: Mapping[int, Document],
        known: Mapping[int, Document],
        undelivered: Sequence[OutboxEntry],
        new_rows: NewRows | None,
    ) -> list[int]:
        """Insert new items in bulk and return their ids. Inserts none if an undelivered entry may concern them."""
        arrived = [each for each in sent if each not in known]
        # What comes for the first time needs no comparison with what was there: a first load writes an item in 28 to 34
        # microseconds of CPU, half of it the row with its indexes.
        if undelivered or not arrived or _is_laid_over(self.connection, arrived):
            return []
        worked_out = new_rows or NewRows.of({each: sent[each] for each in arrived})
        insert_new_rows(self.connection, self.full_text, worked_out, arrived, self.status_groups)
        follow_features(self.connection, arrived)
        follow_parents(self.connection, arrived, ("parent_id",))
        learn(self.connection, worked_out.facts)
        return arrived

    def lay_over(self, item_ids: Iterable[int], undelivered: Sequence[OutboxEntry]) -> WriteResult:
        """Lay the undelivered entries over items again, after entries were added or sent."""
        wanted = set(item_ids)
        with transaction(self.connection):
            before = self._visible(wanted)
            received = self.received(wanted)
            received |= {entry.item_id: made_by(entry) for entry in undelivered if entry.kind is EntryKind.ADD}
            after = self._write({each: received[each] for each in wanted if each in received}, undelivered)
            self.comments.put_pending(wanted, undelivered, self.me())
            for table in self.object_tables:
                table.lay_over(wanted, undelivered)
        return _compared(before, after)

    def align(self, undelivered: Sequence[OutboxEntry]) -> None:
        """Align the mirror with the journal after a start: remove stale signs and add missing ones."""
        with transaction(self.connection):
            elsewhere = self.reassigned.update(undelivered)
            signed = {found[0] for found in self.connection.execute("SELECT id FROM items WHERE sign > 0")}
            commented = {
                found[0] for found in self.connection.execute("SELECT item_id FROM comments WHERE pending = 1")
            }
            with_objects = {item_id for table in self.object_tables for item_id in table.laid_over_items()}
            waiting = {*elsewhere, *signed, *commented, *with_objects, *self.hidden.every()}
            waiting |= {entry.item_id for entry in undelivered}
            self.lay_over(self.hidden.family(waiting, undelivered), undelivered)
            real = {entry.item_id for entry in undelivered}
            lost = [item_id for item_id in signed if item_id < 0 and item_id not in real]
            self.remove_items(lost)

    def _write(self, documents: Mapping[int, Document], undelivered: Sequence[OutboxEntry]) -> dict[int, Document]:
        entries: dict[int, list[OutboxEntry]] = {}
        for entry in undelivered:
            entries.setdefault(entry.item_id, []).append(entry)
        hidden = self.hidden.update(documents, undelivered)
        numbers, targets = self.ranks.of(documents), self.reassigned.targets()
        effective = {}
        for each in documents:
            document, sign = laid_over(documents[each], entries.get(each, ()))
            effective[each] = moved(document, targets), sign
        statuses = {
            each: (id_in(document, "projectId"), fields_in(document).get("Status"))
            for each, (document, _) in effective.items()
        }
        groups = self.status_groups
        flags = {each: (groups.is_open(*each), groups.is_excluded(*each)) for each in set(statuses.values())}
        rows: list[tuple[object, ...]] = []
        texts: list[tuple[object, ...]] = []
        for item_id, (document, sign) in effective.items():
            if item_id not in hidden:
                is_open, is_excluded = flags[statuses[item_id]]
                number = numbers.get(item_id)
                rows.append(columns_of(document, sign, number, is_open=is_open, is_excluded=is_excluded))
            received = documents[item_id]
            base = None if document == received else orjson.dumps(received)
            texts.append((item_id, orjson.dumps(document), base))
        self.connection.executemany(f"INSERT OR REPLACE {INSERT_ITEM}", rows)
        self.connection.executemany("INSERT OR REPLACE INTO documents VALUES (?, ?, ?)", texts)
        follow_features(self.connection, documents)
        follow_parents(self.connection, documents)
        return {item_id: document for item_id, (document, _) in effective.items() if item_id not in hidden}

    def reassign(self, key: str, gone: Collection[int], target: int, undelivered: Sequence[OutboxEntry]) -> None:
        """Move received items out of deleted nodes, until they are read again."""
        with transaction(self.connection):
            received = self.received(self.reassigned.items_in(key, [target, *gone]))
            taken = {each: fields_in(document) for each, document in received.items()}
            documents = {
                each: {**received[each], "fields": {**fields, key: target}}
                for each, fields in taken.items()
                if fields.get(key) in gone
            }
            self._write(documents, undelivered)

    def put_resource(self, kind: str, project_id: int, document: Document) -> None:
        row = (kind, project_id, id_in(document), orjson.dumps(document).decode())
        with transaction(self.connection):
            self.connection.execute("INSERT OR REPLACE INTO resources VALUES (?, ?, ?, ?)", row)

    def received(self, item_ids: Iterable[int]) -> dict[int, Document]:
        """Return items exactly as the service last sent them."""
        return self._read("coalesce(base, doc)", item_ids)

    def effective(self, item_id: int) -> Document | None:
        """Return an item with its pending values, or None for a hidden one."""
        return self._visible([item_id]).get(item_id)

    def _visible(self, item_ids: Iterable[int]) -> dict[int, Document]:
        return self._read("doc", set(item_ids) - self.hidden.among(item_ids))

    def _read(self, column: str, item_ids: Iterable[int]) -> dict[int, Document]:
        sql = f"SELECT id, {column} FROM documents WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants
        return {found[0]: orjson.loads(found[1]) for found in self.connection.execute(sql, (ids_json(item_ids),))}

    def delete_items(self, item_ids: Iterable[int]) -> frozenset[int]:
        """Delete items that this machine deleted. Late responses do not bring them back."""
        gone = self.remove_items(item_ids)
        self._deleted |= gone
        return gone

    def was_deleted(self, item_id: int) -> bool:
        """Report whether this machine deleted an item since the mirror was opened."""
        return item_id in self._deleted

    def remove_items(self, item_ids: Iterable[int]) -> frozenset[int]:
        with transaction(self.connection):
            gone = self.hidden.below(item_ids) | {
                found[0]
                for found in self.connection.execute(
                    "SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?1))"
                    " OR (is_task = 1 AND parent_id IN (SELECT value FROM json_each(?1)))",
                    (ids_json(item_ids),),
                )
            }
            self.hidden.forget(gone)
            for table, column in _HANGING_ON_ITEMS:
                self.connection.execute(
                    f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))",  # noqa: S608 # constants
                    (ids_json(gone),),
                )
            for object_table in self.object_tables:
                object_table.remove_of_items(gone)
        return frozenset(gone)

    def rename(self, received: Mapping[int, Document], undelivered: Sequence[OutboxEntry]) -> set[int]:
        """Give items their real ids, by their temporary ones; `undelivered` are the entries that follow the items.

        Returns the items that name them, as other ends or parents, to be laid over again.
        """
        real_ids = {temporary_id: id_in(document) for temporary_id, document in received.items()}
        renamed = set(real_ids.values())
        with transaction(self.connection):
            relating = {item_id for table in self.object_tables for item_id in table.items_naming(received)}
            for object_table in self.object_tables:
                object_table.remove_of_items(received)
            for table, column in (("items", "id"), ("documents", "id"), ("comments", "item_id")):
                self.connection.execute(
                    f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))",  # noqa: S608 # constants
                    (ids_json(received),),
                )
            self.hidden.forget(received)
            self.put_items(received.values(), undelivered)
            numbers = {real_ids[each]: number for each, number in self.ranks.of(received).items()}
            if numbers:
                self.ranks.put(numbers)
            tasks = {entry.item_id for entry in undelivered if entry.parent_id in renamed}
            relating |= {entry.item_id for entry in undelivered if entry.kind in TRANSFORMS} - renamed
            # The others stand as they were received: a fifth of what an import takes here.
            concerned = {each for entry in undelivered for each in (entry.item_id, entry.parent_id, *entry.targets)}
            laid = tasks | (renamed & (concerned | numbers.keys()))
            if laid:
                self.lay_over(laid, undelivered)
        return relating - received.keys()

    def largest_id(self, kind: EntryKind) -> int:
        from backlit.store.object_changes.kinds import CREATIONS  # a creation is sent after the first rows

        table = self.objects[CREATIONS[kind].subject].table if kind in CREATIONS else "items"
        found = self.connection.execute(f"SELECT max(id) FROM {table}").fetchone()[0]  # noqa: S608 # constants
        return max(0, found or 0)

    def extent(self, project_id: int) -> tuple[int | None, int]:
        """Return the newest stamp and the number of a project's items, with hidden ones. Counts only after a write."""
        key = (project_id, self.connection.total_changes, self.data_version())
        if self._extent[0] != key:
            sql = (
                "SELECT (SELECT max(modified_at) FROM items WHERE project_id = ?1),"
                " (SELECT count(*) FROM items WHERE project_id = ?1 AND id > 0)"
                " + (SELECT count(*) FROM hidden WHERE project_id = ?1 AND id > 0)"
            )
            self._extent = key, self.connection.execute(sql, (project_id,)).fetchone()
        return self._extent[1]

    def data_version(self) -> int:
        return int(self.connection.execute("PRAGMA data_version").fetchone()[0])

    def me(self) -> str:
        found = self.note("me")
        return str(found.get("name") or "") if isinstance(found, dict) else ""

    def resources(self, kind: str, project_id: int) -> list[Document]:
        sql = "SELECT doc FROM resources WHERE kind = ? AND project_id = ? ORDER BY id"
        return [orjson.loads(doc) for (doc,) in self.connection.execute(sql, (kind, project_id))]

    def put_resources(self, kind: str, project_id: int, documents: Iterable[Document]) -> bool:
        """Replace all resources of a kind (users, projects, trees, time entry types). Reports whether anything changed.

        Nouns without an id are identified by their place.
        """
        numbered = ((whole(each.get("id")), each) for each in documents)
        rows = {
            at if noun_id is None else noun_id: orjson.dumps(each).decode()
            for at, (noun_id, each) in enumerate(numbered)
        }
        with transaction(self.connection):
            before = dict(
                self.connection.execute(
                    "SELECT id, doc FROM resources WHERE kind = ? AND project_id = ?", (kind, project_id)
                )
            )
            if before == rows:
                return False
            self.connection.execute("DELETE FROM resources WHERE kind = ? AND project_id = ?", (kind, project_id))
            self.connection.executemany(
                "INSERT INTO resources VALUES (?, ?, ?, ?)", [(kind, project_id, *row) for row in rows.items()]
            )
        return True

    def note(self, key: str) -> object:
        """Return a stored value of sync: a watermark, a load position, a trait of the service."""
        found = self.connection.execute("SELECT value FROM notes WHERE key = ?", (key,)).fetchone()
        return orjson.loads(found[0]) if found else None

    def set_note(self, key: str, value: object) -> None:
        """Store a value for sync, None to delete it."""
        with transaction(self.connection):
            self.connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (key, orjson.dumps(value).decode()))

    def trim_notes(self, prefix: str, count: int) -> None:
        """Delete all but the last of the values whose keys begin so; each has the time of its storing in `at`."""
        where = "key >= ? AND key < ? ORDER BY json_extract(value, '$.at') DESC LIMIT -1 OFFSET ?"
        with transaction(self.connection):
            self.connection.execute(
                f"DELETE FROM notes WHERE key IN (SELECT key FROM notes WHERE {where})",  # noqa: S608 # a constant
                (prefix, f"{prefix}\U0010ffff", count),
            )

    def configure(self, key: str, value: object) -> bool:
        """Store a value that status groups follow from. Reports whether it differs from the last one."""
        if self.note(key) == value:
            return False
        with transaction(self.connection):
            self.set_note(key, value)
            self.status_groups.align()
        return True


def _is_laid_over(connection: sqlite3.Connection, item_ids: Iterable[int]) -> bool:
    """Report whether overlays may change how items are shown. Asks in one statement, because every query costs time."""
    sql = (
        "SELECT EXISTS (SELECT 1 FROM hidden) OR EXISTS (SELECT 1 FROM notes WHERE key = ?)"
        " OR EXISTS (SELECT 1 FROM ranks WHERE item_id IN (SELECT value FROM json_each(?)))"
    )
    return bool(connection.execute(sql, (REASSIGNED, ids_json(item_ids))).fetchone()[0])


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return _tried(path)
    except (sqlite3.DatabaseError, _OtherVersionError) as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in NOT_ITS_FAULT:
            raise StorageError(f"{path} cannot be opened: {error}. Try again.") from error
        drop_database(path)
        return _tried(path)


class _OtherVersionError(Exception):
    """The file was written by an older version and is rebuilt."""


class SupersededError(StorageError):
    """The file was written by a newer version that may be using it, so this version leaves it alone."""


def _tried(path: Path) -> sqlite3.Connection:
    # NORMAL spares a wait for the disk at each commit.
    # A power cut may take the last transactions of a NORMAL file. The mirror reads them from the service again.
    connection = connect(path, "NORMAL")
    with closed_on_failure(connection):
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIBIBYTES}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        _check_version(connection, path)
        with transaction(connection):
            if version_of(connection) == 0:
                for statement in SCHEMA.split(";\n"):
                    connection.execute(statement)
            _check_version(connection, path)  # another process may have created it in the meantime
        connection.execute("SELECT id, doc, base FROM documents LIMIT 1").fetchone()
        connection.execute("SELECT max(id), max(name) FROM items WHERE id = 0").fetchone()
        connection.execute("SELECT id FROM words_due LIMIT 1").fetchone()
    path.chmod(0o600)
    return connection


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    version = version_of(connection)
    if version > VERSION:
        raise SupersededError(
            "A newer version of backlit rebuilt the local copy of the backlog, and this version cannot read it. Use the"
            f" newer version. No data is lost. To use this version, close the newer one and delete {path}."
        )
    if version not in {0, VERSION}:
        raise _OtherVersionError


def _compared(before: Mapping[int, Document], after: Mapping[int, Document]) -> WriteResult:
    changed = frozenset(each for each in {*before, *after} if before.get(each) != after.get(each))
    keys: set[str] = set()
    for item_id in changed:
        is_same_item = item_id in before and item_id in after
        if not is_same_item or any(before[item_id].get(key) != after[item_id].get(key) for key in TOP_KEYS):
            return WriteResult(changed, frozenset())
        old, new = fields_in(before[item_id]), fields_in(after[item_id])
        keys |= {key for key in {*old, *new} if old.get(key) != new.get(key)}
        keys.add("lastModifiedAt")
    return WriteResult(changed, frozenset(keys))


def tree_writes(project_id: int) -> str:
    """Return the key of the note that counts writes to a project's trees. A read from before a write is stale."""
    return f"tree writes {project_id}"
