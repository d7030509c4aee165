"""Capacities of people: what each usually does in a sprint of a project, and in one iteration."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select

from backlit.model.planning import PersonalCapacity
from backlit.service.storage.schema import grants, iteration_capacities, project_capacities
from backlit.service.tables import projects, trees
from backlit.service.tables.changes import Fields, Stamp, note
from backlit.service.tables.trees import NodeRow

Capacities = Mapping[int, PersonalCapacity]
"""Capacities by the ids of people."""


def of_project(connection: Connection, project_id: int) -> Capacities:
    return _read(connection, project_capacities, project_id)


def of_iteration(connection: Connection, iteration_id: int) -> Capacities:
    return _read(connection, iteration_capacities, iteration_id)


def members(connection: Connection, project_id: int) -> frozenset[int]:
    """Return the ids of the people with a role in a project."""
    return frozenset(connection.execute(select(grants.c.user_id).where(grants.c.project_id == project_id)).scalars())


def change_in_project(connection: Connection, project_id: int, new: Capacities, stamp: Stamp) -> None:
    """Replace the capacities of the people that are named; one that says nothing is removed."""
    if fields := _write(connection, project_capacities, project_id, new):
        projects.publish_settings(connection, project_id, fields, stamp)


def change_in_iteration(connection: Connection, iteration: NodeRow, new: Capacities, stamp: Stamp) -> None:
    """Replace the capacities of the people that are named; one that says nothing is removed."""
    if fields := _write(connection, iteration_capacities, iteration["id"], new):
        note(connection, stamp, trees.recorded_change(iteration, fields, stamp.at))


def described(capacity: PersonalCapacity) -> dict[str, Any]:
    """Return a capacity as the interface has it."""
    days = sorted(day.isoformat() for day in capacity.days_off)
    return {"points": capacity.points, "hours": capacity.hours, "daysOff": days}


def _read(connection: Connection, table: Table, place_id: int) -> Capacities:
    place, *_ = table.primary_key
    rows = connection.execute(select(table).where(place == place_id).order_by(table.c.user_id))
    return {
        row.user_id: PersonalCapacity(row.points, row.hours, frozenset(map(date.fromisoformat, row.days_off)))
        for row in rows
    }


def _write(connection: Connection, table: Table, place_id: int, new: Capacities) -> Fields:
    """Store what differs, and return it as the history has it."""
    place, *_ = table.primary_key
    old = _read(connection, table, place_id)
    fields: dict[str, Any] = {}
    for user_id, capacity in new.items():
        before = old.get(user_id, PersonalCapacity())
        if capacity == before:
            continue
        connection.execute(delete(table).where(place == place_id, table.c.user_id == user_id))
        if capacity.is_said:
            row = {place.name: place_id, "user_id": user_id, "points": capacity.points, "hours": capacity.hours}
            connection.execute(insert(table).values(**row, days_off=described(capacity)["daysOff"]))
        pair = (described(each) if each.is_said else None for each in (before, capacity))
        fields[f"capacities.{user_id}"] = tuple(pair)
    return fields
