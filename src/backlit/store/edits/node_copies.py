"""Copies of deleted nodes: everything that undo needs to restore a node, its subtree and its items."""

import time
from collections.abc import Collection, Mapping, Sequence

from backlit.store.edits.node_checks import VALUE_KEYS, on_wire
from backlit.store.files.files import Writer
from backlit.store.mirror.node_overlay import siblings_of, subtree
from backlit.store.records.entry import PLACE_COLUMNS, PLACE_KEYS, EntryKind, OutboxEntry
from backlit.store.records.item import Document, whole
from backlit.store.records.people import TreeKind
from backlit.store.sqlite.database import ids_json

MOST_ITEMS = 1_000
"""The most items that undo moves back into a restored node. Beyond it, the copy keeps their number only."""


def deletion_of_node(
    writer: Writer, place: tuple[int, str], documents: Mapping[int, Document], node_id: int, target: int
) -> OutboxEntry:
    """Return the entry that deletes a node and moves its items to another node. Its payload holds the copy.

    `place` is the project and the tree, `documents` the visible nodes of that tree.
    """
    project_id, kind = place
    gone = subtree(documents.values(), node_id)
    count = count_items_in(writer, kind, gone)
    items = _items_in(writer, kind, gone) if count <= MOST_ITEMS else {}
    payload = {
        "tree": kind,
        "id": node_id,
        "name": str(documents[node_id].get("name") or ""),
        "reassignmentId": target,
        "below": sorted(gone),
        "nodes": _kept(documents, gone, VALUE_KEYS[TreeKind(kind)], items),
        "left": 0 if items else count,
    }
    return OutboxEntry(0, time.time(), project_id, 0, EntryKind.NODE_DELETE, payload)


def _kept(
    documents: Mapping[int, Document], gone: Sequence[int], keys: Collection[str], items: Mapping[int, Sequence[int]]
) -> list[Document]:
    """Return the nodes of a subtree, parents first and siblings in order."""
    reached = {node_id: at for at, node_id in enumerate(gone)}
    nodes = [on_wire(documents[each]) for each in gone]
    nodes.sort(key=lambda each: (reached.get(_id(each, "parentId"), -1), _id(each, "sequence"), _id(each, "id")))
    above = _id(documents[gone[0]], "parentId")
    siblings = [_id(each, "id") for each in siblings_of(documents.values(), above)]
    at = siblings.index(gone[0])
    latest = {above: siblings[at - 1] if at else 0}
    kept: list[Document] = []
    for node in nodes:
        node_id, parent_id = _id(node, "id"), _id(node, "parentId")
        values = {key: value for key, value in node.items() if key in keys and value is not None}
        place = {"parentId": parent_id, "after": latest.get(parent_id, 0)}
        kept.append({"id": node_id, **place, "values": values, "items": list(items.get(node_id, ()))})
        latest[parent_id] = node_id
    return kept


def count_items_in(writer: Writer, kind: str, nodes: Collection[int]) -> int:
    """Count the items, tasks included, in some nodes of a tree."""
    return int(_items(writer, "count(*)", kind, nodes)[0][0])


def _items_in(writer: Writer, kind: str, nodes: Collection[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for node_id, item_id in _items(writer, f"{PLACE_COLUMNS[PLACE_KEYS[kind]]}, id", kind, nodes):
        found.setdefault(node_id, []).append(item_id)
    return found


def _items(writer: Writer, wanted: str, kind: str, nodes: Collection[int]) -> list[tuple[int, ...]]:
    sql = f"SELECT {wanted} FROM items WHERE {PLACE_COLUMNS[PLACE_KEYS[kind]]} IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants
    return writer.mirror.connection.execute(sql, (ids_json(nodes),)).fetchall()


def kept_nodes(entry: OutboxEntry) -> list[Document]:
    """Return the copies a deletion keeps, parents first. Entries of an earlier version have none."""
    nodes = entry.payload.get("nodes")
    return [each for each in nodes if isinstance(each, dict)] if isinstance(nodes, list) else []


def _id(node: Document, key: str) -> int:
    return whole(node.get(key)) or 0
