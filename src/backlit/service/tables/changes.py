"""The history: one row for each change, written in the transaction that makes the change."""

import hashlib
import zlib
from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson
from msgspec import Struct
from sqlalchemy import (
    Connection,
    LargeBinary,
    bindparam,
    insert,
    select,
    text,
    update,
)

from backlit.service.storage.clock import TICK
from backlit.service.storage.prepared_statements import PreparedStatement
from backlit.service.storage.schema import LAST_REVISION, changes, workspace
from backlit.service.tables.mentions import note_mentions

LONG_TEXT = 512
"""Bytes of a text beyond which it is kept once, compressed, and named by its digest."""
DIGEST_SIZE = 16

Fields = Mapping[str, Any]
"""Old and new value by key; under `LAST_DOCUMENT` what was removed."""

LAST_DOCUMENT = "="
TEXT_REFERENCE = "#"
"""Key of a digest in the place of a long text."""


class ChangeKind(IntEnum):
    """What was changed."""

    ITEM = 1
    COMMENT = 2
    FILE = 3
    AREA = 4
    ITERATION = 5
    PROJECT = 6
    SETTINGS = 7
    GRANT = 8
    USER = 9
    VIEW = 10
    ROUND = 11
    RELATION = 12
    LINK = 13
    CRITERION = 14
    TIME_ENTRY = 15
    MESSAGE = 16


class ChangeAct(IntEnum):
    """What happened to it; an item leaves a project and comes into another."""

    CREATED = 1
    CHANGED = 2
    REMOVED = 3
    LEFT = 4
    CAME = 5


class ChangeCause(IntEnum):
    """Why it was changed."""

    ASKED = 0
    ROLLED_UP = 1
    RENUMBERED = 2
    REASSIGNED = 3
    REMOVED_WITH_ANOTHER = 4
    EXPORT_IMPORTED = 5
    ADMINISTRATION = 6
    UNDO = 7
    RESTORE = 8
    IMPORT = 9


_ACCESS = frozenset({ChangeKind.GRANT, ChangeKind.USER})
"""Kinds whose changes may change what somebody sees."""


_WITH_TEXT = frozenset({ChangeKind.ITEM, ChangeKind.COMMENT, ChangeKind.CRITERION})
_GIVING_TEXT = frozenset({ChangeAct.CREATED, ChangeAct.CHANGED})
_SILENT = frozenset({ChangeCause.EXPORT_IMPORTED, ChangeCause.IMPORT})
"""Causes that mention nobody: what is brought from elsewhere was said long ago."""


class Stamp(Struct):
    """Author, time and cause of the changes of one request or command, and the revisions given to them so far."""

    user_id: int | None
    name: str
    at: datetime
    cause: ChangeCause = ChangeCause.ASKED
    made_at: datetime | None = None
    """The client's own time."""
    first_revision: int | None = None
    last_revision: int | None = None

    def after(self, earlier: datetime) -> datetime:
        """Return the time of a change to what was last changed earlier: the stamps of one object always grow."""
        return max(self.at, earlier + TICK)


class RecordedChange(Struct, frozen=True):
    """A change as the history keeps it; `cause` is given where it differs from that of the request."""

    kind: ChangeKind
    act: ChangeAct
    object_id: int
    project_id: int | None
    fields: Fields
    at: datetime
    item_id: int | None = None
    cause: ChangeCause | None = None


def created(values: Mapping[str, Any]) -> Fields:
    return {key: (None, value) for key, value in values.items() if value is not None}


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Fields:
    """Return the keys whose values differ; a key that one of the two lacks is null there."""
    changed = {key: (old.get(key), value) for key, value in new.items() if value != old.get(key)}
    gone = {key: (value, None) for key, value in old.items() if key not in new and value is not None}
    return changed | gone


def removed(document: Mapping[str, Any]) -> Fields:
    return {LAST_DOCUMENT: {key: value for key, value in document.items() if value is not None}}


