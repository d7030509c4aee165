"""What a disk comes to that does not do its part: sentences, and reads that end with one instead of SQLite's errors."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from backlit.model.errors import StorageError

_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_WORDS = {
    sqlite3.SQLITE_FULL: "The disk is full: {path} cannot be written. Make room, then try again.",
    sqlite3.SQLITE_READONLY: "{path} cannot be written: it may only be read. Look at its permissions and its disk.",
    sqlite3.SQLITE_CANTOPEN: "{path} cannot be opened. Look at its directory's permissions and for room on its disk.",
    sqlite3.SQLITE_PERM: "{path} cannot be opened: its permissions do not allow it.",
    sqlite3.SQLITE_BUSY: "{path} is held by another program that does not let go of it. Try again.",
    sqlite3.SQLITE_IOERR: "The disk failed at {path}: it cannot be read or written. Look for room on it.",
}


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, rather than the disk or a lock."""
    return _code(error) in _DAMAGE


def failure(error: sqlite3.Error, path: Path) -> StorageError:
    """What to say of an error that is no damage."""
    words = _WORDS.get(_code(error), "{path} cannot be read or written: {error}.")
    return StorageError(words.format(path=path, error=error))


def damaged_journal(error: sqlite3.Error, path: Path) -> StorageError:
    """What to say of a journal that cannot be read; nobody but the user may throw it away."""
    return StorageError(
        f"The journal {path} is damaged: {error}. It is left as it is; put a backup in its place, or move it away to"
        " go on without what it holds."
    )


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


class Found:
    """The rows of a query, with what is asked of a cursor."""

    def __init__(self, rows: list[Any], interruption: sqlite3.OperationalError | None = None) -> None:
        self._rows = iter(rows)
        self._interruption = interruption

    def __iter__(self) -> Iterator[Any]:
        yield from self._rows
        if self._interruption is not None:
            raise self._interruption

    def fetchone(self) -> Any:
        """The next row; None after the last."""
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        """The rows that are left."""
        return list(self._rows)


class JournalReads:
    """A connection to the journal for reading only."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def execute(self, sql: str, values: Sequence[object] = ()) -> Found:
        """Run a query and read all that it finds. Raises StorageError."""
        try:
            return Found(self._connection.execute(sql, tuple(values)).fetchall())
        except sqlite3.Error as error:
            raise (damaged_journal if is_damage(error) else failure)(error, self._path) from error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
