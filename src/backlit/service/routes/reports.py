"""Reports of a project: one address for each of the reports, whose modules are loaded with the first request."""

from datetime import date
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from msgspec import Struct

from backlit.model.dates import week_of
from backlit.model.errors import BadRequest
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.time_groups import TimeGroup
from backlit.service.http.endpoint import ContinueOnSlowQueue, HandlerResponse, RequestContext, Route, json_answer
from backlit.service.http.options import whole_number
from backlit.service.storage.schema import iterations
from backlit.service.tables import trees

if TYPE_CHECKING:
    from backlit.service.reports.context import ReportQuestion

MAX_REPORT_DAYS = 3660


class ReportRoute(Struct, frozen=True):
    """The route of one report; `{noun}` in the handler's docstring stands for its name."""

    name: ReportName

    def route(self) -> Route:
        return Route("GET", f"/projects/{{id}}/reports/{self.name}", self.read, "Report", extension="reports")

    def read(self, call: RequestContext) -> HandlerResponse:
        """GET /projects/{id}/reports/{noun}: figures from the service's history, the same for everybody."""
        from backlit.service.reports.reports import REPORTS

        project_id = call.path["id"]
        call.caller.must_see(project_id, f"Project {project_id}")
        question = REPORTS[self.name].completed(_question(call, project_id))
        # Reading and counting may take longer than the event loop can wait.
        raise ContinueOnSlowQueue(call, partial(self._answer, question))

    def _answer(self, question: "ReportQuestion", call: RequestContext) -> HandlerResponse:
        from backlit.service.reports.reading import ReportReading
        from backlit.service.reports.reports import REPORTS

        report = REPORTS[self.name]
        settings = call.settings_of(call.path["id"])
        reading = ReportReading(call.connection, settings, call.shared.clock.now())
        return json_answer(report.figure(reading.context(report, question)).wire())


def _question(call: RequestContext, project_id: int) -> "ReportQuestion":
    """Read the choices of the caller; raises BadRequest naming the one that is wrong."""
    from backlit.service.reports.context import ReportQuestion

    iteration_id, team_id, days = (whole_number(call.query, name) for name in ("iteration", "team", "days"))
    if iteration_id is not None and not trees.has_node(call.connection, iterations, iteration_id, project_id):
        _refuse("iteration", "must be the id of an iteration of the project")
    if team_id is not None and team_id not in dict(call.settings_of(project_id).teams):
        _refuse("team", "must be the id of a team of the project")
    if days is not None and not 1 <= days <= MAX_REPORT_DAYS:
        _refuse("days", f"must be a number from 1 to {MAX_REPORT_DAYS:,}")
    text = call.query.get("unit")
    if text is not None and text not in {unit.value for unit in ReportUnit}:
        _refuse("unit", f"must be one of {', '.join(ReportUnit)}")
    unit = None if text is None else ReportUnit(text)
    return ReportQuestion(iteration_id, team_id, unit, days, _week(call), _group(call))


def _week(call: RequestContext) -> date | None:
    """Return the Monday of a week such as 2026-W47."""
    text = call.query.get("week")
    if text is None:
        return None
    try:
        return week_of(text)
    except ValueError:
        _refuse("week", "must be a week such as 2026-W47")


def _group(call: RequestContext) -> TimeGroup | None:
    text = call.query.get("by")
    if text is not None and text not in set(TimeGroup):
        _refuse("by", f"must be one of {', '.join(TimeGroup)}")
    return None if text is None else TimeGroup(text)


def _refuse(name: str, reason: str) -> NoReturn:
    raise BadRequest(f"{name} {reason}.", {name: f"{name} {reason}."})


routes = tuple(ReportRoute(name).route() for name in ReportName)
