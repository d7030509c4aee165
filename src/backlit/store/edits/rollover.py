"""Carry-over: the target of each unfinished item of an ended iteration, written as one step."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from backlit.model.amounts import points_of
from backlit.model.errors import BadRequest
from backlit.model.fields import NAME_LIMIT, ItemType
from backlit.model.planning import IterationEvent
from backlit.model.statuses import StatusGroup
from backlit.store.edits.items import edit_entry, journalled
from backlit.store.edits.nodes import event_entry, show_trees
from backlit.store.edits.splits import part_entry, points_text
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.entry import OutboxEntry
from backlit.store.records.item import Document, Item, fields_in, id_in
from backlit.store.records.people import TreeKind
from backlit.store.remote.capabilities import ITERATION_EVENTS_EXTENSION
from backlit.store.views.lookups import Lookups

SUFFIX = " (done part)"
_UNFINISHED_SQL = (
    "SELECT id FROM items WHERE iteration_id = ? AND is_task = 0 AND is_open = 1"
    " ORDER BY rank_priority, rank_id, own_priority, id"
)
_OPEN_TASKS_SQL = "SELECT id FROM items WHERE parent_id = ? AND is_task = 1 AND own_open = 1 ORDER BY id"
_TASKS_SQL = (
    "SELECT id FROM items WHERE parent_id = ? AND iteration_id = ? AND is_task = 1 AND own_open = 1 ORDER BY id"
)


class RolloverOutcome(StrEnum):
    """The outcome for an unfinished item. A split moves the remaining points and leaves a done part behind."""

    NEXT = "next"
    BACKLOG = "backlog"
    SPLIT = "split"
    DONE = "done"
    STAY = "stay"


class RolloverDecision(Struct, frozen=True):
    """A decision about one item: the outcome, the done points of a split, and whether its open tasks are done too."""

    way: RolloverOutcome
    done: float = 0.0
    with_tasks: bool = False


def rest_of(item: Item, decision: RolloverDecision) -> float:
    points = points_of(str(item.fields.get("Estimate") or "")) or 0.0
    if decision.way is RolloverOutcome.NEXT:
        return points
    return max(0.0, points - decision.done) if decision.way is RolloverOutcome.SPLIT else 0.0


class Rollover:
    """Carry-over of an iteration's unfinished items."""

    def __init__(self, files: LocalDatabase, lookups: Lookups, now: Callable[[], datetime]) -> None:
        self._files = files
        self._lookups = lookups
        self._now = now

    def unfinished(self, iteration_id: int) -> list[int]:
        return [item_id for (item_id,) in self._files.mirror.execute(_UNFINISHED_SQL, (iteration_id,))]

    def open_tasks(self, item_id: int) -> list[int]:
        return [task_id for (task_id,) in self._files.mirror.execute(_OPEN_TASKS_SQL, (item_id,))]

    async def write(
        self,
        iteration_id: int,
        target_id: int | None,
        decisions: Mapping[int, RolloverDecision],
        *,
        closes: bool = False,
    ) -> tuple[int, set[str]]:
        """Write the decisions as one step; return the number of changed items, and see `check` for `left_out`.

        `closes` also closes the iteration, after its items are done and before others move (queue.py keeps the order).

        Items that have left the iteration are skipped. Raises BadRequest for a type without a done status, or
        without a next iteration, and then writes nothing.
        """
        roots = self._lookups.tree(TreeKind.ITERATIONS).roots
        needs_target = any(each.way in {RolloverOutcome.NEXT, RolloverOutcome.SPLIT} for each in decisions.values())
        if (needs_target and target_id is None) or not roots:
            raise BadRequest("No next iteration. Add a series of sprints in the iterations.")
        place = {
            RolloverOutcome.NEXT: target_id,
            RolloverOutcome.SPLIT: target_id,
            RolloverOutcome.BACKLOG: roots[0].id,
        }
        done = {kind: self._done_status(kind) for kind in self._types(decisions)}

        iteration = self._lookups.node_documents(TreeKind.ITERATIONS).get(iteration_id) if closes else None
        close = event_entry(iteration, IterationEvent.CLOSE, self._now()) if iteration else None

        def act(writer: WriteContext) -> tuple[int, set[str]]:
            finished: list[OutboxEntry] = []
            entries: list[OutboxEntry] = []
            left_out: set[str] = set()
            count = 0
            for given_id, decision in decisions.items():
                item_id = writer.journal.real_id(given_id)
                document = writer.mirror.effective(item_id)
                if document is None or fields_in(document).get("IterationID") != iteration_id:
                    continue
                found = self._entries(document, decision, place.get(decision.way), done, left_out)
                if decision.way in place:
                    changes: Mapping[str, object] = {"IterationID": place[decision.way]}
                    found += self._task_entries(writer, _TASKS_SQL, (item_id, iteration_id), changes)
                elif decision.with_tasks:
                    found += self._task_entries(writer, _OPEN_TASKS_SQL, (item_id,), {"Status": done[ItemType.TASK]})
                count += bool(found)
                (finished if decision.way is RolloverOutcome.DONE else entries).extend(found)
            closing = [] if close is None else [close]
            if every := [*finished, *closing, *entries]:
                journalled(writer, every)
            if closing:
                show_trees(writer)
            return count, left_out

        return await self._files.edit(act)

    @staticmethod
    def _task_entries(
        writer: WriteContext, sql: str, values: Sequence[int], changes: Mapping[str, object]
    ) -> list[OutboxEntry]:
        ids = [task_id for (task_id,) in writer.mirror.connection.execute(sql, values)]
        return [edit_entry(each, writer.mirror.effective(each) or {}, changes) for each in ids]

    def _entries(
        self,
        document: Document,
        decision: RolloverDecision,
        place: int | None,
        done: Mapping[str, str],
        left_out: set[str],
    ) -> list[OutboxEntry]:
        item_id, kind, fields = id_in(document), str(document.get("type") or ""), fields_in(document)
        match decision.way:
            case RolloverOutcome.NEXT | RolloverOutcome.BACKLOG:
                return [edit_entry(item_id, document, {"IterationID": place})]
            case RolloverOutcome.DONE:
                return [edit_entry(item_id, document, {"Status": done[kind]})]
            case RolloverOutcome.SPLIT:
                rest = max(0.0, (points_of(str(fields.get("Estimate") or "")) or 0.0) - decision.done)
                changed = {"IterationID": place, "Estimate": points_text(rest)}
                return [
                    self._done_part(document, decision, done[kind], left_out),
                    edit_entry(item_id, document, changed),
                ]
        return []

    def _done_part(
        self, document: Document, decision: RolloverDecision, status: str, left_out: set[str]
    ) -> OutboxEntry:
        """Return the entry of a new item that keeps the done points in the old iteration."""
        name = str(fields_in(document).get("Name") or "")[: NAME_LIMIT - len(SUFFIX)] + SUFFIX
        values = {"Name": name, "Status": status, "Estimate": points_text(decision.done)}
        # A service with events of iterations takes parts of split items too.
        is_done_part = self._lookups.announces(ITERATION_EVENTS_EXTENSION)
        return part_entry(document, values, self._lookups, left_out, is_done_part=is_done_part)

    def _types(self, decisions: Mapping[int, RolloverDecision]) -> set[str]:
        ids = [
            item_id for item_id, each in decisions.items() if each.way in {RolloverOutcome.DONE, RolloverOutcome.SPLIT}
        ]
        found = (self._files.mirror.execute("SELECT type FROM items WHERE id = ?", (each,)).fetchone() for each in ids)
        tasks = {ItemType.TASK.value} if any(each.with_tasks for each in decisions.values()) else set()
        return {row[0] for row in found if row} | tasks

    def _done_status(self, kind: str) -> str:
        status = self._lookups.status_groups().first(self._lookups.statuses(kind), StatusGroup.DONE)
        if status is None:
            raise BadRequest(f"{kind} has no done status.")
        return status
