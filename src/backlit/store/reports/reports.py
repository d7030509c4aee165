"""The reports of the current project. The store's threads read the numbers, the model adds them up."""

import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from functools import partial
from typing import Self, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import counted
from backlit.model.errors import BadRequest
from backlit.model.planning import Velocity, velocity_of
from backlit.model.query import NameKind
from backlit.model.reports.daily import DayProgress, RecordedPeriod, burndown, burnup, scope_change
from backlit.model.reports.open_items import StatusStart, TimeInStatus, age, estimates, load_by_area, load_by_person
from backlit.model.reports.report import LEFT_OUT, Measure, Report
from backlit.model.reports.velocity import IterationRecord, last_day_of_work, velocity
from backlit.model.trees import ROOT_PARENT, NodeTotals
from backlit.store.files.files import LocalDatabase
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.store.reports import items
from backlit.store.reports.records import ScopeLog, Snapshots, StatusHistory
from backlit.store.reports.sample_history import SampleHistory
from backlit.store.views.lookups import Lookups
from backlit.store.views.names import CURRENT, QueryNames

PERIODS = (30, 90, 365)
"""The offered periods of the whole backlog, in days up to today."""


MAX_REPORT_DAYS = 3660


class Coverage(Struct, frozen=True):
    """The subject of a report. `end` is inclusive. No node means the whole backlog."""

    name: str
    start: date
    end: date
    node_id: int | None = None
    iteration_ids: frozenset[int] = frozenset()

    @property
    def about(self) -> str:
        return self.name if self.node_id is not None else "whole backlog"


class Coverages:
    """The coverages of the current project."""

    def __init__(self, lookups: Lookups, names: QueryNames) -> None:
        self._lookups = lookups
        self._names = names

    def iterations(self) -> tuple[Coverage, ...]:
        roots = {node.id for node in self._lookups.tree(TreeKind.ITERATIONS).roots}
        return tuple(
            found
            for each in self._lookups.iterations().values()
            if each.id not in roots and (found := self._of(each)) is not None
        )

    def period(self, days: int) -> Coverage:
        """Return the whole backlog over a number of days up to today. Raises BadRequest for an invalid number."""
        if not 1 <= days <= MAX_REPORT_DAYS:
            raise BadRequest(f"Enter a number of days from 1 to {MAX_REPORT_DAYS:,}.")
        today = self._names.today()
        return Coverage(f"Whole backlog, {counted(days, 'day')}", today - timedelta(days=days - 1), today)

    def usual(self) -> Coverage:
        """Return the current iteration, else the last ended one, else the whole backlog."""
        current = self._names.ids(NameKind.ITERATION, CURRENT, with_subtree=False)
        for each in self.iterations():
            if each.node_id in current:
                return each
        over = [each for each in self.leaves() if each.end < self._names.today()]
        return max(over, key=lambda each: each.end, default=self.period(PERIODS[1]))

    def leaves(self, below: Coverage | None = None) -> tuple[Coverage, ...]:
        tree, entries = self._lookups.tree(TreeKind.ITERATIONS), self._lookups.iterations()
        found = [
            each
            for each in self.iterations()
            if each.node_id is not None and not entries[each.node_id].is_release and not tree.children(each.node_id)
        ]
        if below is not None and below.node_id is not None:
            found = [each for each in found if each.node_id in below.iteration_ids]
        return tuple(sorted(found, key=lambda each: (each.start, each.end)))

    def named(self, text: str) -> Coverage:
        """Return the coverage of a name, path, id, `current`, `next` or `previous`. Raises BadRequest for others."""
        coverage = self._of(self._names.iteration(text))
        if coverage is None:
            raise BadRequest(f"“{text}” has no dates. Set them to see its reports.")
        return coverage

    def _of(self, entry: IterationEntry) -> Coverage | None:
        if entry.start is None or entry.end is None or entry.end < entry.start:
            return None
        if (entry.end - entry.start).days > MAX_REPORT_DAYS:
            return None
        ids = frozenset(self._lookups.tree(TreeKind.ITERATIONS).subtree_ids(entry.id))
        return Coverage(entry.name, entry.start, entry.end, entry.id, ids)


