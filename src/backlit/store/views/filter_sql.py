"""The filter tree as SQL on the mirror, with bound values."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from heapq import heapify, heappop, heappush
from itertools import count
from typing import NamedTuple

from backlit.model.errors import QueryFault
from backlit.model.fields import FEATURE_ID, FIELDS, TOP_LEVEL, Field, ValueType
from backlit.model.filter_sql import sql_of
from backlit.model.filters import (
    ARITHMETIC,
    POINTS,
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
    TagVariable,
    Term,
    TextMatch,
    TextScope,
    Value,
    any_of,
)
from backlit.model.filters.matching import words_of
from backlit.store.records.item import TAG_MARK, microseconds

_STACK_LIMIT = 85
"""Symbols of a condition that SQLite's parser may hold; it holds 100, of which the rest of the statement takes some."""
_PART_SYMBOLS = 10
"""An upper bound of the symbols that the parser holds in a condition without parts, such as a subquery."""
_FLAT_PARTS, _FLAT_SYMBOLS = 8, 25


class Sql(NamedTuple):
    """A piece of SQL with the values of its question marks, and the symbols that SQLite's parser holds to read it."""

    text: str
    values: tuple[object, ...] = ()
    symbols: int = _PART_SYMBOLS


_COLUMN_BY_KEY = {
    "id": "id",
    "type": "type",
    "projectId": "project_id",
    "createdAt": "created_at",
    "lastModifiedAt": "modified_at",
    "Name": "name",
    "Status": "status",
    "Estimate": "estimate",
    POINTS: "points",
    "AssignedToID": "owner_id",
    "TeamID": "team_id",
    "IterationID": "iteration_id",
    "AreaID": "area_id",
    "ParentID": "parent_id",
    FEATURE_ID: "CASE is_task WHEN 0 THEN parent_id END",
    "Priority": "priority",
    "Severity": "severity",
    "BacklogPriority": "nullif(own_priority, 9e999)",
}
COVERED = frozenset(
    {
        *("id", "type", "lastModifiedAt", "Status", POINTS, "AssignedToID", "TeamID", "IterationID", "AreaID"),
        *("Priority", "Severity", "Tags"),
    }
)
"""The columns in the order's indexes. A filter on them reads nothing else."""

_TYPES: Mapping[str, ValueType] = {
    **{field.key: field.value_type for field in (*TOP_LEVEL, *FIELDS)},
    POINTS: ValueType.NUMBER,
}
_TOP_LEVEL = frozenset(field.key for field in TOP_LEVEL)


def has_column(key: str) -> bool:
    return key in _COLUMN_BY_KEY


def value_sql(key: str) -> Sql:
    if key in _COLUMN_BY_KEY:
        return Sql(_COLUMN_BY_KEY[key])
    if key == "Tags":
        return Sql("tags")
    if key.startswith(VIRTUAL):
        from backlit.store.views.virtual import virtual_sql  # few queries ask for it

        text, values = virtual_sql(key)
        return Sql(f"({text})", values)
    if key.endswith("_cf"):
        # From a table by key: a filter over 100,000 items takes 97 ms, and 560 ms where the documents are read.
        return Sql("(SELECT value FROM custom_values WHERE key = ? AND item_id = items.id)", (key,))
    path = f"$.{key}" if key in _TOP_LEVEL else f"$.fields.{key}"
    return Sql("(SELECT json_extract(CAST(doc AS TEXT), ?) FROM documents WHERE documents.id = items.id)", (path,))


class ColumnValue(NamedTuple):
    """The SQL of a column's value, and what it depends on: fields, and subjects of changes."""

    sql: Sql
    reads: frozenset[str]


def field_value(key: str) -> ColumnValue:
    return ColumnValue(value_sql(key), frozenset({key}))


def keys_in(node: Filter | Term) -> set[str]:
    """Return the fields that a filter reads, except a name as a whole word of the list's own index."""
    match node:
        case And(parts) | Or(parts):
            return {key for part in parts for key in keys_in(part)}
        case Not(part):
            return keys_in(part)
        case AnyTag(part):
            return {"Tags"} if part is None or isinstance(part, In) else {"Tags", *keys_in(part)}
        case Comparison(_, left, right):
            return keys_in(left) | keys_in(right)
        case In(term, _):
            return keys_in(term)
        case FunctionCall(_, arguments):
            return {key for argument in arguments for key in keys_in(argument)}
        case Property(name):
            return {name}
        case TextMatch(_, where):
            return set() if where is TextScope.NAME else {"Description"}
        case _:
            return set()


