"""The rules for the settings that the members of a project share, which both halves call where a value comes in."""

from collections.abc import Callable, Mapping
from datetime import date
from itertools import pairwise
from typing import Any

from msgspec import Struct

from backlit.model.amounts import listed
from backlit.model.dates import time_zone
from backlit.model.errors import BadRequest
from backlit.model.field_values import Misfit, WrongShape, parse_day, parse_number, parse_text, parse_whole
from backlit.model.fields import ItemType
from backlit.model.ready_check import check_rule
from backlit.model.settings.shared_settings import WEEKDAY_KEYS, in_week_order
from backlit.model.statuses import CONFIGURABLE, StatusGroup

MAX_DAYS_OFF = 1000
MAX_SCALE_STEPS = 50
MAX_WIP_LIMIT = 10_000
SHOWN_CHARACTERS = 40
"""Characters of a value that a sentence about it repeats."""


class ProjectStatuses(Struct, frozen=True):
    """The groups of the statuses that the types of a project have, and those groups that were set."""

    groups: Mapping[str, StatusGroup]
    own: Mapping[str, str]


_Parser = Callable[[Any, ProjectStatuses], object]
"""Returns a value as its column or its table has it; raises Misfit."""


class SharedSettingRule(Struct, frozen=True):
    """A setting of the document: its column in SharedSettings, None for the groups of statuses, and its parser."""

    column: str | None
    parse: _Parser


def _zone(value: object, _statuses: ProjectStatuses) -> str:
    name = parse_text(value, None)
    if time_zone(name) is None:
        raise Misfit(f"must be the IANA name of a time zone, such as Europe/Berlin, not {name[:SHOWN_CHARACTERS]!r}.")
    return name


def _working_days(value: object, _statuses: ProjectStatuses) -> tuple[str, ...]:
    names = _texts(value, f"a list of days, such as {WEEKDAY_KEYS[0]}")
    unknown = next((name for name in names if name not in WEEKDAY_KEYS), None)
    if unknown is not None:
        raise Misfit(f"cannot have {unknown[:SHOWN_CHARACTERS]!r}; the days are {listed(WEEKDAY_KEYS)}.")
    if not names:
        raise Misfit("must name at least one day. A holiday is a day off.")
    return in_week_order(names)


def _days_off(value: object, _statuses: ProjectStatuses) -> tuple[date, ...]:
    texts = _texts(value, "a list of dates, such as 2026-12-25")
    days = tuple(sorted({parse_day(text) for text in texts}))
    if len(days) > MAX_DAYS_OFF:
        raise Misfit(f"may have {MAX_DAYS_OFF:,} days; this has {len(days):,}. Leave out those of past years.")
    return days


def _groups(value: object, statuses: ProjectStatuses) -> dict[str, str | None]:
    known, own = statuses.groups, statuses.own
    found: dict[str, str | None] = {}
    for status, group in _object(value, "an object with a group for a status").items():
        _must_be_status(status, statuses)
        if group is not None and group not in CONFIGURABLE:
            raise Misfit(f"of {status!r} must be one of {listed(CONFIGURABLE)}, or null for what its name suggests.")
        # A group that the status has anyway comes from a client that sends the whole document back.
        if group != known[status].value and (group is not None or status in own):
            found[status] = group
    return found


def _scale(value: object, _statuses: ProjectStatuses) -> tuple[float, ...] | None:
    if value is None:
        return None
    shape = WrongShape(
        "a list of rising numbers, such as [1, 2, 3, 5], or null",
        f"rising numbers from 0 on, such as 1 2 3 5, at most {MAX_SCALE_STEPS}",
    )
    if not isinstance(value, list) or not 0 < len(value) <= MAX_SCALE_STEPS:
        raise shape
    steps = tuple(parse_number(step) for step in value)
    if steps[0] < 0 or not all(one < other for one, other in pairwise(steps)):
        raise shape
    return steps


def _ready_rules(value: object, _statuses: ProjectStatuses) -> dict[str, tuple[str, ...]] | None:
    if value is None:
        return None
    found: dict[str, tuple[str, ...]] = {}
    for name, ids in _object(value, "an object with a list of rules for a type, or null").items():
        if name not in set(ItemType):
            raise Misfit(f"has no type {name[:SHOWN_CHARACTERS]!r}; the types are {listed(tuple(ItemType))}.")
        rule_ids = tuple(dict.fromkeys(_texts(ids, 'an object such as {"Story": ["estimate"]}')))
        for rule_id in rule_ids:
            try:
                check_rule(ItemType(name), rule_id)
            except BadRequest as error:
                raise Misfit(f"of {name} cannot be so: {error.message}") from None
        found[name] = rule_ids
    return found


def _limits(value: object, statuses: ProjectStatuses) -> dict[str, int]:
    found: dict[str, int] = {}
    for status, limit in _object({} if value is None else value, "an object with a number for a status").items():
        _must_be_status(status, statuses)
        number = parse_whole(limit)
        if not 1 <= number <= MAX_WIP_LIMIT:
            raise Misfit(f"of {status!r} must be from 1 to {MAX_WIP_LIMIT:,}. To have no limit, leave the status out.")
        found[status] = number
    return found


def _must_be_status(status: str, statuses: ProjectStatuses) -> None:
    if status not in statuses.groups:
        names = listed(list(statuses.groups))
        raise Misfit(f"has {status[:SHOWN_CHARACTERS]!r}, which no type has as a status; the statuses are {names}.")


def _object(value: object, shape: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise WrongShape(shape)
    return value


def _texts(value: object, shape: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise WrongShape(shape)
    return value


SETTING_RULES: Mapping[str, SharedSettingRule] = {
    "timeZone": SharedSettingRule("time_zone", _zone),
    "workingDays": SharedSettingRule("working_days", _working_days),
    "daysOff": SharedSettingRule("days_off", _days_off),
    "statusGroups": SharedSettingRule(None, _groups),
    "estimateScale": SharedSettingRule("estimate_scale", _scale),
    "readyRules": SharedSettingRule("ready_rules", _ready_rules),
    "wipLimits": SharedSettingRule("wip_limits", _limits),
}
"""The settings, in the order of their document."""
