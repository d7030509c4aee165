"""Reports on open items from the local copy: age in status, estimates, and workload by person and by area."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct, field

from backlit.model.amounts import counted
from backlit.model.reports.document import CellValue, FigureSource, ReportDocument
from backlit.model.reports.machine.documents import MachineReport
from backlit.model.reports.names import ReportName
from backlit.model.statuses import StatusGroup
from backlit.model.trees import NodeTotals

LEAST_NOTE = "{} at least this old: this machine did not see the change of status."


class StatusStart(Struct, frozen=True):
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
    owner: str | None
    since: date
    is_exact: bool = False
    type: str = ""
    created: date | None = None
    before: tuple[StatusStart, ...] = ()

    def days(self, today: date) -> int:
        return max(0, (today - self.since).days)

    def steps(self) -> list[Mapping[str, CellValue]]:
        starts = [*self.before, StatusStart(self.since, self.status)]
        found: list[Mapping[str, CellValue]] = [{"status": start.status, "since": start.day} for start in starts]
        first: list[Mapping[str, CellValue]] = (
            [{"status": None, "since": self.created}] if self.created is not None else []
        )
        return [{"id": self.item_id, "type": self.type, **step} for step in (*first, *found)]


def age(report: MachineReport, stays: Sequence[TimeInStatus]) -> ReportDocument:
    """Report on started items that are not done, oldest first."""
    shown = sorted(stays, key=lambda each: (each.since, each.item_id))
    days = [each.days(report.today) for each in shown]
    rows = [
        (number, each.item_id, each.name, each.status, each.owner, each.since)
        for number, each in zip(days, shown, strict=True)
    ]
    inexact = sum(not each.is_exact for each in shown)
    notes = [LEAST_NOTE.format(counted(inexact, "item is", "items are"))] if inexact else []
    summary: dict[str, CellValue] = {"items": len(shown), "oldest": max(days, default=None)}
    details = [step for each in shown for step in each.steps()]
    columns = ("Days", "ID", "Item", "Status", "Owner", "Since")
    return report.document(summary, columns, rows, notes, details=details)


class EstimateCount(Struct, frozen=True):
    """The count of items with one estimate; `points` is None for a text, and `is_set` is False for no estimate."""

    points: float | None
    is_set: bool
    count: int

    @property
    def value(self) -> CellValue:
        return self.points if self.points is not None else "no number" if self.is_set else "not set"


def estimates(report: MachineReport, sizes: Sequence[EstimateCount]) -> ReportDocument:
    """Report the items of each estimate, small ones first, those without a number last."""
    shown = sorted(sizes, key=lambda each: (each.points is None, each.points or 0.0, each.is_set))
    total = sum(each.count for each in shown)
    rows = [
        (each.value, each.count, (each.points or 0.0) * each.count, 100 * each.count / total if total else None)
        for each in shown
    ]
    summary = {"items": total, "points": sum(row[2] for row in rows)}
    columns = ("Estimate", "Items", "Pts", "% items")
    return report.document(summary, columns, rows, source=FigureSource.NOW)


class OpenWorkload(Struct, frozen=True):
    """Open work of one person or area: items by group of status, and the remaining hours of tasks."""

    name: str
    by_group: Mapping[StatusGroup, NodeTotals] = field(default_factory=dict)
    hours: float = 0.0

    @property
    def open(self) -> NodeTotals:
        return sum(self.by_group.values(), NodeTotals())

    def __add__(self, other: "OpenWorkload") -> "OpenWorkload":
        groups = dict.fromkeys((*self.by_group, *other.by_group))
        by_group = {
            group: self.by_group.get(group, NodeTotals()) + other.by_group.get(group, NodeTotals()) for group in groups
        }
        return OpenWorkload(self.name, by_group, self.hours + other.hours)


def workload(report: MachineReport, loads: Sequence[OpenWorkload]) -> ReportDocument:
    """Report on people, or on areas."""
    noun = "person" if report.name is ReportName.PEOPLE else "area"
    shown = sorted((each for each in loads if each.open.count or each.hours), key=lambda each: each.name.casefold())
    rows = [(each.name, each.open.points, each.open.count, each.hours) for each in shown]
    details = [
        {noun: each.name, "group": group.value, "points": totals.points, "items": totals.count}
        for each in shown
        for group, totals in each.by_group.items()
    ]
    summary = {
        "points": sum(each.open.points for each in shown),
        "items": sum(each.open.count for each in shown),
        "hours": sum(each.hours for each in shown),
    }
    columns = (noun.capitalize(), "Pts", "Items", "Hours")
    return report.document(summary, columns, rows, details=details, source=FigureSource.NOW)
