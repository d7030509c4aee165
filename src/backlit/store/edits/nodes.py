"""Changes of areas and iterations: checked, journalled, shown at once and sent in the background."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime

from msgspec import Struct

from backlit.model.dates import write_datetime
from backlit.model.errors import BadRequest, NotFound
from backlit.model.planning import EVENT_KEYS, IterationEvent
from backlit.model.trees import NodeTotals
from backlit.store.edits.checks import VALUE_KEYS, check_values, fault_of_range, on_wire, usual_dates
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.mirror.overlay import node_signs, siblings_of, subtree
from backlit.store.mirror.schema import COUNTED_POINTS
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import PLACE_COLUMNS, PLACE_KEYS, EntryKind, EntryState, OutboxEntry, new_entry
from backlit.store.records.item import Document, RowSign, id_in
from backlit.store.records.merge import is_same
from backlit.store.records.people import TreeKind
from backlit.store.remote.capabilities import ITERATION_EVENTS_EXTENSION
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.lookups import MANAGER, Lookups

DATES = ("startDate", "endDate")
MOST_ITEMS = 1_000
"""The most items that undo moves back into a restored node. Beyond it, the copy keeps their number only."""


class NewNode(Struct, frozen=True):
    """A new area or iteration. Missing dates get the service's defaults."""

    name: str
    start: date | None = None
    end: date | None = None
    min_capacity: float | None = None
    max_capacity: float | None = None
    is_release: bool = False


class NodeDeletionExtent(Struct, frozen=True):
    """The extent of a deletion: nodes including the deleted one, and what moves elsewhere.

    The points are those of the open items.
    """

    nodes: int
    moved: NodeTotals
    open_items: int


