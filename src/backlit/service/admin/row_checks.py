"""Checks of an export's rows: an import accepts only values that the interface or `backlit admin` would accept."""

import base64
from collections.abc import Callable, Mapping
from datetime import time
from typing import Any

from msgspec import ValidationError
from sqlalchemy import JSON, Boolean, Column, Date, DateTime, Float, Integer, LargeBinary, Table

from backlit.model.dates import parse_date, parse_datetime
from backlit.model.errors import BadRequest
from backlit.model.field_values import (
    Misfit,
    parse_boolean,
    parse_hours,
    parse_link,
    parse_name,
    parse_number,
    parse_text,
)
from backlit.model.fields import ItemType
from backlit.model.plain import file_name
from backlit.model.planning import IterationEvent
from backlit.model.relations import RelationType
from backlit.model.resources import INTERNAL, PORTAL, CriterionStatus
from backlit.model.settings.shared_settings import SharedSettings
from backlit.model.statuses import CONFIGURABLE
from backlit.service.admin import custom_fields as field_rules
from backlit.service.admin.projects import ProjectChange, must_be_in_order
from backlit.service.admin.users import must_be_usable
from backlit.service.admin.value_lists import checked_choices, listed_field
from backlit.service.admin.workspace import checked_name
from backlit.service.files.interface import is_digest
from backlit.service.files.uploads import content_type
from backlit.service.rules.capacities import checked_capacities
from backlit.service.rules.checks import TEXT_LIMIT, area_values, is_id
from backlit.service.storage.access import Role
from backlit.service.storage.objects_schema import acceptance_criteria, links, relations, time_entries
from backlit.service.storage.schema import (
    ROOT_PARENT,
    areas,
    attachments,
    comments,
    custom_fields,
    grants,
    iteration_capacities,
    iteration_events,
    iterations,
    project_capacities,
    project_settings,
    projects,
    status_groups,
    teams,
    time_entry_types,
    users,
    value_lists,
    views,
    work_items,
)

Row = Mapping[str, Any]


def checked_row(table: Table, given: Row) -> dict[str, Any]:
    """Return a row as its columns take it; raises BadRequest naming the column or the value."""
    row = {column.name: _value(column, given[column.name]) for column in table.c}
    if table in _CHECKS:
        _CHECKS[table](row)
    return row


def _value(column: Column[Any], value: object) -> object:
    if value is None:
        if not column.nullable:
            raise BadRequest(f"{column.name} is missing.")
        return None
    parse = next((parse for kind, parse in _PARSERS if isinstance(column.type, kind)), _text)
    try:
        return parse(column.name, value)
    except Misfit as misfit:
        raise BadRequest(misfit.sentence(column.name)) from None


def _integer(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**63:
        raise Misfit("must be a whole number below 2^63.")
    is_root = name == "parent_id" and value == ROOT_PARENT
    if (name == "id" or name.endswith("_id")) and not (is_id(value) or is_root):
        raise Misfit(f"must be an id, a whole number from 1; it is {value}.")
    return value


def _binary(_name: str, value: object) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True)
    except ValueError:
        raise Misfit("is not base64.") from None


def _text(_name: str, value: object) -> str:
    return parse_text(value, TEXT_LIMIT)


_PARSERS: tuple[tuple[type[Any], Callable[[str, object], object]], ...] = (
    (Boolean, lambda _name, value: parse_boolean(value)),
    (Integer, _integer),
    (Float, lambda _name, value: parse_number(value)),
    (LargeBinary, _binary),
    (DateTime, lambda _name, value: parse_datetime(str(value))),
    (Date, lambda _name, value: parse_date(str(value))),
    (JSON, lambda _name, value: value),
)


def _project(row: Row) -> None:
    length = row["default_iteration_length"]
    ProjectChange(name=row["name"], template=row["template"], iteration_length=length).columns()
    must_be_in_order(row)


def _grant(row: Row) -> None:
    if row["role"] not in set(Role):
        raise BadRequest(f"The role {row['role']!r} does not exist; there are: {', '.join(Role)}.")


def _named(row: Row) -> None:
    checked_name(row["name"], "The name")


def _value_list(row: Row) -> None:
    listed_field(row["type"], row["key"])
    if not checked_choices(_texts("choices", row["choices"]), row["key"]):
        raise BadRequest(f"{row['key']} has no values.")


def _status_group(row: Row) -> None:
    if row["meaning"] not in CONFIGURABLE:
        raise BadRequest(f"The status {row['status']!r} cannot mean {row['meaning']!r}.")


