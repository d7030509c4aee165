"""Checks of what the user gives an area or iteration, before it is journalled (SPEC 2.3 and 2.4)."""

from collections.abc import Mapping
from datetime import date, timedelta
from math import isfinite

from backlit.model.dates import parse_date
from backlit.model.errors import BadRequest
from backlit.model.fields import NAME_LIMIT
from backlit.store.checks import can_travel
from backlit.store.people import TreeKind
from backlit.store.rows import Document

STARTS_IN, ENDS_IN = timedelta(days=7), timedelta(days=21)
"""When an iteration begins and ends that is made without dates; they are always sent (FEATURES rule 53)."""
_CAPACITIES = {"minCapacity": "Least capacity", "maxCapacity": "Most capacity"}
_DATES = {"startDate": "Start", "endDate": "End"}
VALUE_KEYS = {
    TreeKind.AREAS: frozenset({"name"}),
    TreeKind.ITERATIONS: frozenset({"name", "isRelease", *_CAPACITIES, *_DATES}),
}
"""What may be set of a node, by the service's keys."""


def check_values(kind: TreeKind, changes: Mapping[str, object]) -> dict[str, object]:
    """Return the values as the wire has them; raises BadRequest with a sentence for every bad key."""
    errors: dict[str, str] = {}
    values: dict[str, object] = {}
    for key, value in changes.items():
        fault = _fault(key, value) if key in VALUE_KEYS[kind] else f"There is no {key} to change here."
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
        return "" if isinstance(value, bool) else "A release is one or is not."
    if value is None:
        return ""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
    return "" if is_number else f"{_CAPACITIES[key]} must be a number of points, not less than 0."


def fault_of_name(value: object) -> str:
    """Why something is no name of a node; empty where it is one."""
    if not isinstance(value, str) or not value.strip():
        return "The name cannot be empty."
    if len(value) > NAME_LIMIT:
        return f"The name is longer than {NAME_LIMIT} characters."
    return "" if can_travel(value) and "\0" not in value else "The name holds characters that cannot be sent."


def _is_date(value: object) -> bool:
    if isinstance(value, date):
        return True
    try:
        return isinstance(value, str) and bool(parse_date(value))
    except BadRequest:
        return False


def fault_of_range(values: Mapping[str, object]) -> str:
    """Why the dates or the capacities of an iteration do not fit each other; empty where they do."""
    start, end = values.get("startDate"), values.get("endDate")
    if isinstance(start, str) and isinstance(end, str) and end < start:
        return f"It cannot end ({end}) before it starts ({start})."
    least, most = values.get("minCapacity"), values.get("maxCapacity")
    if isinstance(least, int | float) and isinstance(most, int | float) and most and least > most:
        return f"The least capacity ({least:g}) is more than the most ({most:g})."
    return ""


def usual_dates(start: date | None, end: date | None, today: date) -> tuple[date, date]:
    """Both dates of a new iteration; one that is given moves the other along where that is missing."""
    begins = start or (end - (ENDS_IN - STARTS_IN) if end else today + STARTS_IN)
    return begins, end or begins + (ENDS_IN - STARTS_IN)


def on_wire(document: Document) -> dict[str, object]:
    """A node's values in one spelling: dates without a time, no capacity for 0 (FEATURES rules 41, 54 and 56)."""
    node = dict(document)
    for key in _DATES:
        if isinstance(value := node.get(key), str):
            node[key] = value[:10]
    for key in _CAPACITIES:
        node[key] = node.get(key) or None
    if "startDate" in node:
        node["isRelease"] = node.get("isRelease") is True
    return node
