"""A filter tree as SQL, in the dialect of a database; it means exactly what `matches` means."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Generic, NamedTuple, Protocol, TypeVar

from backlit.model.fields import ValueType
from backlit.model.filters import (
    ARITHMETIC,
    And,
    AnyTag,
    Comparison,
    Filter,
    Function,
    FunctionCall,
    In,
    Literal,
    Not,
    Operator,
    Or,
    Property,
    TagVariable,
    Term,
    TextMatch,
    Value,
    matches,
)

S = TypeVar("S")
_WHOLE_LIMIT = 2**63
"""Whole numbers from here on, which no column holds, are compared as floats."""


class _Dialect(Protocol[S]):
    """Expressions of one database; a comparison with NULL may be unknown, which counts as false.

    `literal` gets a date as its midnight; `either` is false without parts; to `same`, NULL equals NULL; `call` returns
    NULL for NULL, or false from a boolean function; `tag` is the variable that `any_tag` gives its part.
    """

    # fmt: off
    def column(self, name: str, /) -> tuple[S, ValueType]: ...
    def literal(self, value: Value, /) -> S: ...
    def constant(self, value: bool, /) -> S: ...
    def void(self, family: ValueType, /) -> S: ...
    def both(self, parts: Sequence[S], /) -> S: ...
    def either(self, parts: Sequence[S], /) -> S: ...
    def negate(self, condition: S, /) -> S: ...
    def holds(self, value: S, /) -> S: ...
    def is_null(self, value: S, /, *, negated: bool = False) -> S: ...
    def compare(self, operator: Operator, left: S, right: S, /) -> S: ...
    def same(self, left: S, right: S, /) -> S: ...
    def one_of(self, value: S, literals: Sequence[S], /) -> S: ...
    def call(self, function: Function, arguments: Sequence[S], /) -> S: ...
    def any_tag(self, part: Filter | None, /) -> S: ...
    def tag(self) -> S: ...
    def mentions(self, node: TextMatch, /) -> S: ...
    # fmt: on


def sql_of(node: Filter, dialect: _Dialect[S]) -> S:
    """Return the condition of a filter; an unknown in SQL counts as false."""
    return _Writer(dialect).filter(node)


class _Operand(NamedTuple, Generic[S]):
    """A term in SQL; `family` is its type with INTEGER as NUMBER, None for null.

    No comparison holds for a function's result that is NULL. `day` is set for a literal that stands for a whole day.
    """

    sql: S
    family: ValueType | None
    is_result: bool = False
    is_literal: bool = False
    day: date | None = None


class _Writer(Generic[S]):
    """Writer of one filter."""

    def __init__(self, dialect: _Dialect[S]) -> None:
        self._sql = dialect

    def filter(self, node: Filter) -> S:
        match node:
            case And(parts):
                return self._sql.both([self.filter(part) for part in parts])
            case Or(parts):
                return self._sql.either([self.filter(part) for part in parts])
            case Not(Not(part)):  # a filter is true or false, and the parser of SQL has a short stack
                return self.filter(part)
            case Not(part):
                return self._sql.negate(self.filter(part))
            case AnyTag(part):
                return self._sql.any_tag(part)
            case Comparison(operator, left, right):
                return self._comparison(operator, left, right)
            case In(term, choices):
                return self._in(term, choices)
            case TextMatch():
                return self._sql.mentions(node)
        value = self._term(node)
        return self._sql.holds(value.sql) if value.family is ValueType.BOOLEAN else self._sql.constant(False)

    def _in(self, term: Term, choices: tuple[Literal, ...]) -> S:
        value, literals = self._term(term), [self._literal(choice.value) for choice in choices]
        if _is_constant(term) or any(each.family is not value.family or each.day for each in literals):
            return self._sql.either([self._comparison(Operator.EQ, term, choice) for choice in choices])
        return self._sql.one_of(value.sql, [each.sql for each in literals])

    def _comparison(self, operator: Operator, left_term: Term, right_term: Term) -> S:
        if _is_constant(left_term) and _is_constant(right_term):
            return self._sql.constant(matches(Comparison(operator, left_term, right_term), {}))
        left, right = self._term(left_term), self._term(right_term)
        if operator is Operator.EQ:
            return self._equal(left, right)
        if operator is Operator.NE:
            known = [self._sql.is_null(side.sql, negated=True) for side in (left, right) if side.is_result]
            return self._sql.both([self._sql.negate(self._equal(left, right)), *known])
        if left.family is not right.family or left.family in {ValueType.BOOLEAN, ValueType.TAGS, None}:
            return self._sql.constant(False)
        return self._sql.compare(operator, left.sql, right.sql)

    def _equal(self, left: _Operand[S], right: _Operand[S]) -> S:
        """Compare for equality; values of two families are equal only if both are null, and no result is."""
        if left.family is not right.family:
            if left.is_result or right.is_result:
                return self._sql.constant(False)
            return self._sql.both([self._sql.is_null(side.sql) for side in (left, right) if side.family is not None])
        if left.day is not None:
            return self._within(right.sql, left.day)
        if right.day is not None:
            return self._within(left.sql, right.day)
        if any(side.is_literal or side.is_result for side in (left, right)):
            return self._sql.compare(Operator.EQ, left.sql, right.sql)
        return self._sql.same(left.sql, right.sql)

    def _within(self, moment: S, day: date) -> S:
        begin = datetime.combine(day, time())
        after = self._sql.compare(Operator.GE, moment, self._sql.literal(begin))
        if day == date.max:
            return after
        before = self._sql.compare(Operator.LT, moment, self._sql.literal(begin + timedelta(days=1)))
        return self._sql.both([after, before])

    def _term(self, term: Term) -> _Operand[S]:
        match term:
            case Property(name):
                sql, value_type = self._sql.column(name)
                return _Operand(sql, _FAMILY_BY_TYPE.get(value_type, value_type))
            case Literal(value):
                return self._literal(value)
            case TagVariable():
                return _Operand(self._sql.tag(), ValueType.TEXT)
            case FunctionCall(function, arguments):
                return self._call(function, [self._term(argument) for argument in arguments])

    def _literal(self, value: Value) -> _Operand[S]:
        day = None
        if isinstance(value, date) and not isinstance(value, datetime):
            day, value = value, datetime.combine(value, time())
        elif isinstance(value, int) and abs(value) >= _WHOLE_LIMIT:
            value = float(value)
        return _Operand(self._sql.literal(value), _family_of(value), is_literal=value is not None, day=day)

    def _call(self, function: Function, arguments: Sequence[_Operand[S]]) -> _Operand[S]:
        families, result = _FAMILIES[function]
        wanted = families if isinstance(families, tuple) else (families,) * len(arguments)
        is_test = result is ValueType.BOOLEAN
        if any(argument.family is not family for argument, family in zip(arguments, wanted, strict=False)):
            return _Operand(self._sql.constant(False) if is_test else self._sql.void(result), result, not is_test)
        return _Operand(self._sql.call(function, [argument.sql for argument in arguments]), result, not is_test)


_FAMILY_BY_TYPE = {ValueType.INTEGER: ValueType.NUMBER, ValueType.DATE: ValueType.TEXT}
"""The families of types that are compared as another one."""


def _is_constant(term: Term) -> bool:
    if isinstance(term, FunctionCall):
        return all(_is_constant(argument) for argument in term.arguments)
    return isinstance(term, Literal)


def _family_of(value: Value) -> ValueType | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return ValueType.BOOLEAN
    if isinstance(value, date):
        return ValueType.DATETIME
    return ValueType.NUMBER if isinstance(value, int | float) else ValueType.TEXT


_T, _N, _D = ValueType.TEXT, ValueType.NUMBER, ValueType.DATETIME
_FAMILIES: Mapping[Function, tuple[ValueType | tuple[ValueType, ...], ValueType]] = {
    **dict.fromkeys((Function.STARTSWITH, Function.ENDSWITH, Function.CONTAINS), (_T, ValueType.BOOLEAN)),
    **dict.fromkeys((Function.TOLOWER, Function.TOUPPER, Function.TRIM, Function.CONCAT), (_T, _T)),
    **dict.fromkeys((Function.LENGTH, Function.INDEXOF), (_T, _N)),
    **dict.fromkeys((Function.YEAR, Function.MONTH, Function.DAY), (_D, _N)),
    **dict.fromkeys((Function.HOUR, Function.MINUTE, Function.SECOND), (_D, _N)),
    **dict.fromkeys((Function.ROUND, Function.FLOOR, Function.CEILING, *ARITHMETIC), (_N, _N)),
    Function.SUBSTRING: ((_T, _N, _N), _T),
    Function.REPLACE: (_T, _T),
}
"""The type of a function's arguments, or of each, and of its result."""
