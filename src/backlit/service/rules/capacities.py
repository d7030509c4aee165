"""Rules for the capacities of people."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

from backlit.model.amounts import listed
from backlit.model.errors import BadRequest
from backlit.model.field_values import Misfit, WrongShape, parse_day, parse_number
from backlit.model.planning import PersonalCapacity
from backlit.service.rules.checks import is_id
from backlit.service.rules.project_settings import MAX_DAYS_OFF

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
        errors |= {f"capacities[{at}].{key}": sentence for key, sentence in _faults(row, members, found).items()}
        if not errors:
            found[row["userId"]] = _capacity(row)
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return found


def _faults(row: Mapping[str, Any], members: Collection[int], named: Collection[int]) -> dict[str, str]:
    user_id = row.get("userId")
    if not is_id(user_id) or user_id not in members:
        return {"userId": "userId must be the id of somebody who has a role in the project."}
    if user_id in named:
        return {"userId": f"User {user_id} is named twice; name each person once."}
    errors = {
        str(key)[:40]: f"A capacity has no {str(key)[:40]!r}; it has {listed(_KEYS)}."
        for key in row
        if key not in _KEYS
    }
    for key, parse in _PARSERS.items():
        try:
            parse(row.get(key))
        except Misfit as misfit:
            errors[key] = misfit.sentence(f"{key} of user {user_id}")
    return errors


def _capacity(row: Mapping[str, Any]) -> PersonalCapacity:
    return PersonalCapacity(_amount(row.get("points")), _amount(row.get("hours")), _days(row.get("daysOff")))


def _amount(value: object) -> float | None:
    if value is None:
        return None
    amount = parse_number(value)
    if amount < 0:
        raise Misfit("may not be negative.")
    return amount


def _days(value: object) -> frozenset[date]:
    if value is None:
        return frozenset()
    if not isinstance(value, list):
        raise WrongShape("a list of dates, such as 2026-12-25")
    if len(value) > MAX_DAYS_OFF:
        raise Misfit(f"may have {MAX_DAYS_OFF:,} days; this has {len(value):,}. Leave out those of past years.")
    return frozenset(map(parse_day, value))


_PARSERS = {"points": _amount, "hours": _amount, "daysOff": _days}
