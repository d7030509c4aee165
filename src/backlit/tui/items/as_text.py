"""Items as text: one is edited as a page and several as a table, and all are copied to the clipboard."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import estimate_text
from backlit.model.field_values import NOTHING
from backlit.model.fields import FIELD_BY_KEY, Field, ItemType, Kind, Settable, fields_of
from backlit.store.records.item import Item, counted_types, number_of
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.drawing.text import literal_block, shortened
from backlit.tui.fields.field_edits import FieldEdit
from backlit.tui.fields.values import ScreenFieldWords, TextFault, TextReading, lines_of, merged, raise_all
from backlit.tui.items.target import ItemTarget


class EditedText(Struct, frozen=True):
    """A text that was or is being edited: of which items, what it was made from, and how it is now.

    `seen` has the fields of the items as they were then: what others saved since is neither taken for a change of the
    user's nor overwritten.
    """

    ids: tuple[int, ...]
    original: str
    text: str
    seen: Mapping[int, Mapping[str, object]]

    @property
    def key(self) -> str:
        return f"text:{self.ids[0]}" if len(self.ids) == 1 else "text:marked"

    def content(self) -> Mapping[str, object]:
        seen = [[item_id, dict(fields)] for item_id, fields in self.seen.items()]
        return {"ids": list(self.ids), "original": self.original, "text": self.text, "seen": seen}


async def edit(target: ItemTarget, call: CommandContext) -> None:
    """Edit one item as a page or several as a table in $EDITOR; offers a text that was kept."""
    target.store.lookups.need_writer()
    items = target.chosen(call.rows)
    original = _text_of(target.store, items)
    written = EditedText(tuple(item.id for item in items), original, original, _seen(items))
    kept = _kept(target.store.drafts.find(written.key))
    if kept is not None:
        answers = [AnswerKey("k", "resume"), AnswerKey("n", "start over; the draft is discarded when you save")]
        sentence = "There is a draft that could not be read."
        key = await target.ask(ConfirmDialog("Edit as text", sentence, answers, "cancel"))
        if key is None:
            return
        written = kept if key == "k" else written
    await _edit(target, written)


async def _edit(target: ItemTarget, written: EditedText) -> None:
    """Open the text until it can be read or is left; it is kept on disk first, whatever is wrong with it."""
    while True:
        text = target.edit_outside(written.text, ".md" if len(written.ids) == 1 else ".tsv")
        if text == written.original == written.text:
            target.say("Nothing was changed.")
            return
        written = replace(written, text=text)
        # Kept before it is read, so that neither a fault in the text nor a crash loses what was written.
        await target.store.drafts.save(written.key, written.content())
        items = _items_as_seen(target, written)
        try:
            changes = _read(target.store, written, items)
            break
        except TextFault as fault:
            question = ConfirmDialog(
                "Not written",
                literal_block(str(fault)),
                [AnswerKey("e", "edit it again")],
                f"keep the text; {key_of('item.external')} offers it again",
            )
            if await target.ask(question) != "e":
                return
    await target.store.drafts.discard(written.key)
    if not changes:
        target.say("Nothing was changed.")
        return
    act = FieldEdit("Edited as text", (), lambda item: changes.get(item.id, {}), is_repeatable=False)
    await target.apply(act, [item for item in items if item.id in changes])


def _items_as_seen(target: ItemTarget, written: EditedText) -> list[Item]:
    """Return the items that still exist, with the fields they had when the text was made."""
    if len(written.ids) > 1:
        found = target.store.batch.items(written.ids)
        return [replace(each, fields={**each.fields, **written.seen.get(each.id, {})}) for each in found]
    only_id = written.ids[0]  # 0 for one in the editor that does not exist yet; it may have a real id by now
    item = target.chosen()[0] if only_id == 0 else target.store.item(only_id)
    return [replace(item, fields={**item.fields, **written.seen.get(only_id, {})})] if item else []


def _text_of(store: Store, items: Sequence[Item]) -> str:
    words = ScreenFieldWords(store)
    if len(items) > 1:
        return table_of(items, words)
    return page_of(items[0], fields_of(items[0].type, store.lookups.custom_fields()), words)


def _read(store: Store, written: EditedText, items: Sequence[Item]) -> Mapping[int, Mapping[str, object]]:
    reading = TextReading(store)
    if len(written.ids) > 1:
        return read_table(written.text, items, ScreenFieldWords(store), reading)
    if not items:
        raise TextFault(1, 1, "The item no longer exists.")
    fields = fields_of(items[0].type, store.lookups.custom_fields())
    changes = read_page(written.text, written.original, items[0], fields, reading)
    return {items[0].id: changes} if changes else {}


def _seen(items: Sequence[Item]) -> dict[int, Mapping[str, object]]:
    if len(items) == 1:
        return {items[0].id: dict(items[0].fields)}
    return {item.id: {key: item.fields.get(key) for key in COLUMNS} for item in items}


def _kept(content: Mapping[str, object] | None) -> EditedText | None:
    ids = (content or {}).get("ids")
    if content is None or not isinstance(ids, list) or not ids:
        return None
    pairs = content.get("seen")
    seen = {int(item_id): fields for item_id, fields in pairs} if isinstance(pairs, list) else {}
    return EditedText(tuple(int(each) for each in ids), str(content.get("original")), str(content.get("text")), seen)


# Copying

CLIPBOARD_LIMIT = 70_000
"""Bytes that terminals take; their escape sequence is longer by a third."""
MAX_COPIED_WORDS = 60
"""Characters that a message has of what was copied."""


_FORMS: Mapping[str, Callable[[Store, Sequence[Item]], str]] = {
    "numbers": lambda _, items: ", ".join(str(item.id) for item in items),
    "names": lambda _, items: "\n".join(item.name for item in items),
    "Markdown": lambda store, items: "\n".join(markdown_of(_trees(store, items))),
    "a table": lambda store, items: table_of(items, ScreenFieldWords(store)),
    "JSON": lambda store, items: _json(_trees(store, items)),
}


def copy(target: ItemTarget, call: CommandContext) -> None:
    """Copy the items in the form of the command's argument; show a text of one line, else its form and the items."""
    items, form = target.chosen(call.rows), call.command.argument
    text = _FORMS[form](target.store, items)
    size = len(text.encode())
    if size > CLIPBOARD_LIMIT:
        raise CannotAct(f"{size:,} bytes are more than a terminal's clipboard takes; select fewer items.")
    only = items[0] if len(items) == 1 else None
    number = f"#{only.id}" if only and only.id > 0 else ""
    what = number or (f"the new {only.type.lower()}" if only else counted_types(item.type for item in items))
    is_short = text and len(text.splitlines()) == 1
    copied = shortened(" ".join(text.split()), MAX_COPIED_WORDS) if is_short else f"{form} of {what}"
    target.copy(text, f"Copied {copied}")


