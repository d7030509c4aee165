"""Teams, which can only be read (an extension)."""

from backlit.model.fields import ValueType
from backlit.service.http.endpoint import Answer, Call
from backlit.service.http.listing import list_resources
from backlit.service.storage.properties import properties_of
from backlit.service.tables.projects import teams_of

PROPERTIES = properties_of(name=ValueType.TEXT, projectId=ValueType.INTEGER)


def listed(call: Call) -> Answer:
    """GET /teams: those of all projects granted to the caller."""
    return list_resources(teams_of(call.connection, call.caller.project_ids), call.query, PROPERTIES)


def of_project(call: Call) -> Answer:
    """GET /projects/{id}/teams."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(teams_of(call.connection, [project_id]), call.query, PROPERTIES)