class NodeEdits:
    """Changes of the current project's trees. Each act is on disk and visible when its method returns.

    Every method raises BadRequest with a sentence, and then changes nothing: for invalid values, a circle, the
    root, or a missing permission.
    """

    def __init__(
        self, files: LocalDatabase, lookups: Lookups, today: Callable[[], date], now: Callable[[], datetime]
    ) -> None:
        self._files = files
        self._lookups = lookups
        self._today = today
        self._now = now

    def need_manager(self) -> None:
        """Raise BadRequest for a user who may not change the trees, if the service states the permission."""
        role = self._lookups.role()
        if role and role != MANAGER:
            raise BadRequest(f"Only managers of the project change areas and iterations; you are a {role}.")

    def signs(self, kind: TreeKind) -> Mapping[int, RowSign]:
        """Return the nodes whose shown state differs from the service's, with the reason."""
        return node_signs(self._lookups.node_entries(kind))

    def real_id(self, node_id: int) -> int:
        return self._files.journal.real_id(node_id)

    async def add(self, kind: TreeKind, parent_id: int, new: NewNode, index: int | None = None) -> int:
        """Create a node at an index among a parent's children, by default the last. Returns its temporary id."""
        (made,) = await self.add_all(kind, parent_id, [new], index)
        return made

    async def add_all(
        self, kind: TreeKind, parent_id: int, new: Sequence[NewNode], index: int | None = None
    ) -> list[int]:
        self.need_manager()
        parent_id = self._found(kind, parent_id)
        project_id = self._lookups.project_id or 0
        wanted = [self._new_values(kind, each) for each in new]
        before = self._before(kind, parent_id, index)
        place = (parent_id, before)
        return await self._files.edit(lambda writer: _add(writer, project_id, kind, place, wanted))

    def _new_values(self, kind: TreeKind, new: NewNode) -> dict[str, object]:
        values: dict[str, object] = {"name": new.name}
        if kind is TreeKind.ITERATIONS:
            start, end = usual_dates(new.start, new.end, self._today())
            capacities = {"minCapacity": new.min_capacity, "maxCapacity": new.max_capacity}
            values |= {"startDate": start, "endDate": end, "isRelease": new.is_release}
            values |= {key: value for key, value in capacities.items() if value is not None}
        checked = check_values(kind, values)
        self._must_fit(checked)
        return checked

    async def edit(self, kind: TreeKind, node_id: int, changes: Mapping[str, object]) -> None:
        """Change values by the service's keys: name, startDate, endDate, minCapacity, maxCapacity, isRelease."""
        self.need_manager()
        node_id = self._found(kind, node_id)
        if "name" in changes:
            self._must_not_be_root(kind, node_id, "renamed: it is named after its project")
        document = self._lookups.node_documents(kind)[node_id]
        now = on_wire(document)
        is_renamed = changes.get("name") != now.get("name")  # a name that the service has is not judged again
        values = check_values(kind, {key: value for key, value in changes.items() if key != "name" or is_renamed})
        self._must_fit({**now, **values})
        changed = {key: value for key, value in values.items() if not is_same(now.get(key), value)}
        if changed.keys() & set(DATES):
            changed |= {key: {**now, **values}.get(key) for key in DATES}
        if changed:
            payload = {**_named(kind, document), "values": changed}
            await self._journal(EntryKind.NODE_EDIT, payload, {key: now.get(key) for key in changed})

    def need_events(self) -> None:
        """Raise Forbidden for a reader, BadRequest for a server without starts and closes of iterations."""
        self._lookups.need_writer()
        if not self.has_events():
            raise BadRequest("This server does not record when sprints start and close: their dates count.")

    def has_events(self) -> bool:
        """Report whether the service records when iterations start and close."""
        return self._lookups.announces(ITERATION_EVENTS_EXTENSION)

    async def record(self, node_id: int, event: IterationEvent) -> None:
        """Record the start or the close of an iteration now; one that it has already keeps its time."""
        await self._note_event(node_id, event, self._now())

    async def withdraw(self, node_id: int, event: IterationEvent) -> None:
        await self._note_event(node_id, event, None)

    async def _note_event(self, node_id: int, event: IterationEvent, at: datetime | None) -> None:
        self.need_events()
        node_id = self._found(TreeKind.ITERATIONS, node_id)
        self._must_not_be_root(TreeKind.ITERATIONS, node_id, "closed" if event is IterationEvent.CLOSE else "started")
        entry = event_entry(self._lookups.node_documents(TreeKind.ITERATIONS)[node_id], event, at)
        if entry is not None:
            await self._files.edit(lambda writer: _journal(writer, entry))

    async def move(self, kind: TreeKind, node_id: int, parent_id: int, index: int | None = None) -> None:
        self.need_manager()
        node_id, parent_id = self._found(kind, node_id), self._found(kind, parent_id)
        documents = self._lookups.node_documents(kind)
        self._must_not_be_root(kind, node_id, "moved")
        if parent_id in subtree(documents.values(), node_id):
            raise BadRequest("A node cannot move below itself.")
        before = self._before(kind, parent_id, index, node_id)
        place = {"parentId": parent_id, "after": before}
        was = {"parentId": documents[node_id].get("parentId"), "after": _sibling_before(documents, node_id)}
        if place != was:
            payload = {**_named(kind, documents[node_id]), "values": {}, "place": place, "was": was}
            await self._journal(EntryKind.NODE_EDIT, payload, {"parentId": was["parentId"]})

    async def reorder(self, kind: TreeKind, node_id: int, steps: int) -> None:
        """Move a node down among its siblings, or up for a negative number.

        The move stops at the first or last place.
        """
        node_id = self._found(kind, node_id)
        documents = self._lookups.node_documents(kind)
        self._must_not_be_root(kind, node_id, "moved")
        parent_id = id_in(documents[node_id], "parentId")
        siblings = [each.get("id") for each in siblings_of(documents.values(), parent_id)]
        index = min(max(siblings.index(node_id) + steps, 0), len(siblings) - 1)
        await self.move(kind, node_id, parent_id, index)

    def extent(self, kind: TreeKind, node_id: int) -> NodeDeletionExtent:
        node_id = self._found(kind, node_id)
        gone = subtree(self._lookups.node_documents(kind).values(), node_id)
        found = self._files.mirror.execute(
            "SELECT count(*) - total(is_task), coalesce(sum(is_open AND NOT is_task), 0), total(is_task),"  # noqa: S608 # constants
            f" total(CASE WHEN is_open AND NOT is_task THEN {COUNTED_POINTS} END) FROM items"
            f" WHERE project_id = ? AND {PLACE_COLUMNS[PLACE_KEYS[kind]]} IN (SELECT value FROM json_each(?))",
            (self._lookups.project_id, ids_json(gone)),
        ).fetchone()
        items, open_items, tasks, points = found
        return NodeDeletionExtent(len(gone), NodeTotals(int(items), points, int(tasks)), open_items)

    async def delete(self, kind: TreeKind, node_id: int, reassign_to: int) -> None:
        self.need_manager()
        node_id, target = self._found(kind, node_id), self._found(kind, reassign_to)
        self._must_not_be_root(kind, node_id, "deleted")
        documents = self._lookups.node_documents(kind)
        gone = subtree(documents.values(), node_id)
        if target in gone:
            raise BadRequest("The target of the items is being deleted too. Choose another one.")
        new = [each for each in self._lookups.node_entries(kind) if each.kind is EntryKind.NODE_ADD]
        if any(each.state is EntryState.REFUSED and each.node_id in gone for each in new):
            raise BadRequest("The server rejected the new node. Discard it in the outbox.")

        place = (self._lookups.project_id or 0, kind.value)
        await self._files.edit(
            lambda writer: _journal(writer, deletion_of_node(writer, place, documents, node_id, target))
        )

    async def _journal(self, kind: EntryKind, payload: Mapping[str, object], base: Mapping[str, object]) -> None:
        entry = new_entry(kind, self._lookups.project_id or 0, payload, base=base)
        await self._files.edit(lambda writer: _journal(writer, entry))

    # Checks

    def _found(self, kind: TreeKind, node_id: int) -> int:
        documents = self._lookups.node_documents(kind)
        for each in (node_id, self.real_id(node_id)):
            if each in documents:
                return each
        raise NotFound(f"{'Area' if kind is TreeKind.AREAS else 'Iteration'} {node_id} was deleted.")

    def _must_not_be_root(self, kind: TreeKind, node_id: int, what: str) -> None:
        if any(root.id == node_id for root in self._lookups.tree(kind).roots):
            raise BadRequest(f"The root cannot be {what}.")

    @staticmethod
    def _must_fit(values: Mapping[str, object]) -> None:
        fault = fault_of_range(values)
        if fault:
            raise BadRequest(fault)

    def _before(self, kind: TreeKind, parent_id: int, index: int | None, node_id: int = 0) -> int:
        """Return the id of the sibling before an index, 0 for the first place."""
        found = siblings_of(self._lookups.node_documents(kind).values(), parent_id, node_id)
        ids = [id_in(each) for each in found]
        kept = ids if index is None else ids[: max(index, 0)]
        return kept[-1] if kept else 0


