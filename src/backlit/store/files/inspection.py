"""Read-only inspection of a profile's two files."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from backlit.store.journal.schema import MIGRATIONS, UNDELIVERED_SQL
from backlit.store.mirror.schema import VERSION


@dataclass(frozen=True, slots=True)
class FileReport:
    """The state of a file: bytes including its logs, schema version, current version, number of records.

    `fault` is a sentence if the file is unusable. The numbers are None without a file.
    """

    path: Path
    size: int
    version: int
    wanted: int
    count: int | None
    fault: str = ""


def inspect_mirror(path: Path) -> FileReport:
    """Inspect a mirror. `count` is the number of items."""
    return _inspected(path, VERSION, "SELECT count(*) FROM items")


def inspect_journal(path: Path) -> FileReport:
    """Inspect a journal. `count` is the number of undelivered changes."""
    return _inspected(path, len(MIGRATIONS), f"SELECT count(*) FROM entries WHERE {UNDELIVERED_SQL}")  # noqa: S608 # constants


def _inspected(path: Path, wanted: int, question: str) -> FileReport:
    if not path.exists():
        return FileReport(path, 0, 0, wanted, None)
    size = sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*") if each.name != f"{path.name}.lock")
    version = 0
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            said = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
            if said != "ok":
                return FileReport(path, size, version, wanted, None, f"The file is damaged: {said}.")
            count = int(connection.execute(question).fetchone()[0])
    except sqlite3.Error as error:
        return FileReport(path, size, version, wanted, None, f"The file cannot be read: {error}.")
    return FileReport(path, size, version, wanted, count)
