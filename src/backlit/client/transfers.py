"""Streamed transfers of files, in constant memory; cancelling the task ends a transfer."""

import asyncio
import os
import re
import stat
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import IO, Any
from weakref import WeakValueDictionary

import httpx

from backlit.client.answers import (
    FILE_LIMIT,
    LONGEST_ANSWER,
    MAY_HAVE_HAPPENED,
    decoded,
    error_of,
    json_object,
    read_body,
    response_label,
)
from backlit.client.auth import WrapAuth
from backlit.client.network import offline, server_of
from backlit.client.part_file import PartFile
from backlit.model.amounts import counted
from backlit.model.errors import Forbidden, Offline, OutcomeUnknown, ServiceError, StorageError
from backlit.model.plain import file_name, local_file_name
from backlit.model.resources import Attachment

Progress = Callable[[int, int], None]
"""Callback with the transferred and the total bytes; 0 for an unknown total."""

_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class ContentTransfers:
    """Contents of attachments; an address on another host is read as on the profile's own."""

    def __init__(self, root: httpx.URL, http: httpx.AsyncClient, auth: WrapAuth) -> None:
        self._root = root
        self._http = http
        self._auth = auth
        self.refusal = ""
        self._downloads: WeakValueDictionary[tuple[Path, int], asyncio.Task[Any]] = WeakValueDictionary()
        """The last task that held the part of an attachment in a folder."""

    async def upload(
        self, below: str, path: Path, content_type: str, progress: Progress, kind: str | None = None
    ) -> dict[str, Any]:
        """Attach a file to the resource `below` (`workitems/7`, `comments/3`); return the attachment as received.

        Sends the file once. Raises Forbidden in read-only mode, OutcomeUnknown without a response, StorageError for an
        unreadable file.
        """
        if self.refusal:
            raise Forbidden(self.refusal)
        try:
            file = await asyncio.to_thread(_regular_file, path)
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
        with file:
            size = os.fstat(file.fileno()).st_size
            counted_file = _ProgressFile(file, size, progress)
            parts = {"files": (file_name(path.name), counted_file, content_type)}
            query = {"type": kind} if kind else None
            # Section 4.5 of the interface: one part named `files`.
            request = self._http.build_request(
                "POST",
                f"{self._root}api/v1/{below}/attachments",
                params=query,
                files=parts,  # type: ignore[arg-type] # has the parts of a file that httpx uses: read, seek, tell
            )
            response = await self._sent(request, counted_file)
            try:
                async with asyncio.timeout(LONGEST_ANSWER):
                    body = await read_body(response)
                if response.status_code < 300:
                    return json_object(body, response_label(request))
            except (httpx.RequestError, ServiceError, TimeoutError) as error:
                raise self._unclear() from error
            finally:
                await response.aclose()
            if response.status_code in MAY_HAVE_HAPPENED:
                raise self._unclear()
            raise error_of(request, response.status_code, response.headers, body)

    async def _sent(self, request: httpx.Request, file: "_ProgressFile") -> httpx.Response:
        """Send a file; it may take long as long as pieces leave, the head of the response may not."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(LONGEST_ANSWER) as patience:
                file.on_piece = lambda: patience.reschedule(loop.time() + LONGEST_ANSWER)
                return await self._http.send(request, auth=self._auth, stream=True)
        except _NOT_SENT as error:
            raise offline(error, request) from None
        except (httpx.RequestError, TimeoutError):
            raise self._unclear() from None

    async def download(self, attachment: Attachment, folder: Path, progress: Progress, name: str = "") -> Path:
        """Save an attachment in a folder under its own name, made harmless, or under `name`; never overwrite a file.

        Resumes a broken transfer of the same version if the service supports it. Raises Offline, and keeps the received
        part where it can be resumed; raises StorageError if it cannot write, ServiceError for another size or digest
        than the service states.
        """
        target = folder / (file_name(name) if name else local_file_name(attachment.name))
        key = (folder, attachment.id)
        earlier = self._downloads.get(key)
        # A cancelled download holds its part until its task ends, some turns of the loop after its caller went on. Only
        # such a one is waited for: PartFile refuses the second of two downloads, as it does that of another process.
        if earlier is not None and earlier.cancelling():
            await asyncio.wait([earlier])
        try:
            with await asyncio.to_thread(PartFile, folder, f"{self._root}\n{attachment.id}") as part:
                if task := asyncio.current_task():
                    self._downloads[key] = task
                headers = await self._fetch(attachment, part, progress)
                try:
                    await asyncio.to_thread(part.check_digest, headers)
                except ServiceError:
                    part.discard()
                    raise
                return await asyncio.to_thread(part.move_to, target)
        except OSError as error:
            raise StorageError(f"{target} cannot be written: {error.strerror}.") from error

    async def read(self, attachment: Attachment, limit: int) -> bytes:
        content = bytearray()
        response = await self._get(attachment)
        try:
            async with asyncio.timeout(LONGEST_ANSWER), aclosing(decoded(response)) as pieces:
                async for piece in pieces:
                    content += piece
                    if len(content) >= limit:
                        break
        except (httpx.RequestError, TimeoutError):
            raise Offline(f"{self._server} broke off the transfer.") from None
        finally:
            await response.aclose()
        return bytes(content[:limit])

    async def _fetch(self, attachment: Attachment, part: PartFile, progress: Progress) -> httpx.Headers:
        response, begin = await self._resumed(attachment, part)
        size = attachment.size
        try:
            if response.status_code == 206:
                await asyncio.to_thread(part.keep, begin)
            else:
                await asyncio.to_thread(part.begin, response.headers.get("etag"))
            total = size or 0
            limit = FILE_LIMIT if size is None else size
            async with asyncio.timeout(LONGEST_ANSWER) as patience, aclosing(decoded(response)) as pieces:
                async for piece in pieces:
                    await asyncio.to_thread(part.write, piece)
                    progress(part.size, max(total, part.size) if total else 0)
                    if part.size > limit:
                        break
                    patience.reschedule(asyncio.get_running_loop().time() + LONGEST_ANSWER)
        except (httpx.RequestError, TimeoutError):
            again = "Start it again to resume." if part.etag else "Start it again."
            raise Offline(f"The download from {self._server} broke off. {again}") from None
        finally:
            await response.aclose()
        if part.size > limit or part.size < total:
            part.discard()
            raise ServiceError(_other_size(self._server, size, part.size))
        return response.headers

    async def _resumed(self, attachment: Attachment, part: PartFile) -> tuple[httpx.Response, int]:
        """Ask for the rest of the version that the part began, else for the whole file; return where it begins.

        The last byte is asked for again even if all are there: the response says whether the file is still the same.
        """
        if part.etag and attachment.size and 0 < part.size <= attachment.size:
            begin = min(part.size, attachment.size - 1)
            response = await self._get(attachment, begin, part.etag)
            if response.status_code == 200:
                return response, 0
            if response.status_code == 206 and _is_rest(response.headers, begin, attachment.size, part.etag):
                return response, begin
            await response.aclose()
        response = await self._get(attachment)
        if response.status_code == 206:
            await response.aclose()
            raise ServiceError(f"{self._server} sent a part of the file, and the whole was requested.")
        return response, 0

    async def _get(self, attachment: Attachment, begin: int = 0, etag: str = "") -> httpx.Response:
        # A range counts bytes of what is sent; compressed, they would not be those of the file.
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}
        if etag:
            headers |= {"Range": f"bytes={begin}-", "If-Range": etag}
        request = self._http.build_request("GET", self._here(attachment), headers=headers)
        try:
            async with asyncio.timeout(LONGEST_ANSWER):
                response = await self._http.send(request, auth=self._auth, stream=True)
        except httpx.RequestError as error:
            raise offline(error, request) from None
        except TimeoutError:
            raise Offline(f"{self._server} took too long to respond.") from None
        # The file is shorter now than the part: another version, and no error of the user's.
        if response.status_code == 416 and etag:
            return response
        if response.status_code >= 300:
            try:
                async with asyncio.timeout(LONGEST_ANSWER):
                    body = await read_body(response)
                raise error_of(request, response.status_code, response.headers, body)
            except TimeoutError:
                raise Offline(f"{self._server} broke off the transfer.") from None
            finally:
                await response.aclose()
        return response

    @property
    def _server(self) -> str:
        return server_of(self._root)

    def _unclear(self) -> OutcomeUnknown:
        return OutcomeUnknown(
            f"{self._server} did not respond. The file may or may not have arrived; check before you send it again."
        )

    def _here(self, attachment: Attachment) -> httpx.URL:
        """Return the attachment's address on the profile's own origin, which also works behind a tunnel."""
        try:
            found = self._root.join(attachment.download_url or attachment.url)
        except httpx.InvalidURL:
            raise ServiceError(f"{self._server} names no usable address for the file.") from None
        if not (attachment.download_url or attachment.url):
            raise ServiceError(f"{self._server} names no address for the file.")
        # Only the path is taken over: the token goes to no other host.
        return self._root.copy_with(raw_path=found.raw_path)


class _ProgressFile:
    """A file that reports its read position; httpx reads it in its own task."""

    def __init__(self, file: IO[bytes], size: int, progress: Progress) -> None:
        self._file, self._size, self._progress = file, size, progress
        self.on_piece: Callable[[], None] = lambda: None

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self.on_piece()
        self._progress(self._file.tell(), self._size)
        return piece

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


def _regular_file(path: Path) -> IO[bytes]:
    """Open a file for reading; a pipe would wait for its writer."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise StorageError(f"{path} is not a regular file. Name a file to attach.")
    return file


def _other_size(server: str, promised: int | None, done: int) -> str:
    if promised is None:
        return f"{server} sent more than {FILE_LIMIT:,} bytes without a declared size. The file was not saved."
    if done > promised:
        return f"{server} declared {counted(promised, 'byte')} and sent more."
    return f"{server} declared {counted(promised, 'byte')} and sent {done:,}."


def _is_rest(headers: Mapping[str, str], begin: int, size: int, etag: str) -> bool:
    """Return True for a response with the rest of that version; some servers ignore If-Range."""
    found = _RANGE.fullmatch(headers.get("content-range", ""))
    is_same = headers.get("etag", etag) == etag
    return is_same and found is not None and int(found[1]) == begin and size == int(found[3])
