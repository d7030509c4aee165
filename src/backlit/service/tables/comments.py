"""Comments on work items."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from backlit.model.fields import ValueType
from backlit.model.resources import Comment
from backlit.service.storage.filter_sql import columns_of, properties_of
from backlit.service.storage.schema import audit, comments
from backlit.service.tables import attachments

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


def add(connection: Connection, values: dict[str, Any], by: str, now: datetime) -> Comment:
    row = connection.execute(insert(comments).values(**values, **audit(by, now)).returning(comments)).mappings().one()
    return Comment(**row)


def remove(connection: Connection, comment_id: int) -> tuple[str, ...]:
    connection.execute(delete(comments).where(comments.c.id == comment_id))
    return attachments.remove_of_comment(connection, comment_id)
