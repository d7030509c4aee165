"""New items, and copies of items."""

import argparse
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec.structs import replace

from backlit.cli.assignments import Assignment, AssignmentReader, parted
from backlit.cli.changes import (
    ChangeReport,
    FieldChangeRow,
    ThingChange,
    carry_out,
    change_list,
    confirm_count,
    tell_rest,
)
from backlit.cli.commands.items import write_items
from backlit.cli.commands.items_set import change_row
from backlit.cli.listing import Column, write_rows
from backlit.cli.output import note, write_json
from backlit.cli.selection import item_numbered, selected_items
from backlit.cli.synced import read_input, synced_store
from backlit.cli.terminal_input import PIPE
from backlit.model.errors import UnknownName, UsageFault
from backlit.model.fields import ItemType
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.store.edits.checks import ON_ADD, check, not_copied
from backlit.store.edits.copies import copies_of
from backlit.store.edits.items import ItemWithTasks
from backlit.store.field_words import FieldWords
from backlit.store.records.entry import EntryKind, OutboxEntry
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec

_PLANNED = (Column("type", "Type"), Column("field", "Field"), Column("after", "Value"))


def create_items(arguments: argparse.Namespace) -> int:
    """Make an item of the words, or one of each line of standard input; write their numbers."""
    words, assignments = parted(arguments.words)
    names = _names(arguments, " ".join(words))
    if not names and not any(each.name.lower() == "name" for each in assignments):
        raise UsageFault("Name the item, such as: backlit items new “Fix the basket” --type Bug est=3")
    item_type = _type(arguments.type)
    with synced_store(arguments, is_writing=True) as store:
        families = [
            ItemWithTasks(item_type, _fields(store, item_type, name, assignments, arguments)) for name in names or [""]
        ]
        neighbour = item_numbered(store, arguments.after) if arguments.after else None
        confirm_count(arguments, len(families), "Make")
        after = _ranking(store, arguments, neighbour)
        return write_new(arguments, store, families, after)


def _names(arguments: argparse.Namespace, name: str) -> list[str]:
    if not arguments.stdin:
        return [name] if name else []
    if name:
        raise UsageFault("With --stdin the names are the lines of standard input. Leave out the name.")
    names = [line.strip() for line in read_input(PIPE, "names").splitlines() if line.strip()]
    if not names:
        raise UsageFault("Standard input has no names.")
    return names


def _type(text: str) -> ItemType:
    found = next((each for each in ItemType if each.value.casefold() == text.casefold()), None)
    if found is None:
        near = did_you_mean(text, ItemType) or f" Types: {', '.join(ItemType)}."
        raise UnknownName(f"There is no type “{plain(text, 40)}”.{near}")
    return found


def _fields(
    store: Store, item_type: ItemType, name: str, assignments: Sequence[Assignment], arguments: argparse.Namespace
) -> Mapping[str, object]:
    values = AssignmentReader(store).changes(assignments, item_type)
    if name:
        values["Name"] = name
    if arguments.parent:
        values["ParentID"] = item_numbered(store, arguments.parent).id
    check(item_type, values, store.lookups, ON_ADD)
    return values


def _ranking(
    store: Store, arguments: argparse.Namespace, neighbour: Item | None
) -> "Callable[[Sequence[int]], Awaitable[object]] | None":
    if not arguments.top and neighbour is None:
        return None

    async def rank(item_ids: Sequence[int]) -> None:
        view = store.view(ViewSpec(with_done=True))
        if neighbour is None:
            await store.ranking.to_top(view, item_ids)
        else:
            await store.ranking.beside(view, item_ids, neighbour.id, is_above=False)

    return rank


def copy_items(arguments: argparse.Namespace) -> int:
    """Make copies without tasks, comments and files, in the first status of their type."""
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        items = selected_items(store, arguments.words, arguments)
        confirm_count(arguments, len(items), "Copy")
        left_out: set[str] = set()
        families = copies_of(store.lookups, items, {}, left_out)
        if left_out:
            note(arguments, plain(not_copied(left_out).strip()))
        return write_new(arguments, store, families)


def write_new(
    arguments: argparse.Namespace,
    store: Store,
    families: Sequence[ItemWithTasks],
    then: "Callable[[Sequence[int]], Awaitable[object]] | None" = None,
) -> int:
    """Add items and write their numbers alone, or the whole items as JSON; return the exit code."""
    store.lookups.need_writer()
    if arguments.dry_run:
        words = FieldWords(store)
        planned = [
            ThingChange(
                0, "new", tuple(change_row(store, words, key, None, value) for key, value in each.fields.items())
            )
            for each in families
        ]
        if arguments.json is True:
            write_json(change_list(arguments, ChangeReport(planned), store))
            return 0
        rows = [
            {"type": each.type, "field": row.field, "after": row.after}
            for each, thing in zip(families, planned, strict=True)
            for row in thing.changes
        ]
        write_rows(arguments, _PLANNED, rows)
        return 0
    things = [
        ThingChange(0, at, (FieldChangeRow("Name", "", str(each.fields.get("Name"))),))
        for at, each in enumerate(families)
    ]
    made: list[int] = []

    async def act(_: Sequence[ThingChange]) -> None:
        made.extend(await store.items.add_families(families))
        if then is not None:
            await then(made)

    def finds(thing: ThingChange, entry: OutboxEntry) -> bool:
        is_new = entry.kind is EntryKind.ADD
        return is_new and made[int(thing.key)] in {entry.item_id, entry.temporary_id}

    report = carry_out(arguments, store, things, act, finds=finds)
    ids = [store.files.journal.real_id(item_id) for item_id in made]
    report = ChangeReport(
        [replace(thing, id=item_id, key=id_of(item_id)) for thing, item_id in zip(report.things, ids, strict=True)],
        report.step,
    )
    items = [item for item_id in ids if (item := store.item(item_id)) is not None]
    if arguments.json or arguments.format or arguments.columns:
        write_items(arguments, store, items)
    else:
        for item_id in ids:
            print(id_of(item_id))
    sys.stdout.flush()
    return tell_rest(arguments, report)
