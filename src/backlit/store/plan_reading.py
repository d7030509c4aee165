"""What a plan is at a moment: its draft over what is so by now, in lists, figures and differences."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from backlit.model.capacity import points_of
from backlit.model.planning import Load
from backlit.model.trees import Totals
from backlit.store.database import ids_json
from backlit.store.entries import EntryState
from backlit.store.plan_draft import Contest, Draft, Standing, Touch, Touches, Values, draft_of
from backlit.store.plan_figures import read_loads
from backlit.store.plan_places import PlanPlaces, rows_of, text_of
from backlit.store.plan_tasks import TasksShown
from backlit.store.rows import Item, Row, RowSign
from backlit.store.views_query import ViewSpec

NO_TASKS = TasksShown()


@dataclass(frozen=True, slots=True)
class PlanChange:
    """What a plan does to one item: for each field what it is now, and what it is to be; `place` is where it is now.

    `contests` are fields that others changed since; they are not written unless that is asked for.
    """

    id: int
    type: str
    name: str
    parent_id: int | None
    place: object
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


class PlanReading(PlanPlaces):
    """The current project's draft as screens see it."""

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
        return draft.standing(self.now(self._files.mirror, draft.items)) if draft.items else Standing()

    def laid_over(self, row: Row, places: frozenset[int] | None = None) -> Row:
        """A row as the plan has it, with a sign for what that does to it.

        In a list of some iterations what the plan moves to others is as it is, but for the sign that it goes.
        """
        standing = self.standing
        values = standing.changes.get(row.id, {})
        if places is not None and "IterationID" in values and values["IterationID"] not in places:
            return row._replace(sign=RowSign.LEAVING)
        contested = row.id in standing.contests
        if not values and not contested:
            return row
        moved = "IterationID" in values
        sign = RowSign.CONTESTED if contested else RowSign.PLANNED if moved else RowSign.ALTERED
        return row._replace(
            iteration_id=_id(values.get("IterationID", row.iteration_id)),
            estimate=text_of(values.get("Estimate", row.estimate)),
            owner_id=_id(values.get("AssignedToID", row.owner_id)),
            sign=row.sign if row.sign > RowSign.PENDING else sign,
        )

    def item_laid_over(self, item: Item) -> Item:
        """An item as the plan has it."""
        values = self.standing.changes.get(item.id)
        return replace(item, fields={**item.fields, **values}) if values else item

    def spec(self, base: ViewSpec, places: frozenset[int], tasks: TasksShown = NO_TASKS) -> ViewSpec:
        """What a list of some iterations shows as the plan has it: items, and the tasks of some."""
        moves = self._moves()
        return replace(
            base,
            iteration_ids=places,
            filter=tasks.filter(),
            planned_in=frozenset(each for each, place in moves.items() if place in places),
            planned_out=frozenset(each for each, place in moves.items() if place not in places),
        )

    def leaving(self, places: frozenset[int]) -> frozenset[int]:
        """What the plan moves to other iterations than these, wherever it is now."""
        return frozenset(each for each, place in self._moves().items() if place not in places)

    def _moves(self) -> dict[int, object]:
        changes = self.standing.changes
        return {item_id: values["IterationID"] for item_id, values in changes.items() if "IterationID" in values}

    def difference(self) -> list[PlanChange]:
        """All that the plan changes, in backlog order, tasks after their items; what is gone is not in it."""
        return list(self._keep("difference", lambda: self._difference_of(self.standing)))

    def try_out(self, touches: Touches) -> list[PlanChange]:
        """What some changes would come to, without planning them; what is so already is not in it.

        What is not as the change starts from any more is contested.
        """
        return self._difference_of(Draft(touches).standing(self.as_is(touches)))

    def _difference_of(self, standing: Standing) -> list[PlanChange]:
        ids = standing.changes.keys() | standing.contests.keys()
        found = []
        now = self.now(self._files.mirror, ids)
        for item_id, kind, name, parent_id, *_ in rows_of(self._files.mirror, ids):
            before = now[item_id]
            fields = {key: Touch(before[key], mine) for key, mine in standing.changes.get(item_id, {}).items()}
            contests = standing.contests.get(item_id, {})
            found.append(PlanChange(item_id, kind, name, parent_id, before["IterationID"], fields, contests))
        return found

    def totals_of(self, totals: Totals, item_ids: Iterable[int], places: frozenset[int]) -> Totals:
        """The totals of a list of some iterations as the plan has them: by its estimates, and without what leaves."""
        changes = [each for each in self.difference() if each.type != "Task"]
        listed = set(item_ids) if changes else set()
        leaving = self.leaving(places) & listed & {each.id for each in changes}
        now = self.as_is(leaving)
        gone = Totals(-len(leaving), -sum(_points(now[each]["Estimate"]) for each in now))
        estimates = [
            change.fields["Estimate"]
            for change in changes
            if "Estimate" in change.fields and change.id in listed - leaving
        ]
        return totals + gone + Totals(0, sum(_points(each.mine) - _points(each.base) for each in estimates))

    def with_tasks(self, item_ids: Iterable[int]) -> frozenset[int]:
        """Those of some items that have tasks that are to be done; a short read."""
        found = self._files.mirror.execute(
            "SELECT DISTINCT parent_id FROM items WHERE parent_id IN (SELECT value FROM json_each(?))"
            " AND is_task = 1 AND own_open = 1",
            (ids_json(item_ids),),
        )
        return frozenset(item_id for (item_id,) in found)

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

    def loads_now(self, iteration_ids: Collection[int], changes: Mapping[int, Values] | None = None) -> dict[int, Load]:
        """The same by a short read, of as many items as are in them; with other changes laid over, if given."""
        return read_loads(self._files.mirror, iteration_ids, self.standing.changes if changes is None else changes)


def _points(estimate: object) -> float:
    return points_of(text_of(estimate)) or 0.0


def _id(value: object) -> int | None:
    return value if isinstance(value, int) else None
