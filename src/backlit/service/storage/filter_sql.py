"""Filters and orders of lists as SQL of the service's database, with bound values."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import count
from types import MappingProxyType
from typing import Any
from typing import cast as cast_type

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import (
    ColumnElement,
    Float,
    Table,
    Text,
    and_,
    bindparam,
    case,
    cast,
    exists,
    extract,
    false,
    func,
    literal,
    not_,
    null,
    or_,
    select,
    true,
)
from sqlalchemy.types import TypeEngine

from backlit.model.fields import FIELDS, TOP_LEVEL, Field, Kind, Section, Settable, ValueType
from backlit.model.filter_sql import sql_of
from backlit.model.filters import ARITHMETIC, Filter, Function, Operator, SortKey, TextMatch, Value
from backlit.model.filters.matching import INDEX_LIMIT
from backlit.service.storage.dialects import (
    Ceiling,
    CodePointOrder,
    Floor,
    JsonArrayTexts,
    JsonBoolean,
    JsonNumber,
    JsonText,
    RoundedValue,
    SecondOfMinute,
    TextPosition,
)
from backlit.service.storage.levels import ConditionLevel, ConditionRoot
from backlit.service.storage.schema import work_items

Sql = ColumnElement[Any]

Columns = Mapping[str, tuple[Sql, ValueType]]
"""SQL and type of each property, by its own spelling."""

_ITEM_COLUMNS: Columns = MappingProxyType(
    {f.key: (work_items.c[f.column], f.value_type) for f in (*TOP_LEVEL, *FIELDS)}
)


Properties = Mapping[str, Field]
"""Properties by their lower-case name."""


def properties_of(**types: ValueType) -> Properties:
    """Return the table of properties of a resource: id, audit fields and those named, by lower-case name."""
    audit = [f for f in TOP_LEVEL if f.key == "id" or f.value_type is ValueType.DATETIME or f.key.endswith("By")]
    own = [_property(key, value_type) for key, value_type in types.items()]
    return {f.key.lower(): f for f in (*audit, *own)}


def _property(key: str, value_type: ValueType) -> Field:
    return Field(key, Kind.COMPUTED, (), key, Section.COMPUTED, settable=Settable.NEVER, computed=value_type)


@lru_cache(64)
def item_columns(custom: tuple[Field, ...] = ()) -> Columns:
    if not custom:
        return _ITEM_COLUMNS
    return {**_ITEM_COLUMNS, **{f.key: (_custom(f), f.value_type) for f in custom}}


def columns_of(table: Table, properties: Mapping[str, Field]) -> Columns:
    return {f.key: (table.c[f.column], f.value_type) for f in properties.values()}


def written_as(columns: Columns, key: str, stored: str, written: str) -> Columns:
    if stored == written:
        return columns
    column, value_type = columns[key]
    return {**columns, key: (case((column == stored, written), else_=column), value_type)}


def _custom(field: Field) -> Sql:
    return _KEPT_BY_TYPE.get(field.value_type, JsonText)(work_items.c.cf, field.key)


_KEPT_BY_TYPE: Mapping[ValueType, Callable[[Sql, str], Sql]] = {
    ValueType.BOOLEAN: JsonBoolean,
    ValueType.NUMBER: JsonNumber,
    ValueType.INTEGER: JsonNumber,
}


def sort_columns(order: Collection[SortKey], columns: Columns) -> tuple[Sql, ...]:
    """Return the ORDER BY of a list: nulls last both ways, ties by id."""
    keys = []
    for key in order:
        column = columns[key.name][0]
        ordered = column.desc() if key.descending else column.asc()
        # SQLite puts nulls first and PostgreSQL last, so the order says it. Where there can be none it says nothing,
        # and an index serves it.
        keys.append(ordered.nulls_last() if getattr(column, "nullable", True) else ordered)
    return (*keys, columns["id"][0].asc())


def condition(found: Filter, columns: Columns) -> ColumnElement[bool]:
    """Return the WHERE of a filter; an unknown in SQL counts as false."""
    return ConditionRoot(sql_of(found, _Dialect(columns)))


# Building a filter's statement costs more than running it. With a new statement for each request, whose compiled form
# SQLAlchemy caches in its own way, a filtered page takes 1.4 times the CPU, with the same values or with others in each
# request (`python -m benchmarks service`).


class FilterShape(Struct, frozen=True):
    """A filter without its values: equal shapes have one statement, in which values are bound by name."""

    key: tuple[object, ...]
    example: Filter
    """A filter of the shape."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FilterShape) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def condition(self, columns: Columns) -> ColumnElement[bool]:
        return ConditionRoot(sql_of(self.example, _Dialect(columns, named=count())))


def shape_of(found: Filter, columns: Columns) -> tuple[FilterShape, Mapping[str, Value]]:
    keys = _Keys(columns)
    key = sql_of(found, cast_type(Any, keys))
    return FilterShape(key, found), {f"{_VALUE}{number}": value for number, value in enumerate(keys.values)}


_VALUE = "filter_value_"


class _Keys:
    """Dialect whose expressions tell apart what needs another statement; it gathers the values."""

    def __init__(self, columns: Columns) -> None:
        self.values: list[Value] = []
        self._columns = columns

    def __getattr__(self, name: str) -> Callable[..., tuple[object, ...]]:
        return lambda *arguments, **options: (name, *map(_hashable, (*arguments, *options.values())))

    def column(self, name: str) -> tuple[tuple[object, ...], ValueType]:
        return (name,), self._columns[name][1]

    def literal(self, value: Value) -> tuple[object, ...]:
        if value is None or isinstance(value, bool):
            return ("literal", value)
        self.values.append(value)
        return ("literal", type(value), isinstance(value, int) and value.bit_length() > _WORD)

    def any_tag(self, part: Filter | None) -> tuple[object, ...]:
        return ("any_tag", None if part is None else sql_of(part, cast_type(Any, self)))


