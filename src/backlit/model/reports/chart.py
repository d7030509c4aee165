"""What a chart shows, as numbers: the terminal and the SVG draw the same one."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeAlias


class Tone(StrEnum):
    """What a part of a chart stands for; whoever draws gives it a colour and a sign."""

    DONE = "done"
    LEFT = "left"
    STARTED = "started"
    TESTED = "tested"
    PLAIN = "plain"
    SCOPE = "scope"
    GUIDE = "guide"


@dataclass(frozen=True, slots=True)
class Series:
    """A number for each day; None where there is no record of the day."""

    name: str
    tone: Tone
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Days along the bottom: one series as bars, others as lines over them.

    `gaps` are the days, up to today, that have no record; they are drawn as gaps and never bridged.
    """

    days: tuple[date, ...]
    bars: Series
    lines: tuple[Series, ...]
    gaps: frozenset[date]
    today: date

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return all(value is None for value in self.bars.values)

    @property
    def top(self) -> float:
        """The largest number that is shown."""
        every = (self.bars, *self.lines)
        return max((value for each in every for value in each.values if value is not None), default=0.0)


@dataclass(frozen=True, slots=True)
class Part:
    """One of the parts that bars are made of."""

    name: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its label and a number for each part."""

    label: str
    values: tuple[float, ...]

    @property
    def total(self) -> float:
        """How long the whole bar is."""
        return sum(self.values)


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars beneath each other, each made of the same parts; where room is short, the first or the last stay."""

    parts: tuple[Part, ...]
    bars: tuple[Bar, ...]
    keeps_last: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.bars

    @property
    def top(self) -> float:
        """How long the longest bar is."""
        return max((each.total for each in self.bars), default=0.0)


Chart: TypeAlias = Timeline | Bars
