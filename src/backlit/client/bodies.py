"""Response bodies, decoded piece by piece up to a limit."""

import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import httpx

from backlit.model.errors import ServiceError
from backlit.model.plain import plain

BODY_LIMIT = 64 * 1024 * 1024
"""Bytes of a JSON response after decompression: many times the largest page."""
ERROR_LIMIT = 64 * 1024
"""Bytes read of an error response."""
GRANT_LIMIT = 256 * 1024
"""Bytes of a sign-in response."""
FILE_LIMIT = 8 * 1024**3
"""Bytes of a file without a size from the service."""
ENCODINGS = "gzip, deflate"
"""The accepted content encodings, one at a time."""
LONGEST_ANSWER = 120.0
"""Seconds for one response from first to last byte, against a server that drips forever."""
_PIECE = 256 * 1024
_AUTOMATIC = 32 + zlib.MAX_WBITS


def said_by(request: httpx.Request) -> str:
    """Name a response by its service and address, as the subject of a sentence."""
    return plain(f"The response of {request.url.host} to {request.method} {request.url.path}", 200)


async def read_body(response: httpx.Response, limit: int = BODY_LIMIT) -> bytes:
    """Read a streamed response whole, and an error response up to ERROR_LIMIT.

    Raises ServiceError past the limit, and httpx's errors for a broken response.
    """
    if response.status_code >= 300:
        return await _read_error(response)
    body = bytearray()
    async with aclosing(decoded(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > limit:
                raise ServiceError(f"{said_by(response.request)} is too large: more than {limit:,} bytes.")
    return bytes(body)


async def _read_error(response: httpx.Response) -> bytes:
    """Read the beginning of an error response; its status counts even with an unreadable body."""
    body = bytearray()
    with suppress(ServiceError, httpx.DecodingError):
        async with aclosing(decoded(response)) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) >= ERROR_LIMIT:
                    break
    return bytes(body[:ERROR_LIMIT])


async def decoded(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield a streamed body without its content encoding, at most 256 KiB at once.

    Raises ServiceError for an encoding outside Accept-Encoding, httpx's DecodingError for a malformed body.
    """
    given = response.headers.get("content-encoding", "")
    encodings = [each for part in given.split(",") if (each := part.strip().lower()) not in {"", "identity"}]
    if not encodings:
        async for piece in response.aiter_raw(_PIECE):
            yield piece
        return
    if encodings not in (["gzip"], ["x-gzip"], ["deflate"]):
        raise ServiceError(f"{said_by(response.request)} uses an unsupported compression.")
    inflating = _Inflating(response.request)
    async for piece in response.aiter_raw():
        inflating.take(piece)
        while part := inflating.part():
            yield part
    inflating.end()


class _Inflating:
    """Decompressor of gzip and deflate (with or without its header) in bounded pieces."""

    def __init__(self, request: httpx.Request) -> None:
        self._request = request
        self._inflate = zlib.decompressobj(_AUTOMATIC)
        self._left = b""
        self._is_begun = False

    def take(self, raw: bytes) -> None:
        """Take received bytes."""
        self._left += raw

    def part(self) -> bytes:
        """Return the next part of the body; empty until more bytes arrive."""
        if self._inflate.eof:
            return b""
        try:
            part = self._inflate.decompress(self._left, _PIECE)
        except zlib.error as error:
            if self._is_begun:
                raise self._failed() from error
            self._is_begun, self._inflate = True, zlib.decompressobj(-zlib.MAX_WBITS)
            return self.part()
        self._is_begun = self._is_begun or bool(part)
        self._left = self._inflate.unconsumed_tail
        return part

    def end(self) -> None:
        """End the body; raise httpx's DecodingError if it is incomplete."""
        if self._is_begun and not self._inflate.eof:
            raise self._failed()

    def _failed(self) -> httpx.DecodingError:
        return httpx.DecodingError("The body is not compressed as its headers declare.", request=self._request)
