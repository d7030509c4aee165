"""Blockers in the plan: what is planned after the items that wait for it, in words."""

from collections.abc import Iterator, Sequence

from textual.content import Content

from backlit.model.amounts import counted
from backlit.store.planning.preview import PlannedBlocker
from backlit.store.records.item import Item, number_of
from backlit.store.store import Store
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey
from backlit.tui.dialogs.reading import ReadingDialog, item_line
from backlit.tui.drawing.text import literal, safe
from backlit.tui.shell.target import StoreCommandTarget

MAX_NAMED = 3
"""Items that a message names."""


def sentence_of_blocker(store: Store, blocker: PlannedBlocker) -> str:
    waiting, other = number_of(blocker.item_id), number_of(blocker.blocker_id)
    if blocker.is_beside:
        return f"{waiting} and its blocker {other} are in the same sprint."
    sprint = store.lookups.iterations().get(blocker.sprint_id or 0)
    return f"{waiting} comes before its blocker {other} ({sprint.name if sprint else 'backlog'})."


def warning(store: Store, item_ids: Sequence[int]) -> str:
    """Return what to say after items were planned; empty where no blocker comes too late."""
    late = store.plan_preview.blockers_around(item_ids) if store.lookups.announces("relations") else []
    if not late:
        return ""
    if len(late) == 1:
        way = f"{key_of('plan.send')} on {number_of(late[0].blocker_id)} plans it too, {key_of('app.undo')} to undo."
        return f"{sentence_of_blocker(store, late[0])} {way}"
    waiting = list(dict.fromkeys(each.item_id for each in late))
    named = ", ".join(map(number_of, waiting[:MAX_NAMED])) + " …" * (len(waiting) > MAX_NAMED)
    come = "comes before its blockers" if len(waiting) == 1 else "come before their blockers"
    return f"{named} {come}. {key_of('plan.workload')} lists them, {key_of('app.undo')} to undo."


def blocker_lines(store: Store, blockers: Sequence[PlannedBlocker]) -> Iterator[Content]:
    """Yield a line for each blocker, those that come too late first."""
    for each in sorted(blockers, key=lambda one: one.is_beside):
        words = safe(sentence_of_blocker(store, each))
        yield literal(f"  {words}") if each.is_beside else Content.styled(f"! {words}", "bold $error")


async def items_of_features(target: StoreCommandTarget, items: Sequence[Item], sprint: str) -> list[int] | None:
    """Return the items to plan, for a Feature those below it that are open and in no sprint, after showing them.

    None where that was cancelled.
    """
    store = target.store
    features = store.plan_preview.counted_by_items(item.id for item in items)
    others = [item.id for item in items if item.id not in features]
    if not features:
        return others
    below = [each for each in store.plan_preview.unplanned_below(features) if each not in others]
    shown = store.batch.items(below)
    width = max((len(str(item.id)) + 1 for item in shown), default=3)
    lines = [item_line(item.id, item.type, item.name, width) for item in shown]
    named = number_of(next(iter(features))) if len(features) == 1 else counted(len(features), "Feature")
    count = len(below) + len(others)
    answers = [AnswerKey("y", f"plan {counted(count, 'item')}")] if count else []
    heading = [] if below else [literal("No open item below it is without a sprint.")]
    if others:
        heading.append(literal(f"{counted(len(others), 'other selected item')} will be planned with them."))
    title = f"Plan the items of {named} into {sprint}"
    answer = await target.ask(ReadingDialog(title, lines, heading, answers, "cancel" if answers else "close"))
    return [*others, *below] if answer is not None else None
