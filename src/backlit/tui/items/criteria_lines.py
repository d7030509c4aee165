"""Acceptance criteria written one after another, a line each until an empty one, or taken from the description."""

from backlit.model.amounts import counted
from backlit.store.records.item import number_of
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.items.field_commands import check_name
from backlit.tui.items.target import ItemTarget
from backlit.tui.items.transform_commands import saved_items
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.target import StoreCommandTarget


async def add_criteria(target: StoreCommandTarget, item_id: int) -> None:
    """Ask for criteria line by line and add each at the end of those of the item."""
    store = target.store
    if not store.lookups.announces("acceptanceCriteria"):
        raise CannotAct(store.criterion_edits.missing)
    store.lookups.need_writer()
    added = 0
    while True:
        title = f"Done when? {counted(added, 'criterion', 'criteria')} so far" if added else "Done when?"
        kept = StoredLines(store, f"criteria:{item_id}")
        note = "enter adds a criterion, an empty line ends."
        line = await target.ask(LineDialog(title, "", _check, note=note, kept=kept))
        if line is None or not line.strip():
            break
        await store.criterion_edits.add(item_id, line.strip())
        added += 1
    if added:
        target.say(f"{counted(added, 'criterion', 'criteria')} added. u to undo.")


async def take_from_description(target: ItemTarget, call: CommandContext) -> None:
    """Make criteria of the list in the description, and take it out of the text."""
    item, *others = saved_items(target, call.rows)
    if others:
        raise CannotAct("Criteria are taken from one description at a time.")
    if not target.store.lookups.announces("acceptanceCriteria"):
        raise CannotAct(target.store.criterion_edits.missing)
    count = await target.store.criterion_edits.take_from_description(item.id)
    taken = counted(count, "criterion", "criteria")
    target.say(f"{number_of(item.id)}: {taken} taken from the description. u to undo.")


def _check(text: str) -> str | None:
    return check_name(text) if text.strip() else None
