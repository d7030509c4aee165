"""The history of an item."""

import argparse

from backlit.cli.commands.items_set import change_row
from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.output import note
from backlit.cli.selection import item_numbered
from backlit.cli.synced import synced_store
from backlit.store.field_words import FieldWords
from backlit.store.records.changes import ConnectionState
from backlit.store.records.item import Item
from backlit.store.store import Store

EVENT_COLUMNS = (
    Column("when", "When"),
    Column("who", "Who"),
    Column("what", "What"),
    Column("field", "Field"),
    Column("before", "Before"),
    Column("after", "After"),
)


def list_changes(arguments: argparse.Namespace) -> None:
    """Write a row for each changed field, the latest change first."""
    columns = chosen_columns(arguments, EVENT_COLUMNS)
    with synced_store(arguments) as store:
        rows = event_rows(arguments, store, item_numbered(store, arguments.id))
        write_rows(arguments, columns, rows, local=store.local)


def event_rows(arguments: argparse.Namespace, store: Store, item: Item) -> list[Row]:
    """Return a row for each changed field, read from the server where it is in reach; note what is missing."""
    if store.connection.state is ConnectionState.ONLINE:
        store.run(store.item_history.read(item.id))
    source = store.item_history.source(item.id)
    if not source.is_recorded:
        note(arguments, "The server keeps no history: this is what this machine has seen.")
    elif source.has_more:
        note(arguments, "Older changes are on the server.")
    words, rows = FieldWords(store), list[Row]()
    for event in store.item_history.of_item(item):
        head: dict[str, object] = {"when": event.at, "who": event.author or None, "what": event.kind.value}
        for change in event.fields:
            told = change_row(store, words, change.key, change.before, change.after)
            rows.append(head | {"field": told.field, "before": told.before, "after": told.after})
        if not event.fields:
            rows.append(head | {"field": None, "before": None, "after": event.text or None})
    return rows
