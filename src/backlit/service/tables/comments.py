"""Comments on work items."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from backlit.model.fields import ValueType
from backlit.model.filters import Filter, SortKey
from backlit.model.resources import INTERNAL, Comment
from backlit.service.storage.filter_sql import Columns, columns_of, condition, properties_of, sort_columns, written_as
from backlit.service.storage.schema import audit, comments
from backlit.service.tables import attachments

PROPERTIES = properties_of(
    projectId=ValueType.INTEGER,
    workItemId=ValueType.INTEGER,
    description=ValueType.TEXT,
    type=ValueType.TEXT,
)
_COLUMNS = columns_of(comments, PROPERTIES)


def read(connection: Connection, comment_id: int) -> Comment | None:
    """Read one comment."""
    row = connection.execute(select(comments).where(comments.c.id == comment_id)).mappings().first()
    return None if row is None else Comment(**row)


class Query(Struct, frozen=True):
    """Selection and order of comments; an `item_id` of None means all items of the projects."""

    project_ids: tuple[int, ...]
    item_id: int | None
    filter: Filter | None
    order: tuple[SortKey, ...]
    internal_type: str = INTERNAL
    """The internal type as the caller reads it."""

    @property
    def columns(self) -> Columns:
        """Return the columns as the caller reads them."""
        return written_as(_COLUMNS, "type", INTERNAL, self.internal_type)

    def where(self) -> list[ColumnElement[bool]]:
        """Return the conditions of the statement."""
        on_item = comments.c.work_item_id == self.item_id
        within = comments.c.project_id.in_(self.project_ids) if self.item_id is None else on_item
        return [within] if self.filter is None else [within, condition(self.filter, self.columns)]


def page(connection: Connection, query: Query, skip: int, top: int) -> Sequence[Comment]:
    """Read a page of comments."""
    statement = select(comments).where(*query.where()).order_by(*sort_columns(query.order, query.columns))
    return [Comment(**row) for row in connection.execute(statement.offset(skip).limit(top)).mappings()]


def count(connection: Connection, query: Query) -> int:
    """Count the comments that match."""
    return connection.execute(select(func.count()).select_from(comments).where(*query.where())).scalar_one()


def add(connection: Connection, values: dict[str, Any], by: str, now: datetime) -> Comment:
    """Write a comment."""
    row = connection.execute(insert(comments).values(**values, **audit(by, now)).returning(comments)).mappings().one()
    return Comment(**row)


def remove(connection: Connection, comment_id: int) -> tuple[str, ...]:
    """Delete a comment with its attachments; returns the digests of their contents."""
    connection.execute(delete(comments).where(comments.c.id == comment_id))
    return attachments.remove_of_comment(connection, comment_id)
