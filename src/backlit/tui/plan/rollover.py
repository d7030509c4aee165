"""The command that carries the unfinished items of an ended iteration over, item by item."""

import asyncio
from collections.abc import Mapping, Sequence

from backlit.model.planning import Load
from backlit.store.edits.rollover import Decision, Way
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.store.store import Store
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.fields.iteration_dates import span
from backlit.tui.plan.rollover_dialog import EndedIteration, RolloverDialog
from backlit.tui.plan.target import PlanTarget
from backlit.tui.widgets.choice_list import Choice


async def roll_over(target: PlanTarget, _call: Call) -> None:
    """Roll over the iteration with the focus when it has begun, else an ended one; asks for one of several.

    Each answer is saved, so that the next rollover of the iteration goes on after the last answer.
    """
    iteration = await _iteration(target, _ended(target))
    if iteration is None:
        return
    store = target.store
    ending = _ending(store, iteration)
    key = f"rollover:{store.project_id}:{iteration.id}"
    saving: list[asyncio.Task[None]] = []

    def keep(decisions: Mapping[int, Decision]) -> None:
        saving.append(asyncio.create_task(store.drafts.save(key, _content(decisions))))

    decisions = await target.ask(RolloverDialog(ending, _kept(store.drafts.find(key)), keep))
    await asyncio.gather(*saving)
    if decisions is None:
        return
    written = await store.rollover.write(iteration.id, ending.target.id if ending.target else None, decisions)
    await store.drafts.discard(key)
    target.say(f"{iteration.name}: {written} {'item' if written == 1 else 'items'} rolled over; u takes it back.")


def _ended(target: PlanTarget) -> Sequence[IterationEntry]:
    """Return the iterations that can be rolled over; raises CannotAct without one."""
    store = target.store
    today, totals = store.today(), store.lookups.totals(TreeKind.ITERATIONS)
    here = target.lists.here()
    if here is not None and here.id in totals and here.start is not None and here.start <= today:
        return [here]
    every = [each for each in store.plan.iterations.targets() if each.id in totals]
    ended = [each for each in reversed(every) if each.end and each.end < today]
    if not ended:
        raise CannotAct("No ended iteration has unfinished items.")
    return ended


async def _iteration(target: PlanTarget, ended: Sequence[IterationEntry]) -> IterationEntry | None:
    """Return the only iteration, or the one that the user picks."""
    if len(ended) == 1:
        return ended[0]
    today, totals = target.store.today(), target.store.lookups.totals(TreeKind.ITERATIONS)
    choices = [
        Choice(each.id, each.name, f"{totals[each.id].count} unfinished, {span(each.start, each.end, today)}")
        for each in ended
    ]
    choice = await target.ask(PickDialog("Roll over", choices))
    return next((each for each in ended if choice is not None and each.id == choice.value), None)


def _ending(store: Store, iteration: IterationEntry) -> EndedIteration:
    """Read the unfinished items of an iteration, and the iteration that they go on to."""
    every = store.plan.iterations.targets()
    after = every[[each.id for each in every].index(iteration.id) + 1 :]
    target = next((each for each in after if each.end is None or each.end >= store.today()), None)
    items = store.batch.items(store.rollover.unfinished(iteration.id))
    tasks = {item.id: len(store.rollover.open_tasks(item.id)) for item in items}
    loads = store.plan_preview.loads_now([target.id] if target else [])
    owners = {each.id: each.username for each in store.everybody.known().values()}
    return EndedIteration(iteration, target, items, tasks, next(iter(loads.values()), Load()), owners)


def _content(decisions: Mapping[int, Decision]) -> dict[str, object]:
    return {str(item_id): [each.way.value, each.done, each.with_tasks] for item_id, each in decisions.items()}


def _kept(content: Mapping[str, object] | None) -> dict[int, Decision]:
    """Return the answers of an earlier rollover that was not finished."""
    found = {}
    for item_id, kept in (content or {}).items():
        if isinstance(kept, list) and len(kept) in {2, 3} and kept[0] in set(Way):
            found[int(item_id)] = Decision(Way(kept[0]), float(kept[1]), with_tasks=kept[2:] == [True])
    return found
