"""The outbox: sends the journal's entries, those of one item in order, and never the same thing twice."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from backlit.model.errors import BacklitError, Offline, ServiceError, ServiceRefused, Unclear
from backlit.store.changes import Change, Subject
from backlit.store.creations import Creations
from backlit.store.edits import show
from backlit.store.entries import EntryKind, EntryState, OutboxEntry
from backlit.store.files import Files, Writer
from backlit.store.merge import kept_otherwise, merge
from backlit.store.rows import Document, fields_in, whole

if TYPE_CHECKING:
    from backlit.client.client import Client

IN_FLIGHT = 4
FAILURES = 5
"""How often the service may fail over one entry before the entry counts as refused."""
_RACES = 3
_BUSY = frozenset({EntryState.WAITING, EntryState.SENDING})


class Outbox:
    """Sends what waits; every step is in the journal before the request that follows from it."""

    def __init__(self, client: "Client", files: Files) -> None:
        self._client = client
        self._files = files
        self._creations = Creations(client, files)
        self._creating = asyncio.Lock()

    async def recover(self) -> None:
        """Take up what was on its way when the last process ended."""

        def act(writer: Writer) -> None:
            stuck = [entry for entry in writer.journal.undelivered() if entry.state is EntryState.SENDING]
            writer.journal.update_all(replace(entry, state=EntryState.WAITING) for entry in stuck)

        await self._files.write(act)

    async def send(self) -> None:
        """Send all that can be sent now, some items at a time.

        Raises the trouble that keeps entries waiting, or SignInNeeded; what the service refuses stays in the journal
        with its reason and is not raised.
        """
        running: set[asyncio.Task[BacklitError | None]] = set()
        rested: set[int] = set()
        trouble: BacklitError | None = None
        is_stopped = False
        while True:
            if not is_stopped:
                take = partial(_take, room=IN_FLIGHT - len(running), rested=rested)
                for entry in await self._files.write(take):
                    running.add(asyncio.create_task(self._send_one(entry, rested)))
            if not running:
                break
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                trouble = task.result() or trouble
            is_stopped = trouble is not None and not isinstance(trouble, ServiceError | Unclear)
        if trouble is not None:
            raise trouble

    async def _send_one(self, entry: OutboxEntry, rested: set[int]) -> BacklitError | None:
        """Send an entry and settle it; returns what kept it from being settled."""
        try:
            if entry.kind is EntryKind.EDIT:
                await self._send_edit(entry)
            else:
                async with self._creating:
                    await self._create(entry)
        except ServiceRefused as error:
            await self._settle(entry, EntryState.REFUSED, error.message)
        except BacklitError as error:
            rested.add(entry.id)
            if isinstance(error, ServiceError) and entry.attempts >= FAILURES:
                await self._settle(entry, EntryState.REFUSED, f"The service failed over it repeatedly: {error.message}")
                return None
            await self._rest(entry, is_counted=not isinstance(error, Offline))
            return error
        return None

    async def _send_edit(self, entry: OutboxEntry) -> None:
        """Get, compare, put, compare the echo (FEATURES rule 14)."""
        for race in range(_RACES):
            fetched = await self._client.work_items.fetch(entry.item_id)
            merged = merge(entry.base, entry.payload, fields_in(fetched.document))
            if merged.conflicts:
                await self._conflict(entry, fetched.document, dict(merged.conflicts))
                return
            echo = fetched.document
            if merged.changes:
                try:
                    echo = await self._client.work_items.update_document(entry.item_id, merged.changes, fetched.etag)
                except ServiceRefused as error:
                    if error.status == 412 and race < _RACES - 1:
                        continue
                    raise
            await self._delivered(entry, echo, kept_otherwise(merged.changes, fields_in(echo)))
            return

    async def _delivered(self, entry: OutboxEntry, echo: Document, kept: Sequence[str]) -> None:
        if kept:
            words = ", ".join(f"{key} = {fields_in(echo).get(key)}" for key in kept)
            await self._settle(entry, EntryState.REFUSED, f"The service kept {words}.", echo)
            return

        def act(writer: Writer) -> None:
            writer.journal.deliver(entry)
            _receive(writer, entry.item_id, echo)

        await self._files.write(act)

    async def _conflict(self, entry: OutboxEntry, document: Document, theirs: dict[str, object]) -> None:
        keys = ", ".join(sorted(theirs))
        reason = f"{document.get('lastModifiedBy') or 'Somebody'} changed {keys} meanwhile."
        await self._settle(replace(entry, theirs=theirs), EntryState.CONFLICT, reason, document)

    async def _settle(
        self, entry: OutboxEntry, state: EntryState, reason: str, received: Document | None = None
    ) -> None:
        def act(writer: Writer) -> None:
            current = writer.journal.entry(entry.id) or entry
            writer.journal.update(replace(current, state=state, reason=reason, theirs=entry.theirs))
            _receive(writer, entry.item_id, received)
            if entry.kind is EntryKind.COMMENT:
                writer.signal.publish(Change(Subject.COMMENTS, frozenset({entry.item_id})))

        await self._files.write(act)

    async def _rest(self, entry: OutboxEntry, *, is_counted: bool) -> None:
        """Let an entry wait again; a request that never left does not count as an attempt."""

        def act(writer: Writer) -> None:
            current = writer.journal.entry(entry.id) or entry
            attempts = entry.attempts if is_counted else entry.attempts - 1
            writer.journal.update(replace(current, state=EntryState.WAITING, attempts=attempts))

        await self._files.write(act)

    async def _create(self, entry: OutboxEntry) -> None:
        made = await self._creations.make(entry)
        real_id = whole(made.get("id"))
        if real_id is None:
            raise Unclear("The service made something but did not say its id.")

        def act(writer: Writer) -> None:
            writer.journal.deliver(entry, real_id)
            if entry.kind is EntryKind.ADD:
                writer.mirror.rename(entry.temporary_id, made, writer.journal.undelivered())
                ids = frozenset({entry.temporary_id, real_id})
                writer.signal.publish(Change(Subject.ITEMS, ids, renamed={entry.temporary_id: real_id}))
            else:
                writer.mirror.comments.remove([entry.temporary_id])
                writer.mirror.comments.put([made])
                renamed = {entry.temporary_id: real_id}
                writer.signal.publish(Change(Subject.COMMENTS, frozenset({entry.item_id}), renamed=renamed))

        await self._files.write(act)


def _receive(writer: Writer, item_id: int, received: Document | None) -> None:
    undelivered = writer.journal.undelivered([item_id])
    if received is not None:
        writer.announce(writer.mirror.put_items([received], undelivered))
    show(writer, [item_id])
    writer.signal.publish(Change(Subject.ITEMS, frozenset({item_id}), frozenset({"sign"})))


def _take(writer: Writer, room: int, rested: Collection[int]) -> list[OutboxEntry]:
    """Choose what may be sent next, and mark it as being sent before it is."""
    if room <= 0:
        return []
    chosen: list[OutboxEntry] = []
    earlier: dict[int, list[OutboxEntry]] = {}
    for entry in writer.journal.outgoing():
        before = earlier.setdefault(entry.item_id, [])
        may_go = entry.state is EntryState.WAITING and entry.id not in rested and _is_free(entry, before)
        if may_go:
            chosen.append(replace(entry, state=EntryState.SENDING, attempts=entry.attempts + 1))
        if len(chosen) == room:
            break
        before.append(entry)
    if chosen:
        writer.journal.update_all(chosen)
    return chosen


def _is_free(entry: OutboxEntry, before: Sequence[OutboxEntry]) -> bool:
    """Whether nothing has to go first: entries on their way, a new item or parent, a blocked change of a field."""
    if (entry.kind is not EntryKind.ADD and entry.item_id < 0) or (entry.parent_id or 0) < 0:
        return False
    return not any(each.state in _BUSY or each.touched & entry.touched for each in before)
