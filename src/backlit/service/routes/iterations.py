"""Iterations and releases (SPEC 4.4)."""

from backlit.model.errors import NotFound
from backlit.model.fields import ValueType
from backlit.service.endpoint import Answer, Call, resource_answer
from backlit.service.listing import list_resources
from backlit.service.properties import properties_of
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
    iteration = trees.read_iteration(call.connection, call.path["id"])
    call.caller.must_see(None if iteration is None else iteration.project_id, f"Iteration {call.path['id']}")
    if iteration is None:
        raise NotFound(f"Iteration {call.path['id']} does not exist, or you may not see it.")
    return resource_answer(iteration)
