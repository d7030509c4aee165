"""Time entry types, which can only be read."""

from backlit.model.fields import ValueType
from backlit.service.http.endpoint import Answer, Call
from backlit.service.http.listing import list_resources
from backlit.service.storage.properties import properties_of
from backlit.service.tables.projects import time_entry_types_of

PROPERTIES = {"name": properties_of(name=ValueType.TEXT)["name"]}


def of_project(call: Call) -> Answer:
    """GET /projects/{id}/timeentrytypes."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(time_entry_types_of(call.connection, project_id), call.query, PROPERTIES)
