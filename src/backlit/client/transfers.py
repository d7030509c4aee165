"""Streamed transfers of files, in constant memory; cancelling the task ends a transfer."""

import asyncio
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import IO, Any

import httpx

from backlit.client.answers import (
    FILE_LIMIT,
    LONGEST_ANSWER,
    MAY_HAVE_HAPPENED,
    decoded,
    error_of,
    json_object,
    read_body,
    said_by,
)
from backlit.client.auth import WrapAuth
from backlit.client.network import offline
from backlit.model.amounts import counted
from backlit.model.errors import Offline, ServiceError, StorageError, Unclear
from backlit.model.plain import file_name
from backlit.model.resources import Attachment

Progress = Callable[[int, int], None]
"""Callback with the transferred and the total bytes; 0 for an unknown total."""

_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class Transfers:
    """Contents of attachments; an address on another host is read as on the profile's own."""

    def __init__(self, root: httpx.URL, http: httpx.AsyncClient, auth: WrapAuth) -> None:
        self._root = root
        self._http = http
        self._auth = auth

    async def upload(
        self, below: str, path: Path, content_type: str, progress: Progress, kind: str | None = None
    ) -> dict[str, Any]:
        """Attach a file to the resource `below` (`workitems/7`, `comments/3`); return the attachment as received.

        Sends the file once. Raises Unclear without a response, StorageError for an unreadable file.
        """
        try:
            file = await asyncio.to_thread(open, path, "rb")
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
        with file:
            size = os.fstat(file.fileno()).st_size
            parts = {"files": (file_name(path.name), _Counted(file, size, progress), content_type)}
            query = {"type": kind} if kind else None
            request = self._http.build_request(
                "POST",
                f"{self._root}api/v1/{below}/attachments",
                params=query,
                files=parts,  # type: ignore[arg-type] # has the parts of a file that httpx uses: read, seek, tell
            )
            response = await self._sent(request)
            try:
                async with asyncio.timeout(LONGEST_ANSWER):
                    body = await read_body(response)
                if response.status_code < 300:
                    return json_object(body, said_by(request))
            except (httpx.RequestError, ServiceError, TimeoutError) as error:
                raise _unclear() from error
            finally:
                await response.aclose()
            if response.status_code in MAY_HAVE_HAPPENED:
                raise _unclear()
            raise error_of(response.status_code, response.headers, body)

    async def _sent(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self._http.send(request, auth=self._auth, stream=True)
        except _NOT_SENT as error:
            raise offline(error, request) from None
        except httpx.RequestError:
            raise _unclear() from None

    async def download(self, attachment: Attachment, folder: Path, progress: Progress, name: str = "") -> Path:
        """Save an attachment in a folder under a sanitised name; never overwrite a file.

        Resumes a broken transfer if the service supports it. Raises Offline and keeps the received part; raises
        StorageError if it cannot write.
        """
        target = folder / file_name(name or attachment.name)
        part = folder / f".backlit-{attachment.id}.part"
        try:
            await self._fetch(attachment, part, progress)
            return await asyncio.to_thread(_settled, part, target)
        except OSError as error:
            raise StorageError(f"{target} cannot be written: {error.strerror}.") from error

    async def read(self, attachment: Attachment, limit: int) -> bytes:
        """Read the first bytes of an attachment, for a preview."""
        content = bytearray()
        response = await self._get(attachment, 0)
        try:
            async with asyncio.timeout(LONGEST_ANSWER), aclosing(decoded(response)) as pieces:
                async for piece in pieces:
                    content += piece
                    if len(content) >= limit:
                        break
        except (httpx.RequestError, TimeoutError):
            raise Offline("The server broke off the transfer.") from None
        finally:
            await response.aclose()
        return bytes(content[:limit])

    async def _fetch(self, attachment: Attachment, part: Path, progress: Progress) -> None:
        begun = await asyncio.to_thread(_begun, part, attachment.size or 0)
        if begun and begun == attachment.size:
            return
        response = await self._get(attachment, begun)
        try:
            is_rest = response.status_code == 206 and _starts_at(response.headers, begun, attachment.size)
            if response.status_code == 206 and not is_rest:
                raise ServiceError("The server sent another part of the file than requested.")
            done = begun if is_rest else 0
            total = attachment.size or 0
            most = FILE_LIMIT if attachment.size is None else attachment.size
            with await asyncio.to_thread(_opened, part, is_rest) as file:
                async with asyncio.timeout(LONGEST_ANSWER) as patience, aclosing(decoded(response)) as pieces:
                    async for piece in pieces:
                        await asyncio.to_thread(file.write, piece)
                        done += len(piece)
                        progress(done, max(total, done) if total else 0)
                        if done > most:
                            break
                        patience.reschedule(asyncio.get_running_loop().time() + LONGEST_ANSWER)
        except (httpx.RequestError, TimeoutError):
            raise Offline("The download broke off. Start it again to resume.") from None
        finally:
            await response.aclose()
        if done > most or done < total:
            await asyncio.to_thread(os.unlink, part)
            raise ServiceError(_other_size(attachment.size, done))

    async def _get(self, attachment: Attachment, begin: int) -> httpx.Response:
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}
        if begin:
            headers["Range"] = f"bytes={begin}-"
        request = self._http.build_request("GET", self._here(attachment), headers=headers)
        try:
            async with asyncio.timeout(LONGEST_ANSWER):
                response = await self._http.send(request, auth=self._auth, stream=True)
        except httpx.RequestError as error:
            raise offline(error, request) from None
        except TimeoutError:
            raise Offline("The server took too long to respond.") from None
        if response.status_code >= 300:
            try:
                async with asyncio.timeout(LONGEST_ANSWER):
                    body = await read_body(response)
                raise error_of(response.status_code, response.headers, body)
            except TimeoutError:
                raise Offline("The server broke off the transfer.") from None
            finally:
                await response.aclose()
        return response

    def _here(self, attachment: Attachment) -> httpx.URL:
        """Return the attachment's address on the profile's own origin, which also works behind a tunnel."""
        try:
            found = self._root.join(attachment.download_url or attachment.url)
        except httpx.InvalidURL:
            raise ServiceError("The server names no usable address for the file.") from None
        if not (attachment.download_url or attachment.url):
            raise ServiceError("The server names no address for the file.")
        return self._root.copy_with(raw_path=found.raw_path)


