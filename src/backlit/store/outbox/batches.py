"""The new items of an import, and the new objects below them, sent many in one request."""

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from backlit.model.errors import OutcomeUnknown, ServiceError, ServiceRefused
from backlit.store.edits.items import announce_objects, update_overlay
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.object_changes.kinds import CREATIONS
from backlit.store.outbox.items import ItemCreationSearch, added, deliver_object
from backlit.store.outbox.sending import Sending
from backlit.store.records.entry import EntryCause, EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Document
from backlit.store.remote.capabilities import BATCH, OBJECT_BATCHES
from backlit.store.sqlite.database import transaction

if TYPE_CHECKING:
    from backlit.client.client import Client, ResourceEndpoint

_MAX_ENTRIES = 100
_MAX_CHARACTERS = 500_000
"""The service reads 4 MiB at most; a character has up to six bytes in JSON."""


class BatchSending(ABC):
    """Sender of creations of an import, many of a kind in one request.

    One request for each item took 22 ms of CPU, and a batch of 100 takes a tenth of it. Where the outcome is not known,
    they are looked for together.
    """

    extension: ClassVar[str]

    def __init__(self, client: "Client", files: LocalDatabase, singly: Sending, creations: ItemCreationSearch) -> None:
        self._client = client
        self._files = files
        self._singly = singly
        self._creations = creations
        self._alone: set[int] = set()

    def joins(self, entry: OutboxEntry) -> bool:
        """Report whether an entry may go in a batch, or went in one whose outcome is not known."""
        return entry.cause is EntryCause.IMPORT and entry.id not in self._alone

    async def send(self, entries: Sequence[OutboxEntry]) -> int:
        """Create what entries of a kind ask for, or find what an earlier request made, and record it; return how many.

        All entries have the same known id. Raises OutcomeUnknown if the creation is unconfirmed.
        """
        if entries[0].known_id is not None:
            return await self._find(entries)
        known_id = await self._creations.largest_id(entries[0], of_project=True)
        marked = [replace(entry, known_id=known_id) for entry in entries]
        await self._files.write(lambda writer: writer.journal.update_all(marked))
        began = time.monotonic()
        try:
            bodies = [self._body(each) for each in entries]
            made = await self._resource(entries[0]).create_batch(bodies, entries[0].note)
            if len(made) != len(entries) or not all(map(self._singly.is_made, entries, made)):
                raise OutcomeUnknown("The response does not match the request. Checking again.")  # noqa: TRY301
        except (OutcomeUnknown, ServiceError):
            for entry in entries:
                self._singly.expect_late(entry, began)
            raise
        except ServiceRefused:
            # Nothing was made. Which one the service rejects is told, and journalled, when each is sent alone.
            self._alone |= {each.id for each in entries}
            waiting = [replace(entry, state=EntryState.WAITING) for entry in entries]
            await self._files.write(lambda writer: writer.journal.update_all(waiting))
            return 0
        await self._files.write(lambda writer: self._deliver(writer, marked, made))
        return len(made)

    async def _find(self, entries: Sequence[OutboxEntry]) -> int:
        found = await self._creations.find_all(entries)
        made = [entry for entry in entries if entry.id in found]
        await self._files.write(lambda writer: self._deliver(writer, made, [found[entry.id] for entry in made]))
        if made:
            # All were made. Others have renamed or deleted the rest, so that each is looked for alone.
            missing = [entry for entry in entries if entry.id not in found]
            self._alone |= {entry.id for entry in missing}
        else:
            if self._singly.may_arrive(entries[0]):
                raise OutcomeUnknown("Could not confirm that the server saved the items. Checking again.")
            missing = [replace(entry, known_id=None) for entry in entries]
        waiting = [replace(entry, state=EntryState.WAITING) for entry in missing]
        await self._files.write(lambda writer: writer.journal.update_all(waiting))
        return len(made)

    @abstractmethod
    def _resource(self, entry: OutboxEntry) -> "ResourceEndpoint": ...

    @abstractmethod
    def _body(self, entry: OutboxEntry) -> Mapping[str, object]: ...

    @abstractmethod
    def _deliver(self, writer: WriteContext, entries: Sequence[OutboxEntry], made: Sequence[Document]) -> None: ...


class ItemBatchSending(BatchSending):
    """Sender of new items, in their order."""

    extension = BATCH

    def _resource(self, _entry: OutboxEntry) -> "ResourceEndpoint":
        return self._client.work_items

    def _body(self, entry: OutboxEntry) -> Mapping[str, object]:
        return entry.payload

    def _deliver(self, writer: WriteContext, entries: Sequence[OutboxEntry], made: Sequence[Document]) -> None:
        # The mirror is committed first, as for one item.
        with writer.journal.transaction(), transaction(writer.mirror.connection):
            added(writer, entries, made)


class ObjectBatchSending(BatchSending):
    """Sender of new objects below items, of one kind."""

    extension = OBJECT_BATCHES

    def _resource(self, entry: OutboxEntry) -> "ResourceEndpoint":
        return self._client.resource(CREATIONS[entry.kind].resource)

    def _body(self, entry: OutboxEntry) -> Mapping[str, object]:
        return CREATIONS[entry.kind](entry).body()

    def _deliver(self, writer: WriteContext, entries: Sequence[OutboxEntry], made: Sequence[Document]) -> None:
        renamed: dict[int, int] = {}
        with writer.journal.transaction(), transaction(writer.mirror.connection):
            for entry, document in zip(entries, made, strict=True):
                renamed |= deliver_object(writer, entry, document)
            update_overlay(writer, sorted({entry.item_id for entry in entries}))
        announce_objects(writer, entries, renamed)


class CreationBatch:
    """Creations of a kind that one request carries: of one project, in their order."""

    def __init__(self, sender: BatchSending, in_transit: Collection[OutboxEntry]) -> None:
        self.sender = sender
        self.entries: list[OutboxEntry] = []
        self._ids: set[int] = set()
        self._characters = 0
        # One at a time: a look for what a lost answer tells of never finds what another request has made.
        self._is_closed = any(map(sender.joins, in_transit))

    @property
    def is_full(self) -> bool:
        is_large = len(self.entries) >= _MAX_ENTRIES or self._characters >= _MAX_CHARACTERS
        return is_large or self._is_closed

    def joins(self, entry: OutboxEntry) -> bool:
        return self.sender.joins(entry)

    def add(self, entry: OutboxEntry) -> None:
        self.entries.append(entry)
        self._ids.add(entry.id)
        self._characters += len(str(entry.payload))

    def mark_sending(self) -> list[OutboxEntry]:
        self.entries = [replace(entry, state=EntryState.SENDING) for entry in self.entries]
        return self.entries

    def has(self, entry: OutboxEntry) -> bool:
        return entry.id in self._ids

    def admits(self, entry: OutboxEntry) -> bool:
        """Report whether an entry need not wait for the batch."""
        if not self.joins(entry):
            return entry.kind is not EntryKind.ADD or not self.entries
        kin = (entry.project_id, entry.known_id)
        return all((each.project_id, each.known_id) == kin for each in self.entries[:1]) and not self.is_full
