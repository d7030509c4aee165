"""`backlit admin fields`: custom fields."""

import argparse

from backlit.cli.admin.output import say, show, some
from backlit.cli.admin.workspace import looked_at, opened
from backlit.model.fields import ItemType, Kind
from backlit.service.admin import custom_fields
from backlit.service.admin.custom_fields import FieldChange

_COLUMNS = {
    "projectId": "Project#",
    "key": "Key",
    "kind": "Kind",
    "default": "Default",
    "types": "Types",
    "choices": "Values",
}


def listed(arguments: argparse.Namespace) -> None:
    """List custom fields."""
    with looked_at(arguments) as connection:
        show(arguments, custom_fields.listed(connection, arguments.project), _COLUMNS)


def add(arguments: argparse.Namespace) -> None:
    """Add a custom field to a project."""
    kind = Kind(arguments.kind.replace("-", " "))
    with opened(arguments) as connection:
        field = custom_fields.add(connection, arguments.project, arguments.key, kind, _given(arguments))
    say(arguments, f"Added {field['key']}; {some(field['itemsRendered'], 'item')} can have it.", field)


def change(arguments: argparse.Namespace) -> None:
    """Change types, values or default of a custom field."""
    with opened(arguments) as connection:
        field = custom_fields.change(connection, arguments.project, arguments.key, _given(arguments))
    changed = some(field["itemsChanged"], "item")
    say(arguments, f"Changed {field['key']}; {changed} got another value or lost it.", field)


def remove(arguments: argparse.Namespace) -> None:
    """Remove a custom field with its values."""
    with opened(arguments) as connection:
        field = custom_fields.remove(connection, arguments.project, arguments.key)
    say(arguments, f"Removed {field['key']}; {some(field['itemsChanged'], 'item')} lost a value.", field)


def _given(arguments: argparse.Namespace) -> FieldChange:
    types: list[ItemType] | None = arguments.types
    return FieldChange(types, arguments.choices, arguments.default, getattr(arguments, "renames", ()))
