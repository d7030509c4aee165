"""The SQL of a view: its condition, order and groups, and the index that serves it."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import takewhile
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import counted
from backlit.model.fields import PROPERTY_BY_LOWER_NAME, Field, Kind
from backlit.model.filters import (
    VIRTUAL,
    And,
    Filter,
    Not,
    Or,
    SortKey,
    TextMatch,
    TextScope,
)
from backlit.model.local_times import LocalTimes
from backlit.model.query import NameResolver, filter_of, mentions_status, parse_query
from backlit.store.mirror.schema import LISTED_COUNTED_POINTS, LISTED_POINTS, TOTALS
from backlit.store.records.item import ROW_COLUMNS, TAG_MARK
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.filter_sql import (
    COVERED,
    ColumnValue,
    Sql,
    condition,
    field_value,
    has_column,
    keys_in,
    value_sql,
)
from backlit.store.views.order import BACKLOG_ORDER, ORDER_INDEXES

ENTRIES = frozenset({Kind.USER, Kind.TEAM, Kind.AREA, Kind.ITERATION, Kind.STATUS})
"""Kinds whose values have an order of their own, neither numeric nor alphabetical."""
_IN_AREAS = "area_id IN (SELECT value FROM json_each(?))"
_IN_ITERATIONS = "iteration_id IN (SELECT value FROM json_each(?))"
EPOCH_DAY = date(1970, 1, 1)
_CHANGED = SortKey("lastModifiedAt", descending=True)
_FOLDED = {"Name": ColumnValue(Sql("name_fold"), frozenset({"Name"}))}


class ViewSpec(Struct, frozen=True):
    """The selection, order and groups of a list.

    `text` is a part of the name in any case, or `#id`. `query` is in the language of docs/query.md, `filter` a
    tree. None as a set of ids means any. A plan can add items to a set of iterations and remove others. Done,
    deferred and deleted items are left out, unless requested here or in the query. An empty `sort` means backlog
    order. `group` names one or two fields. `alike` are sets of values of the innermost group's field that are
    merged into the first of the set. Items with one of the values `latest` of that field are in the order of their
    last change; in every other group those of the iterations `leading` come first.
    """

    text: str = ""
    area_ids: frozenset[int] | None = None
    iteration_ids: frozenset[int] | None = None
    with_done: bool = False
    query: str = ""
    filter: Filter | None = None
    sort: tuple[SortKey, ...] = ()
    group: tuple[str, ...] = ()
    alike: tuple[tuple[object, ...], ...] = ()
    latest: tuple[object, ...] = ()
    leading: frozenset[int] = frozenset()
    planned_in: frozenset[int] = frozenset()
    planned_out: frozenset[int] = frozenset()
    is_tree: bool = False
    """True for items below their parents, with the parents that lead to them; not together with groups."""


class ViewStatements(Struct, frozen=True):
    """A view's statements on the table of items."""

    where: Sql
    with_done: bool
    is_covered: bool
    """True if the order's indexes hold every column of the condition."""
    levels: tuple[str, ...] = ()
    """The fields whose values form buckets: the groups', then leading sort keys with an order of their own."""
    sort: tuple[SortKey, ...] = ()
    """The other sort keys, which SQLite sorts by."""
    sort_values: tuple[ColumnValue, ...] = ()
    """The values of those sort keys."""
    directions: tuple[bool, ...] = ()
    """For each level, True if the largest value comes first."""
    filtered: frozenset[str] = frozenset()
    """The fields that the filters read."""
    has_words: bool = False
    has_name: bool = False
    is_tree: bool = False

    @property
    def reads(self) -> frozenset[str]:
        """The fields that decide the selection and the order."""
        name = {"Name"} if self.has_name or self.has_words else set()
        return frozenset({*self.filtered, *name, *self.levels}).union(*(value.reads for value in self.sort_values))

    @property
    def is_walk(self) -> bool:
        """True if an index yields the first rows without sorting and without finding every text match."""
        is_sorted = self.levels or (self.sort and not self.is_by_change)
        return not (is_sorted or self.has_words or self.is_tree)

    @property
    def is_by_change(self) -> bool:
        """True for the order of the last change, which has an index."""
        return self.sort == (_CHANGED,)

    def rows(self, limit: int) -> tuple[str, tuple[object, ...]]:
        order = self._order()
        return self._select(ROW_COLUMNS, self._walked(), Sql(f"{order.text} LIMIT ?", (*order.values, limit)))

    def of_items(self, ids: Collection[int]) -> "ViewStatements":
        """Return the statements for some items in place of those that meet the condition."""
        where = Sql("id IN (SELECT value FROM json_each(?))", (ids_json(ids),))
        return replace(self, where=where, is_covered=False)

    def ids(self) -> tuple[str, tuple[object, ...]]:
        """Return the statement for all ids in order.

        With levels, each row holds their values, the points that count, those it has, and 1 for no task.
        """
        values = [level_sql(level) for level in self.levels]
        points = (f"coalesce({each}, 0)" for each in (LISTED_COUNTED_POINTS, LISTED_POINTS))
        figures = (*points, "1 - is_task") if values else ()
        columns = ", ".join([*(value.text for value in values), *figures, "id"])
        bound = tuple(each for value in values for each in value.values)
        is_indexed = self.is_covered and (not self.sort or self.is_by_change)
        # A walk in the index's order would look each row up in the table for the columns that the index lacks. In its
        # own order the table is read once from end to end, and sorted afterwards.
        source = self._walked() if is_indexed else "items NOT INDEXED"
        sql, rest = self._select(columns, source, self._order())
        return sql, (*bound, *rest)

    def totals(self) -> tuple[str, tuple[object, ...]]:
        """Return the statement for TOTALS."""
        return self._counted("")

    def counts(self, key: str) -> tuple[str, tuple[object, ...]]:
        value = level_sql(key)
        sql, rest = self._counted(f"{value.text} AS value, ")
        return f"{sql} GROUP BY value", (*value.values, *rest)

    def _counted(self, columns: str) -> tuple[str, tuple[object, ...]]:
        source = self.ordered_source if self.is_covered else "items NOT INDEXED"
        sql = f"SELECT {columns}{TOTALS} FROM {source} WHERE {self.where.text}"  # noqa: S608
        return sql, self.where.values

    def _select(self, columns: str, source: str, order: Sql) -> tuple[str, tuple[object, ...]]:
        sql = f"SELECT {columns} FROM {source} WHERE {self.where.text} ORDER BY {order.text}"  # noqa: S608 # bound values
        return sql, (*self.where.values, *order.values)

    @property
    def ordered_source(self) -> str:
        # Named, because the planner has no statistics here, and its guesses change between versions of SQLite.
        return f"items INDEXED BY {ORDER_INDEXES[self.with_done]}"

    def _walked(self) -> str:
        return "items INDEXED BY items_by_change" if self.sort else self.ordered_source

    def _order(self) -> Sql:
        if not self.sort:
            return Sql(BACKLOG_ORDER)
        if self.is_by_change:
            return Sql("modified_at DESC, id")
        terms = [
            f"{value.sql.text} {'DESC' if key.descending else 'ASC'} NULLS LAST"
            for key, value in zip(self.sort, self.sort_values, strict=True)
        ]
        return Sql(", ".join([*terms, "id"]), tuple(each for value in self.sort_values for each in value.sql.values))


