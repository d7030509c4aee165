"""`backlit admin users`, `grants` and `keys`."""

import argparse
import sys

from backlit.cli.output import say, show, some
from backlit.cli.served import looked_at, opened, settings_of
from backlit.model.errors import BadRequest
from backlit.service.admin import users
from backlit.service.admin.workspace import is_empty, user_id_of
from backlit.service.storage.access import Role

_USER_COLUMNS = {
    "id": "ID#",
    "name": "Name",
    "isLicensed": "Licensed",
    "hasPassword": "Password",
    "projects": "Projects#",
    "email": "Email",
    "displayName": "Display name",
}


def list_users(arguments: argparse.Namespace) -> None:
    """List all users."""
    with looked_at(arguments) as connection:
        show(arguments, users.listed(connection), _USER_COLUMNS)


def add_user(arguments: argparse.Namespace) -> None:
    """Add a user; the first one creates a missing database."""
    names = ("first_name", "last_name", "display_name", "email")
    texts = {name: getattr(arguments, name) for name in names if getattr(arguments, name)}
    with opened(arguments, create=True) as connection:
        is_first = is_empty(connection)
        users.check_new(connection, arguments.name, texts.get("email", ""))
    password = None if arguments.no_password else users.checked_password(new_password())
    with opened(arguments) as connection:
        is_licensed = not arguments.unlicensed
        user = users.add(connection, arguments.name, password, texts=texts, is_licensed=is_licensed)
    say(arguments, f"Added the user {user['name']}.", user)
    if is_first and not arguments.json:
        print(f"The database is {settings_of(arguments).database}")
        print(f"Next, create a project: backlit admin projects create NAME --manager {user['name']}")


def change_password(arguments: argparse.Namespace) -> None:
    """Change a user's password and end all sessions."""
    with looked_at(arguments) as connection:
        user_id_of(connection, arguments.name)
    given = users.checked_password(new_password())
    with opened(arguments) as connection:
        user = users.set_password(connection, arguments.name, given)
    say(arguments, f"{arguments.name} has a new password and was signed out everywhere.", user)


def change_licence(arguments: argparse.Namespace) -> None:
    """Turn a user's licence on or off."""
    with opened(arguments) as connection:
        user = users.license_(connection, arguments.name, is_licensed=arguments.state == "on")
    can = "can sign in" if user["isLicensed"] else "was signed out and can no longer sign in"
    say(arguments, f"{arguments.name} {can}.", user)


def deactivate_user(arguments: argparse.Namespace) -> None:
    """Disable a user: revoke licence, password, sessions and access."""
    with opened(arguments) as connection:
        user = users.deactivate(connection, arguments.name)
    lost = f"licence, password, sign-ins and {some(user['grantsRemoved'], 'grant')}"
    say(arguments, f"{arguments.name} lost {lost}; the user's items and comments are kept.", user)


def new_password() -> str:
    """Ask for a new password; raise BadRequest if it is empty."""
    if not sys.stdin.isatty():
        password = sys.stdin.readline().rstrip("\r\n")
        if not password:
            raise BadRequest("Password is required: write it on the first line of standard input.")
        return password
    import getpass

    password = getpass.getpass("New password: ")
    if password != getpass.getpass("Repeat the password:  "):
        raise BadRequest("The passwords differ. No changes were made.")
    return password


_GRANT_COLUMNS = {"projectId": "ID#", "project": "Project", "role": "Role", "user": "User"}


def list_grants(arguments: argparse.Namespace) -> None:
    """List the roles of users in projects."""
    with looked_at(arguments) as connection:
        show(arguments, users.list_grants(connection, arguments.user, arguments.project), _GRANT_COLUMNS)


def set_grant(arguments: argparse.Namespace) -> None:
    """Give a user a role in a project."""
    with opened(arguments) as connection:
        grant = users.set_grant(connection, arguments.user, arguments.project, Role(arguments.role))
    say(arguments, f"{arguments.user} is {arguments.role} in {arguments.project}.", grant)


def remove_grant(arguments: argparse.Namespace) -> None:
    """Remove a user from a project."""
    with opened(arguments) as connection:
        grant = users.remove_grant(connection, arguments.user, arguments.project)
    say(arguments, f"{arguments.user} no longer has access to {arguments.project}.", grant)


def rotate_key(arguments: argparse.Namespace) -> None:
    """Create a new signing key for access tokens."""
    with opened(arguments) as connection:
        users.rotate_key(connection, forget=arguments.forget)
    kept = "all earlier tokens are revoked" if arguments.forget else "the previous key stays valid"
    say(arguments, f"Created a new key; {kept}.", {"forgotten": arguments.forget})
