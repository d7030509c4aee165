"""Made-up history of the sample workspace, so that its reports have data. Reports label it.

Other workspaces never get one: unrecorded days stay a gap.
"""

import sqlite3
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from itertools import groupby
from random import Random

import orjson
from msgspec import Struct, field

from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.reports import ObservedStatus, ScopeMove, SnapshotRow, TrackedDays
from backlit.store.mirror.times import local_times
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.people import iteration_of
from backlit.store.reports.items import ITERATIONS_SQL, UNDER_WAY

_SETTING = "sample history until"
"""The key of the setting with a project's last made-up day."""
MAX_HISTORY_DAYS = 200
"""The longest made-up history, in days."""
MOST_ITEMS = 20_000
"""The number of items from which a sample serves measurements and gets no history."""
CARRIED, ADDED = 0.15, 0.15
"""The shares of items carried over from the previous iteration, and added after the start."""
MOST_CARRIED = 8.0
"""The most points of a carried-over item. Larger ones would be most of a small sprint."""
MOST_BEGUN = 4
"""The most days in progress before the test."""
HOLIDAY = 23
"""The interval of missing days, in addition to weekends."""
_GROUPS = StatusGroups()
"""The groups of the sample's statuses, which keep their usual names."""
_BEGUN = "In Progress"
_OPEN = "Not Done"
_DAY = timedelta(days=1)
_FRIDAY = 4
_MANY_SQL = f"SELECT 1 FROM items WHERE project_id = ? AND id > 0 LIMIT 1 OFFSET {MOST_ITEMS}"  # noqa: S608 # a constant
_SQL = (
    "SELECT id, iteration_id, status, coalesce(points, 0), created_at, modified_at FROM items"
    " WHERE project_id = ? AND id > 0 AND is_task = 0 ORDER BY id"
)


class SampleHistory:
    """A project's made-up history, created once, and its last day."""

    def __init__(self, files: LocalDatabase, project: Callable[[], int | None], clock: Callable[[], datetime]) -> None:
        self._files = files
        self._project = project
        self._clock = clock

    def until(self) -> date | None:
        text = self._files.journal.settings.value(f"{_SETTING} {self._project() or 0}")
        return date.fromisoformat(text) if text else None

    async def make(self, project_id: int) -> None:
        """Write the days before the first real record, unless done before."""
        key = f"{_SETTING} {project_id}"
        if await self._files.write(lambda writer: writer.journal.settings.value(key) is not None):
            return
        recorded = await self._files.write(
            lambda writer: writer.journal.snapshots.recorded(project_id, date.min, date.max)
        )
        now = self._clock()
        end = min([date.fromisoformat(day) for day in recorded], default=now.date())
        made = await self._files.read(lambda connection: sample_history(connection, project_id, end, now.tzinfo))
        if made.lines:
            await self._files.write(lambda writer: _write(writer, project_id, made, key))


class StatusStretch(Struct, frozen=True):
    """An item's iteration and status from a day to the day before another."""

    iteration_id: int
    status: str
    first: date
    end: date


class SampleRecords(Struct, frozen=True):
    """The days' rows, the items' status history and its changes, and the days' additions and removals."""

    lines: Mapping[date, list[SnapshotRow]] = field(default_factory=dict)
    observed: Mapping[int, ObservedStatus] = field(default_factory=dict)
    moves: Mapping[date, list[ScopeMove]] = field(default_factory=dict)
    changes: Sequence[tuple[int, ObservedStatus]] = ()


class KnownItem(Struct, frozen=True):
    """An item's known facts: iteration, status, creation day and day of the last change."""

    id: int
    iteration_id: int
    status: str
    points: float
    made: date
    changed: date

    def moves(self, stretches: Iterable[StatusStretch], end: date) -> Iterator[tuple[date, ScopeMove]]:
        counted = (each for each in stretches if each.status and _GROUPS.of(each.status) is not StatusGroup.EXCLUDED)
        for place, run in groupby(counted, key=lambda each: each.iteration_id):
            parts = list(run)
            yield parts[0].first, ScopeMove(place, self.id, None, self.points)
            if parts[-1].end < end:
                yield parts[-1].end, ScopeMove(place, self.id, self.points, None)

    def stretches(self, iterations: "Days", end: date) -> Iterator[StatusStretch]:
        """Yield an item's stretches until `end`, by reproducible chance. Known days are respected."""
        random = Random(self.id)  # noqa: S311 # a sample, not a secret
        made, status, place = self.made, self.status, self.iteration_id
        if made >= end:
            return
        first, last = iterations.get(place, (end, end))
        if first >= end:
            yield StatusStretch(place, status, made, end)
            return
        came = made
        before = next((key for key, (_, other) in iterations.items() if other == first - _DAY), None)
        if before is not None and random.random() < CARRIED and self.points <= MOST_CARRIED:
            yield from _shown(before, _OPEN, made, first)
            came = max(made, first)
        elif random.random() < ADDED:
            came = max(made, first + random.randrange(1, 8) * _DAY)
        changed = self.changed if max(made, first) < self.changed < min(last + _DAY, end) else None
        if changed is not None:
            came = min(came, changed - _DAY)
        if _GROUPS.of(status) in UNDER_WAY:
            begun = changed or max(came, first) + random.randrange(max(1, (end - max(came, first)).days)) * _DAY
            days = 1 + self.id % MOST_BEGUN if _GROUPS.of(status) is StatusGroup.READY_FOR_TEST else 0
            started = max(came, begun - days * _DAY)
            yield from _shown(place, _OPEN, came, started)
            yield from _shown(place, _BEGUN, started, begun)
            yield from _shown(place, status, begun, end)
            return
        if _GROUPS.of(status) is not StatusGroup.DONE:
            yield from _shown(place, status, came, end)
            return
        over = changed or min(max(came, first) + random.randrange(1, 13) * _DAY, last, end - _DAY)
        over -= max(0, over.weekday() - _FRIDAY) * _DAY
        begun = over - random.randrange(1, 4) * _DAY
        yield from _shown(place, _OPEN, came, begun)
        yield from _shown(place, _BEGUN, max(came, begun), over)
        yield from _shown(place, status, max(came, over), end)


