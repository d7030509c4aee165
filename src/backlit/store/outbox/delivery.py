"""Delivery of entries: settling them after the service's response."""

from collections.abc import Callable, Sequence

from backlit.store.edits.items import show
from backlit.store.edits.nodes import item_key, show_trees
from backlit.store.files.files import Writer
from backlit.store.mirror.mirror import tree_writes
from backlit.store.mirror.node_overlay import laid_over_nodes, place_of
from backlit.store.mirror.overlay import deleted_nodes
from backlit.store.outbox.siblings import Level, put_level
from backlit.store.records.changes import Change, Subject
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Document, whole

Leave = Callable[[OutboxEntry], None]
"""Callback right before a request that may change the service. The entry may have been done from then on."""


def was_discarded(writer: Writer, entry: OutboxEntry) -> bool:
    """Report whether an entry was undone while in transit. A deletion is then looked up, whatever its response."""
    current = writer.journal.entries.find(entry.id)
    return current is not None and current.state is EntryState.DISCARDED


def _as_shown(before: Sequence[Document], entry: OutboxEntry, document: Document | None) -> list[Document]:
    """Return the nodes as shown with an entry, for a service that could not be asked."""
    nodes = laid_over_nodes(before, [entry])
    if document is None:
        return nodes
    return [
        {**document, "sequence": each.get("sequence")} if each.get("id") == entry.node_id else each for each in nodes
    ]


def deliver_node(writer: Writer, entry: OutboxEntry, document: Document | None, level: Level | None) -> None:
    """Store the written node and its level in the mirror, and settle the entry."""
    kind, project_id = str(entry.payload["tree"]), entry.project_id
    writes = whole(writer.mirror.note(tree_writes(project_id))) or 0
    writer.mirror.set_note(tree_writes(project_id), writes + 1)
    if level is None and (document is None or place_of(entry) is not None):
        nodes = _as_shown(writer.mirror.nouns(kind, project_id), entry, document)
        level = Level(nodes, is_whole=True)
    put_level(writer.mirror, kind, project_id, level or Level((), is_whole=False), document)
    real_id = whole((document or {}).get("id")) if entry.kind is EntryKind.NODE_ADD else None
    waiting = [
        each.item_id
        for each in writer.journal.entries.undelivered(naming=entry.node_id)
        if entry.node_id in each.places
    ]
    if entry.kind is EntryKind.NODE_DELETE:
        target = whole(entry.payload.get("reassignmentId")) or 0
        touched = writer.mirror.reassigned.items_in(item_key(entry), [target, *deleted_nodes(entry)])
        writer.mirror.reassign(
            item_key(entry), deleted_nodes(entry), target, writer.journal.entries.undelivered(touched)
        )
    writer.journal.deliver(entry, real_id)
    renamed = {} if real_id is None else {entry.temporary_id: real_id}
    writer.signal.publish(Change(Subject.TREES, renamed=renamed))
    show_trees(writer)
    if waiting:
        show(writer, waiting)
