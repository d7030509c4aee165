"""Areas and iterations sent to the service, one at a time for each tree. A write reads the siblings again."""

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import listed
from backlit.model.errors import ServiceError, ServiceRefused, TransientError, Unavailable
from backlit.model.planning import EVENT_KEYS, IterationEvent
from backlit.store.edits.checks import fault_of_range, on_wire
from backlit.store.edits.items import update_overlay
from backlit.store.edits.nodes import DATES, item_key, show_trees
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.mirror.mirror import Mirror, tree_writes
from backlit.store.mirror.overlay import (
    deleted_nodes,
    index_after,
    laid_over_nodes,
    place_of,
    sequence_for,
    siblings_of,
    subtree,
    values_of,
)
from backlit.store.outbox.sending import EditSending, was_discarded
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import EntryKind, OutboxEntry
from backlit.store.records.item import Document, id_in, whole
from backlit.store.records.merge import MergeResult, is_same, merge
from backlit.store.records.people import ITERATION_EVENTS, TreeKind
from backlit.store.remote.listing import read_all
from backlit.store.remote.reachability import RetryPauses
from backlit.store.sqlite.database import transaction
from backlit.store.sqlite.ids import ids_json

if TYPE_CHECKING:
    from backlit.client.client import Client, NodeEndpoint, ResourceEndpoint


FRESH = 0.5
"""Seconds for which a read level stays valid."""


MOST_PARENTS = 20
"""The most parents to filter by. The tree is read whole for more."""


class ReceivedNodes(Struct, frozen=True):
    """Nodes on the service at present: the whole tree, or the children of some parents."""

    nodes: Sequence[Document]
    is_whole: bool

    def ids(self) -> set[int]:
        return {id_in(each) for each in self.nodes}


