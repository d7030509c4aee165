"""Unsent changes laid over the received items and nodes: values, places, ranks, and objects that wait for deletion."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

import orjson

from backlit.store.mirror.schema import FEATURE, REASSIGNED
from backlit.store.records.entry import (
    BUSY,
    PLACE_COLUMNS,
    PLACE_KEYS,
    TRANSFORMS,
    EntryKind,
    EntryState,
    OutboxEntry,
)
from backlit.store.records.item import Document, RowSign, fields_in, id_in, priority_of
from backlit.store.records.work import left_in, number_in, work_after
from backlit.store.sqlite.database import SqliteTable, transaction
from backlit.store.sqlite.ids import ids_json

TOP_KEYS = ("type", "projectId")
"""The keys of an item beside its fields that a conversion or a move changes."""
_SIGNS = {EntryState.REFUSED: RowSign.REFUSED, EntryState.CONFLICT: RowSign.CONFLICT}


def laid_over(received: Document, entries: Iterable[OutboxEntry]) -> tuple[Document, RowSign]:
    """Return the item that the user sees, and the sign of its unsent changes and comments."""
    fields, top = fields_in(received), dict[str, object]()
    sign = RowSign.NONE
    for entry in entries:
        if entry.kind is EntryKind.EDIT:
            fields = {**fields, **entry.payload}
        elif entry.kind in TRANSFORMS and entry.state is not EntryState.REFUSED:
            values = entry.transformed_values
            top |= {key: values[key] for key in TOP_KEYS if key in values}
            fields = {**fields, **{key: value for key, value in values.items() if key not in TOP_KEYS}}
        elif entry.kind is EntryKind.LOG_TIME and entry.base and entry.state is not EntryState.REFUSED:
            fields = {**fields, **work_after(fields, number_in(entry.payload, "hours"), left_in(entry.payload))}
        sign = max(sign, _SIGNS.get(entry.state, RowSign.PENDING))
    return (received if sign is RowSign.NONE else {**received, **top, "fields": fields}), sign


def made_by(entry: OutboxEntry) -> Document:
    return {
        "id": entry.item_id,
        "type": entry.payload["type"],
        "projectId": entry.project_id,
        "fields": entry.payload["fields"],
    }


class HiddenItems(SqliteTable):
    """The table of hidden items, through the mirror's connection: items waiting for deletion, and their tasks."""

    def family(self, item_ids: Iterable[int], undelivered: Iterable[OutboxEntry]) -> set[int]:
        """Return some items with the tasks that are hidden or shown together with them."""
        ids = set(item_ids)
        found = self._connection.execute(
            "SELECT id FROM hidden WHERE root IN (SELECT value FROM json_each(?1))"
            " UNION SELECT id FROM items WHERE is_task = 1 AND parent_id IN (SELECT value FROM json_each(?2))",
            (ids_json(ids), ids_json(ids & _roots(undelivered))),
        )
        return ids | {item_id for (item_id,) in found}

    def every(self) -> set[int]:
        return {item_id for (item_id,) in self._connection.execute("SELECT id FROM hidden")}

    def among(self, item_ids: Iterable[int]) -> set[int]:
        sql = "SELECT id FROM hidden WHERE id IN (SELECT value FROM json_each(?))"
        return {item_id for (item_id,) in self._connection.execute(sql, (ids_json(item_ids),))}

    def below(self, item_ids: Iterable[int]) -> set[int]:
        sql = "SELECT id FROM hidden WHERE root IN (SELECT value FROM json_each(?))"
        return {item_id for (item_id,) in self._connection.execute(sql, (ids_json(item_ids),))}

    def update(self, documents: Mapping[int, Document], undelivered: Iterable[OutboxEntry]) -> set[int]:
        """Hide those items that wait for deletion and show the others. Returns the hidden ones."""
        roots = _roots(undelivered)
        parents = {each: id_in(fields_in(document), "ParentID") for each, document in documents.items()}
        known = self.among(set(parents.values()) - documents.keys())
        hidden = {
            each: each if each in roots else parent
            for each, parent in parents.items()
            if each in roots or parent in roots or parent in known
        }
        self.forget(documents.keys() - hidden.keys())
        self._connection.executemany(
            "INSERT OR REPLACE INTO hidden VALUES (?, ?, ?)",
            [(each, root, id_in(documents[each], "projectId")) for each, root in hidden.items()],
        )
        self._connection.execute("DELETE FROM items WHERE id IN (SELECT value FROM json_each(?))", (ids_json(hidden),))
        return set(hidden)

    def forget(self, item_ids: Iterable[int]) -> None:
        self._connection.execute(
            "DELETE FROM hidden WHERE id IN (SELECT value FROM json_each(?))", (ids_json(item_ids),)
        )