class ViewNames(NameResolver, Protocol):
    """The resolver of a view's names, with the order of their values."""

    def ranks(self, key: str) -> Mapping[object, object] | None: ...

    def column_value(self, key: str) -> ColumnValue: ...


def resolved_query(spec: ViewSpec, project_id: int | None, names: ViewNames | None) -> ViewStatements:
    """Return a view's statements with the names as they are now. Raises BadRequest for an invalid query."""
    if names is None:
        return query_of(spec, project_id)
    tree = parse_query(spec.query)
    meaning = filter_of(tree, names) if spec.query.strip() else None
    with_done = spec.with_done or mentions_status(tree)
    keys = {*spec.group, *(key.name for key in spec.sort)}
    keys |= {key for each in (spec.filter, meaning) if each is not None for key in keys_in(each)}
    custom = names.custom_fields() if any(key.endswith("_cf") for key in keys) else ()
    return query_of(spec, project_id, meaning, custom, with_done=with_done, value_of=names.column_value)


def query_of(
    spec: ViewSpec,
    project_id: int | None,
    query: Filter | None = None,
    custom: Collection[Field] = (),
    *,
    with_done: bool | None = None,
    value_of: Callable[[str], ColumnValue] = field_value,
) -> ViewStatements:
    """Return a view's statements. `query` is the resolved query, `with_done` its consequence."""
    with_done = spec.with_done if with_done is None else with_done
    parts = [Sql("project_id = ?", (-1 if project_id is None else project_id,))]
    if not with_done:
        parts.append(Sql("is_open = 1"))
    if spec.area_ids is not None:
        parts.append(Sql(_IN_AREAS, (ids_json(sorted(spec.area_ids)),)))
    if spec.iteration_ids is not None:
        parts.append(_placed(spec, spec.iteration_ids))
    parts.extend(_text_sql(spec.text.strip()))
    filters = [each for each in (spec.filter, query) if each is not None]
    parts.extend(condition(each, custom) for each in filters)
    keys = {key for each in filters for key in keys_in(each)}
    fields = {**{f.key: f for f in custom}, **{f.key: f for f in PROPERTY_BY_LOWER_NAME.values()}}
    leading = tuple(takewhile(lambda key: key.name in fields and fields[key.name].kind in ENTRIES, spec.sort))
    levels = (*spec.group, *(key.name for key in leading))
    sort = spec.sort[len(leading) :]
    return ViewStatements(
        where=Sql(" AND ".join(part.text for part in parts), tuple(v for part in parts for v in part.values)),
        with_done=with_done,
        is_covered=(keys | set(levels)) <= COVERED,
        levels=levels,
        sort=sort,
        sort_values=tuple(_FOLDED.get(key.name) or value_of(key.name) for key in sort),
        directions=(*(False for _ in spec.group), *(key.descending for key in leading)),
        filtered=frozenset(keys),
        has_words=any(_mentions(each, TextScope.ANYWHERE) for each in filters),
        has_name=any(_mentions(each, TextScope.NAME) for each in filters),
        is_tree=spec.is_tree,
    )


