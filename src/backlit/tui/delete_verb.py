"""Deleting items: softly by their status, or for good after a second question (KEYMAP, "Item verbs" and rule g)."""

from collections.abc import Sequence

from backlit.model.errors import BacklitError
from backlit.store.deletions import Going
from backlit.store.history import deleted_status
from backlit.store.rows import Item
from backlit.tui.acts import Act, Changes, DoesNotApply, is_synced
from backlit.tui.bulk import Bulk, sentence_of
from backlit.tui.widgets.badges import SYNCED
from backlit.tui.work import work

NAME_SHOWN = 60


class DeleteVerb(Bulk):
    """Items that can be deleted."""

    def do_item_delete(self, _count: int | None) -> None:
        """Ask how, saying what goes with them."""
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        items = self.chosen()
        answers = [Answer("h", "delete for good, which is asked once more")]
        statuses = {deleted_status(self.store.statuses(item.type)) for item in items} - {None}
        if statuses:
            answers.insert(0, Answer("s", f"set the status to {' or '.join(sorted(filter(None, statuses)))}"))

        def answered(key: str | None) -> None:
            if key == "s":
                self.carry_out(Act("Delete", ("Status",), self._softly), items)
            elif key == "h":
                self._ask_for_good(items)

        going = going_words(self.store.deletions.what_goes([item.id for item in items]))
        sentence = f"{_title(items)}. {going}{mirrored_words(items)}"
        self.app.push_screen(ConfirmDialog("Delete", sentence, answers, "leave as it is"), answered)

    def _softly(self, item: Item) -> Changes:
        status = deleted_status(self.store.statuses(item.type))
        if status is None:
            raise DoesNotApply(f"A {item.type.lower()} has no status for deleted items.")
        return {"Status": status}

    def _ask_for_good(self, items: Sequence[Item]) -> None:
        """One item by y; more by typing how many they are."""
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
        from backlit.tui.dialogs.line import LineDialog

        count = len(items)
        going = going_words(self.store.deletions.what_goes([item.id for item in items]))
        if count == 1:
            kept = "A copy is kept here: u makes the item anew, under another number."
            sentence = f"{_title(items)}. {going} {kept}{mirrored_words(items)}"
            answers = [Answer("y", "delete for good")]

            def answered(key: str | None) -> None:
                if key == "y":
                    self._delete(items)

            self.app.push_screen(ConfirmDialog("Delete for good", sentence, answers, "leave as it is"), answered)
            return

        def check(text: str) -> str | None:
            is_right = text.strip().replace(",", "") == str(count)
            return None if is_right else f"Type {count} to delete {count:,} items for good. {going}"

        def typed(text: str | None) -> None:
            if text is not None:
                self._delete(items)

        title = f"Delete {count:,} items for good: type how many"
        self.app.push_screen(LineDialog(title, "", check, note=going + mirrored_words(items)), typed)

    def _delete(self, items: Sequence[Item]) -> None:
        self.run_worker(work(self._deleted, [item.id for item in items]), group="writes")

    async def _deleted(self, item_ids: Sequence[int]) -> None:
        try:
            await self.store.deletions.delete_items(item_ids)
        except BacklitError as error:
            self.say(sentence_of(error), is_bad=True)
            return
        what = f"#{item_ids[0]}" if len(item_ids) == 1 and item_ids[0] > 0 else f"{len(item_ids):,} items"
        self.say(f"Deleted {what if item_ids[0] > 0 or len(item_ids) > 1 else 'the new item'}; u brings it back.")


def going_words(going: Going) -> str:
    """What is deleted with the items, as a sentence."""
    parts = [
        f"{count:,} {noun if count == 1 else noun + 's'}"
        for count, noun in ((going.tasks, "task"), (going.comments, "comment"), (going.attachments, "attachment"))
        if count
    ]
    if not parts:
        return "No tasks, comments or attachments go with it." if going.items == 1 else "Nothing else goes with them."
    listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return f"With {'it' if going.items == 1 else 'them'}, {listed} would go for good."


def mirrored_words(items: Sequence[Item]) -> str:
    """The warning where another tracker mirrors some of the items (FEATURES rule 37); empty where none does."""
    count = sum(map(is_synced, items))
    if not count:
        return ""
    which = "It is" if len(items) == 1 else f"{count:,} of them {'is' if count == 1 else 'are'}"
    return f" {SYNCED} {which} mirrored in another tracker, which is not asked."


def _title(items: Sequence[Item]) -> str:
    if len(items) > 1:
        return f"{len(items):,} items"
    number = f"#{items[0].id} " if items[0].id > 0 else ""
    name = str(items[0].fields.get("Name") or "")
    return number + (name if len(name) <= NAME_SHOWN else name[: NAME_SHOWN - 1] + "…")
