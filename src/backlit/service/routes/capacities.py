"""What people can do: usually, in a project, and in one iteration."""

from typing import Any

import orjson
from sqlalchemy import RowMapping

from backlit.model.errors import Forbidden, NotFound
from backlit.model.planning import PersonalCapacity
from backlit.service.http.endpoint import HandlerResponse, RequestContext, Routes, etag_of, must_match
from backlit.service.rules.capacities import checked_capacities
from backlit.service.storage.schema import iterations
from backlit.service.tables import capacities, trees
from backlit.service.tables.capacities import Capacities

routes = Routes()


@routes("GET", "/projects/{id}/capacities", "Capacities", extension="capacities")
def read_of_project(call: RequestContext) -> HandlerResponse:
    """GET /projects/{id}/capacities: what people usually do in a sprint, and their days off."""
    project_id = call.path["id"]
    call.caller.must_see(project_id, f"Project {project_id}")
    return _answer(capacities.of_project(call.connection, project_id))


@routes("PUT", "/projects/{id}/capacities", "Capacities", extension="capacities")
def update_of_project(call: RequestContext) -> HandlerResponse:
    """PUT /projects/{id}/capacities: those of the people named; of oneself, or by managers."""
    project_id = call.path["id"]
    call.caller.must_write(project_id, f"Project {project_id}")
    must_match(call.headers, _document(capacities.of_project(call.connection, project_id)))
    capacities.change_in_project(call.connection, project_id, _sent(call, project_id), call.stamp)
    return _answer(capacities.of_project(call.connection, project_id))


@routes("GET", "/iterations/{id}/capacities", "Capacities", extension="capacities")
def read_of_iteration(call: RequestContext) -> HandlerResponse:
    """GET /iterations/{id}/capacities: what people do in this iteration, where it is not the usual."""
    row = _iteration(call)
    call.caller.must_see(row["project_id"], _named(call))
    return _answer(capacities.of_iteration(call.connection, row["id"]))


@routes("PUT", "/iterations/{id}/capacities", "Capacities", extension="capacities")
def update_of_iteration(call: RequestContext) -> HandlerResponse:
    """PUT /iterations/{id}/capacities: those of the people named; of oneself, or by managers."""
    row = _iteration(call)
    call.caller.must_write(row["project_id"], _named(call))
    must_match(call.headers, _document(capacities.of_iteration(call.connection, row["id"])))
    capacities.change_in_iteration(call.connection, row, _sent(call, row["project_id"]), call.stamp)
    return _answer(capacities.of_iteration(call.connection, row["id"]))


def _iteration(call: RequestContext) -> RowMapping:
    row = trees.row_of(call.connection, iterations, call.path["id"])
    if row is None:
        raise NotFound(f"{_named(call)} does not exist, or you have no access to it.")
    return row


def _named(call: RequestContext) -> str:
    return f"Iteration {call.path['id']}"


def _sent(call: RequestContext, project_id: int) -> dict[int, PersonalCapacity]:
    """Return the capacities of the body, all of which the caller may change."""
    found = checked_capacities(call.json(), capacities.members(call.connection, project_id))
    if not call.caller.is_manager_of(project_id) and found.keys() - {call.caller.id}:
        raise Forbidden("Only managers of the project may change the capacity of others. You may change your own.")
    return found


def _document(found: Capacities) -> bytes:
    rows: list[dict[str, Any]] = [{"userId": user_id, **capacities.described(each)} for user_id, each in found.items()]
    return orjson.dumps({"capacities": rows})


def _answer(found: Capacities) -> HandlerResponse:
    document = _document(found)
    return HandlerResponse(document, headers={"etag": etag_of(document)})
