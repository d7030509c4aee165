"""Comments."""

from functools import partial
from typing import Any

import orjson
from msgspec.structs import replace

from backlit.model.errors import BadRequest, Forbidden
from backlit.model.filters import Value, with_constants
from backlit.model.resources import INTERNAL, PORTAL, Comment
from backlit.service.http.endpoint import (
    ContinueOnSlowQueue,
    HandlerResponse,
    RequestContext,
    Routes,
    json_answer,
    must_match,
    resource_answer,
)
from backlit.service.http.listing import ListOptions, options_of
from backlit.service.http.options import TOP_DEFAULT
from backlit.service.routes.batches import OBJECT_BATCHES, answer_batch
from backlit.service.routes.below import page_of
from backlit.service.routes.work_items import visible_document
from backlit.service.rules.checks import is_id, text_fault
from backlit.service.storage.filter_sql import written_as
from backlit.service.tables import attachments, work_items
from backlit.service.tables.below import COMMENTS

routes = Routes()


@routes("GET", "/comments/{id}", Comment)
def read(call: RequestContext) -> HandlerResponse:
    """GET /comments/{id}."""
    return resource_answer(_shown(call, found_comment(call)))


@routes("GET", "/comments", Comment, default_top=TOP_DEFAULT)
def list_all(call: RequestContext) -> HandlerResponse:
    """GET /comments: those of all items the caller may see."""
    return _list(call)


@routes("GET", "/workitems/{id}/comments", Comment)
def list_of_item(call: RequestContext) -> HandlerResponse:
    """GET /workitems/{id}/comments."""
    visible_document(call, call.path["id"])
    return _list(call, call.path["id"])


@routes("POST", "/comments", Comment)
def create(call: RequestContext) -> HandlerResponse:
    """POST /comments: 201 with Location."""
    comment = _create(call, call.json())
    return resource_answer(comment, 201, {"location": f"{call.root}/comments/{comment.id}"})


@routes("POST", "/comments/batch", "CommentBatch", tag="comments", extension=OBJECT_BATCHES)
def create_batch(call: RequestContext) -> HandlerResponse:
    """POST /comments/batch: up to 200 new comments in one transaction, all or none; 201 with them in their order."""
    return answer_batch(call, lambda call, body: orjson.dumps(_create(call, body).wire()))


def _create(call: RequestContext, body: dict[str, Any]) -> Comment:
    return _shown(call, COMMENTS.add(call.connection, _checked(call, body), call.stamp))


@routes("DELETE", "/comments/{id}", Comment)
def remove(call: RequestContext) -> HandlerResponse:
    """DELETE /comments/{id}: by its author or a manager of the project."""
    comment = found_comment(call)
    call.caller.must_write(comment.project_id, f"Comment {comment.id}")
    if comment.created_by != call.caller.name and not call.caller.is_manager_of(comment.project_id):
        raise Forbidden("Only the author and managers of the project can delete a comment.")
    must_match(call.headers, orjson.dumps(_shown(call, comment).wire()))
    COMMENTS.remove(call.connection, comment, call.stamp)
    freed = attachments.remove_of_comment(call.connection, comment.id, call.stamp)
    return replace(json_answer({"id": comment.id}), freed=freed)


def _shown(call: RequestContext, comment: Comment) -> Comment:
    return replace(comment, type=call.shared.settings.written_type(comment.type or INTERNAL))


def found_comment(call: RequestContext) -> Comment:
    comment = COMMENTS.read(call.connection, call.path["id"])
    call.caller.must_see(None if comment is None else comment.project_id, f"Comment {call.path['id']}")
    assert comment is not None  # nobody sees what is in no project
    return comment


def with_types(call: RequestContext, options: ListOptions) -> ListOptions:
    """Let a filter name the internal type by its own name or the service's, as a caller may write it."""
    if options.filter is None:
        return options
    settings = call.shared.settings
    names: dict[Value, Value] = {
        settings.name: settings.internal_type,
        INTERNAL: settings.internal_type,
        PORTAL: PORTAL,
    }
    return replace(options, filter=with_constants(options.filter, "type", names))


def _list(call: RequestContext, item_id: int | None = None) -> HandlerResponse:
    options = with_types(call, options_of(call.query, COMMENTS.properties, default_top=call.default_top))
    if options.filter is None and not options.order:
        return _page(options, item_id, call)
    raise ContinueOnSlowQueue(call, partial(_page, options, item_id))


def _page(options: ListOptions, item_id: int | None, call: RequestContext) -> HandlerResponse:
    internal = call.shared.settings.internal_type
    here = tuple(call.caller.project_ids)
    columns = written_as(COMMENTS.columns, "type", INTERNAL, internal)
    listed = COMMENTS.query(here, item_id, options.filter, options.order, columns)
    return page_of(call, listed, options, lambda row: _shown(call, Comment(**row)))


def _checked(call: RequestContext, body: dict[str, Any]) -> dict[str, Any]:
    errors = {}
    item_id, text, kind = body.get("workItemId"), body.get("description"), body.get("type")
    row = work_items.read(call.connection, item_id) if is_id(item_id) else None
    if row is None or not call.caller.can_see(row[0]):
        errors["workItemId"] = "workItemId must be the id of a work item that you may see."
    elif body.get("projectId") != row[0]:
        errors["projectId"] = "projectId must be the project of the work item."
    if fault := text_fault("description", text, may_be_empty=False):
        errors["description"] = fault
    # Not a set: the value may be an unhashable object.
    if kind not in (None, "", INTERNAL, PORTAL, call.shared.settings.name):
        errors["type"] = f"type must be {INTERNAL} or {PORTAL}."
    if errors or row is None:
        raise BadRequest(" ".join(errors.values()), errors)
    call.caller.must_write(row[0], f"Work item {item_id}")
    stored_kind = PORTAL if kind == PORTAL else INTERNAL
    return {"project_id": row[0], "work_item_id": item_id, "description": text, "type": stored_kind}
