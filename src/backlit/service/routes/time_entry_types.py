"""Time entry types, which can only be read (SPEC 4.7)."""

from backlit.model.fields import ValueType
from backlit.service.endpoint import Answer, Call
from backlit.service.listing import list_resources
from backlit.service.properties import properties_of
from backlit.service.tables import time_entry_types

PROPERTIES = {"name": properties_of(name=ValueType.TEXT)["name"]}


def of_project(call: Call) -> Answer:
    """GET /projects/{id}/timeentrytypes."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(time_entry_types.listed(call.connection, project_id), call.query, PROPERTIES)
