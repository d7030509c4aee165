"""Items and their documents after a project's settings changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, select, update

from backlit.model.fields import FIELDS
from backlit.service.admin.workspace import ADMINISTRATOR
from backlit.service.items import Item
from backlit.service.schema import projects as project_rows
from backlit.service.schema import work_items
from backlit.service.settings import TICK, Clock
from backlit.service.tables import projects
from backlit.service.tables.work_items import change

BATCH = 500
"""Items in memory at once."""

Alter = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Makes the values an item of a type is to have from those it has."""

_DOCUMENT = update(work_items).where(work_items.c.id == bindparam("item_id")).values(doc=bindparam("document"))


@dataclass(frozen=True, slots=True)
class Rewritten:
    """How many items got other values, and how many only another document."""

    changed: int
    rendered: int


def settings_changed(connection: Connection, project_id: int, alter: Alter | None = None) -> Rewritten:
    """Note that a project has other settings, so that running services read them, and bring its items in step.

    An item whose values change is stamped as changed by the administrator; one that only shows other
    keys is not.
    """
    mine = project_rows.c.id == project_id
    raised = {"settings_revision": project_rows.c.settings_revision + 1}
    connection.execute(update(project_rows).where(mine).values(raised))
    rewritten = rewrite(connection, project_id, alter)
    if rewritten.rendered:
        projects.count_items(connection, project_id, 0)
    return rewritten


def rewrite(connection: Connection, project_id: int, alter: Alter | None = None) -> Rewritten:
    """Bring the items of a project in step with its settings; `alter` may give them other values."""
    settings, now = projects.settings(connection, project_id), Clock().now()
    changed = rendered = 0
    for rows in item_rows(connection, project_id):
        stale = []
        for row in rows:
            old = item_of_row(row)
            values = old.values if alter is None else alter(old.type, old.values)
            if values != old.values:
                stamp = max(now, old.last_modified_at + TICK)
                new = replace(old, values=values, last_modified_by=ADMINISTRATOR, last_modified_at=stamp)
                change(connection, old, new, settings)
                changed += 1
                continue
            document = old.document(settings.fields_by_type[old.type])
            if document != bytes(row["doc"]):
                stale.append({"item_id": old.id, "document": document})
        if stale:
            connection.execute(_DOCUMENT, stale)
            rendered += len(stale)
    return Rewritten(changed, rendered)


def item_rows(connection: Connection, project_id: int) -> Iterator[Sequence[RowMapping]]:
    """Read a project's items by id, a batch at a time; rows may be written between batches."""
    last = 0
    batch = select(work_items).where(work_items.c.project_id == project_id).order_by(work_items.c.id).limit(BATCH)
    while rows := connection.execute(batch.where(work_items.c.id > last)).mappings().all():
        yield rows
        last = rows[-1]["id"]


def item_of_row(row: RowMapping) -> Item:
    """An item from its columns, with a value for every key there is, fitting its type or not."""
    values = {f.key: row[f.column] for f in FIELDS} | (row["cf"] or {})
    audit = (row[name] for name in ("created_by", "created_at", "last_modified_by", "last_modified_at"))
    return Item(row["id"], row["type"], row["project_id"], values, *audit)
