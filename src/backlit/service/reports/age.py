"""Age: for how many days each started item has been in its status."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime

from msgspec import Struct

from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.item_reports import STUCK_DAYS
from backlit.model.reports.names import ReportName
from backlit.model.reports.report import day_text
from backlit.model.statuses import STARTED_GROUPS
from backlit.service.reports.context import ReportContext
from backlit.service.reports.events import ItemState

COLUMNS = ("Days", "ID", "Item", "Status", "Owner", "Since")


class AgeOfItem(Struct, frozen=True):
    """An item with the day of the last change of its status, which was earlier unless it is exact."""

    item: ItemState
    since: date
    is_exact: bool

    def days(self, today: date) -> int:
        return (today - self.since).days


def age(context: ReportContext) -> ReportDocument:
    found = sorted(_ages(context), key=lambda each: (each.since, each.item.id))
    days = [each.days(context.today) for each in found]
    rows = [
        (number, each.item.id, each.item.name, each.item.status, context.person(each.item.owner_id), each.since)
        for number, each in zip(days, found, strict=True)
    ]
    summary: dict[str, CellValue] = {"items": len(found), "oldest": max(days, default=None)}
    details = [step for each in found for step in _statuses(context, each.item)]
    return context.document(ReportName.AGE, summary, COLUMNS, rows, _notes(context, found), details=details)


def _statuses(context: ReportContext, item: ItemState) -> Iterator[Mapping[str, CellValue]]:
    """Return the day of an item's creation, and each status that it had with its first day, as far as is known."""
    if item.created_at is not None:
        yield {"id": item.id, "type": item.type, "status": None, "since": context.calendar.day_of(item.created_at)}
    for at, status in _status_starts(context, item.id):
        yield {"id": item.id, "type": item.type, "status": status, "since": context.calendar.day_of(at)}


def _status_starts(context: ReportContext, item_id: int) -> Iterator[tuple[datetime, str]]:
    """Yield when an item came into each status, the earliest first."""
    for step in context.history.steps_by_item.get(item_id, ()):
        if step.after is not None and (step.before is None or step.before.status != step.after.status):
            yield step.moment.at, step.after.status


def _ages(context: ReportContext) -> Iterator[AgeOfItem]:
    for item in context.selection.counted(context.present):
        if item.group in STARTED_GROUPS:
            changed = [at for at, _ in _status_starts(context, item.id)]
            since = changed[-1] if changed else context.history.since or item.created_at or context.now.at
            yield AgeOfItem(item, context.calendar.day_of(since), bool(changed))


def _notes(context: ReportContext, found: list[AgeOfItem]) -> Iterator[str]:
    for each in found:
        days = each.days(context.today)
        if not each.is_exact:
            yield f"#{each.item.id} has been {each.item.status} for {days} days or more."
        elif days > STUCK_DAYS:
            yield f"#{each.item.id} has been {each.item.status} for {days} days (since {day_text(each.since)})."
