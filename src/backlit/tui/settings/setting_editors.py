"""The dialogs that ask for the value of a setting: a picker, or a line with what it comes to below it."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, date, datetime

from backlit.model.amounts import counted
from backlit.model.dates import WEEKDAYS, time_zone, written_day
from backlit.model.errors import BadRequest
from backlit.model.field_values import number_text
from backlit.model.fields import ItemType
from backlit.model.ready_check import RULES
from backlit.model.settings.setting_rules import MAX_WIP_LIMIT, SHARED_SETTINGS, SettingKey
from backlit.model.settings.shared_settings import DEFAULT_TIME_ZONE, WEEKDAY_KEYS
from backlit.model.statuses import CONFIGURABLE
from backlit.store.edits.project_settings import SettingEdit
from backlit.tui.dialogs.line import FormDialog
from backlit.tui.dialogs.pick import Choice, PickDialog, PickManyDialog
from backlit.tui.drawing.themes import STATUS_SIGNS
from backlit.tui.fields.dates import typed_days
from backlit.tui.settings.setting_rows import SettingRow, scale_words
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.target import StoreCommandTarget

MAX_LISTED_DAYS = 12
"""Days off that the sentence below the line names."""
_BY_NAME = "by name"
"""The choice of the group that the status's name suggests."""
_BETWEEN = re.compile(r"[\s,;]+")


async def ask_for_setting(target: StoreCommandTarget, row: SettingRow, begun: object) -> SettingEdit | None:
    """Ask for the value of a setting, beginning with one as the document has it; None where the dialog was left."""
    return await _EDITORS[row.key](target, row, begun)


def unset(row: SettingRow) -> SettingEdit:
    """Return the edit by which the project says nothing, or the usual, of a setting."""
    return SettingEdit(row.key, None if row.entry else SHARED_SETTINGS[row.key].unset, row.entry)


async def _ask_for_zone(target: StoreCommandTarget, row: SettingRow, begun: object) -> SettingEdit | None:
    zones = await asyncio.to_thread(_zones, datetime.now(UTC))
    first = dict.fromkeys(name for name in (begun, DEFAULT_TIME_ZONE) if isinstance(name, str))
    choices = [
        Choice(name, name, zones.get(name, "")) for name in [*first, *(each for each in zones if each not in first)]
    ]
    # A machine without the data of zones has no names to pick from; those that the service knows can be typed.
    choice = await target.ask(PickDialog(row.title, choices, begun, free=not zones))
    return None if choice is None else SettingEdit(row.key, str(choice.value))


def _zones(now: datetime) -> dict[str, str]:
    """Return the time zones of places with their present distance from UTC."""
    from zoneinfo import available_timezones

    names = (name for name in sorted(available_timezones()) if "/" in name and not name.startswith("Etc/"))
    offsets = {name: f"{now.astimezone(zone):%z}" for name in names if (zone := time_zone(name)) is not None}
    return {name: f"UTC{offset[:3]}:{offset[3:5]}" for name, offset in offsets.items()}


async def _ask_for_days(target: StoreCommandTarget, row: SettingRow, begun: object) -> SettingEdit | None:
    names = dict(zip((name.capitalize() for name in WEEKDAYS), WEEKDAY_KEYS, strict=True))
    chosen = [name for name, key in names.items() if key in _texts(begun)]
    picked = await target.ask(PickManyDialog(row.title, names, chosen))
    if picked is None:
        return None
    return SettingEdit(row.key, [key for name, key in names.items() if name in picked])


async def _ask_for_group(target: StoreCommandTarget, row: SettingRow, begun: object) -> SettingEdit | None:
    choices = [Choice(group.value, group.value, STATUS_SIGNS[group]) for group in CONFIGURABLE]
    choices.append(Choice(_BY_NAME, "what its name suggests"))
    choice = await target.ask(PickDialog(row.title, choices, begun))
    if choice is None:
        return None
    return SettingEdit(row.key, None if choice.value == _BY_NAME else choice.value, row.entry)


async def _ask_for_rules(target: StoreCommandTarget, row: SettingRow, begun: object) -> SettingEdit | None:
    item_type = ItemType(row.entry)
    offered = {f"{rule.id}: {rule.label}": rule.id for rule in RULES if item_type in rule.types}
    present = [rule.id for rule in target.store.names.rules.of(item_type)] if begun is None else _texts(begun)
    picked = await target.ask(
        PickManyDialog(row.title, offered, [word for word, each in offered.items() if each in present])
    )
    if picked is None:
        return None
    return SettingEdit(row.key, [rule_id for word, rule_id in offered.items() if word in picked], row.entry)


