"""File transfers. They are never queued, and cancelling the caller's task cancels the transfer."""

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
    OutcomeUnknown,
    ServiceError,
    SignInNeeded,
    TransientError,
)
from backlit.model.resources import Attachment
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document, id_in
from backlit.store.remote.reachability import SHUTS

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.store.engine.session import SyncSession

Progress = Callable[[int, int], None]
"""Receiver of progress on the engine's thread: bytes transferred and total bytes, 0 for an unknown total."""

_UNKNOWN_TYPE = "application/octet-stream"
_NOT_QUEUED = "Attachments are not queued. Try again when the server is reachable."
_ONLY_THERE = "Contents of attachments are only on the server."

_T = TypeVar("_T")


class SessionAccess(Protocol):
    """Access to the session on the engine's loop."""

    async def ask(self, act: Callable[["SyncSession"], Coroutine[Any, Any, _T]]) -> _T: ...

    def tell(self, act: Callable[["SyncSession"], None]) -> None:
        """Run an act without waiting. Does nothing without a connection."""


class AttachmentTransfers:
    """Immediate operations on attachments. `found` returns an item's id, type and project."""

    def __init__(self, files: LocalDatabase, line: SessionAccess, found: Callable[[int], tuple[int, str, int]]) -> None:
        self._files = files
        self._line = line
        self._found = found

    async def upload(
        self, item_id: int, path: Path, progress: Progress, comment_id: int | None = None, kind: str | None = None
    ) -> int:
        """Attach a file to an item, or to a comment if the service supports it. Returns the attachment's id.

        `kind` is FOR_CUSTOMERS for a file that customers see. Raises BadRequest for an unsent item or comment,
        OutcomeUnknown if the file may have arrived without an answer, StorageError for an unreadable file.
        """
        real_id = self._sent(item_id)
        if comment_id is not None and comment_id <= 0:
            raise BadRequest("The comment has not been sent yet. Attach files after it is sent.")
        below = f"workitems/{real_id}" if comment_id is None else f"comments/{comment_id}"
        content_type = mimetypes.guess_type(path.name)[0] or _UNKNOWN_TYPE
        try:
            document = await self._now(
                lambda client: client.transfers.upload(below, path, content_type, progress, kind), _NOT_QUEUED
            )
        except (NotFound, MethodNotAllowed) as error:
            if comment_id is None:
                raise
            raise BadRequest("This server accepts files on items only, not on comments.") from error
        except (OutcomeUnknown, ServiceError, asyncio.CancelledError):
            self._line.tell(lambda session: session.look_at(real_id, is_forced=True))
            raise
        await self._put(document)
        return id_in(document)

    async def download(self, attachment_id: int, folder: Path, progress: Progress, name: str = "") -> Path:
        """Save an attachment in a folder under its own or another name and return the path. Never overwrites a file.

        Resumes a partial download. Raises Offline and keeps the received part, StorageError for a write
        failure, NotFound for a deleted attachment.
        """
        document = self._document(attachment_id)
        return await self._asked(
            attachment_id,
            lambda client: client.transfers.download(Attachment.read(document, client.server), folder, progress, name),
        )

    async def look(self, attachment_id: int, limit: int) -> bytes:
        document = self._document(attachment_id)
        return await self._asked(
            attachment_id, lambda client: client.transfers.read(Attachment.read(document, client.server), limit)
        )

    async def describe(self, attachment_id: int, text: str) -> None:
        changes = {"description": text}
        document = await self._asked(
            attachment_id, lambda client: client.attachments.update(attachment_id, changes), _NOT_QUEUED
        )
        await self._put(document)

    async def delete(self, attachment_id: int) -> None:
        """Delete an attachment permanently. An attachment that is already gone counts as deleted."""
        try:
            await self._asked(attachment_id, lambda client: client.attachments.delete(attachment_id), _NOT_QUEUED)
        except NotFound:
            return
        await self._forget(attachment_id)

    def address(self, attachment_id: int) -> str:
        document = self._document(attachment_id)
        return str(document.get("url") or document.get("downloadUrl") or "")

    def _sent(self, item_id: int) -> int:
        real_id, _, _ = self._found(item_id)
        if real_id < 0:
            raise BadRequest("The item has not been sent yet. Attach files after it is sent.")
        return real_id

    async def _now(self, act: Callable[["Client"], Coroutine[Any, Any, _T]], otherwise: str) -> _T:
        """Run an act. Without the service, raise an error that ends with the consequence."""
        try:
            return await self._line.ask(lambda session: _with_client(session, act))
        except SHUTS as error:
            raise type(error)(f"{error.message} {otherwise}", retry_after=error.retry_after) from error

    async def _asked(
        self, attachment_id: int, act: Callable[["Client"], Coroutine[Any, Any, _T]], otherwise: str = _ONLY_THERE
    ) -> _T:
        """Run an act. Remove an attachment from the mirror if the service no longer has it."""
        try:
            return await self._now(act, otherwise)
        except NotFound as error:
            await self._forget(attachment_id)
            raise NotFound("The attachment was deleted.") from error

    def _document(self, attachment_id: int) -> Document:
        sql = "SELECT doc FROM attachments WHERE id = ?"
        found = self._files.mirror.execute(sql, (attachment_id,)).fetchone()
        if found is None:
            raise NotFound("The attachment was deleted.")
        document: Document = orjson.loads(found[0])
        return document

    def _put(self, document: Document) -> Awaitable[None]:
        def act(writer: WriteContext) -> None:
            changed = writer.mirror.attachments.put([document])
            if changed:
                writer.signal.publish(StoreChange(Subject.ATTACHMENTS, changed))

        return self._files.write(act)

    def _forget(self, attachment_id: int) -> Awaitable[None]:
        def act(writer: WriteContext) -> None:
            item_id = writer.mirror.attachments.item_of(attachment_id)
            if item_id is not None:
                writer.mirror.attachments.remove([attachment_id])
                writer.signal.publish(StoreChange(Subject.ATTACHMENTS, frozenset({item_id})))

        return self._files.write(act)


async def _with_client(session: "SyncSession", act: Callable[["Client"], Coroutine[Any, Any, _T]]) -> _T:
    """Run an act with the client. Reports service-wide failures to the session."""
    try:
        await session.confirm_owner()
        return await act(session.client)
    except (SignInNeeded, TransientError) as error:
        if isinstance(error, (SignInNeeded, *SHUTS)):
            session.note(error)
        raise
