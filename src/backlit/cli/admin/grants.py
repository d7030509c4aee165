"""`backlit admin grants`."""

import argparse

from backlit.cli.admin.output import say, show
from backlit.cli.admin.place import looked_at, opened
from backlit.service.access import Role
from backlit.service.admin import grants

_COLUMNS = {"projectId": "ID#", "project": "Project", "role": "Role", "user": "User"}


def listed(arguments: argparse.Namespace) -> None:
    """List who may do what where."""
    with looked_at(arguments) as connection:
        show(arguments, grants.listed(connection, arguments.user, arguments.project), _COLUMNS)


def set_role(arguments: argparse.Namespace) -> None:
    """Let a user into a project with a role."""
    with opened(arguments) as connection:
        grant = grants.set_role(connection, arguments.user, arguments.project, Role(arguments.role))
    say(arguments, f"{arguments.user} is {arguments.role} in {arguments.project}.", grant)


def remove(arguments: argparse.Namespace) -> None:
    """Shut a user out of a project."""
    with opened(arguments) as connection:
        grant = grants.remove(connection, arguments.user, arguments.project)
    say(arguments, f"{arguments.user} no longer sees {arguments.project}.", grant)
