"""Reports from the records of this machine, for servers that keep no history."""

import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import counted
from backlit.model.errors import BadRequest
from backlit.model.reports.document import ReportDocument
from backlit.model.reports.load_reports import NO_AREA
from backlit.model.reports.machine.daily import DayProgress, RecordedPeriod, burndown, burnup, scope_change
from backlit.model.reports.machine.documents import MachineReport
from backlit.model.reports.machine.open_items import StatusStart, TimeInStatus, age, estimates, workload
from backlit.model.reports.machine.velocity import IterationRecord, last_day_of_work, velocity
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.trees import NodeTotals
from backlit.store.files.files import LocalDatabase
from backlit.store.records.people import TreeKind
from backlit.store.reports import items
from backlit.store.reports.coverages import Coverage, Coverages
from backlit.store.reports.records import ScopeLog, Snapshots, StatusHistory
from backlit.store.views.lookups import Lookups
from backlit.store.views.names import QueryNames

MOST_RUNS = 12
"""The number of iterations in the velocity."""
UNASSIGNED = "unassigned"


class ReportRecords(Struct, frozen=True):
    """The recorded history."""

    snapshots: Snapshots
    scope: ScopeLog
    status_history: StatusHistory


class MachineReports:
    """The reports of the current project as this machine saw it."""

    def __init__(
        self,
        files: LocalDatabase,
        lookups: Lookups,
        records: ReportRecords,
        names: QueryNames,
        project_time: Callable[[], datetime],
    ) -> None:
        self._files = files
        self._lookups = lookups
        self._records = records
        self._names = names
        self._coverages = Coverages(lookups, names)
        self._project_time = project_time

    async def document(self, name: ReportName, coverage: Coverage, unit: ReportUnit | None) -> ReportDocument:
        """Raises BadRequest for a report that needs the history of a server."""
        maker = MAKERS.get(name)
        if maker is None or unit is ReportUnit.HOURS:
            what = name.full_title if maker is None else "A burndown of hours"
            raise BadRequest(f"{what} needs the history of a server, and this server keeps none.")
        chosen = unit or await self._usual_unit(name, coverage)
        stated = self._lookups.stated_settings()
        zone = None if stated.zone is None else stated.time_zone
        report = MachineReport(name, coverage.about, chosen, self._project_time(), self._lookups.working_days(), zone)
        document = await maker(self, report, coverage)
        if name is ReportName.ESTIMATES:
            return document
        unknown = await self._read(coverage, items.unknown_statuses)
        return replace(document, notes=(*document.notes, *_unknown_notes(unknown)))

    async def _usual_unit(self, name: ReportName, coverage: Coverage) -> ReportUnit:
        """Return points, or items where no item is estimated."""
        if name.units[0] is not ReportUnit.POINTS:
            return name.units[0]
        now = await self._now(coverage)
        return ReportUnit.POINTS if now.scope.points or not now.scope.count else ReportUnit.ITEMS

    async def workload(self, report: MachineReport, coverage: Coverage) -> ReportDocument:
        is_people = report.name is ReportName.PEOPLE
        read, name = (items.load_by_owner, self._owner) if is_people else (items.load_by_area, self._area)
        return workload(report, items.named(await self._read(coverage, read), name))

    async def estimates(self, report: MachineReport, coverage: Coverage) -> ReportDocument:
        return estimates(report, await self._read(coverage, items.sizes))

    async def _read(
        self, coverage: Coverage, act: Callable[[sqlite3.Connection, int, frozenset[int]], items.Found]
    ) -> items.Found:
        project_id = self._lookups.project_id or 0
        return await self._files.read(lambda connection: act(connection, project_id, coverage.iteration_ids))

    async def period(self, coverage: Coverage, *, with_flows: bool) -> RecordedPeriod:
        progress = await self._records.snapshots.progress(coverage.iteration_ids, coverage.start, coverage.end)
        is_period = coverage.node_id is None
        period = RecordedPeriod(coverage.start, coverage.end, progress, is_period)
        if not with_flows or not coverage.iteration_ids:
            return period
        days = [each.day for each in period.progress]
        flows = await self._records.scope.flows(self._lookups.project_id or 0, coverage.iteration_ids, days)
        return replace(period, flows=flows)

    async def _now(self, coverage: Coverage) -> DayProgress:
        today = self._names.today()
        return await self._read(
            coverage, lambda connection, project_id, ids: items.progress(connection, project_id, ids, today)
        )

    async def velocity(self, report: MachineReport, coverage: Coverage) -> ReportDocument:
        today = self._names.today()
        below = coverage if len(coverage.iteration_ids) > 1 else None
        begun = [each for each in self._coverages.leaves(below) if each.start <= today]
        if below is None and coverage.node_id is None:
            begun = [each for each in begun if each.end >= coverage.start]
        return velocity(report, await self._runs(begun[-MOST_RUNS:], today))

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
        every = self._coverages.leaves()
        later = {each: _ids(other for other in every if other.start > each.start) for each in coverages}
        work = self._lookups.working_days()
        ends = [
            (each.node_id or 0, later[each], last_day_of_work(each.start, each.end, work), each.end)
            for each in coverages
        ]
        found = await self._records.scope.carried(self._lookups.project_id or 0, ends)
        return dict(zip((end[0] for end in ends), found, strict=True))

    async def age(self, report: MachineReport, coverage: Coverage) -> ReportDocument:
        found = await self._read(coverage, partial(items.under_way, times=self._names.times()))
        seen = await self._records.status_history.seen(self._lookups.project_id or 0)
        stays = []
        for each in found:
            since, is_exact = seen.since(each.item_id, each.status, each.changed, report.today)
            owner = None if each.owner_id is None else self._owner(each.owner_id)
            before = tuple(
                StatusStart(change.since, change.status, change.is_exact)
                for change in seen.changes.get(each.item_id, ())
                if change.since < since
            )
            known = each.item_id, each.name, each.status, owner, since, is_exact, each.type
            stays.append(TimeInStatus(*known, each.created, before))
        return age(report, stays)

    def _owner(self, owner_id: int | None) -> str:
        if owner_id is None:
            return UNASSIGNED
        person = self._lookups.known_people().get(owner_id)
        return person.username if person else f"user {owner_id}"

    def _area(self, area_id: int | None) -> str:
        tree = self._lookups.tree(TreeKind.AREAS)
        if area_id is None or area_id not in tree:
            return NO_AREA if area_id is None else f"area {area_id}"
        return tree.path(area_id)


