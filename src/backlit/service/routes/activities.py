"""Activities: the history of items in words, one for each request that changed something."""

from collections.abc import Mapping
from typing import Any

from backlit.model.dates import write_datetime
from backlit.model.errors import BadRequest
from backlit.service.http.endpoint import (
    ContinueOnSlowQueue,
    HandlerResponse,
    RequestContext,
    Routes,
    json_answer,
)
from backlit.service.http.options import is_id_text
from backlit.service.routes.history import HISTORY_TOP, asked_project_ids, asked_revision, asked_top
from backlit.service.routes.work_items import visible_document
from backlit.service.tables import history
from backlit.service.tables.changes import LAST_DOCUMENT, ChangeAct, ChangeKind
from backlit.service.tables.history import ACTIVITY_ROWS, ActivityPeople, HistoryRow

routes = Routes()

SUBJECTS = {ChangeKind.ITEM: "item", ChangeKind.COMMENT: "comment", ChangeKind.FILE: "attachment"}
VERBS = {
    ChangeAct.CREATED: "created",
    ChangeAct.CHANGED: "changed",
    ChangeAct.REMOVED: "deleted",
    ChangeAct.LEFT: "moved",
    ChangeAct.CAME: "moved",
}
LONGEST_TEXT, LONGEST_VALUE = 500, 60
"""Characters of a text in `changes`, and of a value or a comment in `content`."""
_TOP = frozenset({"$top"})


@routes("GET", "/activities", "ActivityList", tag="activities", extension="activities", options=_TOP)
def read_activities(call: RequestContext) -> HandlerResponse:
    """GET /activities: what was changed in items, newest first, in words."""
    by = _user_id(call)
    if by is not None and not call.query.get("projectId"):
        raise ContinueOnSlowQueue(call, lambda slow: _page(slow, by=by))
    return _page(call, by=by)


@routes("GET", "/workitems/{id}/activities", "ActivityList", tag="activities", extension="activities", options=_TOP)
def read_item_activities(call: RequestContext) -> HandlerResponse:
    """GET /workitems/{id}/activities: what was changed in a work item, newest first, in words."""
    item_id = call.path["id"]
    if not history.of_item(call.connection, call.caller, item_id, before=None, keys=(), top=1):
        visible_document(call, item_id)  # an item from before the history has none; a hidden one is not found
    return _page(call, item_id=item_id)


def _page(call: RequestContext, *, by: int | None = None, item_id: int | None = None) -> HandlerResponse:
    top, before, project_ids = asked_top(call, HISTORY_TOP), asked_revision(call, "before"), asked_project_ids(call)
    found: dict[int, HistoryRow] = {}
    while len(found) <= top:
        rows = history.of_activities(
            call.connection, call.caller, before=before, project_ids=project_ids, by=by, item_id=item_id
        )
        # Newest first, so that the first change of a request stands in the end: its others follow from it.
        found |= {row.request or row.revision: row for row in rows}
        if len(rows) < ACTIVITY_ROWS:
            break
        before = rows[-1].revision
    page = list(found.values())[:top]
    people = history.people_of(call.connection, page)
    results = [_activity(call, row, people) for row in page]
    return json_answer({"results": results, "next": page[-1].revision if len(found) > top and page else None})


def _activity(call: RequestContext, row: HistoryRow, people: ActivityPeople) -> dict[str, Any]:
    kind, act = ChangeKind(row.kind), ChangeAct(row.act)
    name, display_name = people.names(row.user_id)
    at = write_datetime(row.at)
    return {
        "id": row.revision,
        "projectId": row.project_id,
        "workItemId": row.item_id,
        "content": f"{display_name} {_sentence(row, kind, act)}",
        "author": display_name,
        "iconUrl": "",
        "isFlagged": row.user_id != call.caller.id and people.concerns(row.item_id, call.caller),
        "system": call.shared.settings.name,
        "systemEvent": "SystemMessage" if row.user_id is None else "WorkItemChanged",
        "commentType": _value(row, "type") if kind is ChangeKind.COMMENT else None,
        "subject": SUBJECTS[kind],
        "verb": VERBS[act],
        "changes": [_changed(key, *pair) for key, pair in row.fields.items()] if act is ChangeAct.CHANGED else [],
        "mentions": [],
        "createdBy": name,
        "createdAt": at,
        "lastModifiedBy": name,
        "lastModifiedAt": at,
    }


def _sentence(row: HistoryRow, kind: ChangeKind, act: ChangeAct) -> str:
    item = f"#{row.item_id}"
    match kind, act:
        case ChangeKind.COMMENT, ChangeAct.CREATED:
            return f"commented on {item}: {_short(_value(row, 'description'))}"
        case ChangeKind.COMMENT, _:
            return f"deleted a comment on {item}"
        case ChangeKind.FILE, ChangeAct.CREATED:
            return f"attached {_short(_value(row, 'name'))} to {item}"
        case ChangeKind.FILE, ChangeAct.REMOVED:
            return f"deleted the file {_short(_value(row, 'name'))} of {item}"
        case ChangeKind.FILE, _:
            return f"described a file of {item}"
        case _, (ChangeAct.LEFT | ChangeAct.CAME):
            return f"moved {item} to another project"
        case _, ChangeAct.CREATED:
            return f"created {item} {_short(_value(row, 'Name'))}"
        case _, ChangeAct.REMOVED:
            return f"deleted {item} {_short((row.fields.get(LAST_DOCUMENT) or {}).get('fields', {}).get('Name'))}"
        case _:
            return _change_sentence(row, item)


def _change_sentence(row: HistoryRow, item: str) -> str:
    keys = list(row.fields)
    names = f"{', '.join(keys[:-1])} and {keys[-1]}" if len(keys) > 1 else "".join(keys)
    sentence = f"changed {names} of {item}"
    if len(keys) != 1 or keys[0].endswith("ID"):
        return sentence
    before, after = row.fields[keys[0]]
    if any(isinstance(value, str) and len(value) > LONGEST_VALUE for value in (before, after)):
        return sentence
    return f"{sentence} from {_shown(before)} to {_shown(after)}"


def _shown(value: Any) -> str:
    if value in (None, "", []):
        return "nothing"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _value(row: HistoryRow, key: str) -> Any:
    """Return a value of what was created, or of what was removed."""
    last = row.fields.get(LAST_DOCUMENT)
    return last.get(key) if isinstance(last, Mapping) else (row.fields.get(key) or (None, None))[1]


def _short(value: Any) -> str:
    text = " ".join(str(value or "").split())
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def _changed(key: str, before: Any, after: Any) -> dict[str, Any]:
    values = {"old": before, "new": after}
    cut = {name: value[:LONGEST_TEXT] for name, value in values.items() if _is_long(value)}
    return {"field": key, **values, **cut, **({"cut": True} if cut else {})}


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > LONGEST_TEXT


def _user_id(call: RequestContext) -> int | None:
    text = call.query.get("by", "").strip()
    if not text:
        return None
    if not is_id_text(text):
        sentence = "by must be the id of a user, a whole number."
        raise BadRequest(sentence, {"by": sentence})
    return int(text)
