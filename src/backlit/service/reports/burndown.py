"""Burndown: the remaining work of each day against the ideal line, in points, items or hours of tasks."""

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct

from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.working_days import days_between
from backlit.service.reports.context import ItemSelection, ReportContext
from backlit.service.reports.events import ItemState
from backlit.service.reports.history import ProjectState
from backlit.service.reports.outcome import carried_over_notes

COLUMNS = ("Day", "Remaining", "Done", "Ideal")
HOUR_COLUMNS = ("Day", "Remaining", "Completed", "Ideal")


class WorkOfDay(Struct, frozen=True):
    """What remained at the end of a day, and what was done by then."""

    remaining: float
    done: float


def burndown(context: ReportContext) -> ReportDocument:
    measure = _hours if context.unit is ReportUnit.HOURS else _work
    found = [(day, None if state is None else measure(state, context)) for day, state in context.states_by_day()]
    committed = _committed(context)
    ideal = dict.fromkeys(context.days) if committed is None else ideal_line(context, committed)
    rows: list[tuple[CellValue, ...]] = [
        (day, None if work is None else work.remaining, None if work is None else work.done, ideal[day])
        for day, work in found
    ]
    last = next((row for row in reversed(rows) if row[1] is not None), (None, None, None, None))
    summary: dict[str, CellValue] = {
        "committed": committed,
        "remaining": last[1],
        "done": last[2],
        "ideal": last[3],
        "behind": _behind(last[1], last[3]),
    }
    columns: Sequence[str] = HOUR_COLUMNS if context.unit is ReportUnit.HOURS else COLUMNS
    if context.iteration is None:
        # The whole backlog has no end to draw a line to.
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    notes = () if context.unit is ReportUnit.HOURS else carried_over_notes(context)
    return context.document(ReportName.BURNDOWN, summary, columns, rows, notes)


def _behind(remaining: CellValue, ideal: CellValue) -> float | None:
    return remaining - ideal if isinstance(remaining, float) and isinstance(ideal, float) else None


def _work(state: ProjectState, context: ReportContext) -> WorkOfDay:
    items = context.selection.counted(state)
    done = context.amount(item for item in items if item.is_done)
    return WorkOfDay(context.amount(items) - done, done)


def _hours(state: ProjectState, context: ReportContext) -> WorkOfDay:
    tasks = [item for item in state.items.values() if item.is_task and context.selection.has(item)]
    completed = sum((task.hours_completed for task in tasks if not task.is_excluded), 0.0)
    return WorkOfDay(sum((task.hours for task in open_tasks(state, context.selection)), 0.0), completed)


def open_tasks(state: ProjectState, selection: ItemSelection) -> Iterator[ItemState]:
    """Return the tasks that are open themselves and below an item that is."""
    for item in state.items.values():
        if item.is_task and item.is_open and selection.has(item):
            parent = None if item.parent_id is None else state.items.get(item.parent_id)
            if parent is None or parent.is_open:
                yield item


def _committed(context: ReportContext) -> float | None:
    if context.unit is not ReportUnit.HOURS:
        items = context.committed_items
        return None if items is None else context.amount(items)
    state = context.committed_state
    return None if state is None else _hours(state, context).remaining


def ideal_line(context: ReportContext, committed: float) -> dict[date, float]:
    """Return the ideal remaining work at the end of each day, level on days that nobody works."""
    iteration = context.iteration
    if iteration is None:
        return {}
    planned = tuple(days_between(iteration.start, iteration.end))
    working = context.calendar.working(iteration.start, iteration.end) or planned
    return {day: committed * (1 - _share(working, day)) for day in context.days}


def _share(working: Sequence[date], day: date) -> float:
    return sum(each <= day for each in working) / len(working)