def _roots(undelivered: Iterable[OutboxEntry]) -> set[int]:
    return {entry.item_id for entry in undelivered if entry.kind is EntryKind.DELETE and entry.state in BUSY}


Targets = Mapping[str, Mapping[str, int]]
"""By item field and deleted node id, as text: the id of the node that takes the items."""


class ReassignedItems(SqliteTable):
    """The targets of items in nodes that wait for deletion, stored in the mirror for all processes."""

    def targets(self) -> Targets:
        found = self._connection.execute("SELECT value FROM notes WHERE key = ?", (REASSIGNED,)).fetchone()
        return orjson.loads(found[0]) if found else {}

    def update(self, undelivered: Iterable[OutboxEntry]) -> set[int]:
        """Update the targets from the journal. Returns the items whose place may have changed."""
        before, after = self.targets(), _targets(undelivered)
        if before == after:
            return set()
        if after:
            note = orjson.dumps(after).decode()
            self._connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (REASSIGNED, note))
        else:
            self._connection.execute("DELETE FROM notes WHERE key = ?", (REASSIGNED,))
        touched: set[int] = set()
        for key in {*before, *after}:
            old, new = before.get(key, {}), after.get(key, {})
            changed = {each for each in {*old, *new} if old.get(each) != new.get(each)}
            places = {int(each) for each in changed} | {old[each] for each in changed if each in old}
            touched |= self.items_in(key, places)
        return touched

    def items_in(self, key: str, places: Iterable[int]) -> set[int]:
        sql = f"SELECT id FROM items WHERE {PLACE_COLUMNS[key]} IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants
        return {item_id for (item_id,) in self._connection.execute(sql, (ids_json(places),))}


def moved(document: Document, targets: Targets) -> Document:
    if not targets:
        return document
    fields = fields_in(document)
    places = {key: places.get(str(fields.get(key))) for key, places in targets.items()}
    found = {key: place for key, place in places.items() if place is not None}
    return {**document, "fields": {**fields, **found}} if found else document


def _targets(undelivered: Iterable[OutboxEntry]) -> dict[str, dict[str, int]]:
    targets: dict[str, dict[str, int]] = {}
    for entry in undelivered:
        if entry.kind is EntryKind.NODE_DELETE and entry.state in BUSY:
            places = targets.setdefault(PLACE_KEYS[str(entry.payload["tree"])], {})
            target = id_in(entry.payload, "reassignmentId")
            gone = deleted_nodes(entry)
            for each, place in places.items():
                places[each] = target if place in gone else place
            places.update((str(each), target) for each in gone)
    return targets


def deleted_nodes(entry: OutboxEntry) -> frozenset[int]:
    below = entry.payload.get("below")
    return frozenset(each for each in below if isinstance(each, int)) if isinstance(below, list) else frozenset()


_AMONG = "item_id IN (SELECT value FROM json_each(?))"


class RankCopyTable(SqliteTable):
    """The mirror's copy of the journal's ranks. Rows get these ranks whenever they are written."""

    def of(self, item_ids: Iterable[int]) -> dict[int, float]:
        sql = f"SELECT item_id, number FROM ranks WHERE {_AMONG}"  # noqa: S608 # constant
        return dict(self._connection.execute(sql, (ids_json(item_ids),)))

    def put(self, numbers: Mapping[int, float]) -> None:
        with transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO ranks VALUES (?, ?)", numbers.items())
            self._move(numbers)

    def every(self) -> list[int]:
        return [item_id for (item_id,) in self._connection.execute("SELECT item_id FROM ranks")]

    def remove(self, item_ids: Iterable[int]) -> None:
        ids = ids_json(item_ids)
        sql = "SELECT id, coalesce(base, doc) FROM documents WHERE id IN (SELECT value FROM json_each(?))"
        with transaction(self._connection):
            self._connection.execute(f"DELETE FROM ranks WHERE {_AMONG}", (ids,))  # noqa: S608 # constant
            received = self._connection.execute(sql, (ids,)).fetchall()
            self._move({item_id: priority_of(orjson.loads(document)) for item_id, document in received})

    def _move(self, numbers: Mapping[int, float]) -> None:
        self._connection.executemany(
            "UPDATE items SET own_priority = ?1, rank_priority = ?1, rank_id = id WHERE id = ?2",
            [(number, item_id) for item_id, number in numbers.items()],
        )
        follow_parents(self._connection, numbers)


