"""What was made or deleted of a tree, taken back: deleted through the service, or made again under new ids."""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from backlit.model.trees import ROOT_PARENT
from backlit.store.edits import edit_entry
from backlit.store.entries import PLACE_KEYS, EntryKind, EntryState, OutboxEntry, with_nodes_as
from backlit.store.files import Writer
from backlit.store.moves_back import DeleteNode, Final, RestoreNode
from backlit.store.node_checks import on_wire
from backlit.store.node_copies import count_items_in, deletion_of_node, kept_nodes
from backlit.store.node_overlay import laid_over_nodes, place_of, subtree, values_of
from backlit.store.rows import Document, fields_in, whole
from backlit.store.values import is_same

Tree = Mapping[int, Document]


def opposite(entry: OutboxEntry) -> OutboxEntry:
    """The entry that changes a node back to what it was before another."""
    values = _mapping(entry.payload.get("values"))
    place, was = _mapping(entry.payload.get("place")), _mapping(entry.payload.get("was"))
    payload = {**entry.payload, "values": {key: entry.base.get(key) for key in values}}
    base = dict(values)
    if place:
        payload |= {"place": was, "was": place}
        base["parentId"] = place.get("parentId")
    made = OutboxEntry(0, time.time(), entry.project_id, 0, EntryKind.NODE_EDIT, payload)
    return replace(made, base=base)


class NodeReversals:
    """Finds what takes back the making and the deleting of nodes by the entries of an act; a tree is read once.

    `first` are the entries by which the act was done: where they deleted, what was made again has its items go there.
    """

    def __init__(self, writer: Writer, entries: Iterable[OutboxEntry], first: Iterable[OutboxEntry]) -> None:
        self._writer = writer
        self._trees: dict[tuple[int, str], Tree] = {}
        followed = writer.journal.renames.followed
        made = [each for each in entries if each.kind is EntryKind.NODE_ADD]
        self._own = {followed(each.temporary_id) for each in made}
        self._unsent = {each.temporary_id for each in made if not each.has_left}
        deleted = [each for each in first if each.kind is EntryKind.NODE_DELETE]
        self._target = whole(deleted[0].payload.get("reassignmentId")) if deleted else None
        self._place_key = PLACE_KEYS[str(deleted[0].payload["tree"])] if deleted else ""

    def _tree(self, entry: OutboxEntry) -> Tree:
        """The nodes around one as they are shown, without those that are given up."""
        key = entry.project_id, str(entry.payload["tree"])
        if key not in self._trees:
            received = self._writer.mirror.nouns(key[1], key[0])
            nodes = laid_over_nodes(received, self._writer.journal.on_nodes(*key))
            self._trees[key] = {_id(each, "id"): each for each in nodes if _id(each, "id") not in self._unsent}
        return self._trees[key]

    def goes_along(self, entry: OutboxEntry, key: str) -> bool:
        """Whether an edit put an item into what is deleted again, and its deletion puts it back."""
        is_own = key == self._place_key and entry.payload[key] in self._own
        return is_own and entry.base.get(key) == self._target

    def unmade(self, entry: OutboxEntry) -> Iterator[DeleteNode | Final]:
        """Delete what an entry has made, with nothing below it but what the same act has made.

        Its items go to the node above it, unless the act said otherwise; what goes with that one needs nothing more.
        """
        tree = self._tree(entry)
        node_id = self._writer.journal.renames.followed(entry.temporary_id)
        if node_id not in tree:
            yield Final(entry, "it is no longer there")
        elif _id(tree[node_id], "parentId") not in self._own:
            yield self._deleted(entry, tree, node_id)

    def _deleted(self, entry: OutboxEntry, tree: Tree, node_id: int) -> DeleteNode | Final:
        gone = subtree(tree.values(), node_id)
        others = [str(tree[each].get("name") or "") for each in gone if each != node_id and each not in self._own]
        if others:
            more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
            return Final(entry, f"“{others[0]}”{more} lies below it by now; delete it in its tree if that is to go too")
        target = self._target if self._target in tree and self._target not in gone else None
        target = _id(tree[node_id], "parentId") if target is None else target
        kind, now = str(entry.payload["tree"]), on_wire(tree[node_id])
        return DeleteNode(
            deletion_of_node(self._writer, (entry.project_id, kind), tree, node_id, target),
            target=str(tree[target].get("name") or ""),
            items=count_items_in(self._writer, kind, gone),
            is_changed=any(not is_same(now.get(key), value) for key, value in values_of(entry).items()),
        )

    def restored(self, entry: OutboxEntry) -> RestoreNode | Final:
        """Make again what an entry has deleted."""
        kept, tree = kept_nodes(entry), self._tree(entry)
        if not kept:
            return Final(entry, "the service has done it, and what was deleted was not kept; make it anew")
        if _id(kept[0], "parentId") not in tree:
            return Final(entry, "what it lay below is no longer there; make it anew")
        target = whole(entry.payload.get("reassignmentId")) or 0
        known = [each for node in kept for each in _ids(node.get("items"))]
        there = map(self._writer.journal.renames.followed, known)
        item_ids = tuple(each for each in there if self._is_in(entry, each, target))
        return RestoreNode(entry, item_ids, len(known) - len(item_ids) + (whole(entry.payload.get("left")) or 0))

    def _is_in(self, entry: OutboxEntry, item_id: int, node_id: int) -> bool:
        document = self._writer.mirror.effective(item_id)
        key = PLACE_KEYS[str(entry.payload["tree"])]
        return document is not None and fields_in(document).get(key) == node_id