class _Counted:
    """A file that reports its read position; httpx reads it in its own task."""

    def __init__(self, file: IO[bytes], size: int, progress: Progress) -> None:
        self._file, self._size, self._progress = file, size, progress

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._progress(self._file.tell(), self._size)
        return piece

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


def _other_size(promised: int | None, done: int) -> str:
    if promised is None:
        return f"The server sent more than {FILE_LIMIT:,} bytes without a declared size. The file was not saved."
    if done > promised:
        return f"The server declared {counted(promised, 'byte')} and sent more."
    return f"The server declared {counted(promised, 'byte')} and sent {done:,}."


def _unclear() -> Unclear:
    return Unclear("The server did not respond. The file may or may not have arrived; check before you send it again.")


def _starts_at(headers: Mapping[str, str], begin: int, size: int | None) -> bool:
    found = _RANGE.fullmatch(headers.get("content-range", ""))
    return found is not None and int(found[1]) == begin and size in {None, int(found[3])}


def _begun(part: Path, size: int) -> int:
    """Return the size of an earlier transfer's part; 0 if it cannot be a beginning of the file."""
    begun = part.stat().st_size if part.exists() else 0
    return begun if begun <= size else 0


def _opened(part: Path, is_rest: bool) -> IO[bytes]:
    how = os.O_APPEND if is_rest else os.O_TRUNC
    return os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | how, 0o600), "wb")


def _settled(part: Path, target: Path) -> Path:
    """Give a complete file its name, without overwriting: `plan.pdf`, `plan (1).pdf`."""
    for candidate in _names(target):
        try:
            os.link(part, candidate)
        except FileExistsError:
            continue
        except OSError:
            if candidate.exists():
                continue
            part.rename(candidate)
            return candidate
        part.unlink()
        return candidate
    raise AssertionError("the counter is endless")


def _names(target: Path) -> Iterator[Path]:
    yield target
    for number in range(1, 10_000):
        yield target.with_name(f"{target.stem} ({number}){target.suffix}")
