"""Undo of deletions that may have been done: a lookup first, a restoration only of deleted objects."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from backlit.model.errors import Unclear
from backlit.store.edits.items import show
from backlit.store.edits.nodes import show_trees
from backlit.store.files.files import Files, Writer
from backlit.store.outbox.nodes import deliver_node
from backlit.store.outbox.sending import Sending, was_discarded
from backlit.store.records.changes import Change, Subject
from backlit.store.records.entry import RECALLS, EntryKind, EntryState, OutboxEntry, is_for_customers, new_comment
from backlit.store.records.item import id_in
from backlit.store.remote.reachability import Waits
from backlit.store.undo.items import restore
from backlit.store.undo.nodes import NodeReversals, restore_nodes
from backlit.store.undo.operations import RestoreNode


class RecallSending:
    """Sender of RECALL and NODE_RECALL entries, which only read from the service."""

    def __init__(self, files: Files, waits: Waits, sending: Mapping[EntryKind, Sending]) -> None:
        self._sending = sending
        self._files = files
        self._in_transit = waits.in_transit
        self._began = time.monotonic()
        self._under_way: set[int] = set()
        self._ended: dict[int, float] = {}

    @contextmanager
    def noted(self, entry: OutboxEntry) -> Iterator[None]:
        """Track an entry in transit and the time its request ended."""
        if entry.kind in RECALLS:
            yield
            return
        self._under_way.add(entry.id)
        try:
            yield
        finally:
            self._under_way.discard(entry.id)
            self._ended[entry.id] = time.monotonic()

    async def send(self, entry: OutboxEntry) -> bool:
        """Find out whether a deletion was done and record the outcome. Raises Unclear while it may still happen."""
        of = id_in(entry.payload, "of")
        deletion = await self._files.write(lambda writer: writer.journal.entries.find(of))
        if of in self._under_way:
            raise Unclear("The deletion is not confirmed yet. Waiting for the service.")
        if deletion is None:
            await self._files.write(lambda writer: _stays(writer, entry))
        elif not await self._sending[deletion.kind].is_there(deletion):
            await self._files.write(lambda writer: _is_gone(self._files, writer, entry, deletion))
        elif time.monotonic() < self._ended.get(of, self._began) + self._in_transit:
            raise Unclear("Could not confirm the deletion. Checking again.")
        else:
            await self._files.write(lambda writer: _stays(writer, entry))
        return True


def _name(entry: OutboxEntry) -> str:
    return f"#{entry.item_id}" if entry.item_id > 0 else f"“{entry.payload.get('name')}”"


def _stays(writer: Writer, entry: OutboxEntry) -> None:
    """Record that the object of a recall still exists."""
    if was_discarded(writer, entry):
        return
    what = "The comment" if "text" in entry.payload else _name(entry)
    writer.journal.deliver(entry)
    _tell(writer, entry, [entry], f"{what} was not deleted and is unchanged.")


def _is_gone(files: Files, writer: Writer, entry: OutboxEntry, deletion: OutboxEntry) -> None:
    """Restore a deleted object as part of the step that undid the deletion."""
    if was_discarded(writer, entry):
        return
    if deletion.kind is EntryKind.NODE_DELETE:
        _node_is_gone(files, writer, entry, deletion)
        return
    with writer.journal.transaction():
        writer.journal.deliver(entry)
        writer.journal.deliver(replace(deletion, state=EntryState.SENT))
        writer.journal.undo_log.take_up([deletion.id])
        made = list(_made_again(writer, entry, deletion))
    if deletion.kind is EntryKind.DELETE:
        gone = writer.mirror.delete_items([deletion.item_id])
        new_id = writer.journal.renames.followed(deletion.item_id)
        writer.signal.publish(Change(Subject.ITEMS, gone, renamed={deletion.item_id: new_id} if made else {}))
        sentence = f"{_name(entry)} was already deleted. It is restored with a new number."
    else:
        writer.mirror.comments.remove([id_in(deletion.payload)])
        sentence = f"The comment on {_name(entry)} was already deleted. It is posted again."
    _tell(writer, entry, made, sentence)


def _made_again(writer: Writer, entry: OutboxEntry, deletion: OutboxEntry) -> Iterator[OutboxEntry]:
    if deletion.kind is EntryKind.DELETE_COMMENT:
        text, for_customers = str(deletion.payload.get("text") or ""), is_for_customers(deletion.payload)
        written = new_comment(entry.project_id, entry.item_id, text, for_customers=for_customers)
        yield from writer.journal.add([written], entry.step)
        return
    copy = writer.journal.trash.of_entry(deletion.id)
    if copy is not None and writer.journal.renames.followed(deletion.item_id) == deletion.item_id:
        yield from restore(writer, copy, entry.step)


def _node_is_gone(files: Files, writer: Writer, entry: OutboxEntry, deletion: OutboxEntry) -> None:
    with files.trees:
        deliver_node(writer, replace(deletion, state=EntryState.SENDING), None, None)
    move = NodeReversals(writer, (), ()).restored(deletion)
    with writer.journal.transaction():
        writer.journal.undo_log.take_up([deletion.id])
        made = restore_nodes(writer, [move] if isinstance(move, RestoreNode) else [], (), entry.step)
        writer.journal.deliver(entry)
    again = "it is restored with a new number" if made else "it cannot be restored"
    _tell(writer, entry, made, f"“{entry.payload.get('name')}” was already deleted; {again}.")


def _tell(writer: Writer, entry: OutboxEntry, written: list[OutboxEntry], sentence: str) -> None:
    ids = frozenset({entry.item_id, *(each.item_id for each in written)})
    show(writer, sorted(ids))
    if entry.kind is EntryKind.NODE_RECALL:
        show_trees(writer)
    writer.signal.publish(Change(Subject.ITEMS, ids, frozenset({"sign"})))
    writer.signal.publish(Change(Subject.COMMENTS, ids))
    writer.signal.publish(Change(Subject.OUTBOX, sentence=sentence))
