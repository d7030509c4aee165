"""Comments on items."""

import argparse
from collections.abc import Iterable, Sequence

from backlit.cli.changes import FieldChangeRow, ThingChange, carry_out, confirm_count, write_report
from backlit.cli.commands.config import edited
from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.selection import item_numbered
from backlit.cli.synced import read_input, synced_store
from backlit.cli.terminal_input import PIPE
from backlit.model.dates import named_day
from backlit.model.errors import NotFound
from backlit.store.edits.checks import check_text, quoted
from backlit.store.records.entry import EntryKind, OutboxEntry
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.items import CommentEntry

COMMENT_COLUMNS = (
    Column("id", "ID", is_right=True),
    Column("at", "When"),
    Column("author", "Author"),
    Column("customersSee", "Customers see", is_usual=False),
    Column("unsent", "Unsent", is_usual=False),
    Column("text", "Text"),
)
_PROJECT_COLUMNS = (Column("item", "Item", is_right=True), *COMMENT_COLUMNS)


def list_comments(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, COMMENT_COLUMNS if arguments.id else _PROJECT_COLUMNS)
    with synced_store(arguments, is_listing=True) as store:
        found: Sequence[CommentEntry]
        if arguments.id:
            found = store.comments.of_item(item_numbered(store, arguments.id).id)
        else:
            found = store.comments.of_project(store.lookups.need_project())
        if arguments.since:
            begin = store.times().start_of(named_day(arguments.since, store.local_today(), "--since"))
            found = [each for each in found if each.created_at is None or each.created_at >= begin]
        write_rows(arguments, columns, comment_rows(found), local=store.local, nothing="There are no comments.")


def comment_rows(comments: Iterable[CommentEntry]) -> list[Row]:
    return [
        {
            "item": id_of(each.item_id),
            "id": id_of(each.id),
            "at": each.created_at,
            "author": each.author,
            "customersSee": not each.is_internal,
            "unsent": each.pending,
            "text": each.text,
        }
        for each in comments
    ]


def add_comment(arguments: argparse.Namespace) -> int:
    is_typed = arguments.text not in {None, PIPE}
    text = arguments.text if is_typed else "" if arguments.edit else read_input(PIPE, "comment")
    with synced_store(arguments, is_writing=True) as store:
        item = item_numbered(store, arguments.id)
        if arguments.quote is not None:
            text = f"{quoted(_comment_of(store, item, arguments.quote).text)}{text}"
        if arguments.edit:
            text = edited(text)
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
        comment = _comment_of(store, item, arguments.comment)
        confirm_count(arguments, 1, "Delete for good", noun="comment", is_grave=True)
        first = next((line for line in comment.text.splitlines() if line.strip()), "")
        thing = ThingChange(item.id, id_of(item.id), (FieldChangeRow("comment", first, "deleted"),), name=item.name)
        report = carry_out(
            arguments, store, [thing], lambda _: store.deletions.delete_comment(arguments.comment), finds=_is_of_comment
        )
        return write_report(arguments, report, store)


def _comment_of(store: Store, item: Item, number: int) -> CommentEntry:
    found = next((each for each in store.comments.of_item(item.id) if each.id == number), None)
    if found is None:
        raise NotFound(f"Item {id_of(item.id)} has no comment {number}. See: backlit comments list {id_of(item.id)}")
    return found


def _is_of_comment(_thing: ThingChange, entry: OutboxEntry) -> bool:
    return entry.kind in {EntryKind.COMMENT, EntryKind.DELETE_COMMENT}
