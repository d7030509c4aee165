"""Scope change: every change of the committed scope with its cause."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct

from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.service.reports.context import ItemSelection, ReportContext, amount_of
from backlit.service.reports.events import ItemState
from backlit.service.reports.history import CountedChange, CountedWalk, HistoryStep, Moment
from backlit.service.reports.outcome import carried_over, is_part
from backlit.service.tables.changes import ChangeAct

DELETED_STATUS = "deleted"


class ScopeCause(StrEnum):
    """Why a scope changed, as the columns name it."""

    ADDED = "Added"
    MOVED_IN = "Moved in"
    MOVED_OUT = "Moved out"
    RE_ESTIMATED = "Re-estimated"
    DEFERRED = "Deferred"
    DELETED = "Deleted"


SUBTRACTED = frozenset({ScopeCause.MOVED_OUT, ScopeCause.DEFERRED, ScopeCause.DELETED})
COLUMNS = ("Day", "Scope", "Change", *ScopeCause, "Items")
SUMMARY_KEYS: Mapping[ScopeCause, str] = {
    ScopeCause.ADDED: "added",
    ScopeCause.MOVED_IN: "movedIn",
    ScopeCause.MOVED_OUT: "movedOut",
    ScopeCause.RE_ESTIMATED: "reestimated",
    ScopeCause.DEFERRED: "deferred",
    ScopeCause.DELETED: "deleted",
}


class ScopeEvent(Struct, frozen=True):
    """A change of the scope; the amount stands in the column of its cause, where some are subtracted."""

    day: date
    item: ItemState
    cause: ScopeCause
    amount: float

    @property
    def effect(self) -> float:
        return -self.amount if self.cause in SUBTRACTED else self.amount


def scope_events(context: ReportContext, first: Moment, last: Moment) -> Iterator[ScopeEvent]:
    """Return the changes of the scope between two moments, in order."""
    return _ScopeReading(context, first, last).events()


class _ScopeReading:
    """A walk from the commitment to the end, with the points that splits have left in the scope."""

    def __init__(self, context: ReportContext, first: Moment, last: Moment) -> None:
        self._context = context
        self._selection: ItemSelection = context.selection
        self._walk = CountedWalk(context.history.state(first))
        self._steps = context.history.between(first, last)
        self._split_points: defaultdict[int, float] = defaultdict(float)

    def events(self) -> Iterator[ScopeEvent]:
        for step in self._steps:
            day = self._context.calendar.day_of(step.moment.at)
            own, *features = self._walk.follow(step)
            for item, cause, amount in self._own(step, self._selected(own)):
                yield ScopeEvent(day, item, cause, amount)
            for change in map(self._selected, features):
                if change.after is not None and change.before is None:
                    yield ScopeEvent(day, change.after, ScopeCause.ADDED, self._amount(change.after))
                elif change.before is not None and change.after is None:
                    yield ScopeEvent(day, change.before, ScopeCause.MOVED_OUT, self._amount(change.before))

    def _selected(self, change: CountedChange) -> CountedChange:
        return CountedChange(*(item if self._selection.has(item) else None for item in change))

    def _amount(self, item: ItemState) -> float:
        return amount_of((item,), self._context.unit)

    def _own(self, step: HistoryStep, change: CountedChange) -> Iterator[tuple[ItemState, ScopeCause, float]]:
        match change:
            case CountedChange(None, ItemState() as item) if is_part(step) and item.split_from is not None:
                # The original leaves with less: both together are what moves out.
                self._split_points[item.split_from] += item.points
                yield item, ScopeCause.MOVED_OUT, -self._amount(item)
            case CountedChange(None, ItemState() as item):
                yield item, self._cause_of_arrival(step), self._amount(item)
            case CountedChange(ItemState() as item, None):
                yield item, self._cause_of_departure(step), self._amount(item)
            case CountedChange(ItemState() as old, ItemState() as new) if self._amount(old) != self._amount(new):
                yield from self._re_estimated(old, new)

    def _re_estimated(self, old: ItemState, new: ItemState) -> Iterator[tuple[ItemState, ScopeCause, float]]:
        """Return the change of an estimate, less what a part of the item took over."""
        taken_over = 0.0
        if self._context.unit is ReportUnit.POINTS:
            taken_over = min(self._split_points[new.id], max(0.0, old.points - new.points))
            self._split_points[new.id] -= taken_over
        if taken_over:
            yield new, ScopeCause.MOVED_OUT, taken_over
        if left := new.points - old.points + taken_over:
            yield new, ScopeCause.RE_ESTIMATED, left

    def _cause_of_arrival(self, step: HistoryStep) -> ScopeCause:
        old = step.before
        if old is None or (self._selection.has(old) and not old.may_count):
            return ScopeCause.ADDED
        is_moved = step.after is not None and not self._selection.has(old)
        return ScopeCause.MOVED_IN if is_moved else ScopeCause.ADDED

    def _cause_of_departure(self, step: HistoryStep) -> ScopeCause:
        new = step.after
        if new is None:
            return ScopeCause.DELETED if step.act is ChangeAct.REMOVED else ScopeCause.MOVED_OUT
        if self._selection.has(new) and new.is_excluded:
            return ScopeCause.DELETED if new.status.casefold() == DELETED_STATUS else ScopeCause.DEFERRED
        return ScopeCause.MOVED_OUT


def scope_change(context: ReportContext) -> ReportDocument:
    period = _period(context)
    events = [] if period is None else list(scope_events(context, period.first, period.last))
    rows = list(_rows(context, period, events))
    committed = context.committed_items
    summary: dict[str, CellValue] = {
        "committed": None if committed is None else context.amount(committed),
        "scope": next((row[1] for row in reversed(rows) if row[1] is not None), None),
        **{key: None if period is None else _sum(events, cause) for cause, key in SUMMARY_KEYS.items()},
    }
    details: list[dict[str, CellValue]] = [
        {
            "day": event.day,
            "id": event.item.id,
            "item": event.item.name,
            "cause": event.cause.value,
            "amount": event.amount,
        }
        for event in events
    ]
    return context.document(ReportName.SCOPE, summary, COLUMNS, rows, _notes(context), details=details)


class _ScopePeriod(Struct, frozen=True):
    """The moments between which changes count, and the day from which rows show them."""

    first: Moment
    last: Moment
    day: date


def _period(context: ReportContext) -> _ScopePeriod | None:
    """Return the period from the commitment on; None before it, and where the history begins later."""
    span = context.span
    if span is None:
        first = Moment(context.calendar.start_of(context.days[0]))
        found = _ScopePeriod(first, context.now, context.days[0])
    else:
        found = _ScopePeriod(span.commitment, min(span.end, context.now), span.commitment_day)
    return found if context.history.knows(found.first) and found.first <= context.now else None


def _rows(
    context: ReportContext, period: _ScopePeriod | None, events: Sequence[ScopeEvent]
) -> Iterator[tuple[CellValue, ...]]:
    by_day: defaultdict[date, list[ScopeEvent]] = defaultdict(list)
    for event in events:
        # A sprint that was started early shows in its first row what happened before its first day.
        by_day[max(event.day, context.days[0])].append(event)
    for day, state in context.states_by_day():
        if state is None:
            yield (day, *[None] * (len(COLUMNS) - 1))
            continue
        items = context.selection.counted(state)
        cells: list[CellValue] = [None] * (1 + len(ScopeCause))
        if period is not None and day >= period.day:
            today = by_day[day]
            cells = [sum((event.effect for event in today), 0.0), *(_sum(today, cause) for cause in ScopeCause)]
        yield (day, context.amount(items), *cells, len(items))


def _sum(events: Iterable[ScopeEvent], cause: ScopeCause) -> float:
    return sum((event.amount for event in events if event.cause is cause), 0.0)


def _notes(context: ReportContext) -> Sequence[str]:
    amount = carried_over(context)
    return [f"Moved out: {amount} of them carried over."] if amount else []
