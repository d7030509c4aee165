"""The outbox: sends the journal's entries, in order for each item, and each exactly once."""

import asyncio
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from backlit.model.errors import (
    BacklitError,
    NotFound,
    OutcomeUnknown,
    ServiceError,
    ServiceRefused,
    SignInNeeded,
    TransientError,
)
from backlit.store.edits.deletions import keep_last_copy
from backlit.store.edits.items import announce_objects, update_overlay
from backlit.store.edits.nodes import show_trees
from backlit.store.edits.restored_items import restore
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.object_changes.kinds import object_deletion
from backlit.store.outbox.batches import BatchSending, CreationBatch, ItemBatchSending, ObjectBatchSending
from backlit.store.outbox.choosing import take
from backlit.store.outbox.items import ItemCreationSearch, ItemSending, ObjectSending, RankSending
from backlit.store.outbox.nodes import NodeLevels, NodeSending, deliver_node
from backlit.store.outbox.sending import Sending, hold, show_outcome, was_discarded
from backlit.store.outbox.transforms import TransformSending
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import (
    CREATES,
    NEED_ITEM,
    OBJECT_CREATIONS,
    ON_ITEMS,
    ON_NODES,
    ON_OBJECTS,
    RECALLS,
    TRANSFORMS,
    EntryKind,
    EntryState,
    OutboxEntry,
)
from backlit.store.records.item import id_in
from backlit.store.remote.reachability import SHUTS, USUAL_PAUSES, ConcurrencyLimit, RetryPauses
from backlit.store.undo.nodes import NodeReversals, restore_nodes
from backlit.store.undo.operations import RecreateNodesOperation

if TYPE_CHECKING:
    from backlit.client.client import Client


FAILURES = 8
"""The number of service failures after which an entry counts as rejected."""
_GONE = "Someone deleted this item."


class _Sender(Protocol):
    async def send(self, entry: OutboxEntry) -> bool: ...


