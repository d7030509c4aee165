"""A filter tree as `$filter` text, for servers of OData v3 or v4, and sort keys as `$orderby` text."""

from collections.abc import Iterable
from datetime import date, datetime
from enum import StrEnum

from backlit.model.errors import BadRequest
from backlit.model.filters import (
    ARITHMETIC,
    VIRTUAL,
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
    SortKey,
    TagVariable,
    Term,
    TextMatch,
    Value,
    any_of,
)


class ODataVersion(StrEnum):
    """The spelling of a server; V3 has datetime'…' and substringof, and no `in`."""

    V3 = "v3"
    V4 = "v4"


_VARIABLE = "t"


def write_filter(filter_: Filter, dialect: ODataVersion = ODataVersion.V3) -> str:
    """Write a filter as text that parses to the same tree; in V3 an In becomes comparisons."""
    match filter_:
        case And(parts):
            return " and ".join(_inner(part, dialect) for part in parts)
        case Or(parts):
            return " or ".join(_inner(part, dialect) for part in parts)
        case Not(part):
            return f"not ({write_filter(part, dialect)})"
        case AnyTag(part):
            return "Tags/any()" if part is None else f"Tags/any({_VARIABLE}: {write_filter(part, dialect)})"
        case Comparison(operator, left, right):
            return f"{_term(left, dialect)} {operator.value} {_term(right, dialect)}"
        case In(term, choices) if dialect is ODataVersion.V3:
            return write_filter(any_of(Comparison(Operator.EQ, term, choice) for choice in choices), dialect)
        case In(term, choices):
            return f"{_term(term, dialect)} in ({', '.join(_literal(choice.value, dialect) for choice in choices)})"
        case TextMatch(text):
            raise BadRequest(f"The interface has no search for words such as {text!r}; only the local copy has.")
        case _:
            return _term(filter_, dialect)


def _inner(part: Filter, dialect: ODataVersion) -> str:
    text = write_filter(part, dialect)
    is_compound = isinstance(part, And | Or) or (
        isinstance(part, In) and dialect is ODataVersion.V3 and len(part.choices) > 1
    )
    return f"({text})" if is_compound else text


def _term(term: Term, dialect: ODataVersion) -> str:
    match term:
        case Property(name) if name.startswith(VIRTUAL):
            raise BadRequest(f"The interface has no filter {name.removeprefix(VIRTUAL)!r}; only the local copy has.")
        case Property(name):
            return name
        case Literal(value):
            return _literal(value, dialect)
        case TagVariable():
            return _VARIABLE
        case FunctionCall(Function.CONTAINS, (hay, needle)) if dialect is ODataVersion.V3:
            return f"substringof({_term(needle, dialect)}, {_term(hay, dialect)})"
        case FunctionCall(function, (left, right)) if function in ARITHMETIC:
            name = "div" if function is Function.DIVBY and dialect is ODataVersion.V3 else function.value
            return f"({_term(left, dialect)} {name} {_term(right, dialect)})"
        case FunctionCall(function, arguments):
            return f"{function.value}({', '.join(_term(argument, dialect) for argument in arguments)})"


def _literal(value: Value, dialect: ODataVersion) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if not isinstance(value, date):
        return repr(value)
    if dialect is ODataVersion.V3:
        return f"datetime'{value.isoformat()}'"
    return f"{value.isoformat()}Z" if isinstance(value, datetime) else value.isoformat()


def write_order(keys: Iterable[SortKey]) -> str:
    """Write sort keys as `$orderby` text; ascending is not spelled out."""
    return ",".join(f"{key.name} desc" if key.descending else key.name for key in keys)
