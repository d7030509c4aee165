"""Rules of the interface for what callers send: values of work items, areas and iterations."""

from collections.abc import Callable, Collection, Mapping
from datetime import date, timedelta
from typing import Any, TypeGuard

from backlit.model.amounts import counted
from backlit.model.dates import parse_date
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, LARGEST_NUMBER, NAME_LIMIT, SYNC_KEYS, TOP_LEVEL, Field, Kind, Settable
from backlit.model.planning import Capacity
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.trees import LAST_SEQUENCE

Exists = Callable[[Kind, int], bool]
"""Check for an area, iteration or team of the project, or for a user."""

REFERENCES = {Kind.AREA: "area", Kind.ITERATION: "iteration", Kind.TEAM: "team", Kind.USER: "user", Kind.ITEM: "item"}
INTEGER_LIMIT = 2**53 - 1
"""The largest integer on which all JSON readers agree."""
TEXT_LIMIT = 1_000_000
TAG_LIMIT = 100
TAGS_LIMIT = 100
"""Tags of one item."""

_IGNORED = frozenset(f.key for f in TOP_LEVEL) | SYNC_KEYS
_NEVER_EMPTY = frozenset({"Name", "Status", "AreaID", "IterationID", "ParentID"})

STARTS_IN = timedelta(days=7)
"""Time from today to the start of an iteration created without dates."""
ENDS_IN = timedelta(days=21)


