"""Making copies of items."""

from collections.abc import Mapping, Sequence

from backlit.model.errors import BacklitError
from backlit.model.fields import NAME_LIMIT, ItemType, Settable, fields_of
from backlit.store.edits import Family
from backlit.store.rows import Item
from backlit.tui.bulk import Bulk, sentence_of
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.work import work

SUFFIX = " (copy)"
NOT_COPIED = frozenset({"Name", "Status", "IsVisibleInPortal"})
"""A copy starts anew, and no customer sees it before somebody wants that."""


class DuplicateVerb(Bulk):
    """A copy has every field that can be set, but for those above; comments and attachments stay with the original."""

    def item_added(self, item_id: int) -> None:
        """A new item was journalled under a temporary id; subclasses go there."""

    def do_item_duplicate(self, _count: int | None) -> None:
        """Copy the item; ask first where there are several, or tasks under it."""
        items = self.chosen()
        tasks = {item.id: self.store.batch.tasks_of(item.id) for item in items}
        below = sum(len(each) for each in tasks.values())
        if len(items) == 1 and not below:
            self.run_worker(work(self._duplicate, items, {}), group="writes")
            return

        def answered(key: str | None) -> None:
            if key is not None:
                self.run_worker(work(self._duplicate, items, tasks if key == "t" else {}), group="writes")

        noun = "the item" if len(items) == 1 else f"{len(items):,} items"
        answers = [Answer("y", f"copy {noun}")]
        if below:
            answers.append(Answer("t", f"copy {noun} and {'the task' if below == 1 else f'{below:,} tasks'} below"))
        sentence = "Copies begin with the first status; comments and attachments are not copied."
        self.app.push_screen(ConfirmDialog("Duplicate", sentence, answers, "leave"), answered)

    async def _duplicate(self, items: Sequence[Item], tasks: Mapping[int, Sequence[Item]]) -> None:
        below = {task.id for each in tasks.values() for task in each}
        families = [
            Family(item.type, self._copied(item), [self._copied(task, "") for task in tasks.get(item.id, ())])
            for item in items
            if item.id not in below
        ]
        try:
            made = await self.store.add_families(families)
        except BacklitError as error:
            self.say(sentence_of(error), is_bad=True)
            return
        self.item_added(made[-1])

    def _copied(self, item: Item, suffix: str = SUFFIX) -> dict[str, object]:
        name = str(item.fields.get("Name") or "")
        fields: dict[str, object] = {"Name": name[: NAME_LIMIT - len(suffix)] + suffix}
        if item.type == ItemType.TASK:
            fields["ParentID"] = item.fields.get("ParentID")
        for field in fields_of(item.type, self.store.custom_fields()):
            value = item.fields.get(field.key)
            if field.settable is Settable.ALWAYS and field.key not in NOT_COPIED and value not in (None, "", []):
                fields[field.key] = value
        return fields
