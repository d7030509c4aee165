"""Structure of a report: headline, chart, table of numbers and notes, with the text of its numbers and days."""

from collections.abc import Sequence
from datetime import date, timedelta
from enum import StrEnum
from math import ceil, floor, log10
from typing import Self, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import counted
from backlit.model.dates import written_day
from backlit.model.reports.document import FigureSource, ReportDocument
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.working_days import WorkingDays

Value: TypeAlias = str | float | date | None
"""A cell's value; None if unknown."""
MOST_RANGES = 4
"""Number of day ranges named in full; further ones are counted."""
_DAY = timedelta(days=1)
_STEPS = (1, 2, 5, 10)


UNIT_WORDS = {ReportUnit.POINTS: "pts", ReportUnit.ITEMS: "items", ReportUnit.HOURS: "h"}


def amount_text(amount: float, unit: str) -> str:
    """Write an amount with its unit: 5 pts, 1 item, 2.5 h."""
    if unit == ReportUnit.HOURS:
        return f"{number_text(amount)} h"
    return counted(round(amount, 1), "pt" if unit == ReportUnit.POINTS else "item")


def unit_noun(amount: float, unit: str) -> str:
    """Return the unit of an amount alone: pts, item, h."""
    return amount_text(amount, unit).partition(" ")[2]


def leads(amounts: Sequence[float]) -> bool:
    """Return whether the first of several amounts, of which none is larger, is larger than all others."""
    return len(amounts) > 1 and amounts[0] > amounts[1]


