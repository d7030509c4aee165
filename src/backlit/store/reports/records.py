"""Records of the past: daily snapshots, scope log, status history. The service keeps none, so the client observes it.

The syncing process writes a snapshot at the first complete sync of a day and updates it through the day. Days without a
sync are missing. A row takes about 100 bytes: a project with 30 non-empty iterations grows by 31 rows a day, 1.1 MB in
a year.
"""

import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from zlib import crc32

import orjson
from msgspec import Struct
from msgspec.structs import replace

from backlit.model.reports.machine.daily import DayProgress, ScopeFlow, flow_of
from backlit.model.statuses import StatusGroups
from backlit.model.trees import NodeTotals
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.reports import (
    IterationPoints,
    ObservedStatus,
    ScopeMove,
    SnapshotRow,
    SnapshotTable,
    TrackedDays,
)
from backlit.store.mirror.schema import HAS_COUNTED_ITEMS
from backlit.store.mirror.status_groups import GROUPS_SQL, status_groups
from backlit.store.records.changes import OutboxState
from backlit.store.records.people import iteration_of
from backlit.store.reports.items import ITERATIONS_SQL, NOT_COUNTED, Found, begun_items, progress_of
from backlit.store.sqlite.ids import ids_json

PROJECT = 0
"""The iteration id that stands for the whole backlog."""

Span = tuple[frozenset[int], date, date]
ProgressDays = tuple[DayProgress, ...]
NOTHING = DayProgress(date.min, NodeTotals(), NodeTotals())

_COUNTS_SQL = (
    "SELECT iteration_id, is_task, status, count(*), total(points), total(work_remaining), total(work_completed)"  # noqa: S608 # constants
    f" FROM items WHERE project_id = ? AND id > 0 AND NOT {HAS_COUNTED_ITEMS} GROUP BY iteration_id, is_task, status"
)


TRACKED_AFTER_END = timedelta(days=60)
"""The time after its end for which an iteration is tracked."""
MAX_TRACKED_ITEMS = 20_000
"""The most items in tracked iterations. Beyond it nothing is tracked, and reports know only net changes."""
End = tuple[int, frozenset[int], date, date]
"""An iteration, its later iterations and its last days."""
_TRACKED_SQL = (
    "SELECT id, iteration_id, status, coalesce(points, 0) FROM items INDEXED BY items_by_iteration"  # noqa: S608 # a constant
    " WHERE iteration_id IN (SELECT value FROM json_each(?)) AND is_task = 0 AND project_id = ? AND id > 0"
    f" AND status IS NOT NULL AND NOT {HAS_COUNTED_ITEMS} LIMIT {MAX_TRACKED_ITEMS + 1}"
)
_NOTED_ON = "stays noted on"
"""The key of the setting with the time of a project's last scan of statuses."""


# Counted at each start and at the second sync, whether anything had changed or not, the records were most of what the
# program took at rest: 0.40 % of a core with 100,000 items, 0.12 without.
class _ScanPace:
    """The pace of scans: one after every change of a small mirror, and one a pause of a large mirror.

    More than `few` rows cause a pause of a second for each `speed` rows. Counting 300,000 rows took 1.5 s on a busy
    machine. `setting` keeps the last scanned state, so that a start without changes scans nothing.
    """

    def __init__(self, files: LocalDatabase, setting: str, few: int, speed: int) -> None:
        self._files = files
        self._setting = setting
        self._few = few
        self._speed = speed
        self._last: tuple[int, date, int] | None = None
        self._not_before = 0.0

    async def scan(
        self,
        project_id: int,
        day: date,
        look: Callable[[sqlite3.Connection], Found],
        keep: Callable[[WriteContext, Found], int],
    ) -> None:
        """Scan a project if it is due. `keep` stores what `look` found, and returns its number of rows."""
        (version,) = await self._files.read(lambda connection: connection.execute("PRAGMA data_version").fetchone())
        last, key, setting = self._last, (project_id, day, version), f"{self._setting} {project_id}"
        if key == last or (last and last[:2] == key[:2] and time.monotonic() < self._not_before):
            return
        state, scanned = await self._files.write(
            lambda writer: (_state(writer, project_id, day), writer.journal.settings.value(setting))
        )
        if not state or state != scanned:
            found = await self._files.read(look)

            def kept(writer: WriteContext) -> int:
                count = keep(writer, found)
                writer.journal.settings.keep(setting, state)
                return count

            count = await self._files.write(kept)
            self._not_before = time.monotonic() + (count / self._speed if count > self._few else 0.0)
        self._last = key


