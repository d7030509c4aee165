"""The difference of a plan in words: the load of each iteration, then the change of each item."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content

from backlit.model.fields import FIELD_BY_KEY
from backlit.model.planning import Load
from backlit.store.planning.plan import PlanChange
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store
from backlit.tui.drawing.text import fit, literal, safe
from backlit.tui.drawing.theme_styles import type_sign
from backlit.tui.fields.values import NOTHING, FieldWords
from backlit.tui.plan.capacity import People, Shift, capacity_of, capacity_words, over_limits, shifts

MOST_LINES = 400
NAME = 40
"""Cells of a name."""
Part = tuple[str, str]
WORDS = {"IterationID": "", "Estimate": "Pts ", "AssignedToID": "Owner "}


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """A draft at one moment: its changes, deleted items, and the loads of the iterations it changes."""

    changes: Sequence[PlanChange]
    gone: frozenset[int]
    iterations: Sequence[IterationEntry]
    loads: Mapping[int, Load]
    people: People

    @property
    def written(self) -> int:
        """The number of items to write."""
        return sum(bool(change.fields) for change in self.changes)

    @property
    def contested(self) -> int:
        """The number of items that others changed since they were planned."""
        return sum(bool(change.contests) for change in self.changes)


def summary_lines(summary: PlanSummary) -> list[Content]:
    """Return the loads of the iterations, and the counts of deleted and contested items."""
    found = shifts(summary.changes)
    width = max((len(each.name) for each in summary.iterations), default=0)
    lines: list[Content] = []
    for each in summary.iterations:
        load = summary.loads[each.id]
        lines.append(_iteration_line(each, load, found.get(each.id, Shift()), width))
        lines += [
            Content.assemble((f"{'':{width}}         ", "$muted"), (f"! {safe(words)}", "bold $error"))
            for words in over_limits(load, summary.people, each.name)
        ]
    if summary.gone:
        are = "One item is" if len(summary.gone) == 1 else f"{len(summary.gone):,} items are"
        lines.append(literal(f"{are} no longer there and will leave the plan."))
    if summary.contested:
        noun = "item was" if summary.contested == 1 else "items were"
        text = f"≠ {summary.contested:,} {noun} changed by others meanwhile and will stay as they made them."
        lines.append(Content.assemble((text, "bold $warning")))
    return lines


def _iteration_line(iteration: IterationEntry, load: Load, shift: Shift, width: int) -> Content:
    moves = " ".join([f"+{shift.comes}"] * bool(shift.comes) + [f"−{shift.goes}"] * bool(shift.goes))
    words = [
        (text, "bold $error" if colour == "conflict" else f"${colour}")
        for text, colour in capacity_words(load, capacity_of(iteration))
    ]
    unknown = [(f"  {load.unestimated:,} without estimate", "$muted")] if load.unestimated else []
    return Content.assemble((f"{safe(iteration.name):{width}}", "bold"), (f" {moves:>7} ", "$accent"), *words, *unknown)


def plan_lines(store: Store, summary: PlanSummary) -> list[Content]:
    """Return the change of each item; tasks that only move with their item are counted there."""
    return list(_lines(store, summary))


def _lines(store: Store, summary: PlanSummary) -> Iterator[Content]:
    words = FieldWords(store)
    along = _along(summary.changes)
    width = max((len(str(change.id)) + 1 for change in summary.changes if change.id > 0), default=3)
    shown = 0
    for change in summary.changes:
        if change.id in along:
            continue
        if shown >= MOST_LINES:
            yield Content.assemble(("… and more", "$muted"))
            return
        shown += 1
        tasks = sum(parent == change.id for parent in along.values())
        yield Content.assemble(*_item_parts(change, width), *_field_parts(words, change), *_along_part(tasks))


def _item_parts(change: PlanChange, width: int) -> Iterator[Part]:
    number = f"#{change.id}" if change.id > 0 else "new"
    yield f"{number:>{width}} ", "$muted"
    yield f"{type_sign(change.type)} {fit(change.name, NAME)}  ", "$foreground"


def _field_parts(words: FieldWords, change: PlanChange) -> Iterator[Part]:
    for number, (key, touch) in enumerate(change.fields.items()):
        yield f"{', ' * bool(number)}{WORDS[key]}", "$muted"
        yield _value(words, key, touch.base), "$error"
        yield " → ", "$muted"
        yield _value(words, key, touch.mine), "$success"
    for key, contest in change.contests.items():
        yield f"  ≠ {WORDS[key]}", "$warning"
        yield _value(words, key, contest.theirs), "$foreground"
        yield f" by now, planned: {_value(words, key, contest.touch.mine)}", "$muted"


def _along_part(tasks: int) -> Iterator[Part]:
    if tasks:
        yield f"  with {'a task' if tasks == 1 else f'{tasks} tasks'}", "$muted"


def _along(changes: Sequence[PlanChange]) -> dict[int, int]:
    """Return the tasks that only move with their item, by task."""
    moves = {each.id: each.fields["IterationID"].mine for each in changes if "IterationID" in each.fields}
    return {
        each.id: each.parent_id or 0
        for each in changes
        if each.type == "Task" and set(each.fields) == {"IterationID"} and not each.contests
        if moves.get(each.parent_id or 0) == moves[each.id]
    }


def _value(words: FieldWords, key: str, value: object) -> str:
    shown = words.shown(FIELD_BY_KEY[key], value) or NOTHING
    if key == "IterationID":
        shown = shown.rpartition(" › ")[2] if " › " in shown else "backlog"
    return safe(shown)
