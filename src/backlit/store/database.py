"""Opening SQLite files and running transactions on them."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

BUSY_MILLISECONDS = 10_000


def connect(path: Path, synchronous: str) -> sqlite3.Connection:
    """Open a WAL file for reading and writing, in autocommit mode; `synchronous` is NORMAL or FULL."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def drop_database(path: Path) -> None:
    """Remove a database with the files that belong to it."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def version_of(connection: sqlite3.Connection) -> int:
    """Read the schema version; 0 in a new file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block as one write transaction; joins the one that is already open."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def ids_json(ids: Iterable[int]) -> str:
    """Write ids so that one bound value carries them all: `IN (SELECT value FROM json_each(?))`."""
    return orjson.dumps(list(ids)).decode()
