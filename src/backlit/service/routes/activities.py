"""Activities: the history of items in words, one for each request that changed something."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.dates import parse_utc, write_datetime
from backlit.model.errors import BadRequest, Forbidden, NotFound
from backlit.service.http.endpoint import (
    ID_LIMIT,
    ContinueOnSlowQueue,
    HandlerResponse,
    RequestContext,
    Routes,
    json_answer,
)
from backlit.service.http.options import is_id_text
from backlit.service.routes.history import HISTORY_TOP, asked_project_ids, asked_revision, asked_top, refusal
from backlit.service.routes.work_items import visible_document
from backlit.service.rules.checks import text_fault
from backlit.service.tables import history, read_marks
from backlit.service.tables.changes import LAST_DOCUMENT, ChangeAct, ChangeKind, RecordedChange, created, note
from backlit.service.tables.history import ACTIVITY_ROWS, ActivityPeople, HistoryRow
from backlit.service.tables.mentions import mentions_of
from backlit.service.tables.read_marks import ReadState, UnreadSelection

routes = Routes()

SUBJECTS = {
    ChangeKind.ITEM: "item",
    ChangeKind.COMMENT: "comment",
    ChangeKind.FILE: "attachment",
    ChangeKind.RELATION: "relation",
    ChangeKind.LINK: "link",
    ChangeKind.CRITERION: "criterion",
    ChangeKind.TIME_ENTRY: "time",
    ChangeKind.MESSAGE: "message",
}
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
MAX_MARKED_ITEMS = 1000
"""Items whose activities one request notes as read."""


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
    state = read_marks.state_of(call.connection, call.caller.id)
    is_unread = _is_asked_for_unread(call)
    after, not_by = (state.mark, call.caller.id) if is_unread else (0, None)
    while len(found) <= top:
        rows = history.of_activities(
            call.connection,
            call.caller,
            before=before,
            after=after,
            project_ids=project_ids,
            by=by,
            not_by=not_by,
            item_id=item_id,
        )
        # Newest first, so that the first change of a request stands in the end: its others follow from it.
        found |= {
            row.request or row.revision: row
            for row in rows
            if not (is_unread and state.has_read(row.request or row.revision))
        }
        if len(rows) < ACTIVITY_ROWS:
            break
        before = rows[-1].revision
    page = list(found.values())[:top]
    reading = _reading(call, page, state)
    results = [_activity(call, row, reading) for row in page]
    return json_answer({"results": results, "next": page[-1].revision if len(found) > top and page else None})


def _is_asked_for_unread(call: RequestContext) -> bool:
    """Report whether only the unread activities of others are asked for."""
    asked = call.query.get("isRead")
    if asked not in {None, "false"}:
        raise refusal("isRead", "isRead can only be false, for the unread activities of others.")
    return asked is not None


@routes("GET", "/activities/unread", "UnreadActivities", tag="activities", extension="unread")
def read_unread(call: RequestContext) -> HandlerResponse:
    """GET /activities/unread: how many activities of others are unread, and how many of these concern the caller."""
    found = read_marks.unread(call.connection, call.caller, read_marks.state_of(call.connection, call.caller.id))
    return json_answer({"unread": len(found.flags), "flagged": found.flagged})


@routes("PUT", "/activities/unread", "UnreadActivities", tag="activities", extension="unread")
def update_unread(call: RequestContext) -> HandlerResponse:
    """PUT /activities/unread `{"readTo": id}`, or `{"readUntil": time}`: note activities as read.

    `projectId` and `workItemIds` keep to those of a project and of some items.
    """
    given = call.json()
    state = read_marks.state_of(call.connection, call.caller.id)
    activity_ids = read_marks.unread_up_to(call.connection, call.caller, state, _asked_marks(given))
    is_new = read_marks.mark_read(call.connection, call.caller, activity_ids)
    return replace(read_unread(call), reader=call.caller.id if is_new else None)


def _asked_marks(given: Mapping[str, Any]) -> UnreadSelection:
    read_to, until, item_ids = given.get("readTo"), given.get("readUntil"), given.get("workItemIds")
    project_id = given.get("projectId")
    if until is None and not _is_id(read_to):
        raise refusal("readTo", "readTo must be the id of an activity.")
    if project_id is not None and not _is_id(project_id):
        raise refusal("projectId", "projectId must be the id of a project.")
    are_ids = isinstance(item_ids, list) and len(item_ids) <= MAX_MARKED_ITEMS and all(map(_is_id, item_ids))
    if item_ids is not None and not are_ids:
        raise refusal("workItemIds", f"workItemIds must be a list of ids of work items, at most {MAX_MARKED_ITEMS:,}.")
    if until is None:
        return UnreadSelection(read_to, None, project_id, item_ids)
    try:
        return UnreadSelection(None, parse_utc(str(until)), project_id, item_ids)
    except BadRequest:
        raise refusal("readUntil", "readUntil must be a DateTime, such as 2026-03-01T14:30:00.") from None


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= ID_LIMIT


MESSAGE_LIMIT = 2000


@routes("POST", "/activities/share", "Activity", tag="activities", extension="activities")
def share_message(call: RequestContext) -> HandlerResponse:
    """POST /activities/share `{"message"}`: tell something to all who have a project in common with the caller."""
    message = call.json().get("message")
    fault = text_fault("message", message, MESSAGE_LIMIT, may_be_empty=False)
    if fault:
        raise BadRequest(fault, {"message": fault})
    if not call.caller.project_ids:
        raise Forbidden("Nobody has a project in common with you.")
    # One row for each project, so that who sees the project sees it; they are one activity, as of one request.
    told = (ChangeKind.MESSAGE, ChangeAct.CREATED, call.caller.id)
    rows = [
        RecordedChange(*told, project_id, created({"message": message}), call.stamp.at)
        for project_id in sorted(call.caller.project_ids)
    ]
    revision = note(call.connection, call.stamp, *rows)
    row = history.activity(call.connection, call.caller, revision)
    assert row is not None
    return json_answer(
        _activity(call, row, _reading(call, [row], read_marks.state_of(call.connection, call.caller.id)))
    )


@routes("PUT", "/activities/{id}", "Activity", tag="activities", extension="unread")
def update_activity(call: RequestContext) -> HandlerResponse:
    """PUT /activities/{id} `{"isRead": true}`: note an activity as read; other keys are ignored."""
    if call.json().get("isRead", True) is not True:
        sentence = "isRead can only be set to true."
        raise BadRequest(sentence, {"isRead": sentence})
    row = history.activity(call.connection, call.caller, call.path["id"])
    if row is None:
        raise NotFound(f"Activity {call.path['id']} does not exist, or you have no access to it.")
    is_new = read_marks.mark_read(call.connection, call.caller, [row.request or row.revision])
    state = read_marks.state_of(call.connection, call.caller.id)
    answer = json_answer(_activity(call, row, _reading(call, [row], state)))
    return replace(answer, reader=call.caller.id if is_new else None)


class _Reading(Struct, frozen=True):
    """What a page of activities needs to know of people, mentions, and what the caller has read."""

    people: ActivityPeople
    mentions: Mapping[int, Collection[int]]
    state: ReadState


def _reading(call: RequestContext, page: list[HistoryRow], state: ReadState) -> _Reading:
    mentioned = mentions_of(call.connection, [row.request or row.revision for row in page])
    return _Reading(history.people_of(call.connection, page), mentioned, state)


def _activity(call: RequestContext, row: HistoryRow, reading: _Reading) -> dict[str, Any]:
    kind, act, is_message = ChangeKind(row.kind), ChangeAct(row.act), row.kind == ChangeKind.MESSAGE
    people, activity_id = reading.people, row.request or row.revision
    mentioned, is_own = reading.mentions.get(activity_id, ()), row.user_id == call.caller.id
    name, display_name = people.names(row.user_id)
    at = write_datetime(row.at)
    return {
        "id": row.revision,
        "projectId": None if is_message else row.project_id,
        "workItemId": row.item_id,
        "content": f"{display_name}: {_value(row, 'message')}"
        if is_message
        else f"{display_name} {_sentence(row, kind, act)}",
        "author": display_name,
        "iconUrl": "",
        "isFlagged": not is_own and (call.caller.id in mentioned or people.concerns(row.item_id, call.caller)),
        "isRead": is_own or reading.state.has_read(activity_id),
        "system": call.shared.settings.name,
        "systemEvent": _system_event(row, is_message=is_message),
        "commentType": _value(row, "type") if kind is ChangeKind.COMMENT else None,
        "subject": SUBJECTS[kind],
        "objectId": row.object_id,
        "verb": _verb(row),
        "workItem": _item_words(row) if kind is ChangeKind.ITEM else None,
        "changes": _changes(row),
        "mentions": mentioned,
        "createdBy": name,
        "createdAt": at,
        "lastModifiedBy": name,
        "lastModifiedAt": at,
    }


def _system_event(row: HistoryRow, *, is_message: bool) -> str:
    if is_message:
        return "PersonalMessage"
    return "SystemMessage" if row.user_id is None else "WorkItemChanged"


def _verb(row: HistoryRow) -> str:
    """Return what happened; an item whose type or parent is another one was converted or moved."""
    if (row.kind, row.act) == (ChangeKind.ITEM, ChangeAct.CHANGED):
        verbs = {"type": "converted", "ParentID": "moved"}
        return next((verb for key, verb in verbs.items() if key in row.fields), VERBS[ChangeAct.CHANGED])
    return VERBS[ChangeAct(row.act)]


def _changes(row: HistoryRow) -> list[dict[str, Any]]:
    """Return the changed values; of an item that left a project, those that were lost."""
    if row.act not in {ChangeAct.CHANGED, ChangeAct.LEFT}:
        return []
    return [_changed(key, *pair) for key, pair in row.fields.items() if key != LAST_DOCUMENT]


def _item_words(row: HistoryRow) -> dict[str, Any] | None:
    """Return type and name of an item that was created or deleted."""
    last = row.fields.get(LAST_DOCUMENT)
    if isinstance(last, Mapping):
        return {"type": last.get("type"), "name": (last.get("fields") or {}).get("Name")}
    if row.act != ChangeAct.CREATED:
        return None
    return {"type": _value(row, "type"), "name": _value(row, "Name")}


def _sentence(row: HistoryRow, kind: ChangeKind, act: ChangeAct) -> str:
    item = f"#{row.item_id}"
    if kind in _BELOW:
        words, value = _BELOW[kind]
        return words[act].format(item=item, value=_short(value(row)) or "one")
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


def _relation(row: HistoryRow) -> str:
    """Return a relation in words; an empty text for one to another project, whose other end not everybody sees."""
    ends = _value(row, "workItemId"), _value(row, "targetId")
    return f"#{ends[0]} {_value(row, 'type')} #{ends[1]}" if all(ends) else ""


def _hours(row: HistoryRow) -> str:
    return f"{_value(row, 'hours') or 0:g} h"


def _words(created: str, changed: str, removed: str) -> Mapping[ChangeAct, str]:
    return {ChangeAct.CREATED: created, ChangeAct.CHANGED: changed, ChangeAct.REMOVED: removed}


_BELOW: Mapping[ChangeKind, tuple[Mapping[ChangeAct, str], Callable[[HistoryRow], object]]] = {
    ChangeKind.RELATION: (
        _words(
            "added to {item} the relation {value}",
            "changed a relation of {item}",
            "deleted from {item} the relation {value}",
        ),
        _relation,
    ),
    ChangeKind.LINK: (
        _words("added to {item} the link {value}", "changed a link of {item}", "deleted from {item} the link {value}"),
        lambda row: _value(row, "displayText"),
    ),
    ChangeKind.CRITERION: (
        _words(
            "added to {item} the criterion {value}",
            "changed a criterion of {item}",
            "deleted from {item} the criterion {value}",
        ),
        lambda row: _value(row, "title"),
    ),
    ChangeKind.TIME_ENTRY: (
        _words("logged {value} on {item}", "changed a time entry of {item}", "deleted {value} logged on {item}"),
        _hours,
    ),
}
"""The sentences about objects below items, and how each is named in them."""


def _change_sentence(row: HistoryRow, item: str) -> str:
    if _verb(row) == "converted":
        before, after = row.fields["type"]
        return f"converted {item} from {before} to {after}"
    if _verb(row) == "moved":
        return f"moved {item} below #{row.fields['ParentID'][1]}"
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
