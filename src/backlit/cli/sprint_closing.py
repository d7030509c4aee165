"""The close of a sprint by a command: where its unfinished items go, in words and as one step."""

import argparse
from collections.abc import Mapping, Sequence

from msgspec import Struct

from backlit.model.amounts import counted, listed, points_of
from backlit.model.errors import AnswerNeeded, BadRequest
from backlit.model.plain import plain
from backlit.model.planning import IterationEvent
from backlit.store.edits.checks import not_copied
from backlit.store.edits.rollover import RolloverDecision, RolloverOutcome, rest_of
from backlit.store.records.item import Item, number_of
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store

NEXT, BACKLOG, STAY = "next", "backlog", "stay"
MOST_NAMED = 5
"""Unfinished items that a question names."""
CHOICES = "--move next, --move backlog, --move ITERATION, --move stay, --split ID=POINTS or --mark-done ID"


class SprintClosing(Struct, frozen=True):
    """An iteration to close, its unfinished items, and what becomes of each."""

    store: Store
    iteration: IterationEntry
    items: Sequence[Item] = ()
    decisions: Mapping[int, RolloverDecision] = {}
    target: IterationEntry | None = None

    @classmethod
    def of(cls, store: Store, iteration: IterationEntry, arguments: argparse.Namespace) -> "SprintClosing":
        """Read the options; raises BadRequest for one that does not fit, AnswerNeeded for an item without one."""
        is_planned_into = store.plan.iterations.is_target(iteration.id)
        items = store.batch.items(store.rollover.unfinished(iteration.id)) if is_planned_into else []
        decisions = _named_decisions(iteration, items, arguments)
        rest = [item for item in items if item.id not in decisions]
        if rest and arguments.move is None:
            words = f"{plain(iteration.name)} has {counted(len(rest), 'unfinished item')}: {_numbers(rest)}."
            raise AnswerNeeded(f"{words} Say where each goes: {CHOICES}.")
        outcome = {BACKLOG: RolloverOutcome.BACKLOG, STAY: RolloverOutcome.STAY}.get(
            arguments.move, RolloverOutcome.NEXT
        )
        decisions |= {item.id: RolloverDecision(outcome) for item in rest}
        target = _target(store, iteration, arguments.move) if is_planned_into else None
        needing = {RolloverOutcome.NEXT, RolloverOutcome.SPLIT}
        if target is None and any(each.way in needing for each in decisions.values()):
            name = plain(iteration.name)
            raise BadRequest(f"There is no iteration after {name}. Name one with --move, or use --move {BACKLOG}.")
        return cls(store, iteration, items, decisions, target)

    def words(self) -> list[str]:
        ways = [f"{item.id}  {_name(item)}:  {self._way(item)}" for item in self.items]
        return [f"{plain(self.iteration.name)}: what is done later is late.", *ways]

    def _way(self, item: Item) -> str:
        decision = self.decisions[item.id]
        target = "" if self.target is None else plain(self.target.name)
        match decision.way:
            case RolloverOutcome.NEXT:
                return f"→ {target}"
            case RolloverOutcome.BACKLOG:
                return f"→ {BACKLOG}"
            case RolloverOutcome.SPLIT:
                rest = rest_of(item, decision)
                return f"{counted(decision.done, 'point')} done here, {counted(rest, 'point')} → {target}"
            case RolloverOutcome.DONE:
                tasks = len(self.store.rollover.open_tasks(item.id)) if decision.with_tasks else 0
                return f"done, with {counted(tasks, 'open task')}" if tasks else "done"
            case RolloverOutcome.STAY:
                return "stays"

    async def write(self) -> None:
        if not self.decisions:
            await self.store.nodes.record(self.iteration.id, IterationEvent.CLOSE)
            return
        target_id = None if self.target is None else self.target.id
        _, left_out = await self.store.rollover.write(self.iteration.id, target_id, self.decisions, closes=True)
        if left_out:
            print(not_copied(left_out).strip())


def _named_decisions(
    iteration: IterationEntry, items: Sequence[Item], arguments: argparse.Namespace
) -> dict[int, RolloverDecision]:
    """Return the decisions about single items."""
    by_id = {item.id: item for item in items}
    named = [item_id for item_id, _ in arguments.split] + arguments.mark_done
    for item_id in named:
        if item_id not in by_id:
            raise BadRequest(f"{plain(iteration.name)} has no unfinished item {item_id}. It has {_numbers(items)}.")
        if named.count(item_id) > 1:
            raise BadRequest(f"Item {item_id} is named twice. Choose --split or --mark-done once for it.")
    done = RolloverDecision(RolloverOutcome.DONE, with_tasks=not arguments.keep_tasks)
    split = {item_id: _split(by_id[item_id], points) for item_id, points in arguments.split}
    return split | dict.fromkeys(arguments.mark_done, done)


def _split(item: Item, text: str) -> RolloverDecision:
    done, points = points_of(text), points_of(str(item.fields.get("Estimate") or "")) or 0.0
    if done is None:
        raise BadRequest(f"--split {item.id}={plain(text, 24)}: enter a number of points, such as {item.id}=3.")
    if done > points:
        raise BadRequest(f"Item {item.id} has {counted(points, 'point')}, so {done:g} of it cannot be done.")
    return RolloverDecision(RolloverOutcome.SPLIT, done)


def _target(store: Store, iteration: IterationEntry, move: str | None) -> IterationEntry | None:
    """Return where items move to: the named iteration, else the next one."""
    if move in {None, NEXT, BACKLOG, STAY}:
        return store.plan.iterations.next_after(iteration.id, store.today())
    found = store.names.iteration(str(move))
    if found.id == iteration.id or not store.plan.iterations.is_target(found.id):
        names = f"from {plain(iteration.name)} to {plain(found.name)}"
        raise BadRequest(f"Items cannot move {names}. Name another iteration.")
    return found


def _name(item: Item) -> str:
    return plain(str(item.fields.get("Name") or ""), 48)


def _numbers(items: Sequence[Item]) -> str:
    if not items:
        return "none"
    numbers = [number_of(item.id) for item in items]
    more = len(numbers) - MOST_NAMED
    return listed(numbers) if more <= 0 else f"{', '.join(numbers[:MOST_NAMED])} and {more} more"
