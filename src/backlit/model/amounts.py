"""Amounts of work, and how people type and read them: points of an Estimate, and hours."""

import math
import re
from collections.abc import Iterable, Sequence

from backlit.model.errors import BadRequest

MOST_HOURS = 10_000.0
# Compiled when hours are read: 3 ms that no listing needs.
_NUMBER = r"(?ai)(\d{1,5}(?:[.,]\d*)?|[.,]\d+)\s*(?:h|hours?)?"
_CLOCK = r"(?ai)(\d{1,4})(?::(?=\d\d$)|\s*h(?:ours?)?\s*(?=\d\d|\d\s*m))([0-5]?\d)(?:\s*m(?:in(?:utes?)?)?)?"
_MINUTES = r"(?ai)(\d{1,6})\s*(?:m|min|minutes?)"


def hours_of(text: str, label: str = "Hours", *, least: float = 0.01) -> float:
    """Read `2`, `2.5`, `2,5 h`, `1:30`, `1h 30m` or `90m`, to a hundredth; raises BadRequest with a sentence."""
    hours = _read(text.strip())
    if hours is None:
        raise BadRequest(f"{label}: enter hours such as 2, 1.5 or 1,5, or a time such as 1:30, 1h 30m or 90m.")
    if not least <= hours < MOST_HOURS:
        raise BadRequest(f"{label}: enter {'more than 0' if least else '0 or more'} and less than {MOST_HOURS:,.0f}.")
    return hours


def _read(text: str) -> float | None:
    if found := re.fullmatch(_NUMBER, text):
        return round(float(found[1].replace(",", ".")), 2)
    if found := re.fullmatch(_CLOCK, text):
        return round(int(found[1]) + int(found[2]) / 60, 2)
    if found := re.fullmatch(_MINUTES, text):
        return round(int(found[1]) / 60, 2)
    return None


def hours_text(hours: float) -> str:
    """Write hours to a hundredth, without trailing zeros."""
    return f"{round(hours, 2):.10g}"


def clock_text(seconds: float) -> str:
    """Write seconds as hours and minutes, `0:42`."""
    minutes = max(0, int(seconds // 60))
    return f"{minutes // 60}:{minutes % 60:02}"


def size_text(size: int) -> str:
    """Write a size in bytes in three digits or fewer: `640 B`, `1.8 MB`, `47 KB`."""
    amount, unit = float(size), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if round(amount) < 1_000:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f} {unit}" if unit != "B" and round(amount, 1) < 10 else f"{amount:.0f} {unit}"


def counted(count: float, noun: str, nouns: str = "") -> str:
    """Write a count with its noun: 1 day, 3 days, 1 item was, 2 items were."""
    number = round(count, 2)
    return f"{number:,.10g} {noun if number == 1 else nouns or f'{noun}s'}"


def item_counts(items: int, tasks: int) -> str:
    """Write the counts: "12 items", "3 tasks", or "12 items, 3 tasks"."""
    parts = [counted(items, "item")] if items or not tasks else []
    return ", ".join([*parts, counted(tasks, "task")] if tasks else parts)


def listed(words: Sequence[str]) -> str:
    """Write words as one part of a sentence: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


_POINTS = re.compile(
    r"\s*(\d+(?:[.,]\d+)?|[.,]\d+)\s*(?:p|sp|pts?|points?|story points?)?\.?\s*", re.ASCII | re.IGNORECASE
)


def points_of(estimate: str | None) -> float | None:
    """Read `3`, `3.5`, `3,5` or `5 pts`; None for anything else, which counts as unestimated."""
    found = _POINTS.fullmatch(estimate or "")
    if found is None:
        return None
    points = float(found[1].replace(",", "."))
    return points if math.isfinite(points) else None


def plain_estimate(text: str) -> str:
    """Return an Estimate as it is saved: `8` for `8 pts`, `3.5` for `3,5`; a text that is no number as it is."""
    found = _POINTS.fullmatch(text)
    return text if found is None else found[1].replace(",", ".")


def estimate_text(estimate: str) -> str:
    """Write an Estimate with its unit: 1 pt, 2.5 pts; a text that is no number stays as it is."""
    points = points_of(estimate)
    return estimate if points is None else counted(points, "pt")


_MAX_SHOWN_ESTIMATE, _MAX_NAMED_ESTIMATES = 24, 3


def estimates_without_points(estimates: Iterable[object]) -> list[str]:
    """Return the estimates that are set and are no number, each once."""
    texts = dict.fromkeys(str(each) for each in estimates if each not in (None, ""))
    return [text for text in texts if points_of(text) is None]


def without_points_sentence(odd: Sequence[str]) -> str:
    """Say what becomes of estimates that are no number; the first of them are named, in so many characters."""
    named = [
        f"“{text[:_MAX_SHOWN_ESTIMATE]}{'…' if len(text) > _MAX_SHOWN_ESTIMATE else ''}”"
        for text in odd[:_MAX_NAMED_ESTIMATES]
    ]
    more = [f"{len(odd) - _MAX_NAMED_ESTIMATES:,} more"] if len(odd) > _MAX_NAMED_ESTIMATES else []
    are = "is no number and counts" if len(odd) == 1 else "are no numbers and count"
    return f"{listed([*named, *more])} {are} as no points in totals, plans and reports."
