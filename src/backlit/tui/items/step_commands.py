"""Commands that move an item one step on: its estimate, its status, its iteration."""

from collections.abc import Sequence

from backlit.model.amounts import points_of
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.statuses import StatusGroup, group_of, is_open
from backlit.store.records.item import Item
from backlit.store.records.people import IterationEntry, current, following, leaves, preceding
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.drawing.relative_times import days_until
from backlit.tui.fields.acts import Act, Changes, DoesNotApply, to_value
from backlit.tui.fields.values import number_text
from backlit.tui.items.field_prompts import having
from backlit.tui.items.target import ItemTarget
from backlit.tui.widgets.choice_list import Choice


async def step_estimate(target: ItemTarget, call: Call) -> None:
    """Move the estimate along the scale, by the sign in the command's argument and the count."""
    steps = int(call.command.argument) * (call.count or 1)
    items = target.chosen()
    having("Estimate", items, target.store.lookups)

    def changes(item: Item) -> Changes:
        return {"Estimate": stepped(item.fields.get("Estimate"), steps, target.session.estimate_scale)}

    await target.apply(Act(f"Estimate {steps:+d}", ("Estimate",), changes), items)


async def finish(target: ItemTarget, call: Call) -> None:
    """Set the first status that means done."""
    await _set_group(target, call, StatusGroup.DONE, "Done")


async def reopen(target: ItemTarget, call: Call) -> None:
    """Set the first status that means open."""
    await _set_group(target, call, StatusGroup.NOT_STARTED, "Reopen")


async def _set_group(target: ItemTarget, call: Call, group: StatusGroup, label: str) -> None:
    items = target.chosen(call.rows)
    having("Status", items, target.store.lookups)

    def changes(item: Item) -> Changes:
        status = str(item.fields.get("Status") or "")
        if (group is StatusGroup.DONE) == (group_of(status) is StatusGroup.DONE):
            return {}
        if group is StatusGroup.NOT_STARTED and is_open(status):
            return {}
        return {"Status": first_status(target.store.lookups.statuses(item.type), group)}

    await target.apply(Act(label, ("Status",), changes), items)


async def move_to_current(target: ItemTarget, call: Call) -> None:
    """Move to the iteration of today."""
    found = current(_iterations(target), target.store.today())
    await _move_to_one(target, call, found, "No iteration is under way")


async def move_to_next(target: ItemTarget, call: Call) -> None:
    """Move to the iteration after today's."""
    found = following(_iterations(target), target.store.today())
    await _move_to_one(target, call, found, "No iteration starts after today")


async def move_to_previous(target: ItemTarget, call: Call) -> None:
    """Move to the iteration before today's."""
    found = preceding(_iterations(target), target.store.today())
    await _move_to_one(target, call, found, "No iteration has ended yet")


async def move_to_backlog(target: ItemTarget, call: Call) -> None:
    """Move out of every iteration, to the root."""
    roots = [each for each in target.store.lookups.iterations().values() if "\\" not in each.path]
    if not roots:
        raise CannotAct("The iterations are still being read; try again in a moment.")
    await _move(target, roots[0].id, "the backlog", target.chosen(call.rows))


def _iterations(target: ItemTarget) -> Sequence[IterationEntry]:
    return leaves(target.store.lookups.iterations().values())


async def _move_to_one(target: ItemTarget, call: Call, found: Sequence[IterationEntry], nothing: str) -> None:
    """Move to the one iteration found, or ask which of several."""
    items = target.chosen(call.rows)
    if not found:
        raise CannotAct(f"{nothing}; gi shows the iterations.")
    names = {each.id: each.name for each in found}
    wanted: object = found[0].id
    if len(found) > 1:
        today = target.store.today()
        choices = [Choice(each.id, each.name, days_until(each.end, today) if each.end else "") for each in found]
        choice = await target.ask(PickDialog("Move to which iteration?", choices))
        wanted = None if choice is None else choice.value
    if isinstance(wanted, int):
        await _move(target, wanted, names[wanted], items)


async def _move(target: ItemTarget, iteration_id: int, name: str, items: Sequence[Item]) -> None:
    await target.apply(to_value(FIELD_BY_KEY["IterationID"], iteration_id, name), items)


def stepped(estimate: object, steps: int, scale: Sequence[float]) -> str:
    """The estimate some steps up or down a rising scale, which ends where it ends; unset counts as nothing."""
    text = str(estimate) if estimate not in (None, "") else ""
    points = points_of(text) if text else 0.0
    if points is None:
        raise DoesNotApply(f"“{text[:20]}” is no number, so it has no next step; ce changes it.")
    if not text and steps < 0:
        raise DoesNotApply("It has no estimate yet.")
    if steps > 0:
        above = [step for step in scale if step > points]
        wanted = above[min(steps, len(above)) - 1] if above else points
    else:
        below = [step for step in reversed(scale) if step < points]
        wanted = below[min(-steps, len(below)) - 1] if below else points
    return text if wanted == points and text else number_text(wanted)


def first_status(statuses: Sequence[str], group: StatusGroup) -> str:
    """The first status of a group; of one that nothing begins with, the first that is open."""
    for status in statuses:
        if group_of(status) is group:
            return status
    for status in statuses:
        if group is StatusGroup.NOT_STARTED and is_open(status):
            return status
    raise DoesNotApply(f"It has no status that means {group.value}.")
