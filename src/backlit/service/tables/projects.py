"""Projects with their settings and counters."""

import math
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from sqlalchemy import BigInteger, Connection, RowMapping, bindparam, cast, func, insert, literal_column, select, update

from backlit.model.fields import FIELD_BY_KEY, FIELDS, SYNC_KEYS, Field, ItemType, Kind, custom_field
from backlit.model.resources import AUDIT_KEYS, Project, Team, TimeEntryType
from backlit.model.settings.shared_settings import SharedSettings
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.service.storage.columns import audit
from backlit.service.storage.prepared_statements import PreparedStatement
from backlit.service.storage.schema import (
    HISTORY_COLUMNS,
    ROOT_PARENT,
    areas,
    custom_fields,
    iterations,
    project_settings,
    project_totals,
    projects,
    status_groups,
    teams,
    time_entry_types,
    value_lists,
)
from backlit.service.tables import trees
from backlit.service.tables.changes import ChangeAct, ChangeKind, Fields, RecordedChange, Stamp, created, note
from backlit.service.tables.trees import root_id

COUNTED = (
    update(project_totals)
    .where(project_totals.c.project_id == bindparam("counted_project", type_=BigInteger()))
    .values(
        item_count=project_totals.c.item_count + bindparam("difference", type_=BigInteger()),
        revision=project_totals.c.revision + 1,
    )
)
"""Notes that a project's items have changed, and by how many their number."""
_COUNT = PreparedStatement(COUNTED)
_PROJECT_COUNT = PreparedStatement(select(func.count()).select_from(projects))
_SWITCHES = {"is_syncable": "isSyncable", "work_from_time": "workFromTime"}
_COLUMNS = [c for c in projects.c if c.name not in {*_SWITCHES, "settings_revision", *HISTORY_COLUMNS}]
_REORDER = PreparedStatement(
    update(projects)
    .where(projects.c.id == bindparam("project"))
    .values(order_revision=bindparam("revision", type_=BigInteger()))
)


class ProjectSettings(Struct, frozen=True, dict=True):
    """Settings of one project that decide the valid values of its items."""

    id: int
    root_area_id: int
    root_iteration_id: int
    custom: tuple[Field, ...]
    value_lists: MappingProxyType[tuple[str, str], tuple[str, ...]]
    teams: tuple[tuple[int, str], ...]
    fields_by_type: MappingProxyType[str, tuple[Field, ...]]
    status_groups: MappingProxyType[str, str]
    """The groups that were set; the others follow from the statuses' names."""
    shared: SharedSettings = SharedSettings()
    work_from_time: bool = True
    """Whether time entries change the work of their task."""
    due_field: str | None = None
    """The key of the custom field with the due dates."""

    def choices(self, item_type: str, field: Field) -> tuple[str, ...]:
        """Return the project's valid values of a field; empty for free values."""
        own = self.value_lists.get((item_type, field.key))
        return field.choices_for(item_type) if own is None else own

    @property
    def groups(self) -> StatusGroups:
        configured = {status: StatusGroup(group) for status, group in self.status_groups.items()}
        return StatusGroups(configured, self._status_lists())

    @property
    def group_by_status(self) -> dict[str, StatusGroup]:
        """The group of every status of the project; UNKNOWN for one that nothing explains."""
        groups = self.groups
        return {status: groups.of(status) for statuses in self._status_lists() for status in statuses}

    def _status_lists(self) -> list[tuple[str, ...]]:
        status = FIELD_BY_KEY["Status"]
        return [self.choices(each, status) for each in ItemType if status.applies_to(each)]

    # Built for each new item, they took a twelfth of the CPU of its creation.
    @cached_property
    def presets(self) -> Mapping[str, Mapping[str, str | float | bool]]:
        """The values that new items of each type are given, apart from area and iteration."""
        presets = {t: {f.key: self.default(t, f) for f in fields} for t, fields in self.fields_by_type.items()}
        return {t: {key: value for key, value in own.items() if value is not None} for t, own in presets.items()}

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


