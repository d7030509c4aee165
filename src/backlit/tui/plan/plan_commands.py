"""Commands of the plan and their target: plan items, revert moves, choose an iteration, undo, redo, discard."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from backlit.model.fields import ItemType
from backlit.store.planning.draft import PLANNED, Values
from backlit.store.planning.plan import Plan
from backlit.store.records.item import Item, number_of
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.prompts import ask_for_capacity
from backlit.tui.fields.field_edits import FieldEdit
from backlit.tui.items.bulk_edit import journal
from backlit.tui.items.change_questions import agrees_on_ended, agrees_on_estimates
from backlit.tui.items.target import AddTarget
from backlit.tui.plan.blockers import items_of_features, warning


class IterationPanes(Protocol):
    """Panes of the backlog and of iterations, one of which has the focus."""

    def targets(self) -> Sequence[IterationEntry]: ...

    def here(self) -> IterationEntry | None:
        """Return the iteration of the pane with the focus; None for the backlog's pane."""

    def step_past(self, item_ids: AbstractSet[int]) -> None:
        """Clear the selection, and put the cursor on the next item besides these."""


class PlanCommandTarget(AddTarget, Protocol):
    """A place with a draft."""

    @property
    def lists(self) -> IterationPanes: ...

    def run_command(self, command_id: str, count: int | None = None) -> None: ...

    def forget_messages(self) -> None: ...


async def stage(target: AddTarget, act: FieldEdit, items: Sequence[Item]) -> None:
    """Stage a change of planned fields; journal any other change. Raises BadRequest for invalid values."""
    store = target.store
    planned = act.bulk_change([store.plan_preview.item_laid_over(item) for item in items], store.lookups)
    if not planned.changes or not all(changes.keys() <= set(PLANNED) for changes in planned.changes.values()):
        await journal(target, act, items)
        return
    if not await agrees_on_estimates(target, planned.changes.values()):
        return
    if not await agrees_on_ended(target, planned.changes.values()):
        return
    if act.is_repeatable:
        target.session.last_act = act
    await _stage(store.plan, planned.changes)


async def _stage(plan: Plan, changes: Mapping[int, Values]) -> None:
    """Stage values; a change of the iteration alone moves the open tasks of an item too."""
    moves: dict[int, list[int]] = {}
    values: dict[int, Values] = {}
    for item_id, each in changes.items():
        place = each.get("IterationID")
        if isinstance(place, int) and len(each) == 1:
            moves.setdefault(place, []).append(item_id)
        else:
            values[item_id] = each
    for place, item_ids in moves.items():
        await plan.move(item_ids, place)
    if values:
        await plan.stage(values)


async def send(target: PlanCommandTarget, call: CommandContext) -> None:
    """Plan into the target, or into the iteration of the count, the target being the first."""
    target.store.lookups.need_writer()
    targets, here = target.lists.targets(), target.lists.here()
    at = (call.count or 1) - 1
    if not targets:
        raise _no_iteration(target.store)
    key, last = key_of("plan.send"), len(targets)
    if at >= last:
        raise CannotAct(
            f"No iteration {at + 1}. {last if last > 1 else ''}{key} plans into the last, {targets[-1].name}."
        )
    iteration = targets[at]
    if here is not None and here.id == iteration.id:
        more = f" {at + 2}{key} plans into {targets[at + 1].name}." if at + 1 < last else ""
        raise CannotAct(f"Already in {here.name}.{more}")
    items = target.chosen()
    if all(item.fields.get("IterationID") == iteration.id for item in items):
        raise CannotAct(f"Already planned into {iteration.name}.")
    if not await agrees_on_ended(target, [{"IterationID": iteration.id}]):
        return
    item_ids = await items_of_features(target, items, iteration.name)
    if item_ids is None:
        return
    target.lists.step_past(set(item_ids))
    await target.store.plan.move(item_ids, iteration.id)
    if words := warning(target.store, item_ids):
        target.say(words)


async def back(target: PlanCommandTarget, _call: CommandContext) -> None:
    target.store.lookups.need_writer()
    items = target.chosen()
    item_ids = [item.id for item in items]
    planned = target.store.plan.draft.items
    is_moved = any("IterationID" in planned.get(each, {}) for each in item_ids)
    if target.lists.here() is None and not is_moved:
        words = f"{number_of(item_ids[0])} is" if len(items) == 1 else "The selected items are"
        raise CannotAct(f"{words} not planned.")
    target.lists.step_past(frozenset() if is_moved else set(item_ids))
    await target.store.plan.unplan(item_ids)


