"""Areas and iterations: reading as models, and writes that keep a tree's order, numbers and paths."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import (
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

from backlit.model.resources import AUDIT_KEYS, Area, Iteration
from backlit.model.trees import ROOT_PARENT, Node, Tree
from backlit.service.storage.columns import audit
from backlit.service.storage.schema import areas, iteration_capacities, iteration_events, iterations
from backlit.service.tables.changes import (
    ChangeAct,
    ChangeCause,
    ChangeKind,
    Fields,
    RecordedChange,
    Stamp,
    created,
    differences,
    note,
    removed,
)
from backlit.service.tables.siblings import LAST_SEQUENCE, Shift, Siblings

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


def root_id(connection: Connection, nodes: Table, project_id: int) -> int:
    found = select(nodes.c.id).where(nodes.c.project_id == project_id, nodes.c.parent_id == ROOT_PARENT)
    return int(connection.execute(found).scalar_one())


def subtree_ids(connection: Connection, nodes: Table, node: NodeRow) -> set[int]:
    return {int(node["id"]), *connection.execute(_ids_below(nodes, node)).scalars()}


def add(connection: Connection, nodes: Table, values: Mapping[str, Any], stamp: Stamp) -> int:
    """Insert a node at its `sequence` among its siblings; return its id."""
    sequence, shifted = _siblings(connection, nodes, values["project_id"], values["parent_id"]).insert(
        values["sequence"]
    )
    path = _path(connection, nodes, values["parent_id"], values["name"])
    row = {**values, **audit(stamp.name, stamp.at), "path": path, "sequence": sequence}
    added = connection.execute(insert(nodes).values(row).returning(nodes)).mappings().one()
    note(connection, stamp, _creation(nodes, added, stamp), *_renumbered(nodes, shifted, stamp))
    return int(added["id"])


def add_last(
    connection: Connection, nodes: Table, parent: NodeRow, rows: Sequence[Mapping[str, Any]], stamp: Stamp
) -> list[RowMapping]:
    """Insert nodes after the last child of a node, in their order; return them. The columns of all are the same."""
    last = _siblings(connection, nodes, parent["project_id"], parent["id"]).last()
    place = {"project_id": parent["project_id"], "parent_id": parent["id"], **audit(stamp.name, stamp.at)}
    values = [
        {**row, **place, "path": f"{parent['path']}\\{row['name']}", "sequence": sequence}
        for sequence, row in enumerate(rows, last + 1)
    ]
    added = connection.execute(insert(nodes).returning(nodes, sort_by_parameter_order=True), values).mappings().all()
    note(connection, stamp, *(_creation(nodes, node, stamp) for node in added))
    return list(added)


def _creation(nodes: Table, node: NodeRow, stamp: Stamp) -> RecordedChange:
    fields = {key: value for key, value in _described(nodes, node).items() if key not in _NOT_CREATED}
    return _recorded(nodes, node, ChangeAct.CREATED, created(fields), stamp.at)


def change(connection: Connection, nodes: Table, node: NodeRow, values: Mapping[str, Any], stamp: Stamp) -> None:
    """Store changed values; a new `sequence` or `parent_id` moves the node, and paths below follow."""
    sequence, shifted = _make_room(connection, nodes, node, values)
    new, below = {**values, "sequence": sequence}, []
    parent_id, name = values.get("parent_id", node["parent_id"]), values.get("name", node["name"])
    if (parent_id, name) != (node["parent_id"], node["name"]):
        new["path"] = _path(connection, nodes, parent_id, name)
        below = _rewrite_paths_below(connection, nodes, node, new["path"], stamp)
    changed = {key: value for key, value in new.items() if value != node[key]}
    if not changed:
        return
    at = max(stamp.at, node["last_modified_at"])
    written = {"last_modified_by": stamp.name, "last_modified_at": at}
    connection.execute(update(nodes).where(nodes.c.id == node["id"]).values(changed | written))
    fields = differences(_described(nodes, node), _described(nodes, {**node, **changed}))
    note(
        connection,
        stamp,
        _recorded(nodes, node, ChangeAct.CHANGED, fields, at),
        *below,
        *(each for some in shifted for each in _renumbered(nodes, some, stamp)),
    )


def remove(connection: Connection, nodes: Table, node: NodeRow, gone: Collection[int], stamp: Stamp) -> None:
    """Delete a node with `gone`, the ids of its whole sub-tree, and close the gap among its siblings."""
    rows = connection.execute(select(nodes).where(nodes.c.id.in_(gone)).order_by(nodes.c.id)).mappings().all()
    if nodes is iterations:
        for table in (iteration_events, iteration_capacities):
            connection.execute(delete(table).where(table.c.iteration_id.in_(gone)))
    connection.execute(delete(nodes).where(nodes.c.id.in_(gone)))
    shifted = _siblings(connection, nodes, node["project_id"], node["parent_id"]).close(node["sequence"])
    removals = [
        _recorded(
            nodes,
            row,
            ChangeAct.REMOVED,
            removed(_MODELS[nodes.name](**row).wire()),
            max(stamp.at, row["last_modified_at"]),
            cause=None if row["id"] == node["id"] else ChangeCause.REMOVED_WITH_ANOTHER,
        )
        for row in sorted(rows, key=lambda row: row["id"] != node["id"])
    ]
    note(connection, stamp, *removals, *_renumbered(nodes, shifted, stamp))


_MODELS: Mapping[str, type[Area] | type[Iteration]] = {areas.name: Area, iterations.name: Iteration}
_KINDS = {areas.name: ChangeKind.AREA, iterations.name: ChangeKind.ITERATION}
_NOT_CREATED = frozenset({"id", "projectId"})


def _described(nodes: Table, node: NodeRow) -> dict[str, Any]:
    """Return the values of a node as its history names them."""
    wire = _MODELS[nodes.name](**node).wire()
    return {key: value for key, value in wire.items() if key not in AUDIT_KEYS}


def recorded_change(iteration: NodeRow, fields: Fields, at: datetime) -> RecordedChange:
    """Return a change of what belongs to an iteration, and is no part of its document."""
    return _recorded(iterations, iteration, ChangeAct.CHANGED, fields, at)


def _recorded(
    nodes: Table, node: NodeRow, act: ChangeAct, fields: Fields, at: datetime, *, cause: ChangeCause | None = None
) -> RecordedChange:
    return RecordedChange(_KINDS[nodes.name], act, node["id"], node["project_id"], fields, at, cause=cause)


def _siblings(connection: Connection, nodes: Table, project_id: int, parent_id: int) -> Siblings:
    """Return the children of one node."""
    return Siblings(connection, nodes, (nodes.c.project_id == project_id, nodes.c.parent_id == parent_id))


def _renumbered(nodes: Table, shift: Shift, stamp: Stamp) -> Iterator[RecordedChange]:
    for row, fields in shift.changes():
        yield _recorded(nodes, row, ChangeAct.CHANGED, fields, stamp.at, cause=ChangeCause.RENUMBERED)


def _make_room(
    connection: Connection, nodes: Table, node: NodeRow, values: Mapping[str, Any]
) -> tuple[int, list[Shift]]:
    """Shift siblings so that a node can take its wanted place; return its number there, and what was shifted."""
    old_parent, old = node["parent_id"], node["sequence"]
    parent_id = values.get("parent_id", old_parent)
    # A root has no siblings: those of all projects have the same parent.
    # Section 2.3 of the interface: the parent of a root cannot be changed.
    if old_parent == ROOT_PARENT or (parent_id == old_parent and values.get("sequence", old) == old):
        return int(old), []
    siblings = _siblings(connection, nodes, node["project_id"], parent_id)
    if parent_id == old_parent:
        sequence, shifted = siblings.move(old, values["sequence"])
        return sequence, [shifted]
    left = _siblings(connection, nodes, node["project_id"], old_parent).close(old)
    sequence, shifted = siblings.insert(values.get("sequence", LAST_SEQUENCE))
    return sequence, [left, shifted]


def _path(connection: Connection, nodes: Table, parent_id: int, name: str) -> str:
    if parent_id == ROOT_PARENT:
        return name
    path = connection.execute(select(nodes.c.path).where(nodes.c.id == parent_id)).scalar_one()
    return f"{path}\\{name}"


def _rewrite_paths_below(
    connection: Connection, nodes: Table, node: NodeRow, path: str, stamp: Stamp
) -> list[RecordedChange]:
    """Put a new path in front of the paths below a node, each of which counts as changed."""
    below = select(nodes.c.id, nodes.c.project_id, nodes.c.path, nodes.c.last_modified_at)
    rows = (
        connection.execute(below.where(nodes.c.id.in_(_ids_below(nodes, node))).order_by(nodes.c.id)).mappings().all()
    )
    rest = func.substr(nodes.c.path, len(node["path"]) + 1)
    # SQLite and PostgreSQL have no common name for the greater of two values.
    at = case((nodes.c.last_modified_at > stamp.at, nodes.c.last_modified_at), else_=stamp.at)
    values = {"path": literal(path, Text()).concat(rest), "last_modified_by": stamp.name, "last_modified_at": at}
    if rows:
        connection.execute(update(nodes).where(nodes.c.id.in_(_ids_below(nodes, node))).values(values))
    return [
        _recorded(
            nodes,
            row,
            ChangeAct.CHANGED,
            {"path": (row["path"], path + row["path"][len(node["path"]) :])},
            max(stamp.at, row["last_modified_at"]),
            cause=ChangeCause.ROLLED_UP,
        )
        for row in rows
    ]


def _ids_below(nodes: Table, node: NodeRow) -> Select[tuple[int]]:
    """Return the statement that walks down from a node; a union without ALL ends even on a circle."""
    # With the project, the index on parents serves each step.
    of_project = nodes.c.project_id == node["project_id"]
    below = select(nodes.c.id).where(of_project, nodes.c.parent_id == node["id"]).cte("below", recursive=True)
    below = below.union(select(nodes.c.id).where(of_project, nodes.c.parent_id == below.c.id))
    return select(below.c.id)
