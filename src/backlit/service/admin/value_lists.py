"""The valid values of Status and other choices, per project and type."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import FIELDS, Field, ItemType, Kind
from backlit.service.admin.choices import Carrier, checked_choices, renames_of
from backlit.service.admin.rendering import Rewritten, settings_changed
from backlit.service.admin.workspace import project_id_of
from backlit.service.storage.schema import value_lists
from backlit.service.tables import projects

LISTED = {f.key: f for f in FIELDS if f.kind in {Kind.STATUS, Kind.CHOICE}}
"""The fields that have a list of values, by key."""


def listed(connection: Connection, project: str) -> list[dict[str, Any]]:
    """List the values of every type and key of a project; `isOwn` where it has others than the usual ones."""
    settings = projects.settings(connection, project_id_of(connection, project))
    return [
        {
            "type": item_type.value,
            "key": field.key,
            "values": list(settings.choices(item_type, field)),
            "isOwn": (item_type.value, field.key) in settings.value_lists,
        }
        for item_type in ItemType
        for field in LISTED.values()
        if field.applies_to(item_type)
    ]


def set_values(
    connection: Connection,
    project: str,
    item_type: str,
    key: str,
    values: Sequence[str],
    *,
    renames: Sequence[str] = (),
) -> dict[str, Any]:
    """Give a project its own list; raises Conflict where items have values that it lacks and no renaming is given."""
    project_id, field = project_id_of(connection, project), listed_field(item_type, key)
    choices = checked_choices(values, field.key)
    if not choices:
        raise BadRequest(f"Name the values of {field.key}. For the usual ones: backlit admin values reset")
    row = {"project_id": project_id, "type": item_type, "key": field.key}
    this = [value_lists.c[name] == value for name, value in row.items()]
    if connection.execute(select(value_lists.c.key).where(*this)).first():
        connection.execute(update(value_lists).where(*this).values(choices=list(choices)))
    else:
        connection.execute(insert(value_lists).values(**row, choices=list(choices)))
    rewritten = _carried(connection, project_id, item_type, field, choices, renames=renames)
    return {**_shown(row), "values": list(choices), "itemsChanged": rewritten.changed}


def reset(
    connection: Connection, project: str, item_type: str, key: str, renames: Sequence[str] = ()
) -> dict[str, Any]:
    """Take a project's own list away, so that the usual values go again; raises Conflict as `set_values` does."""
    project_id, field = project_id_of(connection, project), listed_field(item_type, key)
    row = {"project_id": project_id, "type": item_type, "key": field.key}
    if not connection.execute(delete(value_lists).where(*(value_lists.c[n] == v for n, v in row.items()))).rowcount:
        raise NotFound(f"The project has no list of its own for {field.key} of {item_type}; nothing was changed.")
    choices = field.choices_for(item_type)
    rewritten = _carried(connection, project_id, item_type, field, choices, renames=renames)
    return {**_shown(row), "values": list(choices), "itemsChanged": rewritten.changed}


def _carried(
    connection: Connection,
    project_id: int,
    item_type: str,
    field: Field,
    choices: Sequence[str],
    *,
    renames: Sequence[str],
) -> Rewritten:
    carrier = Carrier((item_type,), field.key, choices, renames_of(renames, choices))
    rewritten = settings_changed(connection, project_id, (item_type,), carrier.alter)
    carrier.must_fit()
    return rewritten


def listed_field(item_type: str, key: str) -> Field:
    """Find a field that has a list of values; raises BadRequest."""
    if key.endswith("_cf"):
        raise BadRequest(f"{key} is a custom field; its values are changed with: backlit admin fields change")
    field = LISTED.get(key)
    if field is None:
        raise BadRequest(f"{key!r} has no list of values; these have: {', '.join(LISTED)}.")
    if not field.applies_to(item_type):
        raise BadRequest(f"A {item_type} has no {key}; these have: {', '.join(field.types)}.")
    return field


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {"projectId": row["project_id"], "type": row["type"], "key": row["key"]}
