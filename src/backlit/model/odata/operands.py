"""Tokens of `$filter` and `$orderby` with their places, and the types of operands with their checks."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from enum import StrEnum
from typing import NoReturn, cast

from msgspec import Struct

from backlit.model.dates import parse_date, parse_utc
from backlit.model.errors import BadRequest, QueryFault
from backlit.model.fields import Field, ValueType
from backlit.model.filters import (
    ARITHMETIC,
    AnyTag,
    Comparison,
    Filter,
    Function,
    FunctionCall,
    Literal,
    Not,
    Operator,
    Property,
    TagVariable,
    Term,
    Value,
    matches,
)

TEXT_LIMIT = 8192
"""The most bytes of UTF-8 in an option."""

DEPTH_LIMIT = 50
"""The deepest nesting of parentheses, functions, operators on numbers and conditions, `not` and `any`."""

_INTEGER_LIMIT = 2**63 - 1


class TokenShape(StrEnum):
    """The shape of a token, independent of its context."""

    NAME = "name"
    LITERAL = "literal"
    SIGN = "sign"
    END = "end"


class Token(Struct, frozen=True):
    """A token with its text and its place, counted in characters from 1; only literals have a `value`."""

    shape: TokenShape
    text: str
    at: int
    value: int | float | str | date | None = None

    def is_sign(self, sign: str) -> bool:
        return self.shape is TokenShape.SIGN and self.text == sign


# The pluses behind quantifiers keep what they have matched: without them a long text without its closing quote is tried
# again from each of its characters.
_TOKEN = re.compile(
    r"""
    \s*+ (?:
      (?P<text>   '(?:[^']|'')*+' )
    | (?P<typed>  (?:datetimeoffset|datetime|date)'(?P<moment>[^']*+)' )
    | (?P<bare>   [0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]++(?:Z|[+-][0-9]{2}:[0-9]{2})?)?(?![\w.]) )
    | (?P<number> (?P<digits>[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?P<power>e[+-]?[0-9]++)?(?P<suffix>[lmfd])?(?![\w.]) )
    | (?P<name>   [^\W\d]\w*+ )
    | (?P<sign>   [(),:/-] )
    | (?P<end>    \Z )
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def refuse(reason: str, at: int, option: str = "$filter") -> NoReturn:
    sentence = f"{option} has an error at character {at}: {reason}."
    raise QueryFault(sentence, {option: sentence})


def must_not_be_deep(depth: int, at: int) -> None:
    """Refuse a nesting over the limit; a chain of operators nests as parentheses would."""
    if depth > DEPTH_LIMIT:
        refuse(f"the nesting is deeper than {DEPTH_LIMIT}", at)


def tokens_of(text: str, option: str = "$filter") -> tuple[Token, ...]:
    """Split a text into tokens, the last of shape END. Raises BadRequest."""
    if len(text) > TEXT_LIMIT or len(text.encode("utf-8", "surrogatepass")) > TEXT_LIMIT:
        refuse(f"it is longer than {TEXT_LIMIT} bytes", TEXT_LIMIT, option)
    tokens = []
    at = 0
    while True:
        found = _TOKEN.match(text, at)
        if found is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            refuse(_why_not(text[start:]), start + 1, option)
        tokens.append(_token(found, option))
        if tokens[-1].shape is TokenShape.END:
            return tuple(tokens)
        at = found.end()


def _why_not(rest: str) -> str:
    if rest.startswith("'"):
        return "the quoted text has no closing quote"
    if rest[0].isdecimal():
        return f"{rest.split(maxsplit=1)[0][:20]!r} is not a number or a date"
    return f"{rest[0]!r} has no meaning here"


def _token(found: re.Match[str], option: str) -> Token:
    group = found.lastgroup or ""
    # lastgroup is the outermost group that closed last, which is the alternative itself.
    at, written = found.start(group) + 1, found[group]
    if group == "name":
        return Token(TokenShape.NAME, written, at)
    if group in {"sign", "end"}:
        return Token(TokenShape(group), written, at)
    return Token(TokenShape.LITERAL, written, at, _literal(group, found, at, option))


def _literal(group: str, found: re.Match[str], at: int, option: str) -> int | float | str | date:
    if group == "text":
        return _checked_text(found["text"][1:-1].replace("''", "'"), at, option)
    if group == "number":
        return _number(found, at, option)
    written = found["moment"] if group == "typed" else found["bare"]
    try:
        return parse_date(written) if re.fullmatch(r"\s*[\d-]+\s*", written) else parse_utc(written)
    except BadRequest as error:
        refuse(error.message.rstrip("."), at, option)


def _checked_text(text: str, at: int, option: str) -> str:
    if "\0" in text:
        refuse("a text must not contain NUL", at, option)
    if any("\ud800" <= character <= "\udfff" for character in text):
        refuse("a text must not contain half a surrogate pair", at, option)
    return text


def _number(found: re.Match[str], at: int, option: str) -> int | float:
    digits, power, suffix = found["digits"], found["power"] or "", (found["suffix"] or "").lower()
    if suffix in {"", "l"} and digits.isdigit() and not power:
        if len(digits) > 30 or int(digits) > _INTEGER_LIMIT:
            refuse("the number has more than 64 bits", at, option)
        return int(digits)
    number = float(digits + power)
    if suffix == "l" or number == float("inf"):
        refuse(f"{found['number'][:20]!r} is not a number", at, option)
    return number


_TERMS = Property | Literal | TagVariable | FunctionCall


class Operand(Struct, frozen=True):
    """A part with its type: INTEGER counts as NUMBER and DATE as TEXT, None is the type of null.

    `is_void` marks a function of null; `is_loose` marks a text from Tags outside of any, which only a
    boolean function accepts; `is_whole` marks a whole number, `is_day` a DATE; `depth` counts nested functions and
    operators.
    """

    node: Filter | Term
    type: ValueType | None
    is_void: bool = False
    is_loose: bool = False
    is_whole: bool = False
    is_day: bool = False
    depth: int = 0

    @classmethod
    def of_filter(cls, node: Filter, depth: int = 0) -> "Operand":
        return cls(node, ValueType.BOOLEAN, depth=depth)

    def term(self, at: int) -> Term:
        """Return the node of a value; refuse a condition."""
        if self.is_loose:
            refuse("Tags is a list; test one tag, as in Tags/any(t: t eq 'x')", at)
        if not isinstance(self.node, _TERMS):
            refuse("expected a value, found a condition", at)
        return self.node

    def literal(self) -> Literal:
        """Return the node of an operand checked by `choice_of`."""
        return cast("Literal", self.node)

    @property
    def name(self) -> str:
        match self.node:
            case Property(name):
                return name
            case FunctionCall(function) if function not in ARITHMETIC:
                return f"{function.value}(…)"
            case Literal(None):
                return "null"
            case Literal(value):
                return repr(value.isoformat() if isinstance(value, date) else value)[:40]
            case _:
                return "it"

    def as_condition(self, at: int) -> Filter:
        """Return an operand as a filter; refuse a value."""
        if self.type is not ValueType.BOOLEAN:
            refuse(f"expected a comparison; {self.name} alone is not true or false", at)
        return cast("Filter", self.node)

    def check_type(self, right: "Operand", at: int) -> None:
        if self.type is not right.type:
            refuse(
                f"{self.name} is {_NAMES[self.type]} and {right.name} is {_NAMES[right.type]}; they cannot be compared",
                at,
            )

    def typed_like(self, other: "Operand") -> "Operand":
        """Read a quoted date as a date if the other operand is a DateTime, and a date as its text if that is a DATE."""
        if other.is_day and isinstance(self.node, Literal) and type(self.node.value) is date:
            return literal(self.node.value.isoformat())
        if other.type is not ValueType.DATETIME or not isinstance(self.node, Literal):
            return self
        text = self.node.value
        if not isinstance(text, str):
            return self
        try:
            return literal(parse_date(text) if len(text.strip()) == len("2026-03-01") else parse_utc(text))
        except BadRequest:
            return self

    def choice(self, operand: "Operand", at: int) -> "Operand":
        """Return an operand as a constant of `in`, of the tested operand's type."""
        if not isinstance(operand.node, Literal):
            refuse("'in' accepts constants only", at)
        choice = operand.typed_like(self)
        if None not in {self.type, choice.type}:
            self.check_type(choice, at)
        return choice


_NAMES: Mapping[ValueType | None, str] = {
    ValueType.TEXT: "a text",
    ValueType.NUMBER: "a number",
    ValueType.BOOLEAN: "true or false",
    ValueType.DATETIME: "a date and time",
    None: "null",
}


def literal(value: Value) -> Operand:
    if value is None:
        return Operand(Literal(None), None)
    if isinstance(value, bool):
        return Operand(Literal(value), ValueType.BOOLEAN)
    if isinstance(value, int | float):
        return Operand(Literal(value), ValueType.NUMBER, is_whole=isinstance(value, int))
    return Operand(Literal(value), ValueType.TEXT if isinstance(value, str) else ValueType.DATETIME)


def negative(token: Token, operand: Operand) -> Operand:
    if isinstance(operand.node, Literal) and operand.type is ValueType.NUMBER:
        return literal(-cast("float", operand.node.value))
    if operand.type is not ValueType.NUMBER:
        refuse("'-' needs a number after it", token.at)
    return _called(token, Function.SUB, (literal(0), operand))


def tag_variable() -> Operand:
    return Operand(TagVariable(), ValueType.TEXT)


def property_of(token: Token, properties: Mapping[str, Field], in_any: bool) -> Operand:
    """Make the operand of a property by its name in any case; `in_any` inside of Tags/any."""
    field = properties.get(token.text.lower())
    if field is None:
        refuse(f"unknown property {token.text[:40]!r}", token.at)
    if field.value_type is ValueType.TAGS:
        if in_any or field.key != "Tags":
            refuse(f"{field.key} is a list, which is not allowed here", token.at)
        return Operand(TagVariable(), ValueType.TEXT, is_loose=True)
    if field.value_type is ValueType.DATE:
        return Operand(Property(field.key), ValueType.TEXT, is_day=True)
    is_whole = field.value_type is ValueType.INTEGER
    return Operand(Property(field.key), ValueType.NUMBER if is_whole else field.value_type, is_whole=is_whole)


def compare(operator: Operator, left: Operand, right: Operand, at: int) -> Operand:
    """Compare two operands at the place of the operator, folding constants."""
    if left.is_void or right.is_void:
        return Operand.of_filter(Literal(False))
    if not (isinstance(left.node, _TERMS) and isinstance(right.node, _TERMS)):
        return _compare_condition(operator, left, right, at)
    left, right = left.typed_like(right), right.typed_like(left)
    comparison = Comparison(operator, left.term(at), right.term(at))
    is_order = operator not in {Operator.EQ, Operator.NE}
    if None in {left.type, right.type}:
        is_known = is_order
    else:
        left.check_type(right, at)
        if is_order and left.type is ValueType.BOOLEAN:
            refuse(f"{left.name} is true or false; compare it with eq or ne", at)
        is_known = False
    if is_known or (isinstance(comparison.left, Literal) and isinstance(comparison.right, Literal)):
        return Operand.of_filter(Literal(matches(comparison, {})))
    if isinstance(comparison.left, Literal):
        comparison = Comparison(_MIRRORED[operator], comparison.right, comparison.left)
    return Operand.of_filter(comparison)


_MIRRORED: Mapping[Operator, Operator] = {
    Operator.EQ: Operator.EQ,
    Operator.NE: Operator.NE,
    Operator.GT: Operator.LT,
    Operator.GE: Operator.LE,
    Operator.LT: Operator.GT,
    Operator.LE: Operator.GE,
}


def _compare_condition(operator: Operator, left: Operand, right: Operand, at: int) -> Operand:
    """Read `(a and b) eq true`, the form of some clients, as the condition or its negation."""
    condition, constant = (right, left) if isinstance(left.node, _TERMS) else (left, right)
    if operator not in {Operator.EQ, Operator.NE} or not isinstance(constant.node, Literal):
        refuse("compare a condition with true or false only", at)
    value = constant.node.value
    if not isinstance(value, bool):
        refuse("compare a condition with true or false only", at)
    node = condition.as_condition(at)
    must_not_be_deep(condition.depth + 1, at)
    return Operand.of_filter(node if value is (operator is Operator.EQ) else Not(node), condition.depth + 1)


_T, _N, _D, _B = ValueType.TEXT, ValueType.NUMBER, ValueType.DATETIME, ValueType.BOOLEAN
_PREDICATES = frozenset({Function.STARTSWITH, Function.ENDSWITH, Function.CONTAINS})
_SIGNATURES: Mapping[Function, tuple[tuple[ValueType, ...], ValueType]] = {
    **dict.fromkeys(_PREDICATES, ((_T, _T), _B)),
    **dict.fromkeys((Function.TOLOWER, Function.TOUPPER, Function.TRIM), ((_T,), _T)),
    Function.LENGTH: ((_T,), _N),
    Function.INDEXOF: ((_T, _T), _N),
    Function.CONCAT: ((_T, _T), _T),
    **dict.fromkeys((Function.YEAR, Function.MONTH, Function.DAY), ((_D,), _N)),
    **dict.fromkeys((Function.HOUR, Function.MINUTE, Function.SECOND), ((_D,), _N)),
    **dict.fromkeys((Function.ROUND, Function.FLOOR, Function.CEILING), ((_N,), _N)),
    Function.SUBSTRING: ((_T, _N, _N), _T),
    Function.REPLACE: ((_T, _T, _T), _T),
    **dict.fromkeys(ARITHMETIC, ((_N, _N), _N)),
}
_WHOLE = frozenset({Function.LENGTH, Function.INDEXOF, Function.YEAR, Function.MONTH, Function.DAY, Function.HOUR})
_WHOLE_OF_WHOLE = frozenset(ARITHMETIC) - {Function.DIVBY}


def call(token: Token, arguments: Sequence[Operand]) -> Operand:
    """Call the function of a token in any case; substringof takes the needle first."""
    name = token.text.lower()
    if name == "substringof":
        name, arguments = Function.CONTAINS.value, tuple(reversed(arguments))
    if name not in set(Function) - set(ARITHMETIC):
        refuse(f"unknown function {token.text[:40]!r}", token.at)
    function = Function(name)
    most = len(_SIGNATURES[function][0])
    least = most - (function is Function.SUBSTRING)
    if not least <= len(arguments) <= most:
        count = f"{least} or {most}" if least < most else most
        refuse(f"{token.text} takes {count} value{'s'[: most - 1]}, not {len(arguments)}", token.at)
    return _called(token, function, arguments)


def arithmetic(token: Token, left: Operand, right: Operand) -> Operand:
    """Compute with two numbers by the operator of a token; `div` of two whole numbers drops the fraction."""
    function = Function(token.text.lower())
    if function is Function.DIV and not (left.is_whole and right.is_whole):
        function = Function.DIVBY
    return _called(token, function, (left, right))


def _called(token: Token, function: Function, arguments: Sequence[Operand]) -> Operand:
    kinds, result = _SIGNATURES[function]
    taken = tuple(_argument(token, argument, kind) for argument, kind in zip(arguments, kinds, strict=False))
    if any(argument.is_void or argument.type is None for argument in taken):
        return Operand.of_filter(Literal(False)) if result is _B else Operand(Literal(None), result, is_void=True)
    depth = 1 + max(argument.depth for argument in taken)
    must_not_be_deep(depth, token.at)
    is_loose = any(argument.is_loose for argument in taken)
    node = FunctionCall(function, tuple(cast("Term", argument.node) for argument in taken))
    if is_loose and result is _B:
        return Operand.of_filter(AnyTag(node))
    is_whole = function in _WHOLE or (function in _WHOLE_OF_WHOLE and all(each.is_whole for each in taken))
    return Operand(node, result, is_loose=is_loose, is_whole=is_whole, depth=depth)


def _argument(token: Token, argument: Operand, kind: ValueType) -> Operand:
    if kind is _D:
        argument = argument.typed_like(Operand(Literal(None), _D))
        if isinstance(argument.node, Literal) and isinstance(argument.node.value, date):
            day = argument.node.value
            argument = argument if isinstance(day, datetime) else literal(datetime.combine(day, time()))
    if argument.type not in {kind, None}:
        refuse(f"{token.text} takes {_NAMES[kind]}, and {argument.name} is {_NAMES[argument.type]}", token.at)
    return argument
