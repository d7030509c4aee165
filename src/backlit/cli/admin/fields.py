"""`backlit admin fields` and `values`: custom fields, statuses and other lists of valid values."""

import argparse

from backlit.cli.output import say, show, some
from backlit.cli.served import looked_at, opened
from backlit.model.fields import ItemType, Kind
from backlit.service.admin import custom_fields, value_lists
from backlit.service.admin.custom_fields import FieldChange

_FIELD_COLUMNS = {
    "projectId": "Project#",
    "key": "Key",
    "kind": "Kind",
    "default": "Default",
    "types": "Types",
    "choices": "Values",
}


def list_fields(arguments: argparse.Namespace) -> None:
    """List custom fields."""
    with looked_at(arguments) as connection:
        show(arguments, custom_fields.listed(connection, arguments.project), _FIELD_COLUMNS)


def add_field(arguments: argparse.Namespace) -> None:
    """Add a custom field to a project."""
    kind = Kind(arguments.kind.replace("-", " "))
    with opened(arguments) as connection:
        field = custom_fields.add(connection, arguments.project, arguments.key, kind, _field_change(arguments))
    say(arguments, f"Added {field['key']}; {some(field['itemsRendered'], 'item')} can have it.", field)


def change_field(arguments: argparse.Namespace) -> None:
    """Change types, values or default of a custom field."""
    with opened(arguments) as connection:
        field = custom_fields.change(connection, arguments.project, arguments.key, _field_change(arguments))
    changed = some(field["itemsChanged"], "item")
    say(arguments, f"Changed {field['key']}; {changed} got another value or lost it.", field)


def remove_field(arguments: argparse.Namespace) -> None:
    """Remove a custom field with its values."""
    with opened(arguments) as connection:
        field = custom_fields.remove(connection, arguments.project, arguments.key)
    say(arguments, f"Removed {field['key']}; {some(field['itemsChanged'], 'item')} lost a value.", field)


def _field_change(arguments: argparse.Namespace) -> FieldChange:
    types: list[ItemType] | None = arguments.types
    return FieldChange(types, arguments.choices, arguments.default, getattr(arguments, "renames", ()))


_VALUE_COLUMNS = {"type": "Type", "key": "Key", "isOwn": "Own", "values": "Values"}


def list_values(arguments: argparse.Namespace) -> None:
    """List the values of every type and key of a project."""
    with looked_at(arguments) as connection:
        show(arguments, value_lists.listed(connection, arguments.project), _VALUE_COLUMNS)


def set_values(arguments: argparse.Namespace) -> None:
    """Set a project's own list of values."""
    place = arguments.project, arguments.type, arguments.key
    with opened(arguments) as connection:
        found = value_lists.set_values(connection, *place, arguments.values, renames=arguments.renames)
    say(arguments, _values_sentence(found), found)


def reset_values(arguments: argparse.Namespace) -> None:
    """Reset to the default values."""
    place = arguments.project, arguments.type, arguments.key
    with opened(arguments) as connection:
        found = value_lists.reset(connection, *place, renames=arguments.renames)
    say(arguments, _values_sentence(found), found)


def _values_sentence(found: dict[str, object]) -> str:
    values, changed = found["values"], found["itemsChanged"]
    assert isinstance(values, list)
    assert isinstance(changed, int)
    return f"{found['key']} of {found['type']} is one of: {', '.join(values)}. {some(changed, 'item')} changed."
