"""Commands on the timer, wherever its task is."""

from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.items.log_work import ask_and_log
from backlit.tui.shell.target import StoreTarget


async def stop(target: StoreTarget, _call: Call) -> None:
    """Ask what the timer's time was spent on, and log it; esc lets the timer run on."""
    running = target.store.timer.running
    if running is None:
        raise CannotAct("No timer is running; ctrl+t in the dialog of L starts one.")
    task = target.store.item(running.item_id)
    if task is None:
        await target.store.timer.stop()
        raise CannotAct(f"#{running.item_id} is no longer there; the timer is stopped.")
    await ask_and_log(target, task)
