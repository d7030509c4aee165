"""Areas and iterations: reading as models, and writes that keep a tree's order, numbers and paths."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, TypeVar

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    Table,
    Text,
    case,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)

from backlit.model.resources import Area, Iteration
from backlit.model.trees import ROOT_PARENT, Node, Tree
from backlit.service.storage.schema import audit

NodeModel = TypeVar("NodeModel", Area, Iteration)
NodeRow = RowMapping | Mapping[str, Any]


def row_of(connection: Connection, nodes: Table, node_id: int) -> RowMapping | None:
    return connection.execute(select(nodes).where(nodes.c.id == node_id)).mappings().first()


def has_node(connection: Connection, nodes: Table, node_id: int, project_id: int) -> bool:
    found = select(nodes.c.id).where(nodes.c.id == node_id, nodes.c.project_id == project_id)
    return connection.execute(found).first() is not None


def list_nodes(
    connection: Connection, nodes: Table, model: Callable[..., NodeModel], project_ids: Collection[int]
) -> list[NodeModel]:
    """List the areas or iterations of projects, each project's depth first by sequence."""
    statement = select(nodes).where(nodes.c.project_id.in_(project_ids)).order_by(nodes.c.project_id, nodes.c.id)
    by_project: dict[int, dict[int, Any]] = {}
    for row in connection.execute(statement).mappings():
        by_project.setdefault(row["project_id"], {})[row["id"]] = row
    ordered: list[NodeModel] = []
    for rows in by_project.values():
        tree = Tree(Node(r["id"], r["parent_id"], r["name"], r["sequence"]) for r in rows.values())
        ordered.extend(model(**rows[node.id]) for node in tree.walk())
    return ordered


LAST_SEQUENCE = 2**31 - 1
"""A sequence greater than any other."""


def root_id(connection: Connection, nodes: Table, project_id: int) -> int:
    found = select(nodes.c.id).where(nodes.c.project_id == project_id, nodes.c.parent_id == ROOT_PARENT)
    return int(connection.execute(found).scalar_one())


def subtree_ids(connection: Connection, nodes: Table, node: NodeRow) -> set[int]:
    return {int(node["id"]), *connection.execute(_ids_below(nodes, node)).scalars()}


def add(connection: Connection, nodes: Table, values: Mapping[str, Any], *, by: str, now: datetime) -> int:
    """Insert a node at its `sequence` among its siblings; return its id."""
    siblings = _Siblings(connection, nodes, values["project_id"], values["parent_id"])
    sequence = min(max(values["sequence"], 1), siblings.last() + 1)
    siblings.shift(sequence, LAST_SEQUENCE, 1)
    path = _path(connection, nodes, values["parent_id"], values["name"])
    row = {**values, **audit(by, now), "path": path, "sequence": sequence}
    return int(connection.execute(insert(nodes).values(row).returning(nodes.c.id)).scalar_one())


def change(
    connection: Connection, nodes: Table, node: NodeRow, values: Mapping[str, Any], *, by: str, now: datetime
) -> None:
    """Store changed values; a new `sequence` or `parent_id` moves the node, and paths below follow."""
    new = {**values, "sequence": _make_room(connection, nodes, node, values)}
    parent_id, name = values.get("parent_id", node["parent_id"]), values.get("name", node["name"])
    if (parent_id, name) != (node["parent_id"], node["name"]):
        new["path"] = _path(connection, nodes, parent_id, name)
        _rewrite_paths_below(connection, nodes, node, new["path"], by=by, now=now)
    changed = {key: value for key, value in new.items() if value != node[key]}
    if changed:
        stamp = {"last_modified_by": by, "last_modified_at": max(now, node["last_modified_at"])}
        connection.execute(update(nodes).where(nodes.c.id == node["id"]).values(changed | stamp))


