"""The exchange with the service that items, comments and nodes share: edit, create and delete, each exactly once."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from backlit.model.amounts import listed
from backlit.model.errors import NotFound, OutcomeUnknown, PreconditionFailed, ServiceError
from backlit.store.edits.deletions import deletions_of
from backlit.store.edits.items import announce_objects, discard, show_without, update_overlay, with_dependents
from backlit.store.edits.nodes import show_trees
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import CREATES, EDITS, ON_NODES, EntryState, OutboxEntry
from backlit.store.records.item import Document
from backlit.store.records.merge import MergeResult, kept_otherwise
from backlit.store.remote.reachability import RetryPauses

if TYPE_CHECKING:
    from backlit.client.client import Client, FetchedResource, ResourceEndpoint

_UNCONFIRMED = "Could not confirm that the server saved the change. Checking again."
# Others who write the same item just then may make the version stale again between the read and the write.
_RACES = 5
_LONGEST_TRANSIT = 30.0


class CreationSearch(Protocol):
    """Search for objects that an earlier request created although its response was lost."""

    async def largest_id(self, entry: OutboxEntry) -> int:
        """Return the largest known id before a creation, the lower bound of a later search."""

    async def find(self, entry: OutboxEntry, known_id: int) -> Document | None:
        """Return the object of an entry, newer than an id, or None. Raises ServiceRefused if only the user can tell."""


class Sending(ABC):
    """Sender of the entries on one kind of object. A subclass knows its requests and its place in the mirror.

    `may_have_been_sent` holds the ids of entries that may have taken effect. Creations are sent one at a time for each
    project, tree or item, so that a look never finds an object that another entry's request created.
    """

    def __init__(
        self,
        client: "Client",
        files: LocalDatabase,
        waits: RetryPauses,
        may_have_been_sent: set[int],
        search: CreationSearch,
    ) -> None:
        self._client = client
        self._files = files
        self._search = search
        self._in_transit = waits.in_transit
        self._may_have_been_sent = may_have_been_sent
        self._began = time.monotonic()
        self._arrived_by: dict[int, float] = {}

    async def send(self, entry: OutboxEntry) -> bool:
        """Send an entry and record the outcome. Returns False for a conflict or a rejection."""
        if entry.kind in CREATES:
            await self._deliver(entry, await self._create(entry))
            return True
        return await self._delete(entry)

    async def is_there(self, entry: OutboxEntry) -> bool:
        try:
            await self._resource(entry).fetch(self._object_id(entry))
        except NotFound:
            return False
        return True

    # New objects

    async def _create(self, entry: OutboxEntry) -> Document:
        """Create the object of an entry, or find the one an earlier attempt created. Returns it as received.

        Raises OutcomeUnknown if the creation is unconfirmed, and the next call then looks first.
        """
        if entry.known_id is not None:
            found = await self._search.find(entry, entry.known_id)
            if found is None and self.may_arrive(entry):
                raise OutcomeUnknown(_UNCONFIRMED)
            if found is not None:
                self._arrived_by.pop(entry.id, None)
                return found
        else:
            known_id = await self._search.largest_id(entry)
            await self._files.write(lambda writer: writer.journal.update(replace(entry, known_id=known_id)))
        return await self._post(entry)

    async def _post(self, entry: OutboxEntry) -> Document:
        """Send the request. A request without a response may arrive for as long again as the response was awaited."""
        body = await self._new_body(entry)
        began = time.monotonic()
        try:
            made = await self._resource(entry).create(body, entry.note)
        except (OutcomeUnknown, ServiceError):
            self.expect_late(entry, began)
            raise
        if not self.is_made(entry, made):
            self.expect_late(entry, began)
            raise OutcomeUnknown("The response does not match the request. Checking again.")
        self._arrived_by.pop(entry.id, None)
        return made

    def may_arrive(self, entry: OutboxEntry) -> bool:
        """Report whether an earlier request without a response may still take effect."""
        return time.monotonic() < self._arrived_by.get(entry.id, self._began + self._in_transit)

    def expect_late(self, entry: OutboxEntry, began: float) -> None:
        ended = time.monotonic()
        self._arrived_by[entry.id] = ended + min(max(self._in_transit, ended - began), _LONGEST_TRANSIT)

    # Deletions

    async def _delete(self, entry: OutboxEntry) -> bool:
        for race in range(_RACES):
            try:
                if not await self._remove(entry):
                    return False
            except NotFound:  # deleted by someone else first
                break
            except PreconditionFailed:
                if race == _RACES - 1:
                    raise
            else:
                break
        await self._deliver(entry, {})
        return True

    # The kind of object

    @abstractmethod
    def _resource(self, entry: OutboxEntry) -> "ResourceEndpoint": ...

    @abstractmethod
    def _object_id(self, entry: OutboxEntry) -> int: ...

    @abstractmethod
    async def _new_body(self, entry: OutboxEntry) -> Mapping[str, object]: ...

    @abstractmethod
    def is_made(self, entry: OutboxEntry, made: Document) -> bool: ...

    @abstractmethod
    async def _remove(self, entry: OutboxEntry) -> bool:
        """Delete an unchanged object. Returns False for a conflict, raises NotFound without an object."""

    @abstractmethod
    async def _deliver(self, entry: OutboxEntry, document: Document) -> None:
        """Store the service's response, empty for a deletion, and mark the entry as sent."""


