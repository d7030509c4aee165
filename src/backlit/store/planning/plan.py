"""The plan: iterations to fill; moves, estimates and owners in a local draft, saved as one step; its difference."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import BadRequest
from backlit.model.planning import Capacity
from backlit.store.edits.checks import ON_EDIT, check
from backlit.store.edits.items import edit_entry, update_overlay
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.planning.draft import (
    PLANNED,
    ContestedValue,
    DraftStep,
    PlanDraft,
    PlannedValue,
    PlanState,
    Touches,
    Values,
    draft_of,
)
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import EntryState
from backlit.store.records.item import Document, fields_in, text_of
from backlit.store.records.merge import is_same
from backlit.store.records.people import IterationEntry, TreeKind, leaves
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.lookups import Lookups

_ITEMS_SQL = (
    "SELECT id, type, name, parent_id, iteration_id, estimate, owner_id FROM items"
    " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY rank_priority, rank_id, is_task, own_priority, id"
)


class ReleasePlan(Struct, frozen=True):
    """A release and the iterations that can be planned in it."""

    entry: IterationEntry
    iterations: tuple[IterationEntry, ...]

    @property
    def capacity(self) -> Capacity:
        """The release's own min and max capacity, else the sums over its iterations."""
        if self.entry.min_capacity or self.entry.max_capacity:
            return self.entry.capacity
        least = [each.min_capacity for each in self.iterations if each.min_capacity]
        most = [each.max_capacity for each in self.iterations if each.max_capacity]
        is_whole = len(most) == len(self.iterations)
        return Capacity(sum(least) or None, (sum(most) or None) if is_whole else None)


class PlanIterations:
    """The iterations of the current project, and the planned fields of its items without the draft."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    def now(self, connection: sqlite3.Connection, item_ids: Iterable[int]) -> dict[int, Values]:
        """Return the planned fields of items. Items without an iteration are in the root."""
        return {
            item_id: {"IterationID": self.place_of(place), "Estimate": estimate, "AssignedToID": owner_id}
            for item_id, _, _, _, place, estimate, owner_id in rows_of(connection, item_ids)
        }

    def place_of(self, iteration_id: object) -> object:
        """Return the iteration, or the root for None, which foreign services and new items have."""
        roots = self._lookups.tree(TreeKind.ITERATIONS).roots
        return roots[0].id if iteration_id is None and roots else iteration_id

    @property
    def backlog_id(self) -> int:
        """The root, which holds the unplanned items. Raises BadRequest before the iterations are loaded."""
        roots = self._lookups.tree(TreeKind.ITERATIONS).roots
        if not roots:
            raise BadRequest("The iterations are not loaded yet. Try again in a moment.")
        return roots[0].id

    def targets(self) -> list[IterationEntry]:
        """Return the iterations without children in the order of their dates, undated ones last."""
        found = leaves(self._lookups.iterations().values())
        return sorted(found, key=lambda each: (each.start or each.end or date.max, each.end or date.max))

    def is_target(self, iteration_id: int) -> bool:
        """Return whether items are planned into an iteration, which is so where it has no children."""
        return any(each.id == iteration_id for each in leaves(self._lookups.iterations().values()))

    def next_after(self, iteration_id: int, today: date) -> IterationEntry | None:
        """Return the next one that is not over, which takes what an iteration leaves; None without one."""
        every = self.targets()
        after = every[[each.id for each in every].index(iteration_id) + 1 :]
        return next((each for each in after if not each.is_over(today)), None)

    def release_of(self, iteration_id: int) -> ReleasePlan | None:
        tree, iterations = self._lookups.tree(TreeKind.ITERATIONS), self._lookups.iterations()
        above = tree.parent(iteration_id) if iteration_id in tree else None
        while above is not None and not iterations[above.id].is_release:
            above = tree.parent(above.id)
        if above is None:
            return None
        below = set(tree.subtree_ids(above.id))
        return ReleasePlan(iterations[above.id], tuple(each for each in self.targets() if each.id in below))

    def as_is(self, item_ids: Iterable[int]) -> dict[int, Values]:
        return self.now(self._files.mirror, item_ids)


def rows_of(connection: sqlite3.Connection, item_ids: Iterable[int]) -> Iterable[tuple[Any, ...]]:
    return connection.execute(_ITEMS_SQL, (ids_json(item_ids),))


_T = TypeVar("_T")
_TASKS_SQL = (
    "SELECT id, parent_id FROM items WHERE parent_id IN (SELECT value FROM json_each(?)) AND is_task = 1"
    " AND own_open = 1 ORDER BY id"
)


class PlanChange(Struct, frozen=True):
    """The planned change of an item: its current place and estimate, and both values of each changed field.

    `contests` are fields that another user changed since. They are saved only if the user asks for it.
    """

    id: int
    type: str
    name: str
    parent_id: int | None
    place: object
    fields: Mapping[str, PlannedValue]
    contests: Mapping[str, ContestedValue]
    estimate: object = None

    def over_theirs(self) -> "PlanChange":
        """Return the change with the contested fields planned from the other users' values."""
        mine = {key: PlannedValue(contest.theirs, contest.touch.mine) for key, contest in self.contests.items()}
        return replace(self, fields={**self.fields, **mine}, contests={})


