"""Disk failures: error sentences, and reads that raise StorageError instead of SQLite's errors."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from backlit.model.errors import StorageError

_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_WORDS = {
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
    """Return the StorageError for an error other than damage."""
    words = _WORDS.get(_code(error), "{path} cannot be read or written: {error}.")
    return StorageError(words.format(path=path, error=error))


def damaged_journal(error: sqlite3.Error, path: Path) -> StorageError:
    """Return the StorageError for a damaged journal. Only the user may delete a journal."""
    return StorageError(
        f"The journal {path} is damaged: {error}. Restore a backup, or move the file away to"
        " continue without the changes in it."
    )


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


class Found:
    """The rows of a query, with a cursor's methods."""

    def __init__(self, rows: list[Any], interruption: sqlite3.OperationalError | None = None) -> None:
        self._rows = iter(rows)
        self._interruption = interruption

    def __iter__(self) -> Iterator[Any]:
        yield from self._rows
        if self._interruption is not None:
            raise self._interruption

    def fetchone(self) -> Any:
        """Return the next row, or None after the last."""
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        """Return the remaining rows."""
        return list(self._rows)


class JournalReads:
    """A read-only connection to the journal, opened by `open_`."""

    def __init__(self, open_: Callable[[], sqlite3.Connection], path: Path) -> None:
        self._open = open_
        self._connection = open_()
        self._path = path
        self._lock = threading.Lock()

    def execute(self, sql: str, values: Sequence[object] = ()) -> Found:
        """Run a query and read all its rows. Raises StorageError."""
        try:
            with self._lock:
                return Found(self._connection.execute(sql, tuple(values)).fetchall())
        except sqlite3.Error as error:
            raise (damaged_journal if is_damage(error) else failure)(error, self._path) from error

    @contextmanager
    def let_go(self) -> Iterator[None]:
        """Close the file during the block and reopen it afterwards."""
        with self._lock:
            self._connection.close()
            try:
                yield
            finally:
                self._connection = self._open()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
