"""Hours that were logged on tasks, one by one or summed up."""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from backlit.cli.item_parts import time_document
from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.option_values import CURRENT_WEEK, PREVIOUS_WEEK
from backlit.cli.output import note
from backlit.cli.synced import synced_store
from backlit.model.amounts import counted, hours_text
from backlit.model.dates import monday_of, week_of
from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.time_groups import TimeGroup
from backlit.store.records.changes import ConnectionState
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.objects import LoggedTime

USUAL_DAYS = timedelta(days=13)
"""Before today; the local copy always has the user's own entries of these days."""
_WEEK = timedelta(days=7)
_COLUMNS = (
    Column("day", "Day"),
    Column("user", "User"),
    Column("hours", "Hours", is_right=True),
    Column("type", "Type"),
    Column("item", "Task", is_right=True),
    Column("name", "Name"),
    Column("note", "Note"),
    Column("id", "ID", is_usual=False),
    Column("unsent", "Unsent", is_usual=False),
)
_DECIMALS = 6
_PARTIAL = "only the entries that this machine has read: your own of the last 14 days, and those of tasks that changed"


def list_time(arguments: argparse.Namespace) -> None:
    group = TimeGroup(arguments.by) if arguments.by else None
    columns = chosen_columns(arguments, _COLUMNS if group is None else _sum_columns(group))
    is_copy_enough = arguments.mine and arguments.week in {None, CURRENT_WEEK}
    with synced_store(arguments, is_listing=is_copy_enough) as store:
        if not store.lookups.announces("timeEntries"):
            raise BadRequest(store.time_edits.missing)
        today = store.today()
        first, last = days_of_week(arguments.week, today) if arguments.week else (today - USUAL_DAYS, today)
        if not is_copy_enough and store.connection.state is ConnectionState.ONLINE:
            store.run(store.time_entries.read(first, last))
        elif not is_copy_enough:
            note(arguments, _PARTIAL)
        me = store.lookups.me() if arguments.mine else None
        entries = store.time_entries.of_days(store.lookups.need_project(), first, last, None if me is None else me.id)
        tasks = {item.id: item for item in store.batch.items(sorted({entry.item_id for entry in entries}))}
        documents = _documents(store, entries, tasks) if group is None else list(_sums(store, group, entries, tasks))
        rows = documents if group is None else [{**each, "name": each["name"] or group.nothing} for each in documents]
        total = f"{counted(len(entries), 'entry', 'entries')}, {hours_text(sum(each.hours for each in entries))} h"
        nothing = f"No hours were logged from {first} to {last}."
        write_rows(arguments, columns, rows, documents, nothing=nothing, below=total)


def days_of_week(week: str, today: date) -> tuple[date, date]:
    """Return the first and the last day of a week, as `option_values.week` has it."""
    monday = monday_of(today) if week in {CURRENT_WEEK, PREVIOUS_WEEK} else week_of(week)
    monday -= _WEEK * (week == PREVIOUS_WEEK)
    return monday, monday + _WEEK - timedelta(days=1)


def _documents(store: Store, entries: Iterable[LoggedTime], tasks: Mapping[int, Item]) -> list[Row]:
    people = store.lookups.known_people()
    names = {item_id: item.name for item_id, item in tasks.items()}
    return [time_document(each, people, names.get(each.item_id)) for each in entries]


def _sum_columns(group: TimeGroup) -> Sequence[Column]:
    return (
        Column("name", group.value.capitalize()),
        Column("hours", "Hours", is_right=True),
        Column("entries", "Entries", is_right=True),
        Column("id", "ID", is_usual=False),
    )


def _sums(
    store: Store, group: TimeGroup, entries: Sequence[LoggedTime], tasks: Mapping[int, Item]
) -> Iterable[Mapping[str, object]]:
    """Yield a row for each person, type or Feature, the most hours first."""
    names: Mapping[int, str] = {}
    keys: list[int | str | None]
    match group:
        case TimeGroup.PERSON:
            names = {user_id: each.username for user_id, each in store.lookups.known_people().items()}
            keys = [each.user_id for each in entries]
        case TimeGroup.TYPE:
            keys = [each.type for each in entries]
        case TimeGroup.FEATURE:
            features = _features(store, tasks.values())
            names = {feature.id: feature.name for feature in features.values()}
            keys = [features[each.item_id].id if each.item_id in features else None for each in entries]
    hours, counts = Counter[int | str | None](), Counter(keys)
    for key, entry in zip(keys, entries, strict=True):
        hours[key] += entry.hours  # type: ignore[assignment] # a Counter of numbers
    for key, amount in hours.most_common():
        name = names.get(key, f"{group.value} {key}") if isinstance(key, int) else key
        number = key if isinstance(key, int) else None
        yield {"name": name, "id": number, "hours": round(amount, _DECIMALS), "entries": counts[key]}


def _features(store: Store, tasks: Iterable[Item]) -> Mapping[int, Item]:
    """Return the Feature above each task: its item, or that of its item."""
    parents = store.relations.parents([task.id for task in tasks])
    above = store.relations.parents(parents.values())
    items = {item.id: item for item in store.batch.items([*parents.values(), *above.values()])}
    found = {task_id: (items.get(item_id), items.get(above.get(item_id, 0))) for task_id, item_id in parents.items()}
    return {
        task_id: next(item for item in chain if item is not None and item.type == ItemType.FEATURE)
        for task_id, chain in found.items()
        if any(item is not None and item.type == ItemType.FEATURE for item in chain)
    }
