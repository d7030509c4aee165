"""Resources that can only be read: projects, their teams and time entry types, users, and capabilities."""

from typing import Any

from backlit.model.errors import NotFound
from backlit.model.fields import Field, ItemType, ValueType
from backlit.model.relations import INVERSES
from backlit.model.resources import Project, Team, TimeEntryType, User
from backlit.model.version import VERSION
from backlit.service.auth.callers import ACCESS_TOKEN_LIFETIME
from backlit.service.http.endpoint import HandlerResponse, RequestContext, Routes, json_answer, resource_answer
from backlit.service.http.listing import list_resources
from backlit.service.http.options import TOP_DEFAULT, TOP_LIMIT
from backlit.service.rules.checks import TAG_LIMIT, TAGS_LIMIT, TEXT_LIMIT
from backlit.service.rules.project_settings import settings_document
from backlit.service.storage.filter_sql import properties_of
from backlit.service.tables import projects, users
from backlit.service.tables.projects import ProjectSettings, teams_of, time_entry_types_of

routes = Routes()
_PROJECT_PROPERTIES = properties_of(
    name=ValueType.TEXT,
    template=ValueType.TEXT,
    description=ValueType.TEXT,
    startDate=ValueType.DATETIME,
    endDate=ValueType.DATETIME,
    defaultIterationLength=ValueType.INTEGER,
)


@routes("GET", "/projects", Project)
def list_projects(call: RequestContext) -> HandlerResponse:
    """GET /projects: those granted to the caller."""
    here = call.caller.project_ids
    return list_resources(call, lambda connection: projects.listed(connection, here), _PROJECT_PROPERTIES)


@routes("GET", "/projects/{id}", Project)
def read_project(call: RequestContext) -> HandlerResponse:
    """GET /projects/{id}."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    project = projects.read(call.connection, project_id)
    if project is None:
        raise NotFound(f"Project {project_id} does not exist, or you have no access to it.")
    return resource_answer(project)


_TEAM_PROPERTIES = properties_of(name=ValueType.TEXT, projectId=ValueType.INTEGER)


@routes("GET", "/teams", Team, extension="teams")
def list_teams(call: RequestContext) -> HandlerResponse:
    """GET /teams: those of all projects granted to the caller."""
    here = call.caller.project_ids
    return list_resources(call, lambda connection: teams_of(connection, here), _TEAM_PROPERTIES)


@routes("GET", "/teams/{id}", Team, extension="teams")
def read_team(call: RequestContext) -> HandlerResponse:
    """GET /teams/{id}."""
    found = [team for team in teams_of(call.connection, call.caller.project_ids) if team.id == call.path["id"]]
    if not found:
        raise NotFound(f"Team {call.path['id']} does not exist, or you have no access to it.")
    return resource_answer(found[0])


@routes("GET", "/projects/{id}/teams", Team, extension="teams")
def list_teams_of_project(call: RequestContext) -> HandlerResponse:
    """GET /projects/{id}/teams."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(call, lambda connection: teams_of(connection, [project_id]), _TEAM_PROPERTIES)


_TYPE_PROPERTIES = {"name": properties_of(name=ValueType.TEXT)["name"]}


@routes("GET", "/projects/{id}/timeentrytypes", TimeEntryType)
def list_time_entry_types_of_project(call: RequestContext) -> HandlerResponse:
    """GET /projects/{id}/timeentrytypes."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(call, lambda connection: time_entry_types_of(connection, project_id), _TYPE_PROPERTIES)


_TEXT = ValueType.TEXT
_USER_PROPERTIES = properties_of(name=_TEXT, firstName=_TEXT, lastName=_TEXT, displayName=_TEXT, email=_TEXT)


@routes("GET", "/users", User)
def list_users(call: RequestContext) -> HandlerResponse:
    """GET /users: the licensed ones."""
    return list_resources(call, users.licensed, _USER_PROPERTIES)


@routes("GET", "/users/me", User)
def read_me(call: RequestContext) -> HandlerResponse:
    """GET /users/me."""
    return _user_answer(call, call.caller.id)


@routes("GET", "/users/{id}", User)
def read_user(call: RequestContext) -> HandlerResponse:
    """GET /users/{id}."""
    return _user_answer(call, call.path["id"])


def _user_answer(call: RequestContext, user_id: int) -> HandlerResponse:
    user = users.read(call.connection, user_id)
    if user is None:
        raise NotFound(f"User {user_id} does not exist.")
    return resource_answer(user)


BODY_LIMIT = 4 * 1024 * 1024
"""Bytes of a request's body."""


@routes("GET", "/capabilities", "Capabilities", extension="capabilities")
def read_capabilities(call: RequestContext) -> HandlerResponse:
    """GET /capabilities: version, limits and the settings of the projects granted to the caller."""
    return json_answer(
        {
            "name": call.shared.settings.name,
            "version": VERSION,
            "dateTimes": "UTC",
            "extensions": call.shared.extensions,
            "limits": {
                "topDefault": TOP_DEFAULT,
                "top": TOP_LIMIT,
                "body": BODY_LIMIT,
                "text": TEXT_LIMIT,
                "tag": TAG_LIMIT,
                "tags": TAGS_LIMIT,
                "upload": call.shared.settings.max_upload,
                "accessTokenLifetime": ACCESS_TOKEN_LIFETIME,
            },
            "relationTypes": [{"type": kind.value, "inverse": inverse} for kind, inverse in INVERSES.items()],
            "projects": [
                _capabilities_in(call, project_id, revision)
                for project_id, revision in projects.order_revisions(call.connection, call.caller.project_ids).items()
            ],
        }
    )


def _capabilities_in(call: RequestContext, project_id: int, order_revision: int) -> dict[str, Any]:
    settings = call.settings_of(project_id)
    return {
        "id": project_id,
        "orderRevision": order_revision,
        "role": call.caller.roles[project_id],
        "values": {item_type.value: _values(settings, item_type) for item_type in ItemType},
        **_stated(settings_document(settings)),
        "workFromTime": settings.work_from_time,
        "dueField": settings.due_field,
        "customFields": [_custom_field(field) for field in settings.custom],
        "teams": [{"id": team_id, "name": name} for team_id, name in settings.teams],
    }


def _stated(document: dict[str, Any]) -> dict[str, Any]:
    """Return the shared settings without what is left to clients."""
    groups = {status: group for status, group in document["statusGroups"].items() if group is not None}
    return {key: value for key, value in document.items() if value is not None} | {"statusGroups": groups}


def _values(settings: ProjectSettings, item_type: ItemType) -> dict[str, tuple[str, ...]]:
    lists = {f.key: settings.choices(item_type, f) for f in settings.fields_by_type[item_type]}
    return {key: choices for key, choices in lists.items() if choices}


def _custom_field(field: Field) -> dict[str, Any]:
    return {
        "key": field.key,
        "kind": field.kind,
        "types": field.types,
        "choices": field.choices,
        "default": field.default,
    }
