"""Attachments, and their contents: shown in place, or downloaded as a file."""

import asyncio
import re
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import quote

import orjson
from msgspec.structs import asdict, replace
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from backlit.model.errors import BadRequest, NotFound, ServiceError
from backlit.model.resources import INTERNAL, PORTAL, Attachment, friendly_size_of
from backlit.service.files.uploads import ReceivedFile, is_inline, must_be_acceptable, receive
from backlit.service.http.endpoint import (
    ContinueOnSlowQueue,
    HandlerResponse,
    RequestContext,
    Routes,
    ServiceState,
    authenticated_context,
    etag_of,
    json_answer,
    must_match,
    with_revision,
)
from backlit.service.http.listing import ListOptions, options_of
from backlit.service.http.options import TOP_DEFAULT
from backlit.service.routes.below import page_of
from backlit.service.routes.comments import found_comment, with_types
from backlit.service.routes.work_items import visible_document
from backlit.service.rules.checks import text_fault
from backlit.service.tables import attachments
from backlit.service.tables.attachments import StoredAttachment

STREAM_PATH = "/attachments/stream"
DOWNLOAD_PATH = "/attachments/download"
routes = Routes()

_Place = Callable[[RequestContext], dict[str, Any]]
"""Check that the caller may attach a file at the address; return the resulting columns of the row."""


@routes("GET", "/attachments/{id}", Attachment)
def read(call: RequestContext) -> HandlerResponse:
    """GET /attachments/{id}."""
    return _answer(call, found_attachment(call))


@routes("GET", "/attachments", Attachment, default_top=TOP_DEFAULT)
def list_all(call: RequestContext) -> HandlerResponse:
    """GET /attachments: those of all items the caller may see."""
    return _list(call)


@routes("GET", "/workitems/{id}/attachments", Attachment)
def list_of_item(call: RequestContext) -> HandlerResponse:
    """GET /workitems/{id}/attachments."""
    visible_document(call, call.path["id"])
    return _list(call, item_id=call.path["id"])


@routes("GET", "/comments/{id}/attachments", Attachment)
def list_of_comment(call: RequestContext) -> HandlerResponse:
    """GET /comments/{id}/attachments."""
    return _list(call, comment_id=found_comment(call).id)


@routes("PUT", "/attachments/{id}", Attachment)
def update(call: RequestContext) -> HandlerResponse:
    """PUT /attachments/{id}: the description; everything else is read-only."""
    body = call.json()
    stored = found_attachment(call, writing=True)
    must_match(call.headers, _version(stored))
    text = body.get("description", stored.description)
    if text is not None and (fault := text_fault("description", text)):
        raise BadRequest(fault, {"description": fault})
    if text != stored.description:
        stored = attachments.describe(call.connection, stored, text, call.stamp)
    return _answer(call, stored)


@routes("DELETE", "/attachments/{id}", Attachment)
@routes("DELETE", "/attachment/{id}", Attachment)
def remove(call: RequestContext) -> HandlerResponse:
    """DELETE /attachments/{id}: its contents go too, unless another attachment has the same."""
    stored = found_attachment(call, writing=True)
    must_match(call.headers, _version(stored))
    freed = attachments.remove(call.connection, stored.id, call.stamp)
    return replace(json_answer({"id": stored.id}), freed=freed)


def found_attachment(call: RequestContext, *, writing: bool = False) -> StoredAttachment:
    """Return the attachment of the address; raise NotFound or Forbidden."""
    stored = attachments.read(call.connection, call.path["id"])
    may = call.caller.must_write if writing else call.caller.must_see
    may(None if stored is None else stored.project_id, f"Attachment {call.path['id']}")
    if stored is None:
        raise NotFound(f"Attachment {call.path['id']} does not exist, or you have no access to it.")
    return stored


async def _upload(shared: ServiceState, request: Request, place: _Place) -> HandlerResponse:
    await shared.database.read(lambda connection: place(authenticated_context(shared, request, connection)))
    limit = shared.settings.max_upload
    boundary = must_be_acceptable(request, limit)
    received = await receive(request, boundary, shared.contents.store, limit)
    try:
        await asyncio.to_thread(shared.contents.store.keep, received.incoming)
        return await shared.database.write.run(partial(_add, shared, request, place, received))
    finally:
        await asyncio.to_thread(shared.contents.store.forget, received.incoming)


