"""Scope log: additions to and removals from iterations. Daily snapshots hold only sums, so items are logged too.

Tracks iterations that ended recently or not at all, and those of open releases. An item takes about 30 bytes while it
is in one, a change about 40 permanently.
"""

import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta

import orjson

from backlit.model.reports.flow import Flow, flow_of
from backlit.model.statuses import StatusGroup, group_of
from backlit.model.trees import Totals
from backlit.store.files import Files, Writer
from backlit.store.journal.reports import Move, Place, Tracked
from backlit.store.records.people import iteration_of
from backlit.store.sqlite.database import ids_json

LONG = timedelta(days=60)
"""The time after its end for which an iteration is tracked."""
MOST = 20_000
"""The most items in tracked iterations. Beyond it nothing is tracked, and reports know only net changes."""
FEW = 1_000
"""The most items to scan after every change. More items cause a pause of a second for each SPEED items."""
SPEED = 500
End = tuple[int, frozenset[int], date, date]
"""An iteration, its later iterations and its last days."""
_SQL = (
    "SELECT id, iteration_id, status, coalesce(points, 0) FROM items INDEXED BY items_by_iteration"  # noqa: S608 # a constant
    " WHERE iteration_id IN (SELECT value FROM json_each(?)) AND is_task = 0 AND project_id = ? AND id > 0"
    f" AND status IS NOT NULL LIMIT {MOST + 1}"
)


class ScopeLog:
    """The log of the items in iterations, with the additions and removals."""

    def __init__(self, files: Files, today: Callable[[], date]) -> None:
        self._files = files
        self._today = today
        self._noted: tuple[int, date, int] | None = None
        self._not_before = 0.0

    async def note(self, project_id: int) -> None:
        """Scan the tracked iterations. The syncing process calls it after every complete sync."""
        today = self._today()
        key = (project_id, today, await self._files.read(_data_version))
        is_same_day = self._noted is not None and self._noted[:2] == key[:2]
        if key == self._noted or (is_same_day and time.monotonic() < self._not_before):
            return
        followed, places = await self._files.read(lambda connection: _look(connection, project_id, today))
        await self._files.write(lambda writer: _note(writer, project_id, followed, places, today))
        self._noted = key
        self._not_before = time.monotonic() + (len(places) / SPEED if len(places) > FEW else 0.0)

    async def flows(self, project_id: int, iteration_ids: frozenset[int], days: Sequence[date]) -> Mapping[date, Flow]:
        """Return the additions to and removals from some iterations together, up to each recorded day."""
        if not days:
            return {}
        ids = ids_json(sorted(iteration_ids))

        def read(writer: Writer) -> tuple[Mapping[int, Tracked], list[tuple[str, float | None, float | None]]]:
            scope = writer.journal.scope_log
            return scope.followed(project_id), scope.moves(project_id, ids, days[0], days[-1])

        followed, moves = await self._files.write(read)
        flows: dict[str, Flow] = defaultdict(Flow)
        for day, before, after in moves:
            flows[day] += flow_of(before, after)
        spans = [each for iteration_id, each in followed.items() if iteration_id in iteration_ids]
        return {day: flows[day.isoformat()] for day in days if any(each.covers(day) for each in spans)}

    async def carried(self, project_id: int, ends: Sequence[End]) -> list[Totals]:
        """Return the totals carried over from some iterations to later ones before their end."""

        def read(writer: Writer) -> list[Totals]:
            scope = writer.journal.scope_log
            return [
                Totals(*scope.carried(project_id, node_id, ids_json(sorted(later)), first, last))
                for node_id, later, first, last in ends
            ]

        return await self._files.write(read)


def _data_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def _look(connection: sqlite3.Connection, project_id: int, today: date) -> tuple[frozenset[int], dict[int, Place]]:
    """Return the iterations to track and the place of each of their items, nothing for too many items."""
    followed = frozenset(_to_follow(connection, project_id, today - LONG))
    found = connection.execute(_SQL, (ids_json(sorted(followed)), project_id)).fetchall()
    if len(found) > MOST:
        return frozenset(), {}
    counted = {status: group_of(status) is not StatusGroup.EXCLUDED for status in {row[2] for row in found}}
    return followed, {row[0]: Place(row[1], row[3]) for row in found if counted[row[2]]}


def _to_follow(connection: sqlite3.Connection, project_id: int, earliest: date) -> Iterator[int]:
    documents = [
        orjson.loads(doc)
        for (doc,) in connection.execute(
            "SELECT doc FROM nouns WHERE kind = 'iterations' AND project_id = ?", (project_id,)
        )
    ]
    ends = {each["id"]: iteration_of(each, "").end or date.min for each in documents}
    parents = {each["id"]: each.get("parentId") for each in documents}
    for node_id, parent_id in parents.items():
        is_below = parent_id in ends
        end_above = ends[parent_id] if is_below and parents[parent_id] in ends else date.min
        if is_below and max(ends[node_id], end_above) >= earliest:
            yield node_id


def _note(writer: Writer, project_id: int, followed: frozenset[int], places: Mapping[int, Place], today: date) -> None:
    scope = writer.journal.scope_log
    kept, spans = scope.places(project_id), scope.followed(project_id)
    before = {each for each, span in spans.items() if span.until is None}
    moves = list(_moves(kept, places, followed & before))
    changed = [each for each in places.items() if kept.get(each[0]) != each[1]]
    gone = kept.keys() - places.keys()
    begun = [(each, Tracked(today)) for each in followed - before]
    ended = [(each, spans[each]._replace(until=today - timedelta(days=1))) for each in before - followed]
    if changed or gone or begun or ended:
        with writer.journal.transaction():
            scope.follow(project_id, [*begun, *ended])
            scope.move(project_id, today, moves)
            scope.put(project_id, changed, gone)


def _moves(before: Mapping[int, Place], after: Mapping[int, Place], followed: frozenset[int]) -> Iterator[Move]:
    """Yield the additions and removals of already tracked iterations."""
    for item_id in before.keys() | after.keys():
        was, is_now = before.get(item_id), after.get(item_id)
        if was == is_now:
            continue
        for iteration_id in {each.iteration_id for each in (was, is_now) if each is not None} & followed:
            yield Move(iteration_id, item_id, _points(was, iteration_id), _points(is_now, iteration_id))


def _points(place: Place | None, iteration_id: int) -> float | None:
    return place.points if place is not None and place.iteration_id == iteration_id else None