class ItemTree(Struct, frozen=True):
    """An item, and what is below it where it is a Feature or below one."""

    item: Item
    below: Sequence["ItemTree"] = ()


def _trees(store: Store, items: Sequence[Item]) -> list[ItemTree]:
    """Return items with what is below their Features; what is below a copied Feature stands there alone."""

    def tree(item: Item, *, is_below: bool = False) -> ItemTree:
        if not is_below and item.type != ItemType.FEATURE:
            return ItemTree(item)
        ids = store.relations.children(item.id)
        found = {each.id: each for each in store.batch.items(ids)}
        return ItemTree(item, [tree(found[each], is_below=True) for each in ids if each in found])

    below = store.relations.below([item.id for item in items if item.type == ItemType.FEATURE])
    return [tree(item) for item in items if item.id not in below]


def _json(trees: Sequence[ItemTree]) -> str:
    documents = [document_of(each) for each in trees]
    return json.dumps(documents[0] if len(documents) == 1 else documents, ensure_ascii=False, indent=2)


def markdown_of(trees: Iterable[ItemTree], level: int = 0) -> Iterator[str]:
    """Yield a list entry for each item: its number, name, type, status and estimate; two blanks a level."""
    for each in trees:
        yield f"{'  ' * level}- #{each.item.id} {each.item.name} ({', '.join(_remarks(each.item))})"
        yield from markdown_of(each.below, level + 1)