async def _ask_for_scale(target: StoreCommandTarget, row: SettingRow, begun: object) -> SettingEdit | None:
    steps = target.session.scale_in(target.store) if begun is None else begun
    text = " ".join(map(number_text, steps)) if isinstance(steps, Sequence) else ""
    return await _ask_for_line(target, row, text, read_scale, _scale_sentence)


async def _ask_for_days_off(target: StoreCommandTarget, row: SettingRow, begun: object) -> SettingEdit | None:
    today = target.store.today()

    def read(text: str) -> list[str]:
        return [day.isoformat() for day in typed_days(text, today, row.title)]

    def tell(value: object) -> str:
        return days_off_sentence([date.fromisoformat(each) for each in _texts(value)], today)

    text = "".join(f"{day} " for day in sorted(_texts(begun)))
    return await _ask_for_line(target, row, text, read, tell, is_continued=True)


async def _ask_for_limit(target: StoreCommandTarget, row: SettingRow, begun: object) -> SettingEdit | None:
    return await _ask_for_line(target, row, "" if begun is None else str(begun), read_limit, _limit_sentence)


async def _ask_for_line(
    target: StoreCommandTarget,
    row: SettingRow,
    text: str,
    read: Callable[[str], object],
    tell: Callable[[object], str],
    *,
    is_continued: bool = False,
) -> SettingEdit | None:
    """Ask for a line; what it comes to stands below it, and what is wrong with it once it is accepted.

    The rule is that of the service. What was typed is kept where the service refuses it.
    """
    settings = target.store.project_settings

    def summarize(typed: Sequence[str]) -> str:
        edit = SettingEdit(row.key, read(typed[0]), row.entry)
        settings.check(edit, row.title)
        return tell(edit.value)

    kept = StoredLines(target.store, f"setting:{target.store.project_id}:{row.key}:{row.entry}")
    typed = await target.ask(FormDialog(row.title, [(row.label, text)], summarize, kept, is_continued=is_continued))
    return None if typed is None else SettingEdit(row.key, read(typed[0]), row.entry)


def _texts(value: object) -> Sequence[str]:
    return [str(each) for each in value] if isinstance(value, list | tuple) else ()


def read_scale(text: str) -> list[float] | None:
    """Return the steps of a scale, None for an empty text. Raises BadRequest that names what is no number."""
    steps: list[float] = []
    for word in filter(None, _BETWEEN.split(text)):
        try:
            number = float(word)
        except ValueError:
            raise BadRequest(f"“{word}” is not a number. Write rising numbers, such as 1 2 3 5 8.") from None
        steps.append(int(number) if number.is_integer() else number)
    return steps or None


def _scale_sentence(value: object) -> str:
    if not isinstance(value, list):
        return "No scale of the project: each machine has its own."
    return f"{counted(len(value), 'step')}: {scale_words(value)}"


def days_off_sentence(days: Sequence[date], today: date) -> str:
    if not days:
        return "No days off. Write days with blanks between them, such as 2026-12-25 2026-12-26."
    words = [f"{WEEKDAYS[day.weekday()][:3].capitalize()} {written_day(day, today)}" for day in days]
    more = f" and {len(days) - MAX_LISTED_DAYS:,} more" if len(days) > MAX_LISTED_DAYS else ""
    return f"{counted(len(days), 'day')} off: {', '.join(words[:MAX_LISTED_DAYS])}{more}"


def read_limit(text: str) -> int | None:
    """Return a limit, None for an empty text. Raises BadRequest for what is no whole number."""
    wanted = text.strip()
    if not wanted:
        return None
    try:
        return int(wanted)
    except ValueError:
        raise BadRequest(
            f"“{wanted}” is not a whole number. Write one from 1 to {MAX_WIP_LIMIT:,}, or nothing."
        ) from None


def _limit_sentence(value: object) -> str:
    return f"The board warns above {counted(value, 'item')}." if isinstance(value, int) else "No limit of the project."


_EDITORS: Mapping[str, Callable[[StoreCommandTarget, SettingRow, object], Awaitable[SettingEdit | None]]] = {
    SettingKey.TIME_ZONE: _ask_for_zone,
    SettingKey.WORKING_DAYS: _ask_for_days,
    SettingKey.DAYS_OFF: _ask_for_days_off,
    SettingKey.ESTIMATE_SCALE: _ask_for_scale,
    SettingKey.STATUS_GROUPS: _ask_for_group,
    SettingKey.WIP_LIMITS: _ask_for_limit,
    SettingKey.READY_RULES: _ask_for_rules,
}
