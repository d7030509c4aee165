"""The outbox: sends the journal's entries, in order for each item, and each exactly once."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from backlit.model.errors import (
    BacklitError,
    PreconditionFailed,
    ServiceError,
    ServiceRefused,
    SignInNeeded,
    Trouble,
    Unclear,
)
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.trees import ROOT_PARENT
from backlit.store.edits.deletions import deletions_of
from backlit.store.edits.items import discard, show, take_out, with_followers
from backlit.store.edits.nodes import show_trees
from backlit.store.edits.rank_order import beside_of
from backlit.store.edits.work_log import COMPLETED, add_up
from backlit.store.files.files import Files, Writer
from backlit.store.mirror.overlay import deleted_nodes
from backlit.store.outbox.creations import Creations
from backlit.store.outbox.deletions import DeletionSending
from backlit.store.outbox.nodes import NodeSending
from backlit.store.outbox.ranks import RankSending
from backlit.store.outbox.recalls import RecallSending
from backlit.store.records.changes import Change, Subject
from backlit.store.records.entry import (
    BUSY,
    CREATES,
    DELETES,
    ON_COMMENTS,
    ON_NODES,
    RECALLS,
    EntryKind,
    EntryState,
    OutboxEntry,
)
from backlit.store.records.item import Document, fields_in, is_item, must_be_item, whole
from backlit.store.records.merge import kept_otherwise, merge
from backlit.store.remote.reachability import SHUTS
from backlit.store.remote.receiving import receive
from backlit.store.remote.retry import USUAL_WAITS, Flow, Waits
from backlit.store.undo.items import UNMADE_LATER

if TYPE_CHECKING:
    from backlit.client.client import Client

FAILURES = 8
"""The number of service failures after which an entry counts as rejected."""
_RACES = 5
_AHEAD = 200
"""The most waiting entries to scan for sendable ones."""


class Outbox:
    """Sender of pending entries. Each step is in the journal before the request that follows from it."""

    def __init__(self, client: "Client", files: Files, waits: Waits = USUAL_WAITS) -> None:
        self._client = client
        self._files = files
        self._waits = waits
        self._creations = Creations(client, files, waits)
        self._deletions = DeletionSending(client, files, self._leave)
        self._moves = RankSending(client, files)
        self._nodes = NodeSending(client, files, waits, self._leave)
        self._recalls = RecallSending(client, files, waits)
        self._flow = Flow()
        client.watch(self._flow.answered)
        self._failures: dict[int, int] = {}
        self._not_before: dict[int, float] = {}
        self._has_left: set[int] = set()
        self.due = asyncio.Event()
        """Set when entries wait, also while sending."""
        self.delivered = 0
        """The number of entries delivered by this process."""

    def _leave(self, entry: OutboxEntry) -> None:
        """Record that an entry may take effect from now on."""
        self._has_left.add(entry.id)

    def hurry(self) -> None:
        """Retry failed entries at once."""
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
        return self._next_after()

    async def _started(self, running: Collection[object]) -> set["asyncio.Task[BacklitError | None]"]:
        now = time.monotonic()
        self._not_before = {entry_id: until for entry_id, until in self._not_before.items() if until > now}
        take = partial(_take, room=self._flow.room - len(running), resting=frozenset(self._not_before))
        return {asyncio.create_task(self._send_one(entry)) for entry in await self._files.write(take)}

    def _next_after(self) -> float | None:
        return max(0.0, min(self._not_before.values()) - time.monotonic()) if self._not_before else None

    async def _send_one(self, entry: OutboxEntry) -> BacklitError | None:
        """Send an entry and settle it. Returns an error that blocks all other entries."""
        try:
            with self._recalls.noted(entry):
                await self._sent(entry)
        except ServiceRefused as error:
            await self._settle(entry, EntryState.REFUSED, error.message)
        except SignInNeeded as error:
            await self._rest(entry)
            return error
        except Trouble as error:
            is_general = isinstance(error, SHUTS)
            await self._failed(entry, error, is_counted=isinstance(error, ServiceError) and not is_general)
            return error if is_general else None
        self._forget(entry)
        return None

    async def _sent(self, entry: OutboxEntry) -> None:
        if entry.kind is EntryKind.EDIT:
            await self._send_edit(entry)
        elif entry.kind in DELETES:
            await self._delete(entry)
        elif entry.kind is EntryKind.RANK:
            self._leave(entry)
            await self._moves.move(entry)
            self.delivered += 1
        elif entry.kind in RECALLS:
            await self._recalls.look(entry)
            self.delivered += 1
        elif entry.kind in ON_NODES:
            self.delivered += await self._nodes.send(entry)
        else:
            await self._create(entry)

    async def _failed(self, entry: OutboxEntry, error: Trouble, *, is_counted: bool) -> None:
        """Delay an entry, longer each time, or reject it after repeated service failures."""
        attempts = entry.attempts + is_counted
        if attempts >= FAILURES:
            self._forget(entry)
            await self._settle(entry, EntryState.REFUSED, f"The service failed repeatedly: {error.message}")
            return
        if not isinstance(error, SHUTS) or isinstance(error, ServiceError):
            failures = self._failures[entry.id] = self._failures.get(entry.id, 0) + 1
            self._not_before[entry.id] = time.monotonic() + self._waits.pause(failures)
        await self._rest(replace(entry, attempts=attempts, reason=error.message))

    def _forget(self, entry: OutboxEntry) -> None:
        self._failures.pop(entry.id, None)
        self._not_before.pop(entry.id, None)
        self._has_left.discard(entry.id)

    async def _rest(self, entry: OutboxEntry) -> None:
        def act(writer: Writer) -> None:
            current = writer.journal.entries.find(entry.id) or entry
            if current.state is EntryState.DISCARDED:
                return
            rested = replace(current, state=EntryState.WAITING, attempts=entry.attempts, reason=entry.reason)
            if entry.kind not in CREATES and entry.id not in self._has_left:
                rested = replace(rested, known_id=entry.known_id)
            writer.journal.update(rested)

        await self._files.write(act)

    async def _send_edit(self, entry: OutboxEntry) -> None:
        """Get, compare, put, compare the echo. A put without a response is compared again."""
        for _ in range(_RACES):
            fetched = await self._client.work_items.fetch(entry.item_id)
            must_be_item(fetched.document, entry.item_id)
            theirs = fields_in(fetched.document)
            if COMPLETED in entry.payload and entry.known_id is None and entry.id not in self._has_left:
                entry = await self._files.write(partial(add_up, entry=entry, theirs=theirs))
            merged = merge(entry.base, entry.payload, theirs)
            if merged.conflicts:
                await self._conflict(entry, fetched.document, dict(merged.conflicts))
                return
            echo: Document = fetched.document
            if merged.changes:
                self._leave(entry)
                try:
                    echo = await self._client.work_items.update_document(
                        entry.item_id, merged.changes, fetched.etag, is_repeatable=False
                    )
                except (PreconditionFailed, Unclear):
                    continue
            if is_item(echo, entry.item_id):
                await self._delivered(entry, echo, kept_otherwise(merged.changes, fields_in(echo)))
                return
        raise Unclear("Could not confirm that the service saved the change. Checking again.")

    async def _delivered(self, entry: OutboxEntry, echo: Document, kept: Sequence[str]) -> None:
        if kept:
            words = ", ".join(f"{key} = {fields_in(echo).get(key)}" for key in kept)
            await self._settle(entry, EntryState.REFUSED, f"The service kept {words}.", echo)
            return

        def act(writer: Writer) -> None:
            receive(writer, [echo], entry)  # first: a crash in between would leave an old base for later edits
            writer.journal.deliver(entry)
            _show_sign(writer, entry.item_id)

        await self._files.write(act)
        self.delivered += 1

    async def _conflict(self, entry: OutboxEntry, document: Document, theirs: dict[str, object]) -> None:
        labels = ", ".join(FIELD_BY_KEY[key].label if key in FIELD_BY_KEY else key for key in theirs)
        reason = f"{document.get('lastModifiedBy') or 'Someone'} changed {labels} in the meantime."
        await self._settle(replace(entry, theirs=theirs), EntryState.CONFLICT, reason, document)

    async def _settle(
        self, entry: OutboxEntry, state: EntryState, reason: str, received: Document | None = None
    ) -> None:
        def act(writer: Writer) -> None:
            current = writer.journal.entries.find(entry.id) or entry
            if current.state is EntryState.DISCARDED:
                return
            is_too_late = state is EntryState.REFUSED and writer.mirror.was_deleted(entry.item_id)
            settled = EntryState.DISCARDED if is_too_late else state
            writer.journal.update(replace(current, state=settled, reason=reason, theirs=entry.theirs))
            if state is EntryState.REFUSED and _give_up_unwanted(writer, replace(current, state=settled)):
                return
            if received is not None:
                receive(writer, [received])
            writer.release_ranks()
            if entry.kind in ON_NODES:
                show_trees(writer)
                return
            _show_sign(writer, entry.item_id)
            if entry.kind in ON_COMMENTS:
                writer.signal.publish(Change(Subject.COMMENTS, frozenset({entry.item_id})))

        await self._files.write(act)

    async def _delete(self, entry: OutboxEntry) -> None:
        contested = await self._deletions.delete(entry)
        if contested is not None:
            await self._conflict(entry, contested.document, dict(contested.theirs))
        else:
            self.delivered += 1

    async def _create(self, entry: OutboxEntry) -> None:
        made = await self._creations.make(entry)
        real_id = whole(made.get("id")) or 0

        def act(writer: Writer) -> None:
            if entry.kind is EntryKind.ADD:
                writer.mirror.put_items([made], ())  # first: a crash in between would hide the item until the next sync
                writer.journal.deliver(entry, real_id)
                _start_from_presets(writer, entry, made)
                writer.mirror.rename(entry.temporary_id, made, writer.journal.entries.following(real_id))
                ids = frozenset({entry.temporary_id, real_id})
                writer.signal.publish(Change(Subject.ITEMS, ids, renamed={entry.temporary_id: real_id}))
            else:
                writer.journal.deliver(entry, real_id)
                writer.mirror.comments.remove([entry.temporary_id])
                writer.mirror.comments.put([made])
                renamed = {entry.temporary_id: real_id}
                writer.signal.publish(Change(Subject.COMMENTS, frozenset({entry.item_id}), renamed=renamed))

        await self._files.write(act)
        self.delivered += 1


def _start_from_presets(writer: Writer, entry: OutboxEntry, made: Document) -> None:
    """Use the service's presets as the base of later edits of a new item, because no user changed them."""
    if made.get("lastModifiedAt") not in {None, made.get("createdAt")}:
        return  # found rather than created, and changed since
    presets = {key: value for key, value in fields_in(made).items() if key not in entry.touched}
    for each in writer.journal.entries.undelivered([whole(made.get("id")) or 0], kind=EntryKind.EDIT):
        base = {key: presets.get(key) if value is None else value for key, value in each.base.items()}
        if base != each.base:
            writer.journal.update(replace(each, base=base))