def _placed(spec: ViewSpec, iteration_ids: Iterable[int]) -> Sql:
    places = ids_json(sorted(iteration_ids))
    if not (spec.planned_in or spec.planned_out):
        return Sql(_IN_ITERATIONS, (places,))
    among = "id IN (SELECT value FROM json_each(?))"
    return Sql(
        f"({_IN_ITERATIONS} AND NOT {among} OR {among})",
        (places, ids_json(sorted(spec.planned_out)), ids_json(sorted(spec.planned_in))),
    )


def _text_sql(text: str) -> list[Sql]:
    number = text.removeprefix("#")
    if text.startswith("#") and number.isdecimal() and len(number) < 19:
        return [Sql("id = ?", (int(number),))]
    return [Sql("instr(name_fold, ?)", (text.casefold(),))] if text else []


def _mentions(node: Filter, where: TextScope) -> bool:
    match node:
        case And(parts) | Or(parts):
            return any(_mentions(part, where) for part in parts)
        case Not(part):
            return _mentions(part, where)
        case TextMatch():
            return node.where is where
        case _:
            return False


DAY = 86_400_000_000
"""Microseconds in a day, the unit of groups by time."""
_QUARTER_HOUR = 15 * 60 * 1_000_000
"""Microseconds; days begin at a multiple of this in every time zone of today."""
_TIMES = frozenset({"createdAt", "lastModifiedAt"})


