"""Current figures of some iterations or a whole project, from the mirror, by one query each."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.local_times import LocalTimes
from backlit.model.reports.machine.daily import DayProgress
from backlit.model.reports.machine.open_items import EstimateCount, OpenWorkload
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.model.trees import NodeTotals
from backlit.store.mirror.schema import HAS_COUNTED_ITEMS
from backlit.store.mirror.status_groups import status_groups
from backlit.store.sqlite.ids import ids_json

Found = TypeVar("Found")
Loads = Mapping[int | None, OpenWorkload]
NOT_COUNTED = frozenset({StatusGroup.EXCLUDED})
UNDER_WAY = frozenset({StatusGroup.IN_PROGRESS, StatusGroup.READY_FOR_TEST})
_FROM_THE_START = "active"
"""The initial status of issues and risks, which counts as not started."""
MOST_STAYS = 5_000
ITERATIONS_SQL = "SELECT doc FROM resources WHERE kind = 'iterations' AND project_id = ?"


class ItemInProgress(Struct, frozen=True):
    """An item in progress. `changed` and `created` are days, None if the service lacks the item."""

    item_id: int
    type: str
    name: str
    status: str
    group: StatusGroup
    owner_id: int | None
    changed: date | None
    created: date | None


def progress(connection: sqlite3.Connection, project_id: int, ids: frozenset[int], day: date) -> DayProgress:
    where, values = _place(ids)
    found = connection.execute(
        "SELECT status, count(*), total(points) FROM items WHERE project_id = ? AND is_task = 0"  # noqa: S608 # bound values
        f" AND NOT {HAS_COUNTED_ITEMS} {where} GROUP BY status",
        (project_id, *values),
    )
    statuses = {status or "": NodeTotals(count, points) for status, count, points in found}
    return progress_of(day, statuses, status_groups(connection, project_id))


def progress_by_iteration(
    connection: sqlite3.Connection, project_id: int, ids: frozenset[int], day: date
) -> Mapping[int, DayProgress]:
    where, values = _place(ids)
    found = connection.execute(
        "SELECT iteration_id, status, count(*), total(points) FROM items"  # noqa: S608 # bound values
        f" WHERE project_id = ? AND is_task = 0 AND NOT {HAS_COUNTED_ITEMS} {where} GROUP BY 1, 2",
        (project_id, *values),
    )
    statuses: dict[int, dict[str, NodeTotals]] = {}
    for iteration_id, status, count, points in found:
        statuses.setdefault(iteration_id, {})[status or ""] = NodeTotals(count, points)
    groups = status_groups(connection, project_id)
    return {iteration_id: progress_of(day, each, groups) for iteration_id, each in statuses.items()}


def progress_of(day: date, statuses: Mapping[str, NodeTotals], groups: StatusGroups) -> DayProgress:
    """Return the scope (without excluded statuses and feedback) and its done part."""
    scope, done = NodeTotals(), NodeTotals()
    for status, totals in statuses.items():
        group = groups.of(status) if status else StatusGroup.EXCLUDED
        if group not in NOT_COUNTED:
            scope += totals
        if group is StatusGroup.DONE:
            done += totals
    return DayProgress(day, scope, done)


def load_by_owner(connection: sqlite3.Connection, project_id: int, ids: frozenset[int]) -> Loads:
    return _loads(connection, "owner_id", project_id, ids)


def load_by_area(connection: sqlite3.Connection, project_id: int, ids: frozenset[int]) -> Loads:
    return _loads(connection, "area_id", project_id, ids)


def _loads(connection: sqlite3.Connection, column: str, project_id: int, ids: frozenset[int]) -> Loads:
    where, values = _place(ids)
    found = connection.execute(
        f"SELECT {column}, status, is_task, count(*), total(points), total(work_remaining) FROM items"  # noqa: S608 # constants
        " WHERE project_id = ? AND is_open = 1 AND type <> 'Feedback'"
        f" AND NOT {HAS_COUNTED_ITEMS} {where} GROUP BY 1, 2, 3",
        (project_id, *values),
    )
    loads: dict[int | None, OpenWorkload] = {}
    groups = status_groups(connection, project_id)
    for key, status, is_task, count, points, hours in found:
        group = groups.of(status)
        # Work without a meaning never disappears from a report.
        group = StatusGroup.NOT_STARTED if group is StatusGroup.UNKNOWN else group
        load = _load(group, bool(is_task), NodeTotals(count, points), hours)
        loads[key] = loads.get(key, OpenWorkload("")) + load
    return loads


def _load(group: StatusGroup, is_task: bool, totals: NodeTotals, hours: float) -> OpenWorkload:
    return OpenWorkload("", hours=hours) if is_task else OpenWorkload("", {group: totals})


def named(loads: Loads, name: Callable[[int | None], str]) -> Sequence[OpenWorkload]:
    return [replace(load, name=name(key)) for key, load in loads.items()]


def sizes(connection: sqlite3.Connection, project_id: int, ids: frozenset[int]) -> Sequence[EstimateCount]:
    where, values = _place(ids)
    found = connection.execute(
        "SELECT points, trim(coalesce(estimate, '')) <> '' AS is_set, count(*) FROM items"  # noqa: S608 # bound values
        " WHERE project_id = ? AND is_open = 1 AND is_task = 0 AND type <> 'Feedback'"
        f" AND NOT {HAS_COUNTED_ITEMS} {where} GROUP BY 1, 2",
        (project_id, *values),
    )
    return [EstimateCount(points, bool(is_set), count) for points, is_set, count in found]


def begun_items(connection: sqlite3.Connection, project_id: int) -> Mapping[int, str]:
    condition, values = _begun(connection, project_id, frozenset())
    return dict(connection.execute(f"SELECT id, status FROM items WHERE {condition} AND id > 0", values))  # noqa: S608 # bound values


def under_way(
    connection: sqlite3.Connection, project_id: int, ids: frozenset[int], times: LocalTimes
) -> Sequence[ItemInProgress]:
    condition, values = _begun(connection, project_id, ids)
    found = connection.execute(
        "SELECT id, type, name, status, owner_id, coalesce(modified_at, created_at) AS changed, created_at FROM items"  # noqa: S608 # bound values
        f" WHERE {condition} ORDER BY changed LIMIT {MOST_STAYS}",
        values,
    )
    groups = status_groups(connection, project_id)
    return [
        ItemInProgress(
            item_id, item_type, name, status, groups.of(status), owner_id, *(at and times.day_of(at) for at in days)
        )
        for item_id, item_type, name, status, owner_id, *days in found
    ]


def _begun(connection: sqlite3.Connection, project_id: int, ids: frozenset[int]) -> tuple[str, tuple[object, ...]]:
    where, place = _place(ids)
    condition = f"project_id = ? AND is_open = 1 AND is_task = 0 {where}"
    known = connection.execute(f"SELECT DISTINCT status FROM items WHERE {condition}", (project_id, *place))  # noqa: S608 # bound values
    groups = status_groups(connection, project_id)
    begun = [
        status for (status,) in known if groups.of(status) in UNDER_WAY and status.strip().lower() != _FROM_THE_START
    ]
    return f"{condition} AND status IN ({', '.join('?' * len(begun))})", (project_id, *place, *begun)


def unknown_statuses(connection: sqlite3.Connection, project_id: int, ids: frozenset[int]) -> Mapping[str, int]:
    """Return the unknown statuses with the number of their items without tasks, which count as not started."""
    where, values = _place(ids)
    found = connection.execute(
        "SELECT status, count(*) FROM items"  # noqa: S608 # bound values
        f" WHERE project_id = ? AND is_open = 1 AND is_task = 0 {where} GROUP BY 1 ORDER BY 1",
        (project_id, *values),
    ).fetchall()
    groups = status_groups(connection, project_id)
    return {status: count for status, count in found if groups.of(status) is StatusGroup.UNKNOWN}


def _place(ids: frozenset[int]) -> tuple[str, tuple[str, ...]]:
    """Return the condition for the iterations and its value, empty for the whole project."""
    return ("AND iteration_id IN (SELECT value FROM json_each(?))", (ids_json(sorted(ids)),)) if ids else ("", ())
