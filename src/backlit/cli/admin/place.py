"""Where the workspace is that an administrator works on."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from backlit.cli.served import served_settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from backlit.service.settings import ServiceSettings


def settings_of(arguments: argparse.Namespace) -> "ServiceSettings":
    """The database and files that are named, else those that `backlit serve` uses."""
    return served_settings(arguments.database, arguments.files)


@contextmanager
def opened(arguments: argparse.Namespace, *, create: bool = False) -> Iterator["Connection"]:
    """One transaction that may write; a dry run keeps nothing of it. Raises StorageError."""
    from backlit.service.admin.workspace import writing

    is_dry = getattr(arguments, "dry_run", False)
    with writing(settings_of(arguments), create=create, dry_run=is_dry) as connection:
        yield connection


@contextmanager
def looked_at(arguments: argparse.Namespace) -> Iterator["Connection"]:
    """One moment of the database, for reading. Raises StorageError."""
    from backlit.service.admin.workspace import reading

    with reading(settings_of(arguments)) as connection:
        yield connection