APPENDED = (
    insert(changes)
    .values({c.name: bindparam(c.name, type_=c.type) for c in changes.c} | {"revision": LAST_REVISION + 1})
    .returning(changes.c.revision)
)
"""Writes a change under the next revision, and returns that."""
_APPEND = PreparedStatement(APPENDED)
_LAST = PreparedStatement(select(LAST_REVISION))
_REVISIONS = PreparedStatement(select(LAST_REVISION, select(workspace.c.access_revision).scalar_subquery()))
_KEEP_TEXT = PreparedStatement(
    text("INSERT INTO change_texts (digest, body) VALUES (:digest, :body) ON CONFLICT DO NOTHING").bindparams(
        bindparam("digest", type_=LargeBinary()), bindparam("body", type_=LargeBinary())
    )
)


def note(
    connection: Connection,
    stamp: Stamp,
    *recorded: RecordedChange,
    append: PreparedStatement = _APPEND,
    values: Mapping[str, object] = MappingProxyType({}),
) -> int:
    """Write changes, of which there is at least one, under the next revisions; return the first of these.

    `append` is APPENDED, with what it writes besides by further `values`. The caller holds the lock of all writers
    until it commits.
    """
    rows = [change_row(connection, stamp, change) for change in recorded]
    ((first,),) = append.rows(connection, **rows[0], **values)
    last = first + len(rows) - 1
    if stamp.first_revision is None:
        stamp.first_revision = first
    if rows[1:]:
        numbered = [
            row | {"revision": revision, "request": stamp.first_revision}
            for revision, row in enumerate(rows[1:], first + 1)
        ]
        connection.execute(insert(changes), numbered)
    stamp.last_revision = last
    for change in recorded:
        if change.kind in _WITH_TEXT and change.act in _GIVING_TEXT and stamp.cause not in _SILENT:
            note_mentions(connection, stamp.first_revision, stamp.user_id, change.project_id, change.fields)
    if any(change.kind in _ACCESS for change in recorded):
        raise_access_revision(connection)
    return int(first)


def raise_access_revision(connection: Connection) -> None:
    """Have those who follow the changes be checked again; the caller holds the lock of all writers."""
    connection.execute(update(workspace).values(access_revision=workspace.c.access_revision + 1))


def change_row(connection: Connection, stamp: Stamp, change: RecordedChange) -> dict[str, Any]:
    """Return the row of a change, without its revision; its long texts are written."""
    fields = orjson.dumps(change.fields)
    # Only a long change can have a long text; to look at each value of a new item took 0.03 ms.
    if len(fields) > LONG_TEXT:
        fields = orjson.dumps(_folded(connection, change.fields))
    return {
        "at": change.at,
        "project_id": change.project_id,
        "kind": int(change.kind),
        "act": int(change.act),
        "object_id": change.object_id,
        "item_id": change.item_id,
        "user_id": stamp.user_id,
        "cause": int(stamp.cause if change.cause is None else change.cause),
        "made_at": stamp.made_at,
        "request": stamp.first_revision,
        "fields": fields.decode(),
    }


def _folded(connection: Connection, value: Any) -> Any:
    """Return a value with references in the place of its long texts."""
    if isinstance(value, str):
        if len(value) * 4 <= LONG_TEXT or len(value.encode()) <= LONG_TEXT:
            return value
        return {TEXT_REFERENCE: _kept(connection, value.encode())}
    if isinstance(value, dict):
        return {key: _folded(connection, each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_folded(connection, each) for each in value]
    return value


def _kept(connection: Connection, body: bytes) -> str:
    digest = hashlib.blake2b(body, digest_size=DIGEST_SIZE)
    _KEEP_TEXT.run(connection, digest=digest.digest(), body=zlib.compress(body))
    return digest.hexdigest()


def last_revision(connection: Connection) -> int:
    return int(_LAST.rows(connection)[0][0])


class Revisions(NamedTuple):
    """The last change, and a number that grows with each change of what somebody may see or of a sign-in's end."""

    last: int
    access: int


def revisions(connection: Connection) -> Revisions:
    return Revisions(*map(int, _REVISIONS.rows(connection)[0]))
