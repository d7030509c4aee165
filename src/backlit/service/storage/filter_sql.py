"""The filter tree as SQL with bound values; it means exactly what `matches` of the model means."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Float,
    Table,
    Text,
    and_,
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

from backlit.model.fields import FIELDS, TOP_LEVEL, Field, ValueType
from backlit.model.filters import (
    And,
    AnyTag,
    Call,
    Comparison,
    Filter,
    Function,
    In,
    Literal,
    Mentions,
    Not,
    Operator,
    Or,
    Property,
    SortKey,
    TagVariable,
    Term,
    matches,
)
from backlit.service.storage.dialects import (
    by_code_point,
    each_text,
    floored,
    kept_boolean,
    kept_number,
    kept_text,
    position,
    raised,
    rounded,
    second,
)
from backlit.service.storage.schema import work_items

Sql = ColumnElement[Any]


class _Family(Enum):
    """Families of comparable values; NOTHING is the null literal, and TAGS compare only to null."""

    BOOLEAN = "boolean"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    TAGS = "tags"
    NOTHING = "nothing"


_TYPE_BY_FAMILY: Mapping[_Family, type[TypeEngine[Any]]] = {
    _Family.BOOLEAN: Boolean,
    _Family.NUMBER: Float,
    _Family.TEXT: Text,
}

_FAMILY_BY_TYPE = {
    ValueType.TEXT: _Family.TEXT,
    ValueType.INTEGER: _Family.NUMBER,
    ValueType.NUMBER: _Family.NUMBER,
    ValueType.BOOLEAN: _Family.BOOLEAN,
    ValueType.TAGS: _Family.TAGS,
    ValueType.DATETIME: _Family.DATE,
}


@dataclass(frozen=True, slots=True)
class _Sql:
    """A term; of a function's result, NULL means void, which no comparison holds for.

    `day` is set for a literal that stands for a whole day.
    """

    sql: Sql
    family: _Family
    is_result: bool = False
    day: date | None = None


Columns = Mapping[str, tuple[Sql, ValueType]]
"""What each property is in SQL, by its own spelling."""

_ITEM_COLUMNS: Columns = MappingProxyType(
    {f.key: (work_items.c[f.column], f.value_type) for f in (*TOP_LEVEL, *FIELDS)}
)


@lru_cache(64)
def item_columns(custom: tuple[Field, ...] = ()) -> Columns:
    """Return the columns of work items, with custom fields read from the JSON they are kept in."""
    if not custom:
        return _ITEM_COLUMNS
    return {**_ITEM_COLUMNS, **{f.key: (_custom(f), f.value_type) for f in custom}}


def columns_of(table: Table, properties: Mapping[str, Field]) -> Columns:
    """Return the columns of another noun's properties."""
    return {f.key: (table.c[f.column], f.value_type) for f in properties.values()}


def _custom(field: Field) -> Sql:
    return _KEPT_BY_TYPE.get(field.value_type, kept_text)(work_items.c.cf, field.key)


_KEPT_BY_TYPE: Mapping[ValueType, Callable[[Sql, str], Sql]] = {
    ValueType.BOOLEAN: kept_boolean,
    ValueType.NUMBER: kept_number,
    ValueType.INTEGER: kept_number,
}


def sort_columns(order: Collection[SortKey], columns: Columns) -> tuple[Sql, ...]:
    """Return the ORDER BY of a list: nulls last both ways, ties by id."""
    keys = []
    for key in order:
        column = columns[key.name][0]
        ordered = column.desc() if key.descending else column.asc()
        keys.append(ordered.nulls_last() if getattr(column, "nullable", True) else ordered)
    return (*keys, columns["id"][0].asc())


def condition(found: Filter, columns: Columns) -> ColumnElement[bool]:
    """Return the WHERE of a filter; an unknown in SQL counts as false."""
    return _Emitter(columns).filter(found)


