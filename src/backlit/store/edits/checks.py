"""Checks of user input against the field table and the project, before an entry is journalled."""

import re
from collections.abc import Callable, Mapping
from math import isfinite

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, NAME_LIMIT, Field, Kind, Settable
from backlit.store.records.item import whole
from backlit.store.records.people import TreeKind
from backlit.store.views.lookups import Lookups

LARGEST = 2**53
"""The first whole number that JSON readers disagree about."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def check(
    item_type: str, changes: Mapping[str, object], lookups: Lookups, settable: frozenset[Settable]
) -> dict[str, object]:
    """Return the values to journal, in wire form.

    A numeric Estimate becomes text, as the interface has it. None clears a field. Raises BadRequest with one
    sentence for each invalid key.
    """
    custom = {field.key: field for field in lookups.custom_fields()}
    errors: dict[str, str] = {}
    values: dict[str, object] = {}
    for key, value in changes.items():
        field = FIELD_BY_KEY.get(key) or custom.get(key)
        fault = _fault_of_key(field, item_type, settable)
        if field is not None and fault is None:
            values[key] = str(value) if key == "Estimate" and _is_number(value) else value
            fault = _fault(field, item_type, values[key], lookups)
        if fault is not None:
            errors[key] = fault
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return values


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
        return _fault_of_name(value)
    if not _SHAPE_BY_KIND[field.kind](value):
        return f"{field.label} must be {_SHAPE_NAMES[field.kind]}."
    if field.kind in _PLACES:
        return _fault_of_place(field, value, lookups)
    choices = lookups.choices(field, item_type) if field.kind in {Kind.CHOICE, Kind.STATUS} else ()
    if choices and value not in choices and not lookups.is_free(field, item_type):
        return f"{field.label} must be one of: {', '.join(choices)}."
    return None


def _fault_of_name(value: object) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return "Name cannot be empty."
    return f"Name is longer than {NAME_LIMIT} characters." if len(value) > NAME_LIMIT else None


def _fault_of_place(field: Field, value: object, lookups: Lookups) -> str | None:
    """Check an id against the loaded list. Without a loaded list, or for a team, any id passes."""
    known = _PLACES[field.kind](lookups)
    return f"{field.label} {value} does not exist in this project." if known and value not in known else None


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
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    number = whole(value)
    return number is not None and abs(number) < LARGEST


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) and each.strip() for each in value)


_SHAPE_BY_KIND: Mapping[Kind, Callable[[object], bool]] = {
    Kind.TEXT: _is_text,
    Kind.LONG_TEXT: _is_text,
    Kind.CHOICE: _is_text,
    Kind.STATUS: _is_text,
    Kind.INTEGER: _is_whole,
    Kind.NUMBER: _is_number,
    Kind.BOOLEAN: lambda value: isinstance(value, bool),
    Kind.TAGS: _is_list_of_text,
    Kind.AREA: _is_whole,
    Kind.ITERATION: _is_whole,
    Kind.TEAM: _is_whole,
    Kind.USER: _is_whole,
    Kind.ITEM: _is_whole,
    Kind.COMPUTED: lambda _: False,
}

_SHAPE_NAMES: Mapping[Kind, str] = {
    Kind.INTEGER: "a whole number",
    Kind.NUMBER: "a finite number",
    Kind.BOOLEAN: "yes or no",
    Kind.TAGS: "a list of words",
    Kind.AREA: "the id of an area",
    Kind.ITERATION: "the id of an iteration",
    Kind.TEAM: "the id of a team",
    Kind.USER: "the id of a user",
    Kind.ITEM: "the id of an item",
    Kind.COMPUTED: "set by the server",
} | dict.fromkeys((Kind.TEXT, Kind.LONG_TEXT, Kind.CHOICE, Kind.STATUS), "text")
