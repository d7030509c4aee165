"""Areas and iterations: rows in, models out, in the order of their tree."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from sqlalchemy import Connection, RowMapping, Table, select

from backlit.model.resources import Area, Iteration
from backlit.model.trees import Node, Tree
from backlit.service.storage.schema import areas, iterations

NodeModel = TypeVar("NodeModel", Area, Iteration)


def row_of(connection: Connection, nodes: Table, node_id: int) -> RowMapping | None:
    """Read one area or iteration as it is stored."""
    return connection.execute(select(nodes).where(nodes.c.id == node_id)).mappings().first()


def list_areas(connection: Connection, project_ids: Collection[int]) -> list[Area]:
    """List the areas of projects, each project's depth first by sequence."""
    return _list(connection, areas, Area, project_ids)


def list_iterations(connection: Connection, project_ids: Collection[int]) -> list[Iteration]:
    """List the iterations of projects, each project's depth first by sequence."""
    return _list(connection, iterations, Iteration, project_ids)


def has_area(connection: Connection, area_id: int, project_id: int) -> bool:
    """Return True if the project has the area."""
    return _has(connection, areas, area_id, project_id)


def has_iteration(connection: Connection, iteration_id: int, project_id: int) -> bool:
    """Return True if the project has the iteration."""
    return _has(connection, iterations, iteration_id, project_id)


def _has(connection: Connection, nodes: Table, node_id: int, project_id: int) -> bool:
    found = select(nodes.c.id).where(nodes.c.id == node_id, nodes.c.project_id == project_id)
    return connection.execute(found).first() is not None


def _list(
    connection: Connection, nodes: Table, model: Callable[..., NodeModel], project_ids: Collection[int]
) -> list[NodeModel]:
    statement = select(nodes).where(nodes.c.project_id.in_(project_ids)).order_by(nodes.c.project_id, nodes.c.id)
    by_project: dict[int, dict[int, Any]] = {}
    for row in connection.execute(statement).mappings():
        by_project.setdefault(row["project_id"], {})[row["id"]] = row
    ordered: list[NodeModel] = []
    for rows in by_project.values():
        tree = Tree(Node(r["id"], r["parent_id"], r["name"], r["sequence"]) for r in rows.values())
        ordered.extend(model(**rows[node.id]) for node in tree.walk())
    return ordered
