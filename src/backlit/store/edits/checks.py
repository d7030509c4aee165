"""Checks of user input for items, areas and iterations, before an entry is journalled."""

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from backlit.model.amounts import plain_estimate
from backlit.model.dates import parse_date
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, LARGEST_NUMBER, NAME_LIMIT, Field, Kind, Settable
from backlit.model.planning import Capacity
from backlit.model.trees import fault_in_path
from backlit.store.records.item import Document, whole
from backlit.store.records.people import TreeKind
from backlit.store.views.lookups import Lookups

ON_EDIT = frozenset({Settable.ALWAYS})
ON_ADD = ON_EDIT | {Settable.ON_CREATE}
"""The `settable` of `check` for existing and for new items."""

FIRST_UNSAFE_INTEGER = 2**53
"""The first whole number that JSON readers disagree about."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def check(
    item_type: str,
    changes: Mapping[str, object],
    lookups: Lookups,
    settable: frozenset[Settable],
    left_out: set[str] | None = None,
) -> dict[str, object]:
    """Return the values to journal, in wire form.

    An Estimate in points becomes the text of its number, as the interface has it. None clears a field. Raises
    BadRequest with one sentence for each invalid key. The values of another item may be invalid by now, as a former
    user still owns items but gets no new ones: with `left_out`, they are left out and the sentences added to it.
    """
    custom = {field.key: field for field in lookups.custom_fields()}
    errors: dict[str, str] = {}
    values: dict[str, object] = {}
    for key, value in changes.items():
        field = FIELD_BY_KEY.get(key) or custom.get(key)
        fault = _fault_of_key(field, item_type, settable)
        if field is not None and fault is None:
            is_estimate = key == "Estimate" and (isinstance(value, str) or _is_number(value))
            values[key] = plain_estimate(str(value)) if is_estimate else value
            fault = _fault(field, item_type, values[key], lookups)
        if fault is not None:
            errors[key] = fault
    if left_out is not None:
        left_out.update(errors.values())
    elif errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return {key: value for key, value in values.items() if key not in errors}


def not_copied(left_out: set[str]) -> str:
    """Return the sentence about the values that `check` left out, or an empty text."""
    return f" Not copied: {' '.join(sorted(left_out))}" if left_out else ""


def check_text(text: str) -> None:
    """Check a comment. Raises BadRequest for an empty or unsendable text."""
    fault = "" if text.strip() else "A comment cannot be empty."
    fault = fault or ("" if can_travel(text) else "The comment contains invalid characters. Remove them.")
    if fault:
        raise BadRequest(fault, {"description": fault})


def _fault_of_key(field: Field | None, item_type: str, settable: frozenset[Settable]) -> str | None:
    if field is None:
        return "Unknown field."
    if not field.applies_to(item_type):
        return f"{field.label} does not apply to {item_type}."
    if field.settable not in settable:
        return f"{field.label} cannot be changed."
    return None


def _fault(field: Field, item_type: str, value: object, lookups: Lookups) -> str | None:
    if value is None or (value == "" and field.kind in {Kind.CHOICE, Kind.STATUS}):
        return f"{field.label} cannot be empty." if field.required or field.kind is Kind.STATUS else None
    if not can_travel(value):
        return f"{field.label} contains invalid characters."
    if field.key == "Name":
        return fault_of_name(value) or None
    has_shape, shape = _SHAPES[field.kind]
    if not has_shape(value):
        return f"{field.label} must be {shape}."
    if field.kind in _PLACES:
        return _fault_of_place(field, value, lookups)
    choices = lookups.choices(field, item_type) if field.kind in {Kind.CHOICE, Kind.STATUS} else ()
    if choices and value not in choices and not lookups.is_free(field, item_type):
        return f"{field.label} must be one of: {', '.join(choices)}."
    return None


def fault_of_name(value: object) -> str:
    """Return the reason why a value is no valid name of an item or a node, or an empty text."""
    if not isinstance(value, str) or not value.strip():
        return "Name cannot be empty."
    if len(value) > NAME_LIMIT:
        return f"Name is longer than {NAME_LIMIT} characters."
    return "" if can_travel(value) and "\0" not in value else "Name contains invalid characters."


def _fault_of_place(field: Field, value: object, lookups: Lookups) -> str | None:
    """Check an id against the loaded list. Without a loaded list, or for a team, any id passes."""
    known = _PLACES[field.kind](lookups)
    if not known or value in known:
        return None
    if field.kind is Kind.USER and isinstance(value, int):
        person = lookups.known_people().get(value)
        return f"{field.label} {person.username if person else value} is not a licensed user."
    return f"{field.label} {value} does not exist in this project."


_PLACES: Mapping[Kind, Callable[[Lookups], set[int]]] = {
    Kind.AREA: lambda lookups: {node.id for node in lookups.tree(TreeKind.AREAS).walk()},
    Kind.ITERATION: lambda lookups: {node.id for node in lookups.tree(TreeKind.ITERATIONS).walk()},
    Kind.USER: lambda lookups: set(lookups.people()),
}


def can_travel(value: object) -> bool:
    """Report whether all text is valid Unicode. Terminals can send lone surrogates."""
    texts = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    return not any(isinstance(text, str) and _LONE_SURROGATE.search(text) for text in texts)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    number = whole(value)
    return number is not None and abs(number) < FIRST_UNSAFE_INTEGER


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) and each.strip() for each in value)


_SHAPES: Mapping[Kind, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys((Kind.TEXT, Kind.LONG_TEXT, Kind.CHOICE, Kind.STATUS), (_is_text, "text")),
    Kind.INTEGER: (_is_whole, "a whole number"),
    Kind.NUMBER: (_is_number, "a finite number"),
    Kind.BOOLEAN: (lambda value: isinstance(value, bool), "yes or no"),
    Kind.TAGS: (_is_list_of_text, "a list of words"),
    Kind.AREA: (_is_whole, "the id of an area"),
    Kind.ITERATION: (_is_whole, "the id of an iteration"),
    Kind.TEAM: (_is_whole, "the id of a team"),
    Kind.USER: (_is_whole, "the id of a user"),
    Kind.ITEM: (_is_whole, "the id of an item"),
    Kind.COMPUTED: (lambda _: False, "set by the server"),
}


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
        fault = _fault_of_node_value(key, value) if key in VALUE_KEYS[kind] else f"{key} cannot be changed here."
        if fault:
            errors[key] = fault
        values[key] = value.isoformat() if isinstance(value, date) else value
        if key in _CAPACITIES:
            values[key] = value or None
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return values


def _fault_of_node_value(key: str, value: object) -> str:
    if key == "name":
        return fault_of_name(value) or fault_in_path(str(value), "Name")
    if key in _DATES:
        return "" if _is_date(value) else f"{_DATES[key]} must be a date."
    if key == "isRelease":
        return "" if isinstance(value, bool) else "Release: yes or no."
    if value is None:
        return ""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST_NUMBER
    return "" if is_number else f"{_CAPACITIES[key]} must be a number of points, not less than 0."


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
    if isinstance(least, int | float) and isinstance(most, int | float) and Capacity(least, most).is_crossed:
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
