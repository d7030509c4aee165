"""Typed numbers, the time and phase of an iteration as text, and relative times."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from enum import StrEnum
from math import isfinite, nan

from backlit.model.dates import DATE_STYLE, DAY_FORMS, MONTHS, NAMED_DAY_FORMS, DateFormat, named_day, written_day
from backlit.model.errors import BadRequest
from backlit.store.records.people import IterationEntry, current, following

DAY_HELP = f"A day, such as {NAMED_DAY_FORMS}; any other text is taken as it is."


def typed_number(text: str, what: str = "Points") -> float | None:
    """Read a number, not less than 0; None for nothing. Raises BadRequest with a sentence that names `what` it is."""
    wanted = text.strip().replace(",", ".")
    if not wanted:
        return None
    try:
        number = float(wanted)
    except ValueError:
        number = nan
    if not isfinite(number) or number < 0:
        raise BadRequest(f"{what}: “{wanted}” is not a number of 0 or more, such as 34 or 2.5.")
    return number


_BETWEEN_DAYS = re.compile(r"[\s,;]+")


def typed_days(text: str, today: date, what: str) -> list[date]:
    """Read days with blanks between them, in order, each once. Raises BadRequest with a sentence that names `what`."""
    return sorted({named_day(word, today, what, DAY_FORMS) for word in filter(None, _BETWEEN_DAYS.split(text))})


class Phase(StrEnum):
    """The time of an iteration against today."""

    PAST = "past"
    CURRENT = "now"
    NEXT = "next"
    LATER = "later"
    UNDATED = ""


def phases(iterations: Iterable[IterationEntry], today: date) -> Mapping[int, Phase]:
    """Return the phase of every iteration; NEXT are the iterations, releases aside, that start first after today."""
    iterations = tuple(iterations)
    found = {each.id: _phase(each, today) for each in iterations}
    for each in following([each for each in iterations if not each.is_release], today):
        found[each.id] = Phase.NEXT
    return found


def current_sprint(iterations: Iterable[IterationEntry], today: date) -> IterationEntry | None:
    """Return the iteration around a day that ends first, releases aside; None without one."""
    running = [each for each in current(iterations, today) if not each.is_release and "\\" in each.path]
    return min(running, key=lambda each: (each.end or today, each.id), default=None)


def _phase(iteration: IterationEntry, today: date) -> Phase:
    start, end = iteration.start, iteration.end
    if iteration.is_over(today):
        return Phase.PAST
    if start and start > today:
        return Phase.LATER
    return Phase.CURRENT if start or end else Phase.UNDATED


def span(start: date | None, end: date | None, today: date) -> str:
    """Two days, the second inclusive, as people write them: 3–17 Mar, 24 Feb–10 Mar; years where not this one."""
    if start is None or end is None:
        return f"from {written_day(start, today)}" if start else f"to {written_day(end, today)}" if end else ""
    if start == end:
        return written_day(end, today)
    if (start.year, start.month) == (end.year, end.month) and DATE_STYLE.format is DateFormat.WORDS:
        return f"{start.day}–{written_day(end, today)}"
    if start.year == end.year:
        return f"{written_day(start, start)}–{written_day(end, today)}"
    return f"{written_day(start, today)}–{written_day(end, today)}"


def event_words(
    iteration: IterationEntry | None, local: Callable[[datetime], datetime], today: date
) -> tuple[str, ...]:
    """Return when an iteration was started and closed, in the user's own time; nothing without such events."""
    if iteration is None:
        return ()
    times = {"started": iteration.started_at, "closed": iteration.closed_at}
    found = {verb: local(at) for verb, at in times.items() if at is not None}
    return tuple(f"{verb} {written_day(at.date(), today)} {at:%H:%M}" for verb, at in found.items())


def near_day(day: date, today: date) -> str:
    """Return Today or Yesterday; nothing for another day."""
    return {0: "Today", 1: "Yesterday"}.get((today - day).days, "")


def column_span(start: date | None, end: date | None, today: date) -> str:
    """Return two days, start and end each at one place in all lines, in at most 20 cells.

    The end has its year unless it is this one. Days more than a year apart are written as months.
    """
    if start is None or end is None:
        return span(start, end, today)
    if (end - start).days >= 365:
        return f"{MONTHS[start.month - 1]} {start.year}–{MONTHS[end.month - 1]} {end.year}"
    if DATE_STYLE.format is not DateFormat.WORDS:
        return f"{written_day(start, start)} – {written_day(end, today)}"
    return f"{start.day:>2} {MONTHS[start.month - 1]} – {' ' * (end.day < 10)}{written_day(end, today)}"


# Relative times, short enough for a line

MINUTE, HOUR, DAY = 60, 3600, 86400


def age(seconds: float) -> str:
    """Return an age in its largest unit: now, 5m, 3h, 12d. Seconds are not counted, so that an idle screen rests."""
    if seconds < MINUTE:
        return "now"
    if seconds < HOUR:
        return f"{int(seconds // MINUTE)}m"
    if seconds < DAY:
        return f"{int(seconds // HOUR)}h"
    return f"{int(seconds // DAY)}d"


def age_of(when: datetime | None, now: datetime) -> str:
    return age(max(0.0, (now - when).total_seconds())) if when else ""


def ago(when: datetime | None, now: datetime) -> str:
    """Return the age of a time in a sentence: just now, 5m ago; empty where the time is not known."""
    since = age_of(when, now)
    return "just now" if since == "now" else f"{since} ago" if since else ""


def days_until(start: date | None, end: date | None, today: date) -> str:
    """Return the start of a future iteration relative to today, else its end; empty without a day."""
    verb, day = ("starts", start) if start and start > today else ("ends", end)
    if day is None or day < today:
        return f"ended {(today - day).days}d ago" if day else ""
    return f"{verb} in {(day - today).days}d" if day > today else f"{verb} today"


def moment(when: datetime | None, local: Callable[[datetime], datetime]) -> str:
    """Return a service's DateTime as the user's `local` time, for display; empty where it is not known."""
    return f"{local(when):%Y-%m-%d %H:%M}" if when else ""
