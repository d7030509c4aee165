"""Estimates: how many open items have which estimate."""

from collections import Counter

from backlit.model.amounts import points_of
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName
from backlit.service.reports.context import ReportContext

COLUMNS = ("Estimate", "Items", "Pts", "% items")
NOT_SET, NO_NUMBER = "not set", "no number"


def estimates(context: ReportContext) -> ReportDocument:
    open_items = [item for item in context.selection.counted(context.present) if item.is_open]
    numbers = Counter(points for item in open_items if (points := points_of(item.estimate)) is not None)
    texts = Counter(NO_NUMBER if item.estimate else NOT_SET for item in open_items if points_of(item.estimate) is None)
    rows: list[tuple[CellValue, ...]] = [
        (points, count, points * count, 100 * count / len(open_items)) for points, count in sorted(numbers.items())
    ]
    rows += [
        (label, texts[label], 0.0, 100 * texts[label] / len(open_items))
        for label in (NOT_SET, NO_NUMBER)
        if texts[label]
    ]
    summary: dict[str, CellValue] = {"items": len(open_items), "points": sum(item.points for item in open_items)}
    return context.document(ReportName.ESTIMATES, summary, COLUMNS, rows)
