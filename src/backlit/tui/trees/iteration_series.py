"""A series of iterations, one after the other, from what is typed for it."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from backlit.model.errors import BadRequest
from backlit.store.edits.checks import fault_of_name
from backlit.store.edits.nodes import NewNode
from backlit.store.records.people import IterationEntry
from backlit.tui.fields.dates import span, typed_day

MOST = 60
NUMBER = "{n}"
USUAL_WEEKS = 2
_NUMBERED = re.compile(r"(?P<before>.*?)(?P<number>\d{1,5})(?P<after>\D*)")


def offer(
    beside: Iterable[IterationEntry], everywhere: Iterable[IterationEntry], begins: date | None, today: date
) -> list[tuple[str, str]]:
    """Return the values to offer for a series, by line, continued from the iterations that exist.

    `beside` are those among which it will lie; where there are none yet it begins on the day given, if any.
    """
    sprints = [each for each in everywhere if each.start and each.end and not each.is_release]
    near = [each for each in beside if each in sprints]
    last = max(near or sprints, key=lambda each: each.end or today, default=None)
    if near or begins is None:
        begins = last.end + timedelta(days=1) if last and last.end else today
    found = _NUMBERED.fullmatch(last.name) if last else None
    pattern = f"{found['before']}{NUMBER}{found['after']}" if found else f"Sprint {NUMBER}"
    like = re.compile(re.escape(pattern).replace(re.escape(NUMBER), r"(\d{1,5})"))
    numbers = [int(same[1]) for each in sprints if (same := like.fullmatch(each.name))]
    return [
        ("Name", pattern),
        ("First number", str(max(numbers, default=0) + 1)),
        ("How many", "6"),
        ("Weeks each", str(_weeks(last))),
        ("From", begins.isoformat()),
    ]


def _weeks(like: IterationEntry | None) -> int:
    days = (like.end - like.start).days + 1 if like and like.start and like.end else 0
    return days // 7 if days > 0 and days % 7 == 0 else USUAL_WEEKS


def series_of(typed: Sequence[str], today: date) -> list[NewNode]:
    """Return the iterations of a series by name pattern, first number, count, weeks each and first day."""
    pattern, first, count, weeks, start = typed
    if NUMBER not in pattern:
        raise BadRequest(f"The name needs {NUMBER} where the number goes, as in Sprint {NUMBER}.")
    many = _whole(count, "How many", MOST)
    days = 7 * _whole(weeks, "Weeks", 52)
    number = _whole(first, "The first number", 100_000)
    begins = typed_day(start, today, "From")
    fault = fault_of_name(pattern.replace(NUMBER, str(number + many)))
    if fault:
        raise BadRequest(fault)
    return [
        NewNode(
            pattern.replace(NUMBER, str(number + at)),
            begins + timedelta(days=days * at),
            begins + timedelta(days=days * (at + 1) - 1),
        )
        for at in range(many)
    ]


def series_lines(series: Sequence[NewNode], beside: Sequence[IterationEntry], today: date, most: int = 8) -> str:
    """Return a line for each iteration of the series with its overlaps; the middle of a long series is left out."""
    lines = [
        f"{each.name}   {span(each.start, each.end, today)}{overlap_words(each.start, each.end, beside)}"
        for each in series
    ]
    if len(lines) > most:
        lines = [*lines[: most - 2], "…", lines[-1]]
    return "\n".join(lines)


def overlap_words(start: date | None, end: date | None, beside: Sequence[IterationEntry]) -> str:
    """Return a note on the sibling iterations that overlap one; overlaps are allowed."""
    found = [
        each.name
        for each in beside
        if start and end and each.start and each.end and each.start <= end and start <= each.end
    ]
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"  overlaps {found[0]}{more}" if found else ""


def _whole(text: str, what: str, most: int) -> int:
    wanted = text.strip()
    if not (wanted.isascii() and wanted.isdigit() and 1 <= int(wanted[:9]) <= most):
        raise BadRequest(f"{what} must be a number from 1 to {most:,}.")
    return int(wanted)
