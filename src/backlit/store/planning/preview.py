"""Lists and loads of iterations with the draft of the plan laid over them."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import points_of
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.planning import LoadPart, PlannedLoad, loads
from backlit.model.relations import RelationType
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.model.trees import NodeTotals
from backlit.store.files.files import LocalDatabase
from backlit.store.mirror.schema import HAS_COUNTED_ITEMS
from backlit.store.mirror.status_groups import status_groups
from backlit.store.planning.draft import Values
from backlit.store.planning.plan import Plan
from backlit.store.records.item import Item, ItemRow, RowSign, text_of
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.groups import NO_TASKS, ShownTasks
from backlit.store.views.query import ViewSpec
from backlit.store.views.relations import ItemRelations

_COLUMNS = (
    f"{HAS_COUNTED_ITEMS}, id, type, iteration_id, owner_id, status, points, coalesce(work_remaining, 0), own_open,"
    " team_id, project_id"
)
_IN_PLACES = (
    f"SELECT {_COLUMNS} FROM items INDEXED BY items_by_iteration WHERE iteration_id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants
)
_PLACES = "SELECT id, iteration_id FROM items WHERE id IN (SELECT value FROM json_each(?)) AND project_id = ?"
_OPEN_IN_SPRINT = (
    "SELECT id FROM items INDEXED BY items_by_iteration WHERE iteration_id = ? AND is_task = 0 AND own_open = 1"
)
_PLANNABLE = (
    f"SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?)) AND is_task = 0 AND own_open = 1"  # noqa: S608 # constants
    f" AND NOT {HAS_COUNTED_ITEMS} ORDER BY rank_priority, rank_id, id"
)
_WITH_ITEMS = f"SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?)) AND {HAS_COUNTED_ITEMS}"  # noqa: S608 # constants
_BY_ID = f"SELECT {_COLUMNS} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants


class PlannedBlocker(Struct, frozen=True):
    """An open item that blocks another one and is not planned before it.

    `sprint_id` is the later sprint that it is planned in, or the same one; None for no sprint.
    """

    item_id: int
    blocker_id: int
    sprint_id: int | None
    is_beside: bool = False
    """Whether both are in the same sprint, which is a note and no fault."""


class PlanPreview:
    """Rows, items, totals, loads and blockers under the draft."""

    def __init__(self, files: LocalDatabase, plan: Plan, relations: ItemRelations) -> None:
        self._files = files
        self._plan = plan
        self._relations = relations

    def laid_over(self, row: ItemRow) -> ItemRow:
        state = self._plan.state
        values = state.changes.get(row.id, {})
        contested = row.id in state.contests
        if not values and not contested:
            return row
        planned = RowSign.PLANNED if "IterationID" in values else RowSign.ALTERED
        sign = RowSign.CONTESTED if contested else planned
        return row._replace(
            iteration_id=_id(values.get("IterationID", row.iteration_id)),
            estimate=text_of(values.get("Estimate", row.estimate)),
            owner_id=_id(values.get("AssignedToID", row.owner_id)),
            sign=row.sign if row.sign > RowSign.PENDING else sign,
        )

    def item_laid_over(self, item: Item) -> Item:
        values = self._plan.state.changes.get(item.id)
        return replace(item, fields={**item.fields, **values}) if values else item

    def spec(self, base: ViewSpec, places: frozenset[int], tasks: ShownTasks = NO_TASKS) -> ViewSpec:
        moves = self._moves()
        return replace(
            base,
            iteration_ids=places,
            filter=tasks.filter(),
            planned_in=frozenset(each for each, place in moves.items() if place in places),
            planned_out=frozenset(each for each, place in moves.items() if place not in places),
        )

    def _moves(self) -> dict[int, object]:
        changes = self._plan.state.changes
        return {item_id: values["IterationID"] for item_id, values in changes.items() if "IterationID" in values}

    def totals_of(self, totals: NodeTotals, item_ids: Iterable[int]) -> NodeTotals:
        changes = [each for each in self._plan.difference() if each.type != "Task" and "Estimate" in each.fields]
        listed = set(item_ids) if changes else set()
        listed -= self.counted_by_items(change.id for change in changes)
        estimates = [change.fields["Estimate"] for change in changes if change.id in listed]
        return totals + NodeTotals(0, sum(_points(each.mine) - _points(each.base) for each in estimates))

    def blockers(self, item_ids: Iterable[int]) -> list[PlannedBlocker]:
        """Return what blocks the items of sprints and is planned after them or beside them, by item."""
        blocked = self._relations.open_blockers(item_ids)
        places = self.places({*blocked, *(each for blockers in blocked.values() for each in blockers)})
        order = {sprint.id: at for at, sprint in enumerate(self._plan.iterations.targets())}
        found = []
        for item_id, blockers in blocked.items():
            here = order.get(places.get(item_id, 0))
            for blocker_id in blockers if here is not None else ():
                if blocker_id not in places:
                    continue  # in a project that has other sprints
                there = order.get(places[blocker_id])
                if there is None or there >= (here or 0):
                    sprint_id = None if there is None else places[blocker_id]
                    found.append(PlannedBlocker(item_id, blocker_id, sprint_id, is_beside=there == here))
        return found

    def blockers_in(self, sprint_id: int) -> list[PlannedBlocker]:
        """Return what blocks the open items of a sprint and is planned after them or beside them."""
        there = {item_id for (item_id,) in self._files.mirror.execute(_OPEN_IN_SPRINT, (sprint_id,))}
        moves = self._moves()
        staying = {item_id for item_id in there if moves.get(item_id, sprint_id) == sprint_id}
        return self.blockers(staying | {item_id for item_id, place in moves.items() if place == sprint_id})

    def blockers_around(self, item_ids: Iterable[int]) -> list[PlannedBlocker]:
        """Return what comes too late for items, and where items come too late for what waits for them."""
        ids = list(item_ids)
        related = self._relations.of_items(ids)
        waiting = {each.other_id for some in related.values() for each in some if each.word == RelationType.BLOCKS}
        return [each for each in self.blockers({*ids, *waiting}) if not each.is_beside]

    def places(self, item_ids: Iterable[int]) -> dict[int, int]:
        """Return the iterations of the project's items under the draft; the root for unplanned ones."""
        changes, root = self._plan.state.changes, self._plan.iterations.backlog_id
        found = self._files.mirror.execute(_PLACES, (ids_json(item_ids), self._plan.project_id))
        return {item_id: _id(changes.get(item_id, {}).get("IterationID", place)) or root for item_id, place in found}

    def unplanned_below(self, feature_ids: Iterable[int]) -> list[int]:
        """Return the open items below Features that are in no sprint, without Features that have items themselves."""
        below = self._relations.below(feature_ids)
        sprints = {sprint.id for sprint in self._plan.iterations.targets()}
        places = self.places(below)
        found = self._files.mirror.execute(_PLANNABLE, (ids_json(below),))
        return [item_id for (item_id,) in found if places.get(item_id) not in sprints]

    def counted_by_items(self, item_ids: Iterable[int]) -> set[int]:
        """Return the Features among some items whose items count in their place."""
        return {item_id for (item_id,) in self._files.mirror.execute(_WITH_ITEMS, (ids_json(item_ids),))}

    async def loads(self, iteration_ids: Collection[int]) -> dict[int, PlannedLoad]:
        """Read the loads of iterations under the plan on the reading thread."""
        places, changes = tuple(iteration_ids), self._plan.state.changes
        return await self._files.read(lambda mirror: _read_loads(mirror, places, changes))

    def loads_now(
        self, iteration_ids: Collection[int], changes: Mapping[int, Values] | None = None
    ) -> dict[int, PlannedLoad]:
        """Read the loads of iterations on this thread, under the plan or under the given changes."""
        return _read_loads(self._files.mirror, iteration_ids, self._plan.state.changes if changes is None else changes)


