"""Attachments."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

import orjson
from sqlalchemy import Connection
from starlette.requests import Request

from backlit.model.errors import BadRequest, NotFound
from backlit.model.resources import INTERNAL, PORTAL, Attachment, friendly_size_of
from backlit.service.files.uploads import Received, must_be_acceptable, receive
from backlit.service.http.endpoint import Answer, Call, Shared, call_of, json_answer
from backlit.service.http.etags import etag_of, must_match
from backlit.service.http.listing import envelope, options_of
from backlit.service.routes.comments import found_comment
from backlit.service.routes.work_items import found
from backlit.service.rules.work_item_checks import TEXT_LIMIT, is_text
from backlit.service.tables import attachments
from backlit.service.tables.attachments import Query, Stored

STREAM_PATH = "/attachments/stream"
DOWNLOAD_PATH = "/attachments/download"

_Place = Callable[[Call], dict[str, Any]]
"""Checks that the caller may attach something at the address, and says what of the row that decides."""


def read(call: Call) -> Answer:
    """GET /attachments/{id}."""
    return _answer(call, found_attachment(call))


def listed(call: Call) -> Answer:
    """GET /attachments: those of all items the caller may see."""
    return _list(call)


def of_item(call: Call) -> Answer:
    """GET /workitems/{id}/attachments."""
    found(call, call.path["id"])
    return _list(call, item_id=call.path["id"])


def of_comment(call: Call) -> Answer:
    """GET /comments/{id}/attachments."""
    return _list(call, comment_id=found_comment(call).id)


def update(call: Call) -> Answer:
    """PUT /attachments/{id}: the description; everything else is read-only."""
    body = call.json()
    stored = found_attachment(call, writing=True)
    must_match(call.headers, _version(stored))
    text = body.get("description", stored.description)
    if text is not None and not is_text(text):
        sentence = f"description must be text of at most {TEXT_LIMIT} characters."
        raise BadRequest(sentence, {"description": sentence})
    if text != stored.description:
        now = call.shared.clock.now()
        stored = attachments.describe(call.connection, stored, text, call.caller.name, now)
    return _answer(call, stored)


def remove(call: Call) -> Answer:
    """DELETE /attachments/{id}: its contents go too, unless another attachment has the same."""
    stored = found_attachment(call, writing=True)
    must_match(call.headers, _version(stored))
    freed = attachments.remove(call.connection, stored.id)
    return replace(json_answer({"id": stored.id}), freed=freed)


def found_attachment(call: Call, *, writing: bool = False) -> Stored:
    """Return the attachment of the address; raise NotFound or Forbidden."""
    stored = attachments.read(call.connection, call.path["id"])
    may = call.caller.must_write if writing else call.caller.must_see
    may(None if stored is None else stored.project_id, f"Attachment {call.path['id']}")
    if stored is None:
        raise NotFound(f"Attachment {call.path['id']} does not exist, or you have no access to it.")
    return stored


async def _upload(shared: Shared, request: Request, place: _Place) -> Answer:
    await shared.database.fast.run(lambda connection: place(call_of(shared, request, connection)))
    limit = shared.settings.max_upload
    boundary = must_be_acceptable(request, limit)
    received = await receive(request, boundary, shared.contents.store, limit)
    try:
        await asyncio.to_thread(shared.contents.store.keep, received.incoming)
        return await shared.database.write.run(partial(_add, shared, request, place, received))
    finally:
        await asyncio.to_thread(shared.contents.store.forget, received.incoming)


def _add(shared: Shared, request: Request, place: _Place, received: Received, connection: Connection) -> Answer:
    call = call_of(shared, request, connection)
    values = place(call) | {
        "name": received.name,
        "size": received.incoming.size,
        "content_type": received.content_type,
        "digest": received.incoming.digest,
    }
    shared.contents.ensure(received.incoming)
    stored = attachments.add(connection, values, call.caller.name, shared.clock.now())
    return _answer(call, stored, 201, location=f"{call.root}/attachments/{stored.id}")


def _on_item(call: Call) -> dict[str, Any]:
    document = orjson.loads(found(call, call.path["id"], writing=True))
    return {"project_id": document["projectId"], "work_item_id": document["id"], "type": _kind(call)}


def _on_comment(call: Call) -> dict[str, Any]:
    comment = found_comment(call)
    call.caller.must_write(comment.project_id, f"Comment {comment.id}")
    places = {"project_id": comment.project_id, "work_item_id": comment.work_item_id, "comment_id": comment.id}
    return {**places, "type": _kind(call)}


def _kind(call: Call) -> str:
    kind = call.query.get("type", "")
    if kind not in {"", INTERNAL, PORTAL, call.shared.settings.name}:
        sentence = f"type must be {INTERNAL} or {PORTAL}."
        raise BadRequest(sentence, {"type": sentence})
    return PORTAL if kind == PORTAL else INTERNAL


async def upload(shared: Shared, request: Request) -> Answer:
    """POST /workitems/{id}/attachments: 201 with Location."""
    return await _upload(shared, request, _on_item)


async def upload_to_comment(shared: Shared, request: Request) -> Answer:
    """POST /comments/{id}/attachments (an extension): 201 with Location."""
    return await _upload(shared, request, _on_comment)


def _list(call: Call, item_id: int | None = None, comment_id: int | None = None) -> Answer:
    options = options_of(call.query, attachments.PROPERTIES)
    if options.filter is not None or options.order:
        call.may_take_long()
    query = Query(tuple(call.caller.project_ids), item_id, comment_id, options.filter, options.order)
    page = attachments.page(call.connection, query, options.skip, options.limit)
    documents = [orjson.dumps(_model(call, stored).wire()) for stored in page]
    is_last = (documents or not options.skip) and len(documents) < options.limit
    total = options.skip + len(documents) if is_last else attachments.count(call.connection, query)
    return envelope(documents, total, options)


def _answer(call: Call, stored: Stored, status: int = 200, **headers: str) -> Answer:
    return json_answer(_model(call, stored).wire(), status, {"etag": etag_of(_version(stored)), **headers})


def _version(stored: Stored) -> bytes:
    """Return the input of the ETag: the document without addresses, which differ between callers."""
    return repr(stored).encode()


def _model(call: Call, stored: Stored) -> Attachment:
    base = str(call.request.base_url).rstrip("/")
    place = f"{stored.id}/{quote(stored.name, safe='')}"
    return Attachment(
        id=stored.id,
        project_id=stored.project_id,
        work_item_id=stored.work_item_id,
        comment_id=stored.comment_id,
        name=stored.name,
        description=stored.description,
        size=stored.size,
        friendly_size=friendly_size_of(stored.size),
        url=f"{base}{STREAM_PATH}/{place}",
        download_url=f"{base}{DOWNLOAD_PATH}/{place}",
        type=stored.type,
        created_by=stored.created_by,
        created_at=stored.created_at,
        last_modified_by=stored.last_modified_by,
        last_modified_at=stored.last_modified_at,
    )
