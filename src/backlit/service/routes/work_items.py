"""Work items, their lists and their ranks."""

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace
from sqlalchemy import Connection

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import VIRTUAL, Field, ItemType, Kind
from backlit.model.filters import And, Comparison, Filter, Literal, Operator, Property
from backlit.model.resources import WorkItem
from backlit.service.http.endpoint import (
    ContinueOnSlowQueue,
    HandlerResponse,
    RequestContext,
    Routes,
    etag_of,
    json_answer,
    must_match,
)
from backlit.service.http.listing import ListOptions, envelope, options_of
from backlit.service.http.options import TOP_DEFAULT, ExtraKeys
from backlit.service.routes.batches import answer_batch
from backlit.service.rules.checks import Exists, checked, is_id
from backlit.service.storage.schema import areas, iterations
from backlit.service.tables import item_lists, projects, ranks, trees, users, work_items
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.rollups import rollup_of
from backlit.service.tables.virtual_properties import VIRTUAL_KEYS, VirtualProperties, virtual_properties
from backlit.service.tables.work_items import SPLIT_KEY, TASK_FIGURES, WorkItemRow, edited_part, item_of, pert

routes = Routes()


@routes("GET", "/workitems/{id}", WorkItem)
def read(call: RequestContext) -> HandlerResponse:
    """GET /workitems/{id}."""
    found = answer(visible_document(call, call.path["id"]))
    return replace(found, extras=_extra_keys(call).of_one(call.connection, call.path["id"], call.query))


def _extra_keys(call: RequestContext) -> ExtraKeys:
    """Return what an item has only where `$select` names it."""

    def values(connection: Connection, item_ids: Collection[int]) -> Mapping[int, Mapping[str, Any]]:
        splits = work_items.splits_of(connection, item_ids)
        found = _virtual(call).of_items(connection, item_ids) if _names_virtual(call, "$select") else {}
        return {item_id: {**found.get(item_id, {}), **splits.get(item_id, {})} for item_id in item_ids}

    return ExtraKeys((SPLIT_KEY, *VIRTUAL_KEYS), values)


def _virtual(call: RequestContext) -> VirtualProperties:
    return virtual_properties(call.settings_of(project_id) for project_id in sorted(call.caller.project_ids))


def answer(document: bytes, status: int = 200, **headers: str) -> HandlerResponse:
    return HandlerResponse(document, status, {"etag": etag_of(edited_part(document)), **headers})


@routes("GET", "/workitems", WorkItem, default_top=TOP_DEFAULT)
def list_all(call: RequestContext) -> HandlerResponse:
    """GET /workitems."""
    return _list(call)


@routes("GET", "/workitems/{id}/tasks", WorkItem)
def list_tasks(call: RequestContext) -> HandlerResponse:
    """GET /workitems/{id}/tasks."""
    visible_document(call, call.path["id"])
    return _list(call, call.path["id"])


@routes("GET", "/workitems/{id}/children", WorkItem, extension="relations")
def list_children(call: RequestContext) -> HandlerResponse:
    """GET /workitems/{id}/children: the tasks of the item, and the items whose parent it is."""
    visible_document(call, call.path["id"])
    return _list(call, call.path["id"], with_children=True)


@routes("GET", "/workitems/{id}/rollup", "Rollup", tag="work_items", extension="relations")
def read_rollup(call: RequestContext) -> HandlerResponse:
    """GET /workitems/{id}/rollup: the figures of all that is below the item."""
    item = item_of(visible_document(call, call.path["id"]))
    return json_answer(to_builtins(rollup_of(call.connection, item, call.settings_of(item.project_id))))


@routes("POST", "/workitems", WorkItem)
def create(call: RequestContext) -> HandlerResponse:
    """POST /workitems: 201 with Location and the whole item; what was not given is preset."""
    item_id, document = _create(call, call.json())
    return answer(document, 201, location=f"{call.root}/workitems/{item_id}")


