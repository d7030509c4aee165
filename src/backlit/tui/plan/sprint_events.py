"""The start and the close of a sprint: commands, and the question after the plan is saved."""

from collections.abc import Iterable

from backlit.model.amounts import counted
from backlit.model.dates import written_day
from backlit.model.planning import IterationEvent
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.plan.plan_commands import PlanCommandTarget, need_target
from backlit.tui.plan.rollover import roll_over_iteration
from backlit.tui.shell.target import StoreCommandTarget

DAYS_AROUND_START = 3
"""Days before and after a sprint's first day on which its plan can be its commitment: on Friday for Monday."""


async def start_planned(target: PlanCommandTarget, _call: CommandContext) -> None:
    target.store.nodes.need_events()
    await start(target, need_target(target))


async def close_planned(target: PlanCommandTarget, _call: CommandContext) -> None:
    target.store.nodes.need_events()
    await close(target, need_target(target))


async def offer_start(target: PlanCommandTarget, saved: Iterable[IterationEntry]) -> None:
    """Ask whether to start a sprint whose plan was saved: once a sprint, some days around its first."""
    store = target.store
    if not store.nodes.has_events():
        return
    for sprint in saved:
        key = f"start asked:{store.project_id}:{store.nodes.real_id(sprint.id)}"
        is_due = sprint.start is not None and abs((sprint.start - store.today()).days) <= DAYS_AROUND_START
        if not is_due or sprint.is_over(store.today()) or sprint.started_at is not None or store.kept.find(key):
            continue
        store.kept.keep(key, value=True)
        await start(target, sprint)
        return


async def start(target: StoreCommandTarget, sprint: IterationEntry) -> None:
    store = target.store
    if sprint.started_at is not None:
        await _withdraw(target, sprint, IterationEvent.START)
        return
    saved = store.plan_preview.loads_now([sprint.id], {})[sprint.id]
    planned = store.plan_preview.loads_now([sprint.id])[sprint.id]
    sentence = f"Start {sprint.name}? Its {counted(saved.points, 'pt becomes', 'pts become')} the commitment."
    sentence += " What is not saved is not in it." if planned != saved else ""
    ahead = (sprint.start - store.today()).days if sprint.start is not None else 0
    if ahead > DAYS_AROUND_START and sprint.start is not None:
        sentence += f" Its first day is {written_day(sprint.start, store.today())}, in {counted(ahead, 'day')}."
    if await target.ask(ConfirmDialog("Start", sentence, [AnswerKey("y", "start")], "not now")):
        await store.nodes.record(sprint.id, IterationEvent.START)
        target.say(f"{sprint.name} started. u to undo.")


async def close(target: StoreCommandTarget, sprint: IterationEntry) -> None:
    """Close a sprint, once it is asked about each of its unfinished items; raises CannotAct before it has begun."""
    store = target.store
    if sprint.closed_at is not None:
        await _withdraw(target, sprint, IterationEvent.CLOSE)
        return
    if sprint.started_at is None and sprint.start is not None and sprint.start > store.today():
        raise CannotAct(f"{sprint.name} has not begun: it starts on {written_day(sprint.start, store.today())}.")
    is_planned_into = store.plan.iterations.is_target(sprint.id)
    if is_planned_into and store.lookups.totals(TreeKind.ITERATIONS).get(sprint.id):
        await roll_over_iteration(target, sprint, closes=True)
        return
    sentence = f"Close {sprint.name}? What is done in it later counts as late, in no velocity."
    if await target.ask(ConfirmDialog("Close", sentence, [AnswerKey("y", "close")], "cancel")):
        await store.nodes.record(sprint.id, IterationEvent.CLOSE)
        target.say(f"{sprint.name} closed. u to undo.")


async def _withdraw(target: StoreCommandTarget, sprint: IterationEntry, event: IterationEvent) -> None:
    """Ask whether an event counts no more, which somebody recorded before."""
    at = sprint.started_at if event is IterationEvent.START else sprint.closed_at
    local = None if at is None else target.store.local(at)
    when = "" if local is None else f" on {written_day(local.date(), target.store.local_today())} at {local:%H:%M}"
    verb = "started" if event is IterationEvent.START else "closed"
    sentence = f"{sprint.name} was {verb}{when}."
    if await target.ask(ConfirmDialog(event.capitalize(), sentence, [AnswerKey("w", f"withdraw the {event}")], "keep")):
        await target.store.nodes.withdraw(sprint.id, event)
        target.say(f"The {event} of {sprint.name} is withdrawn. u to undo.")