class NodeLevels:
    """Reader of a node's surroundings and of new nodes, with a memory of a service that does not filter nodes.

    The interface leaves $filter open, so a response is trusted only if it holds exactly the known nodes. Otherwise
    the whole tree is read.
    """

    def __init__(self, client: "Client", files: LocalDatabase) -> None:
        self._client = client
        self._files = files
        self._filters = True
        self._latest: dict[tuple[int, object, int], tuple[float, ReceivedNodes]] = {}

    def resource(self, entry: OutboxEntry) -> "NodeEndpoint":
        return self._client.areas if entry.payload["tree"] == TreeKind.AREAS.value else self._client.iterations

    async def read(self, entry: OutboxEntry) -> ReceivedNodes:
        return ReceivedNodes(await read_all(self.resource(entry).of_project(entry.project_id)), is_whole=True)

    async def below(self, entry: OutboxEntry, parent_id: int, own: Iterable[int] = ()) -> ReceivedNodes:
        """Read the children of a node. `own` are nodes that the entry may have moved or created there."""
        kind, mine = str(entry.payload["tree"]), {entry.node_id, *own}

        def expected(writer: WriteContext) -> set[int]:
            return known_below(writer.mirror, kind, entry.project_id, [parent_id]) - mine

        level = await self._narrow(entry, [parent_id])
        if not level.is_whole and level.ids() - mine != await self._files.write(expected):
            level = await self.read(entry)
        self.remember(entry, parent_id, level)
        return level

    def remember(self, entry: OutboxEntry, parent_id: int, level: ReceivedNodes) -> None:
        self._latest[entry.project_id, entry.payload["tree"], parent_id] = time.monotonic(), level

    def forget(self, entry: OutboxEntry) -> None:
        """Drop the levels of the entry's tree: its write took a node from one of them."""
        project_id, kind = entry.project_id, entry.payload["tree"]
        self._latest = {key: level for key, level in self._latest.items() if key[:2] != (project_id, kind)}

    async def lately_below(self, entry: OutboxEntry, parent_id: int) -> ReceivedNodes:
        """Return the children of a node as of the last write, if that is recent, else read them."""
        key = entry.project_id, entry.payload["tree"], parent_id
        read_at, level = self._latest.pop(key, (0.0, None))
        is_fresh = level is not None and time.monotonic() - read_at < FRESH
        return level if level is not None and is_fresh else await self.below(entry, parent_id)

    async def around(self, entry: OutboxEntry, node_ids: Sequence[int]) -> ReceivedNodes:
        """Read some nodes with their children. Reads the whole tree if unknown children turn up."""
        if len(node_ids) <= MOST_PARENTS:
            level = await self._narrow(entry, node_ids, with_own=entry.node_id)
            if not level.is_whole and level.ids() == set(node_ids):
                return level
        return await self.read(entry)

    async def largest_id(self, entry: OutboxEntry) -> int:
        level = await self.lately_below(entry, _parent_id(entry))
        self.remember(entry, _parent_id(entry), level)
        kind, project_id = str(entry.payload["tree"]), entry.project_id
        known = await self._files.write(lambda writer: largest_known(writer.mirror, kind, project_id))
        return max({known, *level.ids()})

    async def find(self, entry: OutboxEntry, known_id: int) -> Document | None:
        level = await self.read(entry)
        self.remember(entry, _parent_id(entry), level)
        taken = await self._files.write(lambda writer: writer.journal.entries.made_ids(EntryKind.NODE_ADD))
        alike = [
            each
            for each in level.nodes
            if id_in(each) > known_id
            and each.get("id") not in taken
            and each.get("parentId") == _parent_id(entry)
            and each.get("name") == values_of(entry).get("name")
        ]
        return min(alike, key=id_in, default=None)

    async def _narrow(
        self, entry: OutboxEntry, parent_ids: Sequence[int], with_own: int | None = None
    ) -> ReceivedNodes:
        """Read the children of some nodes by a filter, or everything from a service that ignores it."""
        if not self._filters:
            return await self.read(entry)
        parts = [f"parentId eq {each}" for each in parent_ids] + [f"id eq {with_own}"] * (with_own is not None)
        try:
            found = await read_all(self.resource(entry).of_project(entry.project_id), " or ".join(parts))
        except Unavailable:
            raise
        except (ServiceRefused, ServiceError):
            self._filters = False
            return await self.read(entry)
        asked = {*parent_ids}
        self._filters = all(each.get("parentId") in asked or each.get("id") == with_own is not None for each in found)
        return ReceivedNodes(found, is_whole=not self._filters)


def known_below(mirror: Mirror, kind: str, project_id: int, parent_ids: Iterable[int]) -> set[int]:
    sql = (
        "SELECT id FROM resources WHERE kind = ? AND project_id = ?"
        " AND json_extract(doc, '$.parentId') IN (SELECT value FROM json_each(?))"
    )
    return {node_id for (node_id,) in mirror.connection.execute(sql, (kind, project_id, ids_json(parent_ids)))}


def largest_known(mirror: Mirror, kind: str, project_id: int) -> int:
    sql = "SELECT coalesce(max(id), 0) FROM resources WHERE kind = ? AND project_id = ?"
    return int(mirror.connection.execute(sql, (kind, project_id)).fetchone()[0])


def put_level(mirror: Mirror, kind: str, project_id: int, level: ReceivedNodes, written: Document | None) -> None:
    if level.is_whole:
        mirror.put_resources(kind, project_id, level.nodes)
        return
    with transaction(mirror.connection):
        for each in (*([] if written is None else [written]), *level.nodes):
            mirror.put_resource(kind, project_id, each)


LABELS = {
    "name": "the name",
    "startDate": "the start",
    "endDate": "the end",
    "minCapacity": "the min capacity",
    "maxCapacity": "the max capacity",
    "isRelease": "the release flag",
    "parentId": "its place",
    EVENT_KEYS[IterationEvent.START]: "the start of its work",
    EVENT_KEYS[IterationEvent.CLOSE]: "its close",
}


