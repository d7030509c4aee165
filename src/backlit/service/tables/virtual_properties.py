"""Virtual properties of items: what follows from their relations and criteria, as far as a caller sees these."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, and_, exists, false, func, literal_column, or_, select

from backlit.model.fields import STATUSES, VIRTUAL
from backlit.model.relations import RelationType
from backlit.model.resources import CriterionStatus
from backlit.model.statuses import StatusGroup
from backlit.service.storage.filter_sql import Columns
from backlit.service.storage.objects_schema import acceptance_criteria, relations
from backlit.service.storage.schema import work_items
from backlit.service.tables.projects import ProjectSettings

VIRTUAL_KEYS = tuple(field.key for field in VIRTUAL)
_VALUE_TYPES = {field.key: field.value_type for field in VIRTUAL}
_CLOSED = frozenset({StatusGroup.DONE, StatusGroup.EXCLUDED})
_KNOWN_STATUSES = tuple(dict.fromkeys(status for statuses in STATUSES.values() for status in statuses))


class VirtualProperties(Struct, frozen=True):
    """The virtual properties for one caller, who sees some projects.

    `closed` are the statuses of work that is done or excluded, each set with the projects that have it.
    """

    project_ids: tuple[int, ...]
    closed: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]

    @property
    def columns(self) -> Columns:
        return _columns(self)

    def of_items(self, connection: Connection, item_ids: Collection[int]) -> dict[int, Mapping[str, Any]]:
        """Return the values of items by their ids."""
        selected = [column.label(key) for key, (column, _) in self.columns.items()]
        rows = connection.execute(select(work_items.c.id, *selected).where(work_items.c.id.in_(item_ids)))
        return {row["id"]: {key: row[key] for key in VIRTUAL_KEYS} | _as_boolean(row) for row in rows.mappings()}


def _as_boolean(row: Mapping[Any, Any]) -> dict[str, bool]:
    return {"IsBlocked": bool(row["IsBlocked"])}


def virtual_properties(settings: Iterable[ProjectSettings]) -> VirtualProperties:
    """Return the virtual properties for who sees the projects of some settings."""
    by_statuses: dict[tuple[str, ...], list[int]] = {}
    project_ids = []
    for each in settings:
        project_ids.append(each.id)
        groups = {**{status: each.groups.of(status) for status in _KNOWN_STATUSES}, **each.group_by_status}
        closed = tuple(sorted(status for status, group in groups.items() if group in _CLOSED))
        by_statuses.setdefault(closed, []).append(each.id)
    kept = tuple((closed, tuple(ids)) for closed, ids in by_statuses.items())
    return VirtualProperties(tuple(project_ids), kept)


@lru_cache(64)
def _columns(properties: VirtualProperties) -> Columns:
    here = properties.project_ids
    of_item = acceptance_criteria.c.work_item_id == work_items.c.id
    criteria = _count(acceptance_criteria, of_item)
    found: dict[str, ColumnElement[Any]] = {
        "FeatureID": _feature(),
        "IsBlocked": _is_blocked(properties),
        "RelationCount": _relations(relations.c.work_item_id, here) + _relations(relations.c.target_id, here),
        "CriteriaCount": criteria,
        "CriteriaPassed": _count(
            acceptance_criteria, of_item, acceptance_criteria.c.status == CriterionStatus.PASS.value
        ),
    }
    return {key: (column, _VALUE_TYPES[key]) for key, column in found.items()}


def _feature() -> ColumnElement[Any]:
    is_parent = relations.c.work_item_id == work_items.c.id, relations.c.type == RelationType.PARENT.value
    return select(relations.c.target_id).where(*is_parent).correlate(work_items).scalar_subquery()


def _is_blocked(properties: VirtualProperties) -> ColumnElement[Any]:
    blocker = work_items.alias("blocker")
    is_closed = [
        and_(_is_one_of(blocker.c.project_id, ids), or_(false(), *(blocker.c.status == status for status in closed)))
        for closed, ids in properties.closed
    ]
    # A status that is not set is open, where a comparison with it is unknown.
    is_open = ~func.coalesce(or_(false(), *is_closed), false())
    return (
        exists()
        .select_from(relations.join(blocker, blocker.c.id == relations.c.work_item_id))
        .where(
            relations.c.target_id == work_items.c.id,
            relations.c.type == RelationType.BLOCKS.value,
            _is_one_of(blocker.c.project_id, properties.project_ids),
            is_open,
        )
        .correlate(work_items)
    )


def _relations(end: ColumnElement[int], project_ids: Collection[int]) -> ColumnElement[Any]:
    seen = (_is_one_of(relations.c[name], project_ids) for name in ("project_id", "target_project_id"))
    return _count(relations, end == work_items.c.id, *seen)


def _count(table: Any, *where: ColumnElement[bool]) -> ColumnElement[Any]:
    return select(func.count()).select_from(table).where(*where).correlate(work_items).scalar_subquery()


def _is_one_of(column: ColumnElement[int], project_ids: Collection[int]) -> ColumnElement[bool]:
    # Literal ids from the database, as in `work_items.within`.
    ids: list[ColumnElement[Any]] = [literal_column(str(int(project_id))) for project_id in project_ids]
    return column.in_(ids) if ids else false()