def document_of(tree: ItemTree) -> dict[str, object]:
    """Return an item as the interface has it, with pending changes, and what is below a Feature as `children`."""
    item = tree.item
    document = {"id": item.id, "type": item.type, "projectId": item.project_id, "fields": dict(item.fields)}
    return document | ({"children": [document_of(each) for each in tree.below]} if tree.below else {})


def _remarks(item: Item) -> Iterable[str]:
    yield item.type
    for key in ("Status", "Estimate"):
        value = item.fields.get(key)
        if value:
            yield estimate_text(str(value)) if key == "Estimate" else str(value)


# One item as a page

RULE = "---"
BODY = "Description"
_REMARK = "# {} {}, written when the editor is left. A line that is taken out changes nothing."


def page_of(item: Item, fields: Sequence[Field], words: ScreenFieldWords) -> str:
    """Return an item as a page; lines of its fields that begin with # are remarks."""
    lines = [RULE, _REMARK.format(number_of(item.id), item.type)]
    lines += [f"{label}: {_shown(field, item, words)}".rstrip() for label, field in _labelled(fields).items()]
    for heading, field in _headed(item, fields).items():
        lines += [heading, *_body(item, field)]
    return "\n".join(lines) + "\n"


def read_page(text: str, original: str, item: Item, fields: Sequence[Field], reading: TextReading) -> dict[str, object]:
    """Return the changes made on a page of the item as it was then; raises TextFault with the place of the fault."""
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
    lines: Sequence[str], original: Sequence[str], item: Item, fields: Sequence[Field], reading: TextReading
) -> dict[str, object]:
    labelled = {label.casefold(): field for label, field in _labelled(fields).items()}
    before = dict(_cut(line, labelled) for line in original[: original.index(RULE, 1)])
    changes: dict[str, object] = {}
    given: set[str] = set()
    faults: list[TextFault] = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.startswith("#"):
            continue
        label, value = _cut(line, labelled)
        if label not in labelled:
            name = line.partition(":")[0].strip()[:40]
            faults.append(TextFault(number, 1, f"“{name}” is no field of a {item.type.lower()} that can be set."))
        elif label in given:
            faults.append(TextFault(number, 1, f"{labelled[label].label} stands here a second time."))
        elif value.strip() != before.get(label, "").strip():
            field, column = labelled[label], len(line) - len(value.lstrip()) + 1
            try:
                changes[field.key] = reading.read_at(field, item, value, number, column)
            except TextFault as fault:
                faults.append(fault)
        given.add(label)
    raise_all(faults)
    return changes


def _cut(line: str, labelled: Mapping[str, Field]) -> tuple[str, str]:
    """Return the longest known label that a line begins with, or an empty one, and the text after its colon."""
    colons = (at for at in range(len(line) - 1, -1, -1) if line[at] == ":")
    found = ((line[:at].strip().casefold(), line[at + 1 :]) for at in colons)
    return next((each for each in found if each[0] in labelled), ("", ""))


def _starts(lines: Sequence[str], headings: Sequence[str]) -> list[int]:
    """Return the lines where the long texts begin; a text runs to the line that begins the next one."""
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
    """Return the fields on a page by their names there: of two with one label the later goes by its key."""
    found: dict[str, Field] = {}
    for field in _settable(fields):
        if field.kind is not Kind.LONG_TEXT:
            taken = {label.casefold() for label in found}
            found[field.key if field.label.casefold() in taken else field.label] = field
    return found


