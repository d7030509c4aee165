"""Conversions and moves of items sent to the service: another type, another project, another parent of a task."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from backlit.model.errors import BadRequest, Conflict, OutcomeUnknown, PreconditionFailed, ServiceError
from backlit.store.edits.items import update_overlay
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.outbox.sending import show_sign
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import TARGET_KEY, EntryKind, OutboxEntry
from backlit.store.records.item import Document, fields_in, id_in, is_item
from backlit.store.remote.receiving import receive

if TYPE_CHECKING:
    from backlit.client.client import Client

_RACES = 5
_IDS_AT_ONCE = 100
"""Items of a request; the service refuses filters of 200 ids."""


class TransformSending:
    """Sender of conversions and moves. One that was made already, whose answer was lost, is not made again."""

    def __init__(self, client: "Client", files: LocalDatabase, may_have_been_sent: set[int]) -> None:
        self._client = client
        self._files = files
        self._may_have_been_sent = may_have_been_sent

    async def send(self, entry: OutboxEntry) -> bool:
        refusal: BadRequest | Conflict | None = None
        for _ in range(_RACES):
            fetched = await self._client.work_items.fetch(entry.item_id)
            document = fetched.document
            if not is_item(document, entry.item_id):
                raise ServiceError(f"{self._client.server} returned another item than requested.")
            if not _is_made(entry, document):
                if refusal is not None:
                    raise refusal
                try:
                    document = await self._ask(entry, fetched.etag)
                except (PreconditionFailed, OutcomeUnknown):
                    continue
                except (BadRequest, Conflict) as error:
                    refusal = error  # perhaps because a request without an answer arrived after all
                    continue
            if _is_made(entry, document):
                await self._deliver(entry, document)
                return True
        raise OutcomeUnknown("Could not confirm that the server saved the change. Checking again.")

    async def _ask(self, entry: OutboxEntry, etag: str | None) -> Document:
        self._may_have_been_sent.add(entry.id)
        verb = "convert" if entry.kind is EntryKind.CONVERT else "move"
        return await self._client.work_items.act(entry.item_id, verb, body_of(entry), etag, entry.note)

    async def _deliver(self, entry: OutboxEntry, document: Document) -> None:
        along = await self._files.write(lambda writer: writer.journal.entries.along(entry))
        documents = [document, *await self._read([each.item_id for each in along])]
        await self._files.write(lambda writer: _delivered(writer, entry, along, documents))

    async def _read(self, item_ids: Sequence[int]) -> list[Document]:
        found: list[Document] = []
        for start in range(0, len(item_ids), _IDS_AT_ONCE):
            batch = item_ids[start : start + _IDS_AT_ONCE]
            wanted = ",".join(map(str, batch))
            found += (await self._client.work_items.page(filter=f"id in ({wanted})", top=len(batch))).results
        return found


def body_of(entry: OutboxEntry) -> Mapping[str, object]:
    """Return the body of a request to convert or move an item."""
    values, target = entry.transformed_values, entry.payload.get(TARGET_KEY)
    match entry.kind:
        case EntryKind.CONVERT:
            parent = {} if target is None else {"ParentID": target}
            return {"type": values["type"], "fields": {**entry.fields, **parent}}
        case EntryKind.MOVE_TASK:
            return {"ParentID": target}
        case _:
            return {"projectId": values["projectId"], "children": entry.payload["children"], **entry.fields}


def _is_made(entry: OutboxEntry, document: Document) -> bool:
    key = {EntryKind.CONVERT: "type", EntryKind.MOVE: "projectId", EntryKind.MOVE_TASK: "ParentID"}[entry.kind]
    return {**fields_in(document), **document}.get(key) == entry.transformed_values[key]


def _delivered(
    writer: WriteContext, entry: OutboxEntry, along: Iterable[OutboxEntry], documents: Sequence[Document]
) -> None:
    receive(writer, documents, entry)  # first: a crash in between would leave an old base for later edits
    with writer.journal.transaction():
        for each in (entry, *along):
            writer.journal.deliver(each)
        _start_from_there(writer, entry, documents)
    show_sign(writer, entry.item_id)
    ids = [id_in(document) for document in documents]
    update_overlay(writer, ids)
    writer.mirror.read_objects_of(ids)
    writer.signal.publish(StoreChange(Subject.ITEMS, frozenset(ids)))


def _start_from_there(writer: WriteContext, entry: OutboxEntry, documents: Iterable[Document]) -> None:
    """Use what came of a conversion or a move as the base of edits of the same act, because nobody else changed it."""
    for document in documents:
        fields = fields_in(document)
        for each in writer.journal.entries.undelivered([id_in(document)], kind=EntryKind.EDIT):
            if each.step == entry.step:
                writer.journal.update(replace(each, base={key: fields.get(key) for key in each.base}))
