"""Daily snapshots of the backlog and its iterations. The service keeps no history, so the client records it.

The syncing process writes a snapshot at the first complete sync of a day and updates it through the day. Days without a
sync are missing. A row takes about 100 bytes: a project with 30 non-empty iterations grows by 31 rows a day, 1.1 MB in
a year.
"""

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import orjson

from backlit.model.reports.course import Standing
from backlit.model.trees import Totals
from backlit.store.files import Files
from backlit.store.journal.reports import SnapshotRow, SnapshotTable
from backlit.store.reports.items import standing_of
from backlit.store.sqlite.database import ids_json

PROJECT = 0
"""The iteration id that stands for the whole backlog."""
FEW = 20_000
"""The most rows of the mirror to count at every change. More rows cause a pause of a second for each SPEED rows."""
SPEED = 2_500
"""Counting 300,000 rows took 1.5 s on a busy machine, so with the pause it costs one per cent of the time."""

Span = tuple[frozenset[int], date, date]
Standings = tuple[Standing, ...]
NOTHING = Standing(date.min, Totals(), Totals())

_SQL = (
    "SELECT iteration_id, is_task, status, count(*), total(points), total(work_remaining), total(work_completed)"
    " FROM items WHERE project_id = ? AND id > 0 GROUP BY iteration_id, is_task, status"
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of an iteration (without its children) or a whole backlog at the end of a day.

    `statuses` counts everything except tasks, under "" without a status. Work is the tasks' hours.
    """

    day: date
    statuses: Mapping[str, Totals]
    work_remaining: float
    work_completed: float

    @property
    def scope(self) -> Totals:
        """The scope: everything except deferred and deleted items and feedback."""
        return standing_of(self.day, self.statuses).scope

    @property
    def done(self) -> Totals:
        """The done and closed items."""
        return standing_of(self.day, self.statuses).done


class Snapshots:
    """The snapshots of the synced project, and those of the current one for reading."""

    def __init__(self, files: Files, project: Callable[[], int | None], today: Callable[[], date]) -> None:
        self._files = files
        self._project = project
        self._today = today
        self._taken: dict[tuple[int, date], dict[int, SnapshotRow]] = {}
        self._seen = 0
        self._others: object = None
        self._not_before = 0.0

    def of_iteration(self, iteration_id: int) -> tuple[Snapshot, ...]:
        """Return an iteration's days, the oldest first. Days without a sync are missing."""
        found = self._files.journal.snapshots.of_iteration(self._project() or 0, iteration_id)
        return tuple(
            Snapshot(date.fromisoformat(day), _totals(statuses), remaining, completed)
            for day, statuses, remaining, completed in found
        )

    def of_project(self) -> tuple[Snapshot, ...]:
        """Return the whole backlog's days, the oldest first."""
        return self.of_iteration(PROJECT)

    async def standings(self, iteration_ids: frozenset[int], first: date, last: date) -> tuple[Standing, ...]:
        """Return the standing of some iterations together (none: the whole backlog) on each recorded day.

        Oldest first. An iteration without a row on a recorded day was empty.
        """
        return (await self.standings_of([(iteration_ids, first, last)]))[0]

    async def standings_of(self, spans: Sequence[Span]) -> list[tuple[Standing, ...]]:
        """Return the standings of several spans of days, each with its iterations, by one act."""
        project_id = self._project() or 0
        return await self._files.write(
            lambda writer: [_standings(writer.journal.snapshots, project_id, *span) for span in spans]
        )

    async def take(self, project_id: int) -> None:
        """Write today's changed rows. The syncing process calls it after every complete sync."""
        key = (project_id, self._today())
        seen = await self._files.read(_data_version)
        others = await self._files.other_writes()
        if others != self._others:
            self._taken, self._others = {}, others
        if key in self._taken and (seen == self._seen or time.monotonic() < self._not_before):
            return
        lines, count = await self._files.read(lambda connection: _lines(connection, project_id))
        self._not_before = time.monotonic() + (count / SPEED if count > FEW else 0.0)
        before = self._taken.get(key)
        if before is None:
            stored = await self._files.write(lambda writer: writer.journal.snapshots.of_day(*key))
            before = {line[0]: line for line in stored}
        changed = [line for line in lines.values() if before.get(line[0]) != line]
        gone = before.keys() - lines.keys()
        if changed or gone:
            await self._files.write(lambda writer: writer.journal.snapshots.put(*key, changed, gone))
        self._taken, self._seen = {key: lines}, seen


def _standings(
    days: SnapshotTable, project_id: int, iteration_ids: frozenset[int], first: date, last: date
) -> Standings:
    found = dict.fromkeys(days.recorded(project_id, first, last), NOTHING)
    for day, statuses in days.of_iterations(project_id, ids_json(sorted(iteration_ids or {PROJECT})), first, last):
        each = standing_of(date.fromisoformat(day), _totals(statuses))
        found[day] = Standing(each.day, found[day].scope + each.scope, found[day].done + each.done)
    return tuple(replace(each, day=date.fromisoformat(day)) for day, each in found.items())


def _data_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def _lines(connection: sqlite3.Connection, project_id: int) -> tuple[dict[int, SnapshotRow], int]:
    """Count everything. Returns the rows by iteration and the number of items."""
    items = 0
    statuses: dict[int, dict[str, Totals]] = {PROJECT: {}}
    work: dict[int, tuple[float, float]] = {}
    for iteration_id, is_task, status, count, points, remaining, completed in connection.execute(_SQL, (project_id,)):
        items += count
        for place in {PROJECT, iteration_id or PROJECT}:
            if is_task:
                done = work.get(place, (0.0, 0.0))
                work[place] = (done[0] + remaining, done[1] + completed)
            else:
                of_place = statuses.setdefault(place, {})
                of_place[status or ""] = of_place.get(status or "", Totals()) + Totals(count, points)
    lines = {
        place: (place, _written(statuses.get(place, {})), *work.get(place, (0.0, 0.0)))
        for place in statuses.keys() | work.keys()
    }
    return lines, items


def _written(statuses: Mapping[str, Totals]) -> str:
    return orjson.dumps({status: [each.count, each.points] for status, each in sorted(statuses.items())}).decode()


def _totals(text: str) -> dict[str, Totals]:
    return {status: Totals(count, points) for status, (count, points) in orjson.loads(text).items()}
