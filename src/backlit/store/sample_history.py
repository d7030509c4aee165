"""A made-up history for the sample workspace, so that its reports show something; reports say that it is made up.

No other workspace ever has one: what was not recorded stays a gap.
"""

import sqlite3
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import groupby
from random import Random

import orjson

from backlit.model.statuses import StatusGroup, group_of
from backlit.store.days import Line
from backlit.store.files import Files, Writer
from backlit.store.people import iteration_of
from backlit.store.reports_items import UNDER_WAY
from backlit.store.scope_kept import Followed, Move
from backlit.store.stays_kept import Seen

_SETTING = "sample history until"
"""The setting of the journal that says up to which day the records of a project are made up."""
LONGEST = 200
"""Days it goes back at most."""
MOST_ITEMS = 20_000
"""Items from which a sample is for measuring and gets no history."""
CARRIED, ADDED = 0.15, 0.15
"""The shares of items that came from the iteration before, and that came in after the beginning."""
MOST_CARRIED = 8.0
"""Points up to which an item is carried over: of a small sprint more would be all of it."""
HOLIDAY = 23
"""Besides weekends every so manieth day is missing."""
_BEGUN = "In Progress"
_OPEN = "Not Done"
_DAY = timedelta(days=1)
_FRIDAY = 4
_EPOCH = datetime(1970, 1, 1)
_SQL = (
    "SELECT id, iteration_id, status, coalesce(points, 0), created_at, modified_at FROM items"
    " WHERE project_id = ? AND id > 0 AND is_task = 0 ORDER BY id"
)


class SampleHistory:
    """Makes the history of a project once, where it is wanted, and knows how far it goes."""

    def __init__(self, files: Files, project: Callable[[], int | None], today: Callable[[], date]) -> None:
        self._files = files
        self._project = project
        self._today = today
        self.is_wanted = False

    def until(self) -> date | None:
        """The last day of the current project whose record is made up; None where none is."""
        text = self._files.journal.settings.value(f"{_SETTING} {self._project() or 0}")
        return date.fromisoformat(text) if text else None

    async def make(self, project_id: int) -> None:
        """Write the days before the first true record, where that was not done before."""
        key = f"{_SETTING} {project_id}"
        if not self.is_wanted or await self._files.write(lambda writer: writer.journal.settings.value(key) is not None):
            return
        recorded = await self._files.write(lambda writer: writer.journal.days.recorded(project_id, date.min, date.max))
        end = min([date.fromisoformat(day) for day in recorded], default=self._today())
        made = await self._files.read(lambda connection: sample_history(connection, project_id, end))
        if made.lines:
            await self._files.write(lambda writer: _write(writer, project_id, made, key))


@dataclass(frozen=True, slots=True)
class Stretch:
    """From which day to before which one an item stood somewhere with a status."""

    iteration_id: int
    status: str
    first: date
    end: date


