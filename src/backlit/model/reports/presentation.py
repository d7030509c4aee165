"""Documents of reports as they are drawn."""

from collections.abc import Callable, Mapping

from backlit.model.errors import ServiceError
from backlit.model.reports import day_reports, item_reports, load_reports, sprint_reports, time_reports
from backlit.model.reports.document import ReportDocument
from backlit.model.reports.names import ReportName
from backlit.model.reports.report import Report

PRESENTED: Mapping[ReportName, Callable[[ReportDocument], Report]] = {
    ReportName.BURNDOWN: day_reports.burndown,
    ReportName.BURNUP: day_reports.burnup,
    ReportName.SCOPE: day_reports.scope_change,
    ReportName.VELOCITY: sprint_reports.velocity,
    ReportName.FORECAST: sprint_reports.forecast,
    ReportName.CUMULATIVE_FLOW: day_reports.cumulative_flow,
    ReportName.CYCLE_TIME: item_reports.cycle_time,
    ReportName.AGE: item_reports.age,
    ReportName.PEOPLE: load_reports.people,
    ReportName.AREAS: load_reports.areas,
    ReportName.ESTIMATES: load_reports.estimates,
    ReportName.TIME: time_reports.logged_time,
}


def present(document: ReportDocument) -> Report:
    """Return a document as it is drawn; raise ServiceError for one that lacks the columns of its report."""
    try:
        return PRESENTED[ReportName(document.report)](document)
    except (ValueError, LookupError, TypeError) as error:
        raise ServiceError(f"The server sent a report that cannot be shown ({error}).") from error
