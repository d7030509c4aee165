"""Velocity: committed, completed and carried-over work of iterations."""

from collections.abc import Sequence
from datetime import date, timedelta

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.planning import Velocity, velocity_of
from backlit.model.reports.daily import DayProgress
from backlit.model.reports.report import (
    SAMPLE_NOTE,
    Bar,
    BarPart,
    Bars,
    Measure,
    Report,
    ReportColumn,
    ReportTable,
    Tone,
    Value,
    day_text,
    number_text,
)
from backlit.model.trees import NO_TOTALS, NodeTotals

WEEKEND = 2
"""Days at the beginning and end of an iteration that may lack a record."""
COLUMNS = (
    ReportColumn("Iteration", is_text=True),
    ReportColumn("Committed", rank=1),
    ReportColumn("Change", is_signed=True, rank=2),
    ReportColumn("Done"),
    ReportColumn("Remaining"),
    ReportColumn("As of", is_text=True, rank=3),
)
_FRIDAY = 4
PARTS = (BarPart("done", Tone.DONE), BarPart("done so far", Tone.UNDERWAY), BarPart("not done", Tone.LEFT))


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
    def began(self) -> NodeTotals | None:
        """Return the first recorded scope; None without a record."""
        return self.progress[0].scope if self.progress else None

    @property
    def last(self) -> DayProgress:
        """Return the last recorded state, or the current one without a record."""
        return self.progress[-1] if self.progress else self.now

    @property
    def left(self) -> NodeTotals:
        return self.last.left + self.carried

    @property
    def lacks_first_days(self) -> bool:
        return bool(self.progress) and (self.progress[0].day - self.start).days > WEEKEND

    @property
    def lacks_last_days(self) -> bool:
        """True if the iteration is over and its records end early."""
        return bool(self.progress) and (self.end - self.progress[-1].day).days > WEEKEND


def last_day_of_work(end: date) -> date:
    """Return the last working day: Friday for an end on a weekend. Items moved from then on are carried over."""
    return end - timedelta(days=max(0, end.weekday() - _FRIDAY))


def velocity(
    about: str, runs: Sequence[IterationRecord], today: date, wanted: Measure, sample_until: date | None = None
) -> Report:
    """Report the iterations in order of time, with the average of the last finished ones."""
    has_points = any(each.last.scope.points for each in runs)
    measure = wanted if has_points or not runs else Measure.ITEMS
    finished = [done for each in runs if each.end < today and (done := measure.of(each.last.done)) > 0]
    recent = velocity_of(reversed(finished))
    return Report(
        "Velocity",
        about,
        _headline(finished, recent, measure),
        Bars(PARTS, tuple(_bar(each, today, measure) for each in runs), is_in_time=True, line=recent.mean),
        ReportTable(COLUMNS, tuple(_row(each, today, measure) for each in runs)),
        _notes(runs, today, sample_until),
    )


def _bar(run: IterationRecord, today: date, measure: Measure) -> Bar:
    done = measure.of(run.last.done)
    return Bar(run.name, (*((done, 0.0) if run.end < today else (0.0, done)), measure.of(run.left)))


def _row(run: IterationRecord, today: date, measure: Measure) -> tuple[Value, ...]:
    done, left = measure.of(run.last.done), measure.of(run.left)
    began = None if run.began is None else measure.of(run.began)
    as_of = "now" if not run.progress else "today" if run.last.day == today else run.last.day
    return run.name, began, None if began is None else done + left - began, done, left, as_of


def _headline(finished: Sequence[float], recent: Velocity, measure: Measure) -> str:
    if not recent.points:
        return "No velocity yet: no finished iteration has completed work."
    mean = f"{number_text(recent.mean)} {measure.value}"
    if len(finished) == 1:
        return f"{mean} in the only finished iteration."
    spread = f"{number_text(min(finished))}–{number_text(max(finished))}"
    last = counted(len(recent.points), "finished iteration")
    return f"{mean} on average over the last {last}, {spread} over all {len(finished)}."


def _notes(runs: Sequence[IterationRecord], today: date, sample_until: date | None) -> tuple[str, ...]:
    finished = [each for each in runs if each.end < today]
    notes = []
    if sample_until is not None and any(each.progress and each.progress[0].day <= sample_until for each in runs):
        notes.append(f"{SAMPLE_NOTE} up to {day_text(sample_until)}.")
    if finished:
        known = sum(bool(each.progress) for each in finished)
        notes.append(
            f"Based on this machine's records: {known:,} of {counted(len(finished), 'finished iteration')};"
            " the server keeps no history."
        )
    lacking = {
        "{} with work moved to a later one on the last day: counted as not completed.": [
            each for each in runs if each.carried.count
        ],
        "No record of {}: shown in their current state, without moved-out work and with work completed later.": [
            each for each in finished if not each.progress
        ],
        "{} without a record of the last days: see “As of”.": [each for each in finished if each.lacks_last_days],
        "{} without a record of the first days: “Committed” is the first recorded scope.": [
            each for each in runs if each.lacks_first_days
        ],
        "{} without completed work: not in the average.": [each for each in finished if not each.last.done.count],
    }
    return (*notes, *(text.format(counted(len(each), "iteration")) for text, each in lacking.items() if each))
