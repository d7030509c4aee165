"""Lists and loads of iterations with the draft of the plan laid over them."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from backlit.model.amounts import points_of
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.planning import LoadPart, PlannedLoad, loads
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.model.trees import NodeTotals
from backlit.store.files.files import LocalDatabase
from backlit.store.mirror.status_groups import status_groups
from backlit.store.planning.draft import Values
from backlit.store.planning.plan import Plan
from backlit.store.records.item import Item, ItemRow, RowSign, text_of
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.groups import NO_TASKS, ShownTasks
from backlit.store.views.query import ViewSpec

_COLUMNS = (
    "id, type, iteration_id, owner_id, status, points, coalesce(work_remaining, 0), own_open, team_id, project_id"
)
_IN_PLACES = (
    f"SELECT {_COLUMNS} FROM items INDEXED BY items_by_iteration WHERE iteration_id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants
)
_BY_ID = f"SELECT {_COLUMNS} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants


class PlanPreview:
    """Rows, items, totals and loads under the draft."""

    def __init__(self, files: LocalDatabase, plan: Plan) -> None:
        self._files = files
        self._plan = plan

    def laid_over(self, row: ItemRow) -> ItemRow:
        state = self._plan.state
        values = state.changes.get(row.id, {})
        contested = row.id in state.contests
        if not values and not contested:
            return row
        moved = RowSign.PLANNED_ALTERED if len(values) > 1 else RowSign.PLANNED
        sign = RowSign.CONTESTED if contested else moved if "IterationID" in values else RowSign.ALTERED
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
        estimates = [change.fields["Estimate"] for change in changes if change.id in listed]
        return totals + NodeTotals(0, sum(_points(each.mine) - _points(each.base) for each in estimates))

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
    """Return the loads of some iterations, empty ones too. Deferred and deleted items count nowhere."""
    rows = {row[0]: row for row in mirror.execute(_IN_PLACES, (ids_json(places),))}
    rows |= {row[0]: row for row in mirror.execute(_BY_ID, (ids_json(changes.keys() - rows.keys()),))}
    groups = {each: status_groups(mirror, each) for each in {row[-1] for row in rows.values()}}
    parts = (_part(row, changes.get(item_id, {}), groups[row[-1]]) for item_id, row in rows.items())
    found = loads(part for part in parts if part is not None)
    return {place: found.get(place, PlannedLoad()) for place in places}


def _part(row: Sequence[Any], planned: Values, groups: StatusGroups) -> LoadPart | None:
    _, item_type, place, owner, status, points, hours, is_open, team, _ = row
    group = groups.of(status)
    if group is StatusGroup.EXCLUDED:
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
