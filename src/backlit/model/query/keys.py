"""Keys of queries: short names and fields, the conditions of a query on one key, and completion."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from backlit.model.fields import (
    ALL_TYPES,
    FIELD_BY_KEY,
    FIELDS,
    PROPERTY_BY_LOWER_NAME,
    TOP_LEVEL,
    Field,
    Kind,
    Section,
    Settable,
    ValueType,
)
from backlit.model.filters import POINTS, Operator
from backlit.model.query.syntax import AllOf, Condition, Node, all_of, parse_query, quoted, quoted_value, write_query

ANYWHERE_KEY = "text"
LINT_KEY = "lint"
OPERATORS = {
    ":": Operator.EQ,
    "=": Operator.EQ,
    "<": Operator.LT,
    "<=": Operator.LE,
    ">": Operator.GT,
    ">=": Operator.GE,
}
DUE_KEY = "due"
"""The short key of the project's due date, whatever its own key."""

POINTS_FIELD = Field(
    POINTS,
    Kind.COMPUTED,
    tuple(each for each in ALL_TYPES if FIELD_BY_KEY["Estimate"].applies_to(each)),
    "Points",
    Section.COMPUTED,
    "The estimate as a number.",
    settable=Settable.NEVER,
    computed=ValueType.NUMBER,
)

SHORT_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "owner": "AssignedToID",
        "iter": "IterationID",
        "area": "AreaID",
        "team": "TeamID",
        "est": POINTS,
        "tag": "Tags",
        "changed": "lastModifiedAt",
        "created": "createdAt",
        "parent": "ParentID",
        "class": "PriorityClass",
        "blocking": "IsBlocking",
        "by": "createdBy",
    }
)
"""Short keys for common questions."""

_FIELD_BY_LOWER: Mapping[str, Field] = MappingProxyType(
    {
        **{field.label.lower().replace(" ", ""): field for field in PROPERTY_BY_LOWER_NAME.values()},
        **PROPERTY_BY_LOWER_NAME,
        POINTS.lower(): POINTS_FIELD,
        **{
            short: POINTS_FIELD if key == POINTS else PROPERTY_BY_LOWER_NAME[key.lower()]
            for short, key in SHORT_KEYS.items()
        },
    }
)


def field_named(key: str, custom: Collection[Field] = ()) -> Field | None:
    """Return the field of a key in any case; a custom one also without its suffix `_cf`."""
    lower = key.lower()
    own = {field.key.lower(): field for field in custom}
    due = next((field for field in custom if field.is_due), None) if lower == DUE_KEY else None
    return _FIELD_BY_LOWER.get(lower) or due or own.get(lower) or own.get(f"{lower}_cf")


def all_keys(custom: Collection[Field] = ()) -> dict[str, str]:
    keys = {short: _FIELD_BY_LOWER[short].label for short in SHORT_KEYS}
    keys[ANYWHERE_KEY] = "Words in the name, the description or a comment"
    keys[LINT_KEY] = "Findings of the readiness check"
    from backlit.model.query.related import RELATED_KEYS  # no list needs it for its first rows

    keys |= {key: words for key, (words, _) in RELATED_KEYS.items()}
    shortened = set(SHORT_KEYS.values())
    return keys | {
        field.key.lower(): field.label for field in (*TOP_LEVEL, *FIELDS, *custom) if field.key not in shortened
    }


# Patterns as texts: no list needs them, and three compilations are 2 ms of its start.
_UNDER_CURSOR = r'(?:[^\s()"]|"(?:[^"\\]|\\.)*(?:"|\Z))+\Z'
_PARTS = r"(?P<sign>[#@])|(?P<key>[^\W\d]\w*)(?:<=|>=|[:=<>])"
_VALUES_BEFORE = r'(?:(?:"(?:[^"\\]|\\.)*"|[^",])*,)*'
_SIGN_KEYS = {"#": "tag", "@": "owner"}
MAX_COMPLETIONS = 50


class Vocabulary(Struct, frozen=True):
    """The keys with their help, and the known values of a key."""

    keys: Mapping[str, str]
    values: Callable[[str], Sequence[str]]


class Candidate(Struct, frozen=True):
    """A replacement for `text[start:stop]`, and what it is for."""

    text: str
    start: int
    stop: int
    help: str = ""


def complete(text: str, cursor: int, vocabulary: Vocabulary) -> list[Candidate]:
    """List candidates at the cursor, those with the typed prefix first; none inside free words."""
    under = re.search(_UNDER_CURSOR, text[:cursor])
    start = under.start() if under else cursor
    while start < cursor and text[start] == "-":
        start += 1
    typed = text[start:cursor]
    found = re.match(_PARTS, typed)
    if found is None:
        return [
            Candidate(f"{key}:", start, cursor, f"filter by {_within_sentence(words)}")
            for key, words in vocabulary.keys.items()
            if key.startswith(typed.lower())
        ][:MAX_COMPLETIONS]
    key = _SIGN_KEYS[found["sign"]] if found["sign"] else found["key"]
    before = re.match(_VALUES_BEFORE, typed[found.end() :])
    start += found.end() + (before.end() if before else 0)
    return _values(text[start:cursor], start, cursor, vocabulary.values(key))


def _within_sentence(words: str) -> str:
    """Return words with a small first letter, unless they begin with an acronym."""
    return words if words[1:2].isupper() else f"{words[:1].lower()}{words[1:]}"


def _values(typed: str, start: int, stop: int, values: Sequence[str]) -> list[Candidate]:
    wanted = typed.strip('"').casefold()
    begin = [value for value in values if value.casefold().startswith(wanted)]
    within = [value for value in values if wanted in value.casefold() and value not in begin]
    write = quoted if typed.startswith('"') else quoted_value
    return [Candidate(write(value), start, stop) for value in (*begin, *within)][:MAX_COMPLETIONS]


def values_of(query: str, key: str) -> tuple[str, ...]:
    """Return the values of a query's condition on a field, as written; empty without a plain one."""
    found = (part.values for part in parts_of(query) if isinstance(part, Condition) and _asks(part, key))
    return next(found, ())


def with_values(query: str, key: str, values: Sequence[str]) -> str:
    """Return the query with other values for a field, in the same place; no values remove the condition."""
    parts = parts_of(query)
    at = next((place for place, part in enumerate(parts) if _asks(part, key)), len(parts))
    others = [[part for part in some if not _asks(part, key)] for some in (parts[:at], parts[at:])]
    asked: list[Node] = [Condition(key, ":", tuple(values))] if values else []
    return write_query(all_of([*others[0], *asked, *others[1]]))


def parts_of(query: str) -> tuple[Node, ...]:
    """Return the conjuncts of a query. Raises BadRequest for a malformed one."""
    tree = parse_query(query)
    return tree.parts if isinstance(tree, AllOf) else (tree,)


def _asks(part: Node, key: str) -> bool:
    return isinstance(part, Condition) and part.operator in ":=" and _is_same(part.key, key)


def _is_same(key: str, other: str) -> bool:
    field = field_named(key)
    return key.lower() == other.lower() if field is None else field is field_named(other)