def _project_settings(row: Row) -> None:
    """Check the shape of shared settings; their values are checked with the project's statuses after the last row."""
    try:
        SharedSettings.of_row(row)
    except ValidationError as error:
        raise BadRequest(f"The settings are malformed: {error}.") from None


def _custom_field(row: Row) -> None:
    for name in ("types", "choices"):
        _texts(name, row[name])
    field_rules.must_be_sound(row)


def _check_node(row: Row) -> None:
    area_values({"name": row["name"], "parentId": row["parent_id"], "sequence": row["sequence"]})


def _iteration_event(row: Row) -> None:
    if row["event"] not in set(IterationEvent):
        raise BadRequest(f"The event {row['event']!r} does not exist; there are: {', '.join(IterationEvent)}.")


def _capacity(row: Row) -> None:
    own = {"userId": row["user_id"], "points": row["points"], "hours": row["hours"], "daysOff": row["days_off"]}
    checked_capacities({"capacities": [own]}, {row["user_id"]})


def _view(row: Row) -> None:
    _named(row)
    if not isinstance(row["spec"], dict):
        raise BadRequest("spec must be an object.")


def _work_item(row: Row) -> None:
    """Check the shape of an item; its values are checked with its project's settings after the last row."""
    if row["type"] not in set(ItemType):
        raise BadRequest(f"The type {row['type']!r} does not exist; there are: {', '.join(ItemType)}.")
    custom = row["cf"] or {}
    if not isinstance(custom, dict) or not all(isinstance(value, str | int | float) for value in custom.values()):
        raise BadRequest("cf must be an object of texts, numbers, true and false.")
    _texts("tags", row["tags"] or [])


def _comment(row: Row) -> None:
    if not row["description"].strip():
        raise BadRequest("description cannot be empty.")
    _visibility(row)


def _relation(row: Row) -> None:
    if row["type"] not in set(RelationType):
        raise BadRequest(f"The type {row['type']!r} does not exist; there are: {', '.join(RelationType)}.")
    if row["work_item_id"] == row["target_id"]:
        raise BadRequest("An item cannot be related to itself.")


def _link(row: Row) -> None:
    for name, parse in (("display_text", parse_name), ("url", parse_link)):
        _must_parse(name, parse, row[name])


def _criterion(row: Row) -> None:
    _must_parse("title", parse_name, row["title"])
    if row["status"] not in set(CriterionStatus):
        raise BadRequest(f"The status {row['status']!r} does not exist; there are: {', '.join(CriterionStatus)}.")


def _time_entry(row: Row) -> None:
    if row["date"].time() != time() or row["week"] != row["date"].isocalendar().week:
        raise BadRequest("date must be a day, and week its ISO week.")
    _must_parse("hours", parse_hours, row["hours"])


def _must_parse(name: str, parse: Callable[[object], object], value: object) -> None:
    try:
        parse(value)
    except Misfit as misfit:
        raise BadRequest(misfit.sentence(name)) from None


def _attachment(row: Row) -> None:
    if not is_digest(row["digest"]):
        raise BadRequest(f"The digest {row['digest'][:80]!r} is not 64 lower-case hexadecimal digits.")
    if row["name"] != file_name(row["name"]):
        raise BadRequest(f"{row['name'][:80]!r} cannot be the name of an attached file.")
    if content_type(row["content_type"], "").lower() != row["content_type"].lower():
        raise BadRequest(f"{row['content_type'][:80]!r} is not a content type.")
    if row["size"] < 0:
        raise BadRequest("size cannot be below 0.")
    _visibility(row)


def _visibility(row: Row) -> None:
    if row["type"] not in {INTERNAL, PORTAL}:
        raise BadRequest(f"type must be {INTERNAL} or {PORTAL}.")


def _texts(name: str, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadRequest(f"{name} must be a list of texts.")
    return value


_CHECKS: Mapping[Table, Callable[[Row], object]] = {
    users: lambda row: must_be_usable(row["name"], row["email"]),
    projects: _project,
    grants: _grant,
    teams: _named,
    time_entry_types: _named,
    value_lists: _value_list,
    status_groups: _status_group,
    project_settings: _project_settings,
    custom_fields: _custom_field,
    areas: _check_node,
    iterations: _check_node,
    iteration_events: _iteration_event,
    project_capacities: _capacity,
    iteration_capacities: _capacity,
    work_items: _work_item,
    views: _view,
    comments: _comment,
    relations: _relation,
    links: _link,
    acceptance_criteria: _criterion,
    time_entries: _time_entry,
    attachments: _attachment,
}
