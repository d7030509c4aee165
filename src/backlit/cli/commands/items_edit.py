"""Items in the user's editor."""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from backlit.cli.assignments import Assignment, AssignmentReader
from backlit.cli.commands.config import open_in_editor
from backlit.cli.commands.items_set import change_items
from backlit.cli.item_file import FIELDS, ItemFile
from backlit.cli.selection import item_numbered, selected_items
from backlit.cli.synced import synced_store
from backlit.model.errors import BacklitError, BadRequest, Conflict
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.records.merge import is_same
from backlit.store.store import Store


def edit_items(arguments: argparse.Namespace) -> int:
    """Open items in the editor, then change what was changed there, as `items set` does."""
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        items = selected_items(store, arguments.words, arguments)
        file = ItemFile(store, items, _names(store, arguments, items))
        with left_in_editor(file.text, ".md" if len(items) == 1 else ".tsv") as written:
            wanted = file.changed(written)
            _need_same(store, items, wanted)
            reader = AssignmentReader(store, takes_files=False)
            kept = [item for item in items if item.id in wanted]
            return change_items(arguments, store, kept, lambda item: reader.changes(wanted[item.id], item.type, item))


@contextmanager
def left_in_editor(text: str, suffix: str) -> Iterator[str]:
    """Yield a text as the user left it in the editor; its file is kept where the block refuses it."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", prefix="backlit-", suffix=suffix, delete=False
    ) as file:
        file.write(text)
    path = Path(file.name)
    try:
        open_in_editor(path)
        written = path.read_text(encoding="utf-8")
        if not written.strip():
            raise BadRequest("Cancelled: no changes were made.")
        yield written
    except (BacklitError, UnicodeDecodeError):
        print(f"backlit: Your text is kept in {path}", file=sys.stderr)
        raise
    path.unlink(missing_ok=True)


def _names(store: Store, arguments: argparse.Namespace, items: Sequence[Item]) -> list[str]:
    """Return the fields to edit: those of --fields, else the usual ones that one of the items can have."""
    asked = [each.strip() for each in (arguments.fields or "").split(",") if each.strip()]
    reader = AssignmentReader(store)
    for name in asked:
        reader.field(name)
    types = {item.type for item in items}
    return asked or [name for name in FIELDS if types & set(reader.field(name).types)]


def _need_same(store: Store, items: Iterable[Item], wanted: Mapping[int, Sequence[Assignment]]) -> None:
    """Raise Conflict where somebody changed meanwhile what was changed in the editor."""
    reader = AssignmentReader(store)
    for item in items:
        now = item_numbered(store, str(id_of(item.id))) if item.id in wanted else item
        for each in wanted.get(item.id, ()):
            key = reader.field(each.name).key
            if not is_same(now.fields.get(key), item.fields.get(key)):
                raise Conflict(
                    f"Somebody changed {key} of item {id_of(item.id)} while you edited it. No changes were made."
                )
