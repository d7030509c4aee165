"""Translation of filters to SQL on the mirror. It agrees with the model's `matches` and binds every value."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from backlit.model.fields import FIELDS, TOP_LEVEL, Field, ValueType
from backlit.model.filters import (
    POINTS,
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
    TagVariable,
    Term,
    Where,
    matches,
)
from backlit.model.filters.matching import words_of
from backlit.store.records.item import TAG_MARK, microseconds


class Sql(NamedTuple):
    """A piece of SQL with the values of its question marks."""

    text: str
    values: tuple[object, ...] = ()


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
    """Report whether the mirror has a typed column for a field."""
    return key in _COLUMN_BY_KEY


def value_sql(key: str) -> Sql:
    """Return the SQL of a field's value: a column, a custom value, or an extract of the document."""
    if key in _COLUMN_BY_KEY:
        return Sql(_COLUMN_BY_KEY[key])
    if key == "Tags":
        return Sql("tags")
    if key.endswith("_cf"):
        return Sql("(SELECT value FROM custom_values WHERE key = ? AND item_id = items.id)", (key,))
    path = f"$.{key}" if key in _TOP_LEVEL else f"$.fields.{key}"
    return Sql("(SELECT json_extract(CAST(doc AS TEXT), ?) FROM documents WHERE documents.id = items.id)", (path,))


def condition(found: Filter, custom: Collection[Field] = ()) -> Sql:
    """Return the condition of a filter on `items`. An unknown result in SQL counts as false."""
    return _Emitter({**_TYPES, **{field.key: field.value_type for field in custom}}).filter(found)


@dataclass(frozen=True, slots=True)
class _Term:
    """A value in SQL. For a function's result, no comparison with NULL holds."""

    sql: Sql
    family: ValueType | None
    is_result: bool = False
    day: date | None = None


class _Emitter:
    def __init__(self, types: Mapping[str, ValueType]) -> None:
        self._types = types

    def filter(self, node: Filter) -> Sql:
        match node:
            case And(parts):
                return _joined(" AND ", [self.filter(part) for part in parts])
            case Or(parts):
                return _joined(" OR ", [self.filter(part) for part in parts])
            case Not(part):
                return _around("NOT coalesce(", self.filter(part), ", 0)")
            case AnyTag(part):
                return self._any_tag(part)
            case Comparison(operator, left, right):
                return self._comparison(operator, left, right)
            case In(term, choices):
                return self._in(term, choices)
            case Mentions():
                return mentions_sql(node)
        value = self._term(node)
        return _around("", value.sql, " = 1") if value.family is ValueType.BOOLEAN else Sql("0")

    def _in(self, term: Term, choices: tuple[Literal, ...]) -> Sql:
        left = self._term(term)
        terms = [_literal(choice.value) for choice in choices]
        if any(each.family is not left.family or each.day for each in terms):
            return _joined(" OR ", [self._comparison(Operator.EQ, term, choice) for choice in choices])
        marks = ", ".join("?" for _ in terms)
        return Sql(f"{left.sql.text} IN ({marks})", (*left.sql.values, *(each.sql.values[0] for each in terms)))

    def _any_tag(self, part: Filter | None) -> Sql:
        match part:
            case None:
                return Sql("tags IS NOT NULL")
            case Comparison(Operator.EQ, TagVariable(), Literal(str(tag))):
                return Sql("instr(tags, ?)", (f"{TAG_MARK}{tag}{TAG_MARK}",))
            case In(TagVariable(), choices):
                tags = [AnyTag(Comparison(Operator.EQ, TagVariable(), choice)) for choice in choices]
                return _joined(" OR ", [self.filter(each) for each in tags])
        return _around(
            "EXISTS (SELECT 1 FROM documents, json_each(CAST(doc AS TEXT), '$.fields.Tags') AS tag"
            " WHERE documents.id = items.id AND tag.type = 'text' AND ",
            self.filter(part),
            ")",
        )

    def _comparison(self, operator: Operator, left_term: Term, right_term: Term) -> Sql:
        if _is_constant(left_term) and _is_constant(right_term):
            return Sql(str(int(matches(Comparison(operator, left_term, right_term), {}))))
        left, right = self._term(left_term), self._term(right_term)
        if operator is Operator.EQ:
            return _equal(left, right)
        if operator is Operator.NE:
            differs = _around("NOT coalesce(", _equal(left, right), ", 0)")
            known = [_around("", side.sql, " IS NOT NULL") for side in (left, right) if side.is_result]
            return _joined(" AND ", [differs, *known])
        if left.family is not right.family or left.family in {ValueType.BOOLEAN, ValueType.TAGS, None}:
            return Sql("0")
        return _two(left.sql, _SIGNS[operator], right.sql)

    def _term(self, term: Term) -> _Term:
        match term:
            case Property(name):
                value_type = self._types.get(name, ValueType.TEXT)
                family = ValueType.NUMBER if value_type is ValueType.INTEGER else value_type
                return _Term(value_sql(name), family)
            case Literal(value):
                return _literal(value)
            case TagVariable():
                return _Term(Sql("tag.value"), ValueType.TEXT)
            case Call(function, arguments):
                return _call(function, [self._term(argument) for argument in arguments])


_SIGNS = {Operator.GT: ">", Operator.GE: ">=", Operator.LT: "<", Operator.LE: "<="}