def _points(estimate: object) -> float:
    return points_of(text_of(estimate)) or 0.0


def _id(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _read_loads(
    mirror: sqlite3.Connection, places: Collection[int], changes: Mapping[int, Values]
) -> dict[int, PlannedLoad]:
    """Return the loads of some iterations, empty ones too.

    Deferred and deleted items count nowhere, and Features only without counted items below them.
    """
    rows = {row[1]: row for row in mirror.execute(_IN_PLACES, (ids_json(places),))}
    rows |= {row[1]: row for row in mirror.execute(_BY_ID, (ids_json(changes.keys() - rows.keys()),))}
    groups = {each: status_groups(mirror, each) for each in {row[-1] for row in rows.values()}}
    parts = (_part(row, changes.get(item_id, {}), groups[row[-1]]) for item_id, row in rows.items())
    found = loads(part for part in parts if part is not None)
    return {place: found.get(place, PlannedLoad()) for place in places}


def _part(row: Sequence[Any], planned: Values, groups: StatusGroups) -> LoadPart | None:
    has_items, _, item_type, place, owner, status, points, hours, is_open, team, _ = row
    group = groups.of(status)
    if group is StatusGroup.EXCLUDED or has_items:
        return None
    if "Estimate" in planned:
        estimate = planned["Estimate"]
        points = points_of(text_of(estimate))
    is_task = item_type == "Task"
    return LoadPart(
        place=_id(planned.get("IterationID", place)),
        owner=_id(planned.get("AssignedToID", owner)),
        points=None if is_task else _number(points),
        hours=(_number(hours) or 0.0) if is_task and is_open else 0.0,
        is_task=is_task,
        is_done=group is StatusGroup.DONE,
        takes_estimate=FIELD_BY_KEY["Estimate"].applies_to(str(item_type)),
        team=_id(team),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
