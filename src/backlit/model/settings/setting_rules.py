"""The rules for the settings that the members of a project share, which both halves call where a value comes in."""

from collections.abc import Callable, Mapping
from datetime import date
from enum import StrEnum
from itertools import pairwise
from typing import Any

from msgspec import Struct

from backlit.model.amounts import listed
from backlit.model.dates import time_zone
from backlit.model.errors import BadRequest
from backlit.model.field_values import Misfit, WrongShape, parse_day, parse_number, parse_text, parse_whole
from backlit.model.fields import ItemType
from backlit.model.ready_check import check_rule
from backlit.model.settings.shared_settings import (
    DEFAULT_TIME_ZONE,
    USUAL_WORKING_DAYS,
    WEEKDAY_KEYS,
    in_week_order,
)
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


class SettingKey(StrEnum):
    """The keys of the settings in their document."""

    TIME_ZONE = "timeZone"
    WORKING_DAYS = "workingDays"
    DAYS_OFF = "daysOff"
    STATUS_GROUPS = "statusGroups"
    ESTIMATE_SCALE = "estimateScale"
    READY_RULES = "readyRules"
    WIP_LIMITS = "wipLimits"


class SharedSetting(Struct, frozen=True):
    """A setting of the document, by its key a row of SHARED_SETTINGS."""

    column: str | None
    """Its column in SharedSettings; None for the groups of statuses, which have a table."""
    parse: _Parser
    section: str
    """The heading that it stands under."""
    title: str
    """Its name; of a setting with a value for each status or type the words before one of them."""
    about: str
    unset: object = None
    """The value that stands for nothing agreed."""
    keeps_empty_entries: bool = False
    """Whether null is a value of an entry: the group that the name of a status suggests."""

    def with_entry(self, entries: Mapping[str, Any] | None, entry: str, value: object) -> object:
        """Return the whole value with another one of a status or type, which None takes out."""
        merged = {**(entries or {}), entry: value}
        if self.keeps_empty_entries:
            return merged
        # Without rules for a type the project states none, and each machine has its own.
        return {name: each for name, each in merged.items() if each is not None} or self.unset


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


SHARED_SETTINGS: Mapping[str, SharedSetting] = {
    SettingKey.TIME_ZONE: SharedSetting(
        "time_zone",
        _zone,
        "Calendar",
        "Time zone",
        "The days of sprints and reports begin and end at midnight of this zone.",
        unset=DEFAULT_TIME_ZONE,
    ),
    SettingKey.WORKING_DAYS: SharedSetting(
        "working_days",
        _working_days,
        "Calendar",
        "Working days",
        "Reports, burndowns and capacities count these days.",
        unset=list(USUAL_WORKING_DAYS),
    ),
    SettingKey.DAYS_OFF: SharedSetting(
        "days_off",
        _days_off,
        "Calendar",
        "Days off",
        "Nobody works on these days: reports and capacities leave them out. Those of one person belong to their"
        " capacity.",
        unset=[],
    ),
    SettingKey.STATUS_GROUPS: SharedSetting(
        None,
        _groups,
        "What a status means",
        "Meaning of",
        "Open, done, velocity and all reports follow from what the statuses mean. A corrected meaning restates the"
        " past too.",
        keeps_empty_entries=True,
    ),
    SettingKey.ESTIMATE_SCALE: SharedSetting(
        "estimate_scale",
        _scale,
        "Estimates",
        "Estimate scale",
        "The estimates that + and - step through, and that grooming offers.",
    ),
    SettingKey.READY_RULES: SharedSetting(
        "ready_rules",
        _ready_rules,
        "Ready check",
        "Rules of",
        "What an item of this type needs before it counts as ready.",
    ),
    SettingKey.WIP_LIMITS: SharedSetting(
        "wip_limits",
        _limits,
        "Work in progress",
        "Limit of",
        "The board warns when more items than this have the status.",
        unset={},
    ),
}
"""The settings, in the order of their document."""
