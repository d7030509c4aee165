"""Rules for the capacities of people."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

from backlit.model.amounts import listed
from backlit.model.errors import BadRequest
from backlit.model.field_values import Misfit, WrongShape, parse_day
from backlit.model.planning import PersonalCapacity
from backlit.model.settings.setting_rules import MAX_DAYS_OFF
from backlit.service.rules.checks import ColumnParser, is_id, parse_capacity

_KEYS = ("userId", "points", "hours", "daysOff")
_SHAPE = '{"capacities": [{"userId": 3, "points": 8}]}'


def checked_capacities(body: Mapping[str, Any], members: Collection[int]) -> dict[int, PersonalCapacity]:
    """Return the capacities of a body by person; raises BadRequest with every fault by its place in the body."""
    rows = body.get("capacities")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        sentence = f"capacities must be a list of objects, as in {_SHAPE}."
        raise BadRequest(sentence, {"capacities": sentence})
    found: dict[int, PersonalCapacity] = {}
    errors: dict[str, str] = {}
    for at, row in enumerate(rows):
        values, faults = _read(row, members, found)
        errors |= {f"capacities[{at}].{key}": sentence for key, sentence in faults.items()}
        if not errors:
            found[row["userId"]] = PersonalCapacity(**values)
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return found


def _read(
    row: Mapping[str, Any], members: Collection[int], named: Collection[int]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of a row by attribute, and its faults by key."""
    user_id = row.get("userId")
    if not is_id(user_id) or user_id not in members:
        return {}, {"userId": "userId must be the id of somebody who has a role in the project."}
    if user_id in named:
        return {}, {"userId": f"User {user_id} is named twice; name each person once."}
    errors = {
        str(key)[:40]: f"A capacity has no {str(key)[:40]!r}; it has {listed(_KEYS)}."
        for key in row
        if key not in _KEYS
    }
    values: dict[str, Any] = {}
    for key, (attribute, parse) in _PARSERS.items():
        try:
            values[attribute] = parse(row.get(key))
        except Misfit as misfit:
            errors[key] = misfit.sentence(f"{key} of user {user_id}")
    return values, errors


def _days(value: object) -> frozenset[date]:
    if value is None:
        return frozenset()
    if not isinstance(value, list):
        raise WrongShape("a list of dates, such as 2026-12-25")
    if len(value) > MAX_DAYS_OFF:
        raise Misfit(f"may have {MAX_DAYS_OFF:,} days; this has {len(value):,}. Leave out those of past years.")
    return frozenset(map(parse_day, value))


_PARSERS: Mapping[str, tuple[str, ColumnParser]] = {
    "points": ("points", parse_capacity),
    "hours": ("hours", parse_capacity),
    "daysOff": ("days_off", _days),
}