class Outbox:
    """Sender of pending entries. Each step is in the journal before the request that follows from it."""

    def __init__(self, client: "Client", files: LocalDatabase, waits: RetryPauses = USUAL_PAUSES) -> None:
        self._files = files
        self._waits = waits
        self._may_have_been_sent: set[int] = set()
        creations, levels = ItemCreationSearch(client, files), NodeLevels(client, files)
        items = ItemSending(client, files, waits, self._may_have_been_sent, creations)
        below = ObjectSending(client, files, waits, self._may_have_been_sent, creations)
        self._batches: dict[EntryKind, BatchSending] = {
            EntryKind.ADD: ItemBatchSending(client, files, items, creations),
            **dict.fromkeys(OBJECT_CREATIONS, ObjectBatchSending(client, files, below, creations)),
        }
        objects: dict[EntryKind, Sending] = {
            **dict.fromkeys(ON_ITEMS, items),
            **dict.fromkeys(ON_OBJECTS, below),
            **dict.fromkeys(ON_NODES - RECALLS, NodeSending(client, files, waits, self._may_have_been_sent, levels)),
        }
        self._recalls = RecallSending(files, waits, objects)
        ranks = RankSending(client, files, self._may_have_been_sent)
        transforms = TransformSending(client, files, self._may_have_been_sent)
        self._sending: dict[EntryKind, _Sender] = {
            **objects,
            **dict.fromkeys(RECALLS, self._recalls),
            EntryKind.RANK: ranks,
            **dict.fromkeys(TRANSFORMS, transforms),
        }
        self._flow = ConcurrencyLimit()
        client.watch(self._flow.answered)
        self._failures: dict[int, int] = {}
        self._not_before: dict[int, float] = {}
        self.due = asyncio.Event()
        """Set when entries wait, also while sending."""
        self.delivered = 0
        """The number of entries delivered by this process."""

    def hurry(self) -> None:
        self._not_before.clear()
        self.due.set()

    async def send(self) -> float | None:
        """Send all sendable entries, several items at a time. Returns the seconds until more are sendable.

        Raises the error that blocks all entries, or SignInNeeded. An error of one entry delays that entry. A
        rejected entry stays in the journal with the reason.
        """
        await self._files.write(_recover)
        running: set[asyncio.Task[BacklitError | None]] = set()
        woken = asyncio.create_task(self.due.wait())
        trouble: BacklitError | None = None
        try:
            while True:
                if trouble is None:
                    running |= await self._started(running)
                if not running:
                    break
                done, _ = await asyncio.wait({*running, woken}, return_when=asyncio.FIRST_COMPLETED)
                if woken in done:
                    self.due.clear()
                    woken = asyncio.create_task(self.due.wait())
                for task in running & done:
                    trouble = task.result() or trouble
                running -= done
        finally:
            await _cancel([woken, *running])
        if trouble is not None:
            raise trouble
        return max(0.0, min(self._not_before.values()) - time.monotonic()) if self._not_before else None

    async def _started(self, running: Collection[object]) -> set["asyncio.Task[BacklitError | None]"]:
        now = time.monotonic()
        self._not_before = {entry_id: until for entry_id, until in self._not_before.items() if until > now}
        taking = partial(
            take,
            room=self._flow.room - len(running),
            resting=frozenset(self._not_before),
            senders=self._batches,
        )
        batches, entries = await self._files.write(taking)
        sent = {asyncio.create_task(self._send_one(entry)) for entry in entries}
        return sent | {asyncio.create_task(self._send_batch(batch)) for batch in batches}

    async def _send_batch(self, batch: CreationBatch) -> BacklitError | None:
        """Send creations of an import and hold them. Returns an error that blocks all other entries."""
        entries = batch.entries
        try:
            self.delivered += await batch.sender.send(entries)
        except (SignInNeeded, TransientError) as error:
            for entry in entries:
                if isinstance(error, SignInNeeded):
                    await self._rest(entry)
                else:
                    await self._failed(entry, error, is_counted=False)
            return error if isinstance(error, (SignInNeeded, *SHUTS)) else None
        for entry in entries:
            self._forget(entry)
        return None

    async def _send_one(self, entry: OutboxEntry) -> BacklitError | None:
        """Send an entry and hold it. Returns an error that blocks all other entries."""
        try:
            with self._recalls.noted(entry):
                is_delivered = await self._sending[entry.kind].send(entry)
            self.delivered += is_delivered
        except NotFound as error:
            is_gone = entry.kind in NEED_ITEM
            await self._refuse(entry, _GONE if is_gone else error.message, is_gone=is_gone)
        except ServiceRefused as error:
            await self._refuse(entry, error.message)
        except SignInNeeded as error:
            await self._rest(entry)
            return error
        except TransientError as error:
            is_general = isinstance(error, SHUTS)
            await self._failed(entry, error, is_counted=isinstance(error, ServiceError) and not is_general)
            return error if is_general else None
        self._forget(entry)
        return None

    async def _failed(self, entry: OutboxEntry, error: TransientError, *, is_counted: bool) -> None:
        """Delay an entry, longer each time, or reject it after repeated service failures."""
        attempts = entry.attempts + is_counted
        if attempts >= FAILURES:
            self._forget(entry)
            await self._refuse(entry, f"The server failed repeatedly: {error.message}")
            return
        if not isinstance(error, SHUTS) or isinstance(error, ServiceError):
            failures = self._failures[entry.id] = self._failures.get(entry.id, 0) + 1
            self._not_before[entry.id] = time.monotonic() + self._waits.pause(failures)
        await self._rest(replace(entry, attempts=attempts, reason=error.message))

    async def _refuse(self, entry: OutboxEntry, reason: str, *, is_gone: bool = False) -> None:
        def act(writer: WriteContext) -> None:
            if is_gone:
                keep_last_copy(writer, entry.item_id)
            if hold(writer, entry, EntryState.REFUSED, reason):
                show_outcome(writer, entry)

        await self._files.write(act)

    def _forget(self, entry: OutboxEntry) -> None:
        self._failures.pop(entry.id, None)
        self._not_before.pop(entry.id, None)
        self._may_have_been_sent.discard(entry.id)

    async def _rest(self, entry: OutboxEntry) -> None:
        def act(writer: WriteContext) -> None:
            current = writer.journal.entries.find(entry.id) or entry
            if current.state is EntryState.DISCARDED:
                return
            rested = replace(current, state=EntryState.WAITING, attempts=entry.attempts, reason=entry.reason)
            if entry.kind not in CREATES and entry.id not in self._may_have_been_sent:
                rested = replace(rested, known_id=entry.known_id)
            writer.journal.update(rested)

        await self._files.write(act)


def _recover(writer: WriteContext) -> None:
    stuck = writer.journal.entries.sending()
    if stuck:
        writer.journal.update_all(replace(entry, state=EntryState.WAITING) for entry in stuck)