def deletion_of_node(
    writer: WriteContext, place: tuple[int, str], documents: Mapping[int, Document], node_id: int, target: int
) -> OutboxEntry:
    """Return the entry that deletes a node and moves its items to another node. Its payload holds the copy.

    `place` is the project and the tree, `documents` the visible nodes of that tree.
    """
    project_id, kind = place
    gone = subtree(documents.values(), node_id)
    found = totals_in(writer, kind, gone)
    count = found.count + found.tasks
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
    return new_entry(EntryKind.NODE_DELETE, project_id, payload)


def _kept(
    documents: Mapping[int, Document], gone: Sequence[int], keys: Collection[str], items: Mapping[int, Sequence[int]]
) -> list[Document]:
    """Return the nodes of a subtree, parents first and siblings in order."""
    reached = {node_id: at for at, node_id in enumerate(gone)}
    nodes = [on_wire(documents[each]) for each in gone]
    nodes.sort(key=lambda each: (reached.get(id_in(each, "parentId"), -1), id_in(each, "sequence"), id_in(each, "id")))
    above = id_in(documents[gone[0]], "parentId")
    latest = {above: _sibling_before(documents, gone[0])}
    kept: list[Document] = []
    for node in nodes:
        node_id, parent_id = id_in(node, "id"), id_in(node, "parentId")
        values = {key: value for key, value in node.items() if key in keys and value is not None}
        place = {"parentId": parent_id, "after": latest.get(parent_id, 0)}
        kept.append({"id": node_id, **place, "values": values, "items": list(items.get(node_id, ()))})
        latest[parent_id] = node_id
    return kept


