"""Areas and iterations: the nodes of a project's two trees."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Generic, TypeVar

import orjson
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import RowMapping, Table

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import ValueType
from backlit.model.planning import EVENT_KEYS
from backlit.model.resources import Area, Iteration
from backlit.model.trees import ROOT_PARENT, fault_in_path
from backlit.service.http.endpoint import (
    HandlerResponse,
    RequestContext,
    Route,
    etag_of,
    json_answer,
    must_match,
    resource_answer,
)
from backlit.service.http.listing import list_resources
from backlit.service.http.options import NO_EXTRA_KEYS, ExtraKeys
from backlit.service.rules.checks import (
    area_values,
    is_id,
    iteration_values,
    must_not_cross,
    must_not_end_early,
    new_dates,
)
from backlit.service.storage.filter_sql import Properties, properties_of
from backlit.service.storage.schema import areas, iterations
from backlit.service.tables import iteration_events, projects, trees, work_items
from backlit.service.tables.siblings import LAST_SEQUENCE

NodeModel = TypeVar("NodeModel", Area, Iteration)
Values = dict[str, Any]


class TreeRoutes(Struct, Generic[NodeModel], frozen=True):
    """The routes of one tree: its table and model, its nouns in addresses and sentences, and the items' key for it.

    `check` reads a body; `complete` presets the missing values of a new node and refuses values that contradict
    each other. `{noun}` in the handlers' docstrings stands for the noun in addresses.
    """

    nodes: Table
    model: type[NodeModel]
    noun: str
    name: str
    item_key: str
    properties: Properties
    check: Callable[[Mapping[str, Any]], Values]
    complete: Callable[[RequestContext, Values, Mapping[str, Any]], Values]
    """Returns presets for the sent values of a node; checks these with its old ones, of which a new node has none."""
    extras: ExtraKeys = NO_EXTRA_KEYS

    def routes(self) -> tuple[Route, ...]:
        served = (
            ("GET", f"/{self.noun}", self.list_all),
            ("GET", f"/projects/{{id}}/{self.noun}", self.list_of_project),
            ("GET", f"/{self.noun}/{{id}}", self.read),
            ("POST", f"/{self.noun}", self.create),
            ("PUT", f"/{self.noun}/{{id}}", self.update),
            ("DELETE", f"/{self.noun}/{{id}}", self.remove),
        )
        return tuple(Route(method, path, handler, self.model) for method, path, handler in served)

    def list_all(self, call: RequestContext) -> HandlerResponse:
        """GET /{noun}: those of all projects granted to the caller."""
        return self._list(call, call.caller.project_ids)

    def list_of_project(self, call: RequestContext) -> HandlerResponse:
        """GET /projects/{id}/{noun}."""
        project_id = call.path["id"]
        call.caller.must_see(project_id, f"Project {project_id}")
        return self._list(call, [project_id])

    def _list(self, call: RequestContext, project_ids: Collection[int]) -> HandlerResponse:
        return list_resources(
            call,
            lambda connection: trees.list_nodes(connection, self.nodes, self.model, project_ids),
            self.properties,
            self.extras,
        )

    def read(self, call: RequestContext) -> HandlerResponse:
        """GET /{noun}/{id}."""
        row = self._found(call)
        call.caller.must_see(row["project_id"], self._named(call))
        extras = self.extras.of_one(call.connection, row["id"], call.query)
        return replace(_answer(self.model(**row)), extras=extras)

    def create(self, call: RequestContext) -> HandlerResponse:
        """POST /{noun}: 201 with Location; by managers."""
        body = call.json()
        project_id = _project_for_new(call, body)
        values = self._values_for_new(call, body, project_id)
        node_id = trees.add(call.connection, self.nodes, values, call.stamp)
        location = f"{call.root}/{self.noun}/{node_id}"
        return _answer(self._stored(call, node_id), 201, {"location": location})

    def update(self, call: RequestContext) -> HandlerResponse:
        """PUT /{noun}/{id}: the keys to change; by managers."""
        body = call.json()
        row = self._found_to_write(call)
        values = self.check(body)
        if "parent_id" in values:
            self._must_be_movable(call, row, values["parent_id"])
        self._must_keep_its_name(call, row, values)
        if values.get("name") != row["name"]:
            _must_fit_into_paths(values)
        self.complete(call, values, dict(row))
        trees.change(call.connection, self.nodes, dict(row), values, call.stamp)
        return _answer(self._stored(call, row["id"]))

    def remove(self, call: RequestContext) -> HandlerResponse:
        """DELETE /{noun}/{id}: with its sub-tree; items go to reassignmentId, or to the root; by managers."""
        row = self._found_to_write(call)
        if row["parent_id"] == ROOT_PARENT:
            raise BadRequest(f"The root {self.name.lower()} of a project cannot be deleted.")
        gone = trees.subtree_ids(call.connection, self.nodes, row)
        kept = _reassignment(call) or trees.root_id(call.connection, self.nodes, row["project_id"])
        if kept in gone or not trees.has_node(call.connection, self.nodes, kept, row["project_id"]):
            sentence = (
                f"reassignmentId must be the id of another {self.name.lower()} of the project that is not deleted."
            )
            raise BadRequest(sentence, {"reassignmentId": sentence})
        settings = call.settings_of(row["project_id"])
        work_items.reassign(call.connection, self.item_key, gone, kept, settings=settings, stamp=call.stamp)
        trees.remove(call.connection, self.nodes, row, gone, call.stamp)
        return json_answer({"id": row["id"]})

    def _named(self, call: RequestContext) -> str:
        return f"{self.name} {call.path['id']}"

    def _found(self, call: RequestContext) -> RowMapping:
        row = trees.row_of(call.connection, self.nodes, call.path["id"])
        if row is None:
            raise NotFound(f"{self._named(call)} does not exist, or you have no access to it.")
        return row

    def _found_to_write(self, call: RequestContext) -> RowMapping:
        """Return the node, in the version that If-Match asks for."""
        row = self._found(call)
        call.caller.must_manage(row["project_id"], self._named(call))
        must_match(call.headers, edited_node(self.model(**row)))
        return row

    def _stored(self, call: RequestContext, node_id: int) -> NodeModel:
        row = trees.row_of(call.connection, self.nodes, node_id)
        assert row is not None
        return self.model(**row)

    def _values_for_new(self, call: RequestContext, body: Mapping[str, Any], project_id: int) -> Values:
        values = self.check(body)
        errors = {} if "name" in values else {"name": "name is required."}
        if "parent_id" not in values and self.item_key == "IterationID":
            # The interface does not require it.
            values["parent_id"] = trees.root_id(call.connection, self.nodes, project_id)
        parent_id = values.get("parent_id")
        if parent_id is None or not trees.has_node(call.connection, self.nodes, parent_id, project_id):
            errors["parentId"] = f"parentId must be the id of another {self.name.lower()} of the same project."
        if errors:
            raise BadRequest(" ".join(errors.values()), errors)
        _must_fit_into_paths(values)
        return {"project_id": project_id, "sequence": LAST_SEQUENCE, **values, **self.complete(call, values, {})}

    def _must_keep_its_name(self, call: RequestContext, row: RowMapping, values: Values) -> None:
        if row["parent_id"] != ROOT_PARENT or values.get("name", row["name"]) == row["name"]:
            return
        project = projects.read(call.connection, row["project_id"])
        if project is None or values["name"] != project.name:
            sentence = f"The root {self.name.lower()} is named after its project. Rename the project instead."
            raise BadRequest(sentence, {"name": sentence})

    def _must_be_movable(self, call: RequestContext, row: RowMapping, parent_id: int) -> None:
        if parent_id == row["parent_id"]:
            return
        sentence = None
        if row["parent_id"] == ROOT_PARENT:
            sentence = f"The parentId of the root {self.name.lower()} cannot be changed."
        elif not trees.has_node(call.connection, self.nodes, parent_id, row["project_id"]):
            sentence = f"parentId must be the id of another {self.name.lower()} of the same project."
        elif parent_id in trees.subtree_ids(call.connection, self.nodes, row):
            sentence = "parentId cannot be the node itself or one below it."
        if sentence:
            raise BadRequest(sentence, {"parentId": sentence})


def edited_node(node: Area | Iteration) -> bytes:
    """Return what the ETag of a node stands for: all but its number, which siblings shift without an edit."""
    return orjson.dumps({key: value for key, value in node.wire().items() if key != "sequence"})


def _answer(node: Area | Iteration, status: int = 200, headers: Mapping[str, str] | None = None) -> HandlerResponse:
    return resource_answer(node, status, {"etag": etag_of(edited_node(node)), **(headers or {})})


def _must_fit_into_paths(values: Values) -> None:
    """Refuse a new name that reads as several nodes in a path."""
    if fault := fault_in_path(str(values.get("name", "")), "name"):
        raise BadRequest(fault, {"name": fault})


def _project_for_new(call: RequestContext, body: Mapping[str, Any]) -> int:
    project_id = body.get("projectId")
    if not is_id(project_id) or not call.caller.can_see(project_id):
        sentence = "projectId must be the id of a project that you may see."
        raise BadRequest(sentence, {"projectId": sentence})
    call.caller.must_manage(project_id, "The project")
    return project_id


def _reassignment(call: RequestContext) -> int | None:
    text = call.query.get("reassignmentId", "").strip()
    if text in {"", "0"}:
        return None
    if not (text.isascii() and text.isdigit() and is_id(int(text[:20]))):
        sentence = f"reassignmentId must be an id, not {text[:20]!r}."
        raise BadRequest(sentence, {"reassignmentId": sentence})
    return int(text[:20])


def _complete_iteration(call: RequestContext, sent: Values, old: Mapping[str, Any]) -> Values:
    values = {**old, **sent}
    dates = new_dates(values, call.shared.clock.now().date())
    must_not_end_early(dates["start_date"], dates["end_date"], sent, is_new=not old)
    if "min_capacity" in sent or "max_capacity" in sent:
        must_not_cross(values.get("min_capacity"), values.get("max_capacity"), sent)
    return {"is_release": values.get("is_release", False), **dates}


_NODE = {
    "projectId": ValueType.INTEGER,
    "parentId": ValueType.INTEGER,
    "name": ValueType.TEXT,
    "path": ValueType.TEXT,
    "sequence": ValueType.INTEGER,
}
AREAS = TreeRoutes(
    areas, Area, "areas", "Area", "AreaID", properties_of(**_NODE), area_values, lambda _call, _sent, _old: {}
)
ITERATIONS = TreeRoutes(
    iterations,
    Iteration,
    "iterations",
    "Iteration",
    "IterationID",
    properties_of(
        **_NODE,
        isRelease=ValueType.BOOLEAN,
        startDate=ValueType.DATETIME,
        endDate=ValueType.DATETIME,
        minCapacity=ValueType.NUMBER,
        maxCapacity=ValueType.NUMBER,
    ),
    iteration_values,
    _complete_iteration,
    ExtraKeys(tuple(EVENT_KEYS.values()), iteration_events.times_of),
)
routes = (*AREAS.routes(), *ITERATIONS.routes())
