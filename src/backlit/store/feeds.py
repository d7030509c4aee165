"""What only ever grows: comments and attachments, read from where the last turn stopped."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from backlit.model.errors import ServiceRefused
from backlit.store.asking import Asking
from backlit.store.changes import Change, Subject
from backlit.store.files import Files, Writer
from backlit.store.probes import obeys
from backlit.store.receiving import note_comments
from backlit.store.rows import Document, whole

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resource import Listing

Put = Callable[[Writer, Iterable[Document]], frozenset[int]]
_NOT_OFFERED = -1
FEEDS = (Subject.COMMENTS, Subject.ATTACHMENTS)


class Feed:
    """The news of one noun; where the service does not give them, they are read when their item is looked at."""

    def __init__(self, subject: Subject, listing: "Listing[Any]", files: Files, put: Put) -> None:
        self._subject = subject
        self._listing = listing
        self._files = files
        self._put = put

    async def turn(self, asking: Asking) -> None:
        """Read what was made since the last turn: by id, else newest first until what is known comes."""
        key = f"{self._subject.value} {asking.project_id if asking.traits.is_ranged else 'all'}"
        position = whole(await self._files.write(lambda writer: writer.mirror.note(key))) or 0
        if position == _NOT_OFFERED:
            return
        try:
            if asking.traits.is_ranged:
                is_offered = await self._read_on(asking, key, position)
            else:
                is_offered = asking.traits.orders and await self._read_back(asking, key, position)
        except ServiceRefused:
            is_offered = False
        if not is_offered:
            await self._store(key, _NOT_OFFERED, [])

    async def _read_on(self, asking: Asking, key: str, position: int) -> bool:
        """Read upwards by id; False where the service does not do what it is asked for."""
        while True:
            page = await asking.page(self._listing, f"id gt {position}", order="id")
            if not obeys(page.results, asking.project_id, position):
                return False
            if not page.results:
                return True
            is_all = len(page.results) >= page.total
            if is_all or asking.traits.orders:
                position = max(whole(each.get("id")) or 0 for each in page.results)
                await self._store(key, position, page.results)
            if is_all or not asking.traits.orders:
                return is_all

    async def _read_back(self, asking: Asking, key: str, position: int) -> bool:
        """Read downwards to the position; it is moved only when all has come."""
        newest, seen = position, 0
        while True:
            page = await asking.page(self._listing, order="id desc", skip=seen or None)
            ids = [whole(each.get("id")) or 0 for each in page.results]
            if ids != sorted(ids, reverse=True):
                return False
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
    """The feeds of a service."""

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
