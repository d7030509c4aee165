"""Reports on open items: age in status, estimates, and workload by person and by area."""

from collections.abc import Sequence
from datetime import date
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.reports.report import (
    SAMPLE_NOTE,
    Bar,
    BarPart,
    Bars,
    Measure,
    Report,
    ReportColumn,
    ReportTable,
    StatusStep,
    Tone,
    Value,
    day_text,
    number_text,
)
from backlit.model.trees import NO_TOTALS, NodeTotals

STUCK_DAYS = 7
"""Days from which an item counts as stuck."""
AGE_PARTS = (BarPart("up to a week", Tone.STARTED), BarPart("longer", Tone.LATE))
AGE_COLUMNS = (
    ReportColumn("Days"),
    ReportColumn("ID", rank=2),
    ReportColumn("Item", is_text=True, least=28, is_item=True),
    ReportColumn("Status", is_text=True, rank=2, least=11, is_status=True),
    ReportColumn("Owner", is_text=True, rank=1, is_owner=True),
    ReportColumn("Since", is_text=True, rank=3),
)
EXACT_NOTE = "Based on status changes seen by this machine."
LEAST_NOTE = "“Or before”: this machine did not see the change; the age counts from the last edit or the first sync."

DURATIONS = {(True, True): "", (False, True): "at least ", (True, False): "at most ", (False, False): "about "}
"""The words before a duration, by whether its first day and its end are exact."""


class StatusStart(NamedTuple):
    """The first day of a status; the status may have begun earlier unless it `is_exact`."""

    day: date
    status: str
    is_exact: bool = True


class TimeInStatus(Struct, frozen=True):
    """A started item with the latest start of its status; `is_exact` marks an observed day.

    `before` holds the first days of its earlier statuses, and `created` its own first day, as far as known.
    """

    item_id: int
    name: str
    status: str
    owner: str
    since: date
    is_exact: bool = False
    type: str = ""
    created: date | None = None
    before: tuple[StatusStart, ...] = ()

    def days(self, today: date) -> int:
        return max(0, (today - self.since).days)

    def way(self, today: date) -> tuple[StatusStep, ...]:
        """Return its statuses with the days in each, in order, after its creation, which has no status."""
        firsts = (*self.before, StatusStart(self.since, self.status, self.is_exact))
        runs = [next(run) for _, run in groupby(firsts, key=lambda each: each.status)]
        steps = [
            StatusStep(begin.status, f"{DURATIONS[begin.is_exact, end.is_exact]}{max(0, (end.day - begin.day).days)}d")
            for begin, end in pairwise([*runs, StatusStart(today, "")])
        ]
        if self.created is None:
            return tuple(steps)
        return StatusStep("", f"created {max(0, (runs[0].day - self.created).days)}d before"), *steps


def age(about: str, stays: Sequence[TimeInStatus], today: date, sample_until: date | None = None) -> Report:
    """Report on started items that are not done, oldest first."""
    shown = sorted(stays, key=lambda each: (each.since, each.item_id))
    days = [(each, float(each.days(today))) for each in shown]
    bars = tuple(
        Bar(f"#{each.item_id} {each.name}", (min(age, STUCK_DAYS), max(0.0, age - STUCK_DAYS))) for each, age in days
    )
    rows = tuple(_age_row(each, today) for each in shown)
    notes = []
    if sample_until is not None and any(each.is_exact and each.since <= sample_until for each in shown):
        notes.append(f"{SAMPLE_NOTE} up to {day_text(sample_until)}.")
    notes += [EXACT_NOTE] if any(each.is_exact for each in shown) else []
    notes += [LEAST_NOTE] if any(not each.is_exact for each in shown) else []
    table = ReportTable(
        AGE_COLUMNS,
        rows,
        tuple(each.item_id for each in shown),
        tuple(each.type for each in shown),
        tuple(each.way(today) for each in shown),
    )
    chart = Bars(AGE_PARTS, bars, line=STUCK_DAYS)
    return Report("Age in status", about, _age_headline(shown, today), chart, table, tuple(notes))


def _age_row(stay: TimeInStatus, today: date) -> tuple[Value, ...]:
    since = day_text(stay.since) if stay.is_exact else f"{day_text(stay.since)} or before"
    return float(stay.days(today)), f"#{stay.item_id}", stay.name, stay.status, stay.owner, since


def _age_headline(stays: Sequence[TimeInStatus], today: date) -> str:
    if not stays:
        return "Nothing is in progress."
    stuck = sum(each.days(today) > STUCK_DAYS for each in stays)
    oldest = counted(stays[0].days(today), "day")
    items = counted(len(stays), "started item")
    return f"{stuck:,} of {items} in the same status for over a week, the oldest for {oldest}."


ESTIMATE_COLUMNS = (
    ReportColumn("Estimate", is_text=True),
    ReportColumn("Items"),
    ReportColumn("Pts"),
    ReportColumn("% items", rank=1),
)
UNSET, WORDS = "not set", "no number"
"""Labels for items without an estimate, and with one that is not a number."""
ESTIMATE_NOTE = "Current open items, without tasks and feedback, which have no estimate."


