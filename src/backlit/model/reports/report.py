"""Structure of a report: headline, chart, table of numbers and notes, with the text of its numbers and days."""

from collections.abc import Sequence
from datetime import date, timedelta
from enum import StrEnum
from math import ceil, floor, log10
from typing import TypeAlias

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.dates import MONTHS
from backlit.model.trees import NodeTotals

Value: TypeAlias = str | float | date | None
"""A cell's value; None if unknown."""
MOST_RANGES = 4
"""Number of day ranges named in full; further ones are counted."""
_DAY = timedelta(days=1)
_STEPS = (1, 2, 5, 10)


class Measure(StrEnum):
    """The unit of a report: points or items."""

    POINTS = "pts"
    ITEMS = "items"

    def of(self, totals: NodeTotals) -> float:
        return totals.points if self is Measure.POINTS else float(totals.count)


class ReportColumn(Struct, frozen=True):
    """A column of the table; in a narrow table, columns of a larger rank are dropped first.

    `least` is the minimum width of a text in characters. Numbers of a column with `has_decimal` have one decimal each.
    The names of a column with `is_item` have the sign of the type. One that is `for_screens` follows from the others,
    and is in no CSV.
    """

    title: str
    is_text: bool = False
    rank: int = 0
    is_signed: bool = False
    least: int = 8
    is_status: bool = False
    has_decimal: bool = False
    is_item: bool = False
    is_owner: bool = False
    for_screens: bool = False


class StatusStep(Struct, frozen=True):
    """A status that an item had, and the time it was in it; without a status, another event of the item."""

    status: str
    words: str


class ReportTable(Struct, frozen=True):
    """The numbers by row; `item_ids` and `item_types` name the item of each row in a table of items.

    `item_ways` are the statuses of each item up to now.
    """

    columns: tuple[ReportColumn, ...]
    rows: tuple[tuple[Value, ...], ...]
    item_ids: tuple[int, ...] = ()
    item_types: tuple[str, ...] = ()
    item_ways: tuple[tuple[StatusStep, ...], ...] = ()


def number_text(number: float) -> str:
    """Write a number with at most one decimal."""
    return f"{round(number, 1) + 0.0:,.10g}"


def signed_text(number: float) -> str:
    """Write a change with its sign; the true minus is as wide as the plus."""
    text = number_text(abs(number))
    return text if text == "0" else f"{'+' if number > 0 else '−'}{text}"


def day_text(day: date) -> str:
    """Write a day without its year: 3 Mar."""
    return f"{day.day} {MONTHS[day.month - 1]}"


def value_text(value: Value, column: ReportColumn) -> str:
    """Write a cell of a table; – for an unknown value."""
    if value is None:
        return "–"
    if isinstance(value, date):
        return day_text(value)
    if isinstance(value, str):
        return value
    if column.has_decimal:
        return f"{value:,.1f}"
    return signed_text(value) if column.is_signed else number_text(value)


def ranges_text(days: Sequence[date]) -> str:
    """Write ordered days as ranges: 7–8 Mar, 14 Mar."""
    stretches: list[list[date]] = []
    for day in days:
        if stretches and stretches[-1][-1] + _DAY == day:
            stretches[-1].append(day)
        else:
            stretches.append([day])
    texts = [_stretch_text(each[0], each[-1]) for each in stretches]
    more = len(texts) - MOST_RANGES
    return ", ".join(texts) if more <= 0 else f"{', '.join(texts[:MOST_RANGES])} and {counted(more, 'more gap')}"


def _stretch_text(first: date, last: date) -> str:
    if first == last:
        return day_text(first)
    start = str(first.day) if first.month == last.month and first.year == last.year else day_text(first)
    return f"{start}–{day_text(last)}"


class Tone(StrEnum):
    """Meaning of a chart's part; the renderer gives it a colour and a sign."""

    DONE = "done"
    LEFT = "left"
    STARTED = "started"
    TESTED = "tested"
    UNDERWAY = "underway"
    PLAIN = "plain"
    LATE = "late"
    SCOPE = "scope"
    GUIDE = "guide"


class Series(Struct, frozen=True):
    """A number for each day; None for a day without a record."""

    name: str
    tone: Tone
    values: tuple[float | None, ...]


class Timeline(Struct, frozen=True):
    """Days along the bottom: one series as bars, others as lines over them.

    `gaps` are the days up to today without a record; the chart shows them as gaps, without interpolation.
    """

    days: tuple[date, ...]
    bars: Series
    lines: tuple[Series, ...]
    gaps: frozenset[date]
    today: date

    @property
    def is_empty(self) -> bool:
        return all(value is None for value in self.bars.values)

    @property
    def top(self) -> float:
        every = (self.bars, *self.lines)
        return max((value for each in every for value in each.values if value is not None), default=0.0)


class BarPart(Struct, frozen=True):
    """A part of the bars."""

    name: str
    tone: Tone


class Bar(Struct, frozen=True):
    """A bar: its label and a number for each part."""

    label: str
    values: tuple[float, ...]

    @property
    def total(self) -> float:
        return sum(self.values)


class Bars(Struct, frozen=True):
    """Horizontal bars, one for each row of the table, perhaps in order of time.

    All have the same parts, and perhaps a line across them, at the average or the age from which items are stuck.
    """

    parts: tuple[BarPart, ...]
    bars: tuple[Bar, ...]
    is_in_time: bool = False
    line: float = 0.0
    is_upright: bool = False
    unset: frozenset[str] = frozenset()
    """The labels of bars for items that lack what the others are counted by."""

    @property
    def is_empty(self) -> bool:
        return not self.bars

    @property
    def top(self) -> float:
        """The length of the longest bar, or a little more than the line."""
        return max([1.25 * self.line, *(each.total for each in self.bars)])


Chart: TypeAlias = Timeline | Bars


SAMPLE_NOTE = "Demo data"
"""Beginning of a note about made-up records."""
LEFT_OUT = "Left out"
"""Beginning of a note about items that a report does not count."""


def ticks(top: float, most: int) -> tuple[float, ...]:
    """Return evenly spaced whole numbers from 0 to `top` or above, between two and `most` of them."""
    rough = max(1.0, top / max(1, most - 1))
    power = 10.0 ** floor(log10(rough))
    step = next(power * each for each in _STEPS if power * each >= rough * (1 - 1e-9))
    return tuple(step * n for n in range(max(1, ceil(top / step - 1e-9)) + 1))


class Figure(Struct, frozen=True):
    """A number that sums a report up, with the words beside it; `more` stands below them."""

    number: str
    words: str
    more: str = ""
    tone: Tone = Tone.PLAIN


class Report(Struct, frozen=True):
    """A report; its notes name the origin of the numbers and missing ones."""

    kind: str
    about: str
    headline: str
    chart: Chart
    table: ReportTable
    notes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Further labels and values that stand below the figures."""

    @property
    def badge(self) -> str:
        """Return the note about made-up records without its full stop; empty without them."""
        return next((each.rstrip(".") for each in self.notes if each.startswith(SAMPLE_NOTE)), "")

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(each for each in self.notes if each.startswith(LEFT_OUT))

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(each for each in self.notes if not each.startswith((SAMPLE_NOTE, LEFT_OUT)))

    @property
    def has_hidden_notes(self) -> bool:
        """True if there are notes that a chart has no room for until they are asked for."""
        return bool(self.sources) and not self.chart.is_empty

    @property
    def is_list(self) -> bool:
        """True for bars that stand in the rows of the table."""
        return isinstance(self.chart, Bars) and not self.chart.is_upright

    @property
    def title(self) -> str:
        return f"{self.kind}: {self.about}"
