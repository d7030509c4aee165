"""Comments on work items."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from backlit.model.fields import ValueType
from backlit.model.resources import Comment
from backlit.service.storage.filter_sql import columns_of, properties_of
from backlit.service.storage.schema import audit, comments
from backlit.service.tables import attachments
from backlit.service.tables.changes import (
    ChangeAct,
    ChangeCause,
    ChangeKind,
    Fields,
    RecordedChange,
    Stamp,
    created,
    note,
    removed,
)

PROPERTIES = properties_of(
    projectId=ValueType.INTEGER,
    workItemId=ValueType.INTEGER,
    description=ValueType.TEXT,
    type=ValueType.TEXT,
)
LISTED = comments, columns_of(comments, PROPERTIES)
"""The table and the columns of a query."""


def read(connection: Connection, comment_id: int) -> Comment | None:
    row = connection.execute(select(comments).where(comments.c.id == comment_id)).mappings().first()
    return None if row is None else Comment(**row)


def add(connection: Connection, values: dict[str, Any], stamp: Stamp) -> Comment:
    row = {**values, **audit(stamp.name, stamp.at)}
    comment = Comment(**connection.execute(insert(comments).values(row).returning(comments)).mappings().one())
    note(connection, stamp, creation(comment, stamp.at))
    return comment


def remove(connection: Connection, comment: Comment, stamp: Stamp) -> tuple[str, ...]:
    """Delete a comment with its attachments; return the digests of their contents."""
    connection.execute(delete(comments).where(comments.c.id == comment.id))
    note(connection, stamp, _removal(comment, stamp))
    return attachments.remove_of_comment(connection, comment.id, stamp)


def remove_of_items(connection: Connection, item_ids: Collection[int], stamp: Stamp) -> None:
    mine = comments.c.work_item_id.in_(item_ids)
    rows = connection.execute(select(comments).where(mine).order_by(comments.c.id)).mappings().all()
    if rows:
        connection.execute(delete(comments).where(mine))
        cause = ChangeCause.REMOVED_WITH_ANOTHER
        note(connection, stamp, *(_removal(Comment(**row), stamp, cause) for row in rows))


def creation(comment: Comment, at: datetime) -> RecordedChange:
    fields = created({"description": comment.description, "type": comment.type})
    return _recorded(comment, ChangeAct.CREATED, fields, at)


def _removal(comment: Comment, stamp: Stamp, cause: ChangeCause | None = None) -> RecordedChange:
    return _recorded(comment, ChangeAct.REMOVED, removed(comment.wire()), stamp.at, cause)


def _recorded(
    comment: Comment, act: ChangeAct, fields: Fields, at: datetime, cause: ChangeCause | None = None
) -> RecordedChange:
    item_id = comment.work_item_id
    return RecordedChange(ChangeKind.COMMENT, act, comment.id, comment.project_id, fields, at, item_id, cause)
