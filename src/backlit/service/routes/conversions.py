"""Work items that become another type."""

from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from backlit.model.conversions import AttachedObjects, must_convert, must_fit_above
from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.relations import MAX_RELATIONS, KnownRelation, RelatedItem, RelationType
from backlit.model.resources import Relation, WorkItem
from backlit.service.http.endpoint import HandlerResponse, RequestContext, Routes
from backlit.service.routes.work_items import answer, asked_of_item, existence, touch_items, visible_document
from backlit.service.rules.checks import checked
from backlit.service.rules.fitting import FittedItem, lost_values
from backlit.service.tables import work_items
from backlit.service.tables.below import CRITERIA, RELATIONS, TIME_ENTRIES
from backlit.service.tables.changes import ChangeAct, ChangeCause
from backlit.service.tables.relations import StoredRelations
from backlit.service.tables.work_items import WorkItemRow

routes = Routes()
_TYPES = tuple(ItemType)


@routes("POST", "/workitems/{id}/convert", WorkItem, tag="work_items", extension="convert")
def convert(call: RequestContext) -> HandlerResponse:
    """POST /workitems/{id}/convert `{"type", "fields"}`: give an item another type; 200 with the item."""
    body, old = asked_of_item(call)
    item_type, given = _asked(call, body, old)
    relations = RELATIONS.listed_of(call.connection, [old.id])
    before = RelatedItem(old.id, old.type, old.project_id)
    must_convert(before, item_type, _attached(call.connection, old, relations))
    settings = call.settings_of(old.project_id)
    values = FittedItem(old, settings, item_type, settings).values(given)
    new = replace(old.changed(values, call.stamp), type=item_type)
    if item_type == ItemType.FEATURE:
        parent = next((each for each in relations if each.type == RelationType.PARENT), None)
        known = None if parent is None else KnownRelation(parent.id, parent.work_item_id, parent.target_id)
        must_fit_above(before, known, StoredRelations(call.connection, call.caller))
    fields = {"type": (old.type, new.type), **_differences(old, new)}
    change = new.recorded(ChangeAct.CHANGED, fields, new.last_modified_at)
    work_items.transform(call.connection, old, new, settings, call.stamp, change)
    # What follows is no activity of its own: of a request, the first change is.
    _relate(call, old, new, relations)
    for parent_id in (old.values.get("ParentID"), new.values.get("ParentID")):
        if parent_id:
            work_items.roll_up(call.connection, parent_id, settings, call.stamp)
    return answer(visible_document(call, old.id))


def _asked(call: RequestContext, body: dict[str, Any], item: WorkItemRow) -> tuple[str, dict[str, Any]]:
    """Return the type that an item gets, and the values that are given for it."""
    item_type, fields = body.get("type"), body.get("fields", {})
    if item_type not in _TYPES or item_type == item.type:
        others = ", ".join(each for each in _TYPES if each != item.type)
        sentence = f"type must be one of: {others}."
        raise BadRequest(sentence, {"type": sentence})
    if not isinstance(fields, dict):
        sentence = "fields must be an object."
        raise BadRequest(sentence, {"fields": sentence})
    settings = call.settings_of(item.project_id)
    named = {"Name": item.values["Name"], **fields}
    given = checked(str(item_type), named, settings, existence(call, settings), creating=True)
    if given.get("ParentID") == item.id:
        sentence = "ParentID cannot be the item itself."
        raise BadRequest(sentence, {"ParentID": sentence})
    return str(item_type), given


def _differences(old: WorkItemRow, new: WorkItemRow) -> dict[str, tuple[Any, Any]]:
    """Return the values that were lost, set or changed, without those that say nothing before and after."""
    lost = {key: (value, new.values.get(key)) for key, value in lost_values(old.values, new.values).items()}
    return lost | {key: (old.values.get(key), value) for key, value in lost_values(new.values, old.values).items()}


def _attached(connection: Connection, item: WorkItemRow, relations: list[Relation]) -> AttachedObjects:
    return AttachedObjects(
        children=any(each.type == RelationType.PARENT and each.target_id == item.id for each in relations),
        tasks=bool(work_items.tasks_of(connection, item.id)),
        criteria=bool(CRITERIA.count_of_item(connection, item.id)),
        duplicates=any(each.type == RelationType.DUPLICATES for each in relations),
        time_entries=bool(TIME_ENTRIES.count_of_item(connection, item.id)),
    )


def _relate(call: RequestContext, old: WorkItemRow, new: WorkItemRow, relations: list[Relation]) -> None:
    """Take a parent away from a new task, and relate a former task to its parent."""
    for each in relations:
        if new.type == ItemType.TASK and each.type == RelationType.PARENT:
            RELATIONS.remove(call.connection, each, call.stamp)
            touch_items(call, [each.target_id])
    parent_id: int = old.values.get("ParentID") or 0
    ends = sorted((new.id, parent_id)) if parent_id else []
    if call.stamp.cause is ChangeCause.UNDO:  # it was no task before, and is to be as it was
        return
    if not ends or any(
        (each.type, each.work_item_id, each.target_id) == (RelationType.RELATED, *ends) for each in relations
    ):
        return
    if max(len(relations), RELATIONS.count_of_item(call.connection, parent_id)) >= MAX_RELATIONS:
        return
    row = {"project_id": new.project_id, "target_project_id": new.project_id, "type": RelationType.RELATED.value}
    RELATIONS.add(call.connection, row | {"work_item_id": ends[0], "target_id": ends[1]}, call.stamp)
    touch_items(call, [parent_id])
