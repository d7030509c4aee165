"""Editing items as text: one as a page, several as a table; a text that cannot be read is kept and offered again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backlit.model.fields import fields_of
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.tui.commands.command import Call
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.fields.acts import Act
from backlit.tui.fields.parser import FieldReading, TextFault
from backlit.tui.fields.values import FieldWords
from backlit.tui.items.page_text import page_of, read_page
from backlit.tui.items.table_text import COLUMNS, read_table, table_of
from backlit.tui.items.target import ItemTarget


@dataclass(frozen=True, slots=True)
class Written:
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
        """Where the draft of it is kept."""
        return f"text:{self.ids[0]}" if len(self.ids) == 1 else "text:marked"

    def content(self) -> Mapping[str, object]:
        """What is kept."""
        seen = [[item_id, dict(fields)] for item_id, fields in self.seen.items()]
        return {"ids": list(self.ids), "original": self.original, "text": self.text, "seen": seen}


async def edit(target: ItemTarget, call: Call) -> None:
    """Edit one item as a page or several as a table in $EDITOR; offers a text that was kept."""
    items = target.chosen(call.rows)
    original = _text_of(target.store, items)
    written = Written(tuple(item.id for item in items), original, original, _seen(items))
    kept = _kept(target.store.drafts.find(written.key))
    if kept is not None:
        answers = [Answer("k", "go on with it"), Answer("n", "begin anew; it is thrown away when you save")]
        sentence = "A text was kept from before, because it could not be read."
        key = await target.ask(ConfirmDialog("Edit as text", sentence, answers, "leave"))
        if key is None:
            return
        written = kept if key == "k" else written
    await _edit(target, written)


async def _edit(target: ItemTarget, written: Written) -> None:
    """Open the text until it can be read or is left; it is kept on disk first, whatever is wrong with it."""
    while True:
        text = target.edit_outside(written.text, ".md" if len(written.ids) == 1 else ".tsv")
        if text == written.original:
            target.say("Nothing was changed.")
            return
        written = replace(written, text=text)
        await target.store.drafts.save(written.key, written.content())
        items = _items_as_seen(target, written)
        try:
            changes = _read(target.store, written, items)
            break
        except TextFault as fault:
            question = ConfirmDialog(
                "Not written", str(fault), [Answer("e", "edit it again")], "keep the text; E offers it again"
            )
            if await target.ask(question) != "e":
                return
    await target.store.drafts.discard(written.key)
    if not changes:
        target.say("Nothing was changed.")
        return
    act = Act("Edited as text", (), lambda item: changes.get(item.id, {}), is_repeatable=False)
    await target.apply(act, [item for item in items if item.id in changes])


def _items_as_seen(target: ItemTarget, written: Written) -> list[Item]:
    """Return the items that still exist, with the fields they had when the text was made."""
    if len(written.ids) > 1:
        found = target.store.batch.items(written.ids)
        return [replace(each, fields={**each.fields, **written.seen.get(each.id, {})}) for each in found]
    only_id = written.ids[0]  # 0 for one in the editor that does not exist yet; it may have a real id by now
    item = target.chosen()[0] if only_id == 0 else target.store.item(only_id)
    return [replace(item, fields={**item.fields, **written.seen.get(only_id, {})})] if item else []


def _text_of(store: Store, items: Sequence[Item]) -> str:
    words = FieldWords(store)
    if len(items) > 1:
        return table_of(items, words)
    return page_of(items[0], fields_of(items[0].type, store.lookups.custom_fields()), words)


def _read(store: Store, written: Written, items: Sequence[Item]) -> Mapping[int, Mapping[str, object]]:
    reading = FieldReading(store)
    if len(written.ids) > 1:
        return read_table(written.text, items, FieldWords(store), reading)
    if not items:
        raise TextFault(1, 1, "The item is no longer there.")
    fields = fields_of(items[0].type, store.lookups.custom_fields())
    changes = read_page(written.text, written.original, items[0], fields, reading)
    return {items[0].id: changes} if changes else {}


def _seen(items: Sequence[Item]) -> dict[int, Mapping[str, object]]:
    """The fields that a text of the items shows."""
    if len(items) == 1:
        return {items[0].id: dict(items[0].fields)}
    return {item.id: {key: item.fields.get(key) for key in COLUMNS} for item in items}


def _kept(content: Mapping[str, object] | None) -> Written | None:
    ids = (content or {}).get("ids")
    if content is None or not isinstance(ids, list) or not ids:
        return None
    pairs = content.get("seen")
    seen = {int(item_id): fields for item_id, fields in pairs} if isinstance(pairs, list) else {}
    return Written(tuple(int(each) for each in ids), str(content.get("original")), str(content.get("text")), seen)
