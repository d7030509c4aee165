"""Structure of a report: headline, chart, table of numbers, and notes."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeAlias

from backlit.model.reports.chart import Chart
from backlit.model.trees import Totals

Value: TypeAlias = str | float | date | None
"""A cell's value; None if unknown."""


class ReportName(StrEnum):
    """Names of the reports."""

    BURNDOWN = "burndown"
    BURNUP = "burnup"
    SCOPE = "scope"
    VELOCITY = "velocity"
    AGE = "age"
    PEOPLE = "people"
    AREAS = "areas"
    ESTIMATES = "estimates"


class Measure(StrEnum):
    """The unit of a report: points or items."""

    POINTS = "pts"
    ITEMS = "items"

    def of(self, totals: Totals) -> float:
        """Return the number in this unit."""
        return totals.points if self is Measure.POINTS else float(totals.count)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table; in a narrow table, columns of a larger rank are dropped first.

    `least` is the minimum width of a text in characters.
    """

    title: str
    is_text: bool = False
    rank: int = 0
    is_signed: bool = False
    least: int = 8


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers by row; `item_ids` names the item of each row in a table of items."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    item_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A report; its notes name the origin of the numbers and missing ones."""

    name: ReportName
    about: str
    headline: str
    chart: Chart
    table: Table
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Return the title: the report's name and its subject."""
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
