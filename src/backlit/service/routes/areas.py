"""Areas."""

from backlit.model.fields import ValueType
from backlit.model.resources import Area
from backlit.service.http.endpoint import Answer, Call
from backlit.service.http.listing import list_resources
from backlit.service.routes import nodes
from backlit.service.rules.node_checks import area_values
from backlit.service.storage.properties import properties_of
from backlit.service.storage.schema import areas
from backlit.service.tables import trees

PROPERTIES = properties_of(
    projectId=ValueType.INTEGER,
    parentId=ValueType.INTEGER,
    name=ValueType.TEXT,
    path=ValueType.TEXT,
    sequence=ValueType.INTEGER,
)
_KIND = nodes.Kind(areas, Area, "areas", "Area", "AreaID", area_values, lambda _call, _values: {})


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
    return nodes.read(call, _KIND)


def create(call: Call) -> Answer:
    """POST /areas: 201 with Location; by managers."""
    return nodes.create(call, _KIND)


def update(call: Call) -> Answer:
    """PUT /areas/{id}: the keys to change; by managers."""
    return nodes.update(call, _KIND)


def remove(call: Call) -> Answer:
    """DELETE /areas/{id}: with its sub-tree; items go to reassignmentId, or to the root; by managers."""
    return nodes.remove(call, _KIND)
