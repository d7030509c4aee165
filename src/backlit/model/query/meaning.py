"""Meaning of queries: a query's tree as a filter, with names resolved to ids and choices."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NoReturn, Protocol

from backlit.model.dates import named_day, parse_date
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, Field, ItemType, Kind, ValueType
from backlit.model.filters import (
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
    Property,
    TagVariable,
    TextMatch,
    TextScope,
    Value,
    all_of,
    any_of,
)
from backlit.model.local_times import LocalTimes
from backlit.model.nearest import nearest
from backlit.model.query.keys import ANYWHERE_KEY, LINT_KEY, OPERATORS, all_keys, field_named
from backlit.model.query.syntax import AllOf, AnyOf, Condition, NameText, Node, NotThis, quoted_value, refuse
from backlit.model.ready_check import RULE_BY_ID
from backlit.model.statuses import StatusGroups

if TYPE_CHECKING:
    from backlit.model.query.related import RelatedNames

NONE, ANY, OPEN = "none", "any", "open"
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
_LISTED = 8


class NameKind(StrEnum):
    """Kinds of names that resolve to ids."""

    USER = "user"
    TEAM = "team"
    AREA = "area"
    ITERATION = "iteration"


class NameResolver(Protocol):
    """Resolver of names in queries."""

    def now(self) -> datetime: ...

    def today(self) -> date:
        """Return the day in the project's time zone, for fields that hold days, and for iterations."""

    def local_today(self) -> date:
        """Return the viewer's day, for fields that hold times."""

    def times(self) -> LocalTimes: ...

    def custom_fields(self) -> Collection[Field]: ...

    def ids(self, kind: NameKind, name: str, *, with_subtree: bool) -> frozenset[int]:
        """Return the ids of a name in any case, or of `me`, `current`, `next`, `previous`; empty if unknown."""

    def failing(self, rule_id: str | None) -> Filter:
        """Return a filter for items that fail a rule of the readiness check, or any rule."""

    def related(self) -> "RelatedNames": ...

    def roots(self, kind: NameKind) -> frozenset[int]: ...

    def values(self, field: Field) -> Sequence[str]:
        """Return the known values or names of a field; empty for free values."""

    def status_groups(self) -> StatusGroups: ...


_NAME_KINDS = {
    Kind.USER: NameKind.USER,
    Kind.TEAM: NameKind.TEAM,
    Kind.AREA: NameKind.AREA,
    Kind.ITERATION: NameKind.ITERATION,
}


def filter_of(node: Node, names: NameResolver) -> Filter:
    """Return the filter of a query's tree. Raises BadRequest naming the place and the way out."""
    match node:
        case AllOf(parts):
            return all_of(filter_of(part, names) for part in parts)
        case AnyOf(parts):
            return any_of(filter_of(part, names) for part in parts)
        case NotThis(part):
            return Not(filter_of(part, names))
        case NameText(text):
            return TextMatch(text)
        case Condition():
            return _condition(node, names)


def mentions_status(node: Node) -> bool:
    """Return True for a query about the status, which then includes done items."""
    match node:
        case AllOf(parts) | AnyOf(parts):
            return any(mentions_status(part) for part in parts)
        case NotThis(part):
            return mentions_status(part)
        case Condition(key):
            return field_named(key) is FIELD_BY_KEY["Status"]
        case NameText():
            return False


def check_keys(node: Node) -> None:
    """Raise BadRequest for a key that no project can have; those of a project's own fields end in _cf."""
    match node:
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                check_keys(part)
        case NotThis(part):
            check_keys(part)
        case Condition(key) if field_named(key) is None and not key.lower().endswith("_cf"):
            known = all_keys()
            if key.lower() not in known:
                _refuse_key(node, known)
        case _:
            return


def _condition(condition: Condition, names: NameResolver) -> Filter:
    if condition.key.lower() == ANYWHERE_KEY:
        _only_equality(condition)
        return any_of(TextMatch(value, TextScope.ANYWHERE) for value in condition.values)
    if condition.key.lower() == LINT_KEY:
        _only_equality(condition)
        return any_of(_failing(condition, value.lower(), names) for value in condition.values)
    field = field_named(condition.key)
    if field is None:
        from backlit.model.query.related import RELATED_KEYS, related_filter  # no list needs it for its first rows

        if condition.key.lower() in RELATED_KEYS:
            return related_filter(condition, names.related(), names.today(), _is_open(names))
        # Read for such keys alone: to infer them takes a tenth of a listing by a query.
        custom = names.custom_fields()
        field = field_named(condition.key, custom) or _refuse_key(condition, all_keys(custom))
    return any_of(_one(condition, field, value, names) for value in condition.values)


