"""Deletions sent to the service: only of unchanged items, and after a copy was stored."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from backlit.model.errors import NotFound, PreconditionFailed, ServiceRefused
from backlit.store.files.files import Files, Writer
from backlit.store.journal.trash import Copy
from backlit.store.outbox.delivery import Leave, was_discarded
from backlit.store.records.changes import Change, Subject
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Document, fields_in, must_be_item, whole
from backlit.store.records.values import is_same

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resources import Listing

_RACES = 3


@dataclass(frozen=True, slots=True)
class Contested:
    """A deletion stopped by another user's change: the item, and its values in the differing fields."""

    document: Document
    theirs: Mapping[str, object]


class DeletionSending:
    """Sender of DELETE and DELETE_COMMENT entries. A missing object counts as deleted."""

    def __init__(self, client: "Client", files: Files, leave: Leave) -> None:
        self._client = client
        self._files = files
        self._leave = leave

    async def delete(self, entry: OutboxEntry) -> Contested | None:
        """Delete an entry's object and settle the entry. Returns the conflict that prevented it, if any."""
        if entry.kind is EntryKind.DELETE_COMMENT:
            await self._delete_comment(entry)
            return None
        try:
            return await self._delete_item(entry)
        except NotFound:
            await self._files.write(lambda writer: _deleted(writer, entry))
            return None

    async def _delete_item(self, entry: OutboxEntry) -> Contested | None:
        """Get, compare, store a copy, delete."""
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
        """Update the copy in the trash. Lists that the service does not offer keep their mirrored state."""
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
        with suppress(NotFound):  # deleted by someone else first
            await self._client.comments.delete(comment_id)

        def act(writer: Writer) -> None:
            if was_discarded(writer, entry):
                return
            writer.journal.deliver(entry)
            writer.mirror.comments.remove([comment_id])
            writer.signal.publish(Change(Subject.COMMENTS, frozenset({entry.item_id})))

        await self._files.write(act)


def _deleted(writer: Writer, entry: OutboxEntry) -> None:
    """Remove the item from the mirror and discard its other pending entries."""
    if was_discarded(writer, entry):
        return
    gone = writer.mirror.delete_items([entry.item_id])
    with writer.journal.transaction():
        writer.journal.deliver(entry)
        late = [
            each
            for each in writer.journal.entries.undelivered()
            if (each.item_id in gone or each.parent_id in gone) and each.state is not EntryState.SENDING
        ]
        writer.journal.update_all(replace(each, state=EntryState.DISCARDED) for each in late)
    gone |= writer.mirror.remove_items(each.item_id for each in late)
    writer.signal.publish(Change(Subject.ITEMS, gone))
    writer.signal.publish(Change(Subject.COMMENTS, gone))


async def _all(listing: "Listing[Any]") -> list[Document]:
    """Return a whole list, empty if the service does not offer it. The item existed a moment ago."""
    found: dict[object, Document] = {}
    with suppress(ServiceRefused):
        async for page in listing.pages():
            before = len(found)
            found |= {each.get("id"): each for each in page.results}
            if len(found) == before:
                break
    return list(found.values())