async def aim(target: PlanCommandTarget, call: CommandContext) -> None:
    """Make a later or an earlier iteration the target, by the sign of the command's argument and the count."""
    steps = int(call.command.argument) * (call.count or 1)
    every, targets = target.store.plan.iterations.targets(), target.lists.targets()
    if not targets:
        raise _no_iteration(target.store)
    at = [each.id for each in every].index(targets[0].id)
    wanted = max(0, min(at + steps, len(every) - 1))
    if wanted == at:
        raise CannotAct(f"{targets[0].name} is the {'last' if steps > 0 else 'first'} iteration.")
    target.forget_messages()  # a way from the iteration that is left leads elsewhere from the next
    await target.store.plan.aim(every[wanted].id)


async def capacity(target: PlanCommandTarget, _call: CommandContext) -> None:
    nodes = target.store.nodes
    nodes.need_manager()
    entry = need_target(target)
    changes = await ask_for_capacity(target, entry)
    if changes is not None:
        await nodes.edit(TreeKind.ITERATIONS, entry.id, changes)


def need_target(target: PlanCommandTarget) -> IterationEntry:
    """Return the iteration with the focus, else the target; raises CannotAct without iterations."""
    entry = target.lists.here() or next(iter(target.lists.targets()), None)
    if entry is None:
        raise _no_iteration(target.store)
    return entry


async def discard(target: PlanCommandTarget, _call: CommandContext) -> None:
    if not target.store.plan.draft.items:
        raise CannotAct("The plan has no changes.")
    await target.store.plan.discard()
    target.say("Plan discarded. u to undo.")


async def undo(target: PlanCommandTarget, call: CommandContext) -> None:
    """Undo what was done last: steps of the draft by the count, or changes of the journal."""
    await _walk(target, call, is_redo=False)


async def redo(target: PlanCommandTarget, call: CommandContext) -> None:
    """Redo what was undone last: steps of the draft by the count, or changes of the journal."""
    await _walk(target, call, is_redo=True)


async def _walk(target: PlanCommandTarget, call: CommandContext, *, is_redo: bool) -> None:
    plan = target.store.plan
    if not await _is_of_draft(target.store, is_redo=is_redo):
        target.run_command("app.redo" if is_redo else "app.undo", call.count)
        return
    target.forget_messages()
    before = plan.draft.items
    for _ in range(call.count or 1):
        await (plan.redo() if is_redo else plan.undo())
        if not await _is_of_draft(target.store, is_redo=is_redo):
            break
    after = plan.draft.items
    changed = [each for each in {**before, **after} if before.get(each) != after.get(each)]
    if changed and not _is_above(target, changed):
        target.item_added(changed[0])


def _is_above(target: PlanCommandTarget, item_ids: Sequence[int]) -> bool:
    """Return whether the cursor is on a Feature with some of the items below it, by which they were planned."""
    try:
        item = target.current()
    except CannotAct:
        return False
    return item.type == ItemType.FEATURE and not set(target.store.relations.below([item.id])).isdisjoint(item_ids)


async def _is_of_draft(store: Store, *, is_redo: bool) -> bool:
    """Return whether the next step to walk is one of the draft, not an act of the journal."""
    steps = store.plan.draft.future if is_redo else store.plan.draft.past
    acts = await store.history.acts(1, is_redo=is_redo) if steps else []
    if not acts or steps[-1].act is None:
        return bool(steps)
    return acts[0] > steps[-1].act if is_redo else acts[0] <= steps[-1].act


def _no_iteration(store: Store) -> CannotAct:
    if not store.lookups.iterations():
        return CannotAct("The iterations are still loading. Try again in a moment.")
    if store.lookups.is_read_only:
        return CannotAct(f"There is no iteration yet. {key_of('app.backlog')} shows the backlog.")
    return CannotAct(
        f"There is no iteration to plan into. Press {key_of('app.iterations')}, then {key_of('tree.series')} to create"
        " sprints."
    )
