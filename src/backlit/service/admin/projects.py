"""Projects: creation with their roots, changes, and their teams and time entry types."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Table, delete, insert, select, update

from backlit.model.errors import BadRequest, Conflict, NotFound
from backlit.model.fields import ALL_TYPES, FIELD_BY_KEY
from backlit.model.trees import fault_in_path
from backlit.service.admin import users
from backlit.service.admin.rendering import Alter, settings_changed
from backlit.service.admin.workspace import (
    DEFAULT_ITERATION_LENGTH,
    administrator_stamp,
    checked_name,
    project_id_of,
)
from backlit.service.rules.project_settings import checked_settings
from backlit.service.storage.access import Role
from backlit.service.storage.columns import audit
from backlit.service.storage.dialects import in_any_case
from backlit.service.storage.schema import (
    ROOT_PARENT,
    areas,
    iterations,
    project_totals,
    projects,
    teams,
    time_entry_types,
)
from backlit.service.tables import project_settings, trees
from backlit.service.tables import projects as project_table
from backlit.service.tables.changes import ChangeAct, Stamp, differences, note
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.trimming import MIN_HISTORY_DAYS

A_YEAR = timedelta(days=365)
LONGEST_ITERATION = 366
KEEP_ALL_CHANGES, MAX_HISTORY_DAYS = 0, 36_500
NO_DAYS = "none"
"""Stands for no days off at all."""
_OPTIONS = {"timeZone": "--time-zone", "workingDays": "--working-days", "daysOff": "--days-off"}
"""The options of the command line by settings."""


class ProjectChange(Struct, frozen=True):
    """Settings of a project to change; None keeps the current value or the default."""

    name: str | None = None
    description: str | None = None
    template: str | None = None
    start: date | None = None
    end: date | None = None
    iteration_length: int | None = None
    is_syncable: bool | None = None
    work_from_time: bool | None = None
    """Whether time entries change the work of their task."""
    history_days: int | None = None
    """Days for which changes are kept; KEEP_ALL_CHANGES for all."""
    time_zone: str | None = None
    working_days: Sequence[str] | None = None
    days_off: Sequence[str] | None = None
    """Days to add; `none` alone removes all."""

    def shared(self, old: ProjectSettings) -> dict[str, Any]:
        """Return the changed settings that the project's members share; raises BadRequest naming the option."""
        days = None if self.days_off is None else list(self.days_off)
        if days == [NO_DAYS]:
            days = []
        elif days is not None:
            days += [day.isoformat() for day in old.shared.days_off]
        working = None if self.working_days is None else list(self.working_days)
        given = {"timeZone": self.time_zone, "workingDays": working, "daysOff": days}
        try:
            return checked_settings({key: value for key, value in given.items() if value is not None}, old)[0]
        except BadRequest as error:
            sentences = (sentence.replace(key, _OPTIONS[key], 1) for key, sentence in error.errors.items())
            raise BadRequest(" ".join(sentences)) from None

    def columns(self) -> dict[str, Any]:
        length = self.iteration_length
        if length is not None and not 1 <= length <= LONGEST_ITERATION:
            raise BadRequest(f"The iteration length must be 1 to {LONGEST_ITERATION} days, not {length}.")
        given = {
            "name": None if self.name is None else _project_name(self.name),
            "description": self.description,
            "template": None if self.template is None else checked_name(self.template, "The template"),
            "start_date": None if self.start is None else datetime.combine(self.start, time()),
            "end_date": None if self.end is None else datetime.combine(self.end, time()),
            "default_iteration_length": length,
            "is_syncable": self.is_syncable,
            "work_from_time": self.work_from_time,
        }
        found = {column: value for column, value in given.items() if value is not None}
        return found if self.history_days is None else found | {"history_days": _kept_days(self.history_days)}


def _kept_days(days: int) -> int | None:
    if days == KEEP_ALL_CHANGES:
        return None
    if not MIN_HISTORY_DAYS <= days <= MAX_HISTORY_DAYS:
        raise BadRequest(
            f"Changes are kept for {MIN_HISTORY_DAYS} to {MAX_HISTORY_DAYS:,} days, or for ever; not for {days} days."
        )
    return days


