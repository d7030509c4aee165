"""Conditions of queries on what is beside and below an item: its relations, criteria, links, time and mentions."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import NoReturn

from msgspec import Struct

from backlit.model.dates import named_day, start_of_week
from backlit.model.errors import BadRequest
from backlit.model.filters import VIRTUAL, Comparison, Filter, Literal, Not, Operator, Property, all_of, any_of
from backlit.model.query.keys import OPERATORS
from backlit.model.query.syntax import Condition, refuse

_NUMBER = re.compile(r"#?([0-9]{1,18})")
_DAYS = re.compile(r"([0-9]{1,4})([dw])", re.IGNORECASE)
_ITEMS_OR_ANY = ("any", "none")
_NOBODY = "@"
"""No user is called so."""
HAS = ("relations", "criteria", "links", "tasks", "comments", "files", "time")
RELATED_KEYS: Mapping[str, tuple[str, Sequence[str]]] = {
    "feature": ("Everything below a Feature", ()),
    "child": ("The parent of an item", _ITEMS_OR_ANY),
    "blocks": ("What blocks an item", _ITEMS_OR_ANY),
    "blocked": ("What waits for an item", ("yes", "no", *_ITEMS_OR_ANY)),
    "related": ("What is related to an item", _ITEMS_OR_ANY),
    "duplicates": ("Duplicates of an item", _ITEMS_OR_ANY),
    "duplicated": ("The original of an item", _ITEMS_OR_ANY),
    "has": ("What an item has at least one of", HAS),
    "criteria": ("The state of acceptance criteria", ("open", "failed", "passed", "none", "any")),
    "due": ("The due date", ("overdue", "today", "week", "none", "any")),
    "logged": ("Tasks with logged time", ("me", "any", "none")),
    "mentions": ("What mentions you", ("me",)),
}
"""The keys with their help and the words that they take beside numbers."""


def virtual(test: str, value: object = "") -> Property:
    return Property(f"{VIRTUAL}{test} {value}".rstrip())


class RelatedNames(Struct, frozen=True):
    """What conditions on relations ask for: items by a part of their name, the user, and the due field."""

    items_named: Callable[[str], Sequence[tuple[int, str]]]
    me: int | None = None
    due_field: str | None = None
    my_name: str = ""
    """The user name of the user, which mentions have."""


class _Asked(Struct, frozen=True):
    """A condition with what it is resolved by."""

    condition: Condition
    names: RelatedNames
    today: date
    is_open: Filter

    def refuse(self, reason: str) -> NoReturn:
        refuse(reason, self.condition.at)


def related_filter(condition: Condition, names: RelatedNames, today: date, is_open: Filter) -> Filter:
    """Return the filter of a condition on one of RELATED_KEYS. Raises BadRequest that names the place."""
    key, asked = condition.key.lower(), _Asked(condition, names, today, is_open)
    one = {"due": _due, "logged": _logged, "mentions": _mentions}.get(key, _related)
    if one is _related and (condition.operator not in ":=" or (condition.operator == "=" and key != "feature")):
        refuse(f'{key} has no order; write "{key}:" instead of "{condition.operator}"', condition.at)
    return any_of(one(asked, key, value.lower()) for value in condition.values)


def _related(asked: _Asked, key: str, value: str) -> Filter:
    words = RELATED_KEYS[key][1]
    if key in {"has", "criteria"}:
        if value not in words:
            asked.refuse(f'{key} takes {", ".join(words)}, not "{value}"')
        return Not(virtual("has", "criteria")) if (key, value) == ("criteria", "none") else virtual(key, value)
    if value in words:
        found = virtual(key, "any")
        return (
            Not(found)
            if value in {"no", "none"} and key != "child"
            else virtual(key, value if key == "child" else "any")
        )
    item_id = _item(asked, value)
    if key == "feature" and asked.condition.operator == "=":
        return Comparison(Operator.EQ, Property("ParentID"), Literal(item_id))
    return virtual(key, item_id)


def _item(asked: _Asked, value: str) -> int:
    if number := _NUMBER.fullmatch(value):
        return int(number[1])
    found = asked.names.items_named(value)
    if not found:
        asked.refuse(f'no item has "{value}" in its name; write its number')
    if len(found) > 1:
        shown = ", ".join(f"#{item_id} {name}" for item_id, name in found[:3])
        asked.refuse(f'"{value}" fits several items: {shown}; write its number')
    return found[0][0]


def _due(asked: _Asked, _key: str, value: str) -> Filter:
    if asked.names.due_field is None:
        asked.refuse("this project has no due dates")
    field = Property(asked.names.due_field)
    is_set = Comparison(Operator.NE, field, Literal(None))
    today = asked.today
    if asked.condition.operator in ":=" and value in {"none", "any"}:
        return Not(is_set) if value == "none" else is_set
    if asked.condition.operator in ":=" and value == "overdue":
        return all_of([_by(field, Operator.LT, today), asked.is_open])
    if asked.condition.operator in ":=" and value == "week":
        first = start_of_week(today)
        return all_of([_by(field, Operator.GE, first), _by(field, Operator.LE, first + timedelta(days=6))])
    if days := _DAYS.fullmatch(value):
        last = today + timedelta(days=_number_of_days(days))
        if asked.condition.operator not in {"<", "<="}:
            asked.refuse(f"write due<{value} for what is due within that time, or a date")
        # What is done is never overdue.
        return all_of([_by(field, Operator.LE, last), any_of([_by(field, Operator.GE, today), asked.is_open])])
    try:
        day = named_day(value, today)
    except BadRequest:
        asked.refuse(f'"{value}" is no due date; write overdue, today, week, a date, or an age such as due<14d')
    return all_of([is_set, _by(field, OPERATORS[asked.condition.operator], day)])


def _number_of_days(age: re.Match[str]) -> int:
    return int(age[1]) * (7 if age[2].lower() == "w" else 1)


def _by(field: Property, operator: Operator, day: date) -> Filter:
    return Comparison(operator, field, Literal(day.isoformat()))


def _logged(asked: _Asked, key: str, value: str) -> Filter:
    days = _DAYS.fullmatch(value)
    if days and asked.condition.operator in {"<", "<="}:
        first = asked.today - timedelta(days=_number_of_days(days))
        return virtual(key, f"since {first.isoformat()}")
    if asked.condition.operator not in ":=" or value not in {"me", "any", "none"}:
        asked.refuse("logged takes me, any or none, and an age: logged<7d")
    if value == "me":
        return virtual(key, f"by {asked.names.me or 0}")
    return virtual("has", "time") if value == "any" else Not(virtual("has", "time"))


def _mentions(asked: _Asked, key: str, value: str) -> Filter:
    if asked.condition.operator not in ":=" or value != "me":
        asked.refuse("mentions takes me")
    return virtual(key, f"of {asked.names.my_name or _NOBODY}")
