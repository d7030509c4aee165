"""The reports of the current project: the service's answers, or those of this machine where it keeps no history."""

from contextlib import suppress

from msgspec.structs import replace

from backlit.model.errors import BacklitError, BadRequest
from backlit.model.planning import Velocity
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.sprint_reports import velocity_of
from backlit.model.reports.sprint_summary import SprintSummary
from backlit.model.time_groups import TimeGroup
from backlit.store.files.files import LocalDatabase
from backlit.store.records.object_kinds import TIME_ENTRIES
from backlit.store.remote.capabilities import REPORTS
from backlit.store.reports.answers import ReportAnswer, ReportRequest, ServiceReports
from backlit.store.reports.coverages import Coverage, Coverages
from backlit.store.reports.machine import MachineReports
from backlit.store.views.lookups import Lookups

_VELOCITY = ReportRequest(ReportName.VELOCITY, unit=ReportUnit.POINTS)
NO_TIME_ENTRIES = "This server has no time entries."
NO_TEAMS = "Reports of one team need the history of a server, and this server keeps none."
_UNCOVERED = frozenset({ReportName.VELOCITY})
"""Reports that are about several iterations: a single one is not asked for."""


class Reports:
    """The reports of the current project. `coverages` lists their possible subjects."""

    def __init__(
        self,
        files: LocalDatabase,
        lookups: Lookups,
        coverages: Coverages,
        of_service: ServiceReports,
        of_machine: MachineReports,
    ) -> None:
        self._files = files
        self._lookups = lookups
        self.coverages = coverages
        self._of_service = of_service
        self._of_machine = of_machine

    @property
    def has_history(self) -> bool:
        """True where the service answers reports from its history."""
        return self._lookups.announces(REPORTS)

    async def answer(
        self,
        name: ReportName,
        coverage: Coverage,
        unit: ReportUnit | None = None,
        team_id: int | None = None,
        by: TimeGroup | None = None,
    ) -> ReportAnswer:
        """Return a report about a coverage; a unit that it does not have means its usual one, `by` is of logged time.

        Raises BadRequest without a project and for a question that the server cannot answer, and the error that
        prevents an answer.
        """
        project_id = self._lookups.need_project()
        unit = unit if unit in name.units else None
        if name is ReportName.TIME and not self._lookups.announces(TIME_ENTRIES.extension):
            raise BadRequest(NO_TIME_ENTRIES)
        if not self.has_history:
            if team_id is not None:
                raise BadRequest(NO_TEAMS)
            return ReportAnswer(await self._of_machine.document(name, coverage, unit))
        question = ReportRequest(name, *self._subject(name, coverage, team_id), unit)
        if coverage.node_id is None and name not in _UNCOVERED:
            days = coverage.days if coverage.week is None else None
            question = ReportRequest(name, None, team_id, unit, days, coverage.week)
        if name is ReportName.TIME:
            question = replace(question, by=by)
        return await self._of_service.answer(project_id, question)

    def _subject(self, name: ReportName, coverage: Coverage, team_id: int | None) -> tuple[int | None, int | None]:
        is_single = name in _UNCOVERED and len(coverage.iteration_ids) < 2
        if coverage.node_id is None or is_single:
            return None, team_id
        node_id = self._files.journal.real_id(coverage.node_id)
        if node_id < 0:
            raise BadRequest(f"“{coverage.name}” is not on the server yet. Its reports follow once it was sent.")
        return node_id, team_id

    async def sprint_summary(self, sprint: Coverage) -> SprintSummary:
        """Raises BadRequest for a period, and for a release or another group of sprints."""
        if sprint.node_id is None or len(sprint.iteration_ids) != 1:
            raise BadRequest(f"The report of a sprint is about one sprint, and “{sprint.name}” is none.")
        velocity = (await self.answer(ReportName.VELOCITY, sprint, ReportUnit.POINTS)).document
        scope = (await self.answer(ReportName.SCOPE, sprint, ReportUnit.POINTS)).document
        figures = velocity
        if self.has_history:
            question = ReportRequest(
                ReportName.VELOCITY, self._files.journal.real_id(sprint.node_id), unit=ReportUnit.POINTS
            )
            figures = (await self._of_service.answer(self._lookups.project_id or 0, question)).document
        entry = self._lookups.iterations()[sprint.node_id]
        events = entry.started_at, entry.closed_at
        return SprintSummary(sprint.name, sprint.start, sprint.end, figures, velocity, scope, *events)

    async def velocity(self) -> Velocity:
        """Return the velocity of the whole project in points, as the service last answered it."""
        if not self.has_history:
            document = await self._of_machine.document(
                ReportName.VELOCITY, self.coverages.period(365), ReportUnit.POINTS
            )
            return velocity_of(document)
        kept = self._of_service.kept(self._lookups.project_id or 0, _VELOCITY)
        return Velocity(is_known=False) if kept is None else velocity_of(kept)

    async def ask_velocity(self) -> None:
        """Ask the service for the velocity, and tell listeners of another one; the last answer holds without it."""
        if self.has_history:
            with suppress(BacklitError):
                await self._of_service.renew(self._lookups.project_id or 0, _VELOCITY)