def listed(connection: Connection) -> list[dict[str, Any]]:
    found = connection.execute(
        select(projects, project_totals.c.item_count).join(project_totals).order_by(projects.c.id)
    )
    return [
        {
            "id": row.id,
            "name": row.name,
            "description": row.description,
            "startDate": row.start_date.date().isoformat(),
            "endDate": row.end_date.date().isoformat(),
            "defaultIterationLength": row.default_iteration_length,
            "isSyncable": row.is_syncable,
            "workFromTime": row.work_from_time,
            "historyDays": row.history_days,
            "items": row.item_count,
        }
        for row in found
    ]


def create(connection: Connection, given: ProjectChange, manager: str | None = None) -> dict[str, Any]:
    stamp = administrator_stamp(connection)
    today = datetime.combine(stamp.at.date(), time())
    usual = {
        "description": "",
        "template": "Scrum",
        "start_date": today,
        "end_date": given.columns().get("start_date", today) + A_YEAR,
        "default_iteration_length": DEFAULT_ITERATION_LENGTH,
    }
    row = usual | given.columns()
    _must_be_free(connection, row["name"])
    must_be_in_order(row)
    project_id, area, sprint = project_table.add(connection, row, stamp)
    _change_shared(connection, project_id, given, stamp)
    if manager is not None:
        users.set_grant(connection, manager, str(project_id), Role.MANAGER, stamp)
    return {"id": project_id, "name": row["name"], "rootAreaId": area, "rootIterationId": sprint}


def change(connection: Connection, project: str, given: ProjectChange) -> dict[str, Any]:
    """Change a project; its name is also the name of both roots, and begins all paths."""
    project_id = project_id_of(connection, project)
    columns = given.columns()
    if given == ProjectChange():
        raise BadRequest("No change was given. To list the options: backlit admin projects change --help")
    old = connection.execute(select(projects).where(projects.c.id == project_id)).mappings().one()
    must_be_in_order({**old, **columns})
    stamp = administrator_stamp(connection)
    if "name" in columns:
        if columns["name"].lower() != old["name"].lower():
            _must_be_free(connection, columns["name"])
        for nodes in (areas, iterations):
            _rename_root(connection, nodes, project_id, columns["name"], stamp)
    at = stamp.after(old["last_modified_at"])
    fields = differences(project_table.described(old), project_table.described({**old, **columns}))
    written = {"last_modified_by": stamp.name, "last_modified_at": at} if fields else {}
    if columns:
        connection.execute(update(projects).where(projects.c.id == project_id).values(columns | written))
    if fields:
        note(connection, stamp, project_table.recorded(project_id, ChangeAct.CHANGED, fields, at))
    shared = _change_shared(connection, project_id, given, stamp)
    days = columns.get("history_days", old["history_days"])
    kept = {} if days == old["history_days"] else {"historyDays": (old["history_days"], days)}
    rewritten = settings_changed(connection, project_id, kept, stamp, ALL_TYPES if "is_syncable" in columns else ())
    return {"id": project_id, "changed": sorted([*columns, *shared]), "itemsRendered": rewritten.rendered}


def _change_shared(connection: Connection, project_id: int, given: ProjectChange, stamp: Stamp) -> Collection[str]:
    """Change what the project's members share; return the names of what was given."""
    old = project_table.settings(connection, project_id)
    values = given.shared(old)
    project_settings.change(connection, old, values, {}, stamp)
    return values.keys()


def _rename_root(connection: Connection, nodes: Table, project_id: int, name: str, stamp: Stamp) -> None:
    is_root = (nodes.c.project_id == project_id, nodes.c.parent_id == ROOT_PARENT)
    root = connection.execute(select(nodes).where(*is_root)).mappings().first()
    if root is not None and root["name"] != name:
        trees.change(connection, nodes, dict(root), {"name": name}, stamp)


def _project_name(name: str) -> str:
    checked = _name_unlike_an_id(name, "The project's name")
    if fault := fault_in_path(checked, "The project's name"):
        raise BadRequest(fault)
    return checked


def _name_unlike_an_id(name: str, what: str) -> str:
    """Return a name that no command takes for an id; raise BadRequest naming `what` it is for."""
    checked = checked_name(name, what)
    if checked.isdigit():
        raise BadRequest(f"{what} may not be a number: it could be taken for an id.")
    return checked


def _must_be_free(connection: Connection, name: str) -> None:
    if connection.execute(select(projects.c.id).where(in_any_case(projects.c.name, name))).first():
        raise Conflict(f"The project {name!r} already exists. Choose another name.")


