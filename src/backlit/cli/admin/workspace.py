"""Location of the administered workspace."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from backlit.cli.served import served_settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from backlit.service.storage.settings import ServiceSettings


def settings_of(arguments: argparse.Namespace) -> "ServiceSettings":
    """Return the named database and files, or those of `backlit serve`."""
    return served_settings(arguments.database, arguments.files)


@contextmanager
def opened(arguments: argparse.Namespace, *, create: bool = False) -> Iterator["Connection"]:
    """Open a transaction for writing; a dry run rolls it back. Raises StorageError."""
    from backlit.service.admin.workspace import writing

    is_dry = getattr(arguments, "dry_run", False)
    with writing(settings_of(arguments), create=create, dry_run=is_dry) as connection:
        yield connection


@contextmanager
def looked_at(arguments: argparse.Namespace) -> Iterator["Connection"]:
    """Open a consistent snapshot of the database for reading. Raises StorageError."""
    from backlit.service.admin.workspace import reading

    with reading(settings_of(arguments)) as connection:
        yield connection
