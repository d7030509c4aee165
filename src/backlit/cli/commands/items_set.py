"""Changes of items: fields, status, owner, place."""

import argparse
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from backlit.cli.assignments import Assignment, AssignmentReader, conditions_in, parted
from backlit.cli.changes import (
    ChangeState,
    FieldChangeRow,
    ThingChange,
    carry_out,
    confirm_count,
    refused,
    write_report,
)
from backlit.cli.selection import number_in, selected_items
from backlit.cli.synced import synced_store
from backlit.cli.terminal_input import PIPE
from backlit.model.errors import AnswerNeeded, BadRequest, UsageFault
from backlit.model.fields import FIELD_BY_KEY, Field
from backlit.model.statuses import StatusGroup
from backlit.store.edits.checks import ON_EDIT, check
from backlit.store.field_words import FieldWords
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item, is_seen_by_customers
from backlit.store.records.merge import is_same
from backlit.store.store import Store

Values = Mapping[str, object]
ChangesOf = Callable[[Item], Values]
"""Returns the fields of an item to change; raises BadRequest for an item that cannot have them."""


def set_fields(arguments: argparse.Namespace) -> int:
    words, assignments = parted(arguments.words)
    conditions = conditions_in(arguments.conditions)
    if not assignments:
        raise UsageFault("Say what to change, such as: backlit items set 12 est=5 owner=me")
    with synced_store(arguments, is_writing=True) as store:
        return _set(store, words, assignments, arguments, conditions)


def mark_done(arguments: argparse.Namespace) -> int:
    """Give items the first status of their type that means done; items that are done keep theirs."""
    return _mark(arguments, StatusGroup.DONE)


def mark_reopen(arguments: argparse.Namespace) -> int:
    """Give items that are not open the first status of their type that means not started."""
    return _mark(arguments, StatusGroup.NOT_STARTED)


def _mark(arguments: argparse.Namespace, group: StatusGroup) -> int:
    with synced_store(arguments, is_writing=True) as store:
        groups = store.lookups.status_groups()

        def changes(item: Item) -> Values:
            status = item.status or None
            if groups.is_open(status) if group is StatusGroup.NOT_STARTED else groups.of(status) is group:
                return {}
            first = groups.first(store.lookups.statuses(item.type), group)
            if first is None:
                raise BadRequest(f"A {item.type} has no status that means {group.value}.")
            return {"Status": first}

        return change_items(arguments, store, selected_items(store, arguments.words, arguments), changes)


def assign_items(arguments: argparse.Namespace) -> int:
    if not arguments.words:
        raise UsageFault("Say to whom, such as: backlit items assign 12 me")
    *words, who = arguments.words
    field = "team" if arguments.team else "owner"
    with synced_store(arguments, is_writing=True) as store:
        return _set(store, words, [Assignment(field, "=", who)], arguments)


def move_items(arguments: argparse.Namespace) -> int:
    """Move items to an iteration, which is the last word, and to an area; or to another project."""
    if arguments.to_project:
        from backlit.cli.commands.items_transform import move_to_project

        return move_to_project(arguments)
    if arguments.children is not None:
        raise UsageFault("--children goes with --to-project NAME.")
    words = list(arguments.words)
    is_all_numbers = all(word == PIPE or number_in(word) is not None for word in words)
    assignments = [Assignment("area", "=", arguments.area)] if arguments.area else []
    if words and not (arguments.area and is_all_numbers):
        assignments.append(Assignment("iter", "=", words.pop()))
    if not assignments:
        raise UsageFault("Say where to, such as: backlit items move 12 next")
    with synced_store(arguments, is_writing=True) as store:
        return _set(store, words, assignments, arguments)


def _set(
    store: Store,
    words: Sequence[str],
    assignments: Sequence[Assignment],
    arguments: argparse.Namespace,
    conditions: Sequence[Assignment] = (),
) -> int:
    reader = AssignmentReader(store)
    for each in (*assignments, *conditions):
        reader.field(each.name)
    items = selected_items(store, words, arguments)
    items = [item for item in items if reader.meets(item, conditions)]
    return change_items(arguments, store, items, lambda item: reader.changes(assignments, item.type, item))


def change_items(arguments: argparse.Namespace, store: Store, items: Sequence[Item], changes_of: ChangesOf) -> int:
    """Change fields of items as one step, and write a row for each; return the exit code."""
    store.lookups.need_writer()
    things: list[ThingChange] = []
    wanted: dict[int, Values] = {}
    for item in items:
        thing, values = _planned(store, item, changes_of)
        things.append(thing)
        if values:
            wanted[item.id] = values
    _confirm_customers(arguments, wanted)
    confirm_count(arguments, len(wanted), "Change")
    report = carry_out(arguments, store, things, lambda _: store.items.edit_each(wanted))
    return write_report(arguments, report, store)


def _planned(store: Store, item: Item, changes_of: ChangesOf) -> tuple[ThingChange, Values]:
    thing = ThingChange(item.id, id_of(item.id), name=item.name)
    try:
        values = check(item.type, changes_of(item), store.lookups, ON_EDIT)
    except BadRequest as error:
        return refused(thing, error), {}
    changed = {key: value for key, value in values.items() if not is_same(item.fields.get(key), value)}
    if not changed:
        return replace(thing, state=ChangeState.UNCHANGED), {}
    words = FieldWords(store)
    rows = tuple(change_row(store, words, key, item.fields.get(key), value) for key, value in changed.items())
    return replace(thing, changes=rows), changed


def change_row(store: Store, words: FieldWords, key: str, before: object, after: object) -> FieldChangeRow:
    field = field_of(store, key)
    if field is None:
        return FieldChangeRow(key, str(before or ""), str(after or ""))
    return FieldChangeRow(key, words.written(field, before), words.written(field, after))


def field_of(store: Store, key: str) -> Field | None:
    custom = {field.key: field for field in store.lookups.custom_fields()}
    return FIELD_BY_KEY.get(key) or custom.get(key)


def _confirm_customers(arguments: argparse.Namespace, wanted: Mapping[int, Values]) -> None:
    seen = sorted({key for values in wanted.values() for key in values if is_seen_by_customers(key)})
    if seen and not (arguments.yes or arguments.dry_run):
        raise AnswerNeeded(f"Customers see {', '.join(seen)}. To change that, add --yes. No changes were made.")
