"""The unfinished items of an iteration that ends, one by one, with the next one's capacity in sight."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from backlit.model.amounts import points_of
from backlit.model.planning import Load
from backlit.model.reports.report import number_text
from backlit.store.edits.rollover import Decision, Way, rest_of
from backlit.store.records.item import Item
from backlit.store.records.people import IterationEntry
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import fit, literal, safe
from backlit.tui.drawing.theme_styles import type_sign
from backlit.tui.plan.capacity import capacity_bar, capacity_of, capacity_words

KEYS: Mapping[str, Way] = {"n": Way.NEXT, "b": Way.BACKLOG, "s": Way.SPLIT, "d": Way.DONE, "k": Way.STAY}
ALONE = "D"
"""Done, and its tasks stay as they are."""
BAR, NAME = 14, 52
Words = dict[Way, str]


@dataclass(frozen=True, slots=True)
class EndedIteration:
    """An ended iteration, its unfinished items, and the iteration they go on to with its load without them."""

    iteration: IterationEntry
    target: IterationEntry | None
    items: Sequence[Item]
    tasks: Mapping[int, int]
    load: Load
    owners: Mapping[int, str]


class RolloverDialog(Dialog[Mapping[int, Decision] | None]):
    """The unfinished items one by one: a letter answers, and y at the end writes.

    Every answer is given to `keep`, so that leaving and coming back loses none. The result is what is to be written.
    """

    def __init__(
        self, ending: EndedIteration, decisions: Mapping[int, Decision], keep: Callable[[Mapping[int, Decision]], None]
    ) -> None:
        super().__init__("")
        self._ending = ending
        self.decisions = {item.id: decisions[item.id] for item in ending.items if item.id in decisions}
        self.keep = keep
        unanswered = (at for at, each in enumerate(ending.items) if each.id not in self.decisions)
        self._at = next(unanswered, len(ending.items))
        self._shown = Static(literal(""))

    def content(self) -> ComposeResult:
        """Place one item with the answers, or all items at the end."""
        yield self._shown

    def on_mount(self) -> None:
        """Begin with the first item that is not answered yet."""
        self._show()

    def type_early(self, character: str) -> None:
        """Answer; at the end write."""
        if self._at >= len(self._ending.items):
            if character == "y":
                self.dismiss(dict(self.decisions))
            return
        tasks = self._ending.tasks.get(self._ending.items[self._at].id, 0)
        if character == ALONE and tasks:
            self._decide(Decision(Way.DONE))
            return
        way = KEYS.get(character)
        if way in {Way.NEXT, Way.SPLIT} and self._ending.target is None:
            self.app.bell()
        elif way is Way.SPLIT:
            self._ask_done()
        elif way is not None:
            self._decide(Decision(way, with_tasks=way is Way.DONE and tasks > 0))

    def press(self, key: str) -> bool:
        """Go back and forth; esc leaves and keeps the answers."""
        match key:
            case "backspace" | "up" | "left":
                self._at = max(0, self._at - 1)
            case "tab" | "down" | "right":
                self._at = min(len(self._ending.items), self._at + 1)
            case _:
                return super().press(key)
        self._show()
        return True

    def _ask_done(self) -> None:
        from backlit.tui.dialogs.line import LineDialog

        item = self._ending.items[self._at]
        points = points_of(str(item.fields.get("Estimate") or "")) or 0.0

        def check(text: str) -> str | None:
            done = points_of(text)
            if done is None:
                return "The points that are done are a number, such as 3."
            return f"It has {number_text(points)} points in all." if done > points else None

        def typed(text: str | None) -> None:
            if text is not None:
                self._decide(Decision(Way.SPLIT, points_of(text) or 0.0))

        note = "They stay behind as an item of their own; the rest goes on with its tasks and comments."
        self.app.push_screen(LineDialog("Points that are done", "", check, note=note), typed)

    def _decide(self, decision: Decision) -> None:
        self.decisions[self._ending.items[self._at].id] = decision
        self.keep(dict(self.decisions))
        self._at += 1
        self._show()

    # What is shown

    def _show(self) -> None:
        ending, count = self._ending, len(self._ending.items)
        where = f" → {ending.target.name}" if ending.target else ""
        place = f"  {self._at + 1} of {count}" if self._at < count else "  all"
        self.frame.border_title = literal(f"Rollover  {ending.iteration.name}{where}{place}")
        is_end = self._at >= count
        hints = "y write it" if is_end else "tab skip"
        self.frame.border_subtitle = literal(f"{hints}  backspace back  esc later, answers are kept")
        lines = self._summary() if is_end else self._question(ending.items[self._at])
        self._shown.update(Content("\n").join([*lines, literal(""), self._capacity()]))

    def _question(self, item: Item) -> list[Content]:
        fields, tasks = item.fields, self._ending.tasks.get(item.id, 0)
        owner = fields.get("AssignedToID")
        words = [str(fields.get("Status") or "no status"), f"{fields.get('Estimate') or '–'} pts"]
        words += [self._ending.owners.get(owner, f"user {owner}") if isinstance(owner, int) else "nobody"]
        words += [f"{tasks} open task{'s' if tasks != 1 else ''}"] if tasks else []
        chosen = self.decisions.get(item.id)
        return [
            Content.assemble(
                (f"#{item.id} ", "$muted"), f"{type_sign(item.type)} ", safe(str(fields.get("Name") or ""))
            ),
            Content.assemble((safe("   ".join(words)), "$muted")),
            literal(""),
            *self._answers(chosen, tasks),
        ]

    def _answers(self, chosen: Decision | None, tasks: int) -> Iterator[Content]:
        for key, way in KEYS.items():
            is_chosen = chosen is not None and chosen.way is way
            if way is not Way.DONE or not tasks:
                yield _answer(key, self._words(way), is_chosen=is_chosen)
                continue
            with_tasks = chosen is not None and chosen.with_tasks
            noun = "task" if tasks == 1 else f"{tasks} tasks"
            yield _answer(
                key,
                f"it is done, and so {'is' if tasks == 1 else 'are'} its open {noun}",
                is_chosen=is_chosen and with_tasks,
            )
            yield _answer(
                ALONE,
                f"it is done; its {noun} stay{'s' if tasks == 1 else ''} open",
                is_chosen=is_chosen and not with_tasks,
            )

    def _words(self, way: Way) -> str:
        target = self._ending.target
        words = {
            Way.NEXT: f"on to {target.name}" if target else "there is no next iteration",
            Way.BACKLOG: "back to the backlog",
            Way.SPLIT: "split: what is done stays, the rest goes on" if target else "split needs a next iteration",
            Way.DONE: "it is done",
            Way.STAY: "stays where it is",
        }
        return words[way]

    def _summary(self) -> list[Content]:
        counts = Counter(each.way for each in self.decisions.values())
        target = self._ending.target.name if self._ending.target else ""
        names = {
            Way.NEXT: f"on to {target}",
            Way.BACKLOG: "to the backlog",
            Way.SPLIT: "split",
            Way.DONE: "done",
            Way.STAY: "stay",
        }
        open_ = len(self._ending.items) - len(self.decisions)
        heads = [f"{counts[way]} {names[way]}" for way in Way if counts[way]] + [f"{open_} not answered"] * bool(open_)
        return [Content.assemble((safe(", ".join(heads)), "bold")), *self._lines(names)]

    def _lines(self, names: Mapping[Way, str]) -> Iterator[Content]:
        for item in self._ending.items:
            decision = self.decisions.get(item.id)
            words = "stays, not answered" if decision is None else names[decision.way]
            if decision is not None and decision.way is Way.SPLIT:
                words = f"{number_text(decision.done)} done, {number_text(rest_of(item, decision))} on"
            if decision is not None and decision.with_tasks:
                words = "done, with its tasks"
            name = fit(str(item.fields.get("Name") or ""), NAME)
            yield Content.assemble(
                (f"#{item.id:<5} ", "$muted"), f"{type_sign(item.type)} {name}  ", (safe(words), "$success")
            )

    def _capacity(self) -> Content:
        """Return the load of the next iteration by the answers so far."""
        target = self._ending.target
        if target is None:
            return Content.assemble(("There is no iteration after it.", "$warning"))
        items = {item.id: item for item in self._ending.items}
        added = sum(rest_of(items[item_id], each) for item_id, each in self.decisions.items())
        load = replace(self._ending.load, points=self._ending.load.points + added)
        capacity = capacity_of(target)
        parts = [*capacity_bar(load.points, load.done, capacity, BAR), *capacity_words(load, capacity)]
        shown = [(text, "bold $error" if colour == "conflict" else f"${colour}") for text, colour in parts]
        return Content.assemble((f"{safe(target.name)} ", "bold"), *shown)


def _answer(key: str, words: str, *, is_chosen: bool) -> Content:
    return Content.assemble((f"  {'✓' if is_chosen else ' '} {key} ", "bold $accent"), safe(words))