def _give_up_unwanted(writer: Writer, made: OutboxEntry) -> bool:
    """Discard a rejected item or comment that the user has deleted since."""
    deletions = deletions_of(writer, made)
    is_undone = made.kind in UNMADE_LATER and writer.journal.undo_log.is_undone(made.step)
    if not (deletions or is_undone):
        return False
    doomed = with_followers(writer, [made, *deletions])
    discard(writer, doomed)
    take_out(writer, doomed)
    return True


def _show_sign(writer: Writer, item_id: int) -> None:
    show(writer, [item_id])
    writer.signal.publish(Change(Subject.ITEMS, frozenset({item_id}), frozenset({"sign"})))


def _recover(writer: Writer) -> None:
    """Recover the entries that were in transit when a process or an attempt ended."""
    stuck = writer.journal.entries.sending()
    if stuck:
        writer.journal.update_all(replace(entry, state=EntryState.WAITING) for entry in stuck)


def _take(writer: Writer, room: int, resting: Collection[int]) -> list[OutboxEntry]:
    """Choose the next sendable entries and mark them as SENDING in advance."""
    if room <= 0:
        return []
    chosen: list[OutboxEntry] = []
    earlier: dict[tuple[object, int], list[OutboxEntry]] = {}
    behind = 0
    peopled: set[int] = set()
    for entry in writer.journal.entries.outgoing():
        before = earlier.setdefault(_line(entry), [])
        is_free = _is_free(entry, before) and _is_neighbour_there(entry, earlier) and not peopled & deleted_nodes(entry)
        if entry.state is EntryState.WAITING and entry.id not in resting and is_free:
            entry = replace(entry, state=EntryState.SENDING)  # noqa: PLW2901 # later entries see it as in transit
            chosen.append(entry)
        behind += any(each.state is EntryState.SENDING for each in before)
        if len(chosen) == room or behind > _AHEAD:
            break
        before.append(entry)
        if entry.state in BUSY:
            peopled |= entry.places
    if chosen:
        writer.journal.update_all(each if each.kind in CREATES else replace(each, known_id=0) for each in chosen)
    return chosen