def condition(found: Filter, custom: Collection[Field] = ()) -> Sql:
    """Return the condition of a filter on `items`. An unknown result in SQL counts as false.

    Raises BadRequest for a filter that is nested too deeply for SQLite.
    """
    sql = sql_of(found, _MirrorDialect({**_TYPES, **{field.key: field.value_type for field in custom}}))
    if sql.symbols > _STACK_LIMIT:
        raise QueryFault("The query is nested too deeply. Write it with fewer brackets inside one another.")
    return sql


class _MirrorDialect:
    """SQL of the mirror; `types` are the types of all properties by key."""

    def __init__(self, types: Mapping[str, ValueType]) -> None:
        self._types = types

    def column(self, name: str) -> tuple[Sql, ValueType]:
        usual = ValueType.BOOLEAN if name.startswith(VIRTUAL) else ValueType.TEXT
        return value_sql(name), self._types.get(name, usual)

    def literal(self, value: Value) -> Sql:
        if value is None:
            return Sql("NULL")
        return Sql("?", (microseconds(value) if isinstance(value, datetime) else value,))

    def tag(self) -> Sql:
        return Sql("tag.value")

    def void(self, _family: ValueType) -> Sql:
        return Sql("NULL")

    def constant(self, value: bool) -> Sql:
        return Sql(str(int(value)))

    def both(self, parts: Sequence[Sql]) -> Sql:
        return _joined(" AND ", parts)

    def either(self, parts: Sequence[Sql]) -> Sql:
        return _joined(" OR ", parts)

    def negate(self, condition: Sql) -> Sql:
        return _filled("({0}) IS NOT TRUE", (condition,), symbols=1)

    def holds(self, value: Sql) -> Sql:
        return _filled("{0} = 1", (value,))

    def is_null(self, value: Sql, *, negated: bool = False) -> Sql:
        return _filled("{0} IS NOT NULL" if negated else "{0} IS NULL", (value,))

    def compare(self, operator: Operator, left: Sql, right: Sql) -> Sql:
        return _filled(f"{{0}} {_SIGNS[operator]} {{1}}", (left, right))

    def same(self, left: Sql, right: Sql) -> Sql:
        return _filled("{0} IS {1}", (left, right))

    def one_of(self, value: Sql, choices: Sequence[Sql]) -> Sql:
        marks = ", ".join("?" for _ in choices)
        return Sql(f"{value.text} IN ({marks})", (*value.values, *(each.values[0] for each in choices)))

    def call(self, function: Function, arguments: Sequence[Sql]) -> Sql:
        if function is Function.SUBSTRING and len(arguments) > 2:
            return _filled("backlit_substring({0}, {1}, {2})", arguments)
        return _filled(_FUNCTIONS[function], arguments)

    def any_tag(self, part: Filter | None) -> Sql:
        match part:
            case None:
                return Sql("tags IS NOT NULL")
            case Comparison(Operator.EQ, TagVariable(), Literal(str(tag))):
                return Sql("instr(tags, ?)", (f"{TAG_MARK}{tag}{TAG_MARK}",))
            case In(TagVariable(), choices):
                each = (Comparison(Operator.EQ, TagVariable(), choice) for choice in choices)
                return sql_of(any_of(map(AnyTag, each)), self)
        return _filled(
            "EXISTS (SELECT 1 FROM documents, json_each(CAST(doc AS TEXT), '$.fields.Tags') AS tag"
            " WHERE documents.id = items.id AND tag.type = 'text' AND {0})",
            (sql_of(part, self),),
        )

    def mentions(self, node: TextMatch) -> Sql:
        return mentions_sql(node)


_SIGNS = {Operator.EQ: "=", Operator.GT: ">", Operator.GE: ">=", Operator.LT: "<", Operator.LE: "<="}


