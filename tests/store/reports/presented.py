"""Reports of a store as they are drawn."""

from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.presentation import present
from backlit.model.reports.report import Report
from backlit.store import Store
from backlit.store.reports.coverages import Coverage


async def presented(store: Store, name: ReportName, coverage: Coverage, unit: ReportUnit | None = None) -> Report:
    return present((await store.reports.answer(name, coverage, unit)).document)
