"""Projects."""

from backlit.model.errors import NotFound
from backlit.model.fields import ValueType
from backlit.service.http.endpoint import Answer, Call, resource_answer
from backlit.service.http.listing import list_resources
from backlit.service.storage.properties import properties_of
from backlit.service.tables import projects

PROPERTIES = properties_of(
    name=ValueType.TEXT,
    template=ValueType.TEXT,
    description=ValueType.TEXT,
    startDate=ValueType.DATETIME,
    endDate=ValueType.DATETIME,
    defaultIterationLength=ValueType.INTEGER,
)


def listed(call: Call) -> Answer:
    """GET /projects: those granted to the caller."""
    return list_resources(projects.listed(call.connection, call.caller.project_ids), call.query, PROPERTIES)


def read(call: Call) -> Answer:
    """GET /projects/{id}."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    project = projects.read(call.connection, project_id)
    if project is None:
        raise NotFound(f"Project {project_id} does not exist, or you have no access to it.")
    return resource_answer(project)
