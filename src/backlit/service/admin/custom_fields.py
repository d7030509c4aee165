"""Custom fields: a project's own keys, which end in `_cf`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, delete, insert, select, update

from backlit.model.errors import BadRequest, Conflict, NotFound
from backlit.model.field_values import Misfit, parse_day
from backlit.model.fields import CUSTOM_KINDS, ItemType, Kind, custom_field
from backlit.service.admin.rendering import Alter, settings_changed
from backlit.service.admin.value_lists import ValueRenaming, checked_choices, renames_of
from backlit.service.admin.workspace import administrator_stamp, project_id_of
from backlit.service.storage.dialects import in_any_case
from backlit.service.storage.schema import custom_fields, work_items
from backlit.service.tables.projects import default_value

_KEY = re.compile(r"[A-Za-z]\w{0,59}_cf", re.ASCII)


class CustomFieldChange(Struct, frozen=True):
    """Changes to a custom field; None leaves a setting unchanged, an empty default removes it."""

    types: Sequence[str] | None = None
    choices: Sequence[str] | None = None
    default: str | None = None
    renames: Sequence[str] = ()
    is_due: bool | None = None
    kind: Kind | None = None


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
    _must_be_only_due(connection, row)
    connection.execute(insert(custom_fields).values(row))
    fields = {key: (None, _settings_of(row))}
    rewritten = settings_changed(connection, project_id, fields, administrator_stamp(connection), row["types"])
    return {**_shown(row), "itemsRendered": rewritten.rendered}


def change(connection: Connection, project: str, key: str, given: CustomFieldChange) -> dict[str, Any]:
    """Change types, choices, default or kind; items of a removed type lose their value."""
    old = _found(connection, project, key)
    row = _checked(old, given)
    _must_be_only_due(connection, row)
    if row["kind"] != old["kind"]:
        _must_become_days(connection, old, row["kind"])
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
        alter=lambda item_type, values: forget(
            item_type, _with_day(row, old["kind"], carrier.alter(item_type, values))
        ),
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


def _must_be_only_due(connection: Connection, row: Mapping[str, Any]) -> None:
    others = custom_fields.c.project_id == row["project_id"], custom_fields.c.is_due, custom_fields.c.key != row["key"]
    other = connection.execute(select(custom_fields.c.key).where(*others)).scalar() if row["is_due"] else None
    if other is not None:
        raise Conflict(
            f"The due date of the project is {other}. To let it be {row['key']}, turn that off first:"
            f" backlit admin fields change PROJECT {other} --due off"
        )


def _must_become_days(connection: Connection, old: Mapping[str, Any], kind: str) -> None:
    """Raise unless a field of texts becomes one of dates, and all its texts are days."""
    key = old["key"]
    if (old["kind"], kind) != (Kind.TEXT, Kind.DATE):
        raise BadRequest(f"{key} is of kind {old['kind']}; only a text can become another kind, which is date.")
    mine = work_items.c.project_id == old["project_id"], work_items.c.cf.is_not(None)
    items = connection.execute(select(work_items.c.id, work_items.c.cf).where(*mine).order_by(work_items.c.id))
    others = [(item_id, values[key]) for item_id, values in items if not _is_day(values.get(key))]
    if others:
        named = ", ".join(f"#{item_id} {value[:40]!r}" for item_id, value in others[:3])
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        raise Conflict(f"{key} is no day such as 2026-03-01 in {named}{more}; nothing was changed.")


def _is_day(value: str | None) -> bool:
    try:
        return not value or not value.strip() or bool(parse_day(value))
    except Misfit:
        return False


def _with_day(row: Mapping[str, Any], old_kind: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values with the day that a text of a field is, where it becomes a date."""
    text = values.get(row["key"])
    if row["kind"] == old_kind or text is None:
        return values
    return {**values, row["key"]: parse_day(text).isoformat() if text.strip() else None}


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
    key, kind = row["key"], given.kind or Kind(row["kind"])
    types = list(row.get("types", list(ItemType)) if given.types is None else dict.fromkeys(given.types))
    choices = row.get("choices", ()) if given.choices is None else checked_choices(given.choices, key)
    default = row.get("default_value") if given.default is None else given.default or None
    if (kind is Kind.CHOICE) != bool(choices):
        needs = "needs its values: add --choice for each" if kind is Kind.CHOICE else "takes no --choice"
        raise BadRequest(f"{key} is of kind {kind.value} and {needs}.")
    is_due = row.get("is_due", False) if given.is_due is None else given.is_due
    if is_due and kind is not Kind.DATE:
        raise BadRequest(f"{key} is of kind {kind.value}; a due date is of kind date: --kind date")
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
    return {"project_id": row["project_id"], "key": key, "kind": kind.value, **own, "is_due": is_due}


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
        "due": row["is_due"],
    }
