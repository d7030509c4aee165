"""Velocity from the records of one machine: committed, completed and carried-over work of iterations."""

from collections.abc import Sequence
from datetime import date
from statistics import median

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.planning import VELOCITY_WINDOW
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.machine.daily import DayProgress
from backlit.model.reports.machine.documents import NO_HISTORY, MachineReport
from backlit.model.trees import NO_TOTALS, NodeTotals
from backlit.model.working_days import WorkingDays

COLUMNS = ("Iteration", "Committed", "Change", "Done", "Remaining", "Late", "As of")


class IterationRecord(Struct, frozen=True):
    """An iteration: its days, its records, and its current state."""

    name: str
    start: date
    end: date
    recorded: Sequence[DayProgress]
    now: DayProgress
    carried: NodeTotals = NO_TOTALS
    """Work moved to a later iteration from the last working day on, absent from the records."""

    @property
    def progress(self) -> tuple[DayProgress, ...]:
        return tuple(each for each in self.recorded if self.start <= each.day <= self.end)

    @property
    def last(self) -> DayProgress:
        """Return the last recorded state, or the current one without a record."""
        return self.progress[-1] if self.progress else self.now

    def is_sample(self, today: date) -> bool:
        """Return True for an ended iteration whose end was recorded and that had an item: a sample of the velocity."""
        return self.end < today and bool(self.progress) and bool(self.last.scope.count or self.carried.count)


def last_day_of_work(start: date, end: date, work: WorkingDays) -> date:
    """Return the last working day of an iteration, else its end. Items moved from then on are carried over."""
    return next(iter(reversed(work.between(start, end))), end)


def velocity(report: MachineReport, runs: Sequence[IterationRecord]) -> ReportDocument:
    """Report the iterations in order of time, with the median of the last ended ones."""
    today = report.today
    sampled = [run for run in runs if run.is_sample(today)][-VELOCITY_WINDOW:]
    samples = [report.amount(run.last.done) for run in sampled]
    ended = sum(run.end < today for run in runs)
    summary: dict[str, CellValue] = {
        "mean": sum(samples) / len(samples) if samples else None,
        "median": median(samples) if samples else None,
        "low": min(samples, default=None),
        "high": max(samples, default=None),
        "sprints": len(samples),
    }
    notes = [NO_HISTORY]
    if samples:
        notes.append(f"From this machine's records of {len(samples)} of {counted(ended, 'ended sprint')}.")
    details: list[dict[str, CellValue]] = [{"iteration": run.name, "samples": int(run in sampled)} for run in runs]
    return report.document(summary, COLUMNS, [_row(report, run) for run in runs], notes, details=details)


def _row(report: MachineReport, run: IterationRecord) -> tuple[CellValue, ...]:
    committed = report.amount(run.progress[0].scope) if run.progress else None
    done, left = report.amount(run.last.done), report.amount(run.last.left + run.carried)
    change = None if committed is None else done + left - committed
    return run.name, committed, change, done, left, None, run.last.day if run.progress else report.today
