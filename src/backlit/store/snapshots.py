"""How the backlog and its iterations stood, day by day: the service keeps no history, so the client does.

A snapshot is written by the syncing process at the first complete sync of a day and renewed through the day, so that
the day's last state stays; days without a sync are missing. One takes about 100 bytes: a project of 30 iterations that
hold items grows by 31 lines a day, 1.1 MB in a year of days.
"""

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import orjson

from backlit.model.reports.course import Standing
from backlit.model.trees import Totals
from backlit.store.database import ids_json
from backlit.store.days import Days, Line
from backlit.store.files import Files
from backlit.store.reports_items import standing_of

PROJECT = 0
"""What stands in the place of an iteration for the whole backlog."""
FEW = 20_000
"""Lines of the mirror that are counted at every change; for more there is a pause, of a second for each SPEED lines."""
SPEED = 2_500
"""300,000 lines took 1.5 s to count on a busy machine, so with the pause it costs one per cent of the time."""

Span = tuple[frozenset[int], date, date]
Standings = tuple[Standing, ...]
NOTHING = Standing(date.min, Totals(), Totals())

_SQL = (
    "SELECT iteration_id, is_task, status, count(*), total(points), total(work_remaining), total(work_completed)"
    " FROM items WHERE project_id = ? AND id > 0 GROUP BY iteration_id, is_task, status"
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How an iteration (without those beneath it) or a whole backlog stood at the end of a day.

    `statuses` counts everything but tasks, under "" what has no status; the work is that of the tasks, in hours.
    """

    day: date
    statuses: Mapping[str, Totals]
    work_remaining: float
    work_completed: float

    @property
    def scope(self) -> Totals:
        """All that counts: not what is deferred or deleted, nor feedback."""
        return standing_of(self.day, self.statuses).scope

    @property
    def done(self) -> Totals:
        """What is done or closed."""
        return standing_of(self.day, self.statuses).done


class Snapshots:
    """Takes the snapshots of the project that is synced, and reads those of the current one."""

    def __init__(self, files: Files, project: Callable[[], int | None], today: Callable[[], date]) -> None:
        self._files = files
        self._project = project
        self._today = today
        self._taken: dict[tuple[int, date], dict[int, Line]] = {}
        self._seen = 0
        self._others: object = None
        self._not_before = 0.0

    def of_iteration(self, iteration_id: int) -> tuple[Snapshot, ...]:
        """The days of an iteration, the oldest first; gaps are days on which nothing was synced."""
        found = self._files.journal.days.of_iteration(self._project() or 0, iteration_id)
        return tuple(
            Snapshot(date.fromisoformat(day), _totals(statuses), remaining, completed)
            for day, statuses, remaining, completed in found
        )

    def of_project(self) -> tuple[Snapshot, ...]:
        """The days of the whole backlog, the oldest first."""
        return self.of_iteration(PROJECT)

    async def standings(self, iteration_ids: frozenset[int], first: date, last: date) -> tuple[Standing, ...]:
        """How some iterations stood together (none: the whole backlog) on each recorded day, the oldest first.

        On a day on which anything was recorded, an iteration without a line held nothing.
        """
        return (await self.standings_of([(iteration_ids, first, last)]))[0]

    async def standings_of(self, spans: Sequence[Span]) -> list[tuple[Standing, ...]]:
        """The same for several stretches of days, each with its iterations, in one turn."""
        project_id = self._project() or 0
        return await self._files.write(
            lambda writer: [_standings(writer.journal.days, project_id, *span) for span in spans]
        )

    async def take(self, project_id: int) -> None:
        """Write today's lines that are others than before; called by the syncing process after every complete turn."""
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
            stored = await self._files.write(lambda writer: writer.journal.days.of_day(*key))
            before = {line[0]: line for line in stored}
        changed = [line for line in lines.values() if before.get(line[0]) != line]
        gone = before.keys() - lines.keys()
        if changed or gone:
            await self._files.write(lambda writer: writer.journal.days.put(*key, changed, gone))
        self._taken, self._seen = {key: lines}, seen


def _standings(days: Days, project_id: int, iteration_ids: frozenset[int], first: date, last: date) -> Standings:
    found = dict.fromkeys(days.recorded(project_id, first, last), NOTHING)
    for day, statuses in days.of_iterations(project_id, ids_json(sorted(iteration_ids or {PROJECT})), first, last):
        each = standing_of(date.fromisoformat(day), _totals(statuses))
        found[day] = Standing(each.day, found[day].scope + each.scope, found[day].done + each.done)
    return tuple(replace(each, day=date.fromisoformat(day)) for day, each in found.items())


def _data_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def _lines(connection: sqlite3.Connection, project_id: int) -> tuple[dict[int, Line], int]:
    """Count everything; returns the lines by iteration, and how many items that were."""
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
