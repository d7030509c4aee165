"""Work items that move to another project, and tasks that move below another item."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, Table, select, update

from backlit.model.errors import BadRequest, Conflict
from backlit.model.fields import ItemType, Kind
from backlit.model.relations import RelationType
from backlit.model.resources import WorkItem
from backlit.service.http.endpoint import HandlerResponse, RequestContext, Routes
from backlit.service.routes.work_items import answer, asked_of_item, existence, touch_items, visible_document
from backlit.service.rules.checks import is_id
from backlit.service.rules.fitting import FittedItem, lost_values
from backlit.service.storage.objects_schema import relations
from backlit.service.storage.schema import areas, attachments, iterations
from backlit.service.tables import trees, work_items
from backlit.service.tables.below import BELOW_ITEMS, RELATIONS
from backlit.service.tables.changes import ChangeAct, created
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.work_items import REWRITE_BATCH, WorkItemRow, item_of

routes = Routes()
_PLACES: Mapping[str, tuple[Kind, Table]] = {"AreaID": (Kind.AREA, areas), "IterationID": (Kind.ITERATION, iterations)}
MOVE_KEYS = ("projectId", *_PLACES, "ParentID")
WITH_CHILDREN = ("move", "leave")


@routes("POST", "/workitems/{id}/move", WorkItem, tag="work_items", extension="move")
def move(call: RequestContext) -> HandlerResponse:
    """POST /workitems/{id}/move: an item to another `projectId`, a task below another `ParentID`; 200 with the item."""
    body, item = asked_of_item(call)
    parent_id, project_id = body.get("ParentID"), body.get("projectId")
    if bool(parent_id) == bool(project_id):
        sentence = "Give either projectId, or for a task ParentID."
        raise BadRequest(sentence, dict.fromkeys(("projectId", "ParentID"), sentence))
    if parent_id:
        _move_below(call, item, parent_id)
    else:
        _move_to_project(call, item, body)
    return answer(visible_document(call, item.id))


def _move_below(call: RequestContext, task: WorkItemRow, parent_id: object) -> None:
    settings = call.settings_of(task.project_id)
    if task.type != ItemType.TASK:
        sentence = f"#{task.id} is a {task.type}; only a Task is moved below another item."
        raise BadRequest(sentence, {"ParentID": sentence})
    if not is_id(parent_id) or not existence(call, settings)(Kind.ITEM, parent_id):
        sentence = "ParentID must be the id of a work item of the project that is no task."
        raise BadRequest(sentence, {"ParentID": sentence})
    if parent_id == task.values["ParentID"]:
        return
    work_items.change(call.connection, task, {**task.values, "ParentID": parent_id}, settings, call.stamp)
    for each in (task.values["ParentID"], parent_id):
        work_items.roll_up(call.connection, each, settings, call.stamp)


def _move_to_project(call: RequestContext, item: WorkItemRow, body: Mapping[str, Any]) -> None:
    settings = _new_settings(call, item, body.get("projectId"))
    given = _given_places(call, body, settings)
    below = _items_below(call, item, body.get("children"))
    moved = [each for parent in (item, *below) for each in (parent, *work_items.tasks_of(call.connection, parent.id))]
    places = _Places(call.connection, call.settings_of(item.project_id), settings)
    priority = work_items.last_priority(call.connection, settings.id)
    for number, each in enumerate(moved, 1):
        is_own = item.id in {each.id, each.values.get("ParentID")}
        values = {**places.of(each), **(given if is_own else {}), "BacklogPriority": priority + number}
        _move_one(call, each, values, places)
    _move_objects(call, [each.id for each in moved], settings.id)


def _move_one(call: RequestContext, old: WorkItemRow, given: Mapping[str, Any], places: "_Places") -> None:
    values = FittedItem(old, places.old, old.type, places.new).values(given)
    new = replace(old.changed(values, call.stamp), project_id=places.new.id)
    lost = {key: (value, None) for key, value in lost_values(old.values, values).items() if key not in places.kept(old)}
    removal = old.removal(call.stamp, None, {})
    left = replace(removal, act=ChangeAct.LEFT, fields={**removal.fields, **lost})
    shown = new.shown(places.new.fields_by_type[new.type])
    came = new.recorded(ChangeAct.CAME, created({"type": new.type, **shown}), new.last_modified_at)
    work_items.transform(call.connection, old, new, places.new, call.stamp, left, came)


def _move_objects(call: RequestContext, item_ids: list[int], project_id: int) -> None:
    """Let what is below items be in their project, without parents and children in another one."""
    moved, related = set(item_ids), set()
    for ids in (item_ids[start : start + REWRITE_BATCH] for start in range(0, len(item_ids), REWRITE_BATCH)):
        for relation in RELATIONS.listed_of(call.connection, ids):
            ends = {relation.work_item_id, relation.target_id}
            related |= ends - moved
            if relation.type == RelationType.PARENT and ends - moved:
                RELATIONS.remove(call.connection, relation, call.stamp)
        for objects in BELOW_ITEMS:
            for item, project in objects.ends:
                mine = update(objects.table).where(objects.table.c[item].in_(ids))
                call.connection.execute(mine.values({project: project_id}))
        mine = update(attachments).where(attachments.c.work_item_id.in_(ids))
        call.connection.execute(mine.values(project_id=project_id))
    touch_items(call, sorted(related))


def _new_settings(call: RequestContext, item: WorkItemRow, project_id: object) -> ProjectSettings:
    if item.type == ItemType.TASK:
        sentence = f"#{item.id} is a Task, which moves with its parent, or below another one by ParentID."
        raise BadRequest(sentence, {"projectId": sentence})
    if not is_id(project_id) or not call.caller.can_see(project_id) or project_id == item.project_id:
        sentence = "projectId must be the id of another project that you may see."
        raise BadRequest(sentence, {"projectId": sentence})
    call.caller.must_write(project_id, "The project")
    return call.settings_of(project_id)


def _given_places(call: RequestContext, body: Mapping[str, Any], settings: ProjectSettings) -> dict[str, int]:
    given = {key: body[key] for key in _PLACES if body.get(key)}
    exists = existence(call, settings)
    errors = {
        key: f"The project has no {_PLACES[key][1].name[:-1]} {value}."
        for key, value in given.items()
        if not is_id(value) or not exists(_PLACES[key][0], value)
    }
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return given


def _items_below(call: RequestContext, item: WorkItemRow, asked: object) -> list[WorkItemRow]:
    """Return the items that move along, of those whose parent is a Feature, on every level."""
    is_child = relations.c.type == RelationType.PARENT.value
    found: dict[int, WorkItemRow] = {}
    parents: list[int] = [item.id]
    while parents:
        ids = select(relations.c.work_item_id).where(is_child, relations.c.target_id.in_(parents))
        parents = [
            each for each in call.connection.execute(ids.order_by(relations.c.id)).scalars() if each not in found
        ]
        found |= {each: item_of(visible_document(call, each)) for each in parents}
    if found and asked not in WITH_CHILDREN:
        raise Conflict(
            f'#{item.id} is the parent of other items. Give children: "move" with all below, or "leave".',
            {"children": "Must be move or leave."},
        )
    return list(found.values()) if asked == "move" else []


class _Places:
    """The areas, iterations and teams of a project, by the names that those of another one have."""

    def __init__(self, connection: Connection, old: ProjectSettings, new: ProjectSettings) -> None:
        self._connection = connection
        self.old = old
        self.new = new
        self._roots = {"AreaID": new.root_area_id, "IterationID": new.root_iteration_id}
        self._old_roots = {"AreaID": old.root_area_id, "IterationID": old.root_iteration_id}

    def of(self, item: WorkItemRow) -> dict[str, Any]:
        """Return the place of an item of the old project in the new one."""
        found: dict[str, Any] = {key: self._node(key, item.values[key]) for key in _PLACES}
        return {**found, "TeamID": self._team(item.values.get("TeamID"))}

    def kept(self, item: WorkItemRow) -> set[str]:
        """Return the keys of an item's place that mean the same in the new project."""
        new = self.of(item)
        nodes = {key for key in _PLACES if new[key] != self._roots[key] or item.values[key] == self._old_roots[key]}
        return nodes | ({"TeamID"} if new["TeamID"] else set())

    def _node(self, key: str, node_id: int) -> int:
        """Return the node with the same path below the root, else the root."""
        nodes, root_id = _PLACES[key][1], self._roots[key]
        row, root = (trees.row_of(self._connection, nodes, each) for each in (node_id, root_id))
        if row is None or root is None or node_id == self._old_roots[key]:
            return root_id
        rest = row["path"].partition("\\")[2]
        mine = nodes.c.project_id == self.new.id, nodes.c.path == f"{root['path']}\\{rest}"
        found = self._connection.execute(select(nodes.c.id).where(*mine)).scalar()
        return root_id if found is None else int(found)

    def _team(self, team_id: int | None) -> int | None:
        names = dict(self.old.teams)
        return next((each for each, name in self.new.teams if team_id in names and name == names[team_id]), None)
