"""Writes of areas and iterations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import orjson
from sqlalchemy import RowMapping, Table

from backlit.model.errors import BadRequest, NotFound
from backlit.model.resources import Area, Iteration
from backlit.model.trees import ROOT_PARENT
from backlit.service.http.endpoint import Answer, Call, json_answer, resource_answer
from backlit.service.http.etags import must_match
from backlit.service.rules.work_item_checks import is_id
from backlit.service.tables import tree_changes, trees, work_items
from backlit.service.tables.tree_changes import LAST

NodeModel = TypeVar("NodeModel", Area, Iteration)
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind(Generic[NodeModel]):
    """A tree's kind: its table, its noun in addresses and in sentences, and the items' key for it.

    `check` reads a body; `complete` presets what a new node was not given and refuses what does not fit together.
    """

    nodes: Table
    model: Callable[..., NodeModel]
    noun: str
    what: str
    item_key: str
    check: Callable[[Mapping[str, Any]], Values]
    complete: Callable[[Call, Values], Values]


def read(call: Call, kind: Kind[NodeModel]) -> Answer:
    """Answer with one node."""
    row = _found(call, kind)
    call.caller.must_see(row["project_id"], _named(call, kind))
    return resource_answer(kind.model(**row))


def create(call: Call, kind: Kind[NodeModel]) -> Answer:
    """Add a node: 201 with Location."""
    body = call.json()
    project_id = _project_for_new(call, body)
    values = _values_for_new(call, kind, body, project_id)
    now = call.shared.clock.now()
    node_id = tree_changes.add(call.connection, kind.nodes, values, by=call.caller.name, now=now)
    location = f"{call.root}/{kind.noun}/{node_id}"
    return resource_answer(_stored(call, kind, node_id), 201, {"location": location})


def update(call: Call, kind: Kind[NodeModel]) -> Answer:
    """Change what the body names: 200 with the node."""
    body = call.json()
    row = _found_to_write(call, kind)
    values = kind.check(body)
    if "parent_id" in values:
        _must_be_movable(call, kind, row, values["parent_id"])
    kind.complete(call, {**row, **values})
    now = call.shared.clock.now()
    tree_changes.change(call.connection, kind.nodes, dict(row), values, by=call.caller.name, now=now)
    return resource_answer(_stored(call, kind, row["id"]))


def remove(call: Call, kind: Kind[NodeModel]) -> Answer:
    """Delete a node with its sub-tree; items anywhere in it go to reassignmentId, or to the root."""
    row = _found_to_write(call, kind)
    if row["parent_id"] == ROOT_PARENT:
        raise BadRequest(f"The root {kind.what.lower()} of a project cannot be deleted.")
    tree = tree_changes.tree_of(call.connection, kind.nodes, row["project_id"])
    gone = tree.subtree_ids(row["id"])
    kept = _reassignment(call) or tree.roots[0].id
    if kept not in tree or kept in gone:
        sentence = f"reassignmentId must be the id of another {kind.what.lower()} of the project, outside what goes."
        raise BadRequest(sentence, {"reassignmentId": sentence})
    settings = call.settings_of(row["project_id"])
    now = call.shared.clock.now()
    work_items.reassign(call.connection, kind.item_key, gone, kept, settings, by=call.caller.name, now=now)
    tree_changes.remove(call.connection, kind.nodes, row["project_id"], gone, by=call.caller.name, now=now)
    return json_answer({"id": row["id"]})


def _named(call: Call, kind: Kind[NodeModel]) -> str:
    return f"{kind.what} {call.path['id']}"


def _found(call: Call, kind: Kind[NodeModel]) -> RowMapping:
    row = trees.row_of(call.connection, kind.nodes, call.path["id"])
    if row is None:
        raise NotFound(f"{_named(call, kind)} does not exist, or you have no access to it.")
    return row


def _found_to_write(call: Call, kind: Kind[NodeModel]) -> RowMapping:
    """Return the node, in the version that If-Match asks for."""
    row = _found(call, kind)
    call.caller.must_manage(row["project_id"], _named(call, kind))
    must_match(call.headers, orjson.dumps(kind.model(**row).wire()))
    return row


def _stored(call: Call, kind: Kind[NodeModel], node_id: int) -> NodeModel:
    row = trees.row_of(call.connection, kind.nodes, node_id)
    assert row is not None
    return kind.model(**row)


def _project_for_new(call: Call, body: Mapping[str, Any]) -> int:
    project_id = body.get("projectId")
    if not is_id(project_id) or not call.caller.can_see(project_id):
        sentence = "projectId must be the id of a project that you may see."
        raise BadRequest(sentence, {"projectId": sentence})
    call.caller.must_manage(project_id, "The project")
    return project_id


def _values_for_new(call: Call, kind: Kind[NodeModel], body: Mapping[str, Any], project_id: int) -> Values:
    values = kind.check(body)
    errors = {} if "name" in values else {"name": "name is required."}
    tree = tree_changes.tree_of(call.connection, kind.nodes, project_id)
    if "parent_id" not in values and kind.item_key == "IterationID":
        values["parent_id"] = tree.roots[0].id  # the interface does not require it
    if values.get("parent_id") not in tree:
        errors["parentId"] = f"parentId must be the id of another {kind.what.lower()} of the same project."
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    values = {"sequence": LAST} | values
    return {"project_id": project_id, **values, **kind.complete(call, values)}


def _must_be_movable(call: Call, kind: Kind[NodeModel], row: RowMapping, parent_id: int) -> None:
    if parent_id == row["parent_id"]:
        return
    tree = tree_changes.tree_of(call.connection, kind.nodes, row["project_id"])
    sentence = None
    if row["parent_id"] == ROOT_PARENT:
        sentence = f"The parentId of the root {kind.what.lower()} cannot be changed."
    elif parent_id not in tree:
        sentence = f"parentId must be the id of another {kind.what.lower()} of the same project."
    elif parent_id in tree.subtree_ids(row["id"]):
        sentence = "parentId cannot be the node itself or one below it."
    if sentence:
        raise BadRequest(sentence, {"parentId": sentence})


def _reassignment(call: Call) -> int | None:
    text = call.query.get("reassignmentId", "").strip()
    if text in {"", "0"}:
        return None
    if not (text.isascii() and text.isdigit() and is_id(int(text[:20]))):
        sentence = f"reassignmentId must be an id, not {text[:20]!r}."
        raise BadRequest(sentence, {"reassignmentId": sentence})
    return int(text[:20])
