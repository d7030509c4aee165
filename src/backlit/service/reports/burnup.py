"""Burnup: what is done of the scope on each day."""

from collections.abc import Iterator

from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName
from backlit.service.reports.context import ReportContext
from backlit.service.reports.outcome import carried_over_notes

COLUMNS = ("Day", "Done", "Scope", "%")


def burnup(context: ReportContext) -> ReportDocument:
    rows = list(_rows(context))
    last = next((row for row in reversed(rows) if row[1] is not None), (None, None, None, None))
    summary: dict[str, CellValue] = {"done": last[1], "scope": last[2], "percent": last[3]}
    return context.document(ReportName.BURNUP, summary, COLUMNS, rows, carried_over_notes(context))


def _rows(context: ReportContext) -> Iterator[tuple[CellValue, ...]]:
    for day, state in context.states_by_day():
        if state is None:
            yield day, None, None, None
            continue
        items = context.selection.counted(state)
        done, scope = context.amount(item for item in items if item.is_done), context.amount(items)
        yield day, done, scope, 100 * done / scope if scope else None