def _unknown_notes(unknown: Mapping[str, int]) -> Iterable[str]:
    return [f"{counted(count, 'item')} in {status}, a status without a meaning." for status, count in unknown.items()]


def _ids(coverages: Iterable[Coverage]) -> frozenset[int]:
    return frozenset(each.node_id for each in coverages if each.node_id is not None)


Maker: TypeAlias = Callable[[MachineReports, MachineReport, Coverage], Awaitable[ReportDocument]]


def _by_day(figures: Callable[[MachineReport, RecordedPeriod], ReportDocument], *, with_flows: bool = False) -> Maker:
    async def make(reports: MachineReports, report: MachineReport, coverage: Coverage) -> ReportDocument:
        return figures(report, await reports.period(coverage, with_flows=with_flows))

    return make


MAKERS: Mapping[ReportName, Maker] = {
    ReportName.BURNDOWN: _by_day(burndown),
    ReportName.BURNUP: _by_day(burnup),
    ReportName.SCOPE: _by_day(scope_change, with_flows=True),
    ReportName.VELOCITY: MachineReports.velocity,
    ReportName.AGE: MachineReports.age,
    ReportName.PEOPLE: MachineReports.workload,
    ReportName.AREAS: MachineReports.workload,
    ReportName.ESTIMATES: MachineReports.estimates,
}
