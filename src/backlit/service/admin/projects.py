"""Projects: creation with their roots, and changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, update

from backlit.model.errors import BadRequest, Conflict
from backlit.model.fields import ALL_TYPES
from backlit.service.admin import grants
from backlit.service.admin.rendering import settings_changed
from backlit.service.admin.seed import DEFAULT_ITERATION_LENGTH, audit
from backlit.service.admin.workspace import ADMINISTRATOR, checked_name, project_id_of
from backlit.service.storage.access import Role
from backlit.service.storage.schema import ROOT_PARENT, areas, iterations, project_totals, projects
from backlit.service.storage.settings import TICK
from backlit.service.storage.stamps import clock_of
from backlit.service.tables import tree_changes

A_YEAR = timedelta(days=365)
LONGEST_ITERATION = 366


@dataclass(frozen=True, slots=True)
class ProjectChange:
    """Settings of a project to change; None keeps the current value or the default."""

    name: str | None = None
    description: str | None = None
    template: str | None = None
    start: date | None = None
    end: date | None = None
    iteration_length: int | None = None
    is_syncable: bool | None = None

    def columns(self) -> dict[str, Any]:
        """Return the named columns; raise BadRequest for an invalid value."""
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
        }
        return {column: value for column, value in given.items() if value is not None}


def listed(connection: Connection) -> list[dict[str, Any]]:
    """List projects by id, with the number of their items."""
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
            "items": row.item_count,
        }
        for row in found
    ]


def create(connection: Connection, given: ProjectChange, manager: str | None = None) -> dict[str, Any]:
    """Create a project with its root area, root iteration and first manager."""
    now = clock_of(connection).now()
    today = datetime.combine(now.date(), time())
    usual = {
        "description": "",
        "template": "Scrum",
        "start_date": today,
        "end_date": given.columns().get("start_date", today) + A_YEAR,
        "default_iteration_length": DEFAULT_ITERATION_LENGTH,
        "is_syncable": False,
        "settings_revision": 1,
    }
    row = usual | given.columns()
    _must_be_free(connection, row["name"])
    must_be_in_order(row)
    stamp = audit(ADMINISTRATOR, now)
    project_id = connection.execute(insert(projects).values(row | stamp).returning(projects.c.id)).scalar_one()
    connection.execute(insert(project_totals).values(project_id=project_id, item_count=0, revision=0))
    root = {"project_id": project_id, "parent_id": ROOT_PARENT, "name": row["name"], "path": row["name"], "sequence": 1}
    span = {"is_release": False, "start_date": row["start_date"].date(), "end_date": row["end_date"].date()}
    area = connection.execute(insert(areas).values(root | stamp).returning(areas.c.id)).scalar_one()
    sprint = connection.execute(insert(iterations).values(root | stamp | span).returning(iterations.c.id)).scalar_one()
    if manager is not None:
        grants.set_role(connection, manager, str(project_id), Role.MANAGER)
    return {"id": project_id, "name": row["name"], "rootAreaId": area, "rootIterationId": sprint}


def change(connection: Connection, project: str, given: ProjectChange) -> dict[str, Any]:
    """Change a project; a new name also renames roots with the old name and updates all paths."""
    project_id = project_id_of(connection, project)
    columns = given.columns()
    if not columns:
        raise BadRequest("No change was given. To list the options: backlit admin projects change --help")
    old = connection.execute(select(projects).where(projects.c.id == project_id)).mappings().one()
    must_be_in_order({**old, **columns})
    if "name" in columns and columns["name"] != old["name"]:
        if columns["name"].lower() != old["name"].lower():
            _must_be_free(connection, columns["name"])
        for nodes in (areas, iterations):
            _rename_root(connection, nodes, project_id, old["name"], columns["name"])
    stamp = {
        "last_modified_by": ADMINISTRATOR,
        "last_modified_at": max(clock_of(connection).now(), old["last_modified_at"] + TICK),
    }
    connection.execute(update(projects).where(projects.c.id == project_id).values(columns | stamp))
    rewritten = settings_changed(connection, project_id, ALL_TYPES if "is_syncable" in columns else ())
    return {"id": project_id, "changed": sorted(columns), "itemsRendered": rewritten.rendered}


def _rename_root(connection: Connection, nodes: Table, project_id: int, old: str, new: str) -> None:
    is_root = (nodes.c.project_id == project_id, nodes.c.parent_id == ROOT_PARENT, nodes.c.name == old)
    root = connection.execute(select(nodes).where(*is_root)).mappings().first()
    if root is not None:
        tree_changes.change(
            connection, nodes, dict(root), {"name": new}, by=ADMINISTRATOR, now=clock_of(connection).now()
        )


def _project_name(name: str) -> str:
    checked = checked_name(name, "The project's name")
    if "\\" in checked:
        raise BadRequest("The project's name may not contain a backslash: paths are written with them.")
    if checked.isdigit():
        raise BadRequest("The project's name may not be a number: it could be taken for an id.")
    return checked


def _must_be_free(connection: Connection, name: str) -> None:
    if connection.execute(select(projects.c.id).where(func.lower(projects.c.name) == name.lower())).first():
        raise Conflict(f"The project {name!r} already exists. Choose another name.")


def must_be_in_order(row: Mapping[str, Any]) -> None:
    """Raise BadRequest for a project that ends before it starts."""
    if row["end_date"] < row["start_date"]:
        start, end = (row[name].date().isoformat() for name in ("start_date", "end_date"))
        raise BadRequest(f"The project would end ({end}) before it starts ({start}); give --start and --end.")
