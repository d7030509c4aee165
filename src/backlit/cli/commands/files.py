"""Files of work items."""

import argparse
import asyncio
from pathlib import Path

from backlit.cli.changes import confirm_count
from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.selection import item_numbered
from backlit.cli.synced import synced_store
from backlit.model.errors import NotFound, StorageError
from backlit.model.plain import plain
from backlit.store.records.entry import FOR_CUSTOMERS
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.items import AttachmentEntry

FILE_COLUMNS = (
    Column("id", "ID", is_right=True),
    Column("name", "Name"),
    Column("size", "Bytes", is_right=True),
    Column("by", "By"),
    Column("at", "When"),
    Column("customersSee", "Customers see", is_usual=False),
    Column("description", "Description", is_usual=False),
)


def list_files(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, FILE_COLUMNS)
    with synced_store(arguments, is_listing=True) as store:
        item = item_numbered(store, arguments.id)
        rows = file_rows(store, item)
        write_rows(arguments, columns, rows, local=store.local, nothing="The item has no files.")


def file_rows(store: Store, item: Item) -> list[Row]:
    return [
        {
            "id": each.id,
            "name": each.name,
            "size": each.size,
            "by": each.author,
            "at": each.created_at,
            "customersSee": not each.is_internal,
            "description": each.description or None,
        }
        for each in store.attachments.of_item(item.id)
    ]


def add_files(arguments: argparse.Namespace) -> None:
    """Attach files; a path that is no file is refused before the first one is sent."""
    paths = [Path(each).expanduser() for each in arguments.paths]
    for path in paths:
        if not path.is_file():
            raise StorageError(f"{plain(str(path), 200)} is not a file. No files were attached.")
    with synced_store(arguments, is_writing=True) as store:
        item = item_numbered(store, arguments.id)
        for path in paths:
            number = None if arguments.dry_run else asyncio.run(_attached(store, item, path, arguments))
            _write(f"{number or 'new'}\t{path.name}")


async def _attached(store: Store, item: Item, path: Path, arguments: argparse.Namespace) -> int:
    kind = FOR_CUSTOMERS if arguments.customers_see else None
    number = await store.transfers.upload(item.id, path, _nothing, kind=kind)
    if arguments.description:
        await store.transfers.describe(number, arguments.description)
    return number


def get_files(arguments: argparse.Namespace) -> None:
    with synced_store(arguments, is_writing=True) as store:
        item = item_numbered(store, arguments.id)
        numbers = arguments.files or [each.id for each in store.attachments.of_item(item.id)]
        folder = Path(arguments.folder).expanduser()
        if not folder.is_dir():
            raise StorageError(f"{plain(str(folder), 200)} is not a directory. Make it first.")
        for entry in [_file_of(store, item, number) for number in numbers]:
            name = entry.name
            if not arguments.dry_run:
                name = str(asyncio.run(store.transfers.download(entry.id, folder, _nothing)))
            _write(f"{entry.id}\t{name}")


def describe_file(arguments: argparse.Namespace) -> None:
    with synced_store(arguments, is_writing=True) as store:
        entry = _file_of(store, item_numbered(store, arguments.id), arguments.file)
        if not arguments.dry_run:
            asyncio.run(store.transfers.describe(entry.id, arguments.text))
        _write(f"{entry.id}\t{entry.name}\t{arguments.text}")


def delete_file(arguments: argparse.Namespace) -> None:
    with synced_store(arguments, is_writing=True) as store:
        entry = _file_of(store, item_numbered(store, arguments.id), arguments.file)
        confirm_count(arguments, 1, "Delete for good", noun="file", is_grave=True)
        if not arguments.dry_run:
            asyncio.run(store.transfers.delete(entry.id))
        _write(f"{entry.id}\t{entry.name}\tdeleted")


def _file_of(store: Store, item: Item, number: int) -> AttachmentEntry:
    found = next((each for each in store.attachments.of_item(item.id) if each.id == number), None)
    if found is None:
        raise NotFound(f"Item {id_of(item.id)} has no file {number}. See: backlit files list {id_of(item.id)}")
    return found


def _write(row: str) -> None:
    print("\t".join(map(plain, row.split("\t"))))


def _nothing(_done: int, _total: int) -> None:
    return
