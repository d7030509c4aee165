"""A report: one sentence, a chart, the table of its numbers, and what has to be known about them."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeAlias

from backlit.model.reports.chart import Chart
from backlit.model.trees import Totals

Value: TypeAlias = str | float | date | None
"""What stands in a cell; None where it is not known."""


class ReportName(StrEnum):
    """The reports there are."""

    BURNDOWN = "burndown"
    BURNUP = "burnup"
    SCOPE = "scope"
    VELOCITY = "velocity"
    AGE = "age"
    PEOPLE = "people"
    AREAS = "areas"
    ESTIMATES = "estimates"


class Measure(StrEnum):
    """What is added up."""

    POINTS = "pts"
    ITEMS = "items"

    def of(self, totals: Totals) -> float:
        """The number that counts."""
        return totals.points if self is Measure.POINTS else float(totals.count)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table; those of a larger rank go first where there is little room.

    `least` is the width in characters that a text is not cut below.
    """

    title: str
    is_text: bool = False
    rank: int = 0
    is_signed: bool = False
    least: int = 8


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers, row by row; `item_ids` names the item of each row where the rows are items."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    item_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """One report; the notes say where the numbers come from, and which are missing."""

    name: ReportName
    about: str
    headline: str
    chart: Chart
    table: Table
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What it is of what."""
        return f"{TITLES[self.name]}: {self.about}"


TITLES = {
    ReportName.BURNDOWN: "Burndown",
    ReportName.BURNUP: "Burnup",
    ReportName.SCOPE: "Scope change",
    ReportName.VELOCITY: "Velocity",
    ReportName.AGE: "Age in status",
    ReportName.PEOPLE: "Load by person",
    ReportName.AREAS: "Load by area",
    ReportName.ESTIMATES: "Estimates",
}