Days = Mapping[int, tuple[date, date]]
"""The first and last days of the dated iterations."""


def _write(writer: WriteContext, project_id: int, made: SampleRecords, setting: str) -> None:
    kept = writer.journal.status_history.of_project(project_id)
    with writer.journal.transaction():
        for day, lines in made.lines.items():
            writer.journal.snapshots.put(project_id, day, lines, ())
        unseen = {item_id for item_id, seen in kept.items() if seen.before is None}
        writer.journal.status_history.put(project_id, [each for each in made.observed.items() if each[0] in unseen])
        writer.journal.status_history.add_changes(project_id, [each for each in made.changes if each[0] in unseen])
        for day, moves in made.moves.items():
            writer.journal.scope_log.move(project_id, day, moves)
        spans = writer.journal.scope_log.followed(project_id)
        first, last = min(made.lines), max(made.lines)
        places = {move.iteration_id for moves in made.moves.values() for move in moves}
        writer.journal.scope_log.follow(
            project_id, [(place, spans.get(place, TrackedDays(first, last))._replace(since=first)) for place in places]
        )
        writer.journal.settings.keep(setting, last.isoformat())
    writer.signal.publish(StoreChange(Subject.HISTORY))


def sample_history(connection: sqlite3.Connection, project_id: int, end: date, zone: tzinfo | None) -> SampleRecords:
    """Return the history before `end`, consistent with the items' present state; days are those of the viewer's zone.

    Empty for too many items.
    """
    if connection.execute(_MANY_SQL, (project_id,)).fetchone():
        return SampleRecords()
    iterations = _iterations(connection, project_id)
    times = local_times(connection, zone)
    items = connection.execute(_SQL, (project_id,)).fetchall()
    start = max(end - MAX_HISTORY_DAYS * _DAY, min((first for first, _ in iterations.values()), default=end) - _DAY)
    changes: dict[tuple[int, str], dict[date, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0, 0.0]))
    observed: dict[int, ObservedStatus] = {}
    moves: list[tuple[date, ScopeMove]] = []
    started: list[tuple[int, ObservedStatus]] = []
    for item_id, iteration_id, status, points, *moments in items:
        item = KnownItem(
            item_id, iteration_id or 0, status or "", points, *(times.day_of(each or 0) for each in moments)
        )
        stretches = [each for each in item.stretches(iterations, end) if each.end > start]
        moves += item.moves(stretches, end)
        for each in stretches:
            if each.end == end and each.first > item.made and _GROUPS.of(status) in UNDER_WAY:
                observed[item_id] = ObservedStatus(status, each.first, each.first - _DAY)
            elif each.status == _BEGUN and _GROUPS.of(status) in UNDER_WAY:
                started.append((item_id, ObservedStatus(_BEGUN, each.first, each.first - _DAY)))
            for place in {0, each.iteration_id}:
                for day, sign in ((max(each.first, start), 1), (each.end, -1)):
                    change = changes[place, each.status][day]
                    change[0] += sign
                    change[1] += sign * points
    lines = dict(_lines(changes, start, end))
    return SampleRecords(lines, observed, _noted(moves, sorted(lines)), started)


def _noted(moves: Iterable[tuple[date, ScopeMove]], recorded: Sequence[date]) -> dict[date, list[ScopeMove]]:
    """Return the moves by the day they were observed. The first recorded ones count from the item's creation."""
    found: dict[date, list[ScopeMove]] = defaultdict(list)
    for day, move in moves:
        at = bisect_left(recorded, day)
        if at < len(recorded):
            found[recorded[at]].append(move)
    return found


def _iterations(connection: sqlite3.Connection, project_id: int) -> Days:
    entries = [iteration_of(orjson.loads(doc), "") for (doc,) in connection.execute(ITERATIONS_SQL, (project_id,))]
    return {each.id: (each.start, each.end) for each in entries if each.start and each.end and not each.is_release}


def _shown(place: int, status: str, first: date, end: date) -> Iterable[StatusStretch]:
    return [StatusStretch(place, status, first, end)] if first < end else []


def _lines(
    changes: Mapping[tuple[int, str], Mapping[date, list[float]]], start: date, end: date
) -> Iterator[tuple[date, list[SnapshotRow]]]:
    now: dict[tuple[int, str], tuple[int, float]] = {}
    for number in range((end - start).days):
        day = start + number * _DAY
        for key, of_days in changes.items():
            if day in of_days:
                count, points = now.get(key, (0, 0.0))
                now[key] = count + int(of_days[day][0]), points + of_days[day][1]
        if day.weekday() <= _FRIDAY and day.toordinal() % HOLIDAY:
            yield day, _of_day(now)


def _of_day(now: Mapping[tuple[int, str], tuple[int, float]]) -> list[SnapshotRow]:
    places: dict[int, dict[str, list[float]]] = {0: {}}
    for (place, status), (count, points) in sorted(now.items()):
        if count:
            places.setdefault(place, {})[status] = [count, points]
    return [(place, orjson.dumps(statuses).decode(), 0.0, 0.0) for place, statuses in places.items()]
