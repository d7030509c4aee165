"""The work fields of a task, after hours that were logged."""

from collections.abc import Mapping

COMPLETED, REMAINING = "WorkCompleted", "WorkRemaining"
LEFT_KEY = "workRemaining"
"""The key of the work that is left, which a new time entry may tell."""
DIGITS = 6
"""Decimal digits of sums, so that tenths add up exactly."""


def work_after(fields: Mapping[str, object], hours: float, remaining: float | None = None) -> dict[str, object]:
    """Return both work fields after some hours, fewer than before where they are negative.

    `remaining` is the work that is left, None to subtract the hours from the work that was.
    """
    completed = round(max(0.0, number_in(fields, COMPLETED) + hours), DIGITS)
    return {COMPLETED: completed, REMAINING: remaining_after(fields, hours) if remaining is None else remaining}


def remaining_after(fields: Mapping[str, object], hours: float) -> float | None:
    """Return the remaining work after some hours, at least 0; None for a task whose remaining work is not set."""
    return None if fields.get(REMAINING) is None else max(0.0, round(number_in(fields, REMAINING) - hours, DIGITS))


def left_in(payload: Mapping[str, object]) -> float | None:
    """Return the work that is left as a new time entry tells it."""
    return None if payload.get(LEFT_KEY) is None else number_in(payload, LEFT_KEY)


def number_in(fields: Mapping[str, object], key: str) -> float:
    value = fields.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
