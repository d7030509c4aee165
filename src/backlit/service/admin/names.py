"""Teams and time entry types of projects."""

from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, update

from backlit.model.errors import Conflict, NotFound
from backlit.model.fields import FIELD_BY_KEY
from backlit.service.admin.rendering import Alter, settings_changed
from backlit.service.admin.seed import audit
from backlit.service.admin.workspace import ADMINISTRATOR, checked_name, project_id_of
from backlit.service.storage.schema import projects, teams, time_entry_types
from backlit.service.storage.settings import TICK
from backlit.service.storage.stamps import clock_of

_WORDS = {teams.name: "team", time_entry_types.name: "time entry type"}


def listed(connection: Connection, table: Table, project: str | None = None) -> list[dict[str, Any]]:
    """List the rows of all projects, or of one."""
    rows = select(table.c.id, table.c.name, table.c.project_id, projects.c.name.label("project")).join(projects)
    if project is not None:
        rows = rows.where(table.c.project_id == project_id_of(connection, project))
    found = connection.execute(rows.order_by(table.c.project_id, table.c.id))
    return [{"id": r.id, "projectId": r.project_id, "project": r.project, "name": r.name} for r in found]


def add(connection: Connection, table: Table, project: str, name: str) -> dict[str, Any]:
    """Add a team or a time entry type to a project; raise Conflict for a duplicate name."""
    project_id = project_id_of(connection, project)
    name = checked_name(name, f"The name of the {_WORDS[table.name]}")
    _must_be_free(connection, table, project_id, name)
    row = {"project_id": project_id, "name": name} | audit(ADMINISTRATOR, clock_of(connection).now())
    new_id = connection.execute(insert(table).values(row).returning(table.c.id)).scalar_one()
    settings_changed(connection, project_id, ())
    return {"id": new_id, "projectId": project_id, "name": name}


def rename(connection: Connection, table: Table, project: str, name: str, new_name: str) -> dict[str, Any]:
    """Rename a team or a time entry type; items keep it by its id."""
    row = _found(connection, table, project, name)
    new_name = checked_name(new_name, f"The name of the {_WORDS[table.name]}")
    if new_name.lower() != row["name"].lower():
        _must_be_free(connection, table, row["project_id"], new_name)
    stamp = max(clock_of(connection).now(), row["last_modified_at"] + TICK)
    values = {"name": new_name, "last_modified_by": ADMINISTRATOR, "last_modified_at": stamp}
    connection.execute(update(table).where(table.c.id == row["id"]).values(values))
    settings_changed(connection, row["project_id"], ())
    return {"id": row["id"], "projectId": row["project_id"], "name": new_name}


def remove(connection: Connection, table: Table, project: str, name: str) -> dict[str, Any]:
    """Remove a team and clear it on its items, or remove a time entry type."""
    row = _found(connection, table, project, name)
    connection.execute(delete(table).where(table.c.id == row["id"]))
    types = FIELD_BY_KEY["TeamID"].types if table is teams else ()
    rewritten = settings_changed(connection, row["project_id"], types, _without_team(row["id"]))
    return {"id": row["id"], "projectId": row["project_id"], "name": row["name"], "itemsChanged": rewritten.changed}


def _without_team(team_id: int) -> Alter:
    return lambda _type, values: {**values, "TeamID": None} if values.get("TeamID") == team_id else values


def _found(connection: Connection, table: Table, project: str, name: str) -> Any:
    project_id = project_id_of(connection, project)
    mine = select(table).where(table.c.project_id == project_id).order_by(table.c.id)
    rows = connection.execute(mine).mappings().all()
    for row in rows:
        if name in (str(row["id"]), row["name"]):
            return row
    known = ", ".join(row["name"] for row in rows) or "none"
    raise NotFound(f"The project has no {_WORDS[table.name]} {name!r}; it has: {known}.")


def _must_be_free(connection: Connection, table: Table, project_id: int, name: str) -> None:
    names = connection.execute(select(table.c.name).where(table.c.project_id == project_id)).scalars()
    if name.lower() in {known.lower() for known in names}:
        raise Conflict(f"The project has a {_WORDS[table.name]} {name!r} already.")
