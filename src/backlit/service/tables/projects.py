"""Projects with their settings and counters."""

import math
from collections.abc import Collection, Iterable
from datetime import date, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from sqlalchemy import BigInteger, Connection, bindparam, cast, func, insert, literal_column, select, update

from backlit.model.fields import FIELDS, SYNC_KEYS, Field, ItemType, Kind, custom_field
from backlit.model.resources import Project, Team, TimeEntryType
from backlit.service.storage.prepared_statements import Prepared
from backlit.service.storage.schema import (
    ROOT_PARENT,
    areas,
    audit,
    custom_fields,
    iterations,
    project_totals,
    projects,
    status_groups,
    teams,
    time_entry_types,
    value_lists,
)
from backlit.service.tables.trees import root_id

_COUNT = Prepared(
    update(project_totals)
    .where(project_totals.c.project_id == bindparam("project"))
    .values(
        item_count=project_totals.c.item_count + bindparam("difference", type_=BigInteger()),
        revision=project_totals.c.revision + 1,
    )
)
_PROJECT_COUNT = Prepared(select(func.count()).select_from(projects))
_COLUMNS = [c for c in projects.c if c.name not in {"is_syncable", "settings_revision"}]


class ProjectSettings(Struct, frozen=True):
    """Settings of one project that decide the valid values of its items."""

    id: int
    root_area_id: int
    root_iteration_id: int
    custom: tuple[Field, ...]
    value_lists: MappingProxyType[tuple[str, str], tuple[str, ...]]
    teams: tuple[tuple[int, str], ...]
    fields_by_type: MappingProxyType[str, tuple[Field, ...]]
    status_groups: MappingProxyType[str, str]

    def choices(self, item_type: str, field: Field) -> tuple[str, ...]:
        """Return the project's valid values of a field; empty for free values."""
        own = self.value_lists.get((item_type, field.key))
        return field.choices_for(item_type) if own is None else own

    def default(self, item_type: str, field: Field) -> str | float | bool | None:
        """Return the preset of a new item's field, apart from area and iteration."""
        if field.kind is Kind.STATUS:
            return next(iter(self.choices(item_type, field)), None)
        return default_value(field)


def default_value(field: Field) -> str | float | bool | None:
    """Return a field's default as the value its kind has; raise ValueError where the text is none."""
    text = field.default
    if text is None:
        return None
    match field.kind:
        case Kind.INTEGER:
            return int(text)
        case Kind.NUMBER:
            number = float(text)
            if not math.isfinite(number):
                raise ValueError(text)
            return number
        case Kind.BOOLEAN:
            return ("false", "true").index(text) == 1
        case Kind.DATE:
            return date.fromisoformat(text).isoformat()
    return text


def read(connection: Connection, project_id: int) -> Project | None:
    row = connection.execute(select(*_COLUMNS).where(projects.c.id == project_id)).mappings().first()
    return None if row is None else Project(**row)


def listed(connection: Connection, project_ids: Collection[int]) -> list[Project]:
    rows = connection.execute(select(*_COLUMNS).where(projects.c.id.in_(project_ids)).order_by(projects.c.id))
    return [Project(**row) for row in rows.mappings()]


def teams_of(connection: Connection, project_ids: Collection[int]) -> list[Team]:
    rows = connection.execute(select(teams).where(teams.c.project_id.in_(project_ids)).order_by(teams.c.id))
    return [Team(**row) for row in rows.mappings()]


def time_entry_types_of(connection: Connection, project_id: int) -> list[TimeEntryType]:
    """List the time entry types of a project in the order of creation; the interface shows names only."""
    mine = time_entry_types.c.project_id == project_id
    names = connection.execute(select(time_entry_types.c.name).where(mine).order_by(time_entry_types.c.id)).scalars()
    return [TimeEntryType(name=name) for name in names]


def count(connection: Connection) -> int:
    return int(_PROJECT_COUNT.rows(connection)[0][0])


