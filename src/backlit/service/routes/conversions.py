"""Work items that become another type."""

from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from backlit.model.errors import BadRequest, Conflict
from backlit.model.fields import ItemType
from backlit.model.relations import MAX_RELATIONS, NewRelation, RelatedItem, RelationType, must_fit
from backlit.model.resources import Relation, WorkItem
from backlit.service.http.endpoint import HandlerResponse, RequestContext, Routes, must_match
from backlit.service.routes.work_items import answer, existence, touch_items, visible_document
from backlit.service.rules.checks import checked
from backlit.service.rules.fitting import FittedItem, lost_values
from backlit.service.tables import work_items
from backlit.service.tables.below import CRITERIA, RELATIONS, TIME_ENTRIES
from backlit.service.tables.changes import ChangeAct
from backlit.service.tables.relations import StoredRelations
from backlit.service.tables.work_items import WorkItemRow, edited_part, item_of

routes = Routes()
_TYPES = tuple(ItemType)


@routes("POST", "/workitems/{id}/convert", WorkItem, tag="work_items", extension="convert")
def convert(call: RequestContext) -> HandlerResponse:
    """POST /workitems/{id}/convert `{"type", "fields"}`: give an item another type; 200 with the item."""
    body = call.json()
    document = visible_document(call, call.path["id"], writing=True)
    must_match(call.headers, edited_part(document))
    old = item_of(document)
    item_type, given = _asked(call, body, old)
    relations = RELATIONS.listed_of(call.connection, [old.id])
    _must_be_free(call.connection, old, item_type, relations)
    settings = call.settings_of(old.project_id)
    values = FittedItem(old, settings, item_type, settings).values(given)
    new = replace(old.changed(values, call.stamp), type=item_type)
    _must_not_be_deep(call, new, relations)
    fields = {"type": (old.type, new.type), **_differences(old, new)}
    change = new.recorded(ChangeAct.CHANGED, fields, new.last_modified_at)
    document = work_items.transform(call.connection, old, new, settings, call.stamp, change)
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


def _must_be_free(connection: Connection, item: WorkItemRow, item_type: str, relations: list[Relation]) -> None:
    """Raise Conflict for an item with something that the new type cannot have."""
    if any(each.type == RelationType.PARENT and each.target_id == item.id for each in relations):
        raise Conflict(f"#{item.id} is the parent of other items. Only a Feature can be.")
    if item.type == ItemType.TASK and TIME_ENTRIES.count_of_item(connection, item.id):
        raise Conflict(f"#{item.id} has time entries, which only a Task can have. Delete them first.")
    if item_type != ItemType.TASK:
        return
    if work_items.tasks_of(connection, item.id):
        raise Conflict(f"#{item.id} has tasks, which a Task cannot have.")
    if CRITERIA.count_of_item(connection, item.id):
        raise Conflict(f"#{item.id} has acceptance criteria, which a Task cannot have.")
    if any(each.type == RelationType.DUPLICATES for each in relations):
        raise Conflict(f"#{item.id} is or has a duplicate, which a Task cannot be or have.")


def _must_not_be_deep(call: RequestContext, item: WorkItemRow, relations: list[Relation]) -> None:
    """Raise Conflict for a new Feature below which, or above which, there are too many others."""
    for each in relations:
        if each.type == RelationType.PARENT and item.type == ItemType.FEATURE:
            ends = (
                RelatedItem(item.id, item.type, item.project_id),
                RelatedItem(each.target_id, ItemType.FEATURE, item.project_id),
            )
            try:
                must_fit(
                    NewRelation(RelationType.PARENT, *ends, each.id), StoredRelations(call.connection, call.caller)
                )
            except BadRequest as error:
                raise Conflict(error.message) from error


def _relate(call: RequestContext, old: WorkItemRow, new: WorkItemRow, relations: list[Relation]) -> None:
    """Take a parent away from a new task, and relate a former task to its parent."""
    for each in relations:
        if new.type == ItemType.TASK and each.type == RelationType.PARENT:
            RELATIONS.remove(call.connection, each, call.stamp)
            touch_items(call, [each.target_id])
    parent_id: int = old.values.get("ParentID") or 0
    ends = sorted((new.id, parent_id)) if parent_id else []
    if not ends or any(
        (each.type, each.work_item_id, each.target_id) == (RelationType.RELATED, *ends) for each in relations
    ):
        return
    if max(len(relations), RELATIONS.count_of_item(call.connection, parent_id)) >= MAX_RELATIONS:
        return
    row = {"project_id": new.project_id, "target_project_id": new.project_id, "type": RelationType.RELATED.value}
    RELATIONS.add(call.connection, row | {"work_item_id": ends[0], "target_id": ends[1]}, call.stamp)
    touch_items(call, [parent_id])
