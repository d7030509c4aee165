"""Undo of changes to a tree: deletion on the service, or creation under new ids."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from backlit.model.trees import ROOT_PARENT
from backlit.store.edits.checks import on_wire
from backlit.store.edits.items import edit_entry
from backlit.store.edits.nodes import deletion_of_node, kept_nodes, totals_in
from backlit.store.files.files import WriteContext
from backlit.store.mirror.overlay import laid_over_nodes, place_of, subtree, values_of
from backlit.store.records.entry import PLACE_KEYS, EntryKind, EntryState, OutboxEntry, new_entry
from backlit.store.records.item import Document, fields_in, id_in, whole
from backlit.store.records.merge import is_same
from backlit.store.undo.operations import DeleteNodeOperation, IrreversibleNodeChange, RecreateNodesOperation

Tree = Mapping[int, Document]


def opposite(entry: OutboxEntry) -> OutboxEntry:
    values = _mapping(entry.payload.get("values"))
    place, was = _mapping(entry.payload.get("place")), _mapping(entry.payload.get("was"))
    payload = {**entry.payload, "values": {key: entry.base.get(key) for key in values}}
    base = dict(values)
    if place:
        payload |= {"place": was, "was": place}
        base["parentId"] = place.get("parentId")
    return new_entry(EntryKind.NODE_EDIT, entry.project_id, payload, base=base)


class NodeReversals:
    """The reversals of node creations and deletions. Each tree is read once.

    `first` are the act's original entries: items of restored and again deleted nodes go to their original targets.
    """

    def __init__(self, writer: WriteContext, entries: Iterable[OutboxEntry], first: Iterable[OutboxEntry]) -> None:
        self._writer = writer
        self._trees: dict[tuple[int, str], Tree] = {}
        followed = writer.journal.renames.followed
        made = [each for each in entries if each.kind is EntryKind.NODE_ADD]
        self._own = {followed(each.temporary_id) for each in made}
        self._unsent = {each.temporary_id for each in made if not each.may_have_been_sent}
        deleted = [each for each in first if each.kind is EntryKind.NODE_DELETE]
        self._target = whole(deleted[0].payload.get("reassignmentId")) if deleted else None
        self._place_key = PLACE_KEYS[str(deleted[0].payload["tree"])] if deleted else ""

    def _tree(self, entry: OutboxEntry) -> Tree:
        """Return the visible nodes of the tree, without discarded ones."""
        key = entry.project_id, str(entry.payload["tree"])
        if key not in self._trees:
            received = self._writer.mirror.resources(key[1], key[0])
            nodes = laid_over_nodes(received, self._writer.journal.entries.on_nodes(*key))
            self._trees[key] = {id_in(each, "id"): each for each in nodes if id_in(each, "id") not in self._unsent}
        return self._trees[key]

    def goes_along(self, entry: OutboxEntry, key: str) -> bool:
        """Report whether an edit moved an item into a node that is deleted again. The deletion moves it back."""
        is_own = key == self._place_key and entry.payload[key] in self._own
        return is_own and entry.base.get(key) == self._target

    def unmade(self, entry: OutboxEntry) -> Iterator[DeleteNodeOperation | IrreversibleNodeChange]:
        """Delete a created node, unless it has children from other acts.

        Its items move to the parent, unless the act chose another target. Nodes below a deleted one need no
        operation of their own.
        """
        tree = self._tree(entry)
        node_id = self._writer.journal.renames.followed(entry.temporary_id)
        if node_id not in tree:
            yield IrreversibleNodeChange(entry, "it was already deleted")
        elif id_in(tree[node_id], "parentId") not in self._own:
            yield self._deleted(entry, tree, node_id)

    def _deleted(self, entry: OutboxEntry, tree: Tree, node_id: int) -> DeleteNodeOperation | IrreversibleNodeChange:
        gone = subtree(tree.values(), node_id)
        others = [str(tree[each].get("name") or "") for each in gone if each != node_id and each not in self._own]
        if others:
            more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
            return IrreversibleNodeChange(
                entry, f"“{others[0]}”{more} is below it now; delete the node in its tree instead"
            )
        target = self._target if self._target in tree and self._target not in gone else None
        target = id_in(tree[node_id], "parentId") if target is None else target
        kind, now = str(entry.payload["tree"]), on_wire(tree[node_id])
        return DeleteNodeOperation(
            deletion_of_node(self._writer, (entry.project_id, kind), tree, node_id, target),
            target=str(tree[target].get("name") or ""),
            moved=totals_in(self._writer, kind, gone),
            is_changed=any(not is_same(now.get(key), value) for key, value in values_of(entry).items()),
        )

    def restored(self, entry: OutboxEntry) -> RecreateNodesOperation | IrreversibleNodeChange:
        kept, tree = kept_nodes(entry), self._tree(entry)
        if not kept:
            return IrreversibleNodeChange(entry, "there is no copy of it; create it again")
        if id_in(kept[0], "parentId") not in tree:
            return IrreversibleNodeChange(entry, "its parent was deleted; create it again")
        target = id_in(entry.payload, "reassignmentId")
        known = [each for node in kept for each in _ids(node.get("items"))]
        there = map(self._writer.journal.renames.followed, known)
        item_ids = tuple(each for each in there if self._is_in(entry, each, target))
        return RecreateNodesOperation(entry, item_ids, len(known) - len(item_ids) + (id_in(entry.payload, "left")))

    def _is_in(self, entry: OutboxEntry, item_id: int, node_id: int) -> bool:
        document = self._writer.mirror.effective(item_id)
        key = PLACE_KEYS[str(entry.payload["tree"])]
        return document is not None and fields_in(document).get(key) == node_id


def restore_nodes(
    writer: WriteContext, moves: Iterable[RecreateNodesOperation], placed: Collection[int], step: int
) -> list[OutboxEntry]:
    """Journal the creation of deleted nodes, in the open transaction.

    Entries that named the old ones name the new ones. `placed` are items that the same act places elsewhere.
    """
    made: dict[str, dict[int, int]] = {}
    written: list[OutboxEntry] = []
    homes: dict[tuple[str, int], int] = {}
    for move in moves:
        kind = str(move.entry.payload["tree"])
        new_ids = made.setdefault(kind, {})
        for node in kept_nodes(move.entry):
            values, parent_id, after = _mapping(node.get("values")), id_in(node, "parentId"), id_in(node, "after")
            place = {"parentId": new_ids.get(parent_id, parent_id), "after": new_ids.get(after, after)}
            payload = {"tree": kind, "name": values.get("name"), "values": values, "place": place}
            (added,) = writer.journal.add([new_entry(EntryKind.NODE_ADD, move.entry.project_id, payload)], step)
            written.append(added)
            new_ids[id_in(node, "id")] = added.temporary_id
            followed = map(writer.journal.renames.followed, _ids(node.get("items")))
            homes |= {(kind, each): added.temporary_id for each in followed if each in move.item_ids}
    for kind, new_ids in made.items():
        _follow(writer, kind, new_ids)
    edits = [
        edit_entry(item_id, writer.mirror.effective(item_id) or {}, {PLACE_KEYS[kind]: home})
        for (kind, item_id), home in homes.items()
        if item_id not in placed
    ]
    return [*written, *writer.journal.add(edits, step)]


def return_nodes(writer: WriteContext, entries: Iterable[OutboxEntry], step: int) -> list[OutboxEntry]:
    made: dict[str, dict[int, int]] = {}
    written: list[OutboxEntry] = []
    for given in entries:
        kind = str(given.payload["tree"])
        new_ids = made.setdefault(kind, {})
        entry = (writer.journal.entries.find(given.id) or given).with_nodes_as(kind, new_ids)
        again = replace(entry, state=EntryState.WAITING)
        named = {*entry.needs, *(place_of(entry) or ())}
        if all(each <= entry.temporary_id or each > ROOT_PARENT for each in named):
            writer.journal.update(again)
        else:
            (again,) = writer.journal.add([replace(again, known_id=None, attempts=0, reason="")], step)
            new_ids |= {entry.temporary_id: again.temporary_id} if entry.kind is EntryKind.NODE_ADD else {}
        writer.journal.undo_log.stand_for(again.id, entry.id, step)
        written.append(again)
    for kind, new_ids in made.items():
        _follow(writer, kind, new_ids)
    return written


def _follow(writer: WriteContext, kind: str, new_ids: Mapping[int, int]) -> None:
    for text in (PLACE_KEYS[kind], f'"tree":"{kind}"') if new_ids else ():
        writer.journal.rewrite(text, lambda entry: entry.with_nodes_as(kind, new_ids))


def _ids(value: object) -> list[int]:
    return [each for each in value if isinstance(each, int)] if isinstance(value, list) else []


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
