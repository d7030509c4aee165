"""Lists of work items: selection, order and pages of documents, by statements that are compiled once."""

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, bindparam, false, func, literal_column, or_, select
from sqlalchemy.sql import operators

from backlit.model.fields import Field
from backlit.model.filters import Filter, SortKey
from backlit.model.relations import RelationType
from backlit.service.storage.filter_sql import Columns, FilterShape, item_columns, shape_of, sort_columns
from backlit.service.storage.objects_schema import relations
from backlit.service.storage.prepared_statements import PreparedStatement
from backlit.service.storage.schema import work_items
from backlit.service.tables.virtual_properties import VirtualProperties

DEFAULT_ORDER = (work_items.c.backlog_priority, work_items.c.id)
# Documents that are skipped are read all the same. By ids on an index, the page after 100,000 of 1,000,000 items took
# 1.4 ms in place of 4.3, with half of the projects 18 in place of 212.
DEEP_SKIP = 500
"""The $skip from which a list finds ids on an index before it fetches documents."""


Access = tuple[int, ...] | None
"""Visible projects; None for all."""


def within(access: Access) -> tuple[ColumnElement[bool], ...]:
    if access is None:
        return ()
    if len(access) < 2:
        return (work_items.c.project_id == access[0] if access else false(),)
    # With statistics of the tables, SQLite 3.54 left the index of the order for one by project and status: 162 ms for a
    # page that takes 1.4. Statistics are not gathered for this reason either.
    # The plus keeps the planner on the index of the order: an index on projects would need a sort.
    # Literal ids from the database: a list of bound values would be expanded on each call.
    ids: list[ColumnElement[Any]] = [literal_column(str(int(project_id))) for project_id in access]
    return (operators.in_op(literal_column("+work_items.project_id"), ids),)


class WorkItemQuery(Struct, frozen=True):
    """Selection and order of items; `custom` are fields it may name, `virtual` is given where it names such a property.

    `parent_id` keeps it to the tasks of an item, `with_children` adds the items that are related to it as parent;
    `feature_id` keeps it to these alone.
    """

    access: Access
    parent_id: int | None = None
    filter: Filter | None = None
    order: tuple[SortKey, ...] = ()
    custom: tuple[Field, ...] = ()
    virtual: VirtualProperties | None = None
    with_children: bool = False
    feature_id: int | None = None

    def prepared(self) -> tuple["_Statements", Mapping[str, object]]:
        """Return the statements of such a query, compiled once, and its values."""
        columns = _columns_for(self.custom, self.virtual)
        shape, values = (None, {}) if self.filter is None else shape_of(self.filter, columns)
        if self.parent_id is not None:
            scope = _Scope.CHILDREN if self.with_children else _Scope.TASKS
        else:
            scope = _Scope.ALL if self.feature_id is None else _Scope.OF_FEATURE
        plain = _Plain(self.access, scope, self.order, self.custom, self.virtual)
        place = {"parent": self.feature_id if self.parent_id is None else self.parent_id}
        return _statements(plain, shape), values if scope is _Scope.ALL else {**values, **place}


def _columns_for(custom: tuple[Field, ...], virtual: VirtualProperties | None) -> Columns:
    columns = item_columns(custom)
    return columns if virtual is None else {**columns, **virtual.columns}


class _Scope(Enum):
    """Which items a list is of: all, or the tasks, the tasks and other children, or the other children of one."""

    ALL = auto()
    TASKS = auto()
    CHILDREN = auto()
    OF_FEATURE = auto()


class _Plain(NamedTuple):
    """What tells statements apart besides the shape of the filter."""

    access: Access
    scope: _Scope
    order: tuple[SortKey, ...]
    custom: tuple[Field, ...]
    virtual: VirtualProperties | None


class _Statements(NamedTuple):
    """Statements of all queries of one shape."""

    documents: PreparedStatement
    ids: PreparedStatement
    total: PreparedStatement


_CHILDREN = select(relations.c.work_item_id).where(
    relations.c.target_id == bindparam("parent"), relations.c.type == RelationType.PARENT.value
)


@lru_cache(256)
def _statements(query: _Plain, shape: FilterShape | None) -> _Statements:
    columns = _columns_for(query.custom, query.virtual)
    where = list(within(query.access))
    is_task, is_child = work_items.c.parent_id == bindparam("parent"), work_items.c.id.in_(_CHILDREN)
    match query.scope:
        case _Scope.TASKS:
            where.append(is_task)
        case _Scope.CHILDREN:
            where.append(or_(is_task, is_child))
        case _Scope.OF_FEATURE:
            where.append(is_child)
    if shape is not None:
        where.append(shape.condition(columns))
    ordered = sort_columns(query.order, columns) if query.order else DEFAULT_ORDER
    page = select(work_items.c.doc).where(*where).order_by(*ordered)
    page = page.limit(bindparam("top")).offset(bindparam("skip"))
    number = select(func.count()).select_from(work_items).where(*where)
    return _Statements(
        PreparedStatement(page), PreparedStatement(page.with_only_columns(work_items.c.id)), PreparedStatement(number)
    )


def page(connection: Connection, query: WorkItemQuery, skip: int, top: int) -> Sequence[bytes]:
    statements, values = query.prepared()
    # Beyond that, skipped documents cost more to read than the second query.
    if skip < DEEP_SKIP:
        return [row[0] for row in statements.documents.rows(connection, top=top, skip=skip, **values)]
    found = [row[0] for row in statements.ids.rows(connection, top=top, skip=skip, **values)]
    rows = connection.execute(select(work_items.c.id, work_items.c.doc).where(work_items.c.id.in_(found)))
    by_id: dict[int, bytes] = {row.id: row.doc for row in rows}
    return [by_id[item_id] for item_id in found]


def count(connection: Connection, query: WorkItemQuery) -> int:
    statements, values = query.prepared()
    return int(statements.total.rows(connection, **values)[0][0])
