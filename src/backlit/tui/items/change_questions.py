"""Questions about changes that are allowed and often a mistake: odd estimates, ended iterations, open tasks."""

from collections.abc import Iterable, Mapping

from backlit.model.amounts import counted, estimates_without_points, without_points_sentence
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.statuses import StatusGroup
from backlit.store.records.item import number_of
from backlit.store.store import Store
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.fields.field_edits import BulkChange, Changes, FieldEdit
from backlit.tui.shell.target import StoreCommandTarget


async def agrees_on_estimates(target: StoreCommandTarget, changes: Iterable[Changes]) -> bool:
    """Ask about new estimates without points; each is asked about once. Return whether the user agrees to them."""
    estimates = estimates_without_points(each.get("Estimate") for each in changes)
    odd = [text for text in estimates if text not in target.session.agreed_estimates]
    if not odd:
        return True
    sentence = without_points_sentence(odd)
    answers = [AnswerKey("y", "keep it" if len(odd) == 1 else "keep them")]
    if await target.ask(ConfirmDialog("Estimate without points", sentence, answers, "cancel")) is None:
        return False
    target.session.agreed_estimates.update(odd)
    return True


async def agrees_on_ended(target: StoreCommandTarget, changes: Iterable[Changes]) -> bool:
    """Ask about each iteration that is over and that items are put into. Return whether the user agrees to all of them.

    A task that is put where its parent is follows a decision that was made before, so it is not asked about.
    """
    store, today = target.store, target.store.today()
    places = {each.get("IterationID") for each in changes if not _is_beside_parent(store, each)}
    for iteration in store.plan.iterations.targets():
        if iteration.id not in places or not iteration.is_over(today):
            continue
        if iteration.end is not None and iteration.end < today:
            title, since = "This iteration has ended", f"ended {counted((today - iteration.end).days, 'day')} ago"
        else:
            title, since = "This iteration is closed", "is closed: what is done in it now counts as late"
        question = ConfirmDialog(title, f"{iteration.name} {since}.", [AnswerKey("y", "plan into it")], "cancel")
        if await target.ask(question) is None:
            return False
    return True


def _is_beside_parent(store: Store, values: Changes) -> bool:
    parent_id = values.get("ParentID")
    parent = store.item(parent_id) if isinstance(parent_id, int) else None
    return parent is not None and parent.fields.get("IterationID") == values.get("IterationID")


async def tasks_to_finish(target: StoreCommandTarget, changes: Mapping[int, Changes]) -> BulkChange | None:
    """Ask whether the open tasks of items that become done are done too.

    Return the plan for the tasks, which is empty where they stay open; None where the question was cancelled.
    """
    store, nothing = target.store, BulkChange(FieldEdit("", (), lambda _: {}))
    groups = store.lookups.status_groups()
    done = [each for each, new in changes.items() if groups.of(str(new.get("Status") or "")) is StatusGroup.DONE]
    tasks = [task for task in store.batch.open_tasks_of(done) if task.id not in changes] if done else []
    status = groups.first(store.lookups.statuses(ItemType.TASK), StatusGroup.DONE)
    if not tasks or status is None:
        return nothing
    label = FIELD_BY_KEY["Status"].label
    plan = FieldEdit(f"{label} → {status}", ("Status",), lambda _: {"Status": status}).bulk_change(tasks, store.lookups)
    if not plan.changes:
        return nothing
    answers = [AnswerKey("y", "finish the tasks too"), AnswerKey("o", "leave the tasks open")]
    key = await target.ask(ConfirmDialog("Open tasks", _open_words(store, plan), answers, "cancel"))
    if key is None:
        return None
    return plan if key == "y" else nothing


def _open_words(store: Store, plan: BulkChange) -> str:
    parents = {task.fields.get("ParentID") for task in plan.items.values()}
    tasks = counted(len(plan.changes), "open task")
    if len(parents) > 1:
        return f"{len(parents):,} of the items have {tasks} together."
    (parent_id,) = parents
    parent = store.item(parent_id) if isinstance(parent_id, int) else None
    return f"{f'{number_of(parent.id)} “{parent.name}”' if parent else 'The item'} has {tasks}."


def left_open(store: Store, changes: Mapping[int, Changes]) -> str:
    """Return what is still open of items that became done, as a sentence behind another one; empty for nothing."""
    groups = store.lookups.status_groups()
    done = [each for each, new in changes.items() if groups.of(str(new.get("Status") or "")) is StatusGroup.DONE]
    if not done:
        return ""
    tasks = len(store.batch.open_tasks_of(done))
    criteria = sum(count - passed for passed, count in store.criteria.counts(done).values())
    blockers = store.relations.open_blockers(done)
    parts = [f"{counted(tasks, 'task')} open"] if tasks else []
    parts += [f"{counted(criteria, 'criterion', 'criteria')} not passed"] if criteria else []
    if len(done) == 1 and blockers:
        (open_blockers,) = blockers.values()
        parts.append(f"still blocked by {', '.join(map(number_of, open_blockers[:3]))}")
    elif blockers:
        parts.append(f"{counted(len(blockers), 'item')} still blocked")
    return f" {', '.join(parts).capitalize()}." if parts else ""
