"""Series of iterations, one after another, as people describe them: a name with a number, a count, and weeks."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from backlit.model.dates import typed_day
from backlit.model.errors import BadRequest
from backlit.store.edits.checks import fault_of_name
from backlit.store.edits.nodes import NewNode
from backlit.store.records.people import IterationEntry

MAX_NEW_ITERATIONS = 60
NUMBER_PLACEHOLDER = "{n}"
USUAL_WEEKS = 2
_NUMBERED = re.compile(r"(?P<before>.*?)(?P<number>\d{1,5})(?P<after>\D*)")


def proposed_series(
    beside: Iterable[IterationEntry],
    everywhere: Iterable[IterationEntry],
    begins: date | None,
    today: date,
    pattern: str = "",
) -> list[tuple[str, str]]:
    """Return the labels and the values to offer for a series, continued from the iterations that exist.

    `beside` are those among which it will lie; where there are none yet it begins on the day given, if any. Without a
    pattern of names it is that of the last iteration.
    """
    sprints = [each for each in everywhere if each.start and each.end and not each.is_release]
    near = [each for each in beside if each in sprints]
    last = max(near or sprints, key=lambda each: each.end or today, default=None)
    if near or begins is None:
        begins = last.end + timedelta(days=1) if last and last.end else today
    found = _NUMBERED.fullmatch(last.name) if last else None
    usual = f"{found['before']}{NUMBER_PLACEHOLDER}{found['after']}" if found else f"Sprint {NUMBER_PLACEHOLDER}"
    pattern = pattern or usual
    like = re.compile(re.escape(pattern).replace(re.escape(NUMBER_PLACEHOLDER), r"(\d{1,5})"))
    numbers = [int(same[1]) for each in sprints if (same := like.fullmatch(each.name))]
    return [
        (f"Name\n{NUMBER_PLACEHOLDER} becomes the number", pattern),
        ("First number", str(max(numbers, default=0) + 1)),
        ("Sprints to add", "6"),
        ("Weeks in each", str(_weeks(last))),
        ("First day", begins.isoformat()),
    ]


def _weeks(like: IterationEntry | None) -> int:
    days = (like.end - like.start).days + 1 if like and like.start and like.end else 0
    return days // 7 if days > 0 and days % 7 == 0 else USUAL_WEEKS


def series_of(typed: Sequence[str], today: date) -> list[NewNode]:
    """Return the iterations of a series by name pattern, first number, count, weeks each and first day."""
    pattern, first, count, weeks, start = typed
    if NUMBER_PLACEHOLDER not in pattern:
        raise BadRequest(
            f"The name needs {NUMBER_PLACEHOLDER} where the number goes, as in Sprint {NUMBER_PLACEHOLDER}."
        )
    many = _whole(count, "Sprints to add", MAX_NEW_ITERATIONS)
    days = 7 * _whole(weeks, "Weeks", 52)
    number = _whole(first, "The first number", 100_000)
    begins = typed_day(start, today, "First day")
    fault = fault_of_name(pattern.replace(NUMBER_PLACEHOLDER, str(number + many)))
    if fault:
        raise BadRequest(fault)
    return [
        NewNode(
            pattern.replace(NUMBER_PLACEHOLDER, str(number + at)),
            begins + timedelta(days=days * at),
            begins + timedelta(days=days * (at + 1) - 1),
        )
        for at in range(many)
    ]


def _whole(text: str, what: str, most: int) -> int:
    wanted = text.strip()
    if not (wanted.isascii() and wanted.isdigit() and 1 <= int(wanted[:9]) <= most):
        raise BadRequest(f"{what} must be a number from 1 to {most:,}.")
    return int(wanted)
