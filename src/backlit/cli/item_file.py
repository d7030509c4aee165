"""Items as a file for an editor: one as lines of fields above its description, several as a table."""

import argparse
from collections.abc import Mapping, Sequence

from backlit.cli.assignments import Assignment
from backlit.cli.item_fields import ItemFields
from backlit.cli.listing import cell_text, chosen_columns
from backlit.model.errors import UsageFault
from backlit.model.plain import plain
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store

FIELDS = ("name", "status", "est", "owner", "iter", "area", "team", "tags")
DESCRIPTION = "Description"
FENCE = "---"
NOTE = "# A line that is removed leaves its field as it is; an empty value takes the value away."

Texts = Mapping[str, str]
"""Values of an item by the names of fields, as the file has them."""


class ItemFile:
    """The file that is edited, and what was changed in it. A new item has the number 0."""

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
        title = f"# {item.type} {number if item.id else 'new'}"
        lines = [FENCE, title, NOTE, *(f"{name}: {text}" for name, text in texts.items()), FENCE]
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