def _refuse_key(condition: Condition, known: Mapping[str, str]) -> NoReturn:
    nearest_key = nearest(condition.key, known)
    near = [nearest_key] if nearest_key else [key for key in known if key.startswith(condition.key.lower()[:2])]
    hint = f"did you mean {_listed(near)}?" if near else "use owner, iter, area, est, tag or a field's name"
    refuse(f'unknown key "{condition.key}": {hint}, or search for the text in double quotes', condition.at)


def _failing(condition: Condition, value: str, names: NameResolver) -> Filter:
    if value not in {ANY, NONE, *RULE_BY_ID}:
        refuse(
            f'the readiness check has no rule "{value}"; choose from {_listed([ANY, NONE, *RULE_BY_ID])}', condition.at
        )
    failing = names.failing(value if value in RULE_BY_ID else None)
    judged = And((Comparison(Operator.NE, Property("type"), Literal(ItemType.TASK)), _is_open(names), failing))
    return Not(judged) if value == NONE else judged


def _one(condition: Condition, field: Field, value: str, names: NameResolver) -> Filter:
    if value.lower() in {NONE, ANY} and condition.operator in ":=":
        nothing = _is_unset(field, names)
        return nothing if value.lower() == NONE else Not(nothing)
    if field.kind in _NAME_KINDS:
        return _named(condition, field, value, names)
    if field.key == "Name" and condition.operator == ":":
        return TextMatch(value)
    if field.value_type in {ValueType.INTEGER, ValueType.NUMBER}:
        return Comparison(OPERATORS[condition.operator], Property(field.key), Literal(_number(condition, value)))
    if field.value_type is ValueType.DATETIME:
        found = date_filter(field.key, condition.operator, value, names)
        if found is None:
            refuse(
                f"{value!r} is not a date or age; write 2026-01-31, today, yesterday, or an age such as 12h, 7d or 2w",
                condition.at,
            )
        return found
    return _BY_TYPE[field.value_type](condition, field, value, names)


def _is_unset(field: Field, names: NameResolver) -> Filter:
    if field.value_type is ValueType.TAGS:
        return Not(AnyTag(None))
    unset = _equals(field, None)
    kind = _NAME_KINDS.get(field.kind)
    if kind is not None:
        roots = sorted(names.roots(kind))
        return any_of([unset, *([In(Property(field.key), tuple(map(Literal, roots)))] if roots else [])])
    return any_of([unset, _equals(field, "")]) if field.value_type is ValueType.TEXT else unset


def _equals(field: Field, value: Value) -> Filter:
    return Comparison(Operator.EQ, Property(field.key), Literal(value))


def _named(condition: Condition, field: Field, value: str, names: NameResolver) -> Filter:
    _only_equality(condition)
    kind = _NAME_KINDS[field.kind]
    ids = names.ids(kind, value, with_subtree=condition.operator == ":")
    if not ids:
        refuse(f'unknown {kind.value} "{value}"; choose from {_listed([NONE, *names.values(field)])}', condition.at)
    return In(Property(field.key), tuple(Literal(each) for each in sorted(ids)))


def _number(condition: Condition, value: str) -> int | float:
    try:
        number = float(value.replace(",", "."))
    except ValueError:
        refuse(f'"{value}" is not a number; write one such as {condition.key}>3, or {condition.key}:none', condition.at)
    if number != number or abs(number) > 2**53:  # noqa: PLR0124 - nan
        refuse(f'"{value}" is not a number that can be compared', condition.at)
    return int(number) if number.is_integer() else number


def _boolean(condition: Condition, field: Field, value: str, _names: NameResolver) -> Filter:
    _only_equality(condition)
    if value.lower() not in _TRUTHS:
        key = condition.key
        refuse(f'"{value}" is not yes or no; write {key}:yes, {key}:no or {key}:none', condition.at)
    return _equals(field, _TRUTHS[value.lower()])


def _date(condition: Condition, field: Field, value: str, names: NameResolver) -> Filter:
    day = _day(value, names.today())
    if day is None:
        try:
            day = named_day(value, names.today())
        except BadRequest:
            refuse(f"{value!r} is not a date; write 2026-01-31, today, fri, +2w or {condition.key}:none", condition.at)
    return Comparison(OPERATORS[condition.operator], Property(field.key), Literal(day.isoformat()))


