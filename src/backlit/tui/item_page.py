"""One item as a page of text: its fields between two rules, its description under them."""

from collections.abc import Iterator, Sequence

from backlit.model.fields import Field, Kind, Settable
from backlit.store.rows import Item
from backlit.tui.field_reading import FieldReading, TextFault
from backlit.tui.field_text import NOTHING, FieldWords
from backlit.tui.kept_text import merged

RULE = "---"
BODY = "Description"


def page_of(item: Item, fields: Sequence[Field], words: FieldWords) -> str:
    """The text of an item; lines that begin with # are remarks."""
    number = f"#{item.id}" if item.id > 0 else "new"
    lines = [RULE, f"# {number} {item.type}. What is changed here is written when the editor is left."]
    lines += [f"{field.label}: {_shown(field, item, words)}".rstrip() for field in _on_page(fields)]
    return "\n".join([*lines, RULE, *_body(item)]) + "\n"


def read_page(
    text: str, original: str, item: Item, fields: Sequence[Field], reading: FieldReading
) -> dict[str, object]:
    """What was changed on a page; raises TextFault with the place of what cannot be read."""
    lines = text.replace("\r\n", "\n").split("\n")
    end = _end_of_fields(lines)
    before = set(original.split("\n"))
    by_label = {field.label.casefold(): field for field in _on_page(fields)}
    changes: dict[str, object] = {}
    for number, line in enumerate(lines[1:end], 2):
        if not line.strip() or line.startswith("#") or line.rstrip() in before:
            continue
        label, colon, value = line.partition(":")
        field = by_label.get(label.strip().casefold())
        if not colon or field is None:
            raise TextFault(number, 1, f"“{label.strip()[:40]}” is no field of a {item.type.lower()} that can be set.")
        changes[field.key] = reading.read_at(field, item, value, number, len(label) + 2 + value.startswith(" "))
    body = lines[end + 1 :]
    while body and not body[-1].strip():
        body.pop()
    if body != _body(item):
        changes[BODY] = merged(str(item.fields.get(BODY) or ""), body)
    return changes


def _end_of_fields(lines: Sequence[str]) -> int:
    if not lines or lines[0].strip() != RULE:
        raise TextFault(1, 1, f"The page begins with a line of {RULE}.")
    for number, line in enumerate(lines[1:], 1):
        if line.strip() == RULE:
            return number
    raise TextFault(len(lines), 1, f"A line of {RULE} is missing between the fields and the description.")


def _on_page(fields: Sequence[Field]) -> Iterator[Field]:
    return (field for field in fields if field.settable is Settable.ALWAYS and field.kind is not Kind.LONG_TEXT)


def _shown(field: Field, item: Item, words: FieldWords) -> str:
    text = words.shown(field, item.fields.get(field.key))
    return "" if text == NOTHING else " ".join(text.split())


def _body(item: Item) -> list[str]:
    lines = str(item.fields.get(BODY) or "").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    return lines
