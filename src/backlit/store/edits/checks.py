"""Checks of user input for items, areas and iterations, before an entry is journalled."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from backlit.model.amounts import plain_estimate
from backlit.model.dates import parse_date
from backlit.model.errors import BadRequest
from backlit.model.field_values import Misfit, ValueLimits, can_travel, parse_json
from backlit.model.fields import FIELD_BY_KEY, LARGEST_NUMBER, NAME_LIMIT, Field, Kind, Settable
from backlit.model.planning import Capacity
from backlit.model.trees import fault_in_path
from backlit.store.records.item import Document
from backlit.store.records.people import TreeKind
from backlit.store.views.lookups import Lookups

ON_EDIT = frozenset({Settable.ALWAYS})
ON_ADD = ON_EDIT | {Settable.ON_CREATE}
"""The `settable` of `check` for existing and for new items."""


def check(
    item_type: str,
    changes: Mapping[str, object],
    lookups: Lookups,
    settable: frozenset[Settable],
    left_out: set[str] | None = None,
) -> dict[str, object]:
    """Return the values to journal, in wire form.

    An Estimate in points becomes the text of its number, as lists show it. None clears a field. Raises
    BadRequest with one sentence for each invalid key. The values of another item may be invalid by now, as a former
    user still owns items but gets no new ones: with `left_out`, they are left out and the sentences added to it.
    """
    custom = {field.key: field for field in lookups.custom_fields()}
    errors: dict[str, str] = {}
    values: dict[str, object] = {}
    for key, value in changes.items():
        field = FIELD_BY_KEY.get(key) or custom.get(key)
        if field is None:
            errors[key] = "Unknown field."
            continue
        try:
            _check_use(field, item_type, settable)
            values[key] = _value(field, item_type, value, lookups)
        except Misfit as misfit:
            errors[key] = misfit.sentence_for_people(field.label)
    if left_out is not None:
        left_out.update(errors.values())
    elif errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return values


def not_copied(left_out: set[str]) -> str:
    """Return the sentence about the values that `check` left out, or an empty text."""
    return f" Not copied: {' '.join(sorted(left_out))}" if left_out else ""


def check_text(text: str, limits: ValueLimits) -> None:
    """Check a comment. Raises BadRequest for an empty, too long or unsendable text."""
    fault = "" if text.strip() else "A comment cannot be empty."
    if limits.text is not None and len(text) > limits.text:
        size = f"{len(text):,} characters, and the server takes {limits.text:,}"
        fault = fault or f"The comment has {size}. Shorten it, or attach the text as a file."
    fault = fault or ("" if can_travel(text) else "The comment contains invalid characters. Remove them.")
    if fault:
        raise BadRequest(fault, {"description": fault})


def _check_use(field: Field, item_type: str, settable: frozenset[Settable]) -> None:
    if not field.applies_to(item_type):
        raise Misfit(f"does not apply to {item_type}.")
    if field.settable not in settable:
        raise Misfit("cannot be changed.")


def _value(field: Field, item_type: str, value: object, lookups: Lookups) -> object:
    """Return a value to journal; raise Misfit."""
    is_choice = field.kind in {Kind.CHOICE, Kind.STATUS}
    if value is None or (value == "" and is_choice):
        if field.required or field.kind is Kind.STATUS:
            raise Misfit("cannot be empty.")
        return value
    parsed = parse_json(field, value, lookups.limits())
    if field.kind in _PLACES:
        _check_place(field, parsed, lookups)
    if is_choice:
        choices = lookups.choices(field, item_type)
        if choices and parsed not in choices and not lookups.is_free(field, item_type):
            raise Misfit(f"must be one of: {', '.join(choices)}.")
    if field.kind is Kind.TAGS:
        return value  # in their own spelling: without its blanks, adding a tag would rename another user's
    return plain_estimate(parsed) if field.key == "Estimate" else parsed


def quoted(text: str) -> str:
    """Return a text as a quotation, to be answered below it."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines()) + "\n\n"


def fault_of_name(value: object) -> str:
    """Return the reason why a value is no valid name of an item or a node, or an empty text."""
    if not isinstance(value, str) or not value.strip():
        return "Name cannot be empty."
    if len(value) > NAME_LIMIT:
        return f"Name is longer than {NAME_LIMIT} characters."
    return "" if can_travel(value) and "\0" not in value else "Name contains invalid characters."


def _check_place(field: Field, value: int, lookups: Lookups) -> None:
    """Check an id against the loaded list. Without a loaded list, or for a team, any id passes."""
    known = _PLACES[field.kind](lookups)
    if not known or value in known:
        return
    if field.kind is Kind.USER:
        person = lookups.known_people().get(value)
        raise Misfit(f"{person.username if person else value} is not a licensed user.")
    raise Misfit(f"{value} does not exist in this project.")


_PLACES: Mapping[Kind, Callable[[Lookups], set[int]]] = {
    Kind.AREA: lambda lookups: {node.id for node in lookups.tree(TreeKind.AREAS).walk()},
    Kind.ITERATION: lambda lookups: {node.id for node in lookups.tree(TreeKind.ITERATIONS).walk()},
    Kind.USER: lambda lookups: set(lookups.people()),
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