MOST_RUNS = 12
"""The number of iterations in the velocity."""
NOBODY = "nobody"


class ReportRecords(Struct, frozen=True):
    """The recorded history, and the last made-up day of it."""

    snapshots: Snapshots
    scope: ScopeLog
    status_history: StatusHistory
    sample: SampleHistory


class Reports:
    """The reports of the current project. `coverages` lists their possible subjects."""

    def __init__(self, files: LocalDatabase, lookups: Lookups, records: ReportRecords, names: QueryNames) -> None:
        self._files = files
        self._lookups = lookups
        self._records = records
        self._names = names
        self.coverages = Coverages(lookups, names)

    async def make(self, name: "ReportName", coverage: Coverage, measure: Measure = Measure.POINTS) -> Report:
        report = await name.maker(self, coverage, measure)
        if name is ReportName.ESTIMATES:
            return report
        unknown = await self._read(coverage, items.unknown_statuses)
        return replace(report, notes=(*report.notes, _unknown_note(unknown))) if unknown else report

    async def people(self, coverage: Coverage, measure: Measure) -> Report:
        loads = await self._read(coverage, items.load_by_owner)
        return load_by_person(coverage.about, items.named(loads, self._owner), measure)

    async def areas(self, coverage: Coverage, measure: Measure) -> Report:
        loads = await self._read(coverage, items.load_by_area)
        return load_by_area(coverage.about, items.named(loads, self._area), measure)

    async def estimates(self, coverage: Coverage, _measure: Measure) -> Report:
        return estimates(coverage.about, await self._read(coverage, items.sizes))

    async def _read(
        self, coverage: Coverage, act: Callable[[sqlite3.Connection, int, frozenset[int]], items.Found]
    ) -> items.Found:
        project_id = self._lookups.project_id or 0
        return await self._files.read(lambda connection: act(connection, project_id, coverage.iteration_ids))

    async def course(self, coverage: Coverage, *, with_flows: bool) -> RecordedPeriod:
        progress = await self._records.snapshots.progress(coverage.iteration_ids, coverage.start, coverage.end)
        today, until = self._names.today(), self._records.sample.until()
        now = None if progress else await self._now(coverage, today)
        course = RecordedPeriod(
            coverage.name, coverage.start, coverage.end, today, progress, until, now, coverage.node_id is None
        )
        if not with_flows or not coverage.iteration_ids:
            return course
        days = [each.day for each in course.progress]
        flows = await self._records.scope.flows(self._lookups.project_id or 0, coverage.iteration_ids, days)
        return replace(course, flows=flows)

    async def _now(self, coverage: Coverage, today: date) -> DayProgress:
        return await self._read(
            coverage, lambda connection, project_id, ids: items.progress(connection, project_id, ids, today)
        )

    async def velocities(self, coverage: Coverage, measure: Measure) -> Report:
        today = self._names.today()
        below = coverage if len(coverage.iteration_ids) > 1 else None
        begun = [each for each in self.coverages.leaves(below) if each.start <= today]
        if below is None and coverage.node_id is None:
            begun = [each for each in begun if each.end >= coverage.start]
        runs = await self._runs(begun[-MOST_RUNS:], today)
        last = f"the last {counted(len(runs), 'iteration').removeprefix('1 ')}" if runs else "no iterations"
        about = below.name if below is not None else last
        return velocity(about, runs, today, measure, self._records.sample.until())

    async def velocity(self) -> Velocity:
        """Return the done work of the last finished iterations, with the numbers of the velocity report."""
        today = self._names.today()
        ended = [each for each in self.coverages.leaves() if each.end < today]
        runs = await self._runs(ended[-MOST_RUNS:], today)
        return velocity_of(each.last.done.points for each in reversed(runs))

    async def _runs(self, coverages: Sequence[Coverage], today: date) -> Sequence[IterationRecord]:
        """Return the iterations with their records, or their current progress if nothing was recorded."""
        spans = [(each.iteration_ids, each.start, each.end) for each in coverages]
        recorded = list(zip(coverages, await self._records.snapshots.progress_in(spans), strict=True))
        ids = frozenset(each.node_id for each, progress in recorded if not progress and each.node_id is not None)
        project_id = self._lookups.project_id or 0
        now = (
            await self._files.read(lambda connection: items.progress_by_iteration(connection, project_id, ids, today))
            if ids
            else {}
        )
        nothing = DayProgress(today, NodeTotals(), NodeTotals())
        carried = await self._carried([each for each, progress in recorded if progress])
        return [
            IterationRecord(
                each.name,
                each.start,
                each.end,
                progress,
                now.get(each.node_id or 0, nothing),
                carried.get(each.node_id or 0, NodeTotals()),
            )
            for each, progress in recorded
        ]

    async def _carried(self, coverages: Sequence[Coverage]) -> Mapping[int, NodeTotals]:
        every = self.coverages.leaves()
        later = {each: _ids(other for other in every if other.start > each.start) for each in coverages}
        ends = [(each.node_id or 0, later[each], last_day_of_work(each.end), each.end) for each in coverages]
        found = await self._records.scope.carried(self._lookups.project_id or 0, ends)
        return dict(zip((end[0] for end in ends), found, strict=True))

    async def age(self, coverage: Coverage, _measure: Measure) -> Report:
        found = await self._read(coverage, partial(items.under_way, times=self._names.times()))
        seen = await self._records.status_history.seen(self._lookups.project_id or 0)
        today = self._names.today()
        stays = []
        for each in found:
            since, is_exact = seen.since(each.item_id, each.status, each.changed, today)
            owner = "" if each.owner_id is None else self._owner(each.owner_id)
            before = tuple(
                StatusStart(change.since, change.status, change.is_exact)
                for change in seen.changes.get(each.item_id, ())
                if change.since < since
            )
            known = each.item_id, each.name, each.status, owner, since, is_exact, each.type
            stays.append(TimeInStatus(*known, each.created, before))
        return age(coverage.about, stays, today, self._records.sample.until())

    def _owner(self, owner_id: int | None) -> str:
        if owner_id is None:
            return NOBODY
        person = self._lookups.known_people().get(owner_id)
        return person.username if person else f"user {owner_id}"

    def _area(self, area_id: int | None) -> str:
        tree = self._lookups.tree(TreeKind.AREAS)
        if area_id is None or area_id not in tree:
            return "no area" if area_id is None else f"area {area_id}"
        if tree[area_id].parent_id == ROOT_PARENT:
            return f"{tree[area_id].name} itself"
        return " › ".join(tree.path(area_id).split("\\")[1:])