class EstimateCount(Struct, frozen=True):
    """The count of items with one estimate; `points` is None for a text, and `is_set` is False for no estimate."""

    points: float | None
    is_set: bool
    count: int

    @property
    def label(self) -> str:
        return number_text(self.points) if self.points is not None else WORDS if self.is_set else UNSET


def estimates(about: str, sizes: Sequence[EstimateCount]) -> Report:
    """Report the items of each estimate, small ones first, those without a number last."""
    shown = sorted(sizes, key=lambda each: (each.points is None, each.points or 0.0, not each.is_set))
    total = sum(each.count for each in shown)
    rows = tuple(
        (
            each.label,
            float(each.count),
            None if each.points is None else each.points * each.count,
            float(round(100 * each.count / total)),
        )
        for each in shown
    )
    bars = tuple(Bar(each.label, (float(each.count),)) for each in shown)
    chart = Bars((BarPart("items", Tone.LEFT),), bars, is_upright=True, unset=frozenset({UNSET, WORDS}))
    return Report(
        "Estimates",
        about,
        _estimates_headline(shown, total),
        chart,
        ReportTable(ESTIMATE_COLUMNS, rows),
        (ESTIMATE_NOTE,),
    )


def _estimates_headline(sizes: Sequence[EstimateCount], total: int) -> str:
    if not total:
        return "No open items."
    estimated = [(each.points, each.count) for each in sizes if each.points is not None]
    known = sum(count for _, count in estimated)
    have = "has" if 1 in (total - known, total) else "have"
    lacking = f"{total - known:,} of {counted(total, 'open item')} {have} no number"
    lacking = lacking if known < total else "every open item has a number"
    if not known:
        return f"{lacking}."
    up_to = accumulate(count for _, count in estimated)
    median = next(points for (points, _), seen in zip(estimated, up_to, strict=True) if 2 * seen >= known)
    largest = max(points for points, _ in estimated)
    return f"Half are {counted(median, 'pt')} or less, the largest {number_text(largest)}; {lacking}."


LOAD_PARTS = (BarPart("in progress", Tone.STARTED), BarPart("testing", Tone.TESTED), BarPart("not started", Tone.PLAIN))
CURRENT = "Current state, including unsent changes; tasks count in hours only."


class OpenWorkload(Struct, frozen=True):
    """Open work of one person or area: items without tasks, and the remaining hours of tasks."""

    name: str
    started: NodeTotals = NO_TOTALS
    tested: NodeTotals = NO_TOTALS
    waiting: NodeTotals = NO_TOTALS
    hours: float = 0.0

    @property
    def open(self) -> NodeTotals:
        return self.started + self.tested + self.waiting

    def __add__(self, other: "OpenWorkload") -> "OpenWorkload":
        return OpenWorkload(
            self.name,
            self.started + other.started,
            self.tested + other.tested,
            self.waiting + other.waiting,
            self.hours + other.hours,
        )


def load_by_person(about: str, loads: Sequence[OpenWorkload], wanted: Measure) -> Report:
    return _load_report("person", "with", about, loads, wanted)


def load_by_area(about: str, loads: Sequence[OpenWorkload], wanted: Measure) -> Report:
    return _load_report("area", "in", about, loads, wanted)


def _load_report(noun: str, preposition: str, about: str, loads: Sequence[OpenWorkload], wanted: Measure) -> Report:
    measure = wanted if any(each.open.points for each in loads) or not loads else Measure.ITEMS
    shown = sorted(
        (each for each in loads if each.open.count or each.hours),
        key=lambda each: (-measure.of(each.open), -each.open.count, -each.hours, each.name),
    )
    bars = tuple(
        Bar(each.name, (measure.of(each.started), measure.of(each.tested), measure.of(each.waiting))) for each in shown
    )
    whole = sum(measure.of(each.open) for each in shown)
    shares = (float(round(100 * measure.of(each.open) / whole)) if whole else None for each in shown)
    rows = tuple(
        (each.name, share, each.open.points, float(each.open.count), each.hours)
        for each, share in zip(shown, shares, strict=True)
    )
    columns = (
        ReportColumn(noun.capitalize(), is_text=True, is_owner=noun == "person"),
        ReportColumn("%", rank=1, for_screens=True),
        ReportColumn("Pts"),
        ReportColumn("Items"),
        ReportColumn("Hours", rank=1),
    )
    headline = _load_headline(preposition, shown, measure)
    return Report(f"Load by {noun}", about, headline, Bars(LOAD_PARTS, bars), ReportTable(columns, rows), (CURRENT,))


def _load_headline(preposition: str, loads: Sequence[OpenWorkload], measure: Measure) -> str:
    if not loads:
        return "No open items."
    every = loads[0]
    for each in loads[1:]:
        every += each
    said = f"{counted(measure.of(every.open), measure.value.removesuffix('s'))} open"
    if len(loads) > 1:
        said += f", most {preposition} {loads[0].name} ({number_text(measure.of(loads[0].open))})"
    return f"{said}; {counted(every.hours, 'hour')} of tasks remaining." if every.hours else f"{said}."
