"""Starts and closes of iterations: each at most once, until it is withdrawn."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select

from backlit.model.dates import write_datetime
from backlit.model.planning import EVENT_KEYS, IterationEvent
from backlit.service.storage.schema import iteration_events, iterations
from backlit.service.tables import trees
from backlit.service.tables.changes import Stamp, note
from backlit.service.tables.trees import NodeRow


class EventTime(NamedTuple):
    """The time of an event, and its revision, which tells it apart from changes of the same millisecond."""

    at: datetime
    revision: int


Events = Mapping[IterationEvent, EventTime]


def of_project(connection: Connection, project_id: int) -> Mapping[int, Events]:
    """Return the events of a project's iterations by their ids."""
    rows = select(iteration_events).join(iterations).where(iterations.c.project_id == project_id)
    found: dict[int, dict[IterationEvent, EventTime]] = {}
    for row in connection.execute(rows):
        found.setdefault(row.iteration_id, {})[IterationEvent(row.event)] = EventTime(row.at, row.revision)
    return found


def times_of(connection: Connection, iteration_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """Return the times of events as the interface has them; those of iterations without any are left out."""
    found: dict[int, dict[str, Any]] = {}
    for row in connection.execute(select(iteration_events).where(iteration_events.c.iteration_id.in_(iteration_ids))):
        found.setdefault(row.iteration_id, {})[EVENT_KEYS[IterationEvent(row.event)]] = write_datetime(row.at)
    return found


def record(connection: Connection, iteration: NodeRow, event: IterationEvent, stamp: Stamp) -> None:
    """Record an event now; one that was recorded before keeps its time."""
    if _time(connection, iteration, event) is not None:
        return
    revision = note(
        connection,
        stamp,
        trees.recorded_change(iteration, {EVENT_KEYS[event]: (None, write_datetime(stamp.at))}, stamp.at),
    )
    row = {"iteration_id": iteration["id"], "event": event.value, "at": stamp.at, "revision": revision}
    connection.execute(insert(iteration_events).values(row))


def withdraw(connection: Connection, iteration: NodeRow, event: IterationEvent, stamp: Stamp) -> None:
    at = _time(connection, iteration, event)
    if at is None:
        return
    connection.execute(delete(iteration_events).where(*_one(iteration, event)))
    note(
        connection,
        stamp,
        trees.recorded_change(iteration, {EVENT_KEYS[event]: (write_datetime(at), None)}, stamp.at),
    )


def _time(connection: Connection, iteration: NodeRow, event: IterationEvent) -> datetime | None:
    return connection.execute(select(iteration_events.c.at).where(*_one(iteration, event))).scalar()


def _one(iteration: NodeRow, event: IterationEvent) -> tuple[Any, Any]:
    return iteration_events.c.iteration_id == iteration["id"], iteration_events.c.event == event.value