def _unknown_note(unknown: Mapping[str, int]) -> str:
    count = sum(unknown.values())
    statuses = ", ".join(f"“{each}”" for each in unknown)
    return (
        f"{LEFT_OUT}: {counted(count, 'item')} with the unknown status {statuses}. Say what it means under [statuses]"
        " in config.toml, or on the server by backlit admin values groups."
    )


def _ids(coverages: Iterable[Coverage]) -> frozenset[int]:
    return frozenset(each.node_id for each in coverages if each.node_id is not None)


Maker: TypeAlias = Callable[[Reports, Coverage, Measure], Awaitable[Report]]


def _by_day(figures: Callable[[RecordedPeriod, Measure], Report], *, with_flows: bool = False) -> Maker:
    async def make(reports: Reports, coverage: Coverage, measure: Measure) -> Report:
        return figures(await reports.course(coverage, with_flows=with_flows), measure)

    return make


class ReportName(StrEnum):
    """The reports: the name for the command line, the short title for the screen, and the maker."""

    short_title: str
    maker: Maker

    BURNDOWN = "burndown", "Burndown", _by_day(burndown)
    BURNUP = "burnup", "Burnup", _by_day(burnup)
    SCOPE = "scope", "Scope", _by_day(scope_change, with_flows=True)
    VELOCITY = "velocity", "Velocity", Reports.velocities
    AGE = "age", "Age", Reports.age
    PEOPLE = "people", "Workload", Reports.people
    AREAS = "areas", "Areas", Reports.areas
    ESTIMATES = "estimates", "Estimates", Reports.estimates

    def __new__(cls, name: str, short_title: str, maker: Maker) -> Self:
        """Return the name, which carries the rest of its row."""
        member = str.__new__(cls, name)
        member._value_, member.short_title, member.maker = name, short_title, maker
        return member
