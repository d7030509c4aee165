"""How much is planned into iterations, with a draft laid over."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence

from backlit.model.capacity import points_of
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.planning import Load, Part, loads
from backlit.model.statuses import StatusGroup, group_of
from backlit.store.database import ids_json
from backlit.store.plan_draft import Values

_COLUMNS = "id, type, iteration_id, owner_id, status, points, coalesce(work_remaining, 0), own_open, team_id"
_IN_PLACES = (
    f"SELECT {_COLUMNS} FROM items INDEXED BY items_by_iteration WHERE iteration_id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants
)
_BY_ID = f"SELECT {_COLUMNS} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants


def read_loads(mirror: sqlite3.Connection, places: Collection[int], changes: Mapping[int, Values]) -> dict[int, Load]:
    """The loads of some iterations, empty ones too; what is deferred or deleted counts nowhere."""
    rows = {row[0]: row for row in mirror.execute(_IN_PLACES, (ids_json(places),))}
    rows |= {row[0]: row for row in mirror.execute(_BY_ID, (ids_json(changes.keys() - rows.keys()),))}
    parts = (_part(row, changes.get(item_id, {})) for item_id, row in rows.items())
    found = loads(part for part in parts if part is not None)
    return {place: found.get(place, Load()) for place in places}


def _part(row: Sequence[object], planned: Values) -> Part | None:
    _, item_type, place, owner, status, points, hours, is_open, team = row
    group = group_of(None if status is None else str(status))
    if group is StatusGroup.EXCLUDED:
        return None
    if "Estimate" in planned:
        estimate = planned["Estimate"]
        points = points_of(None if estimate is None else str(estimate))
    is_task = item_type == "Task"
    return Part(
        place=_id(planned.get("IterationID", place)),
        owner=_id(planned.get("AssignedToID", owner)),
        points=None if is_task else _number(points),
        hours=(_number(hours) or 0.0) if is_task and is_open else 0.0,
        is_task=is_task,
        is_done=group is StatusGroup.DONE,
        takes_estimate=FIELD_BY_KEY["Estimate"].applies_to(str(item_type)),
        team=_id(team),
    )


def _id(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
