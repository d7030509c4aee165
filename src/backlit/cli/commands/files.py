"""Files of work items."""

import argparse
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from backlit.cli.changes import confirm_count
from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.output import note
from backlit.cli.selection import item_numbered
from backlit.cli.synced import read_bytes, synced_store
from backlit.cli.terminal_input import PIPE
from backlit.config.atomic_files import writing_to
from backlit.model.errors import NotFound, StorageError, UsageFault
from backlit.model.plain import file_name, local_file_name, plain
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
    if (PIPE in arguments.paths) != bool(arguments.name):
        raise UsageFault("Name the file of standard input, and only that: backlit files add 12 - --name log.txt")
    paths = [Path(each).expanduser() for each in arguments.paths if each != PIPE]
    for path in paths:
        if not path.is_file():
            raise StorageError(f"{plain(str(path), 200)} is not a file. No files were attached.")
    with ExitStack() as end:
        if arguments.name:
            paths.append(Path(end.enter_context(tempfile.TemporaryDirectory())) / file_name(arguments.name))
            paths[-1].write_bytes(read_bytes(PIPE, "file"))
        store = end.enter_context(synced_store(arguments, is_writing=True))
        item = item_numbered(store, arguments.id)
        for path in paths:
            number = None if arguments.dry_run else store.run(_attached(store, item, path, arguments))
            _write(f"{number or 'new'}\t{path.name}")


async def _attached(store: Store, item: Item, path: Path, arguments: argparse.Namespace) -> int:
    kind = FOR_CUSTOMERS if arguments.customers_see else None
    number = await store.transfers.upload(item.id, path, say_nothing, kind=kind)
    if arguments.description:
        await store.transfers.describe(number, arguments.description)
    return number


def get_files(arguments: argparse.Namespace) -> None:
    """Save files in a directory, or the one file under the name of --output."""
    if arguments.all is not None and arguments.files:
        raise UsageFault("--all saves all files. Leave out their numbers, or use --folder.")
    output = Path(arguments.output).expanduser() if arguments.output not in {None, PIPE} else None
    folder = Path(arguments.all or arguments.folder).expanduser() if output is None else output.parent
    with synced_store(arguments, is_writing=True) as store:
        item = item_numbered(store, arguments.id)
        numbers = arguments.files or [each.id for each in store.attachments.of_item(item.id)]
        entries = [_file_of(store, item, number) for number in numbers]
        if arguments.output is not None and len(entries) != 1:
            raise UsageFault(f"--output is for one file; here are {len(entries)}. Name one, or use --folder.")
        if arguments.output == PIPE:
            _write_contents(arguments, store, entries[0])
            return
        if arguments.all is not None and not arguments.dry_run:
            with writing_to(folder):
                folder.mkdir(parents=True, exist_ok=True)
        if not folder.is_dir() and not (arguments.all and arguments.dry_run):
            raise StorageError(f"{plain(str(folder), 200)} is not a directory. Make it first.")
        for entry in entries:
            name = output.name if output is not None else local_file_name(entry.name)
            if (folder / name).exists() and (arguments.no_clobber or output is not None):
                if not arguments.no_clobber:
                    raise StorageError(f"{plain(str(output), 200)} is there already. Name another file, or remove it.")
                note(arguments, f"{plain(str(folder / name), 200)} is there already: left out.")
                continue
            if not arguments.dry_run:
                name = str(store.run(store.transfers.download(entry.id, folder, say_nothing, name)))
            _write(f"{entry.id}\t{name}")


def _write_contents(arguments: argparse.Namespace, store: Store, entry: AttachmentEntry) -> None:
    """Write the contents of a file to standard output."""
    if arguments.dry_run:
        return
    with tempfile.TemporaryDirectory(prefix="backlit-") as folder:
        path = store.run(store.transfers.download(entry.id, Path(folder), say_nothing, "contents"))
        with path.open("rb") as contents:
            sys.stdout.flush()
            shutil.copyfileobj(contents, sys.stdout.buffer)


def describe_file(arguments: argparse.Namespace) -> None:
    with synced_store(arguments, is_writing=True) as store:
        entry = _file_of(store, item_numbered(store, arguments.id), arguments.file)
        if not arguments.dry_run:
            store.run(store.transfers.describe(entry.id, arguments.text))
        _write(f"{entry.id}\t{entry.name}\t{arguments.text}")


def delete_file(arguments: argparse.Namespace) -> None:
    with synced_store(arguments, is_writing=True) as store:
        entry = _file_of(store, item_numbered(store, arguments.id), arguments.file)
        confirm_count(arguments, 1, "Delete for good", noun="file", is_grave=True)
        if not arguments.dry_run:
            store.run(store.transfers.delete(entry.id))
        _write(f"{entry.id}\t{entry.name}\tdeleted")


def _file_of(store: Store, item: Item, number: int) -> AttachmentEntry:
    found = next((each for each in store.attachments.of_item(item.id) if each.id == number), None)
    if found is None:
        raise NotFound(f"Item {id_of(item.id)} has no file {number}. See: backlit files list {id_of(item.id)}")
    return found


def _write(row: str) -> None:
    print("\t".join(map(plain, row.split("\t"))))


def say_nothing(_done: int, _total: int) -> None:
    """Take the progress of a transfer."""
    return