def add(connection: Connection, values: dict[str, Any], stamp: Stamp) -> tuple[int, int, int]:
    """Create a project with counters, roots and time entry types; return its id and those of its roots.

    The root area comes before the root iteration.
    """
    written = audit(stamp.name, stamp.at)
    row = {"is_syncable": False, "work_from_time": True, "settings_revision": 1, **values, **written}
    project_id = connection.execute(insert(projects).values(row).returning(projects.c.id)).scalar_one()
    connection.execute(insert(project_totals).values(project_id=project_id, item_count=0, revision=0))
    note(connection, stamp, recorded(project_id, ChangeAct.CREATED, created(described(row)), stamp.at))
    types = [{"project_id": project_id, "name": each, **written} for each in DEFAULT_TIME_ENTRY_TYPES]
    added = connection.execute(
        insert(time_entry_types).returning(time_entry_types.c.id, time_entry_types.c.name), types
    )
    names = {f"timeEntryTypes.{type_id}": name for type_id, name in added}
    note(connection, stamp, settings_change(project_id, created(names), stamp.at))
    name, start, end = row["name"], row["start_date"].date(), row["end_date"].date()
    root = {"project_id": project_id, "parent_id": ROOT_PARENT, "name": name, "sequence": 1}
    span = {"is_release": False, "start_date": start, "end_date": end}
    area = trees.add(connection, areas, root, stamp)
    iteration = trees.add(connection, iterations, root | span, stamp)
    return project_id, area, iteration


def described(row: RowMapping | Mapping[str, Any]) -> dict[str, Any]:
    """Return a project's columns as its history names them."""
    project = Project(id=0, **{c.name: row[c.name] for c in _COLUMNS if c.name in row and c.name != "id"}).wire()
    own = {key: value for key, value in project.items() if key not in {"id", *AUDIT_KEYS}}
    return own | {key: row[column] for column, key in _SWITCHES.items()}


def recorded(project_id: int, act: ChangeAct, fields: Fields, at: datetime) -> RecordedChange:
    return RecordedChange(ChangeKind.PROJECT, act, project_id, project_id, fields, at)


def settings_change(project_id: int, fields: Fields, at: datetime) -> RecordedChange:
    return RecordedChange(ChangeKind.SETTINGS, ChangeAct.CHANGED, project_id, project_id, fields, at)


def publish_settings(connection: Connection, project_id: int, fields: Fields, stamp: Stamp) -> None:
    """Let running services read the settings of a project anew, and record their old and new values, if any."""
    mine = projects.c.id == project_id
    connection.execute(update(projects).where(mine).values(settings_revision=projects.c.settings_revision + 1))
    if fields:
        note(connection, stamp, settings_change(project_id, fields, stamp.at))


def reordered(connection: Connection, project_id: int, stamp: Stamp) -> None:
    """Tell clients that ranks of the project's items changed, which no item's stamp shows."""
    _REORDER.run(connection, project=project_id, revision=stamp.last_revision)


def order_revisions(connection: Connection, project_ids: Collection[int]) -> dict[int, int]:
    found = (
        select(projects.c.id, projects.c.order_revision).where(projects.c.id.in_(project_ids)).order_by(projects.c.id)
    )
    return {row.id: row.order_revision for row in connection.execute(found)}


def settings(connection: Connection, project_id: int) -> ProjectSettings:
    """Read all settings of a project; costs nine queries, so callers keep it by revision."""
    switches = select(projects.c.is_syncable, projects.c.work_from_time).where(projects.c.id == project_id)
    syncs, work_from_time = connection.execute(switches).one()
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
        _shared(connection, project_id),
        work_from_time,
        _due_field(connection, project_id),
    )


def _shared(connection: Connection, project_id: int) -> SharedSettings:
    mine = select(project_settings).where(project_settings.c.project_id == project_id)
    row = connection.execute(mine).mappings().first()
    return SharedSettings() if row is None else SharedSettings.of_row(dict(row))


def _due_field(connection: Connection, project_id: int) -> str | None:
    mine = custom_fields.c.project_id == project_id, custom_fields.c.is_due
    return connection.execute(select(custom_fields.c.key).where(*mine)).scalar_one_or_none()


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
def _sums(column: str, project_ids: tuple[int, ...]) -> PreparedStatement:
    # One row a project, kept in the transaction of each write: counted in each request instead, a list of 1,000,000
    # items on PostgreSQL was answered 24 times a second, by these 1,003 times.
    # Literal ids from the database: a list of bound values would be expanded on each call.
    mine = project_totals.c.project_id.in_([literal_column(str(int(project_id))) for project_id in project_ids])
    return PreparedStatement(select(cast(func.coalesce(func.sum(project_totals.c[column]), 0), BigInteger)).where(mine))


def count_items(connection: Connection, project_id: int, difference: int) -> None:
    _COUNT.run(connection, counted_project=project_id, difference=difference)
