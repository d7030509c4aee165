"""What was changed: the history of an item, and the changes after a cursor."""

import re
from typing import Any

from starlette.datastructures import QueryParams

from backlit.model.dates import write_datetime
from backlit.model.errors import BadRequest
from backlit.service.http.endpoint import HandlerResponse, NothingYet, RequestContext, Routes, json_answer
from backlit.service.http.options import TOP_LIMIT, is_id_text, whole_number
from backlit.service.routes.work_items import visible_document
from backlit.service.tables import history
from backlit.service.tables.changes import ChangeAct, ChangeCause, ChangeKind, last_revision
from backlit.service.tables.history import ChangeNotice, HistoryRow

routes = Routes()

HISTORY_TOP, CHANGES_TOP = 50, 500
"""The changes of a page unless `$top` is given."""
LONGEST_WAIT = 25
"""Seconds that a request may wait for a change; proxies give up after 60."""
KIND_WORDS = {
    ChangeKind.ITEM: "item",
    ChangeKind.COMMENT: "comment",
    ChangeKind.FILE: "file",
    ChangeKind.AREA: "area",
    ChangeKind.ITERATION: "iteration",
    ChangeKind.PROJECT: "project",
    ChangeKind.SETTINGS: "settings",
    ChangeKind.GRANT: "grant",
    ChangeKind.USER: "user",
    ChangeKind.VIEW: "view",
    ChangeKind.ROUND: "round",
    ChangeKind.RELATION: "relation",
    ChangeKind.LINK: "link",
    ChangeKind.CRITERION: "criterion",
    ChangeKind.TIME_ENTRY: "timeEntry",
    ChangeKind.MESSAGE: "message",
}
CAUSE_WORDS = {
    ChangeCause.ASKED: "asked",
    ChangeCause.ROLLED_UP: "rollUp",
    ChangeCause.RENUMBERED: "renumbered",
    ChangeCause.REASSIGNED: "reassigned",
    ChangeCause.REMOVED_WITH_ANOTHER: "removedWithAnother",
    ChangeCause.EXPORT_IMPORTED: "exportImported",
    ChangeCause.ADMINISTRATION: "administration",
    ChangeCause.UNDO: "undo",
    ChangeCause.RESTORE: "restore",
    ChangeCause.IMPORT: "import",
}
ACT_WORDS = {act: act.name.lower() for act in ChangeAct}
_CURSOR = re.compile(r"(\d{1,18})\.([0-9a-f]{8})", re.ASCII)
_TOP = frozenset({"$top"})


@routes("GET", "/workitems/{id}/history", "ItemHistory", tag="changes", extension="history", options=_TOP)
def read_history(call: RequestContext) -> HandlerResponse:
    """GET /workitems/{id}/history: newest first, with the item's comments and files."""
    item_id, before, top = call.path["id"], asked_revision(call, "before"), asked_top(call, HISTORY_TOP)
    keys = [key.strip() for key in call.query.get("fields", "").split(",") if key.strip()]
    found = history.of_item(call.connection, call.caller, item_id, before=before, keys=keys, top=top + 1)
    if not found and not history.of_item(call.connection, call.caller, item_id, before=None, keys=(), top=1):
        visible_document(call, item_id)  # an item from before the history has no changes; a hidden one is not found
    page = found[:top]
    names = history.names_of(call.connection, {row.user_id for row in page if row.user_id is not None})
    return json_answer(
        {
            "results": [_change(row, names) for row in page],
            "next": page[-1].revision if len(found) > len(page) and page else None,
            "isComplete": history.begins_with_creation(call.connection, call.caller, item_id),
        }
    )


def _change(row: HistoryRow, names: dict[int, str]) -> dict[str, Any]:
    name = "backlit" if row.user_id is None else names.get(row.user_id, f"user {row.user_id}")
    return {
        "revision": row.revision,
        "at": write_datetime(row.at),
        "madeAt": None if row.made_at is None else write_datetime(row.made_at),
        "by": {"id": row.user_id, "name": name},
        "kind": KIND_WORDS[ChangeKind(row.kind)],
        "act": ACT_WORDS[ChangeAct(row.act)],
        "cause": CAUSE_WORDS[ChangeCause(row.cause)],
        "request": row.request or row.revision,
        "objectId": row.object_id,
        "fields": row.fields,
    }


