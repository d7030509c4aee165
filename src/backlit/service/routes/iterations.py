"""Iterations and releases."""

from typing import Any

from backlit.model.fields import ValueType
from backlit.model.resources import Iteration
from backlit.service.http.endpoint import Answer, Call
from backlit.service.http.listing import list_resources
from backlit.service.routes import nodes
from backlit.service.rules.node_checks import iteration_values, must_not_end_early, new_dates
from backlit.service.storage.properties import properties_of
from backlit.service.storage.schema import iterations
from backlit.service.tables import trees

PROPERTIES = properties_of(
    projectId=ValueType.INTEGER,
    parentId=ValueType.INTEGER,
    name=ValueType.TEXT,
    path=ValueType.TEXT,
    sequence=ValueType.INTEGER,
    isRelease=ValueType.BOOLEAN,
    startDate=ValueType.DATETIME,
    endDate=ValueType.DATETIME,
    minCapacity=ValueType.NUMBER,
    maxCapacity=ValueType.NUMBER,
)


def _complete(call: Call, values: dict[str, Any]) -> dict[str, Any]:
    dates = new_dates(values, call.shared.clock.now().date())
    must_not_end_early(dates["start_date"], dates["end_date"])
    return {"is_release": values.get("is_release", False), **dates}


_KIND = nodes.Kind(iterations, Iteration, "iterations", "Iteration", "IterationID", iteration_values, _complete)


def listed(call: Call) -> Answer:
    """GET /iterations: those of all projects granted to the caller."""
    return list_resources(trees.list_iterations(call.connection, call.caller.project_ids), call.query, PROPERTIES)


def of_project(call: Call) -> Answer:
    """GET /projects/{id}/iterations."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(trees.list_iterations(call.connection, [project_id]), call.query, PROPERTIES)


def read(call: Call) -> Answer:
    """GET /iterations/{id}."""
    return nodes.read(call, _KIND)


def create(call: Call) -> Answer:
    """POST /iterations: 201 with Location; by managers."""
    return nodes.create(call, _KIND)


def update(call: Call) -> Answer:
    """PUT /iterations/{id}: the keys to change; by managers."""
    return nodes.update(call, _KIND)


def remove(call: Call) -> Answer:
    """DELETE /iterations/{id}: with its sub-tree; items go to reassignmentId, or to the root; by managers."""
    return nodes.remove(call, _KIND)
