"""Work items: documents out, items in; each transaction keeps totals and roll-ups current."""

import operator
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import orjson
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    Float,
    Text,
    bindparam,
    delete,
    false,
    func,
    insert,
    literal,
    literal_column,
    select,
    tuple_,
    update,
)
from sqlalchemy.sql import operators

from backlit.model.dates import parse_datetime, write_datetime
from backlit.model.fields import FIELD_BY_KEY, Field, ItemType
from backlit.model.filters import Filter, SortKey
from backlit.service.storage.clock import TICK
from backlit.service.storage.dialects import NextId
from backlit.service.storage.filter_sql import FilterShape, item_columns, shape_of, sort_columns
from backlit.service.storage.prepared_statements import Prepared
from backlit.service.storage.schema import comments, work_items
from backlit.service.tables import attachments, projects
from backlit.service.tables.projects import ProjectSettings

TASK_FIGURES = ("PertEstimate", "WorkRemaining", "WorkCompleted")
"""A task's fields that add to its parent's CalculatedEstimate."""

_EMPTY: Mapping[str, Any] = {"Description": "", "Tags": []}


class WorkItemRow(Struct, frozen=True):
    """A work item; `values` has every key of its document, including calculated ones."""

    id: int
    type: str
    project_id: int
    values: Mapping[str, Any]
    created_by: str
    created_at: datetime
    last_modified_by: str
    last_modified_at: datetime

    def document(self, fields: Iterable[Field]) -> bytes:
        values = self.values
        document = {
            "id": self.id,
            "type": self.type,
            "projectId": self.project_id,
            "fields": {f.key: values.get(f.key, _EMPTY.get(f.key)) for f in fields},
            "createdBy": self.created_by,
            "createdAt": write_datetime(self.created_at),
            "lastModifiedBy": self.last_modified_by,
            "lastModifiedAt": write_datetime(self.last_modified_at),
        }
        return orjson.dumps(document)

    def reassigned(self, key: str, kept: int, by: str, now: datetime) -> "WorkItemRow":
        stamp = max(now, self.last_modified_at + TICK)
        return replace(self, values={**self.values, key: kept}, last_modified_by=by, last_modified_at=stamp)

    def is_between(self, above: Sequence["_RankedItem"], below: Sequence["_RankedItem"]) -> bool:
        key = self.values["BacklogPriority"], self.id
        follows = not above or (above[-1][1], above[-1][0]) < key
        return follows and (not below or key < (below[0][1], below[0][0]))


def item_of(document: bytes) -> WorkItemRow:
    read = orjson.loads(document)
    return WorkItemRow(
        read["id"],
        read["type"],
        read["projectId"],
        read["fields"],
        read["createdBy"],
        parse_datetime(read["createdAt"]),
        read["lastModifiedBy"],
        parse_datetime(read["lastModifiedAt"]),
    )


