"""Items in the user's editor: one as lines of fields above its description, several as a table."""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from backlit.cli.assignments import Assignment, AssignmentReader
from backlit.cli.commands.config import open_in_editor
from backlit.cli.commands.items_set import change_items
from backlit.cli.item_fields import ItemFields
from backlit.cli.listing import cell_text, chosen_columns
from backlit.cli.selection import item_numbered, selected_items
from backlit.cli.synced import synced_store
from backlit.model.errors import BacklitError, BadRequest, Conflict, UsageFault
from backlit.model.plain import plain
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.records.merge import is_same
from backlit.store.store import Store

FIELDS = ("name", "status", "est", "owner", "iter", "area", "team", "tags")
DESCRIPTION = "Description"
FENCE = "---"
NOTE = "# A line that is removed leaves its field as it is; an empty value takes the value away."

Texts = Mapping[str, str]
"""Values of an item by the names of fields, as the file has them."""


def edit_items(arguments: argparse.Namespace) -> int:
    """Open items in the editor, then change what was changed there, as `items set` does."""
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        items = selected_items(store, arguments.words, arguments)
        names = _names(store, arguments, items)
        file = _ItemFile(store, items, names)
        path = _new_file(file.text, ".md" if len(items) == 1 else ".tsv")
        try:
            open_in_editor(path)
            written = path.read_text(encoding="utf-8")
            if not written.strip():
                raise BadRequest("Cancelled: no changes were made.")
            wanted = file.changed(written)
            _need_same(store, items, wanted)
            reader = AssignmentReader(store, takes_files=False)
            kept = [item for item in items if item.id in wanted]
            status = change_items(arguments, store, kept, lambda item: reader.changes(wanted[item.id], item.type, item))
        except (BacklitError, UnicodeDecodeError):
            print(f"backlit: Your text is kept in {path}", file=sys.stderr)
            raise
        path.unlink(missing_ok=True)
        return status


def _names(store: Store, arguments: argparse.Namespace, items: Sequence[Item]) -> list[str]:
    """Return the fields to edit: those of --fields, else the usual ones that one of the items can have."""
    asked = [each.strip() for each in (arguments.fields or "").split(",") if each.strip()]
    reader = AssignmentReader(store)
    for name in asked:
        reader.field(name)
    types = {item.type for item in items}
    return asked or [name for name in FIELDS if types & set(reader.field(name).types)]


def _new_file(text: str, suffix: str) -> Path:
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", prefix="backlit-", suffix=suffix, delete=False
    ) as file:
        file.write(text)
    return Path(file.name)


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


class _ItemFile:
    """The file that is edited, and what was changed in it."""

    def __init__(self, store: Store, items: Sequence[Item], names: Sequence[str]) -> None:
        fields = ItemFields(store)
        arguments = argparse.Namespace(json=False, columns=tuple(names))
        columns = chosen_columns(arguments, fields.columns())
        rows = fields.rows(items, columns)
        self._names = list(names)
        self._texts: dict[str, Texts] = {
            str(id_of(item.id)): {
                name: plain(cell_text(row.get(column.name), None)) for name, column in zip(names, columns, strict=True)
            }
            for item, row in zip(items, rows, strict=True)
        }
        self._items = {str(id_of(item.id)): item for item in items}
        self._is_single = len(items) == 1
        self.text = self._page() if self._is_single else self._table()

    def _page(self) -> str:
        ((number, texts),) = self._texts.items()
        item = self._items[number]
        lines = [FENCE, f"# {item.type} {number}", NOTE, *(f"{name}: {text}" for name, text in texts.items()), FENCE]
        text = "\n".join([*lines, self._description(item)])
        return text if text.endswith("\n") else f"{text}\n"

    @staticmethod
    def _description(item: Item) -> str:
        return str(item.fields.get(DESCRIPTION) or "").replace("\r\n", "\n")

    def _table(self) -> str:
        rows = [[number, *texts.values()] for number, texts in self._texts.items()]
        return "".join("\t".join(row) + "\n" for row in [["id", *self._names], *rows])

    def changed(self, written: str) -> dict[int, list[Assignment]]:
        """Return what was changed of each item; raise UsageFault that names the line."""
        lines = written.replace("\r\n", "\n").split("\n")
        found = self._page_changes(lines) if self._is_single else self._table_changes(lines)
        return {self._items[number].id: each for number, each in found.items() if each}

    def _page_changes(self, lines: Sequence[str]) -> dict[str, list[Assignment]]:
        ((number, texts),) = self._texts.items()
        if lines[0].strip() != FENCE or FENCE not in (line.rstrip() for line in lines[1:]):
            raise UsageFault(f"The fields must stand between two lines of {FENCE}, at the top. No changes were made.")
        end = next(at for at, line in enumerate(lines) if at and line.rstrip() == FENCE)
        values: dict[str, str] = {}
        for at, line in enumerate(lines[1:end], 2):
            name, colon, text = line.partition(":")
            if line.strip() and not line.lstrip().startswith("#"):
                if not colon:
                    raise UsageFault(f"Line {at}: write a field as name: value. No changes were made.")
                values[name.strip()] = text.strip()
        found = _assignments(values, texts)
        body, before = "\n".join(lines[end + 1 :]), self._description(self._items[number])
        if body.rstrip("\n") != before.rstrip("\n"):
            found.append(Assignment(DESCRIPTION, "=", body if before.endswith("\n") else body.removesuffix("\n")))
        return {number: found}

    def _table_changes(self, lines: Sequence[str]) -> dict[str, list[Assignment]]:
        heading, *rest = [line.split("\t") for line in lines]
        if heading[0] != "id":
            raise UsageFault("Line 1: the headings begin with id. No changes were made.")
        found: dict[str, list[Assignment]] = {}
        for at, (number, *cells) in enumerate(rest, 2):
            if not number.strip():
                continue
            if number not in self._texts:
                raise UsageFault(f"Line {at}: {plain(number, 40)} is none of the items. No changes were made.")
            if len(cells) != len(heading) - 1:
                raise UsageFault(
                    f"Line {at}: there are {len(cells) + 1} columns, not {len(heading)}. No changes were made."
                )
            found[number] = _assignments(dict(zip(heading[1:], cells, strict=True)), self._texts[number])
        return found


def _assignments(values: Texts, before: Texts) -> list[Assignment]:
    return [
        Assignment(name, "=", text.strip())
        for name, text in values.items()
        if text.strip() != before.get(name, "").strip()
    ]
