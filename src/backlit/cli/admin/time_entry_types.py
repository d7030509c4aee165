"""`backlit admin time-entry-types`."""

import argparse

from backlit.cli.admin.output import say, show
from backlit.cli.admin.workspace import looked_at, opened
from backlit.service.admin import names
from backlit.service.storage.schema import time_entry_types

_COLUMNS = {"id": "ID#", "project": "Project", "name": "Name"}


def listed(arguments: argparse.Namespace) -> None:
    """List time entry types."""
    with looked_at(arguments) as connection:
        show(arguments, names.listed(connection, time_entry_types, arguments.project), _COLUMNS)


def add(arguments: argparse.Namespace) -> None:
    """Add a time entry type to a project."""
    with opened(arguments) as connection:
        entry = names.add(connection, time_entry_types, arguments.project, arguments.name)
    say(arguments, f"Added the time entry type {entry['name']}.", entry)


def rename(arguments: argparse.Namespace) -> None:
    """Rename a time entry type."""
    with opened(arguments) as connection:
        entry = names.rename(connection, time_entry_types, arguments.project, arguments.name, arguments.new_name)
    say(arguments, f"The time entry type {arguments.name} is now called {entry['name']}.", entry)


def remove(arguments: argparse.Namespace) -> None:
    """Remove a time entry type."""
    with opened(arguments) as connection:
        entry = names.remove(connection, time_entry_types, arguments.project, arguments.name)
    say(arguments, f"Removed the time entry type {entry['name']}.", entry)
