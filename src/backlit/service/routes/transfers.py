"""The contents of attachments: shown in place, or downloaded as a file."""

import asyncio
import re
from collections.abc import Iterator
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from backlit.model.errors import ServiceError
from backlit.service.files.content_types import is_inline
from backlit.service.http.endpoint import Shared, call_of
from backlit.service.routes.attachments import found_attachment
from backlit.service.tables.attachments import Stored

_RANGE = re.compile(r"\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*", re.ASCII | re.IGNORECASE)
_DIGITS = 18
_POLICY = "default-src 'none'; sandbox"
_INLINE_POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"


async def stream(request: Request) -> Response:
    """GET /attachments/stream/{id}/{name}: shown by a browser where that is safe, else saved."""
    return await _transfer(request, as_file=False)


async def download(request: Request) -> Response:
    """GET /attachments/download/{id}/{name}: saved."""
    return await _transfer(request, as_file=True)


async def _transfer(request: Request, *, as_file: bool) -> Response:
    shared: Shared = request.app.state.shared
    stored = await shared.database.fast.run(lambda connection: found_attachment(call_of(shared, request, connection)))
    headers = _headers(stored, is_shown=not as_file and is_inline(stored.content_type))
    asked = _range(request, headers["etag"])
    span = _span(asked, stored.size)
    if span is None:
        return Response(status_code=416, headers={"content-range": f"bytes */{stored.size}", "accept-ranges": "bytes"})
    start, stop = span
    status = 200
    if asked is not None:
        status, headers["content-range"] = 206, f"bytes {start}-{stop - 1}/{stored.size}"
    headers["content-length"] = str(stop - start)
    if request.method == "HEAD" or start == stop:
        return Response(status_code=status, headers=headers)
    if not await asyncio.to_thread(shared.contents.store.has, stored.digest):
        raise ServiceError(f"The contents of attachment {stored.id} are missing.")
    return StreamingResponse(_contents(shared, stored, start, stop), status, headers)


def _contents(shared: Shared, stored: Stored, start: int, stop: int) -> Iterator[bytes]:
    return shared.contents.store.read(stored.digest, start, stop)


def _headers(stored: Stored, *, is_shown: bool) -> dict[str, str]:
    plain = re.sub(r"[^ !#$&'()+,./0-9:;<=>@A-Z\[\]^_`a-z{|}~-]", "_", stored.name)
    name = f"filename=\"{plain}\"; filename*=UTF-8''{quote(stored.name, safe='')}"
    return {
        "content-type": stored.content_type,
        "content-disposition": f"{'inline' if is_shown else 'attachment'}; {name}",
        "content-security-policy": _INLINE_POLICY if is_shown else _POLICY,
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, no-cache",
        "accept-ranges": "bytes",
        "etag": f'"{stored.digest}"',
    }


def _range(request: Request, etag: str) -> tuple[int | None, int | None] | None:
    """Return the requested range; None, which means the whole file, for several or a malformed one."""
    if request.headers.get("if-range", etag) != etag:
        return None
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    if not found or max(len(found[1]), len(found[2])) > _DIGITS or not (found[1] or found[2]):
        return None
    first, last = (int(digits) if digits else None for digits in found.groups())
    return None if first is not None and last is not None and last < first else (first, last)


def _span(asked: tuple[int | None, int | None] | None, size: int) -> tuple[int, int] | None:
    """First byte and the one after the last; None for a range that lies outside."""
    first, last = asked or (0, None)
    if first is None:
        start, stop = max(size - (last or 0), 0), size
    else:
        start, stop = first, size if last is None else min(last + 1, size)
    return (start, stop) if start < stop or asked is None else None