def _add(
    shared: ServiceState, request: Request, place: _Place, received: ReceivedFile, connection: Connection
) -> HandlerResponse:
    call = authenticated_context(shared, request, connection)
    values = place(call) | {
        "name": received.name,
        "size": received.incoming.size,
        "content_type": received.content_type,
        "digest": received.incoming.digest,
    }
    shared.contents.ensure(received.incoming)
    stored = attachments.add(connection, values, call.stamp)
    return with_revision(_answer(call, stored, 201, location=f"{call.root}/attachments/{stored.id}"), call.stamp)


def _on_item(call: RequestContext) -> dict[str, Any]:
    document = orjson.loads(visible_document(call, call.path["id"], writing=True))
    return {"project_id": document["projectId"], "work_item_id": document["id"], "type": _kind(call)}


def _on_comment(call: RequestContext) -> dict[str, Any]:
    comment = found_comment(call)
    call.caller.must_write(comment.project_id, f"Comment {comment.id}")
    places = {"project_id": comment.project_id, "work_item_id": comment.work_item_id, "comment_id": comment.id}
    return {**places, "type": _kind(call)}


def _kind(call: RequestContext) -> str:
    kind = call.query.get("type", "")
    if kind not in {"", INTERNAL, PORTAL, call.shared.settings.name}:
        sentence = f"type must be {INTERNAL} or {PORTAL}."
        raise BadRequest(sentence, {"type": sentence})
    return PORTAL if kind == PORTAL else INTERNAL


@routes.streamed("/workitems/{id}/attachments", Attachment)
async def upload(shared: ServiceState, request: Request) -> HandlerResponse:
    """POST /workitems/{id}/attachments: 201 with Location."""
    return await _upload(shared, request, _on_item)


@routes.streamed("/comments/{id}/attachments", Attachment, extension="commentAttachments")
async def upload_to_comment(shared: ServiceState, request: Request) -> HandlerResponse:
    """POST /comments/{id}/attachments (an extension): 201 with Location."""
    return await _upload(shared, request, _on_comment)


_ADDRESSES = ("friendlySize", "url", "downloadUrl")


def _list(call: RequestContext, item_id: int | None = None, comment_id: int | None = None) -> HandlerResponse:
    found = options_of(call.query, attachments.PROPERTIES, unsearched=_ADDRESSES, default_top=call.default_top)
    options = with_types(call, found)
    if options.filter is None and not options.order:
        return _page(options, item_id, comment_id, call)
    raise ContinueOnSlowQueue(call, partial(_page, options, item_id, comment_id))


def _page(options: ListOptions, item_id: int | None, comment_id: int | None, call: RequestContext) -> HandlerResponse:
    internal = call.shared.settings.internal_type
    here = tuple(call.caller.project_ids)
    listed = attachments.query(here, item_id, comment_id, options.filter, options.order, internal_type=internal)
    return page_of(call, listed, options, lambda row: _model(call, StoredAttachment(**row)))


def _answer(call: RequestContext, stored: StoredAttachment, status: int = 200, **headers: str) -> HandlerResponse:
    return json_answer(_model(call, stored).wire(), status, {"etag": etag_of(_version(stored)), **headers})


def _version(stored: StoredAttachment) -> bytes:
    """Return the input of the ETag: the document without addresses, which differ between callers."""
    return repr(stored).encode()


def _model(call: RequestContext, stored: StoredAttachment) -> Attachment:
    base = str(call.request.base_url).rstrip("/")
    place = f"{stored.id}/{quote(stored.name, safe='')}"
    shown = {
        **asdict(stored),
        "friendly_size": friendly_size_of(stored.size),
        "url": f"{base}{STREAM_PATH}/{place}",
        "download_url": f"{base}{DOWNLOAD_PATH}/{place}",
        "type": call.shared.settings.written_type(stored.type),
    }
    return Attachment(**{key: shown[key] for key in Attachment.__struct_fields__})


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
    shared: ServiceState = request.app.state.shared
    stored = await shared.database.read(
        lambda connection: found_attachment(authenticated_context(shared, request, connection))
    )
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
    return StreamingResponse(shared.contents.store.read(stored.digest, start, stop), status, headers)


def _headers(stored: StoredAttachment, *, is_shown: bool) -> dict[str, str]:
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
        "repr-digest": f"sha-256=:{b64encode(bytes.fromhex(stored.digest)).decode()}:",
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
    """Return the first byte and the one after the last; None for a range outside the contents."""
    first, last = asked or (0, None)
    if first is None:
        start, stop = max(size - (last or 0), 0), size
    else:
        start, stop = first, size if last is None else min(last + 1, size)
    return (start, stop) if start < stop or asked is None else None
