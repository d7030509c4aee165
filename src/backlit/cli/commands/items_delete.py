"""Deletion of items: by their status, or for good."""

import argparse
from collections.abc import Sequence

from backlit.cli.changes import FieldChangeRow, ThingChange, carry_out, confirm_count, write_report
from backlit.cli.commands.items_set import change_items
from backlit.cli.output import note
from backlit.cli.selection import selected_items
from backlit.cli.synced import synced_store
from backlit.model.amounts import counted
from backlit.model.errors import BadRequest
from backlit.store.edits.deletions import deleted_status
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store


def delete_items(arguments: argparse.Namespace) -> int:
    with synced_store(arguments, is_writing=True) as store:
        items = selected_items(store, arguments.words, arguments)
        if arguments.for_good:
            return _delete_for_good(arguments, store, items)

        def changes(item: Item) -> dict[str, object]:
            status = deleted_status(store.lookups.statuses(item.type))
            if status is None:
                raise BadRequest(f"A {item.type} has no status Deleted. To delete it for good, add --for-good.")
            return {"Status": status}

        return change_items(arguments, store, items, changes)


def _delete_for_good(arguments: argparse.Namespace, store: Store, items: Sequence[Item]) -> int:
    """Delete items with what is below them; copies go to the trash of this machine."""
    store.lookups.need_writer()
    extent = store.deletions.extent([item.id for item in items])
    stay = f"; {counted(extent.children, 'item')} below them stay" if extent.children else ""
    note(arguments, f"with the items go {', '.join(extent.parts()) or 'no tasks, comments or files'}{stay}")
    confirm_count(arguments, len(items), "Delete for good", is_grave=True)
    things = [
        ThingChange(each.id, id_of(each.id), (FieldChangeRow("item", each.type, "deleted"),), name=each.name)
        for each in items
    ]
    report = carry_out(arguments, store, things, lambda _: store.deletions.delete_items([each.id for each in items]))
    return write_report(arguments, report, store)
