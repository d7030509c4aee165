"""Cycle and lead time: how long the items that are done took, in days of 24 hours."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName
from backlit.model.statuses import STARTED_GROUPS
from backlit.model.working_days import DAY
from backlit.service.reports.context import ReportContext
from backlit.service.reports.events import ItemState
from backlit.service.reports.history import ProjectHistory

COLUMNS = ("ID", "Item", "Type", "Started", "Done", "Cycle", "Lead")
PERCENTILES = (50, 85, 95)
_DAY_OF_24_HOURS = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1)


class TimesOfItem(Struct, frozen=True):
    """When an item was created, first started and last done; None where the history did not see it."""

    item: ItemState
    created: datetime | None
    started: datetime | None
    done: datetime | None

    @property
    def cycle(self) -> float | None:
        return _days(self.started, self.done)

    @property
    def lead(self) -> float | None:
        return _days(self.created, self.done)


def _days(first: datetime | None, last: datetime | None) -> float | None:
    return None if first is None or last is None else (last - first) / _DAY_OF_24_HOURS


def times_of(item: ItemState, history: ProjectHistory) -> TimesOfItem:
    """Return the times of an item that is done. The part of a split has neither cycle nor lead."""
    started = done = None
    for step in history.steps_by_item.get(item.id, ()):
        group, previous = (None if state is None else state.group for state in (step.after, step.before))
        if group in STARTED_GROUPS and previous not in STARTED_GROUPS and started is None:
            started = step.moment.at
        if step.after is not None and step.after.is_done and (step.before is None or not step.before.is_done):
            done = step.moment.at
    is_part = item.split_from is not None
    # What was there when the history began may have been started before.
    has_start = not is_part and item.id not in history.baseline
    return TimesOfItem(item, None if is_part else item.created_at, started if has_start else None, done)


def percentile(samples: Sequence[float], confidence: int) -> float | None:
    """Return the smallest sample with at least so many per cent of the samples at or below it."""
    return sorted(samples)[-(-confidence * len(samples) // 100) - 1] if samples else None


def cycle_time(context: ReportContext) -> ReportDocument:
    found = sorted(_times(context), key=_order)
    cycles = [times.cycle for times in found if times.cycle is not None]
    leads = [times.lead for times in found if times.lead is not None]
    summary: dict[str, CellValue] = {
        "items": len(found),
        **{f"cycle{each}": percentile(cycles, each) for each in PERCENTILES},
        **{f"lead{each}": percentile(leads, each) for each in PERCENTILES},
    }
    rows = [
        (times.item.id, times.item.name, times.item.type, times.started, times.done, times.cycle, times.lead)
        for times in found
    ]
    return context.document(ReportName.CYCLE_TIME, summary, COLUMNS, rows)


def _order(times: TimesOfItem) -> tuple[float, int]:
    return (times.done - _EPOCH).total_seconds() if times.done is not None else 0.0, times.item.id


def _times(context: ReportContext) -> Iterator[TimesOfItem]:
    """Return those of the counted items that are done now; with a number of days, that became done in these."""
    days = context.question.days
    first = None if days is None else context.today - DAY * (days - 1)
    for item in context.selection.counted(context.present):
        if item.is_done:
            times = times_of(item, context.history)
            if first is None or (times.done is not None and context.calendar.day_of(times.done) >= first):
                yield times
