"""Making copies of items."""

from collections.abc import Mapping, Sequence

from backlit.model.fields import NAME_LIMIT, ItemType, Settable, fields_of
from backlit.store.edits.items import Family
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.tui.commands.command import Call
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.items.target import AddTarget

SUFFIX = " (copy)"
NOT_COPIED = frozenset({"Name", "Status", "IsVisibleInPortal"})
"""Fields of a copy that start anew; no customer sees a copy before somebody wants that."""


async def duplicate(target: AddTarget, call: Call) -> None:
    """Copy all fields that can be set; asks first for several items, and whether to copy tasks."""
    items = target.chosen(call.rows)
    tasks: Mapping[int, Sequence[Item]] = {item.id: target.store.batch.tasks_of(item.id) for item in items}
    below = sum(len(each) for each in tasks.values())
    if len(items) > 1 or below:
        noun = "the item" if len(items) == 1 else f"{len(items):,} items"
        answers = [Answer("y", f"copy {noun}")]
        if below:
            answers.append(Answer("t", f"copy {noun} and {'the task' if below == 1 else f'{below:,} tasks'} below"))
        sentence = "Copies begin with the first status; comments and attachments are not copied."
        key = await target.ask(ConfirmDialog("Duplicate", sentence, answers, "leave"))
        if key is None:
            return
        tasks = tasks if key == "t" else {}
    made = await target.store.items.add_families(_families(target.store, items, tasks))
    target.item_added(made[-1])


def _families(store: Store, items: Sequence[Item], tasks: Mapping[int, Sequence[Item]]) -> list[Family]:
    below = {task.id for each in tasks.values() for task in each}
    return [
        Family(item.type, _copied(store, item), [_copied(store, task, "") for task in tasks.get(item.id, ())])
        for item in items
        if item.id not in below
    ]


def _copied(store: Store, item: Item, suffix: str = SUFFIX) -> dict[str, object]:
    name = str(item.fields.get("Name") or "")
    fields: dict[str, object] = {"Name": name[: NAME_LIMIT - len(suffix)] + suffix}
    if item.type == ItemType.TASK:
        fields["ParentID"] = item.fields.get("ParentID")
    for field in fields_of(item.type, store.lookups.custom_fields()):
        value = item.fields.get(field.key)
        if field.settable is Settable.ALWAYS and field.key not in NOT_COPIED and value not in (None, "", []):
            fields[field.key] = value
    return fields
