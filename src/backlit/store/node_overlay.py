"""Pure: the journal's changes of nodes laid over the areas or iterations that the service sent."""

from collections.abc import Iterable, Mapping, Sequence

from backlit.store.entries import BUSY, EntryKind, EntryState, OutboxEntry
from backlit.store.rows import Document, RowSign, whole

LAST = 1000
"""The sequence that SPEC 2.3 gives as an example of one that places a node last."""
_SIGNS = {EntryState.REFUSED: RowSign.REFUSED, EntryState.CONFLICT: RowSign.CONFLICT}


def laid_over_nodes(received: Iterable[Document], entries: Iterable[OutboxEntry]) -> list[Document]:
    """The nodes as the user sees them; a deletion that the service did not take shows them again."""
    nodes = {whole(each.get("id")) or 0: each for each in received}
    for entry in entries:
        if entry.kind is EntryKind.NODE_DELETE:
            if entry.state in BUSY:
                for node_id in subtree(nodes.values(), entry.node_id):
                    del nodes[node_id]
        elif entry.kind is EntryKind.NODE_ADD or entry.node_id in nodes:
            _change(nodes, entry)
    return list(nodes.values())


def _change(nodes: dict[int, Document], entry: OutboxEntry) -> None:
    before = nodes.get(entry.node_id, {"id": entry.node_id, "projectId": entry.project_id})
    node = {**before, **values_of(entry)}
    place = place_of(entry)
    if place is None:
        nodes[entry.node_id] = node
        return
    parent_id, after = place
    if parent_id in subtree(nodes.values(), entry.node_id):
        return  # somebody moved its new parent below it meanwhile; the service decides
    nodes[entry.node_id] = {**node, "parentId": parent_id}
    siblings = [whole(each.get("id")) or 0 for each in siblings_of(nodes.values(), parent_id, entry.node_id)]
    siblings.insert(index_after(siblings, after), entry.node_id)
    for number, each in enumerate(siblings, 1):
        nodes[each] = {**nodes[each], "sequence": number}


def siblings_of(nodes: Iterable[Document], parent_id: int, node_id: int = 0) -> list[Document]:
    """The nodes under a parent in order, without one."""
    found = [each for each in nodes if each.get("parentId") == parent_id and each.get("id") != node_id]
    return sorted(found, key=lambda each: (whole(each.get("sequence")) or 0, whole(each.get("id")) or 0))


def index_after(siblings: Sequence[int], after: int) -> int:
    """Where a node goes that is to come after a sibling: first for 0, last where that one is gone."""
    if after == 0:
        return 0
    return siblings.index(after) + 1 if after in siblings else len(siblings)


def sequence_for(siblings: Sequence[int], index: int) -> int:
    """The sequence that inserts a node at an index among its siblings (SPEC 2.3)."""
    if index == 0:
        return 0
    return max(LAST, len(siblings) + 1) if index >= len(siblings) else index + 1


def subtree(nodes: Iterable[Document], node_id: int) -> list[int]:
    """The ids of a node and of all below it; empty where it is not there."""
    children: dict[object, list[int]] = {}
    for each in nodes:
        children.setdefault(each.get("parentId"), []).append(whole(each.get("id")) or 0)
    found: dict[int, None] = {}
    waiting = [node_id] if any(node_id in ids for ids in children.values()) else []
    while waiting:
        each_id = waiting.pop()
        if each_id not in found:
            found[each_id] = None
            waiting.extend(children.get(each_id, ()))
    return list(found)


def values_of(entry: OutboxEntry) -> Mapping[str, object]:
    """The values that an entry gives a node, by the service's keys."""
    values = entry.payload.get("values")
    return values if isinstance(values, dict) else {}


def place_of(entry: OutboxEntry) -> tuple[int, int] | None:
    """The parent and the sibling before it that an entry gives a node; None where it stays."""
    place = entry.payload.get("place")
    if not isinstance(place, dict):
        return None
    return whole(place.get("parentId")) or 0, whole(place.get("after")) or 0


def node_signs(entries: Iterable[OutboxEntry]) -> dict[int, RowSign]:
    """The gravest reason why each node is not as the service has it."""
    signs: dict[int, RowSign] = {}
    for entry in entries:
        sign = _SIGNS.get(entry.state, RowSign.PENDING)
        signs[entry.node_id] = max(sign, signs.get(entry.node_id, RowSign.NONE))
    return signs
