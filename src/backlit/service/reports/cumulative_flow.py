"""Cumulative flow: the counted items of each day by the group of their status."""

from collections.abc import Iterator

from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName
from backlit.model.statuses import StatusGroup
from backlit.service.reports.context import ReportContext

GROUPS = (StatusGroup.NOT_STARTED, StatusGroup.IN_PROGRESS, StatusGroup.READY_FOR_TEST, StatusGroup.DONE)
COLUMNS = ("Day", *(group.value.capitalize() for group in GROUPS))
SUMMARY_KEYS = ("notStarted", "inProgress", "readyForTest", "done")


def cumulative_flow(context: ReportContext) -> ReportDocument:
    rows = list(_rows(context))
    last = next((row[1:] for row in reversed(rows) if row[1] is not None), (None,) * len(GROUPS))
    return context.document(ReportName.CUMULATIVE_FLOW, dict(zip(SUMMARY_KEYS, last, strict=True)), COLUMNS, rows)


def _rows(context: ReportContext) -> Iterator[tuple[CellValue, ...]]:
    for day, state in context.states_by_day():
        if state is None:
            yield (day, *[None] * len(GROUPS))
            continue
        items = context.selection.counted(state)
        yield (day, *(context.amount(item for item in items if item.group is group) for group in GROUPS))
