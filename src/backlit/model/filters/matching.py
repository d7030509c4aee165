"""Evaluation of a filter tree in memory, by the meaning defined in `tree`."""

import math
import operator
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, time
from enum import Enum

from msgspec import Struct

from backlit.model.filters.tree import (
    ARITHMETIC,
    COMMENTS,
    REPLACED_LIMIT,
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
    TextScope,
)

INDEX_LIMIT = 10**9
"""The highest place and length that SUBSTRING takes as such."""


class _Void(Enum):
    """The result of a function of null: neither EQ nor NE holds for it."""

    VOID = "void"


class _Item(Struct, frozen=True):
    values: Mapping[str, object]
    tag: str | None = None


def matches(filter_: Filter, values: Mapping[str, object]) -> bool:
    """Return True if the filter holds for an item.

    `values` has the item's keys and top-level properties by their own flat names, DateTimes as
    `datetime`, Tags as strings; absent keys are null.
    """
    return _holds(filter_, _Item(values))


def _holds(node: Filter, item: _Item) -> bool:
    match node:
        case And(parts):
            return all(_holds(part, item) for part in parts)
        case Or(parts):
            return any(_holds(part, item) for part in parts)
        case Not(part):
            return not _holds(part, item)
        case AnyTag(part):
            tags = _tags(item)
            return bool(tags) if part is None else any(_holds(part, _Item(item.values, tag)) for tag in tags)
        case Comparison(comparison, left, right):
            return _compare(comparison, _value(left, item), _value(right, item))
        case In(term, choices):
            value = _value(term, item)
            return any(_compare(Operator.EQ, value, choice.value) for choice in choices)
        case TextMatch():
            return _mentions(node, item)
        case _:
            return _value(node, item) is True


def _mentions(node: TextMatch, item: _Item) -> bool:
    if node.where is TextScope.NAME:
        return node.text.casefold() in str(item.values.get("Name") or "").casefold()
    wanted = words_of(node.text)
    comments = item.values.get(COMMENTS)
    texts = [item.values.get("Name"), item.values.get("Description"), *(comments if isinstance(comments, list) else ())]
    return bool(wanted) and any(_begin_in_a_row(wanted, words_of(str(text or ""))) for text in texts)


_ACCENTS = re.compile("[\u0300-\u036f]")
_WORD = re.compile(r"[^\W_]+")
SYLLABIC = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
"""Scripts without spaces between words: each character counts as a word. Compiled when first used."""


def words_of(text: str) -> list[str]:
    """Split a text into search words: one case, no accents, each Chinese or Japanese character alone."""
    folded = text.casefold()
    if not folded.isascii():
        plain = _ACCENTS.sub("", unicodedata.normalize("NFD", folded))
        folded = re.sub(SYLLABIC, r" \g<0> ", unicodedata.normalize("NFC", plain))
    return _WORD.findall(folded)


def _begin_in_a_row(wanted: list[str], words: list[str]) -> bool:
    *whole, last = wanted
    return any(
        words[at : at + len(whole)] == whole and words[at + len(whole)].startswith(last)
        for at in range(len(words) - len(whole))
    )


def _tags(item: _Item) -> Collection[str]:
    tags = item.values.get("Tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list | tuple | set | frozenset) else ()


def _value(term: Term, item: _Item) -> object:
    match term:
        case Property(name):
            return item.values.get(name)
        case Literal(value):
            return value
        case TagVariable():
            return item.tag
        case FunctionCall(function, arguments):
            return _call(function, [_value(argument, item) for argument in arguments])


_ORDERS: Mapping[Operator, Callable[..., bool]] = {
    Operator.GT: operator.gt,
    Operator.GE: operator.ge,
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
}


def _compare(comparison: Operator, left: object, right: object) -> bool:
    if left is _Void.VOID or right is _Void.VOID:
        return False
    if comparison is Operator.EQ:
        return _equal(left, right)
    if comparison is Operator.NE:
        return not _equal(left, right)
    family = _family(left)
    if family is None or family is bool or family is not _family(right):
        return False
    return bool(_ORDERS[comparison](_midnight(left), _midnight(right)))


def _equal(left: object, right: object) -> bool:
    if _is_day(left) or _is_day(right):
        left, right = _day(left), _day(right)
    return _family(left) is _family(right) and left == right


def _is_day(value: object) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime)


def _day(value: object) -> object:
    return value.date() if isinstance(value, datetime) else value


def _midnight(value: object) -> object:
    return datetime.combine(value, time()) if isinstance(value, date) and not isinstance(value, datetime) else value


