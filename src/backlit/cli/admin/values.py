"""`backlit admin values`: statuses and other lists of valid values."""

import argparse

from backlit.cli.admin.output import say, show, some
from backlit.cli.admin.workspace import looked_at, opened
from backlit.service.admin import value_lists

_COLUMNS = {"type": "Type", "key": "Key", "isOwn": "Own", "values": "Values"}


def listed(arguments: argparse.Namespace) -> None:
    """List the values of every type and key of a project."""
    with looked_at(arguments) as connection:
        show(arguments, value_lists.listed(connection, arguments.project), _COLUMNS)


def set_values(arguments: argparse.Namespace) -> None:
    """Set a project's own list of values."""
    place = arguments.project, arguments.type, arguments.key
    with opened(arguments) as connection:
        found = value_lists.set_values(connection, *place, arguments.values, renames=arguments.renames)
    say(arguments, _sentence(found), found)


def reset(arguments: argparse.Namespace) -> None:
    """Reset to the default values."""
    place = arguments.project, arguments.type, arguments.key
    with opened(arguments) as connection:
        found = value_lists.reset(connection, *place, renames=arguments.renames)
    say(arguments, _sentence(found), found)


def _sentence(found: dict[str, object]) -> str:
    values, changed = found["values"], found["itemsChanged"]
    assert isinstance(values, list)
    assert isinstance(changed, int)
    return f"{found['key']} of {found['type']} is one of: {', '.join(values)}. {some(changed, 'item')} changed."
