"""What only ever grows: comments and attachments, read from where the last turn stopped."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from backlit.model.errors import BadRequest, NotFound
from backlit.store.changes import Change, Subject
from backlit.store.files import Files, Writer
from backlit.store.reading import PAGE
from backlit.store.receiving import note_comments
from backlit.store.rows import Document, whole

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resource import Listing, Page

Put = Callable[[Writer, Iterable[Document]], frozenset[int]]
_NOT_OFFERED = -1


class Feed:
    """The news of one noun; where the service does not give them, they are read when their item is looked at."""

    def __init__(self, subject: Subject, listing: "Listing[Any]", files: Files, put: Put) -> None:
        self._subject = subject
        self._listing = listing
        self._files = files
        self._put = put

    async def turn(self, project_id: int) -> None:
        """Read what was made since the last turn, by id."""
        key = f"{self._subject.value} {project_id}"
        position = whole(await self._files.write(lambda writer: writer.mirror.note(key))) or 0
        while position != _NOT_OFFERED:
            page = await self._after(project_id, position)
            if page is None:
                position = _NOT_OFFERED
                await self._store(key, position, [])
                return
            if not page.results:
                return
            position = max(whole(each.get("id")) or 0 for each in page.results)
            await self._store(key, position, page.results)
            if len(page.results) >= page.total:
                return

    async def _after(self, project_id: int, position: int) -> "Page | None":
        """The next page; None where the service does not do what it is asked for."""
        try:
            page = await self._listing.documents(
                filter=f"projectId eq {project_id} and id gt {position}", order="id", top=PAGE
            )
        except (BadRequest, NotFound):
            return None
        return page if obeys(page.results, project_id, position) else None

    async def _store(self, key: str, position: int, documents: list[Document]) -> None:
        def act(writer: Writer) -> None:
            ids = self._put(writer, documents)
            writer.mirror.set_note(key, position)
            if ids:
                writer.signal.publish(Change(self._subject, ids))

        await self._files.write(act)


def feeds_of(client: "Client", files: Files) -> tuple[Feed, ...]:
    """The feeds of a service."""
    return (
        Feed(Subject.COMMENTS, client.comments, files, _put_comments),
        Feed(
            Subject.ATTACHMENTS, client.attachments, files, lambda writer, found: writer.mirror.attachments.put(found)
        ),
    )


def _put_comments(writer: Writer, documents: Iterable[Document]) -> frozenset[int]:
    found = list(documents)
    note_comments(writer, found)
    return writer.mirror.comments.put(found)


def obeys(results: Iterable[Document], project_id: int, position: int) -> bool:
    """Whether all that came is of the project and past the position."""
    return all(each.get("projectId") == project_id and (whole(each.get("id")) or 0) > position for each in results)
