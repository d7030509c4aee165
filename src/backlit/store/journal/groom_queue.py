"""The journal's grooming queues: one for each project, with the items' values when first shown."""

import json
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from backlit.model.fields import CRITERIA_COUNT, FEATURE_ID
from backlit.store.records.entry import EntryKind
from backlit.store.sqlite.database import SqliteTable, transaction

_KEY_BY_KIND = {
    **dict.fromkeys((EntryKind.RELATE, EntryKind.MOVE_PARENT, EntryKind.UNRELATE), FEATURE_ID),
    **dict.fromkeys((EntryKind.ADD_CRITERION, EntryKind.DELETE_CRITERION), CRITERIA_COUNT),
}
"""What changes of objects below an item change in the results of its grooming."""
_COLUMNS = "place, item_id, is_skipped, asked, before, since, confirmed"


class GroomQueueItem(Struct, frozen=True):
    """An item of a queue. `before` holds its values when first shown, None until then.

    `since` is the journal's last entry at that time. Later entries of the user are answers, and so are the values of
    `confirmed`, which an answer left as they were.
    """

    place: int
    item_id: int
    is_skipped: bool = False
    asked: tuple[str, ...] = ()
    before: Mapping[str, object] | None = None
    since: int = 0
    confirmed: tuple[str, ...] = ()


class GroomProgress(Struct, frozen=True):
    """The place of the shown item, counted from 0, and the number of items."""

    place: int
    count: int
    began_on: str

    @property
    def is_over(self) -> bool:
        return self.place >= self.count


class GroomQueues(SqliteTable):
    """The tables of grooming queues, through the journal's connection."""

    def begin(self, project_id: int, item_ids: Iterable[int], began_on: str) -> None:
        """Start a queue in place of the project's last one."""
        rows = [(project_id, place, item_id) for place, item_id in enumerate(item_ids)]
        with transaction(self._connection):
            self.end(project_id)
            self._connection.execute(
                "INSERT INTO groom_queues (project_id, place, began_on) VALUES (?, 0, ?)", (project_id, began_on)
            )
            sql = "INSERT INTO groom_stops (project_id, place, item_id) VALUES (?, ?, ?)"
            self._connection.executemany(sql, rows)

    def end(self, project_id: int) -> None:
        with transaction(self._connection):
            self._connection.execute("DELETE FROM groom_queues WHERE project_id = ?", (project_id,))
            self._connection.execute("DELETE FROM groom_stops WHERE project_id = ?", (project_id,))

    def progress(self, project_id: int) -> GroomProgress | None:
        found = self._connection.execute(
            "SELECT place, (SELECT max(place) + 1 FROM groom_stops WHERE project_id = ?1), began_on"
            " FROM groom_queues WHERE project_id = ?1",
            (project_id,),
        ).fetchone()
        return GroomProgress(int(found[0]), int(found[1] or 0), str(found[2])) if found else None

    def go_to(self, project_id: int, place: int) -> None:
        with transaction(self._connection):
            self._connection.execute("UPDATE groom_queues SET place = ? WHERE project_id = ?", (place, project_id))

    def stop(self, project_id: int, place: int) -> GroomQueueItem | None:
        found = self._read("place = ?2", (project_id, place))
        return found[0] if found else None

    def from_place(self, project_id: int, place: int, count: int) -> list[GroomQueueItem]:
        return self._read("place >= ?2 ORDER BY place LIMIT ?3", (project_id, place, count))

    def shown_before(self, project_id: int, place: int) -> list[GroomQueueItem]:
        return self._read("place < ?2 AND before IS NOT NULL ORDER BY place DESC LIMIT 100", (project_id, place))

    def shown(self, project_id: int) -> list[GroomQueueItem]:
        return self._read("before IS NOT NULL ORDER BY place", (project_id,))

    def note(self, project_id: int, place: int, asked: Sequence[str], before: Mapping[str, object]) -> None:
        """Record an item's questions and, the first time, its values."""
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE groom_stops SET asked = ?, before = coalesce(before, ?), since ="
                " CASE WHEN before IS NULL THEN (SELECT coalesce(max(id), 0) FROM entries) ELSE since END"
                " WHERE project_id = ? AND place = ?",
                (json.dumps(list(asked)), json.dumps(dict(before)), project_id, place),
            )

    def confirm(self, project_id: int, place: int, keys: Sequence[str]) -> None:
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE groom_stops SET confirmed = ? WHERE project_id = ? AND place = ?",
                (json.dumps(list(keys)), project_id, place),
            )

    def common(self, project_id: int) -> Mapping[str, Sequence[object]]:
        """Return the values of open items that a queue offers, by field, in the order of their digits."""
        sql = "SELECT common FROM groom_queues WHERE project_id = ?"
        found = self._connection.execute(sql, (project_id,)).fetchone()
        kept: dict[str, list[object]] = json.loads(found[0]) if found else {}
        return kept

    def keep_common(self, project_id: int, common: Mapping[str, Sequence[object]]) -> None:
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE groom_queues SET common = ? WHERE project_id = ?", (json.dumps(common), project_id)
            )

    def skip(self, project_id: int, place: int, *, is_skipped: bool) -> None:
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE groom_stops SET is_skipped = ? WHERE project_id = ? AND place = ?",
                (int(is_skipped), project_id, place),
            )

    def edited(self, project_id: int) -> Mapping[int, Sequence[tuple[int, frozenset[str]]]]:
        """Return the user's changes since the first item was shown: each entry's number and fields, by item."""
        found: dict[int, list[tuple[int, frozenset[str]]]] = {}
        sql = (
            "SELECT item_id, id, kind, payload FROM entries WHERE project_id = ?1 AND state <> 'discarded'"
            " AND (kind = 'edit' OR kind IN (SELECT value FROM json_each(?2)))"
            " AND id > (SELECT min(since) FROM groom_stops WHERE project_id = ?1 AND before IS NOT NULL) ORDER BY id"
        )
        values = (project_id, json.dumps(list(_KEY_BY_KIND)))
        for item_id, entry_id, kind, payload in self._connection.execute(sql, values):
            keys = frozenset([_KEY_BY_KIND[kind]] if kind in _KEY_BY_KIND else json.loads(payload))
            found.setdefault(item_id, []).append((entry_id, keys))
        return found

    def _read(self, where: str, values: tuple[object, ...]) -> list[GroomQueueItem]:
        sql = f"SELECT {_COLUMNS} FROM groom_stops WHERE project_id = ?1 AND {where}"  # noqa: S608 # constants only
        return [_stop(found) for found in self._connection.execute(sql, values)]


def _stop(found: tuple[int, int, int, str | None, str | None, int, str]) -> GroomQueueItem:
    place, item_id, is_skipped, asked, before, since, confirmed = found
    keys, values = tuple(json.loads(asked)) if asked else (), json.loads(before) if before else None
    return GroomQueueItem(place, item_id, bool(is_skipped), keys, values, since, tuple(json.loads(confirmed)))
