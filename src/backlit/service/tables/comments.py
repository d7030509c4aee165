"""Comments on work items."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from backlit.model.comments import Comment
from backlit.service.schema import comments


def read(connection: Connection, comment_id: int) -> Comment | None:
    """Read one comment."""
    row = connection.execute(select(comments).where(comments.c.id == comment_id)).mappings().first()
    return None if row is None else Comment(**row)


def page(
    connection: Connection,
    where: Iterable[ColumnElement[bool]],
    order: Collection[ColumnElement[Any]],
    skip: int,
    top: int | None,
) -> Sequence[Comment]:
    """Read a page of comments, or from `skip` on all that match."""
    statement = select(comments).where(*where).order_by(*order).offset(skip).limit(top)
    return [Comment(**row) for row in connection.execute(statement).mappings()]


def count(connection: Connection, where: Iterable[ColumnElement[bool]]) -> int:
    """Count the comments that match."""
    return connection.execute(select(func.count()).select_from(comments).where(*where)).scalar_one()


def add(connection: Connection, values: dict[str, Any], by: str, now: datetime) -> Comment:
    """Write a comment."""
    audit = {"created_by": by, "created_at": now, "last_modified_by": by, "last_modified_at": now}
    row = connection.execute(insert(comments).values(**values, **audit).returning(comments)).mappings().one()
    return Comment(**row)


def remove(connection: Connection, comment_id: int) -> None:
    """Delete a comment."""
    connection.execute(delete(comments).where(comments.c.id == comment_id))
