"""Commands that log work on a task, at once or by the timer."""

from backlit.model.amounts import hours_text
from backlit.model.fields import ItemType
from backlit.store.records.item import Item
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.items.log_work_dialog import LogWorkDialog, Start, draft_key
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.target import StoreTarget


async def log(target: ItemTarget, call: Call) -> None:
    """Ask for hours, their type, what remains and a note, and log them; typed text is taken as the hours."""
    await ask_and_log(target, _current_task(target), call.text)


async def start_timer(target: ItemTarget, _call: Call) -> None:
    """Start the timer; where it runs on this task already, log its time."""
    task, running = _current_task(target), target.store.timer.running
    if running is None:
        await _start(target, task)
    elif running.item_id == task.id:
        await ask_and_log(target, task)
    else:
        raise CannotAct(f"The timer runs on #{running.item_id}; :stop logs its time first.")


def _current_task(target: ItemTarget) -> Item:
    item = target.current()
    if item.type != ItemType.TASK:
        raise CannotAct("Work is logged on tasks; A adds one to this item.")
    return item


async def ask_and_log(target: StoreTarget, task: Item, hours: str = "") -> None:
    """Ask what was done on a task, and log it."""
    done = await target.ask(LogWorkDialog(target.store, task, hours))
    if done is None:
        return
    if isinstance(done, Start):
        await _start(target, task)
        return
    await target.store.work_log.log(task.id, done, {"WorkRemaining": task.fields.get("WorkRemaining")})
    await target.store.drafts.discard(draft_key(task.id))
    target.say(f"{hours_text(done.hours)} h logged on #{task.id}: its work fields, and a comment. u takes it back.")


async def _start(target: StoreTarget, task: Item) -> None:
    await target.store.timer.start(task.id)
    target.say("The timer runs; :stop or L on this task logs its time.")