def totals_in(writer: WriteContext, kind: str, nodes: Collection[int]) -> NodeTotals:
    items, tasks = _items(writer, "count(*) - total(is_task), total(is_task)", kind, nodes)[0]
    return NodeTotals(int(items), tasks=int(tasks))


def _items_in(writer: WriteContext, kind: str, nodes: Collection[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for node_id, item_id in _items(writer, f"{PLACE_COLUMNS[PLACE_KEYS[kind]]}, id", kind, nodes):
        found.setdefault(node_id, []).append(item_id)
    return found


def _items(writer: WriteContext, wanted: str, kind: str, nodes: Collection[int]) -> list[tuple[int, ...]]:
    sql = f"SELECT {wanted} FROM items WHERE {PLACE_COLUMNS[PLACE_KEYS[kind]]} IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants
    return writer.mirror.connection.execute(sql, (ids_json(nodes),)).fetchall()


def kept_nodes(entry: OutboxEntry) -> list[Document]:
    """Return the copies a deletion keeps, parents first. Entries of an earlier version have none."""
    nodes = entry.payload.get("nodes")
    return [each for each in nodes if isinstance(each, dict)] if isinstance(nodes, list) else []


def event_entry(iteration: Document, event: IterationEvent, at: datetime | None) -> OutboxEntry | None:
    """Return the entry that records an event of an iteration at a time, or withdraws it; None where that is so.

    The service takes its own time.
    """
    key = EVENT_KEYS[event]
    was = iteration.get(key)
    if (was is None) == (at is None):
        return None
    values = {key: None if at is None else write_datetime(at)}
    payload = {**_named(TreeKind.ITERATIONS, iteration), "values": values}
    return new_entry(EntryKind.NODE_EDIT, id_in(iteration, "projectId"), payload, base={key: was})


def _named(kind: TreeKind, document: Document) -> dict[str, object]:
    return {"tree": kind.value, "id": document.get("id"), "name": str(document.get("name") or "")}


def _sibling_before(documents: Mapping[int, Document], node_id: int) -> int:
    parent_id = id_in(documents[node_id], "parentId")
    ids = [id_in(each) for each in siblings_of(documents.values(), parent_id)]
    at = ids.index(node_id)
    return ids[at - 1] if at else 0


def show_trees(writer: WriteContext) -> None:
    touched = writer.mirror.reassigned.update(writer.journal.entries.undelivered(kind=EntryKind.NODE_DELETE))
    if touched:
        writer.announce(writer.mirror.lay_over(touched, writer.journal.entries.undelivered(touched)))
    writer.signal.publish(StoreChange(Subject.TREES))


def _journal(writer: WriteContext, entry: OutboxEntry) -> None:
    writer.journal.add([entry])
    show_trees(writer)


def _add(
    writer: WriteContext,
    project_id: int,
    kind: TreeKind,
    place: tuple[int, int],
    wanted: Sequence[Mapping[str, object]],
) -> list[int]:
    parent_id, after = place
    step: int | None = None
    made: list[int] = []
    with writer.journal.transaction():
        for values in wanted:
            payload = {
                "tree": kind.value,
                "name": values["name"],
                "values": dict(values),
                "place": {"parentId": parent_id, "after": after},
            }
            (entry,) = writer.journal.add([new_entry(EntryKind.NODE_ADD, project_id, payload)], step)
            step, after = entry.step, entry.temporary_id
            made.append(entry.temporary_id)
    show_trees(writer)
    return made


def item_key(entry: OutboxEntry) -> str:
    return PLACE_KEYS[str(entry.payload.get("tree"))]
