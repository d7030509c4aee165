"""Screens with a current item, on which item commands run."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.fields import ItemType
from backlit.store.records.item import Item
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct
from backlit.tui.fields.acts import Act, Plan, plan_of
from backlit.tui.items.bulk_edit import FailedDialog, bulk_question
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.store_screen import StoreScreen

ITEM_COMMANDS = (
    "items.item_commands",
    "items.field_commands",
    "items.rank",
    "items.add",
    "items.as_text",
    "items.log_work",
)


class ItemScreen(StoreScreen[None]):
    """An `items.target.ItemTarget` whose changes are journalled; subclasses say which item is the current one."""

    COMMAND_GROUPS: ClassVar[Sequence[str]] = ITEM_COMMANDS

    def current(self) -> Item:
        """Return the item that commands act on; raises CannotAct without one."""
        raise NotImplementedError

    def chosen_ids(self, rows: int | None = None) -> Sequence[int]:  # noqa: ARG002 - for lists
        """Return the ids of the items that commands act on."""
        return (self.current().id,)

    def chosen(self, rows: int | None = None) -> list[Item]:
        """Return the items that commands act on, in backlog order; raises CannotAct for none, or for too many."""
        ids = self.chosen_ids(rows)
        refuse_too_many(ids)
        items = self.store.batch.items(ids)
        if not items:
            raise CannotAct("The selected items no longer exist.")
        return items

    async def open_field(self, key: str) -> bool:  # noqa: ARG002 - for forms
        """Open a field of a form; return False where there is none."""
        return False

    async def apply(self, act: Act, items: Sequence[Item]) -> None:
        """Journal a change."""
        await journal(self, act, items)

    def preset(self, item_type: ItemType) -> Mapping[str, object]:  # noqa: ARG002 - for lists with groups
        """Return the area and the iteration of the current item."""
        try:
            item = self.current()
        except CannotAct:
            return {}
        return {key: item.fields[key] for key in ("AreaID", "IterationID") if item.fields.get(key) is not None}

    def expected_type(self) -> ItemType | None:
        """Return the type to offer first for a new item."""
        return None

    def item_added(self, item_id: int) -> None:
        """Show an item that was added, or changed by undo; subclasses say how."""

    def ranked_view(self) -> View:
        """Return the view whose order is changed; raises CannotAct where none is in sight."""
        raise CannotAct("Items are ranked in the backlog, where their order is seen; gb goes there.")


# Changes

MOST = 2_000
"""Items that one change may touch; each is asked for and written on its own."""


async def journal(target: ItemTarget, act: Act, items: Sequence[Item]) -> None:
    """Journal a change as one step; asks first for several items and for what customers see.

    Edits that are refused are offered again. Raises the BacklitError of a single item's edit.
    """
    plan = plan_of(act, items, target.store.lookups)
    if not plan.changes:
        target.say(plan.why_nothing(), is_bad=not plan.already)
        return
    is_simple = len(items) == 1 and not plan.is_for_customers
    if not is_simple and not await target.ask(bulk_question(target.store, plan)):
        return
    if act.is_repeatable:
        target.session.last_act = act
    failed = await _write(target, plan)
    count = len(plan.changes)
    if not failed:
        if count > 1:
            target.say(f"{act.label}: {plan.words} changed. u to undo.")
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
        raise CannotAct(f"{len(ids):,} are selected; one change takes {MOST:,} at most.")
