"""Undo and redo of the last change, across commands and screens."""

import argparse
import asyncio
from collections.abc import Iterator

from backlit.cli.changes import (
    ChangeReport,
    FieldChangeRow,
    ThingChange,
    carry_out,
    confirm_count,
    write_report,
)
from backlit.cli.commands.items_set import change_row
from backlit.cli.item_columns import id_of
from backlit.cli.output import note
from backlit.cli.synced import synced_store
from backlit.model.errors import Conflict
from backlit.model.plain import plain
from backlit.store.field_words import FieldWords
from backlit.store.store import Store
from backlit.store.undo.history import Reversal


def revert(arguments: argparse.Namespace) -> int:
    """Undo the last change, or make the change again that was undone; return the exit code."""
    verb = "Redo" if arguments.is_redo else "Undo"
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        history = store.history
        offered = asyncio.run(history.to_redo() if arguments.is_redo else history.to_undo())
        if offered is None:
            note(arguments, f"There is nothing to {verb.lower()}.")
            return write_report(arguments, ChangeReport(), store)
        if offered.is_impossible:
            raise Conflict("What was changed is gone, so the change stays as it is.")
        things = list(_things(store, offered))
        confirm_count(arguments, len(things), f"{verb} the change of", is_grave=offered.is_grave)
        report = carry_out(arguments, store, things, lambda _: history.redo() if arguments.is_redo else history.undo())
        return write_report(arguments, report, store)


def _things(store: Store, offered: Reversal) -> Iterator[ThingChange]:
    """Yield what changes: the fields of items, and in words what is made, deleted or moved."""
    words = FieldWords(store)
    by_item: dict[int, list[FieldChangeRow]] = {}
    for change in offered.changes:
        row = change_row(store, words, change.key, change.before, change.after)
        by_item.setdefault(change.item_id, []).append(row)
    for named, effect in (
        (offered.given_up, "discarded"),
        (offered.deleted, "deleted"),
        (offered.returned, "returned"),
        (offered.made_again, "made again"),
        (offered.moved, "at its former rank"),
    ):
        for each in named:
            by_item.setdefault(each.id, []).append(FieldChangeRow("item", plain(each.name), effect))
    for item_id, rows in by_item.items():
        yield ThingChange(item_id, id_of(item_id), tuple(rows))
    others = [
        *(FieldChangeRow(each.noun, plain(each.text), "deleted") for each in offered.objects_deleted),
        *(FieldChangeRow(each.noun, "", plain(each.text)) for each in offered.objects_made_again),
        *(
            FieldChangeRow(str(each.payload.get("tree") or "node"), str(each.payload.get("name") or ""), "as before")
            for each in offered.nodes
        ),
    ]
    if others or not by_item:
        yield ThingChange(0, "", tuple(others) or (FieldChangeRow("change", "", "as before"),))
