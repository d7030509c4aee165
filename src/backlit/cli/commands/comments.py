"""Comments on items."""

import argparse

from backlit.cli.changes import FieldChangeRow, ThingChange, carry_out, confirm_count, write_report
from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.selection import item_numbered
from backlit.cli.synced import read_input, synced_store
from backlit.cli.terminal_input import PIPE
from backlit.model.errors import NotFound
from backlit.store.edits.checks import check_text
from backlit.store.records.entry import EntryKind, OutboxEntry
from backlit.store.records.entry_values import id_of

_COLUMNS = (
    Column("id", "ID", is_right=True),
    Column("at", "When"),
    Column("author", "Author"),
    Column("customersSee", "Customers see", is_usual=False),
    Column("unsent", "Unsent", is_usual=False),
    Column("text", "Text"),
)


def list_comments(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _COLUMNS)
    with synced_store(arguments, is_listing=True) as store:
        item = item_numbered(store, arguments.id)
        rows = [
            {
                "id": id_of(each.id),
                "at": each.created_at,
                "author": each.author,
                "customersSee": not each.is_internal,
                "unsent": each.pending,
                "text": each.text,
            }
            for each in store.comments.of_item(item.id)
        ]
        write_rows(arguments, columns, rows, local=store.local, nothing="The item has no comments.")


def add_comment(arguments: argparse.Namespace) -> int:
    text = read_input(PIPE, "comment") if arguments.text == PIPE else arguments.text
    with synced_store(arguments, is_writing=True) as store:
        item = item_numbered(store, arguments.id)
        check_text(text, store.lookups.limits())
        first = next((line for line in text.splitlines() if line.strip()), "")
        thing = ThingChange(item.id, id_of(item.id), (FieldChangeRow("comment", "", first),), name=item.name)
        report = carry_out(
            arguments,
            store,
            [thing],
            lambda _: store.items.comment(item.id, text, for_customers=arguments.customers_see),
            finds=_is_of_comment,
        )
        return write_report(arguments, report, store)


def delete_comment(arguments: argparse.Namespace) -> int:
    with synced_store(arguments, is_writing=True) as store:
        item = item_numbered(store, arguments.id)
        found = [each for each in store.comments.of_item(item.id) if each.id == arguments.comment]
        if not found:
            raise NotFound(
                f"Item {id_of(item.id)} has no comment {arguments.comment}. See: backlit comments list {id_of(item.id)}"
            )
        confirm_count(arguments, 1, "Delete for good", noun="comment", is_grave=True)
        first = next((line for line in found[0].text.splitlines() if line.strip()), "")
        thing = ThingChange(item.id, id_of(item.id), (FieldChangeRow("comment", first, "deleted"),), name=item.name)
        report = carry_out(
            arguments, store, [thing], lambda _: store.deletions.delete_comment(arguments.comment), finds=_is_of_comment
        )
        return write_report(arguments, report, store)


def _is_of_comment(_thing: ThingChange, entry: OutboxEntry) -> bool:
    return entry.kind in {EntryKind.COMMENT, EntryKind.DELETE_COMMENT}