DEFAULT_TIME_ENTRY_TYPES = ("Development", "Testing", "Design", "Meetings", "Support")
"""Categories for logged time in a new project; `backlit admin time-entry-types` changes them."""


def add(connection: Connection, values: dict[str, Any], by: str, now: datetime) -> tuple[int, int, int]:
    """Create a project with counters, roots and time entry types; return its id and those of its roots.

    The root area comes before the root iteration.
    """
    stamp = audit(by, now)
    row = {"is_syncable": False, "settings_revision": 1, **values, **stamp}
    project_id = connection.execute(insert(projects).values(row).returning(projects.c.id)).scalar_one()
    connection.execute(insert(project_totals).values(project_id=project_id, item_count=0, revision=0))
    types = [{"project_id": project_id, "name": each, **stamp} for each in DEFAULT_TIME_ENTRY_TYPES]
    connection.execute(insert(time_entry_types), types)
    name, start, end = row["name"], row["start_date"].date(), row["end_date"].date()
    root = {"project_id": project_id, "parent_id": ROOT_PARENT, "name": name, "path": name, "sequence": 1} | stamp
    span = {"is_release": False, "start_date": start, "end_date": end}
    area = connection.execute(insert(areas).values(root).returning(areas.c.id)).scalar_one()
    iteration = connection.execute(insert(iterations).values(root | span).returning(iterations.c.id)).scalar_one()
    return project_id, area, iteration


def settings(connection: Connection, project_id: int) -> ProjectSettings:
    """Read all settings of a project; costs six queries, so callers keep it by revision."""
    syncs = connection.execute(select(projects.c.is_syncable).where(projects.c.id == project_id)).scalar_one()
    custom = tuple(_custom_fields(connection, project_id))
    own_lists = connection.execute(select(value_lists).where(value_lists.c.project_id == project_id))
    own_teams = connection.execute(select(teams.c.id, teams.c.name).where(teams.c.project_id == project_id))
    own_groups = connection.execute(select(status_groups).where(status_groups.c.project_id == project_id))
    fields = tuple(f for f in FIELDS if syncs or f.key not in SYNC_KEYS) + custom
    return ProjectSettings(
        project_id,
        root_id(connection, areas, project_id),
        root_id(connection, iterations, project_id),
        custom,
        MappingProxyType({(row.type, row.key): tuple(row.choices) for row in own_lists}),
        tuple((row.id, row.name) for row in own_teams),
        MappingProxyType({t.value: tuple(f for f in fields if f.applies_to(t)) for t in ItemType}),
        MappingProxyType({row.status: row.meaning for row in own_groups}),
    )


def _custom_fields(connection: Connection, project_id: int) -> Iterable[Field]:
    rows = connection.execute(select(custom_fields).where(custom_fields.c.project_id == project_id))
    for row in rows:
        types = tuple(ItemType(t) for t in row.types)
        yield custom_field(row.key, Kind(row.kind), types, tuple(row.choices), row.default_value)


def items_in(connection: Connection, project_ids: Collection[int]) -> int:
    return _sum("item_count", connection, project_ids)


def revision_of(connection: Connection, project_ids: Collection[int]) -> int:
    """Return a number that grows with every write to an item of the projects."""
    return _sum("revision", connection, project_ids)


def _sum(column: str, connection: Connection, project_ids: Collection[int]) -> int:
    return int(_sums(column, tuple(project_ids)).rows(connection)[0][0]) if project_ids else 0


@lru_cache(256)
def _sums(column: str, project_ids: tuple[int, ...]) -> Prepared:
    # Literal ids from the database: a list of bound values would be expanded on each call.
    mine = project_totals.c.project_id.in_([literal_column(str(int(project_id))) for project_id in project_ids])
    return Prepared(select(cast(func.coalesce(func.sum(project_totals.c[column]), 0), BigInteger)).where(mine))


def count_items(connection: Connection, project_id: int, difference: int) -> None:
    _COUNT.run(connection, project=project_id, difference=difference)
