"""The verbs that copy items to the clipboard, in the form that is wanted."""

import json
from collections.abc import Iterable, Sequence

from backlit.store.rows import Item
from backlit.tui.bulk import Bulk
from backlit.tui.field_text import FieldWords
from backlit.tui.item_table import table_of

CLIPBOARD_LIMIT = 70_000
"""Bytes from which terminals take no more (their sequence is longer by a third)."""


class CopyVerbs(Bulk):
    """The current item, or the marked ones."""

    def do_item_copy_id(self, _count: int | None) -> None:
        """Copy the id."""
        self._copy(", ".join(str(item.id) for item in self.chosen()))

    def do_item_copy_name(self, _count: int | None) -> None:
        """Copy the name."""
        self._copy("\n".join(_name(item) for item in self.chosen()))

    def do_item_copy_markdown(self, _count: int | None) -> None:
        """Copy a line of Markdown for each item."""
        self._copy("\n".join(markdown_of(self.chosen())))

    def do_item_copy_tsv(self, _count: int | None) -> None:
        """Copy a table with tabs between the columns."""
        self._copy(table_of(self.chosen(), FieldWords(self.store)))

    def do_item_copy_json(self, _count: int | None) -> None:
        """Copy as JSON: one object, or a list of them."""
        documents = [document_of(item) for item in self.chosen()]
        self._copy(json.dumps(documents[0] if len(documents) == 1 else documents, ensure_ascii=False, indent=2))

    def _copy(self, text: str) -> None:
        size = len(text.encode())
        if size > CLIPBOARD_LIMIT:
            self.say(f"{size:,} bytes are more than a terminal's clipboard takes; mark fewer.", is_bad=True)
            return
        self.app.copy_to_clipboard(text)
        lines = text.splitlines()
        first = " ".join(lines[0].split())[:60] if lines else "nothing"
        self.say(f"Copied {first}" + (f" … {len(lines):,} lines" if len(lines) > 1 else ""))


def markdown_of(items: Iterable[Item]) -> Sequence[str]:
    """A list entry for each item: its number, name, type, status and estimate."""
    return [f"- #{item.id} {_name(item)} ({', '.join(_remarks(item))})" for item in items]


def document_of(item: Item) -> dict[str, object]:
    """An item as the interface has it, with what is pending."""
    return {"id": item.id, "type": item.type, "projectId": item.project_id, "fields": dict(item.fields)}


def _remarks(item: Item) -> Iterable[str]:
    yield item.type
    for key in ("Status", "Estimate"):
        value = item.fields.get(key)
        if value:
            yield f"{value} pts" if key == "Estimate" and str(value).replace(".", "").isdigit() else str(value)


def _name(item: Item) -> str:
    return str(item.fields.get("Name") or "")
