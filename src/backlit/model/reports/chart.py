"""Charts as numbers, for the terminal and for SVG."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from math import ceil, floor, log10
from typing import TypeAlias


class Tone(StrEnum):
    """Meaning of a chart's part; the renderer gives it a colour and a sign."""

    DONE = "done"
    LEFT = "left"
    STARTED = "started"
    TESTED = "tested"
    PLAIN = "plain"
    SCOPE = "scope"
    GUIDE = "guide"


@dataclass(frozen=True, slots=True)
class Series:
    """A number for each day; None for a day without a record."""

    name: str
    tone: Tone
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
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
        """True without any number to draw."""
        return all(value is None for value in self.bars.values)

    @property
    def top(self) -> float:
        """The largest number in the chart."""
        every = (self.bars, *self.lines)
        return max((value for each in every for value in each.values if value is not None), default=0.0)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the bars."""

    name: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its label and a number for each part."""

    label: str
    values: tuple[float, ...]

    @property
    def total(self) -> float:
        """The length of the whole bar."""
        return sum(self.values)


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars with the same parts; a short chart keeps the first or the last."""

    parts: tuple[Part, ...]
    bars: tuple[Bar, ...]
    keeps_last: bool = False

    @property
    def is_empty(self) -> bool:
        """True without any number to draw."""
        return not self.bars

    @property
    def top(self) -> float:
        """The length of the longest bar."""
        return max((each.total for each in self.bars), default=0.0)


Chart: TypeAlias = Timeline | Bars


_STEPS = (1, 2, 5, 10)


def ticks(top: float, most: int) -> tuple[float, ...]:
    """Return evenly spaced whole numbers from 0 to `top` or above, between two and `most` of them."""
    rough = max(1.0, top / max(1, most - 1))
    power = 10.0 ** floor(log10(rough))
    step = next(power * each for each in _STEPS if power * each >= rough * (1 - 1e-9))
    return tuple(step * n for n in range(max(1, ceil(top / step - 1e-9)) + 1))
