"""The verbs that log work on a task, at once or by the timer, and what the timer says in status lines."""

from typing import TYPE_CHECKING

from backlit.model.errors import BacklitError
from backlit.model.fields import ItemType
from backlit.model.hours import clock_text, hours_text
from backlit.store.rows import Item
from backlit.store.store import Store
from backlit.store.work_log import Work
from backlit.tui.acting import CannotAct
from backlit.tui.bulk import Bulk, sentence_of
from backlit.tui.widgets.lines import Part
from backlit.tui.work import work

if TYPE_CHECKING:
    from backlit.tui.chord_app import ChordApp


class LogVerbs(Bulk):
    """Act on one task, the current one; hours are each task's own."""

    def do_item_log(self, _count: int | None) -> None:
        """Ask for hours, their type, what remains and a note, and log them."""
        ask_work(self.chord_app, self.store, self._the_task())

    def told_item_log(self, hours: str) -> None:
        """Ask for the rest, with the hours that were typed (`:log 2h`)."""
        ask_work(self.chord_app, self.store, self._the_task(), hours)

    def do_item_timer(self, _count: int | None) -> None:
        """Start the timer; where it runs on this task already, log its time."""
        task, running = self._the_task(), self.store.timer.running
        if running is not None and running.item_id == task.id:
            ask_work(self.chord_app, self.store, task)
            return
        if running is not None:
            raise CannotAct(f"The timer runs on #{running.item_id}; :stop logs its time first.")
        self.run_worker(work(start_timer, self.chord_app, self.store, task.id), group="writes")

    def _the_task(self) -> Item:
        item = self.current_item()
        if item.type != ItemType.TASK:
            raise CannotAct("Work is logged on tasks; A adds one to this item.")
        return item


def draft_key(task_id: int) -> str:
    """Under which what is typed about a task's work is kept until it is logged."""
    return f"log {task_id}"


def ask_work(app: "ChordApp", store: Store, task: Item, hours: str = "") -> None:
    """Ask what was done on a task, and log it."""
    from backlit.tui.dialogs.log_work import LogWorkDialog

    def answered(done: Work | None) -> None:
        if done is not None:
            seen = {"WorkRemaining": task.fields.get("WorkRemaining")}
            app.run_worker(work(_log, app, store, task.id, done, seen), group="writes")

    app.push_screen(LogWorkDialog(store, task, hours), answered)


async def _log(app: "ChordApp", store: Store, task_id: int, done: Work, seen: dict[str, object]) -> None:
    try:
        await store.work_log.log(task_id, done, seen)
        await store.discard_draft(draft_key(task_id))
    except BacklitError as error:
        app.say(sentence_of(error), is_bad=True)
        return
    app.say(f"{hours_text(done.hours)} h logged on #{task_id}: its work fields, and a comment. u takes it back.")


async def start_timer(app: "ChordApp", store: Store, task_id: int) -> None:
    """Start the timer, and say so."""
    try:
        await store.timer.start(task_id)
    except BacklitError as error:
        app.say(sentence_of(error), is_bad=True)
        return
    app.say("The timer runs; :stop or L on this task logs its time.")


async def drop_timer(app: "ChordApp", store: Store) -> None:
    """Stop the timer and forget its time."""
    try:
        await store.timer.stop()
    except BacklitError as error:
        app.say(sentence_of(error), is_bad=True)


def timer_words(store: Store) -> list[Part]:
    """How long the timer has been running, and on what; nothing where it is not."""
    running = store.timer.running
    if running is None:
        return []
    number = f"#{running.item_id}" if running.item_id > 0 else "a new task"
    return [(f"  ◷ {clock_text(store.timer.seconds())} {number}", "accent")]
