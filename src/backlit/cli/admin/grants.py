"""`backlit admin grants`."""

import argparse

from backlit.cli.admin.output import say, show
from backlit.cli.admin.workspace import looked_at, opened
from backlit.service.admin import grants
from backlit.service.storage.access import Role

_COLUMNS = {"projectId": "ID#", "project": "Project", "role": "Role", "user": "User"}


def listed(arguments: argparse.Namespace) -> None:
    """List the roles of users in projects."""
    with looked_at(arguments) as connection:
        show(arguments, grants.listed(connection, arguments.user, arguments.project), _COLUMNS)


def set_role(arguments: argparse.Namespace) -> None:
    """Give a user a role in a project."""
    with opened(arguments) as connection:
        grant = grants.set_role(connection, arguments.user, arguments.project, Role(arguments.role))
    say(arguments, f"{arguments.user} is {arguments.role} in {arguments.project}.", grant)


def remove(arguments: argparse.Namespace) -> None:
    """Remove a user from a project."""
    with opened(arguments) as connection:
        grant = grants.remove(connection, arguments.user, arguments.project)
    say(arguments, f"{arguments.user} no longer has access to {arguments.project}.", grant)
