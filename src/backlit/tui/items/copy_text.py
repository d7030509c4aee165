"""Commands that copy items to the clipboard."""

import json
from collections.abc import Iterable, Sequence

from backlit.store.records.item import Item
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.fields.values import FieldWords
from backlit.tui.items.table_text import table_of
from backlit.tui.items.target import ItemTarget

CLIPBOARD_LIMIT = 70_000
"""Bytes that terminals take; their escape sequence is longer by a third."""


def copy_id(target: ItemTarget, call: Call) -> None:
    """Copy the numbers."""
    _copy(target, ", ".join(str(item.id) for item in target.chosen(call.rows)))


def copy_name(target: ItemTarget, call: Call) -> None:
    """Copy the names."""
    _copy(target, "\n".join(_name(item) for item in target.chosen(call.rows)))


def copy_markdown(target: ItemTarget, call: Call) -> None:
    """Copy a line of Markdown for each item."""
    _copy(target, "\n".join(markdown_of(target.chosen(call.rows))))


def copy_table(target: ItemTarget, call: Call) -> None:
    """Copy a table with tabs between the columns."""
    _copy(target, table_of(target.chosen(call.rows), FieldWords(target.store)))


def copy_json(target: ItemTarget, call: Call) -> None:
    """Copy as JSON: one object, or a list of them."""
    documents = [document_of(item) for item in target.chosen(call.rows)]
    _copy(target, json.dumps(documents[0] if len(documents) == 1 else documents, ensure_ascii=False, indent=2))


def _copy(target: ItemTarget, text: str) -> None:
    size = len(text.encode())
    if size > CLIPBOARD_LIMIT:
        raise CannotAct(f"{size:,} bytes are more than a terminal's clipboard takes; mark fewer items.")
    target.copy(text)
    lines = text.splitlines()
    first = " ".join(lines[0].split())[:60] if lines else "nothing"
    target.say(f"Copied {first}" + (f" … {len(lines):,} lines" if len(lines) > 1 else ""))


def markdown_of(items: Iterable[Item]) -> Sequence[str]:
    """Return a list entry for each item: its number, name, type, status and estimate."""
    return [f"- #{item.id} {_name(item)} ({', '.join(_remarks(item))})" for item in items]


def document_of(item: Item) -> dict[str, object]:
    """Return an item as the interface has it, with pending changes."""
    return {"id": item.id, "type": item.type, "projectId": item.project_id, "fields": dict(item.fields)}


def _remarks(item: Item) -> Iterable[str]:
    yield item.type
    for key in ("Status", "Estimate"):
        value = item.fields.get(key)
        if value:
            yield f"{value} pts" if key == "Estimate" and str(value).replace(".", "").isdigit() else str(value)


def _name(item: Item) -> str:
    return str(item.fields.get("Name") or "")