@dataclass(frozen=True, slots=True)
class MadeUp:
    """The lines of each day, since when items have been in their status, and what came and went on which days."""

    lines: Mapping[date, list[Line]] = field(default_factory=dict)
    stays: Mapping[int, Seen] = field(default_factory=dict)
    moves: Mapping[date, list[Move]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of an item: where it stands, and the days on which it was made and changed last."""

    id: int
    iteration_id: int
    status: str
    points: float
    made: date
    changed: date


Days = Mapping[int, tuple[date, date]]
"""The first and last days of the iterations that have any."""


def _write(writer: Writer, project_id: int, made: MadeUp, setting: str) -> None:
    kept = writer.journal.stays.of_project(project_id)
    with writer.journal.transaction():
        for day, lines in made.lines.items():
            writer.journal.days.put(project_id, day, lines, ())
        unseen = {item_id for item_id, seen in kept.items() if seen.before is None}
        writer.journal.stays.put(project_id, [each for each in made.stays.items() if each[0] in unseen])
        for day, moves in made.moves.items():
            writer.journal.scope.move(project_id, day, moves)
        spans = writer.journal.scope.followed(project_id)
        first, last = min(made.lines), max(made.lines)
        places = {move.iteration_id for moves in made.moves.values() for move in moves}
        writer.journal.scope.follow(
            project_id, [(place, spans.get(place, Followed(first, last))._replace(since=first)) for place in places]
        )
        writer.journal.settings.keep(setting, last.isoformat())


def sample_history(connection: sqlite3.Connection, project_id: int, end: date) -> MadeUp:
    """What came before `end`; it ends where the items stand now. Nothing where there are too many items."""
    iterations = _iterations(connection, project_id)
    items = connection.execute(f"{_SQL} LIMIT {MOST_ITEMS + 1}", (project_id,)).fetchall()
    if len(items) > MOST_ITEMS:
        return MadeUp()
    start = max(end - LONGEST * _DAY, min((first for first, _ in iterations.values()), default=end) - _DAY)
    changes: dict[tuple[int, str], dict[date, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0, 0.0]))
    stays: dict[int, Seen] = {}
    moves: list[tuple[date, Move]] = []
    for item_id, iteration_id, status, points, *moments in items:
        made, changed = ((_EPOCH + timedelta(microseconds=each or 0)).date() for each in moments)
        item = Kept(item_id, iteration_id or 0, status or "", points, made, changed)
        stretches = [each for each in _stretches(item, iterations, end) if each.end > start]
        moves += _moves(item, stretches, end)
        for each in stretches:
            if each.end == end and each.first > made and group_of(status) in UNDER_WAY:
                stays[item_id] = Seen(status, each.first, each.first - _DAY)
            for place in {0, each.iteration_id}:
                for day, sign in ((max(each.first, start), 1), (each.end, -1)):
                    change = changes[place, each.status][day]
                    change[0] += sign
                    change[1] += sign * points
    lines = dict(_lines(changes, start, end))
    return MadeUp(lines, stays, _noted(moves, sorted(lines)))


def _moves(item: Kept, stretches: Iterable[Stretch], end: date) -> Iterator[tuple[date, Move]]:
    """When an item came into an iteration, and when it left one."""
    counted = (each for each in stretches if each.status and group_of(each.status) is not StatusGroup.EXCLUDED)
    for place, run in groupby(counted, key=lambda each: each.iteration_id):
        parts = list(run)
        yield parts[0].first, Move(place, item.id, None, item.points)
        if parts[-1].end < end:
            yield parts[-1].end, Move(place, item.id, item.points, None)


def _noted(moves: Iterable[tuple[date, Move]], recorded: Sequence[date]) -> dict[date, list[Move]]:
    """The moves by the days on which they were seen: the first recorded ones from when they were made on."""
    found: dict[date, list[Move]] = defaultdict(list)
    for day, move in moves:
        at = bisect_left(recorded, day)
        if at < len(recorded):
            found[recorded[at]].append(move)
    return found


def _iterations(connection: sqlite3.Connection, project_id: int) -> Days:
    found = connection.execute("SELECT doc FROM nouns WHERE kind = 'iterations' AND project_id = ?", (project_id,))
    entries = [iteration_of(orjson.loads(doc), "") for (doc,) in found]
    return {each.id: (each.start, each.end) for each in entries if each.start and each.end and not each.is_release}


def _stretches(item: Kept, iterations: Days, end: date) -> Iterator[Stretch]:
    """Where an item stood until `end`, by a chance that is the same every time; a known day is kept to."""
    random = Random(item.id)  # noqa: S311 # a sample, not a secret
    made, status, place = item.made, item.status, item.iteration_id
    if made >= end:
        return
    first, last = iterations.get(place, (end, end))
    if first >= end:
        yield Stretch(place, status, made, end)
        return
    came = made
    before = next((key for key, (_, other) in iterations.items() if other == first - _DAY), None)
    if before is not None and random.random() < CARRIED and item.points <= MOST_CARRIED:
        yield from _shown(before, _OPEN, made, first)
        came = max(made, first)
    elif random.random() < ADDED:
        came = max(made, first + random.randrange(1, 8) * _DAY)
    changed = item.changed if max(made, first) < item.changed < min(last + _DAY, end) else None
    if changed is not None:
        came = min(came, changed - _DAY)
    if group_of(status) in UNDER_WAY:
        begun = changed or max(came, first) + random.randrange(max(1, (end - max(came, first)).days)) * _DAY
        yield from _shown(place, _OPEN, came, begun)
        yield from _shown(place, status, begun, end)
        return
    if group_of(status) is not StatusGroup.DONE:
        yield from _shown(place, status, came, end)
        return
    over = changed or min(max(came, first) + random.randrange(1, 13) * _DAY, last, end - _DAY)
    over -= max(0, over.weekday() - _FRIDAY) * _DAY
    begun = over - random.randrange(1, 4) * _DAY
    yield from _shown(place, _OPEN, came, begun)
    yield from _shown(place, _BEGUN, max(came, begun), over)
    yield from _shown(place, status, max(came, over), end)


def _shown(place: int, status: str, first: date, end: date) -> Iterable[Stretch]:
    return [Stretch(place, status, first, end)] if first < end else []


def _lines(
    changes: Mapping[tuple[int, str], Mapping[date, list[float]]], start: date, end: date
) -> Iterator[tuple[date, list[Line]]]:
    """Add the changes up day by day, and leave the days out on which nobody worked."""
    now: dict[tuple[int, str], tuple[int, float]] = {}
    for number in range((end - start).days):
        day = start + number * _DAY
        for key, of_days in changes.items():
            if day in of_days:
                count, points = now.get(key, (0, 0.0))
                now[key] = count + int(of_days[day][0]), points + of_days[day][1]
        if day.weekday() <= _FRIDAY and day.toordinal() % HOLIDAY:
            yield day, _of_day(now)


def _of_day(now: Mapping[tuple[int, str], tuple[int, float]]) -> list[Line]:
    places: dict[int, dict[str, list[float]]] = {0: {}}
    for (place, status), (count, points) in sorted(now.items()):
        if count:
            places.setdefault(place, {})[status] = [count, points]
    return [(place, orjson.dumps(statuses).decode(), 0.0, 0.0) for place, statuses in places.items()]
