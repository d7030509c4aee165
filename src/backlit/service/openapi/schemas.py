"""The schemas of the OpenAPI document, from the models and the field table."""

from collections.abc import Iterable, Mapping

from msgspec.json import schema_components

from backlit.model.field_values import LINK_LIMIT, MAX_HOURS, RULES, Schema
from backlit.model.fields import (
    ALL_TYPES,
    FIELDS,
    NAME_LIMIT,
    VIRTUAL,
    Field,
    ItemType,
    Kind,
    Settable,
    ValueType,
    fields_of,
)
from backlit.model.planning import EVENT_KEYS
from backlit.model.ready_check import RULES as RULES_OF_READINESS
from backlit.model.relations import RELATION_WORDS, RelationType
from backlit.model.reports.document import FigureSource
from backlit.model.reports.names import ReportUnit
from backlit.model.resources import AUDIT_KEYS, INTERNAL, PORTAL, CriterionStatus, Resource, TimeEntryType
from backlit.model.rollups import Rollup
from backlit.model.settings.setting_rules import MAX_DAYS_OFF, MAX_SCALE_STEPS, MAX_WIP_LIMIT
from backlit.model.settings.shared_settings import WEEKDAY_KEYS
from backlit.model.statuses import CONFIGURABLE
from backlit.service.http.presence import PresenceMode
from backlit.service.routes.activities import MESSAGE_LIMIT, SUBJECTS, VERBS
from backlit.service.routes.batches import MAX_BATCH_SIZE
from backlit.service.routes.history import ACT_WORDS, CAUSE_WORDS, KIND_WORDS
from backlit.service.routes.moves import MOVE_KEYS, WITH_CHILDREN
from backlit.service.routes.presence import MAX_FIELD_LENGTH
from backlit.service.routes.views import VIEW_NAME_LIMIT
from backlit.service.routes.work_items import RANK_PLACES
from backlit.service.rules.checks import LIMITS, TEXT_LIMIT
from backlit.service.tables.below import BELOW_ITEMS
from backlit.service.tables.work_items import SPLIT_KEY

DATETIME: Schema = {
    "type": "string",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}$",
    "description": "UTC, without a zone.",
}
ID: Schema = {"type": "integer", "format": "int64", "minimum": 1}

_NULLABLE = {
    ("Iteration", "minCapacity"),
    ("Iteration", "maxCapacity"),
    *(("Attachment", key) for key in ("commentId", "description")),
    *(("TimeEntry", key) for key in ("type", "note")),
    *(("Rollup", key) for key in ("progress", "workRemaining", "workCompleted")),
}
_NEVER_NULL = frozenset(
    {"Name", "Status", "AreaID", "IterationID", "ParentID", "Description", "Tags", "BacklogPriority"}
)
_TEXT: Schema = {"type": "string", "maxLength": TEXT_LIMIT}
_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": NAME_LIMIT, "pattern": r"\S"}
_KIND_OF_COMPUTED: Mapping[ValueType, Kind] = {
    ValueType.INTEGER: Kind.INTEGER,
    ValueType.NUMBER: Kind.NUMBER,
    ValueType.BOOLEAN: Kind.BOOLEAN,
}


def schemas(models: Iterable[type[Resource]]) -> Schema:
    """Return all named schemas of the document, with those of the models that the routes return."""
    return {
        "Error": _object({"message": {"type": "string"}, "errors": _map({"type": "string"})}),
        "Deleted": _object({"id": ID}),
        "Signed": _object({}),
        "Status": _object({"status": {"type": "string"}}),
        **{model.__name__: _resource(model) for model in sorted(models, key=lambda model: model.__name__)},
        **_work_items(),
        "Capabilities": _capabilities(),
        "ProjectSettings": _object(_settings(reading=True)),
        "IterationEvents": _object({"id": ID, **{key: _nullable(DATETIME) for key in EVENT_KEYS.values()}}),
        "Capacities": _object({"capacities": _array(_capacity(reading=True))}),
        "Report": _report(),
        "Rollup": _rollup(),
        **_history(),
        **_bodies(),
        **_batches(),
    }


def reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def list_of(name: str) -> Schema:
    count: Schema = {"type": "integer", "minimum": 0}
    skip = {"skip": count} if name == "WorkItem" else {}
    return _object({"totalResults": count, "top": count, **skip, "results": _array(reference(name))})