def _state(writer: WriteContext, project_id: int, day: date) -> str:
    """Return what a change of a project changes. Empty if unsent changes or whole-second stamps could hide one."""
    newest, count = writer.mirror.extent(project_id)
    if not newest or newest % 1_000_000 == 0 or writer.journal.state() != OutboxState():
        return ""
    found = [
        writer.mirror.connection.execute(sql, values).fetchall()
        for sql, values in ((ITERATIONS_SQL, (project_id,)), (GROUPS_SQL, ()))
    ]
    return f"{day} {newest} {count} {crc32(repr(found).encode())}"


class Snapshot(Struct, frozen=True):
    """The state of an iteration (without its children) or a whole backlog at the end of a day.

    `statuses` counts everything except tasks, under "" without a status. Work is the tasks' hours.
    """

    day: date
    statuses: Mapping[str, NodeTotals]
    work_remaining: float
    work_completed: float
    groups: StatusGroups

    @property
    def scope(self) -> NodeTotals:
        """The scope: everything except excluded and unknown statuses and feedback."""
        return progress_of(self.day, self.statuses, self.groups).scope

    @property
    def done(self) -> NodeTotals:
        return progress_of(self.day, self.statuses, self.groups).done


class Snapshots:
    """The snapshots of the synced project, and those of the current one for reading."""

    def __init__(self, files: LocalDatabase, project: Callable[[], int | None], today: Callable[[], date]) -> None:
        self._files = files
        self._project = project
        self._today = today
        self._pace = _ScanPace(files, "snapshots of", few=20_000, speed=2_500)

    def of_iteration(self, iteration_id: int) -> tuple[Snapshot, ...]:
        """Return an iteration's days, the oldest first. Days without a sync are missing."""
        found = self._files.journal.snapshots.of_iteration(self._project() or 0, iteration_id)
        groups = status_groups(self._files.mirror, self._project() or 0)
        return tuple(
            Snapshot(date.fromisoformat(day), _totals(statuses), remaining, completed, groups)
            for day, statuses, remaining, completed in found
        )

    def of_project(self) -> tuple[Snapshot, ...]:
        return self.of_iteration(PROJECT)

    async def progress(self, iteration_ids: frozenset[int], first: date, last: date) -> tuple[DayProgress, ...]:
        """Return the progress of some iterations together (none: the whole backlog) on each recorded day.

        Oldest first. An iteration without a row on a recorded day was empty.
        """
        return (await self.progress_in([(iteration_ids, first, last)]))[0]

    async def progress_in(self, spans: Sequence[Span]) -> list[tuple[DayProgress, ...]]:
        """Return the progress of several spans of days, each with its iterations, by one act."""
        project_id = self._project() or 0
        return await self._files.write(
            lambda writer: [
                _progress(writer.journal.snapshots, project_id, span, writer.mirror.status_groups.of(project_id))
                for span in spans
            ]
        )

    async def take(self, project_id: int) -> None:
        """Write today's changed rows. The syncing process calls it after every complete sync."""
        key = (project_id, self._today())

        def put(writer: WriteContext, found: tuple[dict[int, SnapshotRow], int]) -> int:
            lines, count = found
            before = {line[0]: line for line in writer.journal.snapshots.of_day(*key)}
            changed = [line for line in lines.values() if before.get(line[0]) != line]
            writer.journal.snapshots.put(*key, changed, before.keys() - lines.keys())
            return count

        await self._pace.scan(*key, partial(_lines, project_id=project_id), put)


def _progress(days: SnapshotTable, project_id: int, span: Span, groups: StatusGroups) -> ProgressDays:
    iteration_ids, first, last = span
    found = dict.fromkeys(days.recorded(project_id, first, last), NOTHING)
    for day, statuses in days.of_iterations(project_id, ids_json(sorted(iteration_ids or {PROJECT})), first, last):
        each = progress_of(date.fromisoformat(day), _totals(statuses), groups)
        found[day] = DayProgress(each.day, found[day].scope + each.scope, found[day].done + each.done)
    return tuple(replace(each, day=date.fromisoformat(day)) for day, each in found.items())