def _family(value: object) -> type | None:
    """Return the family of comparable values: all numbers, all dates and DateTimes."""
    for family, kinds in ((bool, bool), (float, int | float), (str, str), (date, date)):
        if isinstance(value, kinds):
            return family
    return None


def _round(number: float) -> float:
    return math.copysign(math.floor(abs(number) + 0.5), number)


def _moment(part: Callable[[datetime], int]) -> Callable[[date], int]:
    return lambda value: part(value if isinstance(value, datetime) else datetime.combine(value, time()))


def _substring(text: str, start: float, length: float = INDEX_LIMIT) -> str:
    begin = _index(start)
    return text[begin : begin + _index(length)]


def _index(number: float) -> int:
    return int(min(max(number, 0), INDEX_LIMIT))


def _replace(text: str, old: str, new: str) -> str | None:
    if not old:
        return text
    size = len(text) + text.count(old) * (len(new) - len(old))
    return text.replace(old, new) if size <= REPLACED_LIMIT else None


def _computed(function: Function) -> Callable[[float, float], float | None]:
    act = _ARITHMETIC[function]

    def compute(left: float, right: float) -> float | None:
        left, right = float(left), float(right)
        try:
            result = act(left, right)
        except (ZeroDivisionError, OverflowError):
            return None
        return result if math.isfinite(result) else None

    return compute


def _product(left: float, right: float) -> float:
    product = left * right
    if left and right and not product:
        raise OverflowError
    return product


def _quotient(left: float, right: float) -> float:
    """Divide; raise OverflowError where the quotient is too small or too large for a float, as PostgreSQL does."""
    quotient = left / right
    if not math.isfinite(quotient) or (left and not quotient):
        raise OverflowError
    return quotient


_ARITHMETIC: Mapping[Function, Callable[[float, float], float]] = {
    Function.ADD: operator.add,
    Function.SUB: operator.sub,
    Function.MUL: _product,
    Function.DIV: lambda left, right: float(math.trunc(_quotient(left, right))),
    Function.DIVBY: _quotient,
    Function.MOD: lambda left, right: left - right * float(math.trunc(_quotient(left, right))),
}

_BOOLEAN_FUNCTIONS: Mapping[Function, Callable[[str, str], bool]] = {
    Function.STARTSWITH: str.startswith,
    Function.ENDSWITH: str.endswith,
    Function.CONTAINS: str.__contains__,
}

_FUNCTIONS: Mapping[Function, tuple[object, Callable[..., object]]] = {
    # The family of all arguments, or of each.
    Function.TOLOWER: (str, str.lower),
    Function.TOUPPER: (str, str.upper),
    Function.TRIM: (str, lambda text: text.strip(" ")),
    Function.LENGTH: (str, len),
    Function.INDEXOF: (str, str.find),
    Function.CONCAT: (str, str.__add__),
    Function.YEAR: (date, _moment(lambda moment: moment.year)),
    Function.MONTH: (date, _moment(lambda moment: moment.month)),
    Function.DAY: (date, _moment(lambda moment: moment.day)),
    Function.HOUR: (date, _moment(lambda moment: moment.hour)),
    Function.MINUTE: (date, _moment(lambda moment: moment.minute)),
    Function.SECOND: (date, _moment(lambda moment: moment.second)),
    Function.ROUND: (float, _round),
    Function.FLOOR: (float, math.floor),
    Function.CEILING: (float, math.ceil),
    Function.SUBSTRING: ((str, float, float), _substring),
    Function.REPLACE: (str, _replace),
    **{function: (float, _computed(function)) for function in ARITHMETIC},
}


def _call(function: Function, arguments: list[object]) -> object:
    if function in _BOOLEAN_FUNCTIONS:
        texts = [argument for argument in arguments if isinstance(argument, str)]
        return len(texts) == len(arguments) and _BOOLEAN_FUNCTIONS[function](*texts)
    families, compute = _FUNCTIONS[function]
    wanted = families if isinstance(families, tuple) else (families,) * len(arguments)
    if any(_family(argument) is not family for argument, family in zip(arguments, wanted, strict=False)):
        return _Void.VOID
    result = compute(*arguments)
    return _Void.VOID if result is None else result


def _null_for_null(compute: Callable[..., str | float | None]) -> Callable[..., str | float | None]:
    return lambda *arguments: None if None in arguments else compute(*arguments)


SQL_FUNCTIONS: Mapping[str, Callable[..., str | float | None]] = {
    "backlit_substring": _null_for_null(_substring),
    "backlit_replace": _null_for_null(_replace),
    **{f"backlit_{function}": _null_for_null(_computed(function)) for function in ARITHMETIC},
}
"""Functions that the SQL of a filter calls on SQLite, by name, for any number of arguments."""