@routes("POST", "/workitems/batch", "WorkItemBatch", tag="work_items", extension="batch")
def create_batch(call: RequestContext) -> HandlerResponse:
    """POST /workitems/batch: up to 200 new items in one transaction, all or none; 201 with the items in their order."""
    return answer_batch(call, lambda call, body: _create(call, body)[1])


def _create(call: RequestContext, body: dict[str, Any]) -> tuple[int, bytes]:
    """Insert an item, and return its id and document."""
    settings = _settings_for_new(call, body)
    given = checked(body["type"], body["fields"], settings, existence(call, settings), creating=True)
    split_from = _split_source(call, body, settings)
    parent = item_of(visible_document(call, given["ParentID"])) if "ParentID" in given else None
    values = _presets(body["type"], settings, parent) | given
    item_id, values["BacklogPriority"] = work_items.next_place(call.connection, settings.id)
    by, now = call.caller.name, call.stamp.at
    item = WorkItemRow(item_id, body["type"], settings.id, _calculated(body["type"], values), by, now, by, now)
    document = work_items.add(call.connection, item, settings, call.stamp, split_from=split_from)
    if parent is not None:
        work_items.roll_up(call.connection, parent.id, settings, call.stamp)
    return item_id, document


@routes("PUT", "/workitems/{id}", WorkItem)
def update(call: RequestContext) -> HandlerResponse:
    """PUT /workitems/{id}: a flat object of the keys to change; 201 with the whole item."""
    body = call.json()
    document = visible_document(call, call.path["id"], writing=True)
    must_match(call.headers, edited_part(document))
    old = item_of(document)
    settings = call.settings_of(old.project_id)
    # Unchanged values, as whole-object clients send them, stay valid after a change of the value lists; True equals 1.
    differing = {
        key: value
        for key, value in body.items()
        if key not in old.values or value != old.values[key] or isinstance(value, bool)
    }
    given = checked(old.type, differing, settings, existence(call, settings), creating=False)
    values = _calculated(old.type, {**old.values, **given})
    if values != old.values:
        document = work_items.change(call.connection, old, values, settings, call.stamp)
        if any(values.get(key) != old.values.get(key) for key in TASK_FIGURES) and "ParentID" in values:
            work_items.roll_up(call.connection, values["ParentID"], settings, call.stamp)
    return answer(document, 201)


@routes("DELETE", "/workitems/{id}", WorkItem)
def remove(call: RequestContext) -> HandlerResponse:
    """DELETE /workitems/{id}: with its tasks, comments, attachments, relations, links and criteria, for good."""
    document = visible_document(call, call.path["id"], writing=True)
    must_match(call.headers, edited_part(document))
    item = item_of(document)
    gone = work_items.remove(call.connection, item, call.stamp)
    if item.values.get("ParentID"):
        settings = call.settings_of(item.project_id)
        work_items.roll_up(call.connection, item.values["ParentID"], settings, call.stamp)
    touch_items(call, gone.related)
    return replace(json_answer({"id": item.id}), freed=gone.freed)


def touch_items(call: RequestContext, item_ids: Iterable[int]) -> None:
    """Move the stamps of items on where the caller may write, so that clients that ask for changed items get them."""
    for item_id in dict.fromkeys(item_ids):
        row = work_items.read(call.connection, item_id)
        if row is not None and call.caller.can_write(row[0]):
            work_items.touch(call.connection, item_of(row[1]), call.settings_of(row[0]), call.stamp)


def visible_document(call: RequestContext, item_id: int, *, writing: bool = False) -> bytes:
    """Return the document of an item visible to the caller (or write); raise NotFound or Forbidden."""
    row = work_items.read(call.connection, item_id)
    project_id = None if row is None else row[0]
    may = call.caller.must_write if writing else call.caller.must_see
    may(project_id, f"Work item {item_id}")
    if row is None:
        raise NotFound(f"Work item {item_id} does not exist, or you have no access to it.")
    return row[1]