class NodeSending(EditSending):
    """Sender of NODE entries."""

    noun = "node"

    def __init__(
        self,
        client: "Client",
        files: LocalDatabase,
        waits: RetryPauses,
        may_have_been_sent: set[int],
        levels: NodeLevels,
    ) -> None:
        super().__init__(client, files, waits, may_have_been_sent, levels)
        self._levels = levels

    async def send(self, entry: OutboxEntry) -> bool:
        if entry.event is None:
            return await super().send(entry)
        await self._send_event(entry, entry.event)
        return True

    async def _send_event(self, entry: OutboxEntry, event: IterationEvent) -> None:
        """Record or withdraw an event. Both may be repeated: what is so already stays so."""
        iterations, is_recorded = self._client.iterations, values_of(entry).get(EVENT_KEYS[event]) is not None
        self._may_have_been_sent.add(entry.id)
        act = iterations.record if is_recorded else iterations.withdraw
        answer = await act(entry.node_id, event.value, entry.note)
        times = {"id": entry.node_id, **{key: answer.get(key) for key in EVENT_KEYS.values()}}

        def store(writer: WriteContext) -> None:
            with self._files.trees:
                _count_write(writer, entry.project_id)
                writer.mirror.put_resource(ITERATION_EVENTS, entry.project_id, times)
                if not was_discarded(writer, entry):
                    writer.journal.deliver(entry)
                show_trees(writer)

        await self._files.write(store)

    def _resource(self, entry: OutboxEntry) -> "ResourceEndpoint":
        return self._levels.resource(entry)

    def _object_id(self, entry: OutboxEntry) -> int:
        return entry.node_id

    def _is_object(self, entry: OutboxEntry, document: Document) -> bool:
        return document.get("id") == entry.node_id

    def _values(self, document: Document) -> Mapping[str, object]:
        return on_wire(document)

    def _label(self, key: str) -> str:
        return LABELS.get(key, key)

    async def _compare(self, entry: OutboxEntry, theirs: Mapping[str, object]) -> tuple[OutboxEntry, MergeResult]:
        """Merge the values and the parent. Values that contradict a newer date or capacity are a conflict."""
        place = place_of(entry)
        wanted = {**values_of(entry), **({} if place is None else {"parentId": place[0]})}
        touched = {key: value for key, value in wanted.items() if not is_same(value, entry.base.get(key))}
        merged = merge(entry.base, touched, theirs)  # one of the two dates may be unchanged
        return entry, merged if merged.conflicts else replace(merged, conflicts=_unfit(merged.changes, theirs))

    async def _edit_body(
        self, entry: OutboxEntry, changes: Mapping[str, object], theirs: Mapping[str, object]
    ) -> Mapping[str, object]:
        """Return both dates if one changes, and the place by current sequences."""
        body = dict(changes)
        if body.keys() & set(DATES):
            body |= {key: {**theirs, **changes}.get(key) for key in DATES}
        place = place_of(entry)
        if place is not None:
            level = await self._levels.lately_below(entry, place[0])
            _, body["sequence"] = _place(entry, level.nodes)
        return body

    async def _new_body(self, entry: OutboxEntry) -> Mapping[str, object]:
        level = await self._levels.lately_below(entry, _parent_id(entry))
        parent_id, sequence = _place(entry, level.nodes)
        return {"projectId": entry.project_id, "parentId": parent_id, "sequence": sequence, **values_of(entry)}

    def is_made(self, _entry: OutboxEntry, made: Document) -> bool:
        return id_in(made) > 0

    async def _remove(self, entry: OutboxEntry) -> bool:
        """Delete a node with an unchanged subtree. The request always names the target of the items."""
        level = await self._levels.around(entry, sorted(deleted_nodes(entry)))
        now = subtree(level.nodes, entry.node_id)
        names = {each.get("id"): str(each.get("name") or "") for each in level.nodes}
        unseen = [names[each] for each in now if each not in deleted_nodes(entry)]
        if unseen:
            await self._contest(entry, {}, {}, f"Someone added {listed(unseen)} below it in the meantime.")
            return False
        if now:
            self._may_have_been_sent.add(entry.id)
            target = whole(entry.payload.get("reassignmentId"))
            await self._levels.resource(entry).delete(entry.node_id, target, note=entry.note)
        return True

    async def _deliver(self, entry: OutboxEntry, document: Document) -> None:
        """Store the service's current level too, because a write renumbers the siblings."""
        place = place_of(entry)
        level: ReceivedNodes | None = None
        if place is not None or entry.kind is EntryKind.NODE_DELETE:
            self._levels.forget(entry)
        if place is not None:
            with suppress(TransientError):
                level = await self._levels.below(entry, place[0], [id_in(document)])

        def act(writer: WriteContext) -> None:
            with self._files.trees:
                if not was_discarded(writer, entry):
                    deliver_node(writer, entry, document or None, level)

        await self._files.write(act)

    def _receive(self, writer: WriteContext, entry: OutboxEntry, document: Document) -> None:
        writer.mirror.put_resource(str(entry.payload["tree"]), entry.project_id, document)