def remove(connection: Connection, nodes: Table, node: NodeRow, gone: Collection[int]) -> None:
    """Delete a node with `gone`, the ids of its whole sub-tree, and close the gap among its siblings."""
    connection.execute(delete(nodes).where(nodes.c.id.in_(gone)))
    siblings = _Siblings(connection, nodes, node["project_id"], node["parent_id"])
    siblings.shift(node["sequence"] + 1, LAST_SEQUENCE, -1)


class _Siblings(Struct, frozen=True):
    """The children of one node, numbered 1 to n."""

    connection: Connection
    nodes: Table
    project_id: int
    parent_id: int

    def last(self) -> int:
        """Return the number of the last child, or 0; the index answers it without a count."""
        last = select(func.max(self.nodes.c.sequence)).where(*self._all())
        return int(self.connection.execute(last).scalar_one() or 0)

    def shift(self, first: int, last: int, difference: int) -> None:
        """Renumber a range. Stamps stay: an order is not an edit, and nobody edited these nodes."""
        sequence = self.nodes.c.sequence
        some = update(self.nodes).where(*self._all(), sequence.between(first, last))
        self.connection.execute(some.values(sequence=sequence + difference))

    def _all(self) -> tuple[ColumnElement[bool], ...]:
        return self.nodes.c.project_id == self.project_id, self.nodes.c.parent_id == self.parent_id


def _make_room(connection: Connection, nodes: Table, node: NodeRow, values: Mapping[str, Any]) -> int:
    """Shift siblings so that a node can take its wanted place; return its number there."""
    old_parent, old = node["parent_id"], node["sequence"]
    parent_id = values.get("parent_id", old_parent)
    # A root has no siblings: those of all projects have the same parent.
    if old_parent == ROOT_PARENT or (parent_id == old_parent and values.get("sequence", old) == old):
        return int(old)
    siblings = _Siblings(connection, nodes, node["project_id"], parent_id)
    if parent_id == old_parent:
        sequence = min(max(values["sequence"], 1), siblings.last())
        if sequence < old:
            siblings.shift(sequence, old - 1, 1)
        elif sequence > old:
            siblings.shift(old + 1, sequence, -1)
        return int(sequence)
    sequence = min(max(values.get("sequence", LAST_SEQUENCE), 1), siblings.last() + 1)
    _Siblings(connection, nodes, node["project_id"], old_parent).shift(old + 1, LAST_SEQUENCE, -1)
    siblings.shift(sequence, LAST_SEQUENCE, 1)
    return int(sequence)


def _path(connection: Connection, nodes: Table, parent_id: int, name: str) -> str:
    if parent_id == ROOT_PARENT:
        return name
    path = connection.execute(select(nodes.c.path).where(nodes.c.id == parent_id)).scalar_one()
    return f"{path}\\{name}"


def _rewrite_paths_below(
    connection: Connection, nodes: Table, node: NodeRow, path: str, *, by: str, now: datetime
) -> None:
    """Put a new path in front of the paths below a node, each of which counts as changed."""
    rest = func.substr(nodes.c.path, len(node["path"]) + 1)
    # SQLite and PostgreSQL have no common name for the greater of two values.
    stamp = case((nodes.c.last_modified_at > now, nodes.c.last_modified_at), else_=now)
    values = {"path": literal(path, Text()).concat(rest), "last_modified_by": by, "last_modified_at": stamp}
    connection.execute(update(nodes).where(nodes.c.id.in_(_ids_below(nodes, node))).values(values))


def _ids_below(nodes: Table, node: NodeRow) -> Select[tuple[int]]:
    """Return the statement that walks down from a node; a union without ALL ends even on a circle."""
    # With the project, the index on parents serves each step.
    of_project = nodes.c.project_id == node["project_id"]
    below = select(nodes.c.id).where(of_project, nodes.c.parent_id == node["id"]).cte("below", recursive=True)
    below = below.union(select(nodes.c.id).where(of_project, nodes.c.parent_id == below.c.id))
    return select(below.c.id)