def _line(entry: OutboxEntry) -> tuple[object, int]:
    """Return the key of entries that must be sent in order: of an item, of a tree, of new items and moves."""
    if entry.kind in ON_NODES:
        return (entry.payload.get("tree"), entry.project_id)
    is_of_order = entry.kind in {EntryKind.ADD, EntryKind.RANK}
    return (entry.kind, entry.project_id) if is_of_order else (None, entry.item_id)


def _is_neighbour_there(entry: OutboxEntry, earlier: Mapping[tuple[object, int], Sequence[OutboxEntry]]) -> bool:
    """Report whether a move's nearest neighbour is not a new item that is still unsent."""
    if entry.kind is not EntryKind.RANK:
        return True
    (_, nearest), *_ = beside_of(entry.payload)
    new = earlier.get((EntryKind.ADD, entry.project_id), ())
    return not any(each.item_id == nearest and each.state in BUSY for each in new)


def _is_free(entry: OutboxEntry, before: Sequence[OutboxEntry]) -> bool:
    """Report whether an entry waits for no other: an entry in transit, a new item or node, a blocked change."""
    if any(node_id < ROOT_PARENT for node_id in entry.needs):
        return False
    if entry.kind in ON_NODES:
        blocked = {each.node_id for each in before if each.touched & entry.touched}
        return not any(each.state in BUSY for each in before) and entry.node_id not in blocked
    if entry.kind is EntryKind.ADD:
        is_parent_there = (entry.parent_id or 0) >= 0
        return is_parent_there and not any(each.state is EntryState.SENDING for each in before)
    if entry.item_id < 0:
        return False
    return not any(each.state in BUSY or each.touched & entry.touched for each in before)


async def _cancel(tasks: Sequence["asyncio.Task[bool] | asyncio.Task[BacklitError | None]"]) -> None:
    """Cancel tasks and wait for their end. The next turn recovers their entries."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
