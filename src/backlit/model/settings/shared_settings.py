"""Settings that the members of a project share: its calendar, estimates, readiness and limits."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, tzinfo
from typing import Any, Self

from msgspec import Struct, ValidationError, convert, field, json
from msgspec.structs import fields

from backlit.model.dates import WEEKDAYS, time_zone
from backlit.model.working_days import WorkingDays

WEEKDAY_KEYS = tuple(name[:3] for name in WEEKDAYS)
"""The names of the days, from that of `date.weekday()` 0."""
USUAL_WORKING_DAYS = WEEKDAY_KEYS[:5]
DEFAULT_TIME_ZONE = "UTC"


class SharedSettings(Struct, frozen=True, rename="camel"):
    """Settings of a project that hold for everybody in it; None: not set, so that each client has its own.

    `ready_rules` are ids of the readiness check by type, `wip_limits` numbers of items by status.
    """

    time_zone: str = DEFAULT_TIME_ZONE
    working_days: tuple[str, ...] = USUAL_WORKING_DAYS
    days_off: tuple[date, ...] = ()
    estimate_scale: tuple[float, ...] | None = None
    ready_rules: Mapping[str, tuple[str, ...]] | None = None
    wip_limits: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """Read settings by the names of their attributes, with values as JSON has them."""
        return convert({each.encode_name: row[each.name] for each in fields(cls)}, cls)

    def row(self) -> dict[str, Any]:
        document = self.document()
        return {each.name: document[each.encode_name] for each in fields(type(self))}

    def document(self) -> dict[str, Any]:
        """Return the settings as the interface has them."""
        document: dict[str, Any] = json.decode(json.encode(self))
        return document

    @property
    def weekdays(self) -> frozenset[int]:
        """The working days as numbers of `date.weekday()`."""
        return frozenset(WEEKDAY_KEYS.index(name) for name in self.working_days)


def in_week_order(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of days from Monday on, each once."""
    return tuple(sorted(set(names), key=WEEKDAY_KEYS.index))


class StatedSettings(Struct, frozen=True, rename="camel"):
    """The shared settings that a service states; None for one that it leaves to this machine.

    A service that is not ours may state anything: what cannot be read counts as not stated.
    """

    time_zone: str | None = None
    working_days: tuple[str, ...] | None = None
    days_off: frozenset[date] | None = None
    estimate_scale: tuple[float, ...] | None = None
    ready_rules: Mapping[str, tuple[str, ...]] | None = None
    wip_limits: Mapping[str, int] | None = None

    @classmethod
    def of_project(cls, project: Mapping[str, object]) -> Self:
        """Read the part of a project in the capabilities."""
        values: dict[str, Any] = {}
        for each in fields(cls):
            with suppress(ValidationError):
                values[each.name] = convert(project.get(each.encode_name), each.type)
        return cls(**values)

    @property
    def zone(self) -> tzinfo | None:
        """The time zone of the project's days; None for one that is not stated, or that this machine does not know."""
        return time_zone(self.time_zone) if self.time_zone else None

    def work(self, own: WorkingDays) -> WorkingDays:
        """Return the days on which the team works; `own` are those of this machine, for what is not stated."""
        weekdays = own.weekdays
        if self.working_days is not None:
            weekdays = frozenset(WEEKDAY_KEYS.index(name) for name in self.working_days if name in WEEKDAY_KEYS)
        return WorkingDays(weekdays, own.days_off if self.days_off is None else self.days_off)

    def limit_of(self, statuses: Iterable[object]) -> int | None:
        """Return the most items in some statuses together, the sum of their limits; None where none has one."""
        return sum((self.wip_limits or {}).get(str(status), 0) for status in statuses) or None
