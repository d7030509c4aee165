"""Conversions of items to another type, and moves to another project."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from backlit.cli.assignments import AssignmentReader, parted
from backlit.cli.changes import (
    FieldChangeRow,
    ThingChange,
    carry_out,
    confirm_count,
    refused,
    write_report,
)
from backlit.cli.commands.items_set import change_row
from backlit.cli.output import note
from backlit.cli.selection import item_numbered, selected_items
from backlit.cli.synced import synced_store
from backlit.model.errors import AnswerNeeded, BadRequest, UsageFault
from backlit.model.fields import ItemType
from backlit.model.plain import plain
from backlit.store.edits.conversions import TransformOutlook
from backlit.store.edits.moves import WithChildren
from backlit.store.field_words import FieldWords
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store

NO_EXTENSION = (
    "This server cannot {verb} items: copies are made, and the originals get the status Deleted. Their numbers, files"
    " and history stay behind."
)


def convert_items(arguments: argparse.Namespace) -> int:
    """Give items another type, the last word before the values; return the exit code."""
    words, assignments = parted(arguments.words)
    if not words:
        raise UsageFault("Say which type, such as: backlit items convert 12 bug")
    *ids, typed = words
    item_type = _type_named(typed)
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        items = selected_items(store, ids, arguments)
        parent_id = item_numbered(store, arguments.parent).id if arguments.parent else None
        reader = AssignmentReader(store)
        fields = reader.changes(assignments, item_type, items[0]) if assignments and items else {}
        outlooks = asyncio.run(_all(store.conversions.outlook(each.id, item_type, parent_id) for each in items))
        rows = [FieldChangeRow("type", each.type, item_type.value) for each in items]
        transform = _Transform("Convert", items, outlooks, rows, is_offered=store.conversions.is_offered)
        return transform.carry_out(
            arguments, store, lambda ids: store.conversions.convert(ids, item_type, parent_id, fields)
        )


def move_to_project(arguments: argparse.Namespace) -> int:
    """Move items to another project; return the exit code."""
    if arguments.area:
        raise UsageFault("--to-project moves to the area of the same path; change the area after it.")
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        items = selected_items(store, arguments.words, arguments)
        project = store.lookups.project_named(arguments.to_project)
        below = store.moves.items_below(each.id for each in items)
        if below and arguments.children is None and store.moves.is_offered:
            raise AnswerNeeded(f"There are items below: add --children=move or --children=leave. ({below:,} items.)")
        children = WithChildren(arguments.children or WithChildren.MOVE)
        outlooks = asyncio.run(_all(store.moves.outlook(each.id, project.id, children) for each in items))
        names = {each.id: each.name for each in store.lookups.projects()}
        rows = [FieldChangeRow("project", names.get(each.project_id, ""), project.name) for each in items]
        transform = _Transform("Move", items, outlooks, rows, is_offered=store.moves.is_offered)
        return transform.carry_out(arguments, store, lambda ids: store.moves.to_project(ids, project.id, children))


async def _all(outlooks: Iterable[Awaitable[TransformOutlook]]) -> list[TransformOutlook]:
    return [await each for each in outlooks]


def _type_named(typed: str) -> ItemType:
    found = [each for each in ItemType if each.casefold().startswith(typed.casefold())]
    if len(found) != 1 and typed.casefold() not in {each.casefold() for each in found}:
        raise UsageFault(f"There is no type {plain(typed)}. The types are: {', '.join(ItemType)}.")
    return next((each for each in found if each.casefold() == typed.casefold()), found[0])


class _Transform(Struct, frozen=True):
    """A conversion or a move of items, with what would come of it."""

    verb: str
    items: Sequence[Item]
    outlooks: Sequence[TransformOutlook]
    rows: Sequence[FieldChangeRow]
    """What changes by the act itself, of each item."""
    is_offered: bool

    def carry_out(
        self, arguments: argparse.Namespace, store: Store, act: Callable[[Sequence[int]], Awaitable[Sequence[int]]]
    ) -> int:
        """Say what cannot go along, ask where something is lost, and carry out the rest."""
        things = list(map(partial(_thing, store), self.items, self.outlooks, self.rows))
        if not self.is_offered:
            note(arguments, NO_EXTENSION.format(verb=self.verb.lower()))
        for thing, outlook in zip(things, self.outlooks, strict=True):
            if lost := [*(each.field for each in thing.changes if not each.after), *outlook.left]:
                note(arguments, plain(f"{thing.key}: cannot go along: {', '.join(lost)}"))
        possible = [each for each in self.outlooks if not each.fault]
        confirm_count(arguments, len(possible), self.verb, is_grave=any(each.has_losses for each in possible))

        async def run(planned: Sequence[ThingChange]) -> None:
            made = await act([each.id for each in planned])
            if not self.is_offered:
                copies = (f"{each.key}: the copy is {id_of(new)}" for each, new in zip(planned, made, strict=True))
                note(arguments, "; ".join(copies))

        return write_report(arguments, carry_out(arguments, store, things, run), store)


def _thing(store: Store, item: Item, outlook: TransformOutlook, own: FieldChangeRow) -> ThingChange:
    words = FieldWords(store)
    changes = [
        replace(change_row(store, words, each.key, each.before, None), after=each.words) for each in outlook.notable
    ]
    thing = ThingChange(item.id, id_of(item.id), (own, *changes), name=item.name)
    return refused(thing, BadRequest(outlook.fault)) if outlook.fault else thing
