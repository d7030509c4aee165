"""Files up and down, streamed: memory does not grow with them, and cancelling the task ends the transfer."""

import asyncio
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import httpx

from backlit.client.answers import error_of, json_object, read_body
from backlit.client.auth import WrapAuth
from backlit.model.attachments import Attachment
from backlit.model.errors import Offline, ServiceError, StorageError, Unclear
from backlit.model.file_names import file_name

Progress = Callable[[int, int], None]
"""Called with the bytes that have travelled and all there are; 0 where that is not known."""

PART = 256 * 1024
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class Transfers:
    """Contents of attachments (SPEC 4.5); addresses on another host than the profile's are taken as on this one."""

    def __init__(self, root: httpx.URL, http: httpx.AsyncClient, auth: WrapAuth) -> None:
        self._root = root
        self._http = http
        self._auth = auth

    async def upload(
        self, below: str, path: Path, content_type: str, progress: Progress, kind: str | None = None
    ) -> dict[str, Any]:
        """Attach a file to what `below` names (`workitems/7`, `comments/3`); returns the attachment as received.

        It is sent once. Unclear where it may have arrived though no answer came; StorageError where it cannot be read.
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
                files=parts,  # type: ignore[arg-type] # it has all of a file that is asked for: read, seek, tell
            )
            response = await self._sent(request)
            try:
                if response.status_code >= 300:
                    raise error_of(response.status_code, response.headers, await read_body(response))
                return json_object(await read_body(response))
            except (httpx.RequestError, ServiceError) as error:
                if response.status_code < 300:
                    raise _unclear() from error
                raise
            finally:
                await response.aclose()

    async def _sent(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self._http.send(request, auth=self._auth, stream=True)
        except _NOT_SENT:
            raise Offline("The service cannot be reached.") from None
        except httpx.RequestError:
            raise _unclear() from None

    async def download(self, attachment: Attachment, folder: Path, progress: Progress, name: str = "") -> Path:
        """Save an attachment in a folder under its own or another name, made harmless, over nothing that is there.

        What a broken transfer left is gone on with where the service can. Raises Offline with what came kept,
        StorageError where it cannot be written.
        """
        target = folder / file_name(name or attachment.name)
        part = folder / f".backlit-{attachment.id}.part"
        try:
            await self._fetch(attachment, part, progress)
            return await asyncio.to_thread(_settled, part, target)
        except OSError as error:
            raise StorageError(f"{target} cannot be written: {error.strerror}.") from error

    async def read(self, attachment: Attachment, limit: int) -> bytes:
        """The first bytes of an attachment, for a look at it."""
        content = bytearray()
        response = await self._get(attachment, 0)
        try:
            async for piece in response.aiter_bytes(PART):
                content += piece
                if len(content) >= limit:
                    break
        except httpx.RequestError:
            raise Offline("The service broke off.") from None
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
                raise ServiceError("The service sent another part of the file than was asked for.")
            done = begun if is_rest else 0
            total = attachment.size or 0
            with await asyncio.to_thread(_opened, part, is_rest) as file:
                async for piece in response.aiter_bytes(PART):
                    await asyncio.to_thread(file.write, piece)
                    done += len(piece)
                    progress(done, max(total, done) if total else 0)
        except httpx.RequestError:
            raise Offline("The download broke off; start it again and it goes on from there.") from None
        finally:
            await response.aclose()
        if attachment.size is not None and done != attachment.size:
            await asyncio.to_thread(os.unlink, part)
            raise ServiceError(f"The service promised {attachment.size} bytes and sent {done}.")

    async def _get(self, attachment: Attachment, begin: int) -> httpx.Response:
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}
        if begin:
            headers["Range"] = f"bytes={begin}-"
        request = self._http.build_request("GET", self._here(attachment), headers=headers)
        try:
            response = await self._http.send(request, auth=self._auth, stream=True)
        except httpx.RequestError:
            raise Offline("The service cannot be reached.") from None
        if response.status_code >= 300:
            try:
                raise error_of(response.status_code, response.headers, await read_body(response))
            except httpx.RequestError:
                raise Offline("The service broke off.") from None
            finally:
                await response.aclose()
        return response

    def _here(self, attachment: Attachment) -> httpx.URL:
        """The attachment's address on the profile's own origin, as behind a tunnel (FEATURES rule 47)."""
        try:
            found = self._root.join(attachment.download_url or attachment.url)
        except httpx.InvalidURL:
            raise ServiceError("The service names no usable address for the file.") from None
        if not (attachment.download_url or attachment.url):
            raise ServiceError("The service names no address for the file.")
        return self._root.copy_with(raw_path=found.raw_path)


class _Counted:
    """A file that tells how far it has been read; httpx reads it in its own task."""

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


def _unclear() -> Unclear:
    return Unclear("The service did not answer; the file may or may not have arrived. Look before sending it again.")


def _starts_at(headers: Mapping[str, str], begin: int, size: int | None) -> bool:
    found = _RANGE.fullmatch(headers.get("content-range", ""))
    return found is not None and int(found[1]) == begin and size in {None, int(found[3])}


def _begun(part: Path, size: int) -> int:
    """How much of a file of that size an earlier transfer left; 0 where it cannot be a beginning of it."""
    begun = part.stat().st_size if part.exists() else 0
    return begun if begun <= size else 0


def _opened(part: Path, is_rest: bool) -> IO[bytes]:
    how = os.O_APPEND if is_rest else os.O_TRUNC
    return os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | how, 0o600), "wb")


def _settled(part: Path, target: Path) -> Path:
    """Give a complete file its name; the name of a file that is there is left to it: `plan.pdf`, `plan (1).pdf`."""
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
    raise AssertionError("names do not run out")


def _names(target: Path) -> Iterator[Path]:
    yield target
    for number in range(1, 10_000):
        yield target.with_name(f"{target.stem} ({number}){target.suffix}")
