"""Editing items as text: one as a page, several as a table; what cannot be read is kept and offered again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backlit.model.fields import fields_of
from backlit.store.rows import Item
from backlit.tui.acting import CannotAct
from backlit.tui.acts import Act
from backlit.tui.bulk import Bulk
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.external_editor import edit_text
from backlit.tui.field_reading import FieldReading, TextFault
from backlit.tui.field_text import FieldWords
from backlit.tui.item_page import page_of, read_page
from backlit.tui.item_table import COLUMNS, read_table, table_of
from backlit.tui.work import work


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


class TextVerb(Bulk):
    """A screen whose items can be edited in the user's own editor."""

    def do_item_external(self, _count: int | None) -> None:
        """Edit the item, or the marked ones, in $EDITOR; go on with what was kept where there is something."""
        items = self.chosen()
        original = self._text_of(items)
        written = Written(tuple(item.id for item in items), original, original, _seen(items))
        kept = _kept(self.store.draft(written.key))
        if kept is None:
            self._edit(written)
            return

        def answered(key: str | None) -> None:
            if key is not None:
                self._edit_later(kept if key == "k" else written)

        answers = [Answer("k", "go on with it"), Answer("n", "begin anew; it is thrown away when you save")]
        sentence = "A text was kept from before, because it could not be read."
        self.app.push_screen(ConfirmDialog("Edit as text", sentence, answers, "leave"), answered)

    def _edit_later(self, written: Written) -> None:
        try:
            self._edit(written)
        except CannotAct as reason:
            self.say(str(reason), is_bad=True)

    def _edit(self, written: Written) -> None:
        text = edit_text(self.chord_app, written.text, ".md" if len(written.ids) == 1 else ".tsv")
        if text == written.original:
            self.say("Nothing was changed.")
            return
        self.run_worker(work(self._take_text, replace(written, text=text)), group="writes")

    async def _take_text(self, written: Written) -> None:
        """Keep it on the disk first, whatever is wrong with it."""
        await self.store.save_draft(written.key, written.content())
        items = self._items_as_seen(written)
        try:
            changes = self._read(written, items)
        except TextFault as fault:
            self._offer(written, str(fault))
            return
        await self.store.discard_draft(written.key)
        if not changes:
            self.say("Nothing was changed.")
            return
        act = Act("Edited as text", (), lambda item: changes.get(item.id, {}), is_repeatable=False)
        self.carry_out(act, [item for item in items if item.id in changes])

    def _items_as_seen(self, written: Written) -> list[Item]:
        """Those of the items that are still there, with the fields that they had when the text was made."""
        if len(written.ids) > 1:
            found = self.store.batch.items(written.ids)
            return [replace(each, fields={**each.fields, **written.seen.get(each.id, {})}) for each in found]
        only_id = written.ids[0]  # 0 for one in the editor that does not exist yet; it may have a real id by now
        item = self.chosen()[0] if only_id == 0 else self.store.item(only_id)
        return [replace(item, fields={**item.fields, **written.seen.get(only_id, {})})] if item else []

    def _offer(self, written: Written, sentence: str) -> None:
        def answered(key: str | None) -> None:
            if key == "e":
                self._edit_later(written)

        answers = [Answer("e", "edit it again")]
        self.app.push_screen(
            ConfirmDialog("Not written", sentence, answers, "keep the text; E offers it again"), answered
        )

    def _text_of(self, items: Sequence[Item]) -> str:
        words = FieldWords(self.store)
        if len(items) > 1:
            return table_of(items, words)
        return page_of(items[0], fields_of(items[0].type, self.store.custom_fields()), words)

    def _read(self, written: Written, items: Sequence[Item]) -> Mapping[int, Mapping[str, object]]:
        reading = FieldReading(self.store)
        if len(written.ids) > 1:
            return read_table(written.text, items, FieldWords(self.store), reading)
        if not items:
            raise TextFault(1, 1, "The item is no longer there.")
        fields = fields_of(items[0].type, self.store.custom_fields())
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