class _Emitter:
    """Writes one filter; `tag` is the variable of the enclosing any()."""

    def __init__(self, columns: Columns, tag: Sql | None = None) -> None:
        self._columns = columns
        self._tag = tag

    def filter(self, node: Filter) -> ColumnElement[bool]:
        match node:
            case And(parts):
                return and_(*(self.filter(part) for part in parts))
            case Or(parts):
                return or_(*(self.filter(part) for part in parts))
            case Not(part):
                return not_(func.coalesce(self.filter(part), false()))
            case AnyTag(part):
                return self._any_tag(part)
            case Comparison(operator, left, right):
                return self._comparison(operator, left, right)
            case In(term, choices):
                return or_(false(), *(self._comparison(Operator.EQ, term, choice) for choice in choices))
        if isinstance(node, Mentions):
            return false()  # no text of a filter is read as one
        value = self._term(node)
        return value.sql.is_(true()) if value.family is _Family.BOOLEAN else false()

    def _any_tag(self, part: Filter | None) -> ColumnElement[bool]:
        tags = each_text(self._columns["Tags"][0]).table_valued("value", name="tag")
        found = select(literal(1)).select_from(tags)
        if part is not None:
            found = found.where(_Emitter(self._columns, by_code_point(tags.c.value)).filter(part))
        return exists(found.correlate(work_items))

    def _comparison(self, operator: Operator, left_term: Term, right_term: Term) -> ColumnElement[bool]:
        if _is_constant(left_term) and _is_constant(right_term):
            return true() if matches(Comparison(operator, left_term, right_term), {}) else false()
        left, right = self._term(left_term), self._term(right_term)
        if operator not in {Operator.EQ, Operator.NE}:
            orders = left.family is right.family and left.family not in {_Family.BOOLEAN, _Family.TAGS, _Family.NOTHING}
            return _ORDERS[operator](left.sql, right.sql) if orders else false()
        if operator is Operator.EQ:
            return _equal(left, right)
        differs = not_(func.coalesce(_equal(left, right), false()))
        return and_(differs, *(side.sql.is_not(null()) for side in (left, right) if side.is_result))

    def _term(self, term: Term) -> _Sql:
        match term:
            case Property(name):
                column, value_type = self._columns[name]
                return _Sql(column, _FAMILY_BY_TYPE[value_type])
            case Literal(value):
                return _literal(value)
            case TagVariable():
                return _Sql(cast(null(), Text) if self._tag is None else self._tag, _Family.TEXT)
            case Call(function, arguments):
                return _call(function, [self._term(argument) for argument in arguments])


def _is_constant(term: Term) -> bool:
    if isinstance(term, Call):
        return all(_is_constant(argument) for argument in term.arguments)
    return isinstance(term, Literal)


_WHOLE_LIMIT = 2**63
"""Whole numbers from here on, which no column holds, are compared as floats."""


def _literal(value: object) -> _Sql:
    if value is None:
        return _Sql(null(), _Family.NOTHING)
    if isinstance(value, bool):
        return _Sql(true() if value else false(), _Family.BOOLEAN)
    if isinstance(value, datetime):
        return _Sql(literal(value), _Family.DATE)
    if isinstance(value, date):
        return _Sql(literal(datetime.combine(value, time())), _Family.DATE, day=value)
    if isinstance(value, int | float):
        return _Sql(literal(value if abs(value) < _WHOLE_LIMIT else float(value)), _Family.NUMBER)
    return _Sql(literal(value), _Family.TEXT)


def _equal(left: _Sql, right: _Sql) -> ColumnElement[bool]:
    """Equality; families that differ are equal only where both are null, and no result of a function is."""
    if left.family is not right.family:
        if left.is_result or right.is_result:
            return false()
        return and_(*(side.sql.is_(null()) for side in (left, right) if side.family is not _Family.NOTHING))
    if left.day is not None or right.day is not None:
        return _same_day(left, right)
    if isinstance(left.sql, _BOUND) or isinstance(right.sql, _BOUND) or left.is_result or right.is_result:
        return left.sql == right.sql  # unknown for null, which then does not hold
    return left.sql.is_not_distinct_from(right.sql)


