"""Work items."""

from dataclasses import replace
from typing import Any

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import ItemType, Kind
from backlit.service.http.endpoint import Answer, Call, json_answer
from backlit.service.http.etags import etag_of, must_match
from backlit.service.routes.work_item_lists import list_items
from backlit.service.rules.work_item_checks import Exists, checked, is_id
from backlit.service.storage.settings import TICK
from backlit.service.tables import trees, users, work_items
from backlit.service.tables.item_documents import TASK_FIGURES, Item, item_of, pert
from backlit.service.tables.projects import ProjectSettings


def read(call: Call) -> Answer:
    """GET /workitems/{id}."""
    document = found(call, call.path["id"])
    return Answer(document, 200, {"etag": etag_of(document)})


def listed(call: Call) -> Answer:
    """GET /workitems."""
    return list_items(call)


def tasks(call: Call) -> Answer:
    """GET /workitems/{id}/tasks."""
    found(call, call.path["id"])
    return list_items(call, call.path["id"])


def create(call: Call) -> Answer:
    """POST /workitems: 201 with Location and the whole item; what was not given is preset."""
    body = call.json()
    settings = _settings_for_new(call, body)
    parent = _parent_for_new(call, body, settings)
    given = checked(body["type"], body["fields"], settings, _exists(call, settings), creating=True)
    now = call.shared.clock.now()
    values = _presets(body["type"], settings, parent) | given
    values["BacklogPriority"] = work_items.next_priority(call.connection, settings.id)
    item = Item(0, body["type"], settings.id, _calculated(body["type"], values), call.caller.name, now, "", now)
    document = work_items.add(call.connection, replace(item, last_modified_by=item.created_by), settings)
    if parent is not None:
        work_items.roll_up(call.connection, parent.id, settings, call.caller.name, now)
    location = f"{call.root}/workitems/{item_of(document).id}"
    return Answer(document, 201, {"location": location, "etag": etag_of(document)})


def update(call: Call) -> Answer:
    """PUT /workitems/{id}: a flat object of the keys to change; 201 with the whole item."""
    body = call.json()
    document = found(call, call.path["id"], writing=True)
    must_match(call.headers, document)
    old = item_of(document)
    settings = call.settings_of(old.project_id)
    # What whole-object clients send back unchanged stays good, whatever has become of the lists it was chosen from.
    differing = {key: value for key, value in body.items() if key not in old.values or value != old.values[key]}
    given = checked(old.type, differing, settings, _exists(call, settings), creating=False)
    values = _calculated(old.type, {**old.values, **given})
    if values != old.values:
        stamp = max(call.shared.clock.now(), old.last_modified_at + TICK)
        new = replace(old, values=values, last_modified_by=call.caller.name, last_modified_at=stamp)
        document = work_items.change(call.connection, old, new, settings)
        if any(values.get(key) != old.values.get(key) for key in TASK_FIGURES) and "ParentID" in values:
            work_items.roll_up(call.connection, values["ParentID"], settings, call.caller.name, stamp)
    return Answer(document, 201, {"etag": etag_of(document)})


def remove(call: Call) -> Answer:
    """DELETE /workitems/{id}: with its tasks, comments and attachments, for good."""
    document = found(call, call.path["id"], writing=True)
    must_match(call.headers, document)
    item = item_of(document)
    freed = work_items.remove(call.connection, item)
    if item.values.get("ParentID"):
        settings = call.settings_of(item.project_id)
        now = call.shared.clock.now()
        work_items.roll_up(call.connection, item.values["ParentID"], settings, call.caller.name, now)
    return replace(json_answer({"id": item.id}), freed=freed)


def found(call: Call, item_id: int, *, writing: bool = False) -> bytes:
    """Return the document of an item visible to the caller (or write); raise NotFound or Forbidden."""
    row = work_items.read(call.connection, item_id)
    project_id = None if row is None else row[0]
    may = call.caller.must_write if writing else call.caller.must_see
    may(project_id, f"Work item {item_id}")
    if row is None:
        raise NotFound(f"Work item {item_id} does not exist, or you have no access to it.")
    return row[1]


def _settings_for_new(call: Call, body: dict[str, Any]) -> ProjectSettings:
    errors = {}
    if body.get("type") not in tuple(ItemType):
        errors["type"] = f"type must be one of: {', '.join(ItemType)}."
    project_id = body.get("projectId")
    if not is_id(project_id) or not call.caller.can_see(project_id):
        errors["projectId"] = "projectId must be the id of a project that you may see."
    if not isinstance(body.get("fields"), dict):
        errors["fields"] = "fields must be an object with at least Name."
    if errors or not is_id(project_id):
        raise BadRequest(" ".join(errors.values()), errors)
    call.caller.must_write(project_id, "The project")
    return call.settings_of(project_id)


def _parent_for_new(call: Call, body: dict[str, Any], settings: ProjectSettings) -> Item | None:
    parent_id = body["fields"].get("ParentID")
    if body["type"] != ItemType.TASK or not is_id(parent_id):
        return None
    row = work_items.read(call.connection, parent_id)
    if row is None or row[0] != settings.id:
        return None
    parent = item_of(row[1])
    return None if parent.type == ItemType.TASK else parent


def _exists(call: Call, settings: ProjectSettings) -> Exists:
    def exists(kind: Kind, value: int) -> bool:
        if kind is Kind.AREA:
            return trees.has_area(call.connection, value, settings.id)
        if kind is Kind.ITERATION:
            return trees.has_iteration(call.connection, value, settings.id)
        if kind is Kind.TEAM:
            return any(team_id == value for team_id, _ in settings.teams)
        if kind is Kind.USER:
            return users.has_licensed(call.connection, value)
        row = work_items.read(call.connection, value) if is_id(value) else None
        return row is not None and row[0] == settings.id and item_of(row[1]).type != ItemType.TASK

    return exists


def _presets(item_type: str, settings: ProjectSettings, parent: Item | None) -> dict[str, Any]:
    presets = {f.key: settings.default(item_type, f) for f in settings.fields_by_type[item_type]}
    preset_values: dict[str, Any] = {key: value for key, value in presets.items() if value is not None}
    preset_values["AreaID"] = settings.root_area_id if parent is None else parent.values["AreaID"]
    preset_values["IterationID"] = settings.root_iteration_id if parent is None else parent.values["IterationID"]
    return preset_values


def _calculated(item_type: str, values: dict[str, Any]) -> dict[str, Any]:
    return values | {"PertEstimate": pert(values)} if item_type == ItemType.TASK else values
