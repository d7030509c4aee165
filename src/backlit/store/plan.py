"""The plan: moves, estimates and owners that stay in a local draft until they are written as one step."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, TypeVar

from backlit.model.errors import BadRequest
from backlit.model.fields import Settable
from backlit.model.planning import Load, Velocity
from backlit.store.changes import Change, Signal, Subject
from backlit.store.checks import check
from backlit.store.database import ids_json
from backlit.store.edits import edit_entry, show
from backlit.store.entries import EntryState
from backlit.store.files import Files, Writer
from backlit.store.iterations_by_date import leaves
from backlit.store.lookups import Lookups
from backlit.store.people import IterationEntry, TreeKind
from backlit.store.plan_draft import PLANNED, Contest, Draft, Standing, Touch, Values, document_of, draft_of
from backlit.store.plan_figures import read_loads, read_velocity
from backlit.store.rows import Document, Item, Row, RowSign, fields_in
from backlit.store.values import is_same

_T = TypeVar("_T")
_ON_EDIT = frozenset({Settable.ALWAYS})
_ITEMS_SQL = (
    "SELECT id, type, name, parent_id, iteration_id, estimate, owner_id FROM items"
    " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY rank_priority, rank_id, is_task, own_priority, id"
)
_TASKS_SQL = (
    "SELECT id, parent_id FROM items WHERE parent_id IN (SELECT value FROM json_each(?)) AND is_task = 1"
    " AND own_open = 1 ORDER BY id"
)
_PAST_LOOKED_AT = 12
"""Ended iterations among which those are looked for in which something was done."""


@dataclass(frozen=True, slots=True)
class PlanChange:
    """What a plan does to one item: for each field what it is now, and what it is to be.

    `contests` are fields that others changed since; they are not written unless that is asked for.
    """

    id: int
    type: str
    name: str
    parent_id: int | None
    fields: Mapping[str, Touch]
    contests: Mapping[str, Contest]

    def over_theirs(self) -> "PlanChange":
        """The same, with what others changed since planned anew from what they made of it."""
        mine = {key: Touch(contest.theirs, contest.touch.mine) for key, contest in self.contests.items()}
        return replace(self, fields={**self.fields, **mine}, contests={})


@dataclass(frozen=True, slots=True)
class Sent:
    """How far the plan that was written last has come: entries on the service, on their way, and held up."""

    done: int
    waiting: int
    held: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.done + self.waiting + self.held


class Plan:
    """The current project's draft; every step of it is on the disk before it is shown."""

    def __init__(self, files: Files, lookups: Lookups, signal: Signal, wake: Callable[[], None]) -> None:
        self._files = files
        self._lookups = lookups
        self._wake = wake
        self._kept: dict[str, object] = {}
        signal.subscribe(self._forget)

    def _forget(self, change: Change) -> None:
        if change.kind in {Subject.PLAN, Subject.ITEMS, Subject.TREES, Subject.OUTBOX}:
            self._kept = {}

    def _keep(self, name: str, make: Callable[[], _T]) -> _T:
        kept, key = self._kept, f"{name} {self._lookups.project_id}"
        if key not in kept:
            kept[key] = make()
        return kept[key]  # type: ignore[return-value] # what `make` made

    # Reading

    @property
    def draft(self) -> Draft:
        """What is planned; empty where nothing is."""
        return self._keep("draft", lambda: draft_of(self._files.journal.drafts.find(self._key)).renamed(self.real_id))

    @property
    def standing(self) -> Standing:
        """How the draft lies to what is so now."""
        return self._keep("standing", self._read_standing)

    def _read_standing(self) -> Standing:
        draft = self.draft
        return draft.standing(self._now(self._files.mirror, draft.items)) if draft.items else Standing()

    def _now(self, connection: sqlite3.Connection, item_ids: Iterable[int]) -> dict[int, Values]:
        """What items have now in the fields that are planned; those in no iteration are in the backlog."""
        found = {each[0]: dict(zip(PLANNED, each[4:], strict=True)) for each in _rows_of(connection, item_ids)}
        for values in found.values():
            values["IterationID"] = self._place(values["IterationID"])
        return found

    def _place(self, iteration_id: object) -> object:
        """An iteration; the root for what a foreign service, or an item that is new, has in none."""
        roots = self._lookups.tree(TreeKind.ITERATIONS).roots
        return roots[0].id if iteration_id is None and roots else iteration_id

    def real_id(self, given_id: int) -> int:
        """The id that an item or an iteration has by now."""
        return self._files.journal.real_id(given_id)

    @property
    def _key(self) -> str:
        return f"plan:{self._lookups.project_id}"

    @property
    def backlog_id(self) -> int:
        """The iteration of what is in none: the root. Raises BadRequest before it is known."""
        roots = self._lookups.tree(TreeKind.ITERATIONS).roots
        if not roots:
            raise BadRequest("The iterations are not known yet.")
        return roots[0].id

    def targets(self) -> list[IterationEntry]:
        """The iterations that can be planned, in the order of their dates; those without dates come last."""
        found = leaves(self._lookups.iterations().values())
        return sorted(found, key=lambda each: (each.start or each.end or date.max, each.end or date.max))

    def laid_over(self, row: Row) -> Row:
        """A row as the plan has it, with a sign for what that does to it."""
        standing = self.standing
        values = standing.changes.get(row.id, {})
        contested = row.id in standing.contests
        if not values and not contested:
            return row
        moved = "IterationID" in values
        sign = RowSign.CONTESTED if contested else RowSign.PLANNED if moved else RowSign.ALTERED
        return row._replace(
            iteration_id=_id(values.get("IterationID", row.iteration_id)),
            estimate=_text(values.get("Estimate", row.estimate)),
            owner_id=_id(values.get("AssignedToID", row.owner_id)),
            sign=row.sign if row.sign > RowSign.PENDING else sign,
        )

    def item_laid_over(self, item: Item) -> Item:
        """An item as the plan has it."""
        values = self.standing.changes.get(item.id)
        return replace(item, fields={**item.fields, **values}) if values else item

    def difference(self) -> list[PlanChange]:
        """All that the plan changes, in backlog order, tasks after their items; what is gone is not in it."""
        standing = self.standing
        ids = standing.changes.keys() | standing.contests.keys()
        found = []
        now = self._now(self._files.mirror, ids)
        for item_id, kind, name, parent_id, *_ in _rows_of(self._files.mirror, ids):
            before = now[item_id]
            fields = {key: Touch(before[key], mine) for key, mine in standing.changes.get(item_id, {}).items()}
            contests = standing.contests.get(item_id, {})
            found.append(PlanChange(item_id, kind, name, parent_id, fields, contests))
        return found

    def sent(self) -> Sent | None:
        """How far what was written last has come; None once the service has all of it, or none of it is to go."""
        return self._keep("sent", self._read_sent)

    def _read_sent(self) -> Sent | None:
        if self.draft.step is None:
            return None
        states = self._files.journal.steps.states(self.draft.step)
        held = sum(states.get(each.value, 0) for each in (EntryState.REFUSED, EntryState.CONFLICT))
        waiting = sum(states.get(each.value, 0) for each in (EntryState.WAITING, EntryState.SENDING))
        return Sent(states.get(EntryState.SENT.value, 0), waiting, held) if waiting or held else None

    async def loads(self, iteration_ids: Collection[int]) -> dict[int, Load]:
        """What is in some iterations as the plan has it; read on the reading thread."""
        places, changes = tuple(iteration_ids), self.standing.changes
        return await self._files.read(lambda mirror: read_loads(mirror, places, changes))

    async def velocity(self, today: date) -> Velocity:
        """From the iterations that ended before today; read on the reading thread."""
        ended = sorted((each.end, each.id) for each in self.targets() if each.end and each.end < today)
        latest = [iteration_id for _, iteration_id in reversed(ended)][:_PAST_LOOKED_AT]
        return await self._files.read(lambda mirror: read_velocity(mirror, latest))

    # Planning

    async def stage(self, changes: Mapping[int, Values]) -> None:
        """Plan values for items. Raises BadRequest for what cannot be set, then nothing is planned at all."""
        wanted = {self.real_id(item_id): values for item_id, values in changes.items()}
        types = {each[0]: each[1] for each in _rows_of(self._files.mirror, wanted)}
        checked = {
            item_id: check(types[item_id], values, self._lookups, _ON_EDIT)
            for item_id, values in wanted.items()
            if item_id in types
        }
        if any(values.keys() - set(PLANNED) for values in checked.values()):
            raise BadRequest("A plan has iterations, estimates and owners only.")
        await self._change(partial(self._staged, checked))

    def _staged(self, checked: Mapping[int, Values], draft: Draft, connection: sqlite3.Connection) -> Draft:
        now = self._now(connection, checked)
        return draft.stage({each: values for each, values in checked.items() if each in now}, now)

    async def move(self, item_ids: Sequence[int], iteration_id: int) -> None:
        """Plan items into an iteration, with those of their open tasks that are where they are now."""
        moving = self._with_tasks(item_ids)
        await self.stage({item_id: {"IterationID": iteration_id} for item_id in moving})

    async def take_back(self, item_ids: Sequence[int]) -> None:
        """Plan moves of items no longer; those that are not planned to move are planned into the backlog."""
        standing = self.standing
        planned = {item_id for item_id in item_ids if "IterationID" in self.draft.items.get(item_id, {})}
        moves = self._with_tasks(sorted(planned))
        going = self._with_tasks([item_id for item_id in item_ids if item_id not in planned])
        backlog = self.backlog_id
        dropped: dict[int, tuple[str, ...]] = {
            each: ("IterationID",)
            for each in moves
            if "IterationID" in standing.changes.get(each, {}) or "IterationID" in standing.contests.get(each, {})
        }

        def change(draft: Draft, connection: sqlite3.Connection) -> Draft:
            wanted: dict[int, Values] = {each: {"IterationID": backlog} for each in going}
            now = self._now(connection, wanted)
            back = draft.drop(dropped)
            staged = back.stage({each: wanted[each] for each in now}, now)
            is_both = back is not draft and staged is not back
            return replace(staged, past=(*draft.past, {**back.past[-1], **staged.past[-1]})) if is_both else staged

        await self._change(change)

    def _with_tasks(self, item_ids: Sequence[int]) -> list[int]:
        """Items, and their open tasks that are in the same iteration, as the plan has them."""
        ids = [self.real_id(each) for each in item_ids]
        tasks = self._files.mirror.execute(_TASKS_SQL, (ids_json(ids),)).fetchall()
        now = self._now(self._files.mirror, [*ids, *(task_id for task_id, _ in tasks)])
        changes = self.standing.changes
        places = {each: {**now[each], **changes.get(each, {})}["IterationID"] for each in now}
        return [
            *(each for each in ids if each in places),
            *(task_id for task_id, parent_id in tasks if places.get(task_id) == places.get(parent_id)),
        ]

    async def aim(self, iteration_id: int) -> None:
        """Remember which iteration is planned."""
        await self._change(lambda draft, _: replace(draft, target=iteration_id))

    async def undo(self) -> bool:
        """Take the draft's last step back; False where there is none."""
        return await self._change(lambda draft, _: draft.undone() if draft.past else draft)

    async def redo(self) -> bool:
        """Do again what was taken back of the draft; False where nothing was."""
        return await self._change(lambda draft, _: draft.redone() if draft.future else draft)

    async def discard(self) -> None:
        """Plan nothing any more; one step that can be taken back."""
        await self._change(lambda draft, _: draft.emptied())

    async def _change(self, change: Callable[[Draft, sqlite3.Connection], Draft]) -> bool:
        if self._lookups.project_id is None:
            raise BadRequest("No project is chosen yet.")
        key = self._key

        def act(writer: Writer) -> bool:
            with writer.journal.transaction():
                before = _read(writer, key)
                after = change(before, writer.mirror.connection)
                if after == before:
                    return False
                writer.journal.drafts.save(key, document_of(after))
            ids = frozenset(_touched(before, after))
            writer.signal.publish(Change(Subject.PLAN, ids))
            return True

        return await self._files.write(act)

    # Writing

    async def commit(self, changes: Iterable[PlanChange], gone: Iterable[int] = ()) -> int:
        """Write what a difference showed, as one step; returns how many items that are.

        What is not as the difference showed it any more stays in the draft; what is gone leaves it. Raises BadRequest
        for values that cannot be set by now; then nothing is written.
        """
        wanted = {change.id: change for change in changes if change.fields}
        faults: dict[str, str] = {}
        for change in wanted.values():
            try:
                check(change.type, {key: touch.mine for key, touch in change.fields.items()}, self._lookups, _ON_EDIT)
            except BadRequest as error:
                faults[f"#{change.id}"] = str(error)
        if faults:
            raise BadRequest("Some of it cannot be written; nothing was.", faults)
        key = self._key
        written = await self._files.write(lambda writer: self._commit(writer, key, wanted, tuple(gone)))
        self._wake()
        return written

    def _commit(self, writer: Writer, key: str, wanted: Mapping[int, PlanChange], gone: Sequence[int]) -> int:
        """Journal what is still as it was agreed to; draft and entries change together or not at all."""
        draft = _read(writer, key)
        entries, done = [], {}
        for given_id, change in wanted.items():
            item_id = writer.journal.real_id(given_id)
            document = writer.mirror.effective(item_id)
            values = {} if document is None else self._agreed(document, change, draft.items.get(item_id, {}))
            if document is not None and values:
                entries.append(edit_entry(item_id, document, values))
                done[item_id] = tuple(values)
        dropped = {each: PLANNED for each in gone if writer.mirror.effective(each) is None}
        with writer.journal.transaction():
            written = writer.journal.add(entries)
            after = draft.written({**done, **dropped}, written[0].step if written else None)
            writer.journal.drafts.save(key, document_of(after))
        show(writer, [entry.item_id for entry in written])
        writer.signal.publish(Change(Subject.PLAN))
        return len(written)

    def _agreed(self, document: Document, change: PlanChange, touches: Mapping[str, Touch]) -> dict[str, object]:
        """The values of a change that are planned as they were, of an item that is as it was."""
        fields = fields_in(document)
        now = {
            "IterationID": self._place(fields.get("IterationID")),
            "Estimate": _text(fields.get("Estimate")),
            "AssignedToID": fields.get("AssignedToID"),
        }
        return {
            key: touch.mine
            for key, touch in change.fields.items()
            if key in touches and is_same(touches[key].mine, touch.mine) and is_same(now[key], touch.base)
        }


def _read(writer: Writer, key: str) -> Draft:
    return draft_of(writer.journal.drafts.find(key)).renamed(writer.journal.real_id)


def _touched(before: Draft, after: Draft) -> set[int]:
    ids = before.items.keys() | after.items.keys()
    return {each for each in ids if before.items.get(each) != after.items.get(each)}


def _rows_of(connection: sqlite3.Connection, item_ids: Iterable[int]) -> Iterable[tuple[Any, ...]]:
    return connection.execute(_ITEMS_SQL, (ids_json(item_ids),))


def _id(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)
