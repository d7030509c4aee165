"""Custom fields: a project's own keys, which end in `_cf`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, delete, insert, select, update

from backlit.model.errors import BadRequest, Conflict, NotFound
from backlit.model.fields import CUSTOM_KINDS, ItemType, Kind, custom_field
from backlit.service.admin.rendering import Alter, settings_changed
from backlit.service.admin.value_lists import ValueRenaming, checked_choices, renames_of
from backlit.service.admin.workspace import administrator_stamp, project_id_of
from backlit.service.storage.dialects import in_any_case
from backlit.service.storage.schema import custom_fields
from backlit.service.tables.projects import default_value

_KEY = re.compile(r"[A-Za-z]\w{0,59}_cf", re.ASCII)


class CustomFieldChange(Struct, frozen=True):
    """Changes to a custom field; None leaves a setting unchanged, an empty default removes it."""

    types: Sequence[str] | None = None
    choices: Sequence[str] | None = None
    default: str | None = None
    renames: Sequence[str] = ()


def listed(connection: Connection, project: str | None = None) -> list[dict[str, Any]]:
    rows = select(custom_fields).order_by(custom_fields.c.project_id, custom_fields.c.key)
    if project is not None:
        rows = rows.where(custom_fields.c.project_id == project_id_of(connection, project))
    return [_shown(dict(row)) for row in connection.execute(rows).mappings()]


def add(connection: Connection, project: str, key: str, kind: Kind, given: CustomFieldChange) -> dict[str, Any]:
    """Add a custom field; items of its types have it at once, unset."""
    project_id = project_id_of(connection, project)
    _must_be_key(key)
    same = (custom_fields.c.project_id == project_id, in_any_case(custom_fields.c.key, key))
    if connection.execute(select(custom_fields.c.key).where(*same)).first():
        raise Conflict(f"The project already has a field {key}. To change it: backlit admin fields change")
    row = _checked({"project_id": project_id, "key": key, "kind": kind.value}, given)
    connection.execute(insert(custom_fields).values(row))
    fields = {key: (None, _settings_of(row))}
    rewritten = settings_changed(connection, project_id, fields, administrator_stamp(connection), row["types"])
    return {**_shown(row), "itemsRendered": rewritten.rendered}


def change(connection: Connection, project: str, key: str, given: CustomFieldChange) -> dict[str, Any]:
    """Change types, choices or default; items of a removed type lose their value."""
    old = _found(connection, project, key)
    row = _checked(old, given)
    this = (custom_fields.c.project_id == row["project_id"], custom_fields.c.key == key)
    connection.execute(update(custom_fields).where(*this).values(row))
    renames = renames_of(given.renames, row["choices"])
    carrier = ValueRenaming(row["types"], key, row["choices"], renames)
    gone = set(old["types"]) - set(row["types"])
    forget = _forgetting(key, gone)
    before, after = _settings_of(old), _settings_of(row)
    rewritten = settings_changed(
        connection,
        row["project_id"],
        {key: (before, after)} if before != after else {},
        administrator_stamp(connection),
        {*old["types"], *row["types"]},
        alter=lambda item_type, values: forget(item_type, carrier.alter(item_type, values)),
    )
    carrier.must_fit()
    return {**_shown(row), "itemsChanged": rewritten.changed, "itemsRendered": rewritten.rendered}


def remove(connection: Connection, project: str, key: str) -> dict[str, Any]:
    row = _found(connection, project, key)
    this = (custom_fields.c.project_id == row["project_id"], custom_fields.c.key == key)
    connection.execute(delete(custom_fields).where(*this))
    fields, forget = {key: (_settings_of(row), None)}, _forgetting(key, set(row["types"]))
    stamp = administrator_stamp(connection)
    rewritten = settings_changed(connection, row["project_id"], fields, stamp, row["types"], alter=forget)
    return {**_shown(row), "itemsChanged": rewritten.changed, "itemsRendered": rewritten.rendered}


def _forgetting(key: str, types: set[Any]) -> Alter:
    def forget(item_type: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
        if item_type not in types or key not in values:
            return values
        return {other: value for other, value in values.items() if other != key}

    return forget


def must_be_sound(row: Mapping[str, Any]) -> None:
    """Raise BadRequest for a row that `add` and `change` would reject."""
    _must_be_key(row["key"])
    if row["kind"] not in set(CUSTOM_KINDS):
        raise BadRequest(f"A custom field cannot be of kind {row['kind']!r}; the kinds are: {', '.join(CUSTOM_KINDS)}.")
    unknown = [t for t in row["types"] if t not in set(ItemType)]
    if unknown:
        raise BadRequest(f"The type {unknown[0]!r} does not exist; there are: {', '.join(ItemType)}.")
    _checked(row, CustomFieldChange(choices=row["choices"]))


def _must_be_key(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise BadRequest(
            f"The key {key!r} must be letters, digits and underscores, begin with a letter and end in _cf:"
            f" {_suggestion(key)}"
        )


def _checked(row: Mapping[str, Any], given: CustomFieldChange) -> dict[str, Any]:
    key, kind = row["key"], Kind(row["kind"])
    types = list(row.get("types", list(ItemType)) if given.types is None else dict.fromkeys(given.types))
    choices = row.get("choices", ()) if given.choices is None else checked_choices(given.choices, key)
    default = row.get("default_value") if given.default is None else given.default or None
    if (kind is Kind.CHOICE) != bool(choices):
        needs = "needs its values: add --choice for each" if kind is Kind.CHOICE else "takes no --choice"
        raise BadRequest(f"{key} is of kind {kind.value} and {needs}.")
    if not types:
        raise BadRequest(f"{key} needs at least one type: --types Story,Bug")
    if default is not None:
        try:
            value = default_value(custom_field(key, kind, default=default))
        except ValueError:
            raise BadRequest(f"{default!r} cannot be the default of {key}, which is of kind {kind.value}.") from None
        if choices and value not in choices:
            raise BadRequest(f"The default {default!r} of {key} is not among its values: {', '.join(choices)}.")
    own = {"types": [ItemType(t).value for t in types], "choices": list(choices), "default_value": default}
    return {"project_id": row["project_id"], "key": key, "kind": kind.value} | own


def _found(connection: Connection, project: str, key: str) -> Mapping[str, Any]:
    project_id = project_id_of(connection, project)
    mine = select(custom_fields).where(custom_fields.c.project_id == project_id)
    rows = {row["key"]: dict(row) for row in connection.execute(mine).mappings()}
    if key not in rows:
        raise NotFound(f"The project has no field {key!r}; it has: {', '.join(sorted(rows)) or 'none'}.")
    return rows[key]


def _suggestion(key: str) -> str:
    cleaned = re.sub(r"\W+", "", key.removesuffix("_cf"), flags=re.ASCII).lstrip("_0123456789")
    return f"{cleaned or 'Name'}_cf"


def _settings_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a custom field as the history of its project names it."""
    return {name: value for name, value in _shown(row).items() if name not in {"projectId", "key"}}


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "projectId": row["project_id"],
        "key": row["key"],
        "kind": row["kind"],
        "types": list(row["types"]),
        "choices": list(row["choices"]),
        "default": row["default_value"],
    }