def _hashable(argument: object) -> object:
    return tuple(argument) if isinstance(argument, list) else argument


_WORD = 31
"""Bits of the largest whole number of the databases' smaller type."""


class _Dialect(Struct, frozen=True):
    """SQL for SQLite and PostgreSQL; `variable` is the tag of the enclosing any().

    With `named`, values are bound by name when the statement runs.
    """

    columns: Columns
    variable: Sql | None = None
    named: "count[int] | None" = None

    def column(self, name: str) -> tuple[Sql, ValueType]:
        return self.columns[name]

    def literal(self, value: Value) -> Sql:
        if value is None:
            return null()
        if isinstance(value, bool):
            return self.constant(value)
        held = literal(value)
        return held if self.named is None else bindparam(f"{_VALUE}{next(self.named)}", type_=held.type)

    def tag(self) -> Sql:
        return self.void(ValueType.TEXT) if self.variable is None else self.variable

    def void(self, family: ValueType) -> Sql:
        return cast(null(), _TYPES[family])

    def constant(self, value: bool) -> Sql:
        return true() if value else false()

    def both(self, parts: Sequence[Sql]) -> Sql:
        return ConditionLevel(and_(*parts))

    def either(self, parts: Sequence[Sql]) -> Sql:
        return ConditionLevel(or_(false(), *parts))

    def negate(self, condition: Sql) -> Sql:
        return ConditionLevel(not_(func.coalesce(condition, false())))

    def holds(self, value: Sql) -> Sql:
        return value.is_(true())

    def is_null(self, value: Sql, *, negated: bool = False) -> Sql:
        return value.is_not(null()) if negated else value.is_(null())

    def compare(self, operator: Operator, left: Sql, right: Sql) -> Sql:
        return _COMPARISONS[operator](left, right)

    def same(self, left: Sql, right: Sql) -> Sql:
        return left.is_not_distinct_from(right)

    def one_of(self, value: Sql, choices: Sequence[Sql]) -> Sql:
        # Not IN: SQLAlchemy writes the list into the statement anew at each execution, so that it could not be
        # prepared.
        return self.either([value == choice for choice in choices])

    def call(self, function: Function, arguments: Sequence[Sql]) -> Sql:
        return ConditionLevel(_FUNCTIONS[function](*arguments))

    def any_tag(self, part: Filter | None) -> Sql:
        tags = JsonArrayTexts(self.columns["Tags"][0]).table_valued("value", name="tag")
        found = select(literal(1)).select_from(tags)
        if part is not None:
            inner = sql_of(part, replace(self, variable=CodePointOrder(tags.c.value)))
            found = found.where(ConditionRoot(inner))
        return exists(found.correlate(work_items))

    def mentions(self, _node: TextMatch) -> Sql:
        return false()  # no `$filter` text contains one


_TYPES: Mapping[ValueType, type[TypeEngine[Any]]] = {ValueType.NUMBER: Float, ValueType.TEXT: Text}

_COMPARISONS: Mapping[Operator, Callable[[Sql, Sql], Sql]] = {
    Operator.EQ: lambda left, right: left == right,
    Operator.GT: lambda left, right: left > right,
    Operator.GE: lambda left, right: left >= right,
    Operator.LT: lambda left, right: left < right,
    Operator.LE: lambda left, right: left <= right,
}


def _starts_with(text: Sql, start: Sql) -> Sql:
    return func.coalesce(func.substr(text, 1, func.length(start)) == start, false())


def _ends_with(text: Sql, end: Sql) -> Sql:
    # LIKE would read % and _ in the value, and folds the case of ASCII letters on SQLite.
    ending = func.substr(text, func.length(text) - func.length(end) + 1) == end
    return func.coalesce(and_(func.length(text) >= func.length(end), ending), false())


def _arithmetic(function: Function) -> Callable[[Sql, Sql], Sql]:
    compute = getattr(func, f"backlit_{function}")
    return lambda left, right: compute(left, right, type_=Float)


_FUNCTIONS: Mapping[Function, Callable[..., Sql]] = {
    Function.STARTSWITH: _starts_with,
    Function.ENDSWITH: _ends_with,
    Function.CONTAINS: lambda text, part: func.coalesce(TextPosition(text, part) > 0, false()),
    Function.TOLOWER: func.backlit_lower,
    Function.TOUPPER: func.backlit_upper,
    Function.TRIM: func.trim,
    Function.LENGTH: func.length,
    Function.INDEXOF: lambda text, part: TextPosition(text, part) - 1,
    Function.CONCAT: lambda left, right: left.op("||")(right),
    Function.YEAR: lambda moment: extract("year", moment),
    Function.MONTH: lambda moment: extract("month", moment),
    Function.DAY: lambda moment: extract("day", moment),
    Function.HOUR: lambda moment: extract("hour", moment),
    Function.MINUTE: lambda moment: extract("minute", moment),
    Function.SECOND: SecondOfMinute,
    Function.ROUND: RoundedValue,
    Function.FLOOR: Floor,
    Function.CEILING: Ceiling,
    Function.SUBSTRING: lambda text, start, *length: func.backlit_substring(
        text, start, *(length or (literal(INDEX_LIMIT),)), type_=Text
    ),
    Function.REPLACE: lambda *texts: func.backlit_replace(*texts, type_=Text),
    **{function: _arithmetic(function) for function in ARITHMETIC},
}
