"""Unsent changes of nodes laid over the received areas or iterations, without I/O."""

from collections.abc import Iterable, Mapping, Sequence

from backlit.store.records.entry import BUSY, EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Document, RowSign, whole

LAST = 1000
"""The interface's example of a sequence that places a node last."""
_SIGNS = {EntryState.REFUSED: RowSign.REFUSED, EntryState.CONFLICT: RowSign.CONFLICT}


def laid_over_nodes(received: Iterable[Document], entries: Iterable[OutboxEntry]) -> list[Document]:
    """Return the nodes that the user sees. A rejected deletion shows its nodes again."""
    laid = _Laid(received)
    for entry in entries:
        if entry.kind is EntryKind.NODE_DELETE:
            if entry.state in BUSY:
                laid.delete(entry.node_id)
        elif entry.kind is EntryKind.NODE_ADD or entry.node_id in laid.nodes:
            laid.change(entry)
    return list(laid.nodes.values())


class _Laid:
    """Nodes by id and children by parent, so that an entry needs no scan of all nodes."""

    def __init__(self, received: Iterable[Document]) -> None:
        self.nodes = {whole(each.get("id")) or 0: each for each in received}
        self._children: dict[object, set[int]] = {}
        for node_id, node in self.nodes.items():
            self._children.setdefault(node.get("parentId"), set()).add(node_id)

    def delete(self, node_id: int) -> None:
        """Remove a node and its subtree."""
        for each in _below(self._children, node_id) if node_id in self.nodes else ():
            self._children[self.nodes.pop(each).get("parentId")].discard(each)

    def change(self, entry: OutboxEntry) -> None:
        """Apply an entry's values and place to a node."""
        node_id = entry.node_id
        before = self.nodes.get(node_id, {"id": node_id, "projectId": entry.project_id})
        place = place_of(entry)
        if place is None:
            self.nodes[node_id] = {**before, **values_of(entry)}
            return
        parent_id, after = place
        if self._is_within(parent_id, node_id):
            return  # someone moved the new parent below it in the meantime; the service decides
        self._children.get(before.get("parentId"), set()).discard(node_id)
        self.nodes[node_id] = {**before, **values_of(entry), "parentId": parent_id}
        level = self._children.setdefault(parent_id, set())
        siblings = [whole(each.get("id")) or 0 for each in _in_order(self.nodes[each] for each in level)]
        siblings.insert(index_after(siblings, after), node_id)
        level.add(node_id)
        for number, each in enumerate(siblings, 1):
            self.nodes[each] = {**self.nodes[each], "sequence": number}

    def _is_within(self, node_id: int, ancestor_id: int) -> bool:
        passed: set[int] = set()
        while node_id != ancestor_id:
            if node_id in passed or node_id not in self.nodes:
                return False
            passed.add(node_id)
            node_id = whole(self.nodes[node_id].get("parentId")) or 0
        return True


def siblings_of(nodes: Iterable[Document], parent_id: int, node_id: int = 0) -> list[Document]:
    """Return the nodes under a parent in order, without one of them."""
    return _in_order(each for each in nodes if each.get("parentId") == parent_id and each.get("id") != node_id)


def _in_order(nodes: Iterable[Document]) -> list[Document]:
    return sorted(nodes, key=lambda each: (whole(each.get("sequence")) or 0, whole(each.get("id")) or 0))


def index_after(siblings: Sequence[int], after: int) -> int:
    """Return the index after a sibling: first for 0, last for a missing sibling."""
    if after == 0:
        return 0
    return siblings.index(after) + 1 if after in siblings else len(siblings)


def sequence_for(siblings: Sequence[int], index: int) -> int:
    """Return the sequence that inserts a node at an index among its siblings."""
    if index == 0:
        return 0
    return max(LAST, len(siblings) + 1) if index >= len(siblings) else index + 1


def subtree(nodes: Iterable[Document], node_id: int) -> list[int]:
    """Return the ids of a node and its subtree, none for an unknown node."""
    children: dict[object, list[int]] = {}
    for each in nodes:
        children.setdefault(each.get("parentId"), []).append(whole(each.get("id")) or 0)
    return _below(children, node_id) if any(node_id in ids for ids in children.values()) else []


def _below(children: Mapping[object, Iterable[int]], node_id: int) -> list[int]:
    """Return the ids of a node and its subtree. Circles are tolerated."""
    found: dict[int, None] = {}
    waiting = [node_id]
    while waiting:
        each_id = waiting.pop()
        if each_id not in found:
            found[each_id] = None
            waiting.extend(children.get(each_id, ()))
    return list(found)


def values_of(entry: OutboxEntry) -> Mapping[str, object]:
    """Return an entry's values for a node, by the service's keys."""
    values = entry.payload.get("values")
    return values if isinstance(values, dict) else {}


def place_of(entry: OutboxEntry) -> tuple[int, int] | None:
    """Return an entry's parent and preceding sibling for a node, or None if the node does not move."""
    place = entry.payload.get("place")
    if not isinstance(place, dict):
        return None
    return whole(place.get("parentId")) or 0, whole(place.get("after")) or 0


def node_signs(entries: Iterable[OutboxEntry]) -> dict[int, RowSign]:
    """Return the gravest reason why each node differs from the service's."""
    signs: dict[int, RowSign] = {}
    for entry in entries:
        sign = _SIGNS.get(entry.state, RowSign.PENDING)
        signs[entry.node_id] = max(sign, signs.get(entry.node_id, RowSign.NONE))
    return signs