def _joined(separator: str, parts: Sequence[Sql]) -> Sql:
    """Join conditions. Few are written as they are; many or deep ones as pairs of pairs.

    SQLite allows a depth of 1,000 operators, and a row of them is as deep as it is long. Its parser holds one symbol
    for a bracket at the beginning of a bracket, and three for one after an operator, so the deepest part comes first.
    """
    if not parts:
        return Sql("0")
    flat = max(parts[0].symbols + 1, *(part.symbols + 3 for part in parts[1:]), 0)
    if len(parts) <= _FLAT_PARTS and flat <= _FLAT_SYMBOLS:
        return _in_brackets(separator, parts, flat)
    order = count()
    heap = [(part.symbols, next(order), part) for part in parts]
    heapify(heap)
    while len(heap) > 1:
        (low, _, last), (high, _, first) = heappop(heap), heappop(heap)
        pair = _in_brackets(separator, (first, last), max(high + 1, low + 3))
        heappush(heap, (pair.symbols, next(order), pair))
    return heap[0][2]


def _in_brackets(separator: str, parts: Sequence[Sql], symbols: int) -> Sql:
    values = tuple(value for part in parts for value in part.values)
    return Sql(f"({separator.join(part.text for part in parts)})", values, symbols)


def mentions_sql(node: TextMatch) -> Sql:
    if node.where is TextScope.NAME:
        return Sql("instr(name_fold, ?)", (node.text.casefold(),))
    phrase = phrase_of(node.text)
    if not phrase:
        return Sql("0")
    return Sql(
        "items.id IN (SELECT rowid FROM item_words WHERE item_words MATCH ? UNION SELECT item_id FROM comments"
        " WHERE id IN (SELECT rowid FROM comment_words WHERE comment_words MATCH ?))",
        (phrase, phrase),
    )


def phrase_of(text: str) -> str:
    """Return the full text query: the words in a row, the last as a prefix. Empty without words."""
    words = words_of(text)
    return f'"{" ".join(words)}" *' if words else ""


def _part(sign: str) -> str:
    return f"CAST(strftime('{sign}', {{0}} / 1000000, 'unixepoch') AS INTEGER)"


_FUNCTIONS: Mapping[Function, str] = {
    Function.STARTSWITH: "coalesce(substr({0}, 1, length({1})) = {1}, 0)",
    Function.ENDSWITH: "coalesce(length({0}) >= length({1}) AND substr({0}, length({0}) - length({1}) + 1) = {1}, 0)",
    Function.CONTAINS: "coalesce(instr({0}, {1}) > 0, 0)",
    Function.TOLOWER: "backlit_lower({0})",
    Function.TOUPPER: "backlit_upper({0})",
    Function.TRIM: "trim({0})",
    Function.LENGTH: "length({0})",
    Function.INDEXOF: "(instr({0}, {1}) - 1)",
    Function.CONCAT: "({0} || {1})",
    Function.YEAR: _part("%Y"),
    Function.MONTH: _part("%m"),
    Function.DAY: _part("%d"),
    Function.HOUR: _part("%H"),
    Function.MINUTE: _part("%M"),
    Function.SECOND: _part("%S"),
    Function.ROUND: "round({0})",
    Function.FLOOR: "(CAST({0} AS INTEGER) - ({0} < CAST({0} AS INTEGER)))",
    Function.CEILING: "(CAST({0} AS INTEGER) + ({0} > CAST({0} AS INTEGER)))",
    Function.SUBSTRING: "backlit_substring({0}, {1})",
    Function.REPLACE: "backlit_replace({0}, {1}, {2})",
    **{function: f"backlit_{function}({{0}}, {{1}})" for function in ARITHMETIC},
}


def _filled(template: str, arguments: Sequence[Sql], symbols: int = 4) -> Sql:
    """Fill a template with arguments. Each use of an argument binds its values again.

    `symbols` are those that the parser holds before an argument.
    """
    text = ""
    values: list[object] = []
    rest = template
    while "{" in rest:
        before, _, rest = rest.partition("{")
        number, _, rest = rest.partition("}")
        sql = arguments[int(number)]
        text += before + sql.text
        values.extend(sql.values)
    return Sql(text + rest, tuple(values), max((each.symbols for each in arguments), default=_PART_SYMBOLS) + symbols)
