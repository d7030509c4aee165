"""Rollover: the command and the dialog that carry over the unfinished items of an iteration, one by one."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from backlit.model.amounts import counted, estimate_text, points_of
from backlit.model.planning import PlannedLoad
from backlit.model.reports.report import number_text
from backlit.model.statuses import StatusGroups, status_word
from backlit.store.edits.checks import not_copied
from backlit.store.edits.rollover import RolloverDecision, RolloverOutcome, rest_of
from backlit.store.records.item import Item
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.drawing.text import fit, literal, safe
from backlit.tui.drawing.themes import status_colour, status_sign, type_colour, type_sign
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.dates import span
from backlit.tui.plan.capacity import bar_line
from backlit.tui.plan.plan_commands import PlanCommandTarget
from backlit.tui.shell.drafts import StoredDraft, StoredLines
from backlit.tui.shell.target import StoreCommandTarget

LAST_ANSWERS = 3
"""Items named with each answer below a question."""
ANSWER_KEYS: Mapping[str, RolloverOutcome] = {
    "n": RolloverOutcome.NEXT,
    "b": RolloverOutcome.BACKLOG,
    "s": RolloverOutcome.SPLIT,
    "d": RolloverOutcome.DONE,
    "k": RolloverOutcome.STAY,
}
BELOW_A_BLANK = frozenset({RolloverOutcome.DONE, RolloverOutcome.STAY})
"""The answers below a blank line: those that finish the item, and the one that leaves it."""
DONE_ALONE_KEY = "D"
"""The key that marks an item as done and leaves its tasks open."""
ALL_ON_KEY = "N"
"""The key that moves all items without an answer to the next iteration."""
MAX_DAYS_LATE = 7
"""Days after its end in which the rollover of an iteration closes it: what is done until then counts in it."""
BAR, NAME = 14, 44
MAX_WIDTH, FRAME_CELLS, GAP = 80, 4, 3
"""Cells of the dialog, those of its frame with the blanks inside, and those between an answer and its effect."""


async def roll_over(target: PlanCommandTarget, _call: CommandContext) -> None:
    """Roll over the iteration with the focus if it has started, else an ended one that the user picks.

    It closes an iteration that is over, unless that was long ago.
    """
    iteration = await _iteration(target, _ended(target))
    if iteration is not None:
        await roll_over_iteration(target, iteration, closes=_is_to_close(target.store, iteration))


def _is_to_close(store: Store, iteration: IterationEntry) -> bool:
    """Report whether a rollover closes an iteration: at its end, or some days later, which prolong it."""
    today, end = store.today(), iteration.end
    is_at_end = end is not None and end <= today <= end + timedelta(days=MAX_DAYS_LATE)
    return is_at_end and iteration.closed_at is None and store.nodes.has_events()


async def roll_over_iteration(target: StoreCommandTarget, iteration: IterationEntry, *, closes: bool) -> None:
    """Ask about the unfinished items of an iteration, and write the answers, with its close if that is wanted.

    Each answer is saved, so that the next rollover of the iteration resumes after the last answer.
    """
    store = target.store
    ending = _ending(store, iteration, closes=closes)
    key = f"rollover:{store.project_id}:{iteration.id}"
    draft = StoredDraft(store, key)
    answer = await target.ask(RolloverDialog(ending, _kept(draft.found()), draft))
    while isinstance(answer, SplitAsked):
        decisions, item = dict(answer.decisions), ending.items[answer.at]
        done = await _ask_done(target, item)
        if done is not None:
            decisions[item.id] = RolloverDecision(RolloverOutcome.SPLIT, done)
            await store.drafts.save(key, _content(decisions))
        answer = await target.ask(RolloverDialog(ending, decisions, draft, answer.at + (done is not None)))
    if answer is None:
        return
    next_id = ending.target.id if ending.target else None
    count, left_out = await store.rollover.write(iteration.id, next_id, answer, closes=closes)
    await store.drafts.discard(key)
    closed = " and closed" if closes else ""
    target.say(f"{iteration.name}: {counted(count, 'item')} carried over{closed}. u to undo.{not_copied(left_out)}")


def _ended(target: PlanCommandTarget) -> Sequence[IterationEntry]:
    store = target.store
    today, totals = store.today(), store.lookups.totals(TreeKind.ITERATIONS)
    here = target.lists.here()
    if here is not None and here.id in totals and here.start is not None and here.start <= today:
        return [here]
    every = [each for each in store.plan.iterations.targets() if each.id in totals]
    ended = [each for each in reversed(every) if each.is_over(today) or each.end == today]
    if not ended:
        raise CannotAct("No ended iteration has unfinished items.")
    return ended


async def _iteration(target: PlanCommandTarget, ended: Sequence[IterationEntry]) -> IterationEntry | None:
    if len(ended) == 1:
        return ended[0]
    today, totals = target.store.today(), target.store.lookups.totals(TreeKind.ITERATIONS)
    choices = [
        Choice(each.id, each.name, f"{totals[each.id].count} unfinished, {span(each.start, each.end, today)}")
        for each in ended
    ]
    choice = await target.ask(PickDialog("Carry over", choices))
    return next((each for each in ended if choice is not None and each.id == choice.value), None)


async def _ask_done(target: StoreCommandTarget, item: Item) -> float | None:
    """Ask for the done points of an item to split; None when the question was left."""
    points = points_of(str(item.fields.get("Estimate") or "")) or 0.0

    def check(text: str) -> str | None:
        done = points_of(text)
        if done is None:
            return "Enter a number, such as 3."
        return f"The item has {counted(points, 'point')}." if done > points else None

    note = "The done points stay here as an item of their own. The rest moves on with its tasks and comments."
    kept = StoredLines(target.store, f"split:{item.id}")
    text = await target.ask(LineDialog("Points done", "", check, note=note, kept=kept))
    return None if text is None else points_of(text) or 0.0


class EndedIteration(Struct, frozen=True):
    """An ended iteration, its unfinished items, and the next iteration with its load without them."""

    iteration: IterationEntry
    target: IterationEntry | None
    items: Sequence[Item]
    tasks: Mapping[int, int]
    load: PlannedLoad
    owners: Mapping[int, str]
    groups: StatusGroups
    closes: bool = False
    """Whether the rollover closes the iteration too."""


def _ending(store: Store, iteration: IterationEntry, *, closes: bool) -> EndedIteration:
    target = store.plan.iterations.next_after(iteration.id, store.today())
    items = store.batch.items(store.rollover.unfinished(iteration.id))
    tasks = {item.id: len(store.rollover.open_tasks(item.id)) for item in items}
    loads = store.plan_preview.loads_now([target.id] if target else [])
    owners = {each.id: each.username for each in store.lookups.known_people().values()}
    return EndedIteration(
        iteration,
        target,
        items,
        tasks,
        next(iter(loads.values()), PlannedLoad()),
        owners,
        store.lookups.status_groups(),
        closes,
    )


def _content(decisions: Mapping[int, RolloverDecision]) -> dict[str, object]:
    return {str(item_id): [each.way.value, each.done, each.with_tasks] for item_id, each in decisions.items()}


def _kept(content: Mapping[str, object] | None) -> dict[int, RolloverDecision]:
    found = {}
    for item_id, kept in (content or {}).items():
        if isinstance(kept, list) and len(kept) in {2, 3} and kept[0] in set(RolloverOutcome):
            found[int(item_id)] = RolloverDecision(
                RolloverOutcome(kept[0]), float(kept[1]), with_tasks=kept[2:] == [True]
            )
    return found


class SplitAsked(Struct, frozen=True):
    """The answer that asks for the done points of the item at an index, with the decisions so far."""

    at: int
    decisions: Mapping[int, RolloverDecision]


class RolloverDialog(Dialog[Mapping[int, RolloverDecision] | SplitAsked | None]):
    """The unfinished items one by one, from the index `at` or the first undecided one; y at the end saves.

    The draft keeps the decisions, so that the user can finish later. The result is the decisions to save.
    """

    def __init__(
        self,
        ending: EndedIteration,
        decisions: Mapping[int, RolloverDecision],
        draft: StoredDraft,
        at: int | None = None,
    ) -> None:
        super().__init__("")
        self._ending = ending
        self.decisions = {item.id: decisions[item.id] for item in ending.items if item.id in decisions}
        self._draft = draft
        draft.begin(self, lambda: _content(self.decisions))
        unanswered = (index for index, each in enumerate(ending.items) if each.id not in self.decisions)
        self._at = next(unanswered, len(ending.items)) if at is None else at
        self._shown = Static(literal(""))

    def content(self) -> ComposeResult:
        yield self._shown

    def on_mount(self) -> None:
        self._show()

    def type_early(self, character: str) -> None:
        if self._at >= len(self._ending.items):
            if character == "y":
                self.dismiss(dict(self.decisions))
            return
        tasks = self._ending.tasks.get(self._ending.items[self._at].id, 0)
        if character == ALL_ON_KEY and self._ending.target is not None:
            self._move_rest()
            return
        if character == DONE_ALONE_KEY and tasks:
            self._decide(RolloverDecision(RolloverOutcome.DONE))
            return
        way = ANSWER_KEYS.get(character)
        if way in {RolloverOutcome.NEXT, RolloverOutcome.SPLIT} and self._ending.target is None:
            self.app.bell()
        elif way is RolloverOutcome.SPLIT:
            self.dismiss(SplitAsked(self._at, self.decisions))
        elif way is not None:
            self._decide(RolloverDecision(way, with_tasks=way is RolloverOutcome.DONE and tasks > 0))

    def press(self, key: str) -> bool:
        """Go back and forth; esc closes the dialog and keeps the answers."""
        match key:
            case "backspace" | "up" | "left":
                self._at = max(0, self._at - 1)
            case "tab" | "down" | "right":
                self._at = min(len(self._ending.items), self._at + 1)
            case _:
                return super().press(key)
        self._show()
        return True

    def _decide(self, decision: RolloverDecision) -> None:
        self.decisions[self._ending.items[self._at].id] = decision
        self._draft.write()
        self._at += 1
        self._show()

    def _move_rest(self) -> None:
        """Move all items without an answer to the next iteration, and show the summary."""
        rest = [item.id for item in self._ending.items if item.id not in self.decisions]
        self.decisions |= dict.fromkeys(rest, RolloverDecision(RolloverOutcome.NEXT))
        self._draft.write()
        self._at = len(self._ending.items)
        self._show()

    # What is shown

    def _show(self) -> None:
        ending, count = self._ending, len(self._ending.items)
        where = f" → {ending.target.name}" if ending.target else ""
        place = f"  {self._at + 1} of {count}" if self._at < count else "  all", "not bold $muted"
        self.frame.border_title = Content.assemble(safe(f"Carry over  {ending.iteration.name}{where}"), place)
        is_end = self._at >= count
        first = ("y", "save and close" if ending.closes else "save") if is_end else ("tab", "skip")
        self.name_keys(first, ("backspace", "previous"), ("esc", "finish later"))
        lines = self._summary() if is_end else self._question(ending.items[self._at])
        self._shown.update(Content("\n").join(lines))

    def _question(self, item: Item) -> list[Content]:
        fields, tasks = item.fields, self._ending.tasks.get(item.id, 0)
        owner = fields.get("AssignedToID")
        status, estimate = (str(fields.get(key) or "") for key in ("Status", "Estimate"))
        groups = self._ending.groups
        sign = (f"{status_sign(status, groups)} {status_word(status)}", f"${status_colour(status, groups)}")
        words = [estimate_text(estimate) if estimate else "unestimated"]
        words += [self._ending.owners.get(owner, f"user {owner}") if isinstance(owner, int) else "unassigned"]
        words += [counted(tasks, "open task")] if tasks else []
        chosen = self.decisions.get(item.id)
        return [
            Content.assemble(
                (f"#{item.id} ", "$muted"),
                (f"{type_sign(item.type)} ", f"${type_colour(item.type)}"),
                (safe(str(fields.get("Name") or "")), "bold"),
            ),
            Content.assemble(sign if status else ("no status", "$muted"), (safe(f" · {' · '.join(words)}"), "$muted")),
            literal(""),
            *self._answers(chosen, tasks),
            *self._answered(),
        ]

    def _answered(self) -> Sequence[Content]:
        """Return the items answered so far by their answers, the last ones of many."""
        words = []
        for way, (_, name) in self._names().items():
            decided = [item for item in self._ending.items if item.id in self.decisions]
            given = [f"#{item.id}" for item in decided if self.decisions[item.id].way is way]
            shown = ["…"] * (len(given) > LAST_ANSWERS) + given[-LAST_ANSWERS:]
            words += [" ".join([*shown, name])] if given else []
        return (literal(""), Content.styled(safe(f"So far: {' · '.join(words)}"), "$muted")) if words else ()

    def _answers(self, chosen: RolloverDecision | None, tasks: int) -> Iterator[Content]:
        target = self._ending.target
        for key, way in ANSWER_KEYS.items():
            is_chosen = chosen is not None and chosen.way is way
            if way in BELOW_A_BLANK:
                yield literal("")
            if way is not RolloverOutcome.DONE or not tasks:
                answer = self._answer(key, self._names()[way][0], is_chosen=is_chosen)
                if way is not RolloverOutcome.NEXT or target is None:
                    yield answer
                    continue
                yield Content.assemble(answer, " " * GAP, self._load(target, answer.cell_length + GAP))
                rest = sum(item.id not in self.decisions for item in self._ending.items)
                words = f"Move all {rest} remaining to {target.name}"
                yield from [self._answer(ALL_ON_KEY, words, is_chosen=False)] * (rest > 1)
                continue
            with_tasks = chosen is not None and chosen.with_tasks
            noun = counted(tasks, "open task")
            yield self._answer(key, f"Mark done, including {noun}", is_chosen=is_chosen and with_tasks)
            yield self._answer(DONE_ALONE_KEY, f"Mark done, leave {noun}", is_chosen=is_chosen and not with_tasks)

    def _answer(self, key: str, words: str, *, is_chosen: bool) -> Content:
        return Content.assemble(("✓ " if is_chosen else "  ", "bold"), (f"{key}  ", "bold"), safe(words))

    def _names(self) -> Mapping[RolloverOutcome, tuple[str, str]]:
        target, missing = self._ending.target, "(no next iteration)"
        return {
            RolloverOutcome.NEXT: (f"Move to {target.name}", f"to {target.name}")
            if target
            else (f"Move on {missing}", ""),
            RolloverOutcome.BACKLOG: ("Move to the backlog", "to the backlog"),
            RolloverOutcome.SPLIT: (
                "Split: keep done points here, move the rest" if target else f"Split {missing}",
                "split",
            ),
            RolloverOutcome.DONE: ("Mark done", "done"),
            RolloverOutcome.STAY: (f"Leave in {self._ending.iteration.name}", "left here"),
        }

    def _summary(self) -> list[Content]:
        counts = Counter(each.way for each in self.decisions.values())
        names = {way: name for way, (_, name) in self._names().items()}
        open_ = len(self._ending.items) - len(self.decisions)
        heads = [f"{counts[way]} {names[way]}" for way in RolloverOutcome if counts[way]] + [
            f"{open_} unanswered"
        ] * bool(open_)
        closed = [f"{self._ending.iteration.name} will be closed"] * self._ending.closes
        head = Content.assemble((safe(", ".join([*heads, *closed])), "bold"))
        target = self._ending.target
        load = Content.styled("No next iteration.", "$warn")
        if target is not None:
            name = Content.styled(f"{safe(target.name)}  ", "bold")
            load = name + self._load(target, name.cell_length)
        return [head, *self._lines(names), literal(""), load]

    def _lines(self, names: Mapping[RolloverOutcome, str]) -> Iterator[Content]:
        for item in self._ending.items:
            decision = self.decisions.get(item.id)
            words = "unanswered, left here" if decision is None else names[decision.way]
            if decision is not None and decision.way is RolloverOutcome.SPLIT:
                words = f"{number_text(decision.done)} done, {number_text(rest_of(item, decision))} moved"
            if decision is not None and decision.with_tasks:
                words = "done, with its tasks"
            name = fit(item.name, NAME)
            sign = (f"{type_sign(item.type)} ", f"${type_colour(item.type)}")
            yield Content.assemble((f"#{item.id:<5} ", "$muted"), sign, f"{name}  ", (safe(words), "$status-done"))

    def _load(self, target: IterationEntry, taken: int) -> Content:
        """Return the load of the next iteration with the item of the question, in a line of which cells are taken."""
        items = {item.id: item for item in self._ending.items}
        added = sum(rest_of(items[item_id], each) for item_id, each in self.decisions.items())
        load = replace(self._ending.load, points=self._ending.load.points + added)
        asked = self._ending.items[self._at] if self._at < len(self._ending.items) else None
        more = (
            rest_of(asked, RolloverDecision(RolloverOutcome.NEXT))
            if asked is not None and asked.id not in self.decisions
            else 0.0
        )
        room = min(MAX_WIDTH, self.app.size.width) - FRAME_CELLS - taken
        return bar_line(load, target.capacity, BAR, more, room)
