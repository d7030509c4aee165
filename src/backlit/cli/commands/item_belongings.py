"""What `items show` adds to an item: its comments, its files and its history."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from backlit.cli.commands.comments import COMMENT_COLUMNS, comment_rows
from backlit.cli.commands.files import FILE_COLUMNS, file_rows
from backlit.cli.commands.items_history import EVENT_COLUMNS, event_rows
from backlit.cli.listing import Column, Row, cell_text, flat_documents
from backlit.cli.output import table
from backlit.store.records.item import Item
from backlit.store.store import Store


class _Part(NamedTuple):
    """A part by the option that asks for it; the text of an item has its comments anyway."""

    title: str
    columns: Sequence[Column]
    rows: Callable[[argparse.Namespace, Store, Item], list[Row]]
    is_in_text: bool = True


_PARTS = {
    "comments": _Part(
        "Comments", COMMENT_COLUMNS, lambda _, store, item: comment_rows(store.comments.of_item(item.id)), False
    ),
    "files": _Part("Files", FILE_COLUMNS, lambda _, store, item: file_rows(store, item)),
    "history": _Part("History", EVENT_COLUMNS, event_rows),
}


def belongings(arguments: argparse.Namespace, store: Store, item: Item) -> dict[str, Any]:
    """Return what the item's document has beside it, by key."""
    return {
        name: flat_documents(part.columns, part.rows(arguments, store, item))
        for name, part in _PARTS.items()
        if getattr(arguments, name)
    }


def belonging_lines(arguments: argparse.Namespace, store: Store, item: Item) -> Iterator[str]:
    for name, part in _PARTS.items():
        if part.is_in_text and getattr(arguments, name):
            usual = [each for each in part.columns if each.is_usual]
            rows = part.rows(arguments, store, item)
            cells = [[cell_text(row.get(each.name), store.local) for each in usual] for row in rows]
            yield from ("", part.title, *(table([each.heading for each in usual], cells) if cells else ["none"]))
