"""Report on the age of started items in their status."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from backlit.model.reports.chart import Bar, Bars, Part, Tone
from backlit.model.reports.formatting import counted, day_text
from backlit.model.reports.report import Column, Report, ReportName, Table, Value
from backlit.model.statuses import StatusGroup

STUCK = 7
"""Days from which an item counts as stuck."""
BUCKETS = ((1, "0–1 days"), (3, "2–3"), (7, "4–7"), (14, "8–14"), (30, "15–30"), (None, "over 30"))
"""The upper age of each bar, in days."""
PARTS = (Part("in progress", Tone.STARTED), Part("ready for test", Tone.TESTED))
COLUMNS = (
    Column("Days"),
    Column("ID", rank=1),
    Column("Item", is_text=True, least=20),
    Column("Status", is_text=True, rank=2, least=14),
    Column("Owner", is_text=True, rank=1),
    Column("Known", is_text=True, rank=3),
)
EXACT_NOTE = "Based on status changes seen by this machine."
LEAST_NOTE = "Minimum: this machine did not see the change; the age counts from the last edit or the first sync."


@dataclass(frozen=True, slots=True)
class Stay:
    """A started item with the latest start of its status; `is_exact` marks an observed day."""

    item_id: int
    name: str
    status: str
    group: StatusGroup
    owner: str
    since: date
    is_exact: bool = False

    def days(self, today: date) -> int:
        """Return the age in days."""
        return max(0, (today - self.since).days)


def age(about: str, stays: Sequence[Stay], today: date, sample_until: date | None = None) -> Report:
    """Report on started items that are not done, oldest first."""
    shown = sorted(stays, key=lambda each: (each.since, each.item_id))
    counts = {label: [0.0, 0.0] for _, label in BUCKETS}
    for each in shown:
        counts[_bucket(each.days(today))][each.group is StatusGroup.READY_FOR_TEST] += 1
    bars = tuple(Bar(label, (started, tested)) for label, (started, tested) in counts.items()) if shown else ()
    rows = tuple(_row(each, today) for each in shown)
    notes = []
    if sample_until is not None and any(each.is_exact and each.since <= sample_until for each in shown):
        notes.append(f"Demo data up to {day_text(sample_until)}.")
    notes += [EXACT_NOTE] if any(each.is_exact for each in shown) else []
    notes += [LEAST_NOTE] if any(not each.is_exact for each in shown) else []
    table = Table(COLUMNS, rows, tuple(each.item_id for each in shown))
    return Report(ReportName.AGE, about, _headline(shown, today), Bars(PARTS, bars), table, tuple(notes))


def _row(stay: Stay, today: date) -> tuple[Value, ...]:
    days = stay.days(today)
    known = "exactly" if stay.is_exact else "at least"
    return float(days), f"#{stay.item_id}", stay.name, stay.status, stay.owner, known


def _bucket(days: int) -> str:
    return next(label for most, label in BUCKETS if most is None or days <= most)


def _headline(stays: Sequence[Stay], today: date) -> str:
    if not stays:
        return "Nothing is in progress."
    stuck = sum(each.days(today) > STUCK for each in stays)
    oldest = counted(stays[0].days(today), "day")
    is_or_are = "is" if stuck == 1 else "are"
    return (
        f"{stuck:,} of {counted(len(stays), 'item')} in progress {is_or_are} stuck for over a week (oldest: {oldest})."
    )
