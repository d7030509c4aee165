"""The reports: a row for each, with its name and the function that answers."""

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import listed
from backlit.model.errors import BadRequest
from backlit.model.reports.document import ReportDocument
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.service.reports.age import age
from backlit.service.reports.burndown import burndown
from backlit.service.reports.burnup import burnup
from backlit.service.reports.context import ReportContext, ReportQuestion
from backlit.service.reports.cumulative_flow import cumulative_flow
from backlit.service.reports.cycle_time import cycle_time
from backlit.service.reports.estimates import estimates
from backlit.service.reports.forecast import forecast
from backlit.service.reports.logged_time import logged_time
from backlit.service.reports.scope import scope_change
from backlit.service.reports.velocity import velocity
from backlit.service.reports.workload import areas, people


class ServiceReport(Struct, frozen=True):
    """A report with what it is read from.

    `is_of_sprints`: the items of all sprints, whatever it is asked about; `is_of_sprints_alone`: and of nothing else.
    """

    name: ReportName
    figure: Callable[[ReportContext], ReportDocument]
    has_tasks: bool = False
    is_of_sprints: bool = False
    is_of_sprints_alone: bool = False
    is_of_time: bool = False
    """It needs time entries, and no history of items."""

    @property
    def units(self) -> tuple[ReportUnit, ...]:
        return self.name.units

    def completed(self, question: ReportQuestion) -> ReportQuestion:
        """Return a question with the report's own unit, where it has one; raises BadRequest for one it lacks."""
        if question.unit is None:
            return question if self.units[0] is ReportUnit.POINTS else replace(question, unit=self.units[0])
        if question.unit not in self.units:
            known = listed([unit.value for unit in self.units])
            sentence = f"The report {self.name} has no unit {question.unit.value}; it has {known}."
            raise BadRequest(sentence, {"unit": sentence})
        return question


_ROWS = (
    ServiceReport(ReportName.BURNDOWN, burndown),
    ServiceReport(ReportName.BURNUP, burnup),
    ServiceReport(ReportName.SCOPE, scope_change),
    ServiceReport(ReportName.VELOCITY, velocity, is_of_sprints=True, is_of_sprints_alone=True),
    ServiceReport(ReportName.FORECAST, forecast, is_of_sprints=True),
    ServiceReport(ReportName.CUMULATIVE_FLOW, cumulative_flow),
    ServiceReport(ReportName.CYCLE_TIME, cycle_time),
    ServiceReport(ReportName.AGE, age),
    ServiceReport(ReportName.PEOPLE, people, has_tasks=True),
    ServiceReport(ReportName.AREAS, areas, has_tasks=True),
    ServiceReport(ReportName.ESTIMATES, estimates),
    ServiceReport(ReportName.TIME, logged_time, is_of_time=True),
)
REPORTS: Mapping[str, ServiceReport] = {row.name.value: row for row in _ROWS}
