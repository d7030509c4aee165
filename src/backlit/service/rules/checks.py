"""Rules of the interface for what callers send: values of work items, areas and iterations."""

from collections.abc import Callable, Collection, Mapping
from datetime import date, timedelta
from typing import Any, TypeGuard

from backlit.model.errors import BadRequest
from backlit.model.field_values import (
    Misfit,
    ValueLimits,
    parse_boolean,
    parse_day,
    parse_json,
    parse_name,
    parse_number,
    parse_text,
    parse_whole,
)
from backlit.model.fields import FIELD_BY_KEY, SYNC_KEYS, TOP_LEVEL, Field, Kind, Settable
from backlit.model.planning import Capacity
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.siblings import LAST_SEQUENCE
from backlit.service.tables.work_items import SPLIT_KEY

Exists = Callable[[Kind, int], bool]
"""Check for an area, iteration or team of the project, or for a user."""

REFERENCES = {Kind.AREA: "area", Kind.ITERATION: "iteration", Kind.TEAM: "team", Kind.USER: "user", Kind.ITEM: "item"}
TEXT_LIMIT = 1_000_000
TAG_LIMIT = 100
TAGS_LIMIT = 100
"""Tags of one item."""
LIMITS = ValueLimits(TEXT_LIMIT, TAG_LIMIT, TAGS_LIMIT)

_IGNORED = frozenset(f.key for f in TOP_LEVEL) | SYNC_KEYS
_IGNORED_ON_CHANGE = _IGNORED | {SPLIT_KEY}
_NEVER_EMPTY = frozenset({"Name", "Status", "AreaID", "IterationID", "ParentID"})

STARTS_IN = timedelta(days=7)
"""Time from today to the start of an iteration created without dates."""
ENDS_IN = timedelta(days=21)


def is_id(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63


def text_fault(key: str, value: object, limit: int = TEXT_LIMIT, *, may_be_empty: bool = True) -> str | None:
    """Return the reason why a value is no storable text, or None."""
    try:
        parse_text(value, limit, may_be_empty=may_be_empty)
    except Misfit as misfit:
        return misfit.sentence(key)
    return None


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
            if key not in (_IGNORED if creating else _IGNORED_ON_CHANGE):
                errors[key] = _unknown(key, item_type)
        elif _is_supplied(field, value, creating=creating):
            try:
                values[key] = _value(item_type, field, value, settings, exists)
            except Misfit as misfit:
                errors[key] = misfit.sentence(key)
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
    parsed = parse_json(field, value, LIMITS)
    choices = settings.choices(item_type, field)
    if choices and parsed not in choices:
        raise Misfit(f"must be one of: {', '.join(choices)}.")
    if field.kind in REFERENCES and not exists(field.kind, parsed):
        where = "service" if field.kind is Kind.USER else "project"
        raise Misfit(f"has no {REFERENCES[field.kind]} {parsed}.", part=f"The {where}")
    return parsed


def _nothing(field: Field) -> object:
    if field.key in _NEVER_EMPTY:
        raise Misfit("cannot be empty.")
    if field.kind is Kind.TAGS:
        return []
    return "" if field.key == "Description" else None


ColumnParser = Callable[[object], object]
"""Returns a JSON value as its column has it; raises Misfit."""


def area_values(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that are to be stored, of those given; raises BadRequest with every fault by key."""
    return parsed_columns(body, _AREA)


def iteration_values(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that are to be stored, of those given; raises BadRequest with every fault by key."""
    return parsed_columns(body, _ITERATION)


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


def parsed_columns(body: Mapping[str, Any], parsers: Mapping[str, tuple[str, ColumnParser]]) -> dict[str, Any]:
    """Return the columns of a body. Raises BadRequest with every fault by key."""
    values, errors = columns_and_faults(body, parsers)
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return values


def columns_and_faults(
    body: Mapping[str, Any], parsers: Mapping[str, tuple[str, ColumnParser]]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the columns of a body, and the faults of the others by key."""
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for key, (column, parse) in parsers.items():
        # Null, and the zero values that whole-object clients send, count as absent; a capacity or a note can be unset.
        value = body.get(key)
        if key not in body or (value is None and key not in _UNSETTABLE) or value in _ZEROS.get(key, ()):
            continue
        try:
            values[column] = parse(value)
        except Misfit as misfit:
            errors[key] = misfit.sentence(key)
    return values, errors


def _parent(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not (value == -1 or is_id(value)):
        raise Misfit("must be the id of a node of the same project.")
    return value


def parse_sequence(value: object) -> int:
    return min(max(parse_whole(value), 0), LAST_SEQUENCE)


def parse_capacity(value: object) -> float | None:
    if value is None:
        return None
    capacity = parse_number(value)
    if capacity < 0:
        raise Misfit("may not be negative.")
    return capacity


_UNSETTABLE = frozenset({"minCapacity", "maxCapacity", "description", "note", "type", "workRemaining"})
_NO_DATES = ("0001-01-01", "0001-01-01T00:00:00", "0001-01-01T00:00:00Z")
_ZEROS: Mapping[str, tuple[object, ...]] = {
    "parentId": (0,),
    "userId": (0,),
    **dict.fromkeys(("startDate", "endDate", "date"), _NO_DATES),
}
_AREA: Mapping[str, tuple[str, ColumnParser]] = {
    "name": ("name", parse_name),
    "parentId": ("parent_id", _parent),
    "sequence": ("sequence", parse_sequence),
}
_ITERATION: Mapping[str, tuple[str, ColumnParser]] = {
    **_AREA,
    "isRelease": ("is_release", parse_boolean),
    "startDate": ("start_date", parse_day),
    "endDate": ("end_date", parse_day),
    "minCapacity": ("min_capacity", parse_capacity),
    "maxCapacity": ("max_capacity", parse_capacity),
}
