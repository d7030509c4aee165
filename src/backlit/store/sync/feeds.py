"""Feeds of append-only data: comments and attachments, read from the last position."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from backlit.model.errors import ServiceRefused
from backlit.store.files import Files, Writer
from backlit.store.records.changes import Change, Subject
from backlit.store.records.item import LAST_ID, Document, whole
from backlit.store.remote.capabilities import obeys
from backlit.store.remote.listing import PageLimit, ProjectLists
from backlit.store.remote.receiving import note_comments

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resource import Listing

Put = Callable[[Writer, Iterable[Document]], frozenset[int]]
_NOT_OFFERED = -1
FEEDS = (Subject.COMMENTS, Subject.ATTACHMENTS)


class Feed:
    """The feed of a noun. Without the service's support, comments and files are read with their item."""

    def __init__(self, subject: Subject, listing: "Listing[Any]", files: Files, put: Put) -> None:
        self._subject = subject
        self._listing = listing
        self._files = files
        self._put = put

    async def run(self, lists: ProjectLists) -> None:
        """Read everything created since the last sync: by id, else newest first down to known ids."""
        key = f"{self._subject.value} {lists.project_id if lists.traits.is_ranged else 'all'}"
        position = whole(await self._files.write(lambda writer: writer.mirror.note(key))) or 0
        if position == _NOT_OFFERED:
            return
        try:
            if lists.traits.is_ranged:
                is_offered = await self._read_on(lists, key, position)
            else:
                is_offered = lists.traits.orders and await self._read_back(lists, key, position)
        except ServiceRefused:
            is_offered = False
        if not is_offered:
            await self._store(key, _NOT_OFFERED, [])

    async def _read_on(self, lists: ProjectLists, key: str, position: int) -> bool:
        """Read upwards by id. Returns False if the service ignores the condition."""
        limit = PageLimit(self._subject.value)
        while True:
            page = await lists.page(self._listing, f"id gt {position}", order="id")
            limit.note(is_news=True)
            if not obeys(page.results, lists.project_id, position):
                return False
            if not page.results:
                return True
            is_all = len(page.results) >= page.total
            if is_all or lists.traits.orders:
                position = max(whole(each.get("id")) or 0 for each in page.results)
                await self._store(key, position, page.results)
            if is_all or not lists.traits.orders:
                return is_all

    async def _read_back(self, lists: ProjectLists, key: str, position: int) -> bool:
        """Read downwards to the position. The position advances only after a complete read."""
        newest, seen, lowest = position, 0, LAST_ID + 1
        limit = PageLimit(self._subject.value)
        while True:
            page = await lists.page(self._listing, order="id desc", skip=seen or None)
            ids = [whole(each.get("id")) or 0 for each in page.results]
            if ids != sorted(ids, reverse=True):
                return False
            limit.note(is_news=bool(ids) and ids[-1] < lowest)
            lowest = min([lowest, *ids])
            seen += len(ids)
            newest = max([newest, *ids])
            is_all = not ids or ids[-1] <= position or seen >= page.total
            fresh = [each for each in page.results if (whole(each.get("id")) or 0) > position]
            await self._store(key, newest if is_all else position, fresh)
            if is_all:
                return True

    async def _store(self, key: str, position: int, documents: list[Document]) -> None:
        def act(writer: Writer) -> None:
            ids = self._put(writer, documents)
            writer.mirror.set_note(key, position)
            if ids:
                writer.signal.publish(Change(self._subject, ids))

        await self._files.write(act)


def feeds_of(client: "Client", files: Files) -> tuple[Feed, ...]:
    """Return the feeds of a service."""

    def put_comments(writer: Writer, found: Iterable[Document]) -> frozenset[int]:
        documents = list(found)
        note_comments(writer, documents)
        return writer.mirror.comments.put(documents)

    def put_attachments(writer: Writer, found: Iterable[Document]) -> frozenset[int]:
        return writer.mirror.attachments.put(found)

    return (
        Feed(Subject.COMMENTS, client.comments, files, put_comments),
        Feed(Subject.ATTACHMENTS, client.attachments, files, put_attachments),
    )
