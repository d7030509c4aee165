"""Resources that can only be read: projects with their teams and time entry types, and users."""

from backlit.model.errors import NotFound
from backlit.model.fields import ValueType
from backlit.service.http.endpoint import Answer, Call, resource_answer
from backlit.service.http.listing import list_resources
from backlit.service.storage.properties import properties_of
from backlit.service.tables import projects, users
from backlit.service.tables.projects import teams_of, time_entry_types_of

_PROJECT_PROPERTIES = properties_of(
    name=ValueType.TEXT,
    template=ValueType.TEXT,
    description=ValueType.TEXT,
    startDate=ValueType.DATETIME,
    endDate=ValueType.DATETIME,
    defaultIterationLength=ValueType.INTEGER,
)


def list_projects(call: Call) -> Answer:
    """GET /projects: those granted to the caller."""
    return list_resources(projects.listed(call.connection, call.caller.project_ids), call.query, _PROJECT_PROPERTIES)


def read_project(call: Call) -> Answer:
    """GET /projects/{id}."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    project = projects.read(call.connection, project_id)
    if project is None:
        raise NotFound(f"Project {project_id} does not exist, or you have no access to it.")
    return resource_answer(project)


_TEAM_PROPERTIES = properties_of(name=ValueType.TEXT, projectId=ValueType.INTEGER)


def list_teams(call: Call) -> Answer:
    """GET /teams: those of all projects granted to the caller."""
    return list_resources(teams_of(call.connection, call.caller.project_ids), call.query, _TEAM_PROPERTIES)


def list_teams_of_project(call: Call) -> Answer:
    """GET /projects/{id}/teams."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(teams_of(call.connection, [project_id]), call.query, _TEAM_PROPERTIES)


_TYPE_PROPERTIES = {"name": properties_of(name=ValueType.TEXT)["name"]}


def list_time_entry_types_of_project(call: Call) -> Answer:
    """GET /projects/{id}/timeentrytypes."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(time_entry_types_of(call.connection, project_id), call.query, _TYPE_PROPERTIES)


_TEXT = ValueType.TEXT
_USER_PROPERTIES = properties_of(name=_TEXT, firstName=_TEXT, lastName=_TEXT, displayName=_TEXT, email=_TEXT)


def list_users(call: Call) -> Answer:
    """GET /users: the licensed ones."""
    return list_resources(users.licensed(call.connection), call.query, _USER_PROPERTIES)


def read_me(call: Call) -> Answer:
    """GET /users/me."""
    return _user_answer(call, call.caller.id)


def read_user(call: Call) -> Answer:
    """GET /users/{id}."""
    return _user_answer(call, call.path["id"])


def _user_answer(call: Call, user_id: int) -> Answer:
    user = users.read(call.connection, user_id)
    if user is None:
        raise NotFound(f"User {user_id} does not exist.")
    return resource_answer(user)