class SendProgress(Struct, frozen=True):
    """The progress of the last saved plan: the numbers of sent, waiting and held entries."""

    done: int
    waiting: int
    held: int

    @property
    def total(self) -> int:
        return self.done + self.waiting + self.held


class Plan:
    """The current project's draft. Each step is on disk before it is shown."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self.iterations = PlanIterations(files, lookups)
        self._files = files
        self._lookups = lookups

    # Reading

    @property
    def project_id(self) -> int | None:
        return self._lookups.project_id

    @property
    def draft(self) -> PlanDraft:
        return self._keep(
            "draft", lambda: draft_of(self._files.journal.drafts.find(self._key)).renamed(self._files.journal.real_id)
        )

    @property
    def state(self) -> PlanState:
        return self._keep("state", self._read_state)

    def _read_state(self) -> PlanState:
        draft = self.draft
        return draft.compared(self.iterations.as_is(draft.items)) if draft.items else PlanState()

    def difference(self) -> list[PlanChange]:
        return list(self._keep("difference", lambda: self._difference_of(self.state)))

    def try_out(self, touches: Touches) -> list[PlanChange]:
        """Return the difference that some changes would make, without planning them.

        Unchanged values are left out. A change from another value than the current one is contested.
        """
        return self._difference_of(PlanDraft(touches).compared(self.iterations.as_is(touches)))

    def _difference_of(self, state: PlanState) -> list[PlanChange]:
        return difference_of(self._files.mirror, self.iterations, state)

    def sent(self) -> SendProgress | None:
        """Return the progress of the last saved plan, or None with nothing left to send."""
        return self._keep("sent", self._read_sent)

    def _read_sent(self) -> SendProgress | None:
        if self.draft.step is None:
            return None
        states = self._files.journal.undo_log.states(self.draft.step)
        held = sum(states.get(each.value, 0) for each in (EntryState.REFUSED, EntryState.CONFLICT))
        waiting = sum(states.get(each.value, 0) for each in (EntryState.WAITING, EntryState.SENDING))
        return SendProgress(states.get(EntryState.SENT.value, 0), waiting, held) if waiting or held else None

    def _keep(self, name: str, make: Callable[[], _T]) -> _T:
        return self._lookups.keep(Subject.PLAN, name, make, Subject.ITEMS, Subject.TREES, Subject.OUTBOX)

    @property
    def _key(self) -> str:
        return f"plan:{self._lookups.project_id}"

    # Planning

    async def stage(self, changes: Mapping[int, Values]) -> None:
        """Plan values for items. Raises BadRequest for an invalid value, and then plans nothing."""
        wanted = {self._files.journal.real_id(item_id): values for item_id, values in changes.items()}
        types = {each[0]: each[1] for each in rows_of(self._files.mirror, wanted)}
        checked = {
            item_id: check(types[item_id], values, self._lookups, ON_EDIT)
            for item_id, values in wanted.items()
            if item_id in types
        }
        if any(values.keys() - set(PLANNED) for values in checked.values()):
            raise BadRequest("A plan can change only iterations, estimates and owners.")
        await self._change(partial(self._staged, checked))

    def _staged(self, checked: Mapping[int, Values], draft: PlanDraft, connection: sqlite3.Connection) -> PlanDraft:
        now = self.iterations.now(connection, checked)
        return draft.stage({each: values for each, values in checked.items() if each in now}, now)

    async def move(self, item_ids: Sequence[int], iteration_id: int) -> None:
        """Plan items into an iteration, with their open tasks in the same place."""
        moving = self._with_tasks(item_ids)
        await self.stage({item_id: {"IterationID": iteration_id} for item_id in moving})

    async def unplan(self, item_ids: Sequence[int]) -> None:
        """Discard the planned moves of items. Items without a planned move are planned into the backlog."""
        state = self.state
        planned = {item_id for item_id in item_ids if "IterationID" in self.draft.items.get(item_id, {})}
        moves = self._with_tasks(sorted(planned))
        going = self._with_tasks([item_id for item_id in item_ids if item_id not in planned])
        backlog = self.iterations.backlog_id
        dropped: dict[int, tuple[str, ...]] = {
            each: ("IterationID",)
            for each in moves
            if "IterationID" in state.changes.get(each, {}) or "IterationID" in state.contests.get(each, {})
        }

        def change(draft: PlanDraft, connection: sqlite3.Connection) -> PlanDraft:
            wanted: dict[int, Values] = {each: {"IterationID": backlog} for each in going}
            now = self.iterations.now(connection, wanted)
            back = draft.drop(dropped)
            staged = back.stage({each: wanted[each] for each in now}, now)
            is_both = back is not draft and staged is not back
            if not is_both:
                return staged
            both = DraftStep({**staged.past[-1].before, **back.past[-1].before}, draft.act)
            return replace(staged, past=(*draft.past, both))

        await self._change(change)

    def _with_tasks(self, item_ids: Sequence[int]) -> list[int]:
        ids = [self._files.journal.real_id(each) for each in item_ids]
        tasks = self._files.mirror.execute(_TASKS_SQL, (ids_json(ids),)).fetchall()
        now = self.iterations.as_is([*ids, *(task_id for task_id, _ in tasks)])
        changes = self.state.changes
        places = {each: {**now[each], **changes.get(each, {})}["IterationID"] for each in now}
        return [
            *(each for each in ids if each in places),
            *(task_id for task_id, parent_id in tasks if places.get(task_id) == places.get(parent_id)),
        ]

    def along(self, changes: Mapping[int, Values]) -> dict[int, Values]:
        tasks: dict[int, Values] = {}
        for item_id, values in changes.items():
            if "IterationID" in values:
                move = {"IterationID": values["IterationID"]}
                tasks |= dict.fromkeys(self._with_tasks([item_id])[1:], move)
        return {**tasks, **changes}

    async def aim(self, iteration_id: int) -> None:
        await self._change(lambda draft, _: replace(draft, target=iteration_id))

    async def undo(self) -> bool:
        return await self._change(lambda draft, _: draft.undone() if draft.past else draft)

    async def redo(self) -> bool:
        return await self._change(lambda draft, _: draft.redone() if draft.future else draft)

    async def discard(self) -> None:
        await self._change(lambda draft, _: draft.emptied())

    async def _change(self, change: Callable[[PlanDraft, sqlite3.Connection], PlanDraft]) -> bool:
        self._lookups.need_project()
        key = self._key

        def act(writer: WriteContext) -> bool:
            with writer.journal.transaction():
                before = replace(_read(writer, key), act=next(writer.journal.undo_log.to_undo(), 0))
                after = change(before, writer.mirror.connection)
                if after == before:
                    return False
                writer.journal.drafts.save(key, after.document)
            every = before.items.keys() | after.items.keys()
            ids = frozenset(each for each in every if before.items.get(each) != after.items.get(each))
            writer.signal.publish(StoreChange(Subject.PLAN, ids, is_own=True))
            return True

        return await self._files.write(act)

    # Saving

    async def commit(self, changes: Iterable[PlanChange], gone: Iterable[int] = ()) -> Sequence[int]:
        """Save the changes of a difference as one step. Returns the ids of the items.

        Items that changed since stay in the draft, deleted items leave it. Raises BadRequest for values that have
        become invalid, and then saves nothing.
        """
        wanted = {change.id: change for change in changes if change.fields}
        faults: dict[str, str] = {}
        for change in wanted.values():
            try:
                check(change.type, {key: touch.mine for key, touch in change.fields.items()}, self._lookups, ON_EDIT)
            except BadRequest as error:
                faults[f"#{change.id}"] = str(error)
        if faults:
            raise BadRequest("Could not save the plan: some values are invalid. Change them and save again.", faults)
        key = self._key
        return await self._files.edit(lambda writer: self._commit(writer, key, wanted, tuple(gone)))

    def _commit(
        self, writer: WriteContext, key: str, wanted: Mapping[int, PlanChange], gone: Sequence[int]
    ) -> Sequence[int]:
        """Journal the confirmed changes. Draft and entries change together or not at all."""
        draft = _read(writer, key)
        entries, done = [], {}
        for given_id, change in wanted.items():
            item_id = writer.journal.real_id(given_id)
            document = writer.mirror.effective(item_id)
            values = (
                {} if document is None else _agreed(self.iterations, document, change, draft.items.get(item_id, {}))
            )
            if document is not None and values:
                entries.append(edit_entry(item_id, document, values))
                done[item_id] = tuple(values)
        dropped = {each: PLANNED for each in gone if writer.mirror.effective(each) is None}
        with writer.journal.transaction():
            written = writer.journal.add(entries)
            after = draft.written({**done, **dropped}, written[0].step if written else None)
            writer.journal.drafts.save(key, after.document)
        ids = [entry.item_id for entry in written]
        update_overlay(writer, ids)
        writer.signal.publish(StoreChange(Subject.PLAN))
        return ids


def _agreed(
    iterations: PlanIterations, document: Document, change: PlanChange, touches: Mapping[str, PlannedValue]
) -> dict[str, object]:
    """Return the values of a change whose plan and whose current value are still the confirmed ones."""
    fields = fields_in(document)
    now = {
        "IterationID": iterations.place_of(fields.get("IterationID")),
        "Estimate": text_of(fields.get("Estimate")),
        "AssignedToID": fields.get("AssignedToID"),
    }
    return {
        key: touch.mine
        for key, touch in change.fields.items()
        if key in touches and is_same(touches[key].mine, touch.mine) and is_same(now[key], touch.base)
    }


def _read(writer: WriteContext, key: str) -> PlanDraft:
    return draft_of(writer.journal.drafts.find(key)).renamed(writer.journal.real_id)


def difference_of(mirror: sqlite3.Connection, iterations: PlanIterations, state: PlanState) -> list[PlanChange]:
    ids = state.changes.keys() | state.contests.keys()
    found = []
    now = iterations.now(mirror, ids)
    for item_id, kind, name, parent_id, *_ in rows_of(mirror, ids):
        before = now[item_id]
        fields = {key: PlannedValue(before[key], mine) for key, mine in state.changes.get(item_id, {}).items()}
        contests, place = state.contests.get(item_id, {}), before["IterationID"]
        found.append(PlanChange(item_id, kind, name, parent_id, place, fields, contests, before.get("Estimate")))
    return found