def asked_of_item(call: RequestContext) -> tuple[dict[str, Any], WorkItemRow]:
    """Return the body of a request to change an item, and the item in the version that If-Match asks for."""
    body = call.json()
    document = visible_document(call, call.path["id"], writing=True)
    must_match(call.headers, edited_part(document))
    return body, item_of(document)


_TYPES = tuple(ItemType)


def _settings_for_new(call: RequestContext, body: dict[str, Any]) -> ProjectSettings:
    errors = {}
    if body.get("type") not in _TYPES:
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


def _split_source(call: RequestContext, body: dict[str, Any], settings: ProjectSettings) -> int | None:
    """Return the id of the item whose part a new one is."""
    source_id = body.get(SPLIT_KEY)
    if source_id is None or source_id == 0:
        return None
    if not is_id(source_id) or not existence(call, settings)(Kind.ITEM, source_id):
        sentence = f"{SPLIT_KEY} must be the id of a work item of the project that is no task."
        raise BadRequest(sentence, {SPLIT_KEY: sentence})
    return source_id


def existence(call: RequestContext, settings: ProjectSettings) -> Exists:
    def exists(kind: Kind, value: int) -> bool:
        if kind is Kind.AREA:
            return trees.has_node(call.connection, areas, value, settings.id)
        if kind is Kind.ITERATION:
            return trees.has_node(call.connection, iterations, value, settings.id)
        if kind is Kind.TEAM:
            return any(team_id == value for team_id, _ in settings.teams)
        if kind is Kind.USER:
            return users.has_licensed(call.connection, value)
        row = work_items.read(call.connection, value) if is_id(value) else None
        return row is not None and row[0] == settings.id and item_of(row[1]).type != ItemType.TASK

    return exists


def _presets(item_type: str, settings: ProjectSettings, parent: WorkItemRow | None) -> dict[str, Any]:
    return {
        **settings.presets[item_type],
        "AreaID": settings.root_area_id if parent is None else parent.values["AreaID"],
        "IterationID": settings.root_iteration_id if parent is None else parent.values["IterationID"],
    }


def _calculated(item_type: str, values: dict[str, Any]) -> dict[str, Any]:
    return values | {"PertEstimate": pert(values)} if item_type == ItemType.TASK else values


_INDEXED = frozenset({"id", "projectId", "lastModifiedAt", "BacklogPriority", "ParentID", "AssignedToID"})
_RANGES = frozenset({"id", "BacklogPriority", "lastModifiedAt"})


def _list(call: RequestContext, parent_id: int | None = None, *, with_children: bool = False) -> HandlerResponse:
    custom, is_virtual = _custom_fields(call), _names_virtual(call, "$filter", "$orderby")
    options = options_of(
        call.query,
        custom=custom,
        virtual=VIRTUAL if is_virtual else (),
        default_top=call.default_top,
        extras=_extra_keys(call),
    )
    virtual = _virtual(call) if is_virtual else None
    query = item_lists.WorkItemQuery(
        None, parent_id, options.filter, options.order, custom, virtual, with_children=with_children
    )
    if _is_quick(options):
        return _page(options, query, call)
    raise ContinueOnSlowQueue(call, partial(_page, options, query))


def _names_virtual(call: RequestContext, *options: str) -> bool:
    """Return False where options surely name no virtual property, so that statements know none."""
    text = " ".join(call.query.get(option, "") for option in options).lower()
    return any(key in text for key in _VIRTUAL_NAMES)


_VIRTUAL_NAMES = tuple(key.lower() for key in VIRTUAL_KEYS)


