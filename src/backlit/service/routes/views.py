"""Views of a project's items, which their owners may share."""

from typing import Any

import orjson

from backlit.model.errors import BadRequest, Forbidden, NotFound
from backlit.model.field_values import Misfit, WrongShape, parse_boolean, parse_text
from backlit.model.fields import ValueType
from backlit.model.resources import View
from backlit.service.http.endpoint import (
    HandlerResponse,
    RequestContext,
    Routes,
    json_answer,
    must_match,
    resource_answer,
)
from backlit.service.http.listing import list_resources
from backlit.service.rules.checks import parsed_columns
from backlit.service.storage.filter_sql import properties_of
from backlit.service.tables import views

routes = Routes()

VIEW_NAME_LIMIT = 100
SPEC_LIMIT = 8 * 1024
"""Bytes of a view's specification."""
_PROPERTIES = properties_of(
    name=ValueType.TEXT, projectId=ValueType.INTEGER, ownerId=ValueType.INTEGER, isShared=ValueType.BOOLEAN
)


@routes("GET", "/projects/{id}/views", View, extension="views")
def list_of_project(call: RequestContext) -> HandlerResponse:
    """GET /projects/{id}/views: the shared ones, and the caller's own."""
    project_id, user_id = call.path["id"], call.caller.id
    call.caller.must_see(project_id, f"Project {project_id}")
    return list_resources(
        call,
        lambda connection: views.visible(connection, project_id, user_id),
        _PROPERTIES,
        unsearched=("spec",),
    )


@routes("POST", "/projects/{id}/views", View, extension="views")
def create(call: RequestContext) -> HandlerResponse:
    """POST /projects/{id}/views: a view of the caller's own; 201 with Location."""
    project_id = call.path["id"]
    call.caller.must_write(project_id, f"Project {project_id}")
    values = parsed_columns(call.json(), _PARSERS)
    if missing := [key for key in ("name", "spec") if key not in values]:
        errors = {key: f"{key} is required." for key in missing}
        raise BadRequest(" ".join(errors.values()), errors)
    added = {"project_id": project_id, "owner_id": call.caller.id, **values}
    view = views.add(call.connection, added, call.stamp)
    return resource_answer(view, 201, {"location": f"{call.root}/views/{view.id}"})


@routes("GET", "/views/{id}", View, extension="views")
def read(call: RequestContext) -> HandlerResponse:
    """GET /views/{id}."""
    return resource_answer(_found(call))


@routes("PUT", "/views/{id}", View, extension="views")
def update(call: RequestContext) -> HandlerResponse:
    """PUT /views/{id}: the keys to change; by its owner or a manager of the project."""
    view = _found_to_write(call)
    return resource_answer(views.change(call.connection, view, parsed_columns(call.json(), _PARSERS), call.stamp))


@routes("DELETE", "/views/{id}", View, extension="views")
def remove(call: RequestContext) -> HandlerResponse:
    """DELETE /views/{id}: by its owner or a manager of the project."""
    view = _found_to_write(call)
    views.remove(call.connection, view, call.stamp)
    return json_answer({"id": view.id})


def _found(call: RequestContext) -> View:
    """Return a shared view, or one of the caller's own."""
    view, name = views.read(call.connection, call.path["id"]), f"View {call.path['id']}"
    is_hidden = view is None or not (view.is_shared or view.owner_id == call.caller.id)
    call.caller.must_see(None if is_hidden or view is None else view.project_id, name)
    if view is None:
        raise NotFound(f"{name} does not exist, or you have no access to it.")
    return view


def _found_to_write(call: RequestContext) -> View:
    view = _found(call)
    call.caller.must_write(view.project_id, f"View {view.id}")
    if view.owner_id != call.caller.id and not call.caller.is_manager_of(view.project_id):
        raise Forbidden("Only its owner and managers of the project may change a view. Save one of your own.")
    must_match(call.headers, orjson.dumps(view.wire()))
    return view


def _name(value: object) -> str:
    return parse_text(value, VIEW_NAME_LIMIT, may_be_empty=False).strip()


def _spec(value: object) -> dict[str, Any]:
    """Check the shape alone: a client says itself what it does not know in a view of another version."""
    if not isinstance(value, dict):
        raise WrongShape("an object")
    try:
        text = orjson.dumps(value)
    except TypeError:
        raise Misfit("is nested too deeply.") from None
    if len(text) > SPEC_LIMIT:
        raise Misfit(f"may have {SPEC_LIMIT:,} bytes; this has {len(text):,}. Shorten its query.")
    if rb"\u0000" in text:
        raise Misfit("may not contain NUL characters.")
    return value


_PARSERS = {"name": ("name", _name), "spec": ("spec", _spec), "isShared": ("is_shared", parse_boolean)}
