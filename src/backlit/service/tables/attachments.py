"""Attachments of work items and comments; the file store has their contents by digest."""

from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from backlit.model.dates import write_datetime
from backlit.model.fields import ValueType
from backlit.model.filters import Filter, SortKey
from backlit.model.resources import INTERNAL
from backlit.service.storage.columns import audit
from backlit.service.storage.filter_sql import columns_of, properties_of, written_as
from backlit.service.storage.schema import attachments, files_place
from backlit.service.tables.changes import (
    ChangeAct,
    ChangeCause,
    ChangeKind,
    Fields,
    RecordedChange,
    Stamp,
    created,
    differences,
    note,
    removed,
)
from backlit.service.tables.list_statement import ListStatement

PROPERTIES = properties_of(
    projectId=ValueType.INTEGER,
    workItemId=ValueType.INTEGER,
    commentId=ValueType.INTEGER,
    name=ValueType.TEXT,
    description=ValueType.TEXT,
    size=ValueType.INTEGER,
    type=ValueType.TEXT,
)


class StoredAttachment(Struct, frozen=True):
    """A stored attachment, without its addresses, which depend on the request."""

    id: int
    project_id: int
    work_item_id: int
    comment_id: int | None
    name: str
    description: str | None
    size: int
    content_type: str
    digest: str
    type: str
    created_by: str
    created_at: datetime
    last_modified_by: str
    last_modified_at: datetime

    def described(self) -> dict[str, Any]:
        """Return the values as the history names them."""
        return {
            "commentId": self.comment_id,
            "name": self.name,
            "description": self.description,
            "size": self.size,
            "contentType": self.content_type,
            "digest": self.digest,
            "type": self.type,
        }

    def recorded(
        self, act: ChangeAct, fields: Fields, at: datetime, cause: ChangeCause | None = None
    ) -> RecordedChange:
        return RecordedChange(ChangeKind.FILE, act, self.id, self.project_id, fields, at, self.work_item_id, cause)


def query(
    project_ids: tuple[int, ...],
    item_id: int | None,
    comment_id: int | None,
    selected: Filter | None,
    order: tuple[SortKey, ...],
    *,
    internal_type: str = INTERNAL,
) -> ListStatement:
    """Return the list of the attachments of some projects, of an item, or of a comment.

    `internal_type` is the internal type as the caller reads it.
    """
    cells = attachments.c
    if comment_id is not None:
        within = cells.comment_id == comment_id
    elif item_id is not None:
        within = cells.work_item_id == item_id
    else:
        within = cells.project_id.in_(project_ids)
    columns = written_as(columns_of(attachments, PROPERTIES), "type", INTERNAL, internal_type)
    return ListStatement(attachments, columns, (within,), selected, order)


def read(connection: Connection, attachment_id: int) -> StoredAttachment | None:
    row = connection.execute(select(attachments).where(attachments.c.id == attachment_id)).mappings().first()
    return None if row is None else StoredAttachment(**row)


def add(connection: Connection, values: dict[str, Any], stamp: Stamp) -> StoredAttachment:
    row = {**values, **audit(stamp.name, stamp.at)}
    added = connection.execute(insert(attachments).values(row).returning(attachments)).mappings().one()
    stored = StoredAttachment(**added)
    note(connection, stamp, stored.recorded(ChangeAct.CREATED, created(stored.described()), stamp.at))
    return stored


def describe(connection: Connection, old: StoredAttachment, description: str | None, stamp: Stamp) -> StoredAttachment:
    at = max(stamp.at, old.last_modified_at)
    values = {"description": description, "last_modified_by": stamp.name, "last_modified_at": at}
    mine = update(attachments).where(attachments.c.id == old.id).values(values)
    new = StoredAttachment(**connection.execute(mine.returning(attachments)).mappings().one())
    note(connection, stamp, new.recorded(ChangeAct.CHANGED, differences(old.described(), new.described()), at))
    return new


def remove(connection: Connection, attachment_id: int, stamp: Stamp) -> tuple[str, ...]:
    """Delete an attachment; returns the digest of its contents, which may be unused now."""
    return _remove(connection, attachments.c.id == attachment_id, stamp)


def remove_of_items(connection: Connection, item_ids: Collection[int], stamp: Stamp) -> tuple[str, ...]:
    return _remove(connection, attachments.c.work_item_id.in_(item_ids), stamp, ChangeCause.REMOVED_WITH_ANOTHER)


def remove_of_comment(connection: Connection, comment_id: int, stamp: Stamp) -> tuple[str, ...]:
    return _remove(connection, attachments.c.comment_id == comment_id, stamp, ChangeCause.REMOVED_WITH_ANOTHER)


def uses(connection: Connection, digest: str) -> bool:
    return (
        connection.execute(select(attachments.c.id).where(attachments.c.digest == digest).limit(1)).first() is not None
    )


def _remove(
    connection: Connection, which: ColumnElement[bool], stamp: Stamp, cause: ChangeCause | None = None
) -> tuple[str, ...]:
    rows = connection.execute(select(attachments).where(which).order_by(attachments.c.id)).mappings()
    gone = [StoredAttachment(**row) for row in rows]
    if not gone:
        return ()
    connection.execute(delete(attachments).where(which))
    recorded = []
    for stored in gone:
        written = {"createdBy": stored.created_by, "createdAt": write_datetime(stored.created_at)}
        last = removed({**stored.described(), **written})
        recorded.append(stored.recorded(ChangeAct.REMOVED, last, max(stamp.at, stored.last_modified_at), cause))
    note(connection, stamp, *recorded)
    return tuple(dict.fromkeys(stored.digest for stored in gone))


def remember_place(connection: Connection, files: Path | str) -> None:
    """Record where the contents are; no write where the record says so already."""
    place = files if isinstance(files, str) else str(files.absolute())
    if connection.execute(select(files_place.c.place)).scalars().all() != [place]:
        connection.execute(delete(files_place))
        connection.execute(insert(files_place).values(place=place))
