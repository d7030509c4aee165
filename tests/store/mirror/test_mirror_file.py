"""The mirror's file by itself: rebuilt once for all who meet the damage, and read again afterwards."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.documents import item, places_in

from backlit.model.errors import StorageError
from backlit.store.mirror.mirror import Mirror
from backlit.store.mirror.recovery import MirrorFile, MirrorReads
from backlit.store.sqlite.database import drop_database

COUNT = "SELECT count(*) FROM items"


class Rebuilt:
    """A mirror with one item, and how often its rebuild was announced."""

    def __init__(self, folder: Path) -> None:
        self.announced = 0
        self.file = MirrorFile(places_in(folder), self._announce)
        self.path = self.file.path
        self.fill()
        self.file.opened()
        self.reads = MirrorReads(self.file)

    def _announce(self) -> None:
        self.announced += 1

    def fill(self) -> None:
        mirror = Mirror(self.path)
        mirror.put_items([item(1)], [])
        mirror.close()

    def count(self) -> int:
        return int(self.reads.execute(COUNT).fetchone()[0])


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Rebuilt]:
    mirror = Rebuilt(tmp_path)
    yield mirror
    mirror.reads.close()


def failing(code: int, times: int = 1) -> Callable[[sqlite3.Connection], int]:
    """A read of the number of items that fails at first."""
    left = [code] * times

    def act(connection: sqlite3.Connection) -> int:
        if left:
            error = sqlite3.DatabaseError("It failed.")
            error.sqlite_errorcode = left.pop()
            raise error
        return int(connection.execute(COUNT).fetchone()[0])

    return act


def test_a_damaged_mirror_is_rebuilt_once_for_all_who_meet_the_damage(mirror: Rebuilt) -> None:
    for _ in range(2):
        mirror.file.renew(0)

    assert (mirror.file.generation, mirror.announced, mirror.count()) == (1, 1, 0)
    assert not mirror.file.is_lost()


def test_a_new_file_of_another_process_is_used_as_it_is(mirror: Rebuilt) -> None:
    drop_database(mirror.path)
    mirror.fill()

    mirror.file.renew(0)

    assert (mirror.file.generation, mirror.announced, mirror.count()) == (1, 1, 1)
    assert not mirror.file.is_lost()


def test_a_file_that_never_opened_is_not_used(tmp_path: Path) -> None:
    unopened = MirrorFile(places_in(tmp_path), lambda: None)
    Mirror(unopened.path).close()
    with closing(sqlite3.connect(unopened.path)) as connection, connection:
        connection.execute("INSERT INTO notes VALUES ('filled 1', 'true')")
    connection.close()

    unopened.renew(0)

    reads = MirrorReads(unopened)
    assert reads.execute("SELECT count(*) FROM notes").fetchall() == [(0,)]
    reads.close()


def test_a_mirror_that_cannot_be_rebuilt_is_named_with_the_cause(mirror: Rebuilt) -> None:
    drop_database(mirror.path)
    mirror.path.mkdir()
    (mirror.path / "x").touch()

    with pytest.raises(StorageError, match=rf"{mirror.path} is damaged and cannot be rebuilt: |cannot be opened"):
        mirror.file.renew(0)

    assert (mirror.file.generation, mirror.announced) == (0, 0)


@pytest.mark.parametrize("code", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT_INDEX])
def test_a_read_that_meets_damage_is_repeated_once(mirror: Rebuilt, code: int) -> None:
    assert mirror.reads.run(failing(code)) == 0
    assert (mirror.file.generation, mirror.announced) == (1, 1)
    mirror.fill()
    assert mirror.reads.run(failing(0, times=0)) == 1

    with pytest.raises(sqlite3.DatabaseError):
        mirror.reads.run(failing(code, times=2))


def test_a_read_of_an_older_file_rebuilds_no_newer_one(mirror: Rebuilt) -> None:
    def act(connection: sqlite3.Connection) -> int:
        if mirror.file.generation == 0:
            mirror.file.renew(0)
            mirror.fill()
            return failing(sqlite3.SQLITE_CORRUPT)(connection)
        return failing(0, times=0)(connection)

    assert (mirror.reads.run(act), mirror.file.generation) == (1, 1)


@pytest.mark.parametrize(
    ("code", "error", "words"),
    [
        (sqlite3.SQLITE_BUSY, StorageError, "Another process has locked .*mirror.sqlite"),
        (sqlite3.SQLITE_IOERR, StorageError, "The disk failed at .*mirror.sqlite"),
        (sqlite3.SQLITE_ERROR, StorageError, "mirror.sqlite cannot be read or written: It failed"),
        (sqlite3.SQLITE_INTERRUPT, sqlite3.DatabaseError, "It failed"),
    ],
)
def test_another_failure_of_a_read_is_told_and_rebuilds_nothing(
    mirror: Rebuilt, code: int, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        mirror.reads.run(failing(code))

    assert (mirror.file.generation, mirror.count()) == (0, 1)


def test_an_interrupted_query_keeps_the_rows_before(mirror: Rebuilt) -> None:
    ticks = 0

    def is_enough() -> bool:
        nonlocal ticks
        ticks += 1
        return ticks > 50

    mirror.reads.set_progress_handler(is_enough, 100)
    found = mirror.reads.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT i FROM n"
    )
    first = found.fetchone()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        list(found)
    mirror.reads.set_progress_handler(None, 0)

    assert (first, mirror.count()) == ((1,), 1)


def test_a_query_that_makes_no_sense_is_told(mirror: Rebuilt) -> None:
    with pytest.raises(StorageError, match="no such column"):
        mirror.reads.execute("SELECT unknown FROM items")