def _lines(connection: sqlite3.Connection, project_id: int) -> tuple[dict[int, SnapshotRow], int]:
    items = 0
    statuses: dict[int, dict[str, NodeTotals]] = {PROJECT: {}}
    work: dict[int, tuple[float, float]] = {}
    for iteration_id, is_task, status, count, points, remaining, completed in connection.execute(
        _COUNTS_SQL, (project_id,)
    ):
        items += count
        for place in {PROJECT, iteration_id or PROJECT}:
            if is_task:
                done = work.get(place, (0.0, 0.0))
                work[place] = (done[0] + remaining, done[1] + completed)
            else:
                of_place = statuses.setdefault(place, {})
                of_place[status or ""] = of_place.get(status or "", NodeTotals()) + NodeTotals(count, points)
    return {
        place: (place, _written(statuses.get(place, {})), *work.get(place, (0.0, 0.0)))
        for place in statuses.keys() | work.keys()
    }, items


def _written(statuses: Mapping[str, NodeTotals]) -> str:
    return orjson.dumps({status: [each.count, each.points] for status, each in sorted(statuses.items())}).decode()


def _totals(text: str) -> dict[str, NodeTotals]:
    return {status: NodeTotals(count, points) for status, (count, points) in orjson.loads(text).items()}


class ScopeLog:
    """The log of the items in iterations, with the additions and removals. Snapshots hold only sums.

    Tracks iterations that ended recently or not at all, and those of open releases. An item takes about 30 bytes
    while it is in one, a change about 40 permanently.
    """

    def __init__(self, files: LocalDatabase, today: Callable[[], date]) -> None:
        self._files = files
        self._today = today
        self._pace = _ScanPace(files, "scope of", few=1_000, speed=500)

    async def note(self, project_id: int) -> None:
        """Scan the tracked iterations. The syncing process calls it after every complete sync."""
        today = self._today()
        look = partial(_tracked_items, project_id=project_id, today=today)
        await self._pace.scan(project_id, today, look, partial(_note_scope, project_id=project_id, today=today))

    async def flows(
        self, project_id: int, iteration_ids: frozenset[int], days: Sequence[date]
    ) -> Mapping[date, ScopeFlow]:
        if not days:
            return {}
        ids = ids_json(sorted(iteration_ids))

        def read(
            writer: WriteContext,
        ) -> tuple[Mapping[int, TrackedDays], list[tuple[str, float | None, float | None]]]:
            scope = writer.journal.scope_log
            return scope.followed(project_id), scope.moves(project_id, ids, days[0], days[-1])

        followed, moves = await self._files.write(read)
        flows: dict[str, ScopeFlow] = defaultdict(ScopeFlow)
        for day, before, after in moves:
            flows[day] += flow_of(before, after)
        spans = [each for iteration_id, each in followed.items() if iteration_id in iteration_ids]
        return {day: flows[day.isoformat()] for day in days if any(each.covers(day) for each in spans)}

    async def carried(self, project_id: int, ends: Sequence[End]) -> list[NodeTotals]:
        def read(writer: WriteContext) -> list[NodeTotals]:
            scope = writer.journal.scope_log
            return [
                NodeTotals(*scope.carried(project_id, node_id, ids_json(sorted(later)), first, last))
                for node_id, later, first, last in ends
            ]

        return await self._files.write(read)


def _tracked_items(
    connection: sqlite3.Connection, project_id: int, today: date
) -> tuple[frozenset[int], dict[int, IterationPoints]]:
    """Return the iterations to track and the place of each of their items, nothing for too many items."""
    followed = frozenset(_to_follow(connection, project_id, today - TRACKED_AFTER_END))
    found = connection.execute(_TRACKED_SQL, (ids_json(sorted(followed)), project_id)).fetchall()
    if len(found) > MAX_TRACKED_ITEMS:
        return frozenset(), {}
    groups = status_groups(connection, project_id)
    counted = {status: groups.of(status) not in NOT_COUNTED for status in {row[2] for row in found}}
    return followed, {row[0]: IterationPoints(row[1], row[3]) for row in found if counted[row[2]]}


def _to_follow(connection: sqlite3.Connection, project_id: int, earliest: date) -> Iterator[int]:
    documents = [orjson.loads(doc) for (doc,) in connection.execute(ITERATIONS_SQL, (project_id,))]
    ends = {each["id"]: iteration_of(each, "").end or date.min for each in documents}
    parents = {each["id"]: each.get("parentId") for each in documents}
    for node_id, parent_id in parents.items():
        is_below = parent_id in ends
        end_above = ends[parent_id] if is_below and parents[parent_id] in ends else date.min
        if is_below and max(ends[node_id], end_above) >= earliest:
            yield node_id


