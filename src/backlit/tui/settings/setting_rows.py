"""The rows of the project's settings: what holds, and where it comes from."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import counted
from backlit.model.dates import WEEKDAYS, written_day
from backlit.model.field_values import number_text
from backlit.model.fields import ItemType
from backlit.model.ready_check import RULES, USUAL_RULES
from backlit.model.settings.setting_rules import SHARED_SETTINGS, SettingKey
from backlit.model.settings.shared_settings import WEEKDAY_KEYS, StatedSettings
from backlit.model.settings.user_settings import STATUS, ColumnSettings
from backlit.model.statuses import StatusGroup, StatusGroups, status_word
from backlit.model.working_days import MONDAY_TO_FRIDAY
from backlit.store.store import Store
from backlit.tui.drawing.themes import STATUS_COLOURS, STATUS_SIGNS

NO_VALUE = "none"
CHECKED_TYPES = tuple(each for each in ItemType if any(each in rule.types for rule in RULES))
"""The types that the readiness check has rules for."""


class ValueSource(StrEnum):
    """Where a value comes from."""

    PROJECT = "project"
    MACHINE = "this machine"
    DEFAULT = "default"
    NAME = "by its name"


class OwnSettings(Struct, frozen=True):
    """What this machine's `config.toml` has for projects whose service states nothing."""

    estimate_scale: Sequence[float] = ()
    columns: Sequence[ColumnSettings] = ()

    def limit_of(self, status: str) -> int | None:
        """Return the limit of the board's column that holds a status."""
        names = {status.casefold(), status_word(status).casefold()}
        found = (
            each.limit
            for each in self.columns
            if each.of == STATUS and not names.isdisjoint(value.casefold() for value in each.values)
        )
        return next(found, None)


class SettingRow(Struct, frozen=True):
    """A setting, or what it says of one status or type: its value in words, and where that comes from."""

    key: str
    label: str
    words: str
    source: ValueSource
    origin: str
    """The sentence about the source."""
    entry: str = ""
    """The status or the type that it is about; empty for a whole setting."""
    sign: str = ""
    colour: str = "foreground"
    more: Sequence[str] = ()
    """Lines that say the value at length."""
    id: int = 0

    @property
    def section(self) -> str:
        return SHARED_SETTINGS[self.key].section

    @property
    def about(self) -> str:
        return SHARED_SETTINGS[self.key].about

    @property
    def title(self) -> str:
        """Return the name of the setting for a sentence about it."""
        return f"{SHARED_SETTINGS[self.key].title} {self.label}" if self.entry else self.label


def setting_rows(store: Store, own: OwnSettings) -> list[SettingRow]:
    """Return the settings of the current project, those of a section together."""
    return [replace(row, id=number) for number, row in enumerate(_Rows(store, own).all(), 1)]


