"""Making items and comments exactly once: after an unclear failure, look before sending again (FEATURES rule 9)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from backlit.model.errors import ServiceRefused
from backlit.store.entries import EntryKind, OutboxEntry
from backlit.store.files import Files
from backlit.store.people import person_of
from backlit.store.rows import Document, fields_in, whole
from backlit.store.values import is_same

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resource import Page

_PAGE = 200


class Creations:
    """Sends ADD and COMMENT entries; called for one entry at a time, so that no look meets another's request."""

    def __init__(self, client: "Client", files: Files) -> None:
        self._client = client
        self._files = files

    async def make(self, entry: OutboxEntry) -> Document:
        """Make what an entry asks for, or find what an earlier attempt has made; returns it as received.

        Raises Unclear when it may have been made: the next call then looks first.
        """
        if entry.known_id is not None:
            found = await self._look(entry, entry.known_id)
            if found is not None:
                return found
        else:
            known_id = await self._largest_id(entry)
            await self._files.write(lambda writer: writer.journal.update(replace(entry, known_id=known_id)))
        if entry.kind is EntryKind.COMMENT:
            body = {"projectId": entry.project_id, "workItemId": entry.item_id, "description": entry.payload["text"]}
            return await self._client.comments.create_document(body)
        return await self._client.work_items.create_document(entry.payload)

    async def _look(self, entry: OutboxEntry, known_id: int) -> Document | None:
        me = person_of(await self._client.users.my_document())
        my_names = {me.username.casefold(), me.display_name.casefold()}
        taken = await self._files.write(lambda writer: writer.journal.made_ids(entry.kind))
        candidates = [
            each
            for each in await self._made_since(entry, known_id)
            if (whole(each.get("id")) or 0) > known_id
            and each.get("id") not in taken
            and str(each.get("createdBy") or "").casefold() in my_names
            and _is_made_by(entry, each)
        ]
        return max(candidates, key=lambda each: _likeness(entry, each), default=None)

    async def _made_since(self, entry: OutboxEntry, known_id: int) -> list[Document]:
        """All that was made after the first attempt; newest first where the service orders, all where it does not."""
        found: dict[int, Document] = {}
        skip = 0
        while True:
            page = await self._newest(entry, _PAGE, skip)
            ids = [whole(each.get("id")) or 0 for each in page.results]
            if not ids or set(ids) <= found.keys():
                return list(found.values())
            found |= dict(zip(ids, page.results, strict=True))
            if ids == sorted(ids, reverse=True) and ids[-1] <= known_id:
                return list(found.values())
            skip += len(ids)

    async def _largest_id(self, entry: OutboxEntry) -> int:
        page = await self._newest(entry, 1, 0)
        ids = [whole(each.get("id")) or 0 for each in page.results]
        return max([*ids, await self._files.write(lambda writer: writer.mirror.largest_id(entry.kind))])

    async def _newest(self, entry: OutboxEntry, top: int, skip: int) -> "Page":
        if entry.kind is EntryKind.COMMENT:
            return await self._client.work_items.comments_below(entry.item_id).documents(
                order="id desc", top=top, skip=skip
            )
        try:
            return await self._client.work_items.documents(
                filter=f"projectId eq {entry.project_id}", order="id desc", top=top, skip=skip
            )
        except ServiceRefused:
            return await self._client.work_items.documents(order="id desc", top=top, skip=skip)


def _is_made_by(entry: OutboxEntry, found: Document) -> bool:
    if entry.kind is EntryKind.COMMENT:
        return str(found.get("description") or "").split() == str(entry.payload["text"]).split()
    is_alike = found.get("type") == entry.payload["type"] and found.get("projectId") == entry.project_id
    return is_alike and _name(fields_in(found)) == _name(_wanted(entry))


def _likeness(entry: OutboxEntry, found: Document) -> tuple[int, int]:
    """How many of the wanted values it has; of equals the oldest counts."""
    fields = fields_in(found)
    alike = sum(is_same(fields.get(key), value) for key, value in _wanted(entry).items())
    return alike, -(whole(found.get("id")) or 0)


def _wanted(entry: OutboxEntry) -> Mapping[str, object]:
    fields = entry.payload.get("fields")
    return fields if isinstance(fields, dict) else {}


def _name(fields: Mapping[str, object]) -> Iterable[str]:
    return str(fields.get("Name") or "").split()
