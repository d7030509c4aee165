"""Logging work on a task: the commands, the timer and the dialog."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date

from msgspec import Struct
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from backlit.model.amounts import clock_text, hours_of, hours_text
from backlit.model.dates import past_day, written_day
from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.store.edits.work_log import LoggedWork, type_named
from backlit.store.records.item import Item, number_of
from backlit.store.records.work import remaining_after
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.charts import progress_line
from backlit.tui.drawing.text import literal, safe
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.drafts import StoredDraft
from backlit.tui.shell.input_queue import AnswerRefused
from backlit.tui.shell.target import StoreCommandTarget
from backlit.tui.widgets.inputs import LineInput


async def log(target: ItemTarget, call: CommandContext) -> None:
    """Ask for hours, their type, what remains and a note, and log them; typed text is taken as the hours."""
    await ask_and_log(target, _current_task(target), call.text)


async def start_timer(target: ItemTarget, _call: CommandContext) -> None:
    """Start the timer; where it runs on this task already, log its time."""
    task, running = _current_task(target), target.store.timer.running
    if running is None:
        await _start(target, task)
    elif running.item_id == task.id:
        await ask_and_log(target, task)
    else:
        raise CannotAct(f"The timer runs on #{running.item_id}; :stop logs its time first.")


def _current_task(target: ItemTarget) -> Item:
    target.store.lookups.need_writer()
    item = target.current()
    if item.type != ItemType.TASK:
        raise CannotAct(f"Work is logged on tasks; {key_of('item.add-task')} adds one to this item.")
    return item


async def ask_and_log(target: StoreCommandTarget, task: Item, hours: str = "") -> None:
    draft = StoredDraft(target.store, draft_key(task.id))
    done = await target.ask(LogWorkDialog(task, _form(target.store, task), draft, hours))
    while isinstance(done, ToggleTimer):
        if not done.is_running:
            await _start(target, task)
            return
        await target.store.timer.stop()
        again = LogWorkDialog(task, _form(target.store, task), draft, str(done.typed[LABELS[HOURS]]), done.typed)
        done = await target.ask(again)
    if done is None:
        return
    await target.store.work_log.log(task.id, done, {"WorkRemaining": task.fields.get("WorkRemaining")})
    await target.store.drafts.discard(draft_key(task.id))
    beside = "" if target.store.work_log.has_entries else ": work fields and a comment"
    target.say(f"{hours_text(done.hours)} h logged on {number_of(task.id)}{beside}. u to undo.")


def _form(store: Store, task: Item) -> "LogWorkForm":
    running, types, last = store.timer.running, store.lookups.time_entry_types(), store.work_log.last_type
    usual = last if last in types else next(iter(types), "")
    return LogWorkForm(
        types,
        usual,
        store.timer.hours_on(task.id),
        running.item_id if running else None,
        store.timer.seconds,
        store.today() if store.work_log.has_entries else None,
        store.work_log.counts,
    )


async def _start(target: StoreCommandTarget, task: Item) -> None:
    await target.store.timer.start(task.id)
    target.say("The timer runs; :stop or L on this task logs its time.")


# The dialog

LABELS = ("Hours", "Type", "Remaining", "Note", "Day")
HOURS, TYPE, REMAINING, NOTE, DAY = range(len(LABELS))
LABEL_WIDTH, INPUT_WIDTH, PROGRESS_BAR = 12, 15, 12
DIALOG_WIDTH, FRAME_CELLS = 96, 4
"""Cells of the dialog at most, and those that its frame takes of them."""
WORK_FIELDS = ("WorkCompleted", "WorkRemaining")


def draft_key(task_id: int) -> str:
    return f"log {task_id}"


class LogWorkForm(Struct, frozen=True):
    """The types of time entries, the usual one, the timer's hours on the task, its task, and its running seconds.

    `today` is None where the server has no time entries, which have a day.
    """

    types: Sequence[str]
    usual_type: str
    timed_hours: float | None
    timed_id: int | None
    seconds: Callable[[], float]
    today: date | None = None
    counts: bool = True
    """Whether the hours count in the work fields of the task."""


class ToggleTimer(Struct, frozen=True):
    """The answer that asks for the timer to be started, or to be stopped where it runs on the task."""

    is_running: bool
    typed: Mapping[str, object]


class LogWorkDialog(Dialog[LoggedWork | ToggleTimer | None]):
    """Tab and the arrows go from line to line, enter logs; what remains follows the hours until it is typed itself.

    The draft keeps the typed lines until they are logged. `typed` holds the lines of the same dialog before.
    """

    draft: StoredDraft

    def __init__(
        self,
        task: Item,
        form: LogWorkForm,
        draft: StoredDraft,
        hours: str = "",
        typed: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(f"Log work on {f'#{task.id} ' if task.id > 0 else ''}{task.name}"[:70])
        self._item = task
        self._form = form
        self._is_timed = form.timed_hours is not None
        timed = hours_text(form.timed_hours) if form.timed_hours else ""
        self.inputs = [LineInput(hours or timed), LineInput(form.usual_type), LineInput(), LineInput()]
        if form.today is not None:
            self.inputs.append(LineInput("today"))
        self._followed = ""
        self._usual: dict[str, object] = {}
        self.draft = draft
        kept = draft.found()
        self._is_kept = bool(kept) and typed is None
        self._begun_with = kept if typed is None else typed
        self.draft.begin(self, lambda: {} if self._typed() == self._usual else self._typed())
        self._facts = {at: Static(classes="fact") for at in (TYPE, REMAINING, DAY) if at < len(self.inputs)}
        self._note = Static(classes="note")
        self._fault = Static(classes="fault")
        self.inputs[TYPE].suggester = SuggestFromList(form.types, case_sensitive=False)
        self.inputs[NOTE].placeholder, self.inputs[HOURS].placeholder = "optional", "1.5 1h30m 90m"

    def content(self) -> ComposeResult:
        for at, line in enumerate(self.inputs):
            with Horizontal(classes="labelled"):
                yield Static(literal(f"{LABELS[at]:{LABEL_WIDTH - 1}}"), classes="label")  # the bar follows
                yield line
                if at != NOTE:
                    line.styles.width = INPUT_WIDTH
                if at in self._facts:
                    yield self._facts[at]
        yield self._note
        yield self._fault

    def on_mount(self) -> None:
        self._follow()
        self._usual = self._typed()
        self._take_up()
        self.inputs[HOURS].focus()
        self.inputs[HOURS].select_all()
        self._show(is_final=False)

    def type_early(self, character: str) -> None:
        self.inputs[HOURS].put(character)

    def press(self, key: str) -> bool:
        match key:
            case "tab" | "down":
                self._step(1)
            case "shift+tab" | "up":
                self._step(-1)
            case "ctrl+n":
                self._turn(1)
            case "ctrl+p":
                self._turn(-1)
            case "ctrl+t":
                self._turn_timer()
            case "enter":
                self._accept()
            case "escape":
                self.draft.write()
                self.dismiss(None)
            case _:
                return False
        return True

    # What is typed

    def _typed(self) -> dict[str, object]:
        remaining = self.inputs[REMAINING].value
        typed = {label: line.value for label, line in zip(LABELS, self.inputs, strict=False)}
        return {**typed, LABELS[REMAINING]: remaining if remaining != self._followed else None}

    def _take_up(self) -> None:
        """Put back what was typed before; hours that are given, or the timer's, stay."""
        for label, line in zip(LABELS, self.inputs, strict=False):
            value = self._begun_with.get(label)
            if isinstance(value, str) and not (line is self.inputs[HOURS] and line.value):
                line.value = value
        self._follow()

    def _accept(self) -> None:
        done = self._show(is_final=True)
        if done is not None:
            self.draft.write()
            self.dismiss(done)

    def _step(self, lines: int) -> None:
        """Go to another line; a type that was begun is completed, and hours are written as decimals."""
        at = next((index for index, line in enumerate(self.inputs) if line.has_focus), 0)
        typed = self.inputs[at].value.strip()
        with suppress(BadRequest):
            if at == TYPE:
                self.inputs[TYPE].value = type_named(self._form.types, typed)
            elif at == HOURS:
                self.inputs[HOURS].value = hours_text(hours_of(typed))
        wanted = self.inputs[(at + lines) % len(self.inputs)]
        wanted.focus()
        wanted.select_all()

    def _turn(self, steps: int) -> None:
        """Choose another of the project's types."""
        types, typed = self._form.types, self.inputs[TYPE].value
        if not types:
            return
        at = types.index(typed) if typed in types else -max(steps, 0)
        self.inputs[TYPE].value = types[(at + steps) % len(types)]
        if self.inputs[TYPE].has_focus:
            self.inputs[TYPE].select_all()

    def _turn_timer(self) -> None:
        """Ask for the timer to be started; where it runs on this task, to be stopped with its time in the line."""
        if not self._is_timed and self._form.timed_id is not None:
            self._fault.update(literal(f"The timer runs on #{self._form.timed_id}; :stop logs its time first."))
        else:
            self.draft.write()
            self.dismiss(ToggleTimer(self._is_timed, self._typed()))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.input is self.inputs[HOURS]:
            self._follow()
        self._show(is_final=False)
        self.draft.write_soon()

    def _follow(self) -> None:
        """Have what remains follow the hours, unless another number was typed there."""
        line = self.inputs[REMAINING]
        if line.value != self._followed:
            return
        try:
            hours = hours_of(self.inputs[HOURS].value)
        except BadRequest:
            hours = 0.0
        remaining = remaining_after(self._item.fields, hours if self._form.counts else 0.0)
        self._followed = "" if remaining is None else hours_text(remaining)
        line.value = self._followed

    def _show(self, *, is_final: bool) -> LoggedWork | None:
        try:
            done, fault = self._read(), ""
        except BadRequest as error:
            done, fault = None, str(error)
        self._show_facts(done)
        self._note.update(Content("\n").join([*self._lines(), self._result(done)]))
        self._fault.update(literal(fault if is_final else ""))
        if fault and is_final:
            self.post_message(AnswerRefused(fault))
        verb = "log and stop" if self._is_timed else "log"
        timer = "stop timer" if self._is_timed else "start timer"
        next_type = [("ctrl+n", "next type")] if len(self._form.types) > 1 and self._has_types_beside else []
        self.name_keys(("enter", verb), *next_type, ("ctrl+t", timer), ("tab", "next"), ("esc", "cancel"))
        return done

    def _result(self, done: LoggedWork | None) -> Content:
        """Return in a line what enter does, and how much of the task's work is done then."""
        completed, whole = self._work(done)
        parts = [self._saved_words(done)] if done else []
        if whole:
            words = f" {'then ' if done else ''}{hours_text(completed)} of {hours_text(whole)} h are done"
            bar = progress_line(completed / whole, PROGRESS_BAR)
            parts.append(Content.assemble(*((text, f"${colour}") for text, colour in bar), words))
        line = Content("  ").join(parts)
        return line if line.cell_length <= self._room else Content("\n").join(parts)

    def _saved_words(self, done: LoggedWork) -> Content:
        if done.day is None:
            return Content.assemble("Saves a comment  ", (safe(done.comment), "$foreground"))
        day = "" if self._form.today is None else f" on {written_day(done.day, self._form.today)}"
        what = f"{hours_text(done.hours)} h {done.entry_type}".strip() + day
        return Content.assemble("Logs ", (safe(what), "bold $mark"))

    def _after(self, done: LoggedWork | None) -> Mapping[str, object]:
        """Return the work fields of the task as they will be."""
        now = self._item.fields
        return now if done is None or not self._form.counts else {**now, **done.changes(now)}

    def _work(self, done: LoggedWork | None) -> tuple[float, float]:
        """Return the completed hours of the task and all of its hours, as they will be."""
        after = self._after(done)
        completed, left = (each if isinstance(each := after.get(key), int | float) else 0.0 for key in WORK_FIELDS)
        return completed, completed + left

    def _show_facts(self, done: LoggedWork | None) -> None:
        now = self._item.fields
        self._facts[REMAINING].update(literal(f"  was {_hours(now.get('WorkRemaining'))}"))
        if DAY in self._facts and done is not None and done.day is not None:
            self._facts[DAY].update(literal(f"  {done.day:%A}"))
        self._facts[TYPE].update(Content.assemble("  ", self._types()) if self._has_types_beside else "")

    @property
    def _room(self) -> int:
        return min(DIALOG_WIDTH, self.app.size.width) - FRAME_CELLS

    @property
    def _has_types_beside(self) -> bool:
        return LABEL_WIDTH + INPUT_WIDTH + 2 + self._types().cell_length <= self._room

    def _types(self) -> Content:
        """Return the types that can be chosen, the chosen one lit."""
        chosen = ""
        with suppress(BadRequest):
            chosen = type_named(self._form.types, self.inputs[TYPE].value.strip())
        names = [Content.styled(safe(name), "bold $mark" if name == chosen else "") for name in self._form.types]
        return Content("  ").join(names) if names else Content("This project has no types of time entries.")

    def _lines(self) -> Sequence[Content]:
        """Return what is said above the result, below a blank."""
        next_type = ("ctrl+n  ", "bold $foreground") if len(self._form.types) > 1 else ""
        lines = [
            Content("This was kept from before; it has not been logged.") if self._is_kept else None,
            None if self._has_types_beside else Content.assemble(next_type, self._types()),
            Content(f"◷ The timer has been running here for {clock_text(self._form.seconds())}.")
            if self._is_timed
            else None,
        ]
        blank = () if self.has_class("-tall") else (Content(),)  # the last field has one below it then
        return [*blank, *(line for line in lines if line is not None)]

    def _read(self) -> LoggedWork:
        typed = [line.value.strip() for line in self.inputs]
        hours = hours_of(typed[HOURS])
        remaining = None
        if self.inputs[REMAINING].value != self._followed:
            remaining = hours_of(typed[REMAINING] or "0", "Remaining", least=0.0)
        today = self._form.today
        day = None if today is None else past_day(typed[DAY] or "today", today)
        return LoggedWork(hours, type_named(self._form.types, typed[TYPE]), typed[NOTE], remaining, day)


def _hours(value: object) -> str:
    return f"{hours_text(value)} h" if isinstance(value, int | float) else "not set"