def columns_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Map values by key to the typed columns; custom fields share the column `cf`."""
    columns = {FIELD_BY_KEY[key].column: value for key, value in values.items() if key in FIELD_BY_KEY}
    custom = {key: value for key, value in values.items() if key not in FIELD_BY_KEY and value is not None}
    return columns | {"cf": custom or None}


def pert(values: Mapping[str, Any]) -> float | None:
    """Return the PERT estimate of a task; None unless all three estimates are set."""
    optimistic, probable, pessimistic = (values.get(f"Estimate{x}") for x in ("Optimistic", "Probable", "Pessimistic"))
    if optimistic is None or probable is None or pessimistic is None:
        return None
    return float((optimistic + 4 * probable + pessimistic) / 6)


def calculated(tasks: Iterable[tuple[float | None, float | None, float | None]]) -> float | None:
    """Return the sum over tasks, by PERT estimate or else by work; None without tasks."""
    sums = [(done or 0.0) + (left or 0.0) if estimate is None else estimate for estimate, left, done in tasks]
    return sum(sums) if sums else None


DEFAULT_ORDER = (work_items.c.backlog_priority, work_items.c.id)
DEEP_SKIP = 500
"""The $skip from which a list finds ids on an index before it fetches documents."""

REWRITE_BATCH = 500
"""Number of items whose documents are rewritten at a time."""

_READ = Prepared(select(work_items.c.project_id, work_items.c.doc).where(work_items.c.id == bindparam("item_id")))
_LAST_PRIORITY = select(func.max(work_items.c.backlog_priority)).where(work_items.c.project_id == bindparam("project"))
_PLACE = Prepared(select(NextId(literal(work_items.name, Text())), _LAST_PRIORITY.scalar_subquery()))
_FIGURES = select(*(work_items.c[FIELD_BY_KEY[key].column] for key in TASK_FIGURES)).where(
    work_items.c.parent_id == bindparam("parent")
)


Access = tuple[int, ...] | None
"""Visible projects; None for all."""


def within(access: Access) -> tuple[ColumnElement[bool], ...]:
    if access is None:
        return ()
    if len(access) < 2:
        return (work_items.c.project_id == access[0] if access else false(),)
    # The plus keeps the planner on the index of the order: an index on projects would need a sort.
    # Literal ids from the database: a list of bound values would be expanded on each call.
    ids: list[ColumnElement[Any]] = [literal_column(str(int(project_id))) for project_id in access]
    return (operators.in_op(literal_column("+work_items.project_id"), ids),)


class WorkItemQuery(Struct, frozen=True):
    """Selection and order of items; `parent_id` keeps it to the tasks of an item, `custom` are fields it may name."""

    access: Access
    parent_id: int | None = None
    filter: Filter | None = None
    order: tuple[SortKey, ...] = ()
    custom: tuple[Field, ...] = ()

    def prepared(self) -> tuple["_Statements", Mapping[str, object]]:
        """Return the statements of such a query, compiled once, and its values."""
        columns = item_columns(self.custom)
        shape, values = (None, {}) if self.filter is None else shape_of(self.filter, columns)
        has_parent = self.parent_id is not None
        statements = _statements(self.access, has_parent, shape, self.order, self.custom)
        return statements, {**values, "parent": self.parent_id} if has_parent else values


class _Statements(NamedTuple):
    """Statements of all queries of one shape."""

    documents: Prepared
    ids: Prepared
    total: Prepared


@lru_cache(256)
def _statements(
    access: Access, has_parent: bool, shape: FilterShape | None, order: tuple[SortKey, ...], custom: tuple[Field, ...]
) -> _Statements:
    columns = item_columns(custom)
    where = list(within(access))
    if has_parent:
        where.append(work_items.c.parent_id == bindparam("parent"))
    if shape is not None:
        where.append(shape.condition(columns))
    ordered = sort_columns(order, columns) if order else DEFAULT_ORDER
    page = select(work_items.c.doc).where(*where).order_by(*ordered)
    page = page.limit(bindparam("top")).offset(bindparam("skip"))
    number = select(func.count()).select_from(work_items).where(*where)
    return _Statements(Prepared(page), Prepared(page.with_only_columns(work_items.c.id)), Prepared(number))


def read(connection: Connection, item_id: int) -> tuple[int, bytes] | None:
    rows = _READ.rows(connection, item_id=item_id)
    return (rows[0][0], rows[0][1]) if rows else None


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


def next_place(connection: Connection, project_id: int) -> tuple[int, float]:
    """Return the id of a new item, and the BacklogPriority that puts it at the end of its project."""
    ((item_id, last),) = _PLACE.rows(connection, project=project_id)
    return item_id, (last or 0.0) + 1.0


def add(connection: Connection, item: WorkItemRow, settings: ProjectSettings) -> bytes:
    document = item.document(settings.fields_by_type[item.type])
    row: dict[str, Any] = {
        "description": "",
        "tags": None if item.type == ItemType.TASK else [],
        "id": item.id,
        "type": item.type,
        "project_id": item.project_id,
        "created_by": item.created_by,
        "created_at": item.created_at,
        "last_modified_by": item.last_modified_by,
        "last_modified_at": item.last_modified_at,
        "doc": document,
    }
    row |= columns_of(item.values)
    _insert_of(tuple(sorted(row))).run(connection, **row)
    projects.count_items(connection, item.project_id, 1)
    return document


@lru_cache(256)
def _insert_of(columns: tuple[str, ...]) -> Prepared:
    return Prepared(insert(work_items).values(_bound(columns)))


def change(connection: Connection, old: WorkItemRow, new: WorkItemRow, settings: ProjectSettings) -> bytes:
    changed = {key: value for key, value in new.values.items() if value != old.values.get(key)}
    columns = columns_of(changed) | {"cf": columns_of(new.values)["cf"]}
    document = new.document(settings.fields_by_type[new.type])
    columns |= {"last_modified_by": new.last_modified_by, "last_modified_at": new.last_modified_at, "doc": document}
    _update_of(tuple(sorted(columns))).run(connection, item_id=new.id, **columns)
    projects.count_items(connection, new.project_id, 0)
    return document


_UPDATE = update(work_items).where(work_items.c.id == bindparam("item_id"))


@lru_cache(256)
def _update_of(columns: tuple[str, ...]) -> Prepared:
    return Prepared(_UPDATE.values(_bound(columns)))


def _bound(columns: Iterable[str]) -> dict[str, BindParameter[Any]]:
    return {name: bindparam(name, type_=work_items.c[name].type) for name in columns}


def roll_up(connection: Connection, parent_id: int, settings: ProjectSettings, by: str, now: datetime) -> None:
    """Recalculate an item's CalculatedEstimate from its tasks; a new value counts as a change."""
    found = read(connection, parent_id)
    if found is None:
        return
    figures = connection.execute(_FIGURES, {"parent": parent_id}).all()
    old = item_of(found[1])
    estimate = calculated((row[0], row[1], row[2]) for row in figures)
    if estimate != old.values.get("CalculatedEstimate"):
        values = {**old.values, "CalculatedEstimate": estimate}
        stamp = max(now, old.last_modified_at + TICK)
        change(connection, old, replace(old, values=values, last_modified_by=by, last_modified_at=stamp), settings)


