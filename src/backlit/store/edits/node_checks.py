"""Checks of user input for areas and iterations, before an entry is journalled."""

from collections.abc import Mapping
from datetime import date, timedelta
from math import isfinite

from backlit.model.dates import parse_date
from backlit.model.errors import BadRequest
from backlit.model.fields import NAME_LIMIT
from backlit.store.edits.checks import can_travel
from backlit.store.records.item import Document
from backlit.store.records.people import TreeKind

STARTS_IN, ENDS_IN = timedelta(days=7), timedelta(days=21)
"""The default offsets from today of a new iteration's dates. The client always sends both dates."""
_CAPACITIES = {"minCapacity": "Min capacity", "maxCapacity": "Max capacity"}
_DATES = {"startDate": "Start", "endDate": "End"}
VALUE_KEYS = {
    TreeKind.AREAS: frozenset({"name"}),
    TreeKind.ITERATIONS: frozenset({"name", "isRelease", *_CAPACITIES, *_DATES}),
}
"""The settable node keys, by the service's names."""


def check_values(kind: TreeKind, changes: Mapping[str, object]) -> dict[str, object]:
    """Return the values in wire form. Raises BadRequest with one sentence for each invalid key."""
    errors: dict[str, str] = {}
    values: dict[str, object] = {}
    for key, value in changes.items():
        fault = _fault(key, value) if key in VALUE_KEYS[kind] else f"{key} cannot be changed here."
        if fault:
            errors[key] = fault
        values[key] = value.isoformat() if isinstance(value, date) else value
        if key in _CAPACITIES:
            values[key] = value or None
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return values


def _fault(key: str, value: object) -> str:
    if key == "name":
        return fault_of_name(value)
    if key in _DATES:
        return "" if _is_date(value) else f"{_DATES[key]} must be a date."
    if key == "isRelease":
        return "" if isinstance(value, bool) else "Release: yes or no."
    if value is None:
        return ""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
    return "" if is_number else f"{_CAPACITIES[key]} must be a number of points, not less than 0."


def fault_of_name(value: object) -> str:
    """Return the reason why a value is no valid node name, or an empty text."""
    if not isinstance(value, str) or not value.strip():
        return "The name cannot be empty."
    if len(value) > NAME_LIMIT:
        return f"The name is longer than {NAME_LIMIT} characters."
    return "" if can_travel(value) and "\0" not in value else "The name contains invalid characters."


def _is_date(value: object) -> bool:
    if isinstance(value, date):
        return True
    try:
        return isinstance(value, str) and bool(parse_date(value))
    except BadRequest:
        return False


def fault_of_range(values: Mapping[str, object]) -> str:
    """Return the reason why an iteration's dates or capacities contradict each other, or an empty text."""
    start, end = values.get("startDate"), values.get("endDate")
    if isinstance(start, str) and isinstance(end, str) and end < start:
        return f"The end ({end}) is before the start ({start})."
    least, most = values.get("minCapacity"), values.get("maxCapacity")
    if isinstance(least, int | float) and isinstance(most, int | float) and most and least > most:
        return f"The min capacity ({least:g}) is more than the max capacity ({most:g})."
    return ""


def usual_dates(start: date | None, end: date | None, today: date) -> tuple[date, date]:
    """Return both dates of a new iteration. A single given date determines the missing one."""
    begins = start or (end - (ENDS_IN - STARTS_IN) if end else today + STARTS_IN)
    return begins, end or begins + (ENDS_IN - STARTS_IN)


def on_wire(document: Document) -> dict[str, object]:
    """Normalise a node's values: dates without a time, None instead of a capacity of 0."""
    node = dict(document)
    for key in _DATES:
        if isinstance(value := node.get(key), str):
            node[key] = value[:10]
    for key in _CAPACITIES:
        node[key] = node.get(key) or None
    if "startDate" in node:
        node["isRelease"] = node.get("isRelease") is True
    return node