class EditSending(Sending):
    """Sender of the entries on objects that can be edited, each after a comparison with the service's values."""

    noun: str

    async def send(self, entry: OutboxEntry) -> bool:
        return await (self._edit(entry) if entry.kind in EDITS else super().send(entry))

    async def _edit(self, entry: OutboxEntry) -> bool:
        """Get, compare, put, compare the echo. A put without a response is compared again."""
        for _ in range(_RACES):
            fetched = await self._fetch(entry)
            theirs = self._values(fetched.document)
            entry, merged = await self._compare(entry, theirs)
            if merged.conflicts:
                await self._contest(entry, fetched.document, merged.conflicts)
                return False
            body = await self._edit_body(entry, merged.changes, theirs)
            echo: Document = fetched.document
            if body:
                self._may_have_been_sent.add(entry.id)
                resource = self._resource(entry)
                try:
                    echo = await resource.update(
                        self._object_id(entry), body, fetched.etag, note=entry.note, is_repeatable=False
                    )
                except (PreconditionFailed, OutcomeUnknown):
                    continue
            if self._is_object(entry, echo):
                return await self._verify(entry, merged.changes, echo)
        raise OutcomeUnknown(_UNCONFIRMED)

    async def _verify(self, entry: OutboxEntry, sent: Mapping[str, object], echo: Document) -> bool:
        """Record the outcome of an edit by its echo. Values that the service did not accept make it a rejection."""
        found = self._values(echo)
        kept = kept_otherwise(sent, found)
        if not kept:
            await self._deliver(entry, echo)
            return True
        words = ", ".join(f"{key} = {found.get(key)}" for key in kept)
        await self._hold(entry, EntryState.REFUSED, f"The server kept {words}.", echo)
        return False

    async def _fetch(self, entry: OutboxEntry) -> "FetchedResource":
        resource = self._resource(entry)
        fetched = await resource.fetch(self._object_id(entry))
        if not self._is_object(entry, fetched.document):
            raise ServiceError(f"{resource.server} returned another {self.noun} than requested.")
        return fetched

    async def _contest(
        self, entry: OutboxEntry, document: Document, theirs: Mapping[str, object], reason: str = ""
    ) -> None:
        who = document.get("lastModifiedBy") or "Someone"
        words = reason or f"{who} changed {listed([*map(self._label, theirs)])} in the meantime."
        await self._hold(replace(entry, theirs=dict(theirs)), EntryState.CONFLICT, words, document)

    async def _hold(self, entry: OutboxEntry, state: EntryState, reason: str, received: Document) -> None:
        def act(writer: WriteContext) -> None:
            if not hold(writer, entry, state, reason):
                return
            if received:
                self._receive(writer, entry, received)
            show_outcome(writer, entry)

        await self._files.write(act)

    # The kind of object

    @abstractmethod
    def _is_object(self, entry: OutboxEntry, document: Document) -> bool:
        """Report whether a response is the entry's object. Proxies can fake a success."""

    @abstractmethod
    def _values(self, document: Document) -> Mapping[str, object]: ...

    @abstractmethod
    def _label(self, key: str) -> str: ...

    @abstractmethod
    async def _compare(self, entry: OutboxEntry, theirs: Mapping[str, object]) -> tuple[OutboxEntry, MergeResult]:
        """Merge an edit with the service's values. Returns the edit too, which may have been based on them."""

    async def _edit_body(
        self, _entry: OutboxEntry, changes: Mapping[str, object], _theirs: Mapping[str, object]
    ) -> Mapping[str, object]:
        """Return the body of an edit's request, empty if nothing is left to change."""
        return changes

    @abstractmethod
    def _receive(self, writer: WriteContext, entry: OutboxEntry, document: Document) -> None: ...


def was_discarded(writer: WriteContext, entry: OutboxEntry) -> bool:
    """Report whether an entry was undone while in transit. A deletion is then looked up, whatever its response."""
    current = writer.journal.entries.find(entry.id)
    return current is not None and current.state is EntryState.DISCARDED


def hold(writer: WriteContext, entry: OutboxEntry, state: EntryState, reason: str) -> bool:
    """Record a conflict or a rejection. Returns False if the entry is not needed any more."""
    current = writer.journal.entries.find(entry.id) or entry
    if current.state is EntryState.DISCARDED:
        return False
    is_too_late = state is EntryState.REFUSED and writer.mirror.was_deleted(entry.item_id)
    held = replace(current, state=EntryState.DISCARDED if is_too_late else state, reason=reason, theirs=entry.theirs)
    along = [replace(each, state=held.state) for each in writer.journal.entries.along(held)]
    writer.journal.update_all([held, *along])
    return not (state is EntryState.REFUSED and _give_up_unwanted(writer, held))


def show_outcome(writer: WriteContext, entry: OutboxEntry) -> None:
    writer.release_ranks()
    if entry.kind in ON_NODES:
        show_trees(writer)
        return
    show_sign(writer, entry.item_id)
    update_overlay(writer, [each.item_id for each in writer.journal.entries.along(entry)])
    announce_objects(writer, [entry])


def show_sign(writer: WriteContext, item_id: int) -> None:
    update_overlay(writer, [item_id])
    writer.signal.publish(StoreChange(Subject.ITEMS, frozenset({item_id}), frozenset({"sign"})))


def _give_up_unwanted(writer: WriteContext, made: OutboxEntry) -> bool:
    deletions = deletions_of(writer, made)
    is_undone = made.kind in CREATES and writer.journal.undo_log.is_undone(made.step)
    if not (deletions or is_undone):
        return False
    discarded = with_dependents(writer, [made, *deletions])
    discard(writer, discarded)
    show_without(writer, discarded)
    return True
