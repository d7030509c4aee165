"""SQLite files of a profile: their paths, opening, transactions and inserts."""

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct

from backlit.model.errors import StorageError
from backlit.model.private_files import make_private_folder
from backlit.store.sqlite.functions import add_functions
from backlit.store.sqlite.sync_note import sync_note, synced_at

BUSY_MILLISECONDS = 10_000
ROWS_AT_ONCE = (1000, 256, 32, 4, 1)
"""The rows of an insert statement. Larger statements are no faster."""


def connect(
    path: Path,
    synchronous: str,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
    busy: int = BUSY_MILLISECONDS,
) -> sqlite3.Connection:
    """Open a WAL file for reading and writing, in autocommit mode. `synchronous` is NORMAL or FULL.

    `busy` is the time in milliseconds to wait for another process's lock.
    """
    # Without the module's own transactions, which are deferred: see `transaction`.
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=256, factory=factory
    )
    with closed_on_failure(connection):
        connection.execute(f"PRAGMA busy_timeout = {busy}")
        _write_ahead(connection, busy)
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA temp_store = MEMORY")
        # The triggers call functions of ours, which SQLite may be built to refuse to a schema.
        connection.execute("PRAGMA trusted_schema = ON")
        # Without it, INSERT OR REPLACE deletes the old row and runs no trigger for it.
        connection.execute("PRAGMA recursive_triggers = ON")
        add_functions(connection)
    return connection


@contextmanager
def closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    """Close a connection whose preparation fails: the file would be open until it is collected."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _write_ahead(connection: sqlite3.Connection, busy: int) -> None:
    """Switch a new file to WAL. SQLite itself does not wait for another process that does the same."""
    deadline = time.monotonic() + busy / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def is_sound(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError:
        return False


# With its logs: SQLite would play a log that was left behind into the new file of that name.
def drop_database(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


class SqliteTable:
    """A table, or some of one noun, through the connection of its file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection


class FileIdentity:
    """The identity of an opened database file. SQLite silently keeps using a file that was deleted or replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._identity: tuple[int, int] | None = None

    def opened(self) -> None:
        self._identity = self._found()

    def is_lost(self) -> bool:
        """Report whether the file was deleted or replaced. Costs one directory lookup."""
        return self._found() != self._identity

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @contextmanager
    def _renewing(self, how: int = fcntl.LOCK_EX) -> Iterator[int]:
        """Keep other processes from renewing the file at the same time. Yields the opened lock file.

        `how` is LOCK_SH for a process that only uses the file. Raises StorageError.
        """
        path = self.path.with_name(f"{self.path.name}.renewal")
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StorageError(f"{path} cannot be opened: {error.strerror}.") from error
        try:
            # A lock of its own file, because closing any descriptor of a database ends all POSIX locks that this
            # process has on it.
            fcntl.flock(lock, how)
            yield lock
        finally:
            os.close(lock)


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block as a write transaction. An open transaction is joined."""
    if connection.in_transaction:
        yield
        return
    # A deferred transaction that reads first and writes later fails, without waiting, if another process wrote in
    # between. An immediate one waits for the others here, at its beginning.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def insert_rows(
    connection: sqlite3.Connection, head: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Insert rows, many in each statement, so that other threads run in between.

    `head` is the statement up to the columns. The few distinct statements stay prepared.
    """
    # Around each statement the threads hand the interpreter over. With 7 statements for every 256 rows, the first load
    # took a quarter longer.
    left, start = list(rows), 0
    row = f"({', '.join('?' * len(columns))})"
    most = connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER) // len(columns)
    for size in (each for each in ROWS_AT_ONCE if each <= most):
        sql = f"{head} ({', '.join(columns)}) VALUES {', '.join([row] * size)}"
        while len(left) - start >= size:
            connection.execute(sql, [*chain.from_iterable(left[start : start + size])])
            start += size


_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_ERROR_SENTENCES = {
    sqlite3.SQLITE_FULL: "The disk is full: {path} cannot be written. Free some space, then try again.",
    sqlite3.SQLITE_READONLY: "{path} is read-only. Check its permissions and its disk.",
    sqlite3.SQLITE_CANTOPEN: "{path} cannot be opened. Check its directory's permissions and the free disk space.",
    sqlite3.SQLITE_PERM: "{path} cannot be opened: permission denied.",
    sqlite3.SQLITE_BUSY: "Another process has locked {path}. Try again.",
    sqlite3.SQLITE_IOERR: "The disk failed at {path}. Check the disk and its free space.",
}


def is_damage(error: sqlite3.Error) -> bool:
    """Report whether an error means a damaged file, rather than a full disk or a lock."""
    return _code(error) in _DAMAGE


def failure(error: sqlite3.Error, path: Path) -> StorageError:
    words = _ERROR_SENTENCES.get(_code(error), "{path} cannot be read or written: {error}.")
    return StorageError(words.format(path=path, error=error))


def damaged_journal(fault: object, path: Path) -> StorageError:
    """Return the StorageError for a damaged journal. Only the user may delete a journal."""
    return StorageError(
        f"The journal {path} is damaged: {fault}. Restore a backup, or move the file away to"
        " continue without the changes in it."
    )


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


class QueryRows:
    """The rows of a query, with a cursor's methods."""

    def __init__(self, rows: list[Any], interruption: sqlite3.OperationalError | None = None) -> None:
        self._rows = iter(rows)
        self._interruption = interruption

    def __iter__(self) -> Iterator[Any]:
        yield from self._rows
        if self._interruption is not None:
            raise self._interruption

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)


class JournalReads:
    """A read-only connection to the journal, opened by `open_`."""

    def __init__(self, open_: Callable[[], sqlite3.Connection], path: Path) -> None:
        self._open = open_
        self._connection = open_()
        self._path = path
        self._lock = threading.Lock()

    def execute(self, sql: str, values: Sequence[object] = ()) -> QueryRows:
        try:
            with self._lock:
                return QueryRows(self._connection.execute(sql, tuple(values)).fetchall())
        except sqlite3.Error as error:
            raise (damaged_journal if is_damage(error) else failure)(error, self._path) from error

    @contextmanager
    def closed(self) -> Iterator[None]:
        with self._lock:
            self._connection.close()
            try:
                yield
            finally:
                self._connection = self._open()

    def close(self) -> None:
        self._connection.close()


class ProfileFiles(Struct, frozen=True):
    """The files of a profile. The mirror is disposable, the journal is not."""

    mirror: Path
    journal: Path

    @property
    def sending(self) -> Path:
        return self.journal.with_name(self.journal.name + ".lock")

    def syncing(self, project_id: int) -> Path:
        return Path(sync_note(str(self.mirror), project_id))

    def synced_at(self, project_id: int) -> float | None:
        return synced_at(str(self.mirror), project_id)

    @property
    def broken(self) -> Path:
        """The marker of a mirror that was found damaged while in use."""
        return self.mirror.with_name(self.mirror.name + ".broken")

    def drop_broken_mirror(self) -> None:
        if self.broken.exists():
            drop_database(self.mirror)
            self.broken.unlink(missing_ok=True)

    def make(self) -> None:
        try:
            for path in (self.mirror, self.journal):
                make_private_folder(path.parent)
        except OSError as error:
            raise StorageError(f"The directory {error.filename} cannot be created: {error.strerror}.") from error
