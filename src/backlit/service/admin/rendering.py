"""Updates of items and documents after a change of their project's settings."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Row, bindparam, select, update

from backlit.model.fields import ALL_TYPES, FIELDS
from backlit.service.storage.schema import work_items
from backlit.service.tables import projects
from backlit.service.tables.changes import Fields, Stamp
from backlit.service.tables.work_items import WorkItemRow, change

ITEMS_IN_MEMORY = 500
"""Items in memory at once."""

Alter = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Function from an item's type and values to its new values."""

_KEYS = tuple(f.key for f in FIELDS)
_AUDIT_COLUMNS = ("id", "type", "project_id", "created_by", "created_at", "last_modified_by", "last_modified_at")
_BATCH = (
    select(*(work_items.c[name] for name in (*_AUDIT_COLUMNS, *(f.column for f in FIELDS), "cf", "doc")))
    .where(work_items.c.project_id == bindparam("project"), work_items.c.id > bindparam("last"))
    .order_by(work_items.c.id)
    .limit(ITEMS_IN_MEMORY)
)
_DOCUMENT = update(work_items).where(work_items.c.id == bindparam("item_id")).values(doc=bindparam("document"))


class RewriteCounts(Struct, frozen=True):
    """Counts of items with new values, and of items with only a new document."""

    changed: int
    rendered: int


def settings_changed(
    connection: Connection,
    project_id: int,
    fields: Fields,
    stamp: Stamp,
    types: Collection[str] = (),
    *,
    alter: Alter | None = None,
) -> RewriteCounts:
    """Publish changed settings to running services, and update the project's items of some types.

    `fields` are the settings' old and new values. A changed value of an item stamps the item as modified by the
    administrator; a change of the shown keys alone does not.
    """
    projects.publish_settings(connection, project_id, fields, stamp)
    rewritten = rewrite(connection, project_id, types, alter, stamp)
    if rewritten.rendered:
        projects.count_items(connection, project_id, 0)
    return rewritten


def rewrite(
    connection: Connection, project_id: int, types: Collection[str], alter: Alter | None, stamp: Stamp
) -> RewriteCounts:
    """Update items of a project to its settings; `alter` may change their values."""
    settings = projects.settings(connection, project_id)
    changed = rendered = 0
    for rows in item_rows(connection, project_id, types):
        stale = []
        for row in rows:
            old = item_of_row(row)
            values = old.values if alter is None else alter(old.type, old.values)
            if values != old.values:
                change(connection, old, values, settings, stamp)
                changed += 1
                continue
            document = old.document(settings.fields_by_type[old.type])
            if document != bytes(row.doc):
                stale.append({"item_id": old.id, "document": document})
        if stale:
            connection.execute(_DOCUMENT, stale)
            rendered += len(stale)
    return RewriteCounts(changed, rendered)


def item_rows(
    connection: Connection, project_id: int, types: Collection[str] = ALL_TYPES
) -> Iterator[Sequence[Row[Any]]]:
    """Read a project's items by id, a batch at a time; rows may be written between batches."""
    batch, last = _BATCH if len(types) == len(ALL_TYPES) else _BATCH.where(work_items.c.type.in_(types)), 0
    while types and (rows := connection.execute(batch, {"project": project_id, "last": last}).all()):
        yield rows
        last = rows[-1].id


def item_of_row(row: Row[Any]) -> WorkItemRow:
    """Return an item from its columns, with a value for every key, even outside its type."""
    values = dict(zip(_KEYS, row[len(_AUDIT_COLUMNS) :], strict=False))
    audit = row.created_by, row.created_at, row.last_modified_by, row.last_modified_at
    return WorkItemRow(row.id, row.type, row.project_id, values | row.cf if row.cf else values, *audit)
