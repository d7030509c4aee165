"""Files of a profile that are locked, torn, or on a full disk."""

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from backlit.store import Store
from backlit.store.files.files import WriteContext


@contextmanager
def held(path: Path, how: str = "IMMEDIATE") -> Iterator[None]:
    """Hold a lock on a database, as another process does that stopped while it wrote."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if how == "EXCLUSIVE":
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute(f"BEGIN {how}")
        connection.execute("CREATE TABLE IF NOT EXISTS anybodys (x)")
        yield
        connection.execute("ROLLBACK")


def tear(path: Path) -> None:
    """Write garbage over all but the first page, as a dying disk does."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))


@contextmanager
def no_room() -> Iterator[None]:
    """Have every write to a file refused, as by a disk that is full; no privilege is needed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def settled(store: Store) -> None:
    """Have the whole journal in its file and none of it in memory."""
    for pragma in ("wal_checkpoint(TRUNCATE)", "shrink_memory"):
        store.files.submit(partial(_execute, f"PRAGMA {pragma}")).result()


def _execute(sql: str, writer: WriteContext) -> None:
    writer.journal.file.execute(sql).fetchall()
