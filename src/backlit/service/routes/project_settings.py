"""The settings that the members of a project share."""

import orjson

from backlit.service.http.endpoint import HandlerResponse, RequestContext, Routes, etag_of, must_match
from backlit.service.rules.project_settings import checked_settings, settings_document
from backlit.service.tables import project_settings, projects
from backlit.service.tables.projects import ProjectSettings

routes = Routes()


@routes("GET", "/projects/{id}/settings", "ProjectSettings", extension="settings")
def read(call: RequestContext) -> HandlerResponse:
    """GET /projects/{id}/settings: calendar, groups of statuses, and what else holds for everybody in the project."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return _answer(_document(call.settings_of(project_id)))


@routes("PUT", "/projects/{id}/settings", "ProjectSettings", extension="settings")
def update(call: RequestContext) -> HandlerResponse:
    """PUT /projects/{id}/settings: the settings to change; by managers."""
    project_id = call.path["id"]
    call.caller.must_manage(project_id, f"Project {project_id}", "settings")
    old = call.settings_of(project_id)
    must_match(call.headers, _document(old))
    values, groups = checked_settings(call.json(), old)
    project_settings.change(call.connection, old, values, groups, call.stamp)
    return _answer(_document(projects.settings(call.connection, project_id)))


def _document(settings: ProjectSettings) -> bytes:
    return orjson.dumps(settings_document(settings))


def _answer(document: bytes) -> HandlerResponse:
    return HandlerResponse(document, headers={"etag": etag_of(document)})