def _headed(item: Item, fields: Sequence[Field]) -> dict[str, Field]:
    """Return the long texts by the lines that begin them; only the description where a text itself has such a line."""
    texts = [field for field in _settable(fields) if field.kind is Kind.LONG_TEXT]
    headed = {RULE if field.key == BODY else f"{RULE} {field.label} {RULE}": field for field in texts}
    is_clear = all(line.strip() not in headed or line.strip() == RULE for field in texts for line in _body(item, field))
    return headed if is_clear and len(headed) == len(texts) else {RULE: headed[RULE]}


def _settable(fields: Sequence[Field]) -> Iterator[Field]:
    return (field for field in fields if field.settable is Settable.ALWAYS)


def _shown(field: Field, item: Item, words: ScreenFieldWords) -> str:
    text = words.written(field, item.fields.get(field.key))
    return "" if text == NOTHING else " ".join(text.split())


def _body(item: Item, field: Field) -> list[str]:
    return _without_blank_end(lines_of(str(item.fields.get(field.key) or "")))


def _without_blank_end(lines: Sequence[str]) -> list[str]:
    end = next((at for at in range(len(lines), 0, -1) if lines[at - 1].strip()), 0)
    return list(lines[:end])


# Several items as a table

COLUMNS = ("Name", "Status", "Estimate", "AssignedToID", "IterationID", "AreaID", "Tags")
"""The fields that have a column; the id and the type stand before them."""
_TO_BLANKS = str.maketrans({"\t": " ", "\n": " ", "\r": " "})


def heading() -> Sequence[str]:
    return ("id", "type", *(FIELD_BY_KEY[key].label for key in COLUMNS))


def table_of(items: Sequence[Item], words: ScreenFieldWords) -> str:
    lines = [heading(), *((str(item.id), item.type, *cells_of(item, words).values()) for item in items)]
    return "\n".join("\t".join(line) for line in lines) + "\n"


def cells_of(item: Item, words: ScreenFieldWords) -> Mapping[str, str]:
    """Return the cells of an item by key; empty for a field that is not set or not one of the type's."""
    return {key: _cell(item, key, words) for key in COLUMNS}


def _cell(item: Item, key: str, words: ScreenFieldWords) -> str:
    text = words.written(FIELD_BY_KEY[key], item.fields.get(key))
    return "" if text == NOTHING else text.translate(_TO_BLANKS)


def read_table(
    text: str, items: Sequence[Item], words: ScreenFieldWords, reading: TextReading
) -> dict[int, dict[str, object]]:
    """Return the changes made in a table, by id; items whose line is gone are unchanged.

    Raises TextFault for all lines and cells that it cannot read.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].split("\t") != list(heading()):
        raise TextFault(1, 1, "The first line names the columns; it has to stay as it was.")
    known = {str(item.id): item for item in items}
    changes: dict[int, dict[str, object]] = {}
    faults: list[TextFault] = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        item = known.get(cells[0].strip())
        if item is None or (len(cells) > 1 and cells[1] != item.type):
            faults.append(TextFault(number, 1, "Each line begins with the id and the type of an item that was chosen."))
        elif len(cells) != len(COLUMNS) + 2:
            sentence = f"There are {len(COLUMNS) + 2} columns; this line has {len(cells)}."
            faults.append(TextFault(number, len(line) + 1, sentence))
        elif changed := _changed_cells(item, number, cells, words, reading, faults=faults):
            changes[item.id] = changed
    raise_all(faults)
    return changes


def _changed_cells(
    item: Item,
    line: int,
    cells: Sequence[str],
    words: ScreenFieldWords,
    reading: TextReading,
    *,
    faults: list[TextFault],
) -> dict[str, object]:
    """Return the changes in a line of the table; add the faults of its cells."""
    column = len(cells[0]) + len(cells[1]) + 3
    changed = {}
    for (key, shown), text in zip(cells_of(item, words).items(), cells[2:], strict=True):
        if text.strip() != shown.strip():
            try:
                changed[key] = reading.read_at(FIELD_BY_KEY[key], item, text, line, column)
            except TextFault as fault:
                faults.append(fault)
        column += len(text) + 1
    return changed