def restore_nodes(
    writer: Writer, moves: Iterable[RestoreNode], placed: Collection[int], step: int
) -> list[OutboxEntry]:
    """Journal what makes deleted nodes again, in the transaction that is open; what named them names the new ones.

    `placed` are items that the same act puts somewhere by itself.
    """
    made: dict[str, dict[int, int]] = {}
    written: list[OutboxEntry] = []
    homes: dict[tuple[str, int], int] = {}
    for move in moves:
        kind = str(move.entry.payload["tree"])
        new_ids = made.setdefault(kind, {})
        for node in kept_nodes(move.entry):
            values, parent_id, after = _mapping(node.get("values")), _id(node, "parentId"), _id(node, "after")
            place = {"parentId": new_ids.get(parent_id, parent_id), "after": new_ids.get(after, after)}
            payload = {"tree": kind, "name": values.get("name"), "values": values, "place": place}
            entry = OutboxEntry(0, time.time(), move.entry.project_id, 0, EntryKind.NODE_ADD, payload)
            (added,) = writer.journal.add([entry], step)
            written.append(added)
            new_ids[_id(node, "id")] = added.temporary_id
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


def return_nodes(writer: Writer, entries: Iterable[OutboxEntry], step: int) -> list[OutboxEntry]:
    """Take up entries on nodes again, behind those that make what they name."""
    made: dict[str, dict[int, int]] = {}
    written: list[OutboxEntry] = []
    for given in entries:
        kind = str(given.payload["tree"])
        new_ids = made.setdefault(kind, {})
        entry = with_nodes_as(writer.journal.entry(given.id) or given, kind, new_ids)
        again = replace(entry, state=EntryState.WAITING)
        named = {*entry.needs, *(place_of(entry) or ())}
        if all(each <= entry.temporary_id or each > ROOT_PARENT for each in named):
            writer.journal.update(again)
        else:
            (again,) = writer.journal.add([replace(again, known_id=None, attempts=0, reason="")], step)
            new_ids |= {entry.temporary_id: again.temporary_id} if entry.kind is EntryKind.NODE_ADD else {}
        writer.journal.steps.stand_for(again.id, entry.id, step)
        written.append(again)
    for kind, new_ids in made.items():
        _follow(writer, kind, new_ids)
    return written


def _follow(writer: Writer, kind: str, new_ids: Mapping[int, int]) -> None:
    """Have nodes of a tree that are made again go on under other ids, in what waits and in what may be taken back."""
    for text in (PLACE_KEYS[kind], f'"tree":"{kind}"') if new_ids else ():
        writer.journal.rewrite(text, lambda entry: with_nodes_as(entry, kind, new_ids))


def _id(node: Document, key: str) -> int:
    return whole(node.get(key)) or 0


def _ids(value: object) -> list[int]:
    return [each for each in value if isinstance(each, int)] if isinstance(value, list) else []


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
