"""The journal's groom queues: one a project, the items in it, and what each was when it was first shown."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from backlit.store.database import transaction

_COLUMNS = "place, item_id, is_skipped, asked, before, since"


@dataclass(frozen=True, slots=True)
class Stop:
    """One item of a queue; `before` is what its fields were when it was first shown, None while it was not.

    `since` is the last entry of the journal at that time: what the user did after it is an answer.
    """

    place: int
    item_id: int
    is_skipped: bool = False
    asked: tuple[str, ...] = ()
    before: Mapping[str, object] | None = None
    since: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a queue is: the place of the item that is shown, counted from 0, and how many there are."""

    place: int
    count: int
    began_on: str

    @property
    def is_over(self) -> bool:
        """Whether every item had its turn."""
        return self.place >= self.count


class Stops:
    """Reads and writes the queues through the journal's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(self, project_id: int, item_ids: Iterable[int], began_on: str) -> None:
        """Begin a queue in the place of the project's last one."""
        rows = [(project_id, place, item_id) for place, item_id in enumerate(item_ids)]
        with transaction(self._connection):
            self.end(project_id)
            self._connection.execute("INSERT INTO groom_queues VALUES (?, 0, ?)", (project_id, began_on))
            sql = "INSERT INTO groom_stops (project_id, place, item_id) VALUES (?, ?, ?)"
            self._connection.executemany(sql, rows)

    def end(self, project_id: int) -> None:
        """Forget the project's queue."""
        with transaction(self._connection):
            self._connection.execute("DELETE FROM groom_queues WHERE project_id = ?", (project_id,))
            self._connection.execute("DELETE FROM groom_stops WHERE project_id = ?", (project_id,))

    def progress(self, project_id: int) -> Progress | None:
        """How far the project's queue is; None where there is none."""
        found = self._connection.execute(
            "SELECT place, (SELECT max(place) + 1 FROM groom_stops WHERE project_id = ?1), began_on"
            " FROM groom_queues WHERE project_id = ?1",
            (project_id,),
        ).fetchone()
        return Progress(int(found[0]), int(found[1] or 0), str(found[2])) if found else None

    def go_to(self, project_id: int, place: int) -> None:
        """Keep which item is shown."""
        with transaction(self._connection):
            self._connection.execute("UPDATE groom_queues SET place = ? WHERE project_id = ?", (place, project_id))

    def stop(self, project_id: int, place: int) -> Stop | None:
        """The item at a place."""
        found = self._read("place = ?2", (project_id, place))
        return found[0] if found else None

    def from_place(self, project_id: int, place: int, count: int) -> list[Stop]:
        """The items from a place on, `count` at most."""
        return self._read("place >= ?2 ORDER BY place LIMIT ?3", (project_id, place, count))

    def shown_before(self, project_id: int, place: int) -> list[Stop]:
        """The items before a place that were shown, the latest first, some of them."""
        return self._read("place < ?2 AND before IS NOT NULL ORDER BY place DESC LIMIT 100", (project_id, place))

    def shown(self, project_id: int) -> list[Stop]:
        """All items that were shown, in their order."""
        return self._read("before IS NOT NULL ORDER BY place", (project_id,))

    def note(self, project_id: int, place: int, asked: Sequence[str], before: Mapping[str, object]) -> None:
        """Keep what is asked of an item, and what it was when it was first shown."""
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE groom_stops SET asked = ?, before = coalesce(before, ?), since ="
                " CASE WHEN before IS NULL THEN (SELECT coalesce(max(id), 0) FROM entries) ELSE since END"
                " WHERE project_id = ? AND place = ?",
                (json.dumps(list(asked)), json.dumps(dict(before)), project_id, place),
            )

    def skip(self, project_id: int, place: int, *, is_skipped: bool) -> None:
        """Keep whether an item was skipped."""
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE groom_stops SET is_skipped = ? WHERE project_id = ? AND place = ?",
                (int(is_skipped), project_id, place),
            )

    def edited(self, project_id: int) -> Mapping[int, Sequence[tuple[int, frozenset[str]]]]:
        """What the user changed since the first item was shown: by item, each entry's number and fields."""
        found: dict[int, list[tuple[int, frozenset[str]]]] = {}
        sql = (
            "SELECT item_id, id, payload FROM entries WHERE project_id = ?1 AND kind = 'edit' AND state <> 'discarded'"
            " AND id > (SELECT min(since) FROM groom_stops WHERE project_id = ?1 AND before IS NOT NULL) ORDER BY id"
        )
        for item_id, entry_id, payload in self._connection.execute(sql, (project_id,)):
            found.setdefault(item_id, []).append((entry_id, frozenset(json.loads(payload))))
        return found

    def _read(self, where: str, values: tuple[object, ...]) -> list[Stop]:
        sql = f"SELECT {_COLUMNS} FROM groom_stops WHERE project_id = ?1 AND {where}"  # noqa: S608 # constants only
        return [_stop(found) for found in self._connection.execute(sql, values)]


def _stop(found: tuple[int, int, int, str | None, str | None, int]) -> Stop:
    place, item_id, is_skipped, asked, before, since = found
    keys = tuple(json.loads(asked)) if asked else ()
    return Stop(place, item_id, bool(is_skipped), keys, json.loads(before) if before else None, since)