def follow_parents(
    connection: sqlite3.Connection, item_ids: Iterable[int], columns: Sequence[str] = ("id", "parent_id")
) -> None:
    """Give tasks the rank of their item, and close those of closed items. Takes the ids of items and tasks."""
    for column in columns:
        connection.execute(
            "UPDATE items SET rank_priority = parent.own_priority, rank_id = parent.id,"  # noqa: S608 # two constants
            " is_open = items.own_open AND parent.own_open FROM items AS parent"
            f" WHERE items.{column} IN (SELECT value FROM json_each(?)) AND items.is_task = 1"
            " AND parent.id = items.parent_id"
            " AND (items.rank_priority <> parent.own_priority OR items.rank_id <> parent.id"
            " OR items.is_open <> (items.own_open AND parent.own_open))",
            (ids_json(item_ids),),
        )


def follow_features(connection: sqlite3.Connection, item_ids: Iterable[int]) -> None:
    """Give written items that are no tasks the parent that the relations know."""
    connection.execute(
        f"UPDATE items SET parent_id = {FEATURE} WHERE is_task = 0 AND id IN (SELECT item_id FROM relations"  # noqa: S608 # a constant
        " WHERE type = 'Parent' AND item_id IN (SELECT value FROM json_each(?)))",
        (ids_json(item_ids),),
    )


LAST_SEQUENCE = 1000
"""The interface's example of a sequence that places a node last."""


def laid_over_nodes(received: Iterable[Document], entries: Iterable[OutboxEntry]) -> list[Document]:
    """Return the nodes that the user sees. A rejected deletion shows its nodes again."""
    laid = _ShownNodes(received)
    for entry in entries:
        if entry.kind is EntryKind.NODE_DELETE:
            if entry.state in BUSY:
                laid.delete(entry.node_id)
        elif entry.kind is EntryKind.NODE_ADD or entry.node_id in laid.nodes:
            laid.change(entry)
    return list(laid.nodes.values())


class _ShownNodes:
    """Nodes by id and children by parent, so that an entry needs no scan of all nodes."""

    def __init__(self, received: Iterable[Document]) -> None:
        self.nodes = {id_in(each): each for each in received}
        self._children: dict[object, set[int]] = {}
        for node_id, node in self.nodes.items():
            self._children.setdefault(node.get("parentId"), set()).add(node_id)

    def delete(self, node_id: int) -> None:
        for each in _below(self._children, node_id) if node_id in self.nodes else ():
            self._children[self.nodes.pop(each).get("parentId")].discard(each)

    def change(self, entry: OutboxEntry) -> None:
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
        siblings = [id_in(each) for each in _in_order(self.nodes[each] for each in level)]
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
            node_id = id_in(self.nodes[node_id], "parentId")
        return True


def siblings_of(nodes: Iterable[Document], parent_id: int, node_id: int = 0) -> list[Document]:
    return _in_order(each for each in nodes if each.get("parentId") == parent_id and each.get("id") != node_id)


def _in_order(nodes: Iterable[Document]) -> list[Document]:
    return sorted(nodes, key=lambda each: (id_in(each, "sequence"), id_in(each)))


def index_after(siblings: Sequence[int], after: int) -> int:
    """Return the index after a sibling: first for 0, last for a missing sibling."""
    if after == 0:
        return 0
    return siblings.index(after) + 1 if after in siblings else len(siblings)


def sequence_for(siblings: Sequence[int], index: int) -> int:
    if index == 0:
        return 0
    return max(LAST_SEQUENCE, len(siblings) + 1) if index >= len(siblings) else index + 1


def subtree(nodes: Iterable[Document], node_id: int) -> list[int]:
    children: dict[object, list[int]] = {}
    for each in nodes:
        children.setdefault(each.get("parentId"), []).append(id_in(each))
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
    values = entry.payload.get("values")
    return values if isinstance(values, dict) else {}


def place_of(entry: OutboxEntry) -> tuple[int, int] | None:
    """Return an entry's parent and preceding sibling for a node, or None if the node does not move."""
    place = entry.payload.get("place")
    if not isinstance(place, dict):
        return None
    return id_in(place, "parentId"), id_in(place, "after")


def node_signs(entries: Iterable[OutboxEntry]) -> dict[int, RowSign]:
    """Return the gravest reason why each node differs from the service's."""
    signs: dict[int, RowSign] = {}
    for entry in entries:
        sign = _SIGNS.get(entry.state, RowSign.PENDING)
        signs[entry.node_id] = max(sign, signs.get(entry.node_id, RowSign.NONE))
    return signs
