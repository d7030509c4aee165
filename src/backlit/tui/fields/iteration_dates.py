"""Where iterations lie in time, and how that reads."""

from collections.abc import Iterable, Mapping
from datetime import date
from enum import StrEnum

from backlit.model.dates import MONTHS
from backlit.store.records.people import IterationEntry


class Phase(StrEnum):
    """How an iteration lies to today."""

    PAST = "past"
    CURRENT = "now"
    NEXT = "next"
    LATER = "later"
    UNDATED = ""


def phases(iterations: Iterable[IterationEntry], today: date) -> Mapping[int, Phase]:
    """The phase of every iteration; NEXT are those, not releases, that start first after today."""
    iterations = tuple(iterations)
    found = {each.id: _phase(each, today) for each in iterations}
    starts = [each.start for each in iterations if each.start and each.start > today and not each.is_release]
    for each in iterations:
        if starts and each.start == min(starts) and not each.is_release:
            found[each.id] = Phase.NEXT
    return found


def _phase(iteration: IterationEntry, today: date) -> Phase:
    start, end = iteration.start, iteration.end
    if end and end < today:
        return Phase.PAST
    if start and start > today:
        return Phase.LATER
    return Phase.CURRENT if start or end else Phase.UNDATED


def span(start: date | None, end: date | None, today: date) -> str:
    """Two days, the second inclusive, as people write them: 3–17 Mar, 24 Feb–10 Mar; years where not this one."""
    if start is None or end is None:
        return f"from {_day(start, today)}" if start else f"to {_day(end, today)}" if end else ""
    if (start.year, start.month) == (end.year, end.month):
        return f"{start.day}–{_day(end, today)}"
    if start.year == end.year:
        return f"{start.day} {MONTHS[start.month - 1]}–{_day(end, today)}"
    return f"{_day(start, today)}–{_day(end, today)}"


def _day(day: date | None, today: date) -> str:
    if day is None:
        return ""
    year = f" {day.year}" if day.year != today.year else ""
    return f"{day.day} {MONTHS[day.month - 1]}{year}"
