"""Checks of areas and iterations from callers."""

import math
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from backlit.model.dates import parse_date
from backlit.model.errors import BadRequest
from backlit.model.fields import NAME_LIMIT
from backlit.service.rules.work_item_checks import is_id
from backlit.service.tables.trees import LAST

STARTS_IN = timedelta(days=7)
"""When an iteration begins that is created without dates."""
ENDS_IN = timedelta(days=21)

_NUMBER_LIMIT = 1e300


class _Wrong(ValueError):
    """Why one value is refused."""


def area_values(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that are to be stored, of those given; raises BadRequest with every fault by key."""
    return _checked(body, _AREA)


def iteration_values(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that are to be stored, of those given; raises BadRequest with every fault by key."""
    return _checked(body, _ITERATION)


def new_dates(values: Mapping[str, Any], today: date) -> dict[str, date]:
    """Return the dates of a new iteration, preset where they are not given."""
    return {
        "start_date": values.get("start_date", today + STARTS_IN),
        "end_date": values.get("end_date", today + ENDS_IN),
    }


def must_not_end_early(start: date, end: date) -> None:
    """Raise BadRequest for an iteration that ends before it begins."""
    if end < start:
        sentence = f"endDate ({end}) is before startDate ({start})."
        raise BadRequest(sentence, {"endDate": sentence})


def _checked(body: Mapping[str, Any], checks: "Mapping[str, tuple[str, _Check]]") -> dict[str, Any]:
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for key, (column, check) in checks.items():
        # Null and the zero values of whole-object clients count as not given; a capacity can be unset.
        value = body.get(key)
        if key not in body or (value is None and key not in _UNSETTABLE) or value in _ZEROS.get(key, ()):
            continue
        try:
            values[column] = check(key, value)
        except _Wrong as error:
            errors[key] = str(error)
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return values


def _name(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value or len(value) > NAME_LIMIT:
        raise _Wrong(f"{key} must be text of 1 to {NAME_LIMIT} characters.")
    return value


def _parent(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not (value == -1 or is_id(value)):
        raise _Wrong(f"{key} must be the id of a node of the same project.")
    return value


def _sequence(key: str, value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Wrong(f"{key} must be a whole number.")
    return min(max(value, 0), LAST)


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(f"{key} must be true or false.")
    return value


def _date(key: str, value: object) -> date:
    if not isinstance(value, str):
        raise _Wrong(f"{key} must be a date such as 2026-03-01.")
    try:
        return parse_date(value)
    except BadRequest as error:
        raise _Wrong(f"{key}: {error.message}") from None


def _capacity(key: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Wrong(f"{key} must be a number.")
    if abs(value) > _NUMBER_LIMIT or not math.isfinite(value):
        raise _Wrong(f"{key} must be a finite number.")
    return float(value)


_Check = Callable[[str, object], Any]
_UNSETTABLE = frozenset({"minCapacity", "maxCapacity"})
_NO_DATES = ("0001-01-01", "0001-01-01T00:00:00", "0001-01-01T00:00:00Z")
_ZEROS: Mapping[str, tuple[object, ...]] = {"parentId": (0,), "startDate": _NO_DATES, "endDate": _NO_DATES}
_AREA: Mapping[str, tuple[str, _Check]] = {
    "name": ("name", _name),
    "parentId": ("parent_id", _parent),
    "sequence": ("sequence", _sequence),
}
_ITERATION: Mapping[str, tuple[str, _Check]] = {
    **_AREA,
    "isRelease": ("is_release", _flag),
    "startDate": ("start_date", _date),
    "endDate": ("end_date", _date),
    "minCapacity": ("min_capacity", _capacity),
    "maxCapacity": ("max_capacity", _capacity),
}
