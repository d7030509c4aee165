"""The filter tree: the common form of `$filter` text, typed queries and the screens' filters.

The tree is data. Its readers are `matches`, `odata` (text), the service (SQL) and the store (SQL on the
mirror). docs/interface.md ("Lists, `$filter` and `$orderby`") defines the meaning, with these points for all readers:

- A filter is true or false, never unknown. A boolean property that is null does not hold.
- A boolean function (startswith, endswith, contains) of null is false. Any other function of null makes
  the comparison (or boolean function) nearest around it false, also for NE: `length(Name) ne 3` does not
  hold without a Name, `not (length(Name) eq 3)` does.
- NE of null and a value is true, also between two properties; gt, ge, lt, le of null are false.
- A `date` against a DateTime is the whole day for EQ, NE and In, and its midnight for the others.
- Text compares by code point and case counts. trim takes off spaces only; indexof and substring count from 0, and
  indexof is -1 where there is nothing; round takes halves away from zero. replace of an empty text changes nothing.
- Numbers are added and divided as floats. mod has the sign of its left number. A result that is no finite number counts
  as null.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

Value = None | bool | int | float | str | date | datetime


class Operator(StrEnum):
    """Comparison operators; null is a value for EQ and NE, and makes the others false."""

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GE = "ge"
    LT = "lt"
    LE = "le"


class Function(StrEnum):
    """Functions of OData v3 and v4 in the dialect; the parser reads substringof as CONTAINS."""

    STARTSWITH = "startswith"
    ENDSWITH = "endswith"
    CONTAINS = "contains"
    TOLOWER = "tolower"
    TOUPPER = "toupper"
    TRIM = "trim"
    LENGTH = "length"
    INDEXOF = "indexof"
    CONCAT = "concat"
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"
    ROUND = "round"
    FLOOR = "floor"
    CEILING = "ceiling"
    SUBSTRING = "substring"
    REPLACE = "replace"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    DIVBY = "divby"
    MOD = "mod"


ARITHMETIC = (Function.ADD, Function.SUB, Function.MUL, Function.DIV, Function.DIVBY, Function.MOD)
"""Functions that are written between their two numbers. DIV drops the fraction; the parser reads a `div` of other
numbers than whole ones as DIVBY."""
REPLACED_LIMIT = 1_000_000
"""The most characters of a text after REPLACE; a longer one counts as null, as a division by zero does."""


class Property(Struct, frozen=True):
    """A property by its own spelling (`AssignedToID`, `createdAt`, `Channel_cf`)."""

    name: str


class Literal(Struct, frozen=True):
    """A constant; a `date` stands for its whole day when compared to a DateTime with eq or ne."""

    value: Value


class TagVariable(Struct, frozen=True):
    """The variable of the enclosing `Tags/any(...)`."""


class FunctionCall(Struct, frozen=True):
    """A function of terms; startswith, endswith and contains are also filters."""

    function: Function
    arguments: "tuple[Term, ...]"


Term = Property | Literal | TagVariable | FunctionCall


class Comparison(Struct, frozen=True):
    """A comparison of two terms."""

    operator: Operator
    left: Term
    right: Term


class In(Struct, frozen=True):
    """A membership test: the term equals one of the choices."""

    term: Term
    choices: tuple[Literal, ...]


class And(Struct, frozen=True):
    """A conjunction of at least two parts; no part is an And."""

    parts: "tuple[Filter, ...]"


class Or(Struct, frozen=True):
    """A disjunction of at least two parts; no part is an Or."""

    parts: "tuple[Filter, ...]"


class Not(Struct, frozen=True):
    """A negation; a filter is true or false, never unknown."""

    part: "Filter"


class AnyTag(Struct, frozen=True):
    """A test of the tags: the part holds for one of them, or with None, any tag exists."""

    part: "Filter | None"


class TextScope(StrEnum):
    """The texts of an item that a search for words covers."""

    NAME = "name"
    ANYWHERE = "name, description and comments"


class TextMatch(Struct, frozen=True):
    """A search for a text in any case: as any part of the name, or as beginnings of consecutive words.

    The interface has no such filter; `matches` finds the comments' texts under `COMMENTS`.
    """

    text: str
    where: TextScope = TextScope.NAME


POINTS = "Points"
"""A local property with the Estimate as a number; null for other texts."""
COMMENTS = "Comments"
VIRTUAL = "virtual "
"""The beginning of a property that the local copy answers with true or false, such as `virtual blocked any`."""

Filter = Comparison | In | And | Or | Not | AnyTag | FunctionCall | Property | Literal | TextMatch
"""A boolean Property or Literal is a filter by itself (`IsBlocking and not false`)."""


class SortKey(Struct, frozen=True):
    """A key of an order; nulls come last in both directions, ids break ties."""

    name: str
    descending: bool = False


def all_of(parts: Iterable[Filter]) -> Filter:
    """Join filters with `and`, flat; an empty conjunction always holds."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,))]
    return And(tuple(flat)) if len(flat) > 1 else flat[0] if flat else Literal(True)


def any_of(parts: Iterable[Filter]) -> Filter:
    """Join filters with `or`, flat; an empty disjunction never holds."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))]
    return Or(tuple(flat)) if len(flat) > 1 else flat[0] if flat else Literal(False)


def with_constants(found: Filter, name: str, constants: Mapping[Value, Value]) -> Filter:
    """Replace the constants that a property is compared with by EQ, NE or In."""
    match found:
        case And(parts) | Or(parts):
            return type(found)(tuple(with_constants(part, name, constants) for part in parts))
        case Not(part):
            return Not(with_constants(part, name, constants))
        case Comparison(Operator.EQ | Operator.NE, Property(own), Literal(value)) if own == name:
            return replace(found, right=Literal(constants.get(value, value)))
        case In(Property(own), choices) if own == name:
            return In(found.term, tuple(Literal(constants.get(each.value, each.value)) for each in choices))
        case _:
            return found
