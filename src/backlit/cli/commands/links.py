"""Web links of items."""

import argparse

from backlit.cli.changes import FieldChangeRow, carry_out_on_item, confirm_count
from backlit.cli.item_parts import link_document
from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.selection import item_numbered
from backlit.cli.synced import synced_store
from backlit.model.errors import BadRequest, NotFound
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store

_COLUMNS = (Column("id", "ID", is_right=True), Column("text", "Name"), Column("url", "Address"))
_NOUN = "link"


def list_links(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _COLUMNS)
    with synced_store(arguments, is_listing=True) as store:
        item = item_numbered(store, arguments.id)
        rows = [link_document(each) for each in store.links.of_item(item.id)]
        write_rows(arguments, columns, rows, nothing="The item has no web links.")


def add_link(arguments: argparse.Namespace) -> int:
    with synced_store(arguments, is_writing=True) as store:
        item = _item_with_links(store, arguments)
        text = arguments.text.strip()
        store.link_edits.checked({"displayText": text or arguments.url, "url": arguments.url})
        row = FieldChangeRow(_NOUN, "", f"{text} {arguments.url}".strip())
        return carry_out_on_item(
            arguments, store, item, [row], lambda: store.link_edits.add(item.id, text, arguments.url)
        )


def delete_link(arguments: argparse.Namespace) -> int:
    with synced_store(arguments, is_writing=True) as store:
        item = _item_with_links(store, arguments)
        found = [each for each in store.links.of_item(item.id) if str(id_of(each.id)) == arguments.link]
        if not found:
            number = id_of(item.id)
            raise NotFound(f"Item {number} has no link {arguments.link}. See: backlit links list {number}")
        confirm_count(arguments, 1, "Delete", noun=_NOUN)
        row = FieldChangeRow(_NOUN, f"{found[0].text} {found[0].url}", "deleted")
        return carry_out_on_item(
            arguments, store, item, [row], lambda: store.link_edits.delete([found[0].id]), is_deletion=True
        )


def _item_with_links(store: Store, arguments: argparse.Namespace) -> Item:
    if not store.lookups.announces("links"):
        raise BadRequest(store.link_edits.missing)
    return item_numbered(store, arguments.id)
