"""Areas and iterations: reading as models, and writes that keep a tree's order, numbers and paths."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, RowMapping, Table, bindparam, delete, insert, select, update

from backlit.model.resources import Area, Iteration
from backlit.model.trees import Node, Tree
from backlit.service.storage.schema import audit

NodeModel = TypeVar("NodeModel", Area, Iteration)


def row_of(connection: Connection, nodes: Table, node_id: int) -> RowMapping | None:
    """Read one area or iteration as it is stored."""
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


def tree_of(connection: Connection, nodes: Table, project_id: int) -> Tree:
    return Tree(_node(row) for row in _rows(connection, nodes, project_id))


def add(connection: Connection, nodes: Table, values: Mapping[str, Any], *, by: str, now: datetime) -> int:
    """Insert a node at its `sequence` among its siblings; return its id."""
    row = {**values, **audit(by, now), "path": "", "sequence": 0}
    node_id = int(connection.execute(insert(nodes).values(row).returning(nodes.c.id)).scalar_one())
    _arrange(connection, nodes, values["project_id"], (by, now), moved=(node_id, values["sequence"]))
    return node_id


def change(
    connection: Connection, nodes: Table, node: Mapping[str, Any], values: Mapping[str, Any], *, by: str, now: datetime
) -> None:
    """Store changed values; a new `sequence` or `parent_id` moves the node, and paths below follow."""
    own = {key: value for key, value in values.items() if key != "sequence" and value != node[key]}
    if own:
        stamp = {"last_modified_by": by, "last_modified_at": max(now, node["last_modified_at"])}
        connection.execute(update(nodes).where(nodes.c.id == node["id"]).values(own | stamp))
    place = values.get("sequence", LAST_SEQUENCE if "parent_id" in own else node["sequence"])
    _arrange(connection, nodes, node["project_id"], (by, now), moved=(node["id"], place))


def remove(
    connection: Connection, nodes: Table, project_id: int, gone: Collection[int], *, by: str, now: datetime
) -> None:
    """Delete nodes, which must be whole sub-trees, and renumber their siblings."""
    connection.execute(delete(nodes).where(nodes.c.id.in_(gone)))
    _arrange(connection, nodes, project_id, (by, now))


def _rows(connection: Connection, nodes: Table, project_id: int) -> list[Any]:
    columns = nodes.c.id, nodes.c.parent_id, nodes.c.name, nodes.c.sequence, nodes.c.path, nodes.c.last_modified_at
    return list(connection.execute(select(*columns).where(nodes.c.project_id == project_id).order_by(nodes.c.id)))


def _node(row: Any) -> Node:
    return Node(row.id, row.parent_id, row.name, row.sequence)


def _arrange(
    connection: Connection,
    nodes: Table,
    project_id: int,
    stamp: tuple[str, datetime],
    moved: tuple[int, int] | None = None,
) -> None:
    """Number all siblings 1..n and update all paths; a node with other values counts as changed.

    `moved` names a node and its wanted number, which is capped by the count of its siblings.
    """
    rows = _rows(connection, nodes, project_id)
    tree = Tree(_node(row) for row in rows)
    numbers = dict(_numbers(tree, moved))
    by, now = stamp
    changes = [
        {
            "node_id": row.id,
            "sequence": numbers[row.id],
            "path": tree.path(row.id),
            "last_modified_by": by,
            "last_modified_at": max(now, row.last_modified_at),
        }
        for row in rows
        if (row.sequence, row.path) != (numbers[row.id], tree.path(row.id))
    ]
    if changes:
        connection.execute(update(nodes).where(nodes.c.id == bindparam("node_id")), changes)


def _numbers(tree: Tree, moved: tuple[int, int] | None) -> Iterator[tuple[int, int]]:
    moved_id, place = moved or (None, 0)
    for siblings in (tree.roots, *(tree.children(node.id) for node in tree.walk())):
        ids = [node.id for node in siblings if node.id != moved_id]
        if moved_id is not None and len(ids) < len(siblings):
            ids.insert(max(place - 1, 0), moved_id)
        yield from ((node_id, number) for number, node_id in enumerate(ids, 1))