async def _cancel(tasks: Sequence["asyncio.Task[bool] | asyncio.Task[BacklitError | None]"]) -> None:
    """Cancel tasks and wait for their end. The next turn recovers their entries."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class RecallSending:
    """Sender of RECALL and NODE_RECALL entries, which only read from the service."""

    def __init__(self, files: LocalDatabase, waits: RetryPauses, sending: Mapping[EntryKind, Sending]) -> None:
        self._sending = sending
        self._files = files
        self._in_transit = waits.in_transit
        self._began = time.monotonic()
        self._under_way: set[int] = set()
        self._ended: dict[int, float] = {}

    @contextmanager
    def noted(self, entry: OutboxEntry) -> Iterator[None]:
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
        """Find out whether a deletion was done, and record it. Raises OutcomeUnknown while it may still happen."""
        of = id_in(entry.payload, "of")
        deletion = await self._files.write(lambda writer: writer.journal.entries.find(of))
        if of in self._under_way:
            raise OutcomeUnknown("The deletion is not confirmed yet. Waiting for the server.")
        if deletion is None:
            await self._files.write(lambda writer: _stays(writer, entry, _name(entry)))
        elif not await self._sending[deletion.kind].is_there(deletion):
            await self._files.write(lambda writer: _is_gone(self._files, writer, entry, deletion))
        elif time.monotonic() < self._ended.get(of, self._began) + self._in_transit:
            raise OutcomeUnknown("Could not confirm the deletion. Checking again.")
        else:
            change = object_deletion(deletion)
            what = f"The {change.noun}" if change else _name(entry)
            await self._files.write(lambda writer: _stays(writer, entry, what))
        return True


def _name(entry: OutboxEntry) -> str:
    return f"#{entry.item_id}" if entry.item_id > 0 else f"“{entry.payload.get('name')}”"


def _stays(writer: WriteContext, entry: OutboxEntry, what: str) -> None:
    if was_discarded(writer, entry):
        return
    writer.journal.deliver(entry)
    _tell(writer, entry, [entry], f"{what} was not deleted and is unchanged.")


def _is_gone(files: LocalDatabase, writer: WriteContext, entry: OutboxEntry, deletion: OutboxEntry) -> None:
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
    change = object_deletion(deletion)
    if change is None:
        gone = writer.mirror.delete_items([deletion.item_id])
        new_id = writer.journal.renames.followed(deletion.item_id)
        writer.signal.publish(StoreChange(Subject.ITEMS, gone, renamed={deletion.item_id: new_id} if made else {}))
        made += [each for each in writer.journal.entries.following([new_id]) if each.kind is EntryKind.ADD]
        sentence = f"{_name(entry)} was already deleted. It is restored with a new number."
    else:
        writer.mirror.objects[change.subject].remove([change.object_id])
        sentence = f"The {change.noun} on {_name(entry)} was already deleted. It is {change.again}."
    _tell(writer, entry, made, sentence)


def _made_again(writer: WriteContext, entry: OutboxEntry, deletion: OutboxEntry) -> Iterator[OutboxEntry]:
    if (change := object_deletion(deletion)) is not None:
        yield from writer.journal.add([change.creation(entry.item_id)], entry.step)
        return
    copy = writer.journal.trash.of_entry(deletion.id)
    if copy is not None and writer.journal.renames.followed(deletion.item_id) == deletion.item_id:
        yield from restore(writer, copy, entry.step)


def _node_is_gone(files: LocalDatabase, writer: WriteContext, entry: OutboxEntry, deletion: OutboxEntry) -> None:
    with files.trees:
        deliver_node(writer, replace(deletion, state=EntryState.SENDING), None, None)
    move = NodeReversals(writer, (), ()).restored(deletion)
    with writer.journal.transaction():
        writer.journal.undo_log.take_up([deletion.id])
        made = restore_nodes(writer, [move] if isinstance(move, RecreateNodesOperation) else [], (), entry.step)
        writer.journal.deliver(entry)
    again = "it is restored with a new number" if made else "it cannot be restored"
    _tell(writer, entry, made, f"“{entry.payload.get('name')}” was already deleted; {again}.")


def _tell(writer: WriteContext, entry: OutboxEntry, written: list[OutboxEntry], sentence: str) -> None:
    ids = frozenset({entry.item_id, *(each.item_id for each in written)})
    update_overlay(writer, sorted(ids))
    if entry.kind is EntryKind.NODE_RECALL:
        show_trees(writer)
    writer.signal.publish(StoreChange(Subject.ITEMS, ids, frozenset({"sign"})))
    writer.signal.publish(StoreChange(Subject.COMMENTS, ids))
    announce_objects(writer, written)
    writer.signal.publish(StoreChange(Subject.OUTBOX, sentence=sentence))
