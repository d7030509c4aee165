"""One item as a page of text: its fields between two rules, its description under them, then its other long texts."""

from collections.abc import Iterator, Mapping, Sequence

from backlit.model.fields import Field, Kind, Settable
from backlit.store.records.item import Item
from backlit.tui.fields.line_endings import lines_of, merged
from backlit.tui.fields.parser import FieldReading, TextFault
from backlit.tui.fields.values import NOTHING, FieldWords

RULE = "---"
BODY = "Description"
_REMARK = "# {} {}, written when the editor is left. A line that is taken out changes nothing."


def page_of(item: Item, fields: Sequence[Field], words: FieldWords) -> str:
    """The text of an item; lines of its fields that begin with # are remarks."""
    lines = [RULE, _REMARK.format(f"#{item.id}" if item.id > 0 else "new", item.type)]
    lines += [f"{label}: {_shown(field, item, words)}".rstrip() for label, field in _labelled(fields).items()]
    for heading, field in _headed(item, fields).items():
        lines += [heading, *_body(item, field)]
    return "\n".join(lines) + "\n"


def read_page(
    text: str, original: str, item: Item, fields: Sequence[Field], reading: FieldReading
) -> dict[str, object]:
    """What was changed on a page of the item as it was then; raises TextFault with the place of what cannot be read."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    headed = _headed(item, fields)
    starts = _starts(lines, list(headed))
    changes = _changed_fields(lines[: starts[0]], original.split("\n"), item, fields, reading)
    for field, start, end in zip(headed.values(), starts, [*starts[1:], len(lines)], strict=True):
        body = _without_blank_end(lines[start + 1 : end])
        if body != _body(item, field):
            before = str(item.fields.get(field.key) or "")
            blank_end = lines_of(before)[len(_body(item, field)) :]
            changes[field.key] = merged(before, [*body, *blank_end]) if body else ""
    return changes


def _changed_fields(
    lines: Sequence[str], original: Sequence[str], item: Item, fields: Sequence[Field], reading: FieldReading
) -> dict[str, object]:
    labelled = {label.casefold(): field for label, field in _labelled(fields).items()}
    before = dict(_cut(line, labelled) for line in original[: original.index(RULE, 1)])
    changes: dict[str, object] = {}
    given: set[str] = set()
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.startswith("#"):
            continue
        label, value = _cut(line, labelled)
        if label not in labelled:
            name = line.partition(":")[0].strip()[:40]
            raise TextFault(number, 1, f"“{name}” is no field of a {item.type.lower()} that can be set.")
        if label in given:
            raise TextFault(number, 1, f"{labelled[label].label} stands here a second time.")
        given.add(label)
        if value.strip() != before.get(label, "").strip():
            field, column = labelled[label], len(line) - len(value.lstrip()) + 1
            changes[field.key] = reading.read_at(field, item, value, number, column)
    return changes


def _cut(line: str, labelled: Mapping[str, Field]) -> tuple[str, str]:
    """The longest known label that a line begins with, and what follows its colon; no label where it has none."""
    colons = (at for at in range(len(line) - 1, -1, -1) if line[at] == ":")
    found = ((line[:at].strip().casefold(), line[at + 1 :]) for at in colons)
    return next((each for each in found if each[0] in labelled), ("", ""))


def _starts(lines: Sequence[str], headings: Sequence[str]) -> list[int]:
    """Where the fields end and the long texts begin; a text goes on to the line that begins the next one."""
    if lines[0].strip() != RULE:
        raise TextFault(1, 1, f"The page begins with a line of {RULE}.")
    starts, at = [], 0
    for heading in headings:
        at = next((number for number in range(at + 1, len(lines)) if lines[number].strip() == heading), 0)
        if not at:
            between = "between the fields and the description" if heading == RULE else "which begins a text"
            raise TextFault(len(lines), 1, f"A line of {heading} is missing, {between}.")
        starts.append(at)
    return starts


def _labelled(fields: Sequence[Field]) -> dict[str, Field]:
    """The fields on a page by the names that they have there: of two with one label the later goes by its key."""
    found: dict[str, Field] = {}
    for field in _settable(fields):
        if field.kind is not Kind.LONG_TEXT:
            taken = {label.casefold() for label in found}
            found[field.key if field.label.casefold() in taken else field.label] = field
    return found


def _headed(item: Item, fields: Sequence[Field]) -> dict[str, Field]:
    """The long texts by the lines that begin them; only the description where a text has such a line itself."""
    texts = [field for field in _settable(fields) if field.kind is Kind.LONG_TEXT]
    headed = {RULE if field.key == BODY else f"{RULE} {field.label} {RULE}": field for field in texts}
    is_clear = all(line.strip() not in headed or line.strip() == RULE for field in texts for line in _body(item, field))
    return headed if is_clear and len(headed) == len(texts) else {RULE: headed[RULE]}


def _settable(fields: Sequence[Field]) -> Iterator[Field]:
    return (field for field in fields if field.settable is Settable.ALWAYS)


def _shown(field: Field, item: Item, words: FieldWords) -> str:
    text = words.shown(field, item.fields.get(field.key))
    return "" if text == NOTHING else " ".join(text.split())


def _body(item: Item, field: Field) -> list[str]:
    return _without_blank_end(lines_of(str(item.fields.get(field.key) or "")))


def _without_blank_end(lines: Sequence[str]) -> list[str]:
    end = next((at for at in range(len(lines), 0, -1) if lines[at - 1].strip()), 0)
    return list(lines[:end])