def _note_scope(
    writer: WriteContext, found: tuple[frozenset[int], Mapping[int, IterationPoints]], project_id: int, today: date
) -> int:
    followed, places = found
    scope = writer.journal.scope_log
    kept, spans = scope.places(project_id), scope.followed(project_id)
    before = {each for each, span in spans.items() if span.until is None}
    moves = list(_moves(kept, places, followed & before))
    changed = [each for each in places.items() if kept.get(each[0]) != each[1]]
    gone = kept.keys() - places.keys()
    begun = [(each, TrackedDays(today)) for each in followed - before]
    ended = [(each, spans[each]._replace(until=today - timedelta(days=1))) for each in before - followed]
    if changed or gone or begun or ended:
        with writer.journal.transaction():
            scope.follow(project_id, [*begun, *ended])
            scope.move(project_id, today, moves)
            scope.put(project_id, changed, gone)
    return len(places)


def _moves(
    before: Mapping[int, IterationPoints], after: Mapping[int, IterationPoints], followed: frozenset[int]
) -> Iterator[ScopeMove]:
    for item_id in before.keys() | after.keys():
        was, is_now = before.get(item_id), after.get(item_id)
        if was == is_now:
            continue
        for iteration_id in {each.iteration_id for each in (was, is_now) if each is not None} & followed:
            yield ScopeMove(iteration_id, item_id, _points(was, iteration_id), _points(is_now, iteration_id))


def _points(place: IterationPoints | None, iteration_id: int) -> float | None:
    return place.points if place is not None and place.iteration_id == iteration_id else None


class StatusHistory:
    """The log of status changes, and the start of an item's status.

    Only items in progress are tracked. The row of a done item is deleted.
    """

    def __init__(self, files: LocalDatabase, today: Callable[[], date]) -> None:
        self._files = files
        self._today = today
        self._pace = _ScanPace(files, "statuses of", few=1_000, speed=500)

    async def note(self, project_id: int) -> None:
        """Scan the items in progress. The syncing process calls it after every complete sync."""
        today = self._today()
        look = partial(begun_items, project_id=project_id)
        await self._pace.scan(project_id, today, look, partial(_note_statuses, project_id=project_id, today=today))

    async def seen(self, project_id: int) -> "ObservedHistory":
        def read(writer: WriteContext) -> ObservedHistory:
            table = writer.journal.status_history
            return ObservedHistory(
                table.of_project(project_id), _noted_on(writer, project_id), table.changes(project_id)
            )

        return await self._files.write(read)


class ObservedHistory(Struct, frozen=True):
    """The status history by item, and the day of the last scan, None before the first.

    `changes` holds the statuses of each item, in order.
    """

    items: Mapping[int, ObservedStatus]
    noted_on: date | None
    changes: Mapping[int, Sequence[ObservedStatus]] = {}

    def since(self, item_id: int, status: str, changed: date | None, today: date) -> tuple[date, bool]:
        """Return the latest possible first day of an item's status, and whether it is exact.

        `changed` is the day of the item's last change on the service, None if the service lacks the item.
        """
        seen = self.items.get(item_id)
        if seen is None or seen.status != status:
            last, latest = self.noted_on, today
        else:
            last, latest = seen.before, seen.since
        since = min(changed or today, latest)
        if last is None:
            return since, False
        since = max(since, last)
        return since, (since - last).days <= 1


def _noted_on(writer: WriteContext, project_id: int) -> date | None:
    text = writer.journal.settings.value(f"{_NOTED_ON} {project_id}")
    return None if text is None else date.fromisoformat(text)


def _note_statuses(writer: WriteContext, items: Mapping[int, str], project_id: int, today: date) -> int:
    kept = writer.journal.status_history.of_project(project_id)
    before = _noted_on(writer, project_id)
    changed = [
        (item_id, ObservedStatus(status, today, before))
        for item_id, status in items.items()
        if item_id not in kept or kept[item_id].status != status
    ]
    gone = kept.keys() - items.keys()
    if changed or gone or before != today:
        with writer.journal.transaction():
            writer.journal.status_history.put(project_id, changed, gone)
            writer.journal.settings.keep(f"{_NOTED_ON} {project_id}", today.isoformat())
    return len(items)
