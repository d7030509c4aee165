"""Teams, which can only be read (an extension; DECISIONS "Addresses")."""

from backlit.model.fields import ValueType
from backlit.service.endpoint import Answer, Call
from backlit.service.listing import list_resources
from backlit.service.properties import properties_of
from backlit.service.tables import teams

PROPERTIES = properties_of(name=ValueType.TEXT, projectId=ValueType.INTEGER)


def listed(call: Call) -> Answer:
    """GET /teams: those of all projects granted to the caller."""
    return list_resources(teams.listed(call.connection, call.caller.project_ids), call.query, PROPERTIES)


def of_project(call: Call) -> Answer:
    """GET /projects/{id}/teams."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(teams.listed(call.connection, [project_id]), call.query, PROPERTIES)