class ReportColumn(Struct, frozen=True):
    """A column of the table; in a narrow table, columns of a larger rank are dropped first.

    `least` is the minimum width of a text in characters. Numbers of a column with `has_decimal` have one decimal each.
    The names of a column with `is_item` have the sign of the type. One that is spare is left out where it is all 0, and
    one that is in the way of items where their ways are drawn.
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
    is_spare: bool = False
    is_in_way: bool = False


class StatusStep(Struct, frozen=True):
    """A status that an item had, and the days it was in it; without a status, the days since its creation."""

    status: str
    days: int


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
    """Write a day without its year."""
    return written_day(day, day)


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
    """A number for each day; None for a day without a record. `start` is that at the beginning of the first day."""

    name: str
    tone: Tone
    values: tuple[float | None, ...]
    start: float | None = None


class Timeline(Struct, frozen=True):
    """Days along the bottom: one series as bars, others as lines over them.

    `gaps` are the days up to today without a record; the chart shows them as gaps, without interpolation. A chart with
    `layers` shows these on each other, the lowest first, and its bars are their sum. One that is hollow is not from the
    history of the server. Without `has_gap` the distance to the line is not said yet; `gap` is the distance that the
    report names, which that of rounded days may miss.
    """

    days: tuple[date, ...]
    bars: Series
    lines: tuple[Series, ...]
    gaps: frozenset[date]
    today: date
    layers: tuple[Series, ...] = ()
    is_hollow: bool = False
    has_gap: bool = True
    gap: float | None = None
    work: WorkingDays = WorkingDays()

    @property
    def is_empty(self) -> bool:
        return all(value is None for value in self.bars.values)

    @property
    def top(self) -> float:
        every = (self.bars, *self.lines)
        values = (value for each in every for value in (each.start, *each.values))
        return max((value for value in values if value is not None), default=0.0)


class BarPart(Struct, frozen=True):
    """A part of the bars."""

    name: str
    tone: Tone


class Bar(Struct, frozen=True):
    """A bar: its label and a number for each part; the line across bars may be of some of them alone."""

    label: str
    values: tuple[float, ...]
    is_of_line: bool = True

    @property
    def total(self) -> float:
        return sum(self.values)


class Bars(Struct, frozen=True):
    """Horizontal bars, one for each row of the table, perhaps in order of time.

    All have the same parts, and perhaps a named line across them, at the median or the age from which items are stuck.
    In a histogram, the first `within` columns have a bracket with its words above.
    """

    parts: tuple[BarPart, ...]
    bars: tuple[Bar, ...]
    is_in_time: bool = False
    line: float = 0.0
    line_name: str = ""
    is_upright: bool = False
    unset: frozenset[str] = frozenset()
    """The labels of bars for items that lack what the others are counted by."""
    within: int = 0
    within_words: str = ""
    gives_way: bool = False
    """True where the columns of the table come before the bars."""

    @property
    def is_empty(self) -> bool:
        return not self.bars

    @property
    def top(self) -> float:
        """The length of the longest bar, or a little more than the line."""
        return max([1.25 * self.line, *(each.total for each in self.bars)])


Chart: TypeAlias = Timeline | Bars


WARNINGS = ("a status without a meaning", "The server's history begins on")
"""What notes say that always stand below a report."""
SOURCE_WORDS = {
    FigureSource.HISTORY: "history of the server",
    FigureSource.NOW: "state of now",
    FigureSource.MACHINE: "this machine's records",
}


def ticks(top: float, most: int) -> tuple[float, ...]:
    """Return evenly spaced whole numbers from 0 to `top` or above, between two and `most` of them."""
    rough = max(1.0, top / max(1, most - 1))
    power = 10.0 ** floor(log10(rough))
    step = next(power * each for each in _STEPS if power * each >= rough * (1 - 1e-9))
    return tuple(step * n for n in range(max(1, ceil(top / step - 1e-9)) + 1))


class Figure(Struct, frozen=True):
    """A number that sums a report up, with the words beside it; `more` stands below them.

    The words of a phrase end with `more`, without which they mean nothing.
    """

    number: str
    words: str
    more: str = ""
    tone: Tone = Tone.PLAIN
    is_phrase: bool = False


class Report(Struct, frozen=True):
    """A document as it is drawn: a headline, a chart, a table, and the figures beside them."""

    document: ReportDocument
    headline: str
    chart: Chart
    table: ReportTable
    figures: tuple[Figure, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Further labels and values that stand below the figures."""

    def at_work_on(self, work: WorkingDays) -> Self:
        """Return the report with the days of the chart on which the team works."""
        return replace(self, chart=replace(self.chart, work=work)) if isinstance(self.chart, Timeline) else self

    @property
    def name(self) -> ReportName:
        return ReportName(self.document.report)

    @property
    def kind(self) -> str:
        is_of_machine = self.document.source is FigureSource.MACHINE
        return f"{self.name.full_title} · {self.source}" if is_of_machine else self.name.full_title

    @property
    def about(self) -> str:
        return self.document.about

    @property
    def title(self) -> str:
        return f"{self.kind}: {self.about}{f', team {self.team}' if self.team else ''}"

    @property
    def team(self) -> str:
        """The name of the team whose items alone count; empty for all."""
        return self.document.team or ""

    @property
    def source(self) -> str:
        return SOURCE_WORDS[self.document.source]

    @property
    def notes(self) -> tuple[str, ...]:
        return f"Source: {self.source}.", *self._notes

    @property
    def _notes(self) -> tuple[str, ...]:
        """The notes of the document that the headline does not say."""
        return tuple(note for note in self.document.notes if note not in self.headline)

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(note for note in self._notes if any(words in note for words in WARNINGS))

    @property
    def hidden_notes(self) -> tuple[str, ...]:
        """The notes for which a chart has no room until they are asked for; the head names the source.

        The row of an item says what a note about it does.
        """
        of_rows = tuple(f"#{item_id} " for item_id in self.table.item_ids)
        return tuple(note for note in self._notes if note not in self.warnings and not note.startswith(of_rows))

    @property
    def has_hidden_notes(self) -> bool:
        return bool(self.hidden_notes) and not self.chart.is_empty

    @property
    def days(self) -> tuple[date, ...]:
        """The days that the rows are about; none in other reports."""
        return self.chart.days if isinstance(self.chart, Timeline) else ()

    @property
    def is_list(self) -> bool:
        """True for bars that stand in the rows of the table."""
        return isinstance(self.chart, Bars) and not self.chart.is_upright
