"""New items, and copies of items."""

import argparse
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

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
from backlit.cli.commands.items_set import change_row
from backlit.cli.listing import Column, write_rows
from backlit.cli.output import note, write_json
from backlit.cli.selection import item_numbered, selected_items
from backlit.cli.synced import read_input, synced_store
from backlit.cli.terminal_input import PIPE
from backlit.cli.wiring import chosen_profile
from backlit.config.settings import find_locations
from backlit.config.view_files import read_settings_of
from backlit.model.errors import NameNotFound, UnknownName, UsageFault
from backlit.model.fields import ItemType
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.model.settings.user_settings import Template
from backlit.store.edits.checks import ON_ADD, check, not_copied
from backlit.store.edits.copies import copies_of
from backlit.store.edits.items import ItemWithTasks
from backlit.store.field_words import FieldWords
from backlit.store.records.entry import EntryKind, OutboxEntry
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item, item_of
from backlit.store.store import Store
from backlit.store.templates import template_fields
from backlit.store.views.query import ViewSpec

_PLANNED = (Column("type", "Type"), Column("field", "Field"), Column("after", "Value"))


def create_items(arguments: argparse.Namespace) -> int:
    """Make an item of the words, or one of each line of standard input; write their numbers."""
    if arguments.edit and arguments.stdin:
        raise UsageFault("--edit is for one item. Leave out --stdin.")
    words, assignments = parted(arguments.words)
    names = _names(arguments, " ".join(words))
    is_named = names or arguments.template or arguments.edit or any(each.name.lower() == "name" for each in assignments)
    if not is_named:
        raise UsageFault("Name the item, such as: backlit items new “Fix the basket” --type Bug est=3")
    with synced_store(arguments, is_writing=True) as store:
        template = _template(arguments) if arguments.template else None
        item_type = _type(arguments, template)
        family = ItemWithTasks(item_type, {})
        if template:
            tasks = [{"Name": each} for each in template.tasks]
            family = ItemWithTasks(item_type, template_fields(store, template), tasks)
        families = [
            replace(family, fields=_fields(arguments, store, family, name, assignments)) for name in names or [""]
        ]
        neighbour = item_numbered(store, arguments.after) if arguments.after else None
        confirm_count(arguments, len(families), "Make")
        after = _ranking(store, arguments, neighbour)
        if not arguments.edit:
            return write_new(arguments, store, [_checked(store, each) for each in families], after)
        from backlit.cli.commands.items_edit import left_in_editor  # 9 ms, for --edit alone
        from backlit.cli.item_file import ItemFile

        file = ItemFile(store, [_unsaved(store, families[0])], _edited_names(store, item_type))
        with left_in_editor(file.text, ".md") as written:
            reader = AssignmentReader(store, takes_files=False)
            values = reader.changes(file.changed(written).get(0, ()), item_type)
            family = replace(families[0], fields={**families[0].fields, **values})
            return write_new(arguments, store, [_checked(store, family)], after)


def _template(arguments: argparse.Namespace) -> Template:
    """Return a template of the settings by its name in any case; raise NameNotFound."""
    locations = find_locations()
    templates = read_settings_of(chosen_profile(arguments, locations).name, locations, Path.cwd()).templates
    named = [each for each in templates if each.name.casefold() == arguments.template.casefold()]
    if not named:
        names = [each.name for each in templates]
        near = did_you_mean(arguments.template, names) or f" Templates: {', '.join(map(plain, names)) or 'none'}."
        raise NameNotFound(f"There is no template “{plain(arguments.template, 60)}”.{near}")
    return named[0]


def _edited_names(store: Store, item_type: ItemType) -> list[str]:
    from backlit.cli.item_file import FIELDS

    reader = AssignmentReader(store)
    return [name for name in FIELDS if item_type in reader.field(name).types]


def _unsaved(store: Store, family: ItemWithTasks) -> Item:
    """Return a new item as the editor shows it."""
    return item_of({"id": 0, "type": family.type, "projectId": store.project_id, "fields": family.fields}, None, 0)


def _checked(store: Store, family: ItemWithTasks) -> ItemWithTasks:
    check(family.type, {"Name": "", **family.fields}, store.lookups, ON_ADD)
    return family


def _names(arguments: argparse.Namespace, name: str) -> list[str]:
    if not arguments.stdin:
        return [name] if name else []
    if name:
        raise UsageFault("With --stdin the names are the lines of standard input. Leave out the name.")
    names = [line.strip() for line in read_input(PIPE, "names").splitlines() if line.strip()]
    if not names:
        raise UsageFault("Standard input has no names.")
    return names


def _type(arguments: argparse.Namespace, template: Template | None) -> ItemType:
    """Return the type of --type, else that of the template, else Story."""
    if not arguments.type:
        return template.type if template else ItemType.STORY
    found = next((each for each in ItemType if each.value.casefold() == arguments.type.casefold()), None)
    if found is None:
        near = did_you_mean(arguments.type, ItemType) or f" Types: {', '.join(ItemType)}."
        raise UnknownName(f"There is no type “{plain(arguments.type, 40)}”.{near}")
    if template is not None and template.type is not found:
        raise UsageFault(f"The template “{plain(template.name, 60)}” makes a {template.type}. Leave out --type.")
    return found


def _fields(
    arguments: argparse.Namespace,
    store: Store,
    family: ItemWithTasks,
    name: str,
    assignments: Sequence[Assignment],
) -> Mapping[str, object]:
    """Return the values of a new item; a template's name is the beginning of it, as in the screens."""
    begun = str(family.fields.get("Name") or "")
    values = {**family.fields, **AssignmentReader(store).changes(assignments, family.type)}
    if name:
        values["Name"] = f"{begun}{name}"
    if arguments.parent:
        values["ParentID"] = item_numbered(store, arguments.parent).id
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
    """Make copies with criteria, without tasks, comments and files, in the first status of their type."""
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        items = selected_items(store, arguments.words, arguments)
        confirm_count(arguments, len(items), "Copy")
        left_out: set[str] = set()
        families = copies_of(store.lookups, store.criteria, items, {}, left_out)
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
        from backlit.cli.commands.items import write_items  # 30 ms, for formats alone

        write_items(arguments, store, items)
    else:
        for item_id in ids:
            print(id_of(item_id))
    sys.stdout.flush()
    return tell_rest(arguments, report)