def _page(options: ListOptions, query: item_lists.WorkItemQuery, call: RequestContext) -> HandlerResponse:
    named, rest = _named("projectId", options.filter)
    # By the index of relations: as a virtual property it is worked out for each item.
    feature_id, rest = (None, rest) if query.parent_id is not None else _named("FeatureID", rest)
    visible = [p for p in sorted(call.caller.project_ids) if named is None or p == named]
    access = None if len(visible) > 1 and len(visible) == projects.count(call.connection) else tuple(visible)
    query, parent_id = replace(query, access=access, filter=rest, feature_id=feature_id), query.parent_id
    documents = item_lists.page(call.connection, query, options.skip, options.limit)
    if parent_id is None and rest is None and feature_id is None:
        total = projects.items_in(call.connection, visible)
    elif (documents or not options.skip) and len(documents) < options.limit:
        total = options.skip + len(documents)
    elif rest is None or parent_id is not None or query.virtual is not None:
        # Virtual properties follow from more than the items of the projects, whose revision keeps a total.
        total = item_lists.count(call.connection, query)
    else:
        revision = projects.revision_of(call.connection, visible)
        count = partial(item_lists.count, call.connection, query)
        total = call.shared.totals.get((tuple(visible), rest), revision, count)
    return envelope(documents, total, options, with_skip=True, extras=options.extras_of(call.connection))


def _custom_fields(call: RequestContext) -> tuple[Field, ...]:
    """Return the custom fields of all projects the caller sees; of two with one name, the first project's."""
    found: dict[str, Field] = {}
    for project_id in call.caller.project_ids:
        for field in call.settings_of(project_id).custom:
            found.setdefault(field.key.lower(), field)
    return tuple(found.values())


def _named(key: str, found: Filter | None) -> tuple[int | None, Filter | None]:
    """Split `key eq n` from a conjunction, so that it selects an index."""
    parts = found.parts if isinstance(found, And) else () if found is None else (found,)
    for part in parts:
        match part:
            case Comparison(Operator.EQ, Property(name), Literal(value)) if name == key and is_id(value):
                rest = tuple(other for other in parts if other is not part)
                return value, And(rest) if len(rest) > 1 else rest[0] if rest else None
    return None, found


def _is_quick(options: ListOptions) -> bool:
    """Return True for a list served by indexes, which may run on the fast queue."""
    if options.skip >= item_lists.DEEP_SKIP or any(key.name not in _RANGES for key in options.order):
        return False
    parts = options.filter.parts if isinstance(options.filter, And) else (options.filter,)
    return options.filter is None or all(_is_indexed(part) for part in parts)


def _is_indexed(part: Filter | None) -> bool:
    match part:
        case Comparison(operator, Property(name), Literal(value)):
            is_range = name in _RANGES and operator is not Operator.NE
            return value is not None and (is_range or (name in _INDEXED and operator is Operator.EQ))
    return False


RANK_PLACES = ("before", "after", "top", "bottom")


@routes("POST", "/workitems/{id}/rank", WorkItem, tag="ranks", extension="rank")
def rank(call: RequestContext) -> HandlerResponse:
    """POST /workitems/{id}/rank: {before: id}, {after: id}, {top: true} or {bottom: true}; 200 with the item."""
    body, item = asked_of_item(call)
    place, target = _rank_place(call, body, item)
    settings, is_after = call.settings_of(item.project_id), place in {"after", "bottom"}
    ranks.move_rank(call.connection, item, target, settings, call.stamp, after=is_after)
    return answer(visible_document(call, item.id))


def _rank_place(call: RequestContext, body: dict[str, object], item: WorkItemRow) -> tuple[str, WorkItemRow | None]:
    given = [place for place in RANK_PLACES if body.get(place) not in {None, False}] if _is_plain(body) else []
    if len(given) != 1:
        raise BadRequest(
            f"Give one of: {', '.join(RANK_PLACES)}.", dict.fromkeys(given, "Only one place can be given.")
        )
    place, target_id = given[0], body[given[0]]
    if place in {"top", "bottom"}:
        if target_id is not True:
            raise BadRequest(f"{place} must be true.", {place: "Must be true."})
        return place, None
    row = work_items.read(call.connection, target_id) if is_id(target_id) else None
    if row is None or row[0] != item.project_id or target_id == item.id:
        sentence = f"{place} must be the id of another work item of the same project."
        raise BadRequest(sentence, {place: sentence})
    return place, item_of(row[1])


def _is_plain(body: dict[str, object]) -> bool:
    return all(isinstance(body.get(place), int | None) for place in RANK_PLACES)