def is_id(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63


def text_fault(key: str, value: object, limit: int = TEXT_LIMIT, *, may_be_empty: bool = True) -> str | None:
    """Return the reason why a value is no storable text, or None."""
    if not isinstance(value, str):
        return f"{key} must be text."
    if len(value) > limit:
        return f"{key} may have {counted(limit, 'character')}; this has {len(value)}."
    if "\0" in value:
        return f"{key} may not contain NUL characters."
    return None if may_be_empty or value.strip() else f"{key} cannot be empty."


class _Wrong(ValueError):
    """The fault of one value."""


_Check = Callable[[str, object], Any]
"""A check of a value by its key: returns the value as it is stored, or raises `_Wrong`."""


def checked(
    item_type: str, given: Mapping[str, Any], settings: ProjectSettings, exists: Exists, *, creating: bool
) -> dict[str, Any]:
    """Return the values that are to be stored, of those given; raises BadRequest with every fault by key.

    Read-only keys are left out. On create, null and the zero values that whole-object clients send
    count as not given.
    """
    by_key = {f.key: f for f in settings.fields_by_type[item_type]}
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for key, value in given.items():
        field = by_key.get(key)
        if field is None:
            if key not in _IGNORED:
                errors[key] = _unknown(key, item_type)
        elif _is_supplied(field, value, creating=creating):
            try:
                values[key] = _value(item_type, field, value, settings, exists)
            except _Wrong as error:
                errors[key] = str(error)
    if creating:
        errors |= {
            f.key: f"{f.key} is required." for f in by_key.values() if f.required and f.key not in values | errors
        }
    if errors:
        raise BadRequest(f"Invalid fields: {', '.join(errors)}.", errors)
    return values


def _unknown(key: str, item_type: str) -> str:
    return f"A {item_type} has no {key}." if key in FIELD_BY_KEY else "There is no such field."


def _is_supplied(field: Field, value: object, *, creating: bool) -> bool:
    if field.settable is Settable.NEVER or (field.settable is Settable.ON_CREATE and not creating):
        return False
    if field.kind in REFERENCES and value == 0 and not isinstance(value, bool):
        return False
    return not (creating and value is None)


def _value(item_type: str, field: Field, value: object, settings: ProjectSettings, exists: Exists) -> object:
    if value is None:
        return _nothing(field)
    checked_value = _CHECKS[field.kind](field.key, value)
    choices = settings.choices(item_type, field)
    if choices and checked_value not in choices:
        raise _Wrong(f"{field.key} must be one of: {', '.join(choices)}.")
    if field.kind in REFERENCES and isinstance(checked_value, int) and not exists(field.kind, checked_value):
        where = "service" if field.kind is Kind.USER else "project"
        raise _Wrong(f"The {where} has no {REFERENCES[field.kind]} {checked_value}.")
    return checked_value


def _nothing(field: Field) -> object:
    if field.key in _NEVER_EMPTY:
        raise _Wrong(f"{field.key} cannot be empty.")
    if field.kind is Kind.TAGS:
        return []
    return "" if field.key == "Description" else None


def _text(key: str, value: object) -> str:
    if key == "Estimate" and isinstance(value, int | float):
        return f"{_number(key, value):.15g}"
    return _name(key, value) if key == "Name" else str(_sound(value, text_fault(key, value)))


def _sound(value: Any, fault: str | None) -> Any:
    """Return a value without a fault; raise the fault."""
    if fault is not None:
        raise _Wrong(fault)
    return value


def _integer(key: str, value: object) -> int:
    found = _whole(key, value)
    if abs(found) > INTEGER_LIMIT:
        raise _Wrong(f"{key} is too large.")
    return found


def _whole(key: str, value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _Wrong(f"{key} must be a whole number.")
    return value


def _number(key: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _Wrong(f"{key} must be a number.")
    if not abs(value) <= LARGEST_NUMBER:
        raise _Wrong(f"{key} must be a finite number.")
    return float(value)


def _boolean(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(f"{key} must be true or false.")
    return value


def _tags(key: str, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        raise _Wrong(f"{key} must be a list of texts.")
    tags = list(dict.fromkeys(tag.strip() for tag in value))
    if len(tags) > TAGS_LIMIT:
        raise _Wrong(f"{key} may have {counted(TAGS_LIMIT, 'tag')}; this has {len(tags)}.")
    faults = (text_fault("A tag", tag, TAG_LIMIT, may_be_empty=False) for tag in tags)
    return list(_sound(tags, next(filter(None, faults), None)))


def _computed(key: str, _value: object) -> object:
    raise _Wrong(f"{key} is read-only.")


_CHECKS: Mapping[Kind, _Check] = {
    **dict.fromkeys((Kind.TEXT, Kind.LONG_TEXT, Kind.CHOICE, Kind.STATUS), _text),
    **dict.fromkeys((Kind.INTEGER, Kind.AREA, Kind.ITERATION, Kind.TEAM, Kind.USER, Kind.ITEM), _integer),
    Kind.NUMBER: _number,
    Kind.BOOLEAN: _boolean,
    Kind.TAGS: _tags,
    Kind.COMPUTED: _computed,
}


def area_values(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that are to be stored, of those given; raises BadRequest with every fault by key."""
    return _node_values(body, _AREA)


def iteration_values(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that are to be stored, of those given; raises BadRequest with every fault by key."""
    return _node_values(body, _ITERATION)


def new_dates(values: Mapping[str, Any], today: date) -> dict[str, date]:
    """Return the dates of a new iteration, preset where they are not given."""
    return {
        "start_date": values.get("start_date", today + STARTS_IN),
        "end_date": values.get("end_date", today + ENDS_IN),
    }


def must_not_end_early(start: date, end: date, sent: Collection[str], *, is_new: bool) -> None:
    """Raise BadRequest for an iteration that ends before it begins.

    It blames the date that was sent, of two `sent` columns the end, and for a new iteration the one that was not, whose
    default does not fit.
    """
    if start <= end:
        return
    lacks_start, lacks_end = "start_date" not in sent, "end_date" not in sent
    key, sentence = "endDate", f"endDate ({end}) is before startDate ({start})."
    if is_new and lacks_start != lacks_end:
        key, given = ("startDate", f"endDate ({end})") if lacks_start else ("endDate", f"startDate ({start})")
        default = f"after endDate: {start}" if lacks_start else f"before startDate: {end}"
        sentence = f"{key} is needed for {given}, because its default is {default}."
    elif lacks_end and not lacks_start:
        key, sentence = "startDate", f"startDate ({start}) is after endDate ({end})."
    raise BadRequest(sentence, {key: sentence})


def must_not_cross(least: float | None, most: float | None, sent: Collection[str]) -> None:
    """Raise BadRequest for a minimum above the maximum; it blames a capacity that was sent."""
    if Capacity(least, most).is_crossed:
        sentence = f"minCapacity ({least:g}) is more than maxCapacity ({most:g})."
        raise BadRequest(sentence, {"minCapacity" if "min_capacity" in sent else "maxCapacity": sentence})


def _node_values(body: Mapping[str, Any], checks: Mapping[str, tuple[str, _Check]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for key, (column, check) in checks.items():
        # Null, and the zero values that whole-object clients send, count as absent; a capacity can be unset.
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
    return str(_sound(value, text_fault(key, value, NAME_LIMIT, may_be_empty=False)))


def _parent(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not (value == -1 or is_id(value)):
        raise _Wrong(f"{key} must be the id of a node of the same project.")
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
    capacity = _number(key, value)
    if capacity < 0:
        raise _Wrong(f"{key} may not be negative.")
    return capacity


_UNSETTABLE = frozenset({"minCapacity", "maxCapacity"})
_NO_DATES = ("0001-01-01", "0001-01-01T00:00:00", "0001-01-01T00:00:00Z")
_ZEROS: Mapping[str, tuple[object, ...]] = {"parentId": (0,), "startDate": _NO_DATES, "endDate": _NO_DATES}
_AREA: Mapping[str, tuple[str, _Check]] = {
    "name": ("name", _name),
    "parentId": ("parent_id", _parent),
    "sequence": ("sequence", lambda key, value: min(max(_whole(key, value), 0), LAST_SEQUENCE)),
}
_ITERATION: Mapping[str, tuple[str, _Check]] = {
    **_AREA,
    "isRelease": ("is_release", _boolean),
    "startDate": ("start_date", _date),
    "endDate": ("end_date", _date),
    "minCapacity": ("min_capacity", _capacity),
    "maxCapacity": ("max_capacity", _capacity),
}