class _Rows:
    def __init__(self, store: Store, own: OwnSettings) -> None:
        self._store = store
        self._own = own
        self._stated: StatedSettings = store.lookups.stated_settings()
        self._groups_by_name = StatusGroups({}, map(store.lookups.statuses, ItemType))

    def all(self) -> Iterator[SettingRow]:
        zone, working, off = self._stated.time_zone, self._stated.working_days, self._stated.days_off
        source, origin = _stated_or(zone, "The zone of this machine")
        yield _whole(SettingKey.TIME_ZONE, zone or "that of this machine", source, origin)
        own, work = self._store.lookups.own_work, self._store.lookups.working_days()
        words = weekday_words([WEEKDAY_KEYS[number] for number in sorted(work.weekdays)])
        where = "working_days in config.toml" if own.weekdays != MONDAY_TO_FRIDAY else ""
        yield _whole(SettingKey.WORKING_DAYS, words, *_stated_or(working, where))
        where = "days_off in config.toml" if own.days_off else ""
        words = days_off_words(work.days_off, self._store.today())
        yield _whole(SettingKey.DAYS_OFF, words, *_stated_or(off, where))
        scale = self._stated.estimate_scale
        words = scale_words(self._own.estimate_scale if scale is None else scale)
        source, origin = _stated_or(scale, "estimate_scale in config.toml, or its default")
        yield _whole(SettingKey.ESTIMATE_SCALE, words, source, origin)
        statuses = self._store.lookups.all_statuses()
        yield from map(self._group, statuses)
        yield from map(self._limit, statuses)
        yield from map(self._rules, CHECKED_TYPES)

    def _group(self, status: str) -> SettingRow:
        lookups = self._store.lookups
        group = lookups.status_groups().of(status)
        source, origin = _stated_or(status if status in lookups.stated_groups() else None, "[statuses] in config.toml")
        if group is self._groups_by_name.of(status):
            source, origin = ValueSource.NAME, "It follows from the name of the status, or from its place in the list."
        words = "not known, counts as not started" if group is StatusGroup.UNKNOWN else group.value
        return SettingRow(
            SettingKey.STATUS_GROUPS,
            status_word(status),
            words,
            source,
            origin,
            status,
            STATUS_SIGNS[group],
            STATUS_COLOURS[group],
        )

    def _limit(self, status: str) -> SettingRow:
        limit, own = (self._stated.wip_limits or {}).get(status), self._own.limit_of(status)
        source, origin = _stated_or(limit, "The limit of a [[board.column]] in config.toml" if own else "")
        most = limit or own
        words = f"at most {counted(most, 'item')}" if most else "no limit"
        return SettingRow(SettingKey.WIP_LIMITS, status_word(status), words, source, origin, status)

    def _rules(self, item_type: ItemType) -> SettingRow:
        rules, stated = self._store.names.rules.of(item_type), self._stated.ready_rules
        is_own = stated is None and rules != USUAL_RULES.of(item_type)
        source, origin = _stated_or((stated or {}).get(item_type), "[lint] in config.toml" if is_own else "")
        words = ", ".join(rule.id for rule in rules) or "nothing: always ready"
        more = [f"{rule.id}: {rule.failure_sentence(self._store.names.rule_inputs())}" for rule in rules]
        return SettingRow(SettingKey.READY_RULES, item_type.value, words, source, origin, item_type.value, more=more)


def _whole(key: SettingKey, words: str, source: ValueSource, origin: str) -> SettingRow:
    return SettingRow(key, SHARED_SETTINGS[key].title, words, source, origin)


def _stated_or(stated: object, where: str = "") -> tuple[ValueSource, str]:
    """Return the source of a value and a sentence about it; `where` it is on this machine, if it is from there."""
    if stated is not None:
        return ValueSource.PROJECT, "The project says so: it holds for everybody in it."
    if where:
        sentence = f"{where}. The project says nothing, so that others may have another value."
        return ValueSource.MACHINE, sentence
    return ValueSource.DEFAULT, "The default: nothing else was agreed."


def weekday_words(keys: Sequence[str]) -> str:
    """Return days as people write them: Mon–Fri for three or more in a row, else each one."""
    places = sorted(WEEKDAY_KEYS.index(key) for key in keys if key in WEEKDAY_KEYS)
    names = [WEEKDAYS[place][:3].capitalize() for place in places]
    is_run = len(places) > 2 and places[-1] - places[0] == len(places) - 1
    return f"{names[0]}–{names[-1]}" if is_run else ", ".join(names)


def days_off_words(days: Iterable[date], today: date) -> str:
    """Return the days that are to come, each as 25 Dec, and the number of those that are over."""
    ordered = sorted(days)
    coming = [written_day(day, today) for day in ordered if day >= today]
    past = len(ordered) - len(coming)
    parts = [", ".join(coming)] if coming else []
    if past:
        parts.append(f"{past:,} past")
    return " · ".join(parts) or NO_VALUE


def scale_words(steps: Iterable[float]) -> str:
    return " · ".join(map(number_text, steps)) or NO_VALUE