def _parent_id(entry: OutboxEntry) -> int:
    return (place_of(entry) or (0, 0))[0]


def _place(entry: OutboxEntry, nodes: Sequence[Document]) -> tuple[int, int]:
    parent_id, after = place_of(entry) or (0, 0)
    ids = [id_in(each) for each in siblings_of(nodes, parent_id, entry.node_id)]
    return parent_id, sequence_for(ids, index_after(ids, after))


def _unfit(changes: Mapping[str, object], theirs: Mapping[str, object]) -> dict[str, object]:
    """Return the service's values that contradict the changes: a newer other date or capacity."""
    if not fault_of_range({**theirs, **changes}):
        return {}
    return {key: theirs.get(key) for key in (*DATES, "minCapacity", "maxCapacity") if key in theirs}


def _as_shown(before: Sequence[Document], entry: OutboxEntry, document: Document | None) -> list[Document]:
    """Return the nodes as shown with an entry, for a service that could not be asked."""
    nodes = laid_over_nodes(before, [entry])
    if document is None:
        return nodes
    return [
        {**document, "sequence": each.get("sequence")} if each.get("id") == entry.node_id else each for each in nodes
    ]


def _count_write(writer: WriteContext, project_id: int) -> None:
    """Have a read of the trees that began before this write begin again: it may lack what was written."""
    writes = whole(writer.mirror.note(tree_writes(project_id))) or 0
    writer.mirror.set_note(tree_writes(project_id), writes + 1)


def deliver_node(
    writer: WriteContext, entry: OutboxEntry, document: Document | None, level: ReceivedNodes | None
) -> None:
    kind, project_id = str(entry.payload["tree"]), entry.project_id
    _count_write(writer, project_id)
    if level is None and (document is None or place_of(entry) is not None):
        nodes = _as_shown(writer.mirror.resources(kind, project_id), entry, document)
        level = ReceivedNodes(nodes, is_whole=True)
    put_level(writer.mirror, kind, project_id, level or ReceivedNodes((), is_whole=False), document)
    real_id = whole((document or {}).get("id")) if entry.kind is EntryKind.NODE_ADD else None
    waiting = [
        each.item_id
        for each in writer.journal.entries.undelivered(naming=entry.node_id)
        if entry.node_id in each.places
    ]
    if entry.kind is EntryKind.NODE_DELETE:
        target = id_in(entry.payload, "reassignmentId")
        touched = writer.mirror.reassigned.items_in(item_key(entry), [target, *deleted_nodes(entry)])
        writer.mirror.reassign(
            item_key(entry), deleted_nodes(entry), target, writer.journal.entries.undelivered(touched)
        )
    writer.journal.deliver(entry, real_id)
    renamed = {} if real_id is None else {entry.temporary_id: real_id}
    writer.signal.publish(StoreChange(Subject.TREES, renamed=renamed))
    show_trees(writer)
    if waiting:
        update_overlay(writer, waiting)
