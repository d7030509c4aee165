"""Database and files of a served workspace."""

import argparse
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from backlit.cli.wiring import workspace_settings
from backlit.config.settings import find_locations
from backlit.model.errors import BadRequest, StorageError
from backlit.model.plain import plain

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from backlit.service.storage.settings import ServiceSettings


_SQLITE = "sqlite:///"
_SERVERS = ("postgresql://", "postgresql+psycopg://")


def served_settings(database: str | None, files: str | None, name: str = "backlit") -> "ServiceSettings":
    """Return the named database and files, or this user's default ones; raise BadRequest for a bad URL."""
    from backlit.service.storage.settings import ServiceSettings

    usual = workspace_settings(find_locations().data / "served")
    database = database or usual.database
    path = database.removeprefix(_SQLITE)
    if (path == database or not path) and not database.startswith(_SERVERS):
        raise BadRequest(f"Write the database as {_SQLITE}path/to/file.db or {_SERVERS[0]}user@host/name.")
    place = usual.files if not files else files if files.startswith("s3://") else Path(files)
    return ServiceSettings(database, place, name)


def repeated_options(arguments: argparse.Namespace) -> str:
    """Return the given `--database` and `--files` for another command line, without the password of the database.

    The next command may run in another directory, so paths are absolute.
    """
    from backlit.service.storage.database import absolute_url, without_password

    files = arguments.files and (arguments.files if "://" in arguments.files else str(Path(arguments.files).absolute()))
    given = {
        "--database": arguments.database and absolute_url(without_password(arguments.database)),
        "--files": files,
    }
    return "".join(f" {option} {shlex.quote(value)}" for option, value in given.items() if value)


def print_first_steps(arguments: argparse.Namespace) -> None:
    where = repeated_options(arguments)
    print(f"  backlit admin users add NAME{where}")
    print(f"  backlit admin projects create PROJECT --manager NAME{where}")
    print_password_note(arguments)


def print_password_note(arguments: argparse.Namespace) -> None:
    """Say how to complete a printed command, where the password of the database was left out."""
    from backlit.service.storage.database import without_password

    if arguments.database and without_password(arguments.database) != arguments.database:
        print("  Put the password of the database in place of PASSWORD.")


def has_no_users(settings: "ServiceSettings") -> bool:
    from backlit.service.admin.workspace import has_workspace, is_empty, reading

    try:
        if not has_workspace(settings):
            return True
        with reading(settings) as connection:
            return is_empty(connection)
    except StorageError:
        return False


def settings_of(arguments: argparse.Namespace) -> "ServiceSettings":
    settings = served_settings(arguments.database, arguments.files)
    if not getattr(arguments, "is_warned", False):  # a command asks for its settings several times
        arguments.is_warned = True
        warn_of_open_files(settings)
    return settings


def warn_of_open_files(settings: "ServiceSettings") -> None:
    """Print a warning where others can read the workspace's files, with the command that closes them."""
    from backlit.model.private_files import open_to_others
    from backlit.service.admin.workspace import file_of

    database = file_of(settings)
    logs = [database, *(database.with_name(f"{database.name}{kind}") for kind in ("-wal", "-shm"))] if database else []
    folders = [settings.files] if isinstance(settings.files, Path) else []
    found = open_to_others([*logs, *folders])
    if found:
        places = shlex.join(map(str, found))
        print(
            f"Warning: other users of this machine can read {', '.join(map(plain, map(str, found)))}. A workspace has"
            f" password hashes and signing keys. To close it: chmod -R go= {places}",
            file=sys.stderr,
        )


def settings_with_files(arguments: argparse.Namespace) -> "ServiceSettings":
    """Return the named database, and the files that are named, or where its last server had them."""
    from backlit.service.admin.workspace import place_of_files, reading

    settings = settings_of(arguments)
    if arguments.files:
        return settings
    with reading(settings) as connection:
        place = place_of_files(connection)
    if place is None:
        return settings
    return replace(settings, files=place if place.startswith("s3://") else Path(place))


@contextmanager
def writing_transaction(arguments: argparse.Namespace) -> Iterator["Connection"]:
    """Open a transaction for writing; a dry run rolls it back. Raises StorageError."""
    from backlit.service.admin.workspace import writing

    is_dry = getattr(arguments, "dry_run", False)
    with writing(settings_of(arguments), dry_run=is_dry) as connection:
        yield connection


@contextmanager
def reading_transaction(arguments: argparse.Namespace) -> Iterator["Connection"]:
    """Open a consistent snapshot of the database for reading. Raises StorageError."""
    from backlit.service.admin.workspace import reading

    with reading(settings_of(arguments)) as connection:
        yield connection
