"""Reports by day from the records of one machine: burndown, burnup and scope change."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise

from msgspec import Struct, field

from backlit.model.amounts import counted
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.machine.documents import NO_HISTORY, MachineReport
from backlit.model.reports.report import ranges_text
from backlit.model.trees import NO_TOTALS, NodeTotals

_DAY = timedelta(days=1)
SCOPE_COLUMNS = (
    *("Day", "Scope", "Change", "Added", "Moved in", "Moved out", "Re-estimated", "Deferred", "Deleted", "Items"),
)
SCOPE_NOTE = "Added and Moved out are whole items between two records of this machine, whatever their cause."
Row = tuple[CellValue, ...]


class ScopeFlow(Struct, frozen=True):
    """Added and removed items between two records; `sized` is the change of points by new estimates."""

    came: NodeTotals = NO_TOTALS
    went: NodeTotals = NO_TOTALS
    sized: float = 0.0

    def __add__(self, other: "ScopeFlow") -> "ScopeFlow":
        return ScopeFlow(self.came + other.came, self.went + other.went, self.sized + other.sized)

    def leads(self, before: NodeTotals, after: NodeTotals) -> bool:
        """Return True if the flow explains the whole change between two scopes."""
        points = before.points + self.came.points - self.went.points + self.sized
        return before.count + self.came.count - self.went.count == after.count and abs(points - after.points) < 1e-6


def flow_of(before: float | None, after: float | None) -> ScopeFlow:
    """Return the flow of one item by its points; None for an item outside the scope."""
    if before is None:
        return ScopeFlow() if after is None else ScopeFlow(came=NodeTotals(1, after))
    return ScopeFlow(went=NodeTotals(1, before)) if after is None else ScopeFlow(sized=after - before)


class DayProgress(Struct, frozen=True):
    """The last recorded state of a day: scope and completed work."""

    day: date
    scope: NodeTotals
    done: NodeTotals

    @property
    def left(self) -> NodeTotals:
        """Remaining work: the scope less the completed part."""
        return NodeTotals(self.scope.count - self.done.count, self.scope.points - self.done.points)


class RecordedPeriod(Struct, frozen=True):
    """The recorded days of an iteration, a release or a period, the oldest first; `end` is inclusive."""

    start: date
    end: date
    recorded: Sequence[DayProgress]
    is_period: bool = False
    """True for a period that ends today and has no deadline."""
    flows: Mapping[date, ScopeFlow] = field(default_factory=dict)
    """Items added and removed since the previous record, for the days with a scope log."""

    @property
    def progress(self) -> tuple[DayProgress, ...]:
        return tuple(each for each in self.recorded if self.start <= each.day <= self.end)

    @property
    def by_day(self) -> Mapping[date, DayProgress]:
        return {each.day: each for each in self.progress}

    @property
    def days(self) -> tuple[date, ...]:
        return tuple(self.start + _DAY * n for n in range((self.end - self.start).days + 1))

    def flow(self, before: DayProgress, after: DayProgress) -> ScopeFlow | None:
        """Return the flow between two records; None if the scope log does not explain the whole change."""
        found = self.flows.get(after.day)
        return found if found is not None and found.leads(before.scope, after.scope) else None

    def notes(self, today: date) -> list[str]:
        past = [day for day in self.days if day <= today]
        by_day = self.by_day
        gaps = [day for day in past if day not in by_day]
        notes = [NO_HISTORY, f"{len(self.progress):,} of {counted(len(past), 'day')} were recorded."] if past else []
        if gaps and self.progress:
            notes.append(f"No data for {ranges_text(gaps)} (backlit was not running).")
        return notes


def burndown(report: MachineReport, period: RecordedPeriod) -> ReportDocument:
    """Report remaining work against an ideal line from the first recorded scope to 0 over the working days.

    A period has no deadline, and so no ideal line.
    """
    ideal = {} if period.is_period else _ideal(report, period)
    by_day = period.by_day
    rows: list[Row] = []
    for day in period.days:
        progress = by_day.get(day)
        known = (None, None) if progress is None else (report.amount(progress.left), report.amount(progress.done))
        rows.append((day, *known) if period.is_period else (day, *known, ideal.get(day)))
    last = period.progress[-1] if period.progress else None
    left = None if last is None else report.amount(last.left)
    line = None if last is None else ideal.get(last.day)
    summary: dict[str, CellValue] = {
        "committed": report.amount(period.progress[0].scope) if period.progress else None,
        "remaining": left,
        "done": None if last is None else report.amount(last.done),
        "ideal": line,
        "behind": None if left is None or line is None else left - line,
    }
    columns = ("Day", "Remaining", "Done") if period.is_period else ("Day", "Remaining", "Done", "Ideal")
    return report.document(summary, columns, rows, period.notes(report.today))


def _ideal(report: MachineReport, period: RecordedPeriod) -> dict[date, float]:
    if not period.progress:
        return {}
    scope = report.amount(period.progress[0].scope)
    working = report.work.between(period.start, period.end) or period.days
    return {day: scope * (1 - bisect_right(working, day) / len(working)) for day in period.days}


def burnup(report: MachineReport, period: RecordedPeriod) -> ReportDocument:
    rows: list[Row] = []
    by_day = period.by_day
    for day in period.days:
        progress = by_day.get(day)
        if progress is None:
            rows.append((day, None, None, None))
        else:
            done, scope = report.amount(progress.done), report.amount(progress.scope)
            rows.append((day, done, scope, 100 * done / scope if scope else None))
    last = next((row for row in reversed(rows) if row[1] is not None), (None, None, None, None))
    summary = {"done": last[1], "scope": last[2], "percent": last[3]}
    return report.document(summary, ("Day", "Done", "Scope", "%"), rows, period.notes(report.today))


def scope_change(report: MachineReport, period: RecordedPeriod) -> ReportDocument:
    """Report the scope by day against the first recorded one."""
    progress = period.progress
    changes = {after.day: (after, before, period.flow(before, after)) for before, after in pairwise(progress)}
    rows: list[Row] = []
    by_day = period.by_day
    for day in period.days:
        known = by_day.get(day)
        cells: list[CellValue] = [None] * 7
        if day in changes:
            after, before, flow = changes[day]
            cells[0] = report.amount(after.scope) - report.amount(before.scope)
            if flow is not None:
                cells[1], cells[3], cells[4] = report.amount(flow.came), report.amount(flow.went), flow.sized
        scope = None if known is None else report.amount(known.scope)
        rows.append((day, scope, *cells, None if known is None else known.scope.count))
    flows = [flow for *_, flow in changes.values() if flow is not None]
    whole = sum(flows, ScopeFlow())
    is_known = bool(progress) and len(flows) == len(changes)
    summary: dict[str, CellValue] = {
        "committed": report.amount(progress[0].scope) if progress else None,
        "scope": report.amount(progress[-1].scope) if progress else None,
        "added": report.amount(whole.came) if is_known else None,
        "movedIn": None,
        "movedOut": report.amount(whole.went) if is_known else None,
        "reestimated": whole.sized if is_known else None,
        "deferred": None,
        "deleted": None,
    }
    notes = [*period.notes(report.today), *([SCOPE_NOTE] if flows else [])]
    return report.document(summary, SCOPE_COLUMNS, rows, notes)
