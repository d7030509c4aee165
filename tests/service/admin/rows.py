"""Rows of a database, and how an act on them ends."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, Table, select, update

from backlit.model.errors import BacklitError, BadRequest
from backlit.service.storage.schema import work_items


def rows_of(connection: Connection, table: Table, **values: object) -> list[dict[str, Any]]:
    """Return the rows with the given values, in the order of their keys."""
    where = [table.c[name] == value for name, value in values.items()]
    found = select(table).where(*where).order_by(*table.primary_key)
    return [dict(row) for row in connection.execute(found).mappings()]


def refusal(act: Callable[[], object], kind: type[BacklitError] = BadRequest) -> str:
    with pytest.raises(kind) as caught:
        act()
    return caught.value.message


def is_taken(act: Callable[[], object]) -> bool:
    try:
        act()
    except BadRequest:
        return False
    return True


def set_custom(connection: Connection, item_id: int, values: dict[str, object]) -> None:
    """Give an item other values of custom fields, as if they had always been there."""
    connection.execute(update(work_items).where(work_items.c.id == item_id).values(cf=values))
