"""Splitting an item: the command, and the form with the parts, their points, tasks and criteria."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import AwaitMount
from textual.widgets import Input, Static

from backlit.model.amounts import counted, points_of
from backlit.model.fields import NAME_LIMIT, ItemType
from backlit.model.resources import CriterionStatus
from backlit.store.edits.checks import not_copied
from backlit.store.edits.splits import SplitPart, points_text, rest_of_points
from backlit.store.records.item import Item, number_of
from backlit.store.views.objects import Criterion
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import literal, safe
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.drafts import RESTORED_SENTENCE, StoredDraft
from backlit.tui.shell.input_queue import AnswerRefused
from backlit.tui.widgets.inputs import LineInput

MAX_PARTS = 9
POINTS_WIDTH = 7
STAYS, SHARED = "stays", "both"


async def split(target: ItemTarget, _call: CommandContext) -> None:
    """Ask for the parts of the current item, and split it."""
    target.store.lookups.need_writer()
    store, item = target.store, target.current()
    if item.type == ItemType.TASK:
        raise CannotAct("A task is not split. Add another task to its item.")
    tasks = store.batch.open_tasks_of([item.id])
    criteria = [each for each in store.criteria.of_item(item.id) if each.status != CriterionStatus.PASS]
    draft = StoredDraft(store, f"split {item.id}")
    answer = await target.ask(SplitDialog(item, tasks, criteria, draft))
    if answer is None:
        return
    _, left_out = await store.splits.split(item.id, answer.parts, answer.changes)
    await store.drafts.discard(f"split {item.id}")
    words = f"{number_of(item.id)} split: {counted(len(answer.parts), 'new item')}. u to undo."
    target.say(words + not_copied(left_out))


class SplitAnswer(Struct, frozen=True):
    """The parts, and what the item itself gets."""

    parts: Sequence[SplitPart]
    changes: Mapping[str, object]


class _Line:
    """A line of the form: the name of the item or of a part, and its points."""

    def __init__(self, name: str = "", points: str = "") -> None:
        self.name, self.points = LineInput(name), LineInput(points)

    @property
    def inputs(self) -> tuple[LineInput, LineInput]:
        return self.name, self.points


class SplitDialog(Dialog[SplitAnswer | None]):
    """Tab goes from line to line, ctrl+n adds a part, space moves a task or a criterion, enter splits.

    The points of the item follow those of the parts until they are typed.
    """

    draft: StoredDraft

    def __init__(self, item: Item, tasks: Sequence[Item], criteria: Sequence[Criterion], draft: StoredDraft) -> None:
        estimate = str(item.fields.get("Estimate") or "")
        amount = points_of(estimate)
        number = f"{number_of(item.id)} " if item.id > 0 else ""
        points = f" · {estimate if amount is None else counted(amount, 'pt')}" if estimate else ""
        super().__init__(f"Split {number}{item.name}"[: 70 - len(points)] + points)
        self._item, self._tasks, self._criteria = item, tasks, criteria
        self._places = dict.fromkeys([*(each.id for each in tasks), *(each.id for each in criteria)], 0)
        """The part that each task and criterion goes to, 0 for the item; -1 is a criterion of both."""
        self._places |= {each.id: -1 for each in criteria}
        self._followed = ""
        self.draft = draft
        kept = draft.found()
        names = kept.get("names")
        self._is_kept = isinstance(names, list)
        begun = (
            [list(map(str, each)) for each in names] if isinstance(names, list) else [[item.name, estimate], ["", ""]]
        )
        self.lines = [_Line(*each[:2]) for each in begun]
        draft.begin(self, self._content)
        self._form = Vertical(classes="split-lines")
        self._rows, self._fault = Static(classes="rows"), Static(classes="fault")
        self._at: int | None = None
        """The row of a task or criterion that the cursor is on; None while it is in a line."""
        self.name_keys(
            ("enter", "split"),
            ("tab", "next field"),
            ("ctrl+n", "another part"),
            ("space", "move row"),
            ("esc", "cancel"),
        )

    def content(self) -> ComposeResult:
        with self._form:
            for at, line in enumerate(self.lines):
                yield self._composed(at, line)
        yield self._rows
        yield self._fault

    def on_mount(self) -> None:
        self._follow()
        first = self.lines[1].name
        first.focus()
        self._show()
        if self._is_kept:
            self._fault.update(literal(RESTORED_SENTENCE))

    @staticmethod
    def _composed(at: int, line: _Line) -> Horizontal:
        line.points.styles.width = POINTS_WIDTH
        label = Static(literal("New   " if at else "Stays "), classes="label")
        return Horizontal(label, line.name, Static(literal("  Pts "), classes="label"), line.points, classes="labelled")

    def _content(self) -> Mapping[str, object]:
        names = [[each.name.value, each.points.value] for each in self.lines]
        return {"names": names} if any(each.name.value for each in self.lines[1:]) else {}

    # Keys

    def type_early(self, character: str) -> None:
        if self._at is None:
            self.lines[1].name.put(character)
        elif character == " ":
            self._move_row()
        elif character in "jk":
            self._step(1 if character == "j" else -1)

    def press(self, key: str) -> bool:
        match key:
            case "tab" | "down":
                self._step(1)
            case "shift+tab" | "up":
                self._step(-1)
            case "ctrl+n":
                self._add_part()
            case "enter":
                self._accept()
            case "escape":
                self.draft.write()
                self.dismiss(None)
            case _:
                return False
        return True

    def _step(self, steps: int) -> None:
        """Go to another input, or to another row below them."""
        inputs = [each for line in self.lines for each in line.inputs]
        at = next((index for index, each in enumerate(inputs) if each.has_focus), 0)
        place = at if self._at is None else len(inputs) + self._at
        place = (place + steps) % (len(inputs) + len(self._places))
        self._at = place - len(inputs) if place >= len(inputs) else None
        if self._at is None:
            inputs[place].focus()
            inputs[place].select_all()
        else:
            self.set_focus(None)
        self._show()

    def _add_part(self) -> None:
        if len(self.lines) <= MAX_PARTS:
            line = _Line()
            self.lines.append(line)
            mounted = self._form.mount(self._composed(len(self.lines) - 1, line))
            self._at = None
            self.call_next(self._go_to, line, mounted)
            self._show()

    async def _go_to(self, line: _Line, mounted: AwaitMount) -> None:
        """Go to a new line; the keys behind ctrl+n wait until this handler is over, as they are meant for the line."""
        await mounted
        self.set_focus(line.name)

    def _move_row(self) -> None:
        """Give the row under the cursor to the next part; a criterion may stay and go as well."""
        object_id = list(self._places)[self._at or 0]
        is_criterion = any(each.id == object_id for each in self._criteria)
        last = len(self.lines) - 1
        after = self._places[object_id] + 1
        self._places[object_id] = (-1 if is_criterion else 0) if after > last else after
        self._show()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.input is not self.lines[0].points:
            self._follow()
        self._fault.update("")
        self.draft.write_soon()

    # The answer

    def _parts(self) -> list[SplitPart]:
        return [
            SplitPart(
                line.name.value.strip(),
                points_of(line.points.value),
                self._going(at, self._tasks),
                self._going(at, self._criteria),
                self._going(-1, self._criteria) if at == 1 else (),
            )
            for at, line in enumerate(self.lines)
            if at and line.name.value.strip()
        ]

    def _going(self, at: int, objects: Sequence[Item] | Sequence[Criterion]) -> list[int]:
        return [each.id for each in objects if self._places[each.id] == at]

    def _follow(self) -> None:
        """Have the points of the item be what the parts leave, unless others were typed there."""
        line = self.lines[0].points
        if line.value in {self._followed, str(self._item.fields.get("Estimate") or "")}:
            parts = [SplitPart("", points_of(each.points.value)) for each in self.lines[1:]]
            rest = rest_of_points(self._item.fields.get("Estimate"), parts)
            self._followed = str(self._item.fields.get("Estimate") or "") if rest is None else points_text(rest)
            line.value = self._followed

    def _accept(self) -> None:
        fault = self._fault_of_lines()
        if fault:
            self._fault.update(literal(fault))
            self.post_message(AnswerRefused(fault))
            return
        own = self.lines[0]
        typed = {"Name": own.name.value.strip(), "Estimate": own.points.value.strip()}
        changes = {key: value for key, value in typed.items() if value != str(self._item.fields.get(key) or "")}
        self.draft.write()
        self.dismiss(SplitAnswer(self._parts(), changes))

    def _fault_of_lines(self) -> str:
        for line in self.lines[1:]:
            if line.points.value.strip() and points_of(line.points.value) is None:
                return "Points: enter a number, such as 3."
            if line.points.value.strip() and not line.name.value.strip():
                return "Name the part."
            if len(line.name.value) > NAME_LIMIT:
                return f"A name has {NAME_LIMIT} characters at most."
        if not self.lines[0].name.value.strip():
            return "What stays needs a name."
        return "" if self._parts() else "Name the new item."

    # What is shown

    def _show(self) -> None:
        rows = [*((each.id, "Task", each.name) for each in self._tasks)]
        rows += [(each.id, "Criterion", each.title) for each in self._criteria]
        self._rows.update(Content("\n").join([Content(""), *map(self._row, range(len(rows)), rows)] if rows else []))

    def _row(self, at: int, row: tuple[int, str, str]) -> Content:
        object_id, noun, name = row
        place = self._places[object_id]
        where = STAYS if place == 0 else SHARED if place < 0 else f"new {place}" if len(self.lines) > 2 else "new"
        is_here = at == self._at
        shown = name if len(name) <= 60 else name[:59] + "…"
        return Content.assemble(
            ("▌ " if is_here else "  ", "$primary"), (f"{noun:10}", "$muted"), safe(shown), (f" → {where}", "bold")
        )