_BOUND = (type(literal(1)), type(true()), type(false()))


def _same_day(left: _Sql, right: _Sql) -> ColumnElement[bool]:
    moment, day = (right.sql, left.day) if left.day is not None else (left.sql, right.day)
    if day is None:
        return false()
    begin = datetime.combine(day, time())
    if day == date.max:
        return moment >= begin
    return and_(moment >= begin, moment < begin + timedelta(days=1))


_ORDERS: Mapping[Operator, Callable[[Sql, Sql], ColumnElement[bool]]] = {
    Operator.GT: lambda left, right: left > right,
    Operator.GE: lambda left, right: left >= right,
    Operator.LT: lambda left, right: left < right,
    Operator.LE: lambda left, right: left <= right,
}


def _starts_with(text: Sql, start: Sql) -> Sql:
    return func.substr(text, 1, func.length(start)) == start


def _ends_with(text: Sql, end: Sql) -> Sql:
    return and_(
        func.length(text) >= func.length(end),
        func.substr(text, func.length(text) - func.length(end) + 1) == end,
    )


_TESTS: Mapping[Function, Callable[[Sql, Sql], Sql]] = {
    Function.STARTSWITH: _starts_with,
    Function.ENDSWITH: _ends_with,
    Function.CONTAINS: lambda text, part: position(text, part) > 0,
}

_FUNCTIONS: Mapping[Function, tuple[_Family, _Family, Callable[..., Sql]]] = {
    Function.TOLOWER: (_Family.TEXT, _Family.TEXT, func.backlit_lower),
    Function.TOUPPER: (_Family.TEXT, _Family.TEXT, func.backlit_upper),
    Function.TRIM: (_Family.TEXT, _Family.TEXT, func.trim),
    Function.LENGTH: (_Family.TEXT, _Family.NUMBER, func.length),
    Function.INDEXOF: (_Family.TEXT, _Family.NUMBER, lambda text, part: position(text, part) - 1),
    Function.CONCAT: (_Family.TEXT, _Family.TEXT, lambda left, right: left.op("||")(right)),
    Function.YEAR: (_Family.DATE, _Family.NUMBER, lambda moment: extract("year", moment)),
    Function.MONTH: (_Family.DATE, _Family.NUMBER, lambda moment: extract("month", moment)),
    Function.DAY: (_Family.DATE, _Family.NUMBER, lambda moment: extract("day", moment)),
    Function.HOUR: (_Family.DATE, _Family.NUMBER, lambda moment: extract("hour", moment)),
    Function.MINUTE: (_Family.DATE, _Family.NUMBER, lambda moment: extract("minute", moment)),
    Function.SECOND: (_Family.DATE, _Family.NUMBER, second),
    Function.ROUND: (_Family.NUMBER, _Family.NUMBER, rounded),
    Function.FLOOR: (_Family.NUMBER, _Family.NUMBER, floored),
    Function.CEILING: (_Family.NUMBER, _Family.NUMBER, raised),
}


def _call(function: Function, arguments: list[_Sql]) -> _Sql:
    if function in _TESTS:
        if any(argument.family is not _Family.TEXT for argument in arguments):
            return _Sql(false(), _Family.BOOLEAN)
        test = _TESTS[function](*(argument.sql for argument in arguments))
        return _Sql(func.coalesce(test, false()), _Family.BOOLEAN)
    family, result, compute = _FUNCTIONS[function]
    if any(argument.family is not family for argument in arguments):
        return _Sql(cast(null(), _TYPE_BY_FAMILY[result]), result, is_result=True)
    return _Sql(compute(*(argument.sql for argument in arguments)), result, is_result=True)
