"""Files to the service and back, now: nothing of them is queued, and cancelling the caller's task ends the transfer."""

import asyncio
import mimetypes
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import orjson

from backlit.model.errors import (
    BadRequest,
    MethodNotAllowed,
    NotFound,
    ServiceError,
    SignInNeeded,
    Trouble,
    Unclear,
)
from backlit.store.changes import Change, Subject
from backlit.store.files import Files, Writer
from backlit.store.reach import SHUTS
from backlit.store.rows import Document, whole

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.model.attachments import Attachment
    from backlit.store.session import Session

Progress = Callable[[int, int], None]
"""Called on the engine's thread with the bytes that have travelled and all there are; 0 where that is not known."""

_UNKNOWN_TYPE = "application/octet-stream"
_NOT_QUEUED = "Attachments are not kept to be sent later: do it again when the service can be reached."
_ONLY_THERE = "The contents of attachments are not kept here."

_T = TypeVar("_T")


class Line(Protocol):
    """What has something done by the session, on the engine's loop."""

    async def ask(self, act: Callable[["Session"], Coroutine[Any, Any, _T]]) -> _T:
        """Have it done now; raises what keeps it from being done."""

    def tell(self, act: Callable[["Session"], None]) -> None:
        """Have something done there; nothing happens while there is no connection."""


class Transfers:
    """What is done to attachments with the service at once; `found` gives an item's id, type and project."""

    def __init__(self, files: Files, line: Line, found: Callable[[int], tuple[int, str, int]]) -> None:
        self._files = files
        self._line = line
        self._found = found

    async def upload(
        self, item_id: int, path: Path, progress: Progress, comment_id: int | None = None, kind: str | None = None
    ) -> int:
        """Attach a file to an item, or to one of its comments where the service can; returns the attachment's id.

        `kind` is FOR_CUSTOMERS for what they see. Raises BadRequest for an item or comment that was not sent yet,
        Unclear where it may have arrived though no answer came, StorageError where the file cannot be read.
        """
        real_id = self._sent(item_id)
        if comment_id is not None and comment_id <= 0:
            raise BadRequest("The comment has not been sent yet; it can have files when the service has it.")
        below = f"workitems/{real_id}" if comment_id is None else f"comments/{comment_id}"
        content_type = mimetypes.guess_type(path.name)[0] or _UNKNOWN_TYPE
        try:
            document = await self._now(
                lambda client: client.transfers.upload(below, path, content_type, progress, kind), _NOT_QUEUED
            )
        except (NotFound, MethodNotAllowed) as error:
            if comment_id is None:
                raise
            raise BadRequest("This service takes files for items only, not for comments.") from error
        except (Unclear, ServiceError, asyncio.CancelledError):
            self._line.tell(lambda session: session.look_at(real_id, is_anew=True))
            raise
        await self._put(document)
        return whole(document.get("id")) or 0

    async def download(self, attachment_id: int, folder: Path, progress: Progress, name: str = "") -> Path:
        """Save an attachment in a folder under its own or another name, over nothing that is there; returns where.

        A download that broke off is gone on with. Raises Offline with what came kept, StorageError where it cannot be
        written, NotFound where the attachment is gone.
        """
        attachment = self._attachment(attachment_id)
        return await self._asked(
            attachment_id, lambda client: client.transfers.download(attachment, folder, progress, name)
        )

    async def look(self, attachment_id: int, limit: int) -> bytes:
        """The first bytes of an attachment."""
        attachment = self._attachment(attachment_id)
        return await self._asked(attachment_id, lambda client: client.transfers.read(attachment, limit))

    async def describe(self, attachment_id: int, text: str) -> None:
        """Give an attachment another description."""
        changes = {"description": text}
        document = await self._asked(
            attachment_id, lambda client: client.attachments.update_document(attachment_id, changes), _NOT_QUEUED
        )
        await self._put(document)

    async def delete(self, attachment_id: int) -> None:
        """Delete an attachment for good; one that is not there any more counts as deleted."""
        try:
            await self._asked(attachment_id, lambda client: client.attachments.delete(attachment_id), _NOT_QUEUED)
        except NotFound:
            return
        await self._forget(attachment_id)

    def address(self, attachment_id: int) -> str:
        """Where a browser that is signed in finds the attachment."""
        attachment = self._attachment(attachment_id)
        return attachment.url or attachment.download_url

    def _sent(self, item_id: int) -> int:
        real_id, _, _ = self._found(item_id)
        if real_id < 0:
            raise BadRequest("The item has not been sent yet; it can have files when the service has it.")
        return real_id

    async def _now(self, act: Callable[["Client"], Coroutine[Any, Any, _T]], otherwise: str) -> _T:
        """Run it; what cannot be done for want of the service is said with what follows from that."""
        try:
            return await self._line.ask(lambda session: _with_client(session, act))
        except SHUTS as error:
            raise type(error)(f"{error.message} {otherwise}", retry_after=error.retry_after) from error

    async def _asked(
        self, attachment_id: int, act: Callable[["Client"], Coroutine[Any, Any, _T]], otherwise: str = _ONLY_THERE
    ) -> _T:
        """Run it; an attachment that turns out to be gone is forgotten here too."""
        try:
            return await self._now(act, otherwise)
        except NotFound as error:
            await self._forget(attachment_id)
            raise NotFound("The attachment is no longer there.") from error

    def _attachment(self, attachment_id: int) -> "Attachment":
        from backlit.client.answers import read_model
        from backlit.model.attachments import Attachment

        sql = "SELECT doc FROM attachments WHERE id = ?"
        found = self._files.mirror.execute(sql, (attachment_id,)).fetchone()
        if found is None:
            raise NotFound("The attachment is no longer there.")
        return read_model(Attachment, orjson.loads(found[0]))

    def _put(self, document: Document) -> Awaitable[None]:
        def act(writer: Writer) -> None:
            changed = writer.mirror.attachments.put([document])
            if changed:
                writer.signal.publish(Change(Subject.ATTACHMENTS, changed))

        return self._files.write(act)

    def _forget(self, attachment_id: int) -> Awaitable[None]:
        def act(writer: Writer) -> None:
            item_id = writer.mirror.attachments.item_of(attachment_id)
            if item_id is not None:
                writer.mirror.attachments.remove([attachment_id])
                writer.signal.publish(Change(Subject.ATTACHMENTS, frozenset({item_id})))

        return self._files.write(act)


async def _with_client(session: "Session", act: Callable[["Client"], Coroutine[Any, Any, _T]]) -> _T:
    """Run it; trouble with the service as a whole is noted."""
    try:
        return await act(session.client)
    except (SignInNeeded, Trouble) as error:
        if isinstance(error, (SignInNeeded, *SHUTS)):
            session.note(error)
        raise
