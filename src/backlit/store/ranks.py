"""The order as the user made it: numbers laid over the service's until it has them, or for good where it cannot."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from backlit.store.changes import Change, Subject
from backlit.store.database import ids_json, transaction
from backlit.store.entries import BUSY, EntryKind
from backlit.store.journal_schema import UNDELIVERED_SQL
from backlit.store.rows import priority_of

if TYPE_CHECKING:
    from backlit.store.files import Writer
    from backlit.store.mirror import Mirror

_BUSY_SQL = f"kind = '{EntryKind.RANK}' AND state IN ({', '.join(repr(state.value) for state in sorted(BUSY))})"
_AMONG = "item_id IN (SELECT value FROM json_each(?))"


class Ranks:
    """Writes the journal's table of numbers; those that are local are for the user's eyes only and stay."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def numbers(self) -> dict[int, float]:
        """All of them, by item."""
        return dict(self._connection.execute("SELECT item_id, number FROM ranks"))

    def put(self, project_id: int, numbers: Mapping[int, float], *, is_local: bool) -> None:
        """Keep numbers of a project's items."""
        rows = [(item_id, project_id, number, int(is_local)) for item_id, number in numbers.items()]
        with transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO ranks VALUES (?, ?, ?, ?)", rows)

    def count_local(self, project_id: int | None) -> int:
        """How many items of a project stand where they do on this machine only."""
        sql = "SELECT count(*) FROM ranks WHERE project_id = ? AND is_local = 1"
        return int(self._connection.execute(sql, (project_id,)).fetchone()[0])

    def drop(self, item_ids: Iterable[int]) -> None:
        """Forget the numbers of some items."""
        with transaction(self._connection):
            self._connection.execute(f"DELETE FROM ranks WHERE {_AMONG}", (ids_json(item_ids),))  # noqa: S608 # constant

    def local(self, project_id: int) -> list[int]:
        """The items of a project that stand where they do on this machine only."""
        found = self._connection.execute("SELECT item_id FROM ranks WHERE project_id = ? AND is_local", (project_id,))
        return [item_id for (item_id,) in found]

    def settled(self) -> list[int]:
        """The items whose numbers are of no use any more, as nothing waits that would bring the service to them."""
        busy = f"SELECT project_id FROM entries WHERE {UNDELIVERED_SQL} AND {_BUSY_SQL}"  # noqa: S608 # constants
        sql = f"SELECT item_id FROM ranks WHERE NOT is_local AND project_id NOT IN ({busy})"  # noqa: S608 # constants
        return [item_id for (item_id,) in self._connection.execute(sql)]

    def follow(self, temporary_id: int, real_id: int) -> None:
        """Let a new item keep its number under the id the service gave it."""
        self._connection.execute("UPDATE OR REPLACE ranks SET item_id = ? WHERE item_id = ?", (real_id, temporary_id))


class MirroredRanks:
    """The same numbers in the mirror, where its rows get them whenever they are written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, item_ids: Iterable[int]) -> dict[int, float]:
        """The numbers of some items; of most there are none."""
        sql = f"SELECT item_id, number FROM ranks WHERE {_AMONG}"  # noqa: S608 # constant
        return dict(self._connection.execute(sql, (ids_json(item_ids),)))

    def put(self, numbers: Mapping[int, float]) -> None:
        """Keep numbers; `lay_numbers` also moves the rows."""
        self._connection.executemany("INSERT OR REPLACE INTO ranks VALUES (?, ?)", numbers.items())

    def every(self) -> list[int]:
        """All items that have one."""
        return [item_id for (item_id,) in self._connection.execute("SELECT item_id FROM ranks")]

    def drop(self, item_ids: Iterable[int]) -> None:
        """Forget the numbers of some items; `take_off` also moves the rows."""
        self._connection.execute(f"DELETE FROM ranks WHERE {_AMONG}", (ids_json(item_ids),))  # noqa: S608 # constant


def lay_numbers(mirror: "Mirror", numbers: Mapping[int, float]) -> None:
    """Move items to where their numbers put them, and their tasks with them."""
    with transaction(mirror.connection):
        mirror.ranks.put(numbers)
        _set(mirror, numbers)


def take_off(mirror: "Mirror", item_ids: Iterable[int]) -> None:
    """Move items back to where the service has them."""
    ids = list(item_ids)
    with transaction(mirror.connection):
        mirror.ranks.drop(ids)
        _set(mirror, {item_id: priority_of(each) for item_id, each in mirror.received(ids).items()})


def _set(mirror: "Mirror", numbers: Mapping[int, float]) -> None:
    mirror.connection.executemany(
        "UPDATE items SET own_priority = ?1, rank_priority = ?1, rank_id = id WHERE id = ?2",
        [(number, item_id) for item_id, number in numbers.items()],
    )
    mirror.follow_parents(numbers)


def settle_numbers(mirror: "Mirror", ranks: Ranks) -> None:
    """Make the mirror agree with the journal after a start."""
    ranks.drop(ranks.settled())
    numbers = ranks.numbers()
    surplus = [item_id for item_id in mirror.ranks.every() if item_id not in numbers]
    if surplus:
        take_off(mirror, surplus)
    if numbers:
        lay_numbers(mirror, numbers)


def release(writer: "Writer") -> None:
    """Show the service's own order again where all that was to change it has been sent, refused or given up."""
    drop_numbers(writer, writer.journal.ranks.settled())


def drop_numbers(writer: "Writer", item_ids: Iterable[int]) -> None:
    """Forget the numbers of some items and show them where the service has them."""
    ids = frozenset(item_ids)
    if ids:
        writer.journal.ranks.drop(ids)
        take_off(writer.mirror, ids)
        writer.signal.publish(Change(Subject.ITEMS, ids, frozenset({"BacklogPriority"})))