@routes("GET", "/changes", "ChangeList", tag="changes", extension="changes", options=_TOP)
def read_changes(call: RequestContext) -> HandlerResponse:
    """GET /changes: ids and names of fields of all that was changed after a cursor, oldest first.

    With `wait` it is answered after the next change, or after so many seconds.
    """
    given, top = call.query.get("after"), asked_top(call, CHANGES_TOP)
    project_ids, kinds, wait = asked_project_ids(call), _kinds(call), asked_wait(call.query)
    last = last_revision(call.connection)
    if given is None:
        return json_answer(_page(call, last, last, [], is_more=False))
    after, check = read_cursor(given)
    reset = history.reset_reason(call.connection, call.caller, after, check)
    if reset is not None:
        return json_answer({"reset": reset, "revision": last, "cursor": history.cursor(call.connection, last)})
    found = history.after(call.connection, call.caller, after, project_ids=project_ids, kinds=kinds, top=top + 1)
    is_more = len(found) > top
    page = found[:top]
    answer = json_answer(_page(call, after, page[-1].revision if is_more and page else last, page, is_more=is_more))
    if wait and not page and call.request.method == "GET":
        raise NothingYet(answer, wait)
    return answer


def read_cursor(given: str) -> tuple[int, str]:
    """Return the revision and the check of a cursor."""
    match = _CURSOR.fullmatch(given)
    if match is None:
        raise refusal("after", "after must be a cursor of an earlier answer.")
    return int(match[1]), match[2]


def _page(
    call: RequestContext, after: int, revision: int, rows: list[ChangeNotice], *, is_more: bool
) -> dict[str, Any]:
    return {
        "after": after,
        "revision": revision,
        "cursor": history.cursor(call.connection, revision),
        "changes": [short(row) for row in rows],
        "isMore": is_more,
    }


def short(row: ChangeNotice) -> dict[str, Any]:
    """Return a change as ids and names of fields."""
    found = {
        "r": row.revision,
        "p": row.project_id,
        "k": KIND_WORDS[ChangeKind(row.kind)],
        "a": ACT_WORDS[ChangeAct(row.act)],
        "id": row.object_id,
        "item": row.item_id if row.item_id != row.object_id or row.kind != ChangeKind.ITEM else None,
        "by": row.user_id,
        "c": CAUSE_WORDS[ChangeCause(row.cause)] if row.cause != ChangeCause.ASKED else None,
        "f": row.keys if row.act == ChangeAct.CHANGED else None,
    }
    return {key: value for key, value in found.items() if value is not None}


def asked_top(call: RequestContext, default: int) -> int:
    top = whole_number(call.query, "$top")
    if top == 0:
        raise refusal("$top", "$top must be 1 or more.")
    return min(default if top is None else top, TOP_LIMIT)


def asked_wait(query: QueryParams) -> int:
    text = query.get("wait", "0")
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and int(text) <= LONGEST_WAIT):
        raise refusal("wait", f"wait must be a whole number of seconds, 0 to {LONGEST_WAIT}.")
    return int(text)


def asked_revision(call: RequestContext, name: str) -> int | None:
    text = call.query.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise refusal(name, f"{name} must be a revision, a whole number.")
    return int(text)


def asked_project_ids(call: RequestContext) -> tuple[int, ...]:
    text = call.query.get("projectId", "").strip()
    if not text:
        return ()
    project_id = int(text) if is_id_text(text) else 0
    if not call.caller.can_see(project_id):
        raise refusal("projectId", "projectId must be the id of a project that you may see.")
    return (project_id,)


def _kinds(call: RequestContext) -> tuple[ChangeKind, ...]:
    words = [word.strip() for word in call.query.get("kind", "").split(",") if word.strip()]
    kinds = {word: kind for kind, word in KIND_WORDS.items()}
    unknown = next((word for word in words if word not in kinds), None)
    if unknown is not None:
        raise refusal("kind", f"kind cannot be {unknown[:40]!r}; the kinds are: {', '.join(kinds)}.")
    return tuple(kinds[word] for word in words)


def refusal(name: str, sentence: str) -> BadRequest:
    return BadRequest(sentence, {name: sentence})