def reassign(
    connection: Connection,
    key: str,
    gone: Collection[int],
    kept: int,
    settings: ProjectSettings,
    *,
    by: str,
    now: datetime,
) -> None:
    """Move the items of some areas (or iterations) to another; `key` is the field's key."""
    column = work_items.c[FIELD_BY_KEY[key].column]
    some = select(work_items.c.doc).where(column.in_(gone)).order_by(work_items.c.id).limit(REWRITE_BATCH)
    while found := connection.execute(some).scalars().all():
        items = [item_of(document).reassigned(key, kept, by, now) for document in found]
        changes = [
            {
                "item_id": item.id,
                column.name: kept,
                "last_modified_by": by,
                "last_modified_at": item.last_modified_at,
                "doc": item.document(settings.fields_by_type[item.type]),
            }
            for item in items
        ]
        connection.execute(update(work_items).where(work_items.c.id == bindparam("item_id")), changes)
        projects.count_items(connection, settings.id, 0)


def remove(connection: Connection, item: WorkItemRow) -> tuple[str, ...]:
    """Delete an item with its tasks, comments and attachments; return the digests of the contents."""
    tasks = connection.execute(select(work_items.c.id).where(work_items.c.parent_id == item.id)).scalars().all()
    gone = [item.id, *tasks]
    freed = attachments.remove_of_items(connection, gone)
    connection.execute(delete(comments).where(comments.c.work_item_id.in_(gone)))
    connection.execute(delete(work_items).where(work_items.c.id.in_(gone)))
    projects.count_items(connection, item.project_id, -len(gone))
    return freed


# Ranks in the backlog

RANK_WINDOW = 32
"""Number of items on each side that are renumbered first if no number fits between two neighbours."""
RANK_WINDOW_GROWTH = 8