def _object(properties: Schema, required: list[str] | None = None, *, is_open: bool = False) -> Schema:
    needed = list(properties) if required is None else required
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": is_open}
    return found | ({"required": needed} if needed else {})


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _nullable(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def _resource(model: type[Resource]) -> Schema:
    """Return the schema of a model as written: every key is present, and few may be null."""
    found = schema_components([model])[1][model.__name__]["properties"]
    own = {key: _plain(model.__name__, key, schema) for key, schema in found.items() if key not in AUDIT_KEYS}
    return _object(own if model is TimeEntryType else own | _audit())


def _plain(model: str, key: str, schema: Schema) -> Schema:
    kind = next((one for one in schema.get("anyOf", ()) if one["type"] != "null"), schema)
    plain = {name: kind[name] for name in ("type", "format") if name in kind}
    if key in {"startDate", "endDate"} and model == "Project":
        plain = DATETIME
    if (model, key) == ("TimeEntry", "date"):
        plain = {"type": "string", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T00:00:00$", "description": "A day."}
    return _nullable(plain) if (model, key) in _NULLABLE else plain


def _audit() -> Schema:
    return {key: DATETIME if key.endswith("At") else {"type": "string"} for key in AUDIT_KEYS}


def _work_items() -> Schema:
    by_type = {f"{item_type}Item": _work_item(item_type) for item_type in ItemType}
    mapping = {item_type.value: reference(f"{item_type}Item")["$ref"] for item_type in ItemType}
    either = {"oneOf": [reference(name) for name in by_type]}
    return {"WorkItem": either | {"discriminator": {"propertyName": "type", "mapping": mapping}}, **by_type}


_CUSTOM = "Besides these, the custom fields of the project, whose names end with `_cf`. Any other key is refused."
# `patternProperties` would say so, but most generated clients lose what it describes.


def _work_item(item_type: ItemType) -> Schema:
    keys = {f.key: _field(f, reading=True) for f in fields_of(item_type)}
    required = [key for key in keys if key not in {"IsSyncable", "SyncID"}]
    fields = _object(keys, required, is_open=True) | {"description": _CUSTOM}
    own = {"id": ID, "type": {"const": item_type.value}, "projectId": ID, "fields": fields}
    selected = {f.key: _field(f, reading=True) | {"readOnly": True} for f in VIRTUAL}
    about = {key: {**schema, "description": f"{schema['description']} {_SELECTED}"} for key, schema in selected.items()}
    return _object(own | _audit() | about, [*own, *AUDIT_KEYS])


_SELECTED = "Only where `$select` names it; `$filter` and `$orderby` take it too."


def _field(field: Field, *, reading: bool) -> Schema:
    """Return the schema of a field; null is allowed for all, though some reject it on change."""
    kind = _KIND_OF_COMPUTED[field.value_type] if field.kind is Kind.COMPUTED else field.kind
    schema = RULES[kind].schema(LIMITS)
    if field.kind in {Kind.AREA, Kind.ITERATION, Kind.TEAM, Kind.USER, Kind.ITEM} and not reading:
        schema = {"type": "integer", "format": "int64", "minimum": 0}
    if field.key == "Name":
        schema = dict(_NAME)
    if not reading and field.key == "Estimate":
        schema = {"type": ["string", "number", "null"]}
    elif not (reading and field.key in _NEVER_NULL):
        schema = _nullable(schema)
    choices = {choice: None for item_type in field.types for choice in field.choices_for(item_type)}
    if choices:
        schema["examples"] = list(choices)
    return schema | {"description": " ".join(part for part in (f"{field.label}.", field.help) if part)}


def _settable(item_type: ItemType | None, *, creating: bool) -> Schema:
    """Return the keys of `fields` that can be given; on create for one type, else for all."""
    never = {Settable.NEVER} if creating else {Settable.NEVER, Settable.ON_CREATE}
    found = [f for f in FIELDS if f.settable not in never and (item_type is None or f.applies_to(item_type))]
    keys = {f.key: _field(f, reading=False) for f in found}
    if creating:
        keys["Name"] = _NAME
    required = [f.key for f in found if f.required] if creating else []
    return _object(keys, required, is_open=True) | {"description": _CUSTOM}


_SPLIT = "The item whose part this is, for reports; shown only where `$select` names it."


def _new_items() -> Schema:
    names = {}
    for item_type in ALL_TYPES:
        fields = _settable(item_type, creating=True)
        needed: Schema = {"type": {"const": item_type.value}, "projectId": ID, "fields": fields}
        split = {SPLIT_KEY: {"type": ["integer", "null"], "format": "int64", "minimum": 0, "description": _SPLIT}}
        names[f"New{item_type}"] = _object(needed | split, list(needed), is_open=True)
    new: Schema = {"oneOf": [reference(name) for name in names]}
    return {"NewWorkItem": new, **names}


def _batches() -> Schema:
    found: Schema = {}
    for name in ("WorkItem", *(each.model.__name__ for each in BELOW_ITEMS)):
        several = _array(reference(f"New{name}")) | {"minItems": 1, "maxItems": MAX_BATCH_SIZE}
        found |= {f"{name}Batch": _object({"results": _array(reference(name))})}
        found |= {f"New{name}Batch": _object({"items": several})}
    return found


def _bodies() -> Schema:
    date: Schema = {"type": ["string", "null"], "format": "date"}
    text: Schema = {"type": "string"}
    number: Schema = {"type": ["number", "null"], "minimum": 0}
    name = {**_NAME, "pattern": r"^[^\\]*[^\s\\][^\\]*$"}
    node = {"name": name, "parentId": {"type": "integer", "minimum": -1}, "sequence": {"type": ["integer", "null"]}}
    span = {"isRelease": {"type": ["boolean", "null"]}, "startDate": date, "endDate": date}
    iteration = {**node, **span, "minCapacity": number, "maxCapacity": number}
    view = {
        "name": {**_NAME, "maxLength": VIEW_NAME_LIMIT, "pattern": r"\S"},
        "spec": {"type": "object"},
        "isShared": {"type": ["boolean", "null"]},
    }
    comment = {"projectId": ID, "workItemId": ID, "description": {**_NAME, "maxLength": TEXT_LIMIT}}
    kind = {"type": ["string", "null"], "examples": [INTERNAL, PORTAL]}
    link = {"displayText": _NAME, "url": {"type": "string", "format": "uri", "maxLength": LINK_LIMIT}}
    criterion = {
        "title": _NAME,
        "description": _nullable(_TEXT),
        "status": {"enum": list(CriterionStatus)},
        "sequence": {"type": ["integer", "null"]},
    }
    entry = {
        "date": {"type": "string", "examples": ["2026-03-11"]},
        "hours": {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_HOURS},
        "type": {"type": ["string", "null"]},
        "note": _nullable(_TEXT),
        "workRemaining": {**number, "description": "The work that is left of the task."},
    }
    relation = {"workItemId": ID, "type": {"enum": list(RELATION_WORDS)}, "targetId": ID}
    places = {place: ID if place in {"before", "after"} else {"const": True} for place in RANK_PLACES}
    return {
        **_new_items(),
        "WorkItemChanges": _settable(None, creating=False),
        "NewComment": _object(comment | {"type": kind}, list(comment), is_open=True),
        "NewRelation": _object(relation, is_open=True),
        "RelationChanges": _object({"targetId": ID}, [], is_open=True),
        "NewLink": _object({"workItemId": ID, **link}, is_open=True),
        "LinkChanges": _object(link, [], is_open=True),
        "NewAcceptanceCriterion": _object({"workItemId": ID, **criterion}, ["workItemId", "title"], is_open=True),
        "AcceptanceCriterionChanges": _object(criterion, [], is_open=True),
        "NewTimeEntry": _object({"taskId": ID, "userId": ID, **entry}, ["taskId", "date", "hours"], is_open=True),
        "TimeEntryChanges": _object(entry, [], is_open=True),
        "NewArea": _object({**node, "projectId": ID}, ["name", "parentId", "projectId"], is_open=True),
        "AreaChanges": _object(node, [], is_open=True),
        "NewIteration": _object({**iteration, "projectId": ID}, ["name", "projectId"], is_open=True),
        "IterationChanges": _object(iteration, [], is_open=True),
        "NewView": _object(view, ["name", "spec"], is_open=True),
        "ViewChanges": _object(view, [], is_open=True),
        "ProjectSettingsChanges": _object(_settings(reading=False), []),
        "CapacitiesChanges": _object({"capacities": _array(_capacity(reading=False))}),
        "AttachmentChanges": _object({"description": _nullable(_TEXT)}, [], is_open=True),
        "Rank": {"oneOf": [reference(f"Rank{place.capitalize()}") for place in places]},
        **{f"Rank{place.capitalize()}": _object({place: schema}, is_open=True) for place, schema in places.items()},
        "Conversion": _object(
            {"type": {"enum": list(ItemType)}, "fields": {"type": "object", "additionalProperties": True}},
            ["type"],
            is_open=True,
        ),
        "Move": _object({**dict.fromkeys(MOVE_KEYS, ID), "children": {"enum": list(WITH_CHILDREN)}}, [], is_open=True),
        "SharedMessage": _object(
            {"message": {"type": "string", "minLength": 1, "maxLength": MESSAGE_LIMIT}}, is_open=True
        ),
        "Upload": _object({"files": {"type": "string", "format": "binary"}}),
        "LoginForm": _object(dict.fromkeys(("username", "password", "form_token"), text), is_open=True),
        "Logout": _object({"wrap_refresh_token": text}, [], is_open=True),
        "Grant": _object({**dict.fromkeys(("wrap_access_token", "wrap_refresh_token"), text), **_LIFETIME}),
        "Credentials": _object({key: {"type": "string"} for key in _GRANT}, ["wrap_client_id"], is_open=True),
    }


_LIFETIME: Schema = {"wrap_access_token_expires_in": {"type": "integer", "description": "Seconds."}}
_GRANT = ("wrap_client_id", "wrap_username", "wrap_password", "wrap_verification_code", "wrap_refresh_token")


def _settings(*, reading: bool) -> Schema:
    """Return the shared settings of a project; each can be changed alone."""
    text: Schema = {"type": "string"}
    group: Schema = {"enum": [*(group.value for group in CONFIGURABLE), None]}
    scale: Schema = _array({"type": "number", "minimum": 0}) | {"minItems": 1, "maxItems": MAX_SCALE_STEPS}
    rules: Schema = {
        "type": "object",
        "properties": {
            item_type.value: _array({"enum": [rule.id for rule in RULES_OF_READINESS if item_type in rule.types]})
            for item_type in ItemType
        },
        "additionalProperties": False,
    }
    limits = _map({"type": "integer", "minimum": 1, "maximum": MAX_WIP_LIMIT})
    return {
        "timeZone": text | {"examples": ["Europe/Berlin"], "description": "The IANA name of a time zone."},
        "workingDays": _array({"enum": list(WEEKDAY_KEYS)}) | {"minItems": 1},
        "daysOff": _array({**text, "format": "date"}) | {"maxItems": MAX_DAYS_OFF},
        "statusGroups": _map(group) | {"description": "The group of each status; null where none is known."},
        "estimateScale": _nullable(scale),
        "readyRules": _nullable(rules),
        "wipLimits": limits if reading else _nullable(limits),
    }


def _capacity(*, reading: bool) -> Schema:
    amount: Schema = {"type": ["number", "null"], "minimum": 0}
    days: Schema = _array({"type": "string", "format": "date"}) | {"maxItems": MAX_DAYS_OFF}
    own = {"points": amount, "hours": amount, "daysOff": days if reading else _nullable(days)}
    return _object({"userId": ID, **own}, None if reading else ["userId"])


def _rollup() -> Schema:
    """Return the figures of an item; the kinds of numbers are those of the struct."""
    found = schema_components([Rollup], ref_template="#/components/schemas/{name}")[1]["Rollup"]["properties"]
    return _object({key: _plain("Rollup", key, schema) for key, schema in found.items()})


def _report() -> Schema:
    text: Schema = {"type": "string"}
    cell: Schema = {"type": ["string", "number", "null"]}
    found = {
        "report": text,
        "about": text,
        "team": _nullable(text),
        "unit": {"enum": [unit.value for unit in ReportUnit]},
        "source": {"enum": [source.value for source in FigureSource]},
        "since": _nullable(DATETIME),
        "asOf": DATETIME,
        "timeZone": text,
        "summary": _map(cell),
        "columns": _array(text),
        "rows": _array(_array(cell)),
        "notes": _array(text),
        "details": _array(_map(cell)),
    }
    return _object(found, list(found))


_EVENTS = (
    "Events, each with `event`, `data`, an object of JSON, and `id`, the cursor with which to go on: `hello`,"
    " `changes`, `many`, `access`, `presence`, `you`, `tick` and `bye`. `changes` has an array of"
    " `ShortChange`; `presence` and `you` have no `id`."
)


def _history() -> Schema:
    text: Schema = {"type": "string"}
    revision: Schema = {"type": "integer", "format": "int64", "minimum": 0}
    number: Schema = {"type": "integer", "format": "int32", "minimum": 0}
    kind, act = {"enum": list(KIND_WORDS.values())}, {"enum": list(ACT_WORDS.values())}
    about = "Old and new value by key; `=` has what was removed."
    values: Schema = {"type": "object", "additionalProperties": True, "description": about}
    change = {
        "revision": revision,
        "at": DATETIME,
        "madeAt": _nullable(DATETIME),
        "by": _object({"id": _nullable(ID), "name": text}),
        "kind": kind,
        "act": act,
        "cause": {"enum": list(CAUSE_WORDS.values())},
        "request": revision,
        "objectId": ID,
        "fields": values,
    }
    short = {"r": revision, "p": ID, "k": kind, "a": act, "id": ID, "item": ID, "by": ID, "c": text, "f": _array(text)}
    page = {"after": revision, "revision": revision, "cursor": text, "changes": _array(reference("ShortChange"))}
    reset = {"reset": {"enum": ["trimmed", "other", "far"]}, "revision": revision, "cursor": text}
    field_change = {"field": text, "old": {}, "new": {}, "cut": {"type": "boolean"}}
    activity = {
        "id": revision,
        "projectId": _nullable(ID),
        "workItemId": _nullable(ID),
        "content": text,
        "author": text,
        "iconUrl": text,
        "isFlagged": {"type": "boolean"},
        "isRead": {"type": "boolean"},
        "system": text,
        "systemEvent": {"enum": ["WorkItemChanged", "PersonalMessage", "SystemMessage"]},
        "commentType": _nullable(text),
        "subject": {"enum": list(SUBJECTS.values())},
        "objectId": ID,
        "workItem": _nullable(_object({"type": _nullable(text), "name": _nullable(text)})),
        "verb": {"enum": list(dict.fromkeys(VERBS.values()))},
        "changes": _array(_object(field_change, ["field", "old", "new"])),
        "mentions": _array(ID),
        "createdBy": text,
        "createdAt": DATETIME,
        "lastModifiedBy": text,
        "lastModifiedAt": DATETIME,
    }
    return {
        "Activity": _object(activity),
        "ActivityList": _object({"results": _array(reference("Activity")), "next": _nullable(revision)}),
        "Change": _object(change),
        "ItemHistory": _object(
            {"results": _array(reference("Change")), "next": _nullable(revision), "isComplete": {"type": "boolean"}}
        ),
        "ShortChange": _object(short, ["r", "k", "a", "id"]),
        "ChangePage": _object({**page, "isMore": {"type": "boolean"}}),
        "ChangeReset": _object(reset),
        "ChangeStream": {"type": "string", "description": _EVENTS},
        "ActivityChanges": _object({"isRead": {"const": True}}, [], is_open=True),
        "UnreadActivities": _object({"unread": number, "flagged": number}),
        "UnreadActivitiesChanges": _object(
            {"readTo": ID, "readUntil": DATETIME, "projectId": ID, "workItemIds": _array(ID)}, []
        ),
        "PresenceChanges": _object(
            {
                "itemId": _nullable(ID),
                "mode": {"enum": list(PresenceMode), "default": PresenceMode.EDIT},
                "field": {"type": ["string", "null"], "maxLength": MAX_FIELD_LENGTH},
            },
            ["itemId"],
        ),
        "ChangeList": {"oneOf": [reference("ChangePage"), reference("ChangeReset")]},
    }


def _capabilities() -> Schema:
    text: Schema = {"type": "string"}
    custom = {"key": text, "kind": text, "types": _array(text), "choices": _array(text), "default": {}}
    shared = _settings(reading=True)
    project = {
        "id": ID,
        "orderRevision": {"type": "integer", "format": "int64", "minimum": 0},
        "role": text,
        "values": _map(_map(_array(text))),
        **shared,
        "statusGroups": _map(text),
        "workFromTime": {"type": "boolean"},
        "dueField": {"type": ["string", "null"]},
        "customFields": _array(_object(custom)),
        "teams": _array(_object({"id": ID, "name": text})),
    }
    required = [key for key in project if key not in {"estimateScale", "readyRules"}]
    return _object(
        {
            "name": text,
            "version": text,
            "dateTimes": {"const": "UTC"},
            "extensions": _array(text),
            "limits": _map({"type": "integer"}),
            "relationTypes": _array(_object({"type": {"enum": list(RelationType)}, "inverse": text})),
            "projects": _array(_object(project, required)),
        }
    )