def _tag(condition: Condition, field: Field, value: str, names: NameResolver) -> Filter:
    _only_equality(condition)
    same = [tag for tag in names.values(field) if tag.casefold() == value.casefold()]
    return AnyTag(In(TagVariable(), tuple(map(Literal, dict.fromkeys([value, *same])))))


def _text(condition: Condition, field: Field, value: str, names: NameResolver) -> Filter:
    choices = names.values(field)
    if choices:
        _only_equality(condition)
        return _choice(condition, field, value, names)
    if condition.operator == ":":
        lower = FunctionCall(Function.TOLOWER, (Property(field.key),))
        return FunctionCall(Function.CONTAINS, (lower, Literal(value.lower())))
    return Comparison(OPERATORS[condition.operator], Property(field.key), Literal(value))


def _is_open(names: NameResolver) -> Filter:
    status, groups = FIELD_BY_KEY["Status"], names.status_groups()
    closed = tuple(Literal(each) for each in names.values(status) if not groups.is_open(each))
    return Not(In(Property(status.key), closed))


def _choice(condition: Condition, field: Field, value: str, names: NameResolver) -> Filter:
    choices = names.values(field)
    if field.kind is Kind.STATUS and value.lower() == OPEN:
        return _is_open(names)
    folded = value.casefold()
    found = [each for each in choices if each.casefold() == folded]
    if not found and condition.operator == ":":
        found = [each for each in choices if folded in each.casefold()]
    if not found:
        refuse(f'{field.label} has no value "{value}"; choose from {_listed(choices)}', condition.at)
    return In(Property(field.key), tuple(map(Literal, found)))


_BY_TYPE: Mapping[ValueType, Callable[[Condition, Field, str, NameResolver], Filter]] = {
    ValueType.BOOLEAN: _boolean,
    ValueType.DATE: _date,
    ValueType.TAGS: _tag,
    ValueType.TEXT: _text,
}


def _only_equality(condition: Condition) -> None:
    if condition.operator not in {":", "="}:
        refuse(
            f'{condition.key} has no order; write "{condition.key}:" instead of "{condition.operator}"', condition.at
        )


def _listed(values: Sequence[str]) -> str:
    shown = ", ".join(quoted_value(value) for value in values[:_LISTED])
    return f"{shown} and {len(values) - _LISTED} more" if len(values) > _LISTED else shown or "none at all"


_AGE = r"([0-9]{1,5})([hdw])"
_EARLIEST_TIME, _LATEST_TIME = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_AGE_OPERATORS = {
    ":": Operator.GE,
    "=": Operator.GE,
    "<": Operator.GT,
    "<=": Operator.GE,
    ">": Operator.LT,
    ">=": Operator.LE,
}


def date_filter(key: str, operator: str, text: str, names: NameResolver) -> Filter | None:
    """Return the filter of a DateTime; None for a text that is neither a day nor an age.

    A younger age is a later time: `<7d` means later than seven days ago. A day is the user's and counts as a whole:
    `>` means after it.
    """
    age = re.fullmatch(_AGE, text, re.ASCII | re.IGNORECASE)
    if age:
        border = _earlier(names.now(), int(age[1]), age[2].lower())
        return Comparison(_AGE_OPERATORS[operator], Property(key), Literal(border))
    day = _day(text, names.local_today())
    return None if day is None else _by_day(key, operator, day, names.times())


def _earlier(now: datetime, count: int, unit: str) -> datetime:
    try:
        return now - count * _UNITS[unit]
    except OverflowError:
        return _EARLIEST_TIME


def _day(text: str, today: date) -> date | None:
    if text.lower() in {"today", "yesterday"}:
        return today if text.lower() == "today" else today - timedelta(days=1)
    try:
        return parse_date(text)
    except BadRequest:
        return None


def _by_day(key: str, operator: str, day: date, times: LocalTimes) -> Filter:
    begin = Literal(times.start_of(day))
    end = Literal(times.start_of(day + timedelta(days=1)) if day < date.max else _LATEST_TIME)
    value = Property(key)
    if operator in {":", "="}:
        return all_of([Comparison(Operator.GE, value, begin), Comparison(Operator.LT, value, end)])
    comparison, border = {
        "<": (Operator.LT, begin),
        "<=": (Operator.LT, end),
        ">": (Operator.GE, end),
        ">=": (Operator.GE, begin),
    }[operator]
    return Comparison(comparison, value, border)