def move_rank(
    connection: Connection,
    item: WorkItemRow,
    target: WorkItemRow | None,
    settings: ProjectSettings,
    *,
    after: bool,
    by: str,
    now: datetime,
) -> None:
    """Move an item directly before or after another; without one, to the top (before) or the bottom (after)."""
    # A full gap renumbers its neighbourhood, not the backlog; only where that is full too, a wider one.
    window = RANK_WINDOW
    while True:
        above, below = _neighbours(connection, item, target, window, after=after)
        priority = _between(above[-1][1] if above else None, below[0][1] if below else None)
        if item.is_between(above, below):
            return
        if priority is not None:
            _store_rank(connection, item.id, priority, settings, by=by, now=now)
            return
        numbers = _spread(above, item.id, below, window)
        if numbers is not None:
            for item_id, number in numbers:
                _store_rank(connection, item_id, number, settings, by=by, now=now)
            return
        window *= RANK_WINDOW_GROWTH


_RankedItem = tuple[int, float]
"""An item's id and its BacklogPriority."""


def _neighbours(
    connection: Connection, item: WorkItemRow, target: WorkItemRow | None, window: int, *, after: bool
) -> tuple[list[_RankedItem], list[_RankedItem]]:
    """Return the items before and after the place, nearest in the middle; at most one more than the window of each."""
    values = {"project": item.project_id, "item": item.id, "most": window + 1}
    if target is None:
        found = _nearest(up=after, within=None).rows(connection, **values)
        return (found[::-1], []) if after else ([], found)
    values |= {"priority": target.values["BacklogPriority"], "target": target.id}
    above = _nearest(up=True, within=after).rows(connection, **values)
    return above[::-1], _nearest(up=False, within=not after).rows(connection, **values)


@cache
def _nearest(*, up: bool, within: bool | None) -> Prepared:
    """Return the statement of the nearest items up or down, from a target on (`within`), beyond it, or from the end."""
    rank = tuple_(work_items.c.backlog_priority, work_items.c.id)
    of_project = work_items.c.project_id == bindparam("project")
    found = select(work_items.c.id, work_items.c.backlog_priority).where(
        of_project, work_items.c.id != bindparam("item")
    )
    if within is not None:
        key = tuple_(bindparam("priority", type_=Float()), bindparam("target", type_=BigInteger()))
        compare = (operator.le if within else operator.lt) if up else (operator.ge if within else operator.gt)
        found = found.where(compare(rank, key))
    ends = [each.desc() for each in rank.clauses] if up else list(rank.clauses)
    return Prepared(found.order_by(*ends).limit(bindparam("most")))


def _between(low: float | None, high: float | None) -> float | None:
    """Return a double strictly between two; None if absent."""
    if low is None:
        return 1.0 if high is None else high - 1.0
    if high is None:
        return low + 1.0
    middle = low + (high - low) / 2
    return middle if low < middle < high else None


def _spread(above: list[_RankedItem], moved: int, below: list[_RankedItem], window: int) -> list[_RankedItem] | None:
    """Renumber a window of items evenly between its neighbours; None if these are too close."""
    low = above.pop(0)[1] if len(above) > window else None
    high = below.pop()[1] if len(below) > window else None
    order = [item_id for item_id, _ in above] + [moved] + [item_id for item_id, _ in below]
    if low is None:
        low = 0.0 if high is None else high - len(order) - 1.0
    step = 1.0 if high is None else (high - low) / (len(order) + 1)
    numbers = [low + step * place for place in range(1, len(order) + 1)]
    ends = [low, *numbers] if high is None else [low, *numbers, high]
    has_room = all(one < other and one < one + (other - one) / 2 < other for one, other in pairwise(ends))
    return list(zip(order, numbers, strict=True)) if has_room else None


def _store_rank(
    connection: Connection, item_id: int, priority: float, settings: ProjectSettings, *, by: str, now: datetime
) -> None:
    found = read(connection, item_id)
    assert found is not None
    old = item_of(found[1])
    if old.values["BacklogPriority"] != priority:
        stamp = max(now, old.last_modified_at + TICK)
        values = {**old.values, "BacklogPriority": priority}
        new = replace(old, values=values, last_modified_by=by, last_modified_at=stamp)
        change(connection, old, new, settings)
