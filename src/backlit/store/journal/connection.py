"""The journal's schema and connection: migrated to this version, and patient with other processes."""

import contextlib
import math
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from backlit.model.errors import StorageError
from backlit.store.journal.schema import MIGRATIONS
from backlit.store.sqlite.database import (
    closed_on_failure,
    connect,
    damaged_journal,
    drop_database,
    failure,
    is_damage,
    transaction,
    version_of,
)

REPORTED_AFTER_MILLISECONDS = 1000
OPENING_PATIENCE = 2.0
WRITE_LOCK_TIMEOUT = 600.0
"""Seconds that a write of user input waits for another process's lock."""


class JournalConnection(sqlite3.Connection):
    """A connection that reports when it waits for other processes, and counts the committed changes.

    SQLite's own count includes rolled-back changes.
    """

    kept = 0
    patience = OPENING_PATIENCE
    """Seconds that a write waits for another process."""
    _gives_up_at = math.inf
    _on_waiting: Callable[[bool], None] = staticmethod(lambda _: None)

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        """Run a statement. Counts a commit."""
        cursor = self._executed(sql, values)
        if sql == "COMMIT":
            self.kept = self.total_changes
        return cursor

    def report_waiting(self, on_waiting: Callable[[bool], None]) -> None:
        """Let writes wait long for other processes.

        Calls `on_waiting` with True at the start and False at the end of a wait.
        """
        self._on_waiting, self.patience = on_waiting, WRITE_LOCK_TIMEOUT

    def give_up(self) -> None:
        """Stop waiting for other processes. Can be called on any thread."""
        self._gives_up_at = time.monotonic()

    def copy_to(self, path: Path) -> None:
        """Copy the whole journal to another file, even if its own file was deleted."""
        with closing(sqlite3.connect(path)) as copy:
            self.backup(copy)
        path.chmod(0o600)

    def _executed(self, sql: str, values: Any) -> sqlite3.Cursor:
        """Run a statement as soon as no other process writes. SQLite waits up to a second at each attempt."""
        until = 0.0
        while True:
            try:
                cursor = super().execute(sql, values)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or self.in_transaction:
                    raise
                until = until or self._waiting_until()
                if time.monotonic() >= min(until, self._gives_up_at):
                    raise
            else:
                if until:
                    self._on_waiting(False)
                return cursor

    def _waiting_until(self) -> float:
        self._on_waiting(True)
        return time.monotonic() + self.patience


def opened(path: Path, patience: float = OPENING_PATIENCE) -> JournalConnection:
    """Open the journal and migrate it. `patience` is the time in seconds that writes wait. Raises StorageError."""
    try:
        if not path.exists():
            _create(path)
        if not path.stat().st_size:  # SQLite would take it for a new database, and what was in it for never written
            raise damaged_journal("the file is empty", path)
        # FULL, because the journal has the only copy of a change until it is sent: it has to survive a power cut.
        connection = connect(path, "FULL", JournalConnection, REPORTED_AFTER_MILLISECONDS)
        assert isinstance(connection, JournalConnection)
        with closed_on_failure(connection):
            if version_of(connection) < len(MIGRATIONS):
                with transaction(connection):
                    _bring_up(connection)
            version = version_of(connection)
    except sqlite3.DatabaseError as error:
        raise (damaged_journal if is_damage(error) else failure)(error, path) from error
    except OSError as error:
        raise StorageError(f"{path} cannot be opened: {error.strerror}.") from error
    if version > len(MIGRATIONS):
        connection.close()
        raise StorageError(f"A newer version of backlit wrote the journal {path}. Start the newer version.")
    with contextlib.suppress(OSError):  # another user's file, or a read-only disk
        path.chmod(0o600)
    connection.patience = patience
    return connection


def _create(path: Path) -> None:
    """Create the journal whole under its name, so that an empty file is a damaged one and never a beginning."""
    made = path.with_name(f"{path.name}.{os.urandom(4).hex()}.new")  # secrets loads hmac and more for this
    try:
        with closing(connect(made, "FULL")) as connection, transaction(connection):
            _bring_up(connection)
        made.chmod(0o600)
        try:
            os.link(made, path)
        except FileExistsError:
            return  # another process was faster
        except OSError:  # a file system without links
            made.rename(path)
    finally:
        drop_database(made)


def _bring_up(connection: sqlite3.Connection) -> None:
    """Run the missing migrations. Another process may have run them in the meantime."""
    for step in MIGRATIONS[version_of(connection) :]:
        for statement in step.split(";\n"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
