"""The reports of the current project: numbers are gathered on the store's threads and added up by the model."""

import sqlite3
from collections.abc import Callable
from datetime import date

from backlit.model.reports.age import age
from backlit.model.reports.burndown import burndown
from backlit.model.reports.burnup import burnup
from backlit.model.reports.course import Course
from backlit.model.reports.estimates import estimates
from backlit.model.reports.load import load_by_area, load_by_person
from backlit.model.reports.report import Measure, Report, ReportName
from backlit.model.reports.scope import scope_change
from backlit.model.reports.velocity import Run, velocity
from backlit.model.trees import ROOT_PARENT
from backlit.store import reports_items as items
from backlit.store.coverages import Coverage, Coverages
from backlit.store.files import Files
from backlit.store.lookups import Lookups
from backlit.store.names import StoreNames
from backlit.store.people import TreeKind
from backlit.store.snapshots import Snapshots

MOST_RUNS = 12
"""Iterations that the velocity looks back on."""
OF_DAYS: dict[ReportName, Callable[[Course, Measure], Report]] = {
    ReportName.BURNDOWN: burndown,
    ReportName.BURNUP: burnup,
    ReportName.SCOPE: scope_change,
}
"""The reports that are drawn from day to day."""
NOBODY = "nobody"


class Reports:
    """Makes reports; `coverages` is what they can be about."""

    def __init__(
        self,
        files: Files,
        lookups: Lookups,
        snapshots: Snapshots,
        names: StoreNames,
        sample_until: Callable[[], date | None],
    ) -> None:
        self._sample_until = sample_until
        self._files = files
        self._lookups = lookups
        self._snapshots = snapshots
        self._names = names
        self.coverages = Coverages(lookups, names)

    async def make(self, name: ReportName, coverage: Coverage, measure: Measure = Measure.POINTS) -> Report:
        """One report, of what is on this machine."""
        if name in OF_DAYS:
            return OF_DAYS[name](await self._course(coverage), measure)
        match name:
            case ReportName.VELOCITY:
                return await self._velocity(coverage, measure)
            case ReportName.AGE:
                found = await self._read(coverage, items.stays)
                today = self._names.now().date()
                return age(_about(coverage), [each.named(self._owner) for each in found], today)
            case ReportName.PEOPLE:
                loads = await self._read(coverage, items.load_by_owner)
                return load_by_person(_about(coverage), items.named(loads, self._owner), measure)
            case ReportName.AREAS:
                loads = await self._read(coverage, items.load_by_area)
                return load_by_area(_about(coverage), items.named(loads, self._area), measure)
            case _:
                return estimates(_about(coverage), await self._read(coverage, items.sizes))

    async def _read(
        self, coverage: Coverage, act: Callable[[sqlite3.Connection, int, frozenset[int]], items.Found]
    ) -> items.Found:
        project_id = self._lookups.project_id or 0
        return await self._files.read(lambda connection: act(connection, project_id, coverage.iteration_ids))

    async def _course(self, coverage: Coverage) -> Course:
        standings = await self._snapshots.standings(coverage.iteration_ids, coverage.start, coverage.end)
        sample_until = self._sample_until()
        return Course(coverage.name, coverage.start, coverage.end, self._names.today(), standings, sample_until)

    async def _velocity(self, coverage: Coverage, measure: Measure) -> Report:
        today = self._names.today()
        below = coverage if self._is_divided(coverage) else None
        begun = [each for each in self.coverages.leaves(below) if each.start <= today]
        if below is None and coverage.node_id is None:
            begun = [each for each in begun if each.end >= coverage.start]
        runs = [await self._run(each, today) for each in begun[-MOST_RUNS:]]
        about = below.name if below is not None else f"the last {len(runs):,} iterations" if runs else "no iterations"
        return velocity(about, runs, today, measure, self._sample_until())

    async def _run(self, coverage: Coverage, today: date) -> Run:
        standings = await self._snapshots.standings(coverage.iteration_ids, coverage.start, coverage.end)
        now = await self._read(
            coverage, lambda connection, project_id, ids: items.standing(connection, project_id, ids, today)
        )
        return Run(coverage.name, coverage.start, coverage.end, standings, now)

    def _is_divided(self, coverage: Coverage) -> bool:
        return len(coverage.iteration_ids) > 1

    def _owner(self, owner_id: int | None) -> str:
        if owner_id is None:
            return NOBODY
        person = self._lookups.people().get(owner_id)
        return person.username if person else f"user {owner_id}"

    def _area(self, area_id: int | None) -> str:
        tree = self._lookups.tree(TreeKind.AREAS)
        if area_id is None or area_id not in tree:
            return "no area" if area_id is None else f"area {area_id}"
        if tree[area_id].parent_id == ROOT_PARENT:
            return f"{tree[area_id].name} itself"
        return " › ".join(tree.path(area_id).split("\\")[1:])


def _about(coverage: Coverage) -> str:
    """What the open items are those of; a period says nothing about them."""
    return coverage.name if coverage.node_id is not None else "whole backlog"
