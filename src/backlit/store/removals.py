"""Deleting on the service: only what is still as it was when the user said so, and with a copy kept before."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from backlit.model.errors import NotFound, PreconditionFailed, ServiceRefused
from backlit.store.changes import Change, Subject
from backlit.store.entries import EntryKind, EntryState, OutboxEntry
from backlit.store.files import Files, Writer
from backlit.store.recalls import was_given_up
from backlit.store.rows import Document, fields_in, must_be_item, whole
from backlit.store.trash import Copy
from backlit.store.values import is_same

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resource import Listing

_RACES = 3

Leave = Callable[[OutboxEntry], None]
"""Told of an entry right before a request that may change something: from then on it may have been done."""


@dataclass(frozen=True, slots=True)
class Contested:
    """The item was changed meanwhile: the whole of it, and what it has in the fields that differ."""

    document: Document
    theirs: Mapping[str, object]


class Removals:
    """Sends DELETE and DELETE_COMMENT entries; what is not there any more counts as deleted."""

    def __init__(self, client: "Client", files: Files, leave: Leave) -> None:
        self._client = client
        self._files = files
        self._leave = leave

    async def delete(self, entry: OutboxEntry) -> Contested | None:
        """Delete what an entry names and settle it; returns what speaks against it, and then nothing was done."""
        if entry.kind is EntryKind.DELETE_COMMENT:
            await self._delete_comment(entry)
            return None
        try:
            return await self._delete_item(entry)
        except NotFound:
            await self._files.write(lambda writer: _deleted(writer, entry))
            return None

    async def _delete_item(self, entry: OutboxEntry) -> Contested | None:
        """Get, compare, keep a copy, delete (FEATURES rules 14 and 27)."""
        for race in range(_RACES):
            fetched = await self._client.work_items.fetch(entry.item_id)
            must_be_item(fetched.document, entry.item_id)
            theirs = fields_in(fetched.document)
            changed = {key: theirs.get(key) for key, value in entry.base.items() if not is_same(theirs.get(key), value)}
            if changed:
                return Contested(fetched.document, changed)
            await self._keep_copy(entry, fetched.document)
            self._leave(entry)
            try:
                await self._client.work_items.delete(entry.item_id, fetched.etag)
            except PreconditionFailed:
                if race == _RACES - 1:
                    raise
                continue
            break
        await self._files.write(lambda writer: _deleted(writer, entry))
        return None

    async def _keep_copy(self, entry: OutboxEntry, document: Document) -> None:
        """Bring the copy in the trash up to date; what cannot be asked stays as it was mirrored."""
        below = self._client.work_items
        tasks = await _all(below.tasks_below(entry.item_id))
        comments = await _all(below.comments_below(entry.item_id))
        attachments = await _all(below.attachments_below(entry.item_id))

        def act(writer: Writer) -> None:
            known = writer.journal.trash.of_entry(entry.id) or Copy(document)
            of_tasks = [each for each in known.comments if each.get("workItemId") != entry.item_id]
            copy = replace(known, item=document, tasks=tasks or known.tasks, attachments=attachments)
            writer.journal.trash.keep(replace(copy, comments=[*comments, *of_tasks] or known.comments), entry.id)

        await self._files.write(act)

    async def _delete_comment(self, entry: OutboxEntry) -> None:
        comment_id = whole(entry.payload.get("id")) or 0
        self._leave(entry)
        with suppress(NotFound):  # somebody else was faster
            await self._client.comments.delete(comment_id)

        def act(writer: Writer) -> None:
            if was_given_up(writer, entry):
                return
            writer.journal.deliver(entry)
            writer.mirror.comments.remove([comment_id])
            writer.signal.publish(Change(Subject.COMMENTS, frozenset({entry.item_id})))

        await self._files.write(act)


def _deleted(writer: Writer, entry: OutboxEntry) -> None:
    """The service has it no more: forget it, and give up what was still to be done to it."""
    if was_given_up(writer, entry):
        return
    gone = writer.mirror.delete_items([entry.item_id])
    with writer.journal.transaction():
        writer.journal.deliver(entry)
        late = [
            each
            for each in writer.journal.undelivered()
            if (each.item_id in gone or each.parent_id in gone) and each.state is not EntryState.SENDING
        ]
        writer.journal.update_all(replace(each, state=EntryState.DISCARDED) for each in late)
    gone |= writer.mirror.remove_items(each.item_id for each in late)
    writer.signal.publish(Change(Subject.ITEMS, gone))
    writer.signal.publish(Change(Subject.COMMENTS, gone))


async def _all(listing: "Listing[Any]") -> list[Document]:
    """A whole list; empty where the service does not give it, for the item itself was there just now."""
    found: dict[object, Document] = {}
    with suppress(ServiceRefused):
        async for page in listing.pages():
            before = len(found)
            found |= {each.get("id"): each for each in page.results}
            if len(found) == before:
                break
    return list(found.values())