def level_sql(key: str) -> Sql:
    """Return the SQL of a group's value: a field's value, or a time that `level_day` makes a day of."""
    value = value_sql(key)
    return Sql(f"({value.text} / {_QUARTER_HOUR} * {_QUARTER_HOUR})") if key in _TIMES else value


def level_day(key: str, value: object, times: LocalTimes) -> object:
    if key in _TIMES and isinstance(value, int):
        return (times.day_of(value) - EPOCH_DAY).days * DAY
    return value


def level_value(key: str, value: object) -> object:
    """Convert a group's value to its form in documents: tags as a tuple, days as dates."""
    if key == "Tags" and isinstance(value, str):
        return tuple(value.strip(TAG_MARK).split(TAG_MARK))
    if key in _TIMES and isinstance(value, int):
        return EPOCH_DAY + timedelta(microseconds=value)
    return value


ASKED = (
    "The query ran on the local copy. Filters are never sent to the server, which is only asked for the project's"
    " items by number and by time of change."
)


def explained(query: ViewStatements, spec: ViewSpec, mirror: sqlite3.Connection, count: int | None) -> list[str]:
    plan = plan_of(mirror, query.ids())
    is_walk = any("items_in_order" in step for step in plan)
    sentences = [_order(query, plan), *_filters(query, spec, is_walk=is_walk)]
    if query.levels and spec.group:
        sentences.append(f"Groups: by {', then '.join(spec.group)}: counted and summed by one query.")
    if count is not None:
        rows = counted(count, "row: its number takes", "rows including tasks: each number takes")
        sentences.append(f"{rows} 8 bytes. Contents are read as they are shown.")
    return [*sentences, ASKED]


def plan_of(mirror: sqlite3.Connection, statement: tuple[str, tuple[object, ...]]) -> list[str]:
    sql, values = statement
    return [str(step[3]) for step in mirror.execute(f"EXPLAIN QUERY PLAN {sql}", values)]


def _order(query: ViewStatements, plan: Sequence[str]) -> str:
    is_sorted = any("ORDER BY" in step for step in plan)
    if is_sorted and not query.sort and not query.levels:
        return "Order: backlog order, sorted once while loading the filtered items."
    if not query.sort and not query.levels:
        return "Order: backlog order, from an index."
    if not query.levels and query.is_by_change:
        return "Order: last change first, from an index."
    names = ", ".join([*query.levels, *(key.name for key in query.sort)])
    return f"Order: by {names}, sorted once while loading in the background."


def _filters(query: ViewStatements, spec: ViewSpec, *, is_walk: bool) -> list[str]:
    place = "in the order's index" if is_walk else "in the rows found by another condition"
    found = []
    reads = sorted(query.filtered)
    covered = [key for key in reads if key in COVERED]
    columns = [key for key in reads if has_column(key) and key not in COVERED]
    custom = [key for key in reads if key.endswith("_cf")]
    words = ["Description"] if "Description" in reads and query.has_words else []
    virtual = [key for key in reads if key.startswith(VIRTUAL)]
    documents = [key for key in reads if key not in {*covered, *columns, *custom, *words, *virtual}]
    if spec.text or query.has_name:
        found.append(f"Names: searched one by one {place}.")
    if covered:
        found.append(f"{', '.join(covered)}: compared {place}.")
    if columns:
        found.append(f"{', '.join(columns)}: compared one by one in the table of items.")
    if custom:
        found.append(f"{', '.join(custom)}: looked up by key in the table of custom fields.")
    if virtual:
        tests = ", ".join(key.removeprefix(VIRTUAL) for key in virtual)
        found.append(f"{tests}: looked up in the tables of relations, criteria, links and time on this machine.")
    if words:
        found.append("Words: found in the full text index of names, descriptions and comments.")
    if documents:
        found.append(f"{', '.join(documents)}: read from every item's document, which is slow.")
    return found
