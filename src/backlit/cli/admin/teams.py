"""`backlit admin teams`."""

import argparse

from backlit.cli.admin.output import say, show, some
from backlit.cli.admin.workspace import looked_at, opened
from backlit.service.admin import names
from backlit.service.storage.schema import teams

_COLUMNS = {"id": "ID#", "project": "Project", "name": "Name"}


def listed(arguments: argparse.Namespace) -> None:
    """List teams."""
    with looked_at(arguments) as connection:
        show(arguments, names.listed(connection, teams, arguments.project), _COLUMNS)


def add(arguments: argparse.Namespace) -> None:
    """Add a team to a project."""
    with opened(arguments) as connection:
        team = names.add(connection, teams, arguments.project, arguments.name)
    say(arguments, f"Added the team {team['name']} with the id {team['id']}.", team)


def rename(arguments: argparse.Namespace) -> None:
    """Rename a team."""
    with opened(arguments) as connection:
        team = names.rename(connection, teams, arguments.project, arguments.name, arguments.new_name)
    say(arguments, f"The team {arguments.name} is now called {team['name']}.", team)


def remove(arguments: argparse.Namespace) -> None:
    """Remove a team and clear it on its items."""
    with opened(arguments) as connection:
        team = names.remove(connection, teams, arguments.project, arguments.name)
    say(arguments, f"Removed the team {team['name']} from {some(team['itemsChanged'], 'item')}.", team)