def _around(before: str, sql: Sql, after: str) -> Sql:
    return Sql(f"{before}{sql.text}{after}", sql.values)


def _joined(separator: str, parts: list[Sql]) -> Sql:
    if not parts:
        return Sql("0")
    return Sql(f"({separator.join(part.text for part in parts)})", tuple(v for part in parts for v in part.values))


def _two(left: Sql, sign: str, right: Sql) -> Sql:
    return Sql(f"{left.text} {sign} {right.text}", (*left.values, *right.values))


def _is_constant(term: Term) -> bool:
    if isinstance(term, Call):
        return all(_is_constant(argument) for argument in term.arguments)
    return isinstance(term, Literal)


def _literal(value: object) -> _Term:
    if value is None:
        return _Term(Sql("NULL"), None)
    if isinstance(value, bool):
        return _Term(Sql("?", (int(value),)), ValueType.BOOLEAN)
    if isinstance(value, datetime):
        return _Term(Sql("?", (microseconds(value),)), ValueType.DATETIME)
    if isinstance(value, date):
        midnight = microseconds(datetime.combine(value, time()))
        return _Term(Sql("?", (midnight,)), ValueType.DATETIME, day=value)
    if isinstance(value, int | float):
        return _Term(Sql("?", (value if abs(value) < 2**63 else float(value),)), ValueType.NUMBER)
    return _Term(Sql("?", (str(value),)), ValueType.TEXT)


def _equal(left: _Term, right: _Term) -> Sql:
    if left.family is not right.family:
        if left.is_result or right.is_result:
            return Sql("0")
        nulls = [_around("", side.sql, " IS NULL") for side in (left, right) if side.family is not None]
        return _joined(" AND ", nulls)
    day = left.day or right.day
    if day is not None:
        moment = left.sql if right.day else right.sql
        begin = microseconds(datetime.combine(day, time()))
        end = begin + timedelta(days=1) // timedelta(microseconds=1)
        return _joined(" AND ", [_two(moment, ">=", Sql("?", (begin,))), _two(moment, "<", Sql("?", (end,)))])
    is_bound = "?" in (left.sql.text, right.sql.text)
    return _two(left.sql, "=" if is_bound or left.is_result or right.is_result else "IS", right.sql)


def mentions_sql(node: Mentions) -> Sql:
    """Return the condition for words in the folded name, or in the full text of items and comments."""
    if node.where is Where.NAME:
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


def _part(sign: str) -> Callable[[str], str]:
    return lambda moment: f"CAST(strftime('{sign}', {moment} / 1000000, 'unixepoch') AS INTEGER)"


_TESTS: Mapping[Function, str] = {
    Function.STARTSWITH: "coalesce(substr({0}, 1, length({1})) = {1}, 0)",
    Function.ENDSWITH: ("coalesce(length({0}) >= length({1}) AND substr({0}, length({0}) - length({1}) + 1) = {1}, 0)"),
    Function.CONTAINS: "coalesce(instr({0}, {1}) > 0, 0)",
}
_T, _N, _D = ValueType.TEXT, ValueType.NUMBER, ValueType.DATETIME
_FUNCTIONS: Mapping[Function, tuple[ValueType, ValueType, str]] = {
    Function.TOLOWER: (_T, _T, "backlit_lower({0})"),
    Function.TOUPPER: (_T, _T, "backlit_upper({0})"),
    Function.TRIM: (_T, _T, "trim({0})"),
    Function.LENGTH: (_T, _N, "length({0})"),
    Function.INDEXOF: (_T, _N, "(instr({0}, {1}) - 1)"),
    Function.CONCAT: (_T, _T, "({0} || {1})"),
    Function.YEAR: (_D, _N, _part("%Y")("{0}")),
    Function.MONTH: (_D, _N, _part("%m")("{0}")),
    Function.DAY: (_D, _N, _part("%d")("{0}")),
    Function.HOUR: (_D, _N, _part("%H")("{0}")),
    Function.MINUTE: (_D, _N, _part("%M")("{0}")),
    Function.SECOND: (_D, _N, _part("%S")("{0}")),
    Function.ROUND: (_N, _N, "round({0})"),
    Function.FLOOR: (_N, _N, "(CAST({0} AS INTEGER) - ({0} < CAST({0} AS INTEGER)))"),
    Function.CEILING: (_N, _N, "(CAST({0} AS INTEGER) + ({0} > CAST({0} AS INTEGER)))"),
}


def _call(function: Function, arguments: list[_Term]) -> _Term:
    if function in _TESTS:
        if any(argument.family is not ValueType.TEXT for argument in arguments):
            return _Term(Sql("0"), ValueType.BOOLEAN)
        return _Term(_filled(_TESTS[function], arguments), ValueType.BOOLEAN)
    family, result, template = _FUNCTIONS[function]
    if any(argument.family is not family for argument in arguments):
        return _Term(Sql("NULL"), result, is_result=True)
    return _Term(_filled(template, arguments), result, is_result=True)


def _filled(template: str, arguments: list[_Term]) -> Sql:
    """Fill a template with arguments. Each use of an argument binds its values again."""
    text = ""
    values: list[object] = []
    rest = template
    while "{" in rest:
        before, _, rest = rest.partition("{")
        number, _, rest = rest.partition("}")
        sql = arguments[int(number)].sql
        text += before + sql.text
        values.extend(sql.values)
    return Sql(text + rest, tuple(values))