def must_be_in_order(row: Mapping[str, Any]) -> None:
    """Raise BadRequest for a project that ends before it starts."""
    if row["end_date"] < row["start_date"]:
        start, end = (row[name].date().isoformat() for name in ("start_date", "end_date"))
        raise BadRequest(f"The project would end ({end}) before it starts ({start}); give --start and --end.")


_TABLE_NOUNS = {teams.name: "team", time_entry_types.name: "time entry type"}


def list_names(connection: Connection, table: Table, project: str | None = None) -> list[dict[str, Any]]:
    rows = select(table.c.id, table.c.name, table.c.project_id, projects.c.name.label("project")).join(projects)
    if project is not None:
        rows = rows.where(table.c.project_id == project_id_of(connection, project))
    found = connection.execute(rows.order_by(table.c.project_id, table.c.id))
    return [{"id": r.id, "projectId": r.project_id, "project": r.project, "name": r.name} for r in found]


def add_name(connection: Connection, table: Table, project: str, name: str) -> dict[str, Any]:
    """Add a team or a time entry type to a project; raise Conflict for a duplicate name."""
    project_id = project_id_of(connection, project)
    name = _name_unlike_an_id(name, f"The name of the {_TABLE_NOUNS[table.name]}")
    _must_be_free_name(connection, table, project_id, name)
    stamp = administrator_stamp(connection)
    row = {"project_id": project_id, "name": name} | audit(stamp.name, stamp.at)
    new_id = connection.execute(insert(table).values(row).returning(table.c.id)).scalar_one()
    settings_changed(connection, project_id, {_key(table, new_id): (None, name)}, stamp)
    return {"id": new_id, "projectId": project_id, "name": name}


def rename_name(connection: Connection, table: Table, project: str, name: str, new_name: str) -> dict[str, Any]:
    """Rename a team or a time entry type; items keep it by its id."""
    row = _named_row(connection, table, project, name)
    new_name = _name_unlike_an_id(new_name, f"The name of the {_TABLE_NOUNS[table.name]}")
    if new_name.lower() != row["name"].lower():
        _must_be_free_name(connection, table, row["project_id"], new_name)
    if new_name != row["name"]:
        stamp = administrator_stamp(connection)
        written = {"last_modified_by": stamp.name, "last_modified_at": stamp.after(row["last_modified_at"])}
        connection.execute(update(table).where(table.c.id == row["id"]).values(name=new_name, **written))
        settings_changed(connection, row["project_id"], {_key(table, row["id"]): (row["name"], new_name)}, stamp)
    return {"id": row["id"], "projectId": row["project_id"], "name": new_name}


def remove_name(connection: Connection, table: Table, project: str, name: str) -> dict[str, Any]:
    """Remove a team and clear it on its items, or remove a time entry type."""
    row = _named_row(connection, table, project, name)
    connection.execute(delete(table).where(table.c.id == row["id"]))
    types = FIELD_BY_KEY["TeamID"].types if table is teams else ()
    fields, stamp = {_key(table, row["id"]): (row["name"], None)}, administrator_stamp(connection)
    rewritten = settings_changed(connection, row["project_id"], fields, stamp, types, alter=_without_team(row["id"]))
    return {"id": row["id"], "projectId": row["project_id"], "name": row["name"], "itemsChanged": rewritten.changed}


def _key(table: Table, row_id: int) -> str:
    """Return the key of a team or a time entry type in the history of its project."""
    return f"{'teams' if table is teams else 'timeEntryTypes'}.{row_id}"


def _without_team(team_id: int) -> Alter:
    return lambda _type, values: {**values, "TeamID": None} if values.get("TeamID") == team_id else values


def _named_row(connection: Connection, table: Table, project: str, name: str) -> Any:
    project_id = project_id_of(connection, project)
    mine = select(table).where(table.c.project_id == project_id).order_by(table.c.id)
    rows = connection.execute(mine).mappings().all()
    for row in rows:
        if name in (str(row["id"]), row["name"]):
            return row
    known = ", ".join(row["name"] for row in rows) or "none"
    raise NotFound(f"The project has no {_TABLE_NOUNS[table.name]} {name!r}; it has: {known}.")


def _must_be_free_name(connection: Connection, table: Table, project_id: int, name: str) -> None:
    names = connection.execute(select(table.c.name).where(table.c.project_id == project_id)).scalars()
    if name.lower() in {known.lower() for known in names}:
        raise Conflict(f"The project has a {_TABLE_NOUNS[table.name]} {name!r} already.")
