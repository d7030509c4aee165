"""Areas (SPEC 4.3)."""

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
)


def listed(call: Call) -> Answer:
    """GET /areas: those of all projects granted to the caller."""
    return list_resources(trees.list_areas(call.connection, call.caller.project_ids), call.query, PROPERTIES)


def of_project(call: Call) -> Answer:
    """GET /projects/{id}/areas."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(trees.list_areas(call.connection, [project_id]), call.query, PROPERTIES)


def read(call: Call) -> Answer:
    """GET /areas/{id}."""
    area = trees.read_area(call.connection, call.path["id"])
    call.caller.must_see(None if area is None else area.project_id, f"Area {call.path['id']}")
    if area is None:
        raise NotFound(f"Area {call.path['id']} does not exist, or you may not see it.")
    return resource_answer(area)
