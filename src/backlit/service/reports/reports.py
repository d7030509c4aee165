"""The reports: a row for each, with its name and the function that answers."""

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import listed
from backlit.model.errors import BadRequest
from backlit.service.reports.age import age
from backlit.service.reports.burndown import burndown
from backlit.service.reports.burnup import burnup
from backlit.service.reports.context import ReportContext, ReportQuestion, ReportUnit
from backlit.service.reports.cumulative_flow import cumulative_flow
from backlit.service.reports.cycle_time import cycle_time
from backlit.service.reports.document import ReportDocument
from backlit.service.reports.estimates import estimates
from backlit.service.reports.forecast import forecast
from backlit.service.reports.scope import scope_change
from backlit.service.reports.velocity import velocity
from backlit.service.reports.workload import areas, people

WORK = (ReportUnit.POINTS, ReportUnit.ITEMS)


class ServiceReport(Struct, frozen=True):
    """A report with the units that it knows, the first of which is its usual one, and with what it is read from.

    `is_of_sprints`: the items of all sprints, whatever it is asked about; `is_of_sprints_alone`: and of nothing else.
    """

    name: str
    figure: Callable[[ReportContext], ReportDocument]
    units: tuple[ReportUnit, ...] = WORK
    has_tasks: bool = False
    is_of_sprints: bool = False
    is_of_sprints_alone: bool = False

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
    ServiceReport("burndown", burndown, (*WORK, ReportUnit.HOURS)),
    ServiceReport("burnup", burnup),
    ServiceReport("scope", scope_change),
    ServiceReport("velocity", velocity, is_of_sprints=True, is_of_sprints_alone=True),
    ServiceReport("forecast", forecast, is_of_sprints=True),
    ServiceReport("cumulative-flow", cumulative_flow, (ReportUnit.ITEMS, ReportUnit.POINTS)),
    ServiceReport("cycle-time", cycle_time, (ReportUnit.ITEMS,)),
    ServiceReport("age", age, (ReportUnit.ITEMS,)),
    ServiceReport("people", people, has_tasks=True),
    ServiceReport("areas", areas, has_tasks=True),
    ServiceReport("estimates", estimates),
)
REPORTS: Mapping[str, ServiceReport] = {row.name: row for row in _ROWS}
