"""Bulk edits: one item is changed at once, several after the user agreed to the differences."""

from collections.abc import Mapping, Sequence

from backlit.model.errors import BacklitError, sentence_of
from backlit.store.records.item import Item
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.bulk_edit import BulkEditDialog, FailedDialog
from backlit.tui.fields.acts import Act, Plan, plan_of
from backlit.tui.items.target import ItemTarget

MOST = 2_000
"""Items that one change may touch; each is asked for and written on its own (FEATURES rule 11)."""


async def journal(target: ItemTarget, act: Act, items: Sequence[Item]) -> None:
    """Journal a change as one step; asks first for several items and for what customers see.

    Edits that are refused are offered again. Raises the BacklitError of a single item's edit.
    """
    plan = plan_of(act, items, target.store.lookups)
    if not plan.changes:
        target.say(plan.why_nothing(), is_bad=not plan.already)
        return
    is_simple = len(items) == 1 and not plan.is_for_customers
    if not is_simple and not await target.ask(BulkEditDialog(target.store, plan)):
        return
    if act.is_repeatable:
        target.session.last_act = act
    failed = await _write(target, plan)
    count = len(plan.changes)
    if not failed:
        if count > 1:
            target.say(f"{act.label}: {count:,} items changed.")
        return
    names = {item_id: str(plan.items[item_id].fields.get("Name") or "") for item_id in failed}
    if await target.ask(FailedDialog(count, failed, names)):
        await journal(target, act, target.store.batch.items(list(failed)))


async def _write(target: ItemTarget, plan: Plan) -> Mapping[int, str]:
    """Journal all as one step; where that is refused, journal each item alone. Returns the refusals by item."""
    try:
        await target.store.items.edit_each(plan.changes, plan.seen)
    except BacklitError:
        if len(plan.changes) == 1:
            raise
        return await _write_one_by_one(target, plan)
    return {}


async def _write_one_by_one(target: ItemTarget, plan: Plan) -> Mapping[int, str]:
    failed = {}
    for item_id, changes in plan.changes.items():
        try:
            await target.store.items.edit([item_id], changes, plan.seen[item_id])
        except BacklitError as error:
            failed[item_id] = sentence_of(error)
    return failed


def refuse_too_many(ids: Sequence[int]) -> None:
    """Raise CannotAct for more items than one change may touch."""
    if len(ids) > MOST:
        raise CannotAct(f"{len(ids):,} items are marked; one change takes {MOST:,} at most.")
