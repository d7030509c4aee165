"""What a query means: its tree as a filter, with names resolved to ids and choices (SPEC 2)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from backlit.model.fields import FIELD_BY_KEY, Field, Kind, ValueType
from backlit.model.filters import (
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
    Property,
    TagVariable,
    Value,
    Where,
    all_of,
    any_of,
)
from backlit.model.lint import RULE_BY_ID
from backlit.model.query.dates import date_filter
from backlit.model.query.keys import ANYWHERE_KEY, LINT_KEY, all_keys, field_named
from backlit.model.query.syntax import AllOf, AnyOf, Condition, Node, NotThis, Word, refuse, written
from backlit.model.statuses import is_open

NONE, ANY, OPEN = "none", "any", "open"
_OPERATORS = {
    ":": Operator.EQ,
    "=": Operator.EQ,
    "<": Operator.LT,
    "<=": Operator.LE,
    ">": Operator.GT,
    ">=": Operator.GE,
}
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
_LISTED = 8


class NameKind(StrEnum):
    """What has a name that stands for ids."""

    USER = "user"
    TEAM = "team"
    AREA = "area"
    ITERATION = "iteration"


class Names(Protocol):
    """Resolves what people write; a store's, or a test's."""

    def now(self) -> datetime:
        """The service's time."""

    def today(self) -> date:
        """The day where the user is."""

    def custom_fields(self) -> Collection[Field]:
        """The project's own fields."""

    def ids(self, kind: NameKind, name: str, *, with_subtree: bool) -> frozenset[int]:
        """The ids of a name in any case (`me`, `current`, `next` and `previous` too); none where it is unknown."""

    def failing(self, rule_id: str | None) -> Filter:
        """Holds for the items that fail a rule of the ready-check, or any of them."""

    def roots(self, kind: NameKind) -> frozenset[int]:
        """The nodes that mean "nowhere in particular"."""

    def values(self, field: Field) -> Sequence[str]:
        """The values or names known for a field; empty where any value goes."""


_NAME_KINDS = {
    Kind.USER: NameKind.USER,
    Kind.TEAM: NameKind.TEAM,
    Kind.AREA: NameKind.AREA,
    Kind.ITERATION: NameKind.ITERATION,
}


def filter_of(node: Node, names: Names) -> Filter:
    """The filter of a query's tree. Raises BadRequest naming the place and the way out."""
    match node:
        case AllOf(parts):
            return all_of(filter_of(part, names) for part in parts)
        case AnyOf(parts):
            return any_of(filter_of(part, names) for part in parts)
        case NotThis(part):
            return Not(filter_of(part, names))
        case Word(text):
            return Mentions(text)
        case Condition():
            return _condition(node, names)


def mentions_status(node: Node) -> bool:
    """Whether a query asks about the status itself, so that what is done is no longer left out for it."""
    match node:
        case AllOf(parts) | AnyOf(parts):
            return any(mentions_status(part) for part in parts)
        case NotThis(part):
            return mentions_status(part)
        case Condition(key):
            return field_named(key) is FIELD_BY_KEY["Status"]
        case Word():
            return False


def _condition(condition: Condition, names: Names) -> Filter:
    if condition.key.lower() == ANYWHERE_KEY:
        _only_equality(condition)
        return any_of(Mentions(value, Where.ANYWHERE) for value in condition.values)
    if condition.key.lower() == LINT_KEY:
        _only_equality(condition)
        return any_of(_failing(condition, value.lower(), names) for value in condition.values)
    custom = names.custom_fields()
    field = field_named(condition.key, custom)
    if field is None:
        near = [key for key in all_keys(custom) if key.startswith(condition.key.lower()[:2])]
        hint = f"there are {_listed(near)}" if near else "there are owner, iter, area, est, tag and every field's name"
        refuse(f'there is no key "{condition.key}"; {hint}, and in double quotes it is a text to find', condition.at)
    return any_of(_one(condition, field, value, names) for value in condition.values)


def _failing(condition: Condition, value: str, names: Names) -> Filter:
    if value in {ANY, NONE}:
        failing = names.failing(None)
        return failing if value == ANY else Not(failing)
    if value not in RULE_BY_ID:
        refuse(f'the ready-check has no rule "{value}"; it has {_listed([ANY, NONE, *RULE_BY_ID])}', condition.at)
    return names.failing(value)


def _one(condition: Condition, field: Field, value: str, names: Names) -> Filter:
    if value.lower() in {NONE, ANY} and condition.operator in ":=":
        nothing = _is_unset(field, names)
        return nothing if value.lower() == NONE else Not(nothing)
    if field.kind in _NAME_KINDS:
        return _named(condition, field, value, names)
    if field.key == "Name" and condition.operator == ":":
        return Mentions(value)
    if field.value_type in {ValueType.INTEGER, ValueType.NUMBER}:
        return Comparison(_OPERATORS[condition.operator], Property(field.key), Literal(_number(condition, value)))
    if field.value_type is ValueType.DATETIME:
        found = date_filter(field.key, condition.operator, value, names.now(), names.today())
        if found is None:
            refuse(
                f"{value!r} is no time; write 2026-01-31, today, yesterday or an age such as 12h, 7d or 2w",
                condition.at,
            )
        return found
    return _BY_TYPE[field.value_type](condition, field, value, names)


def _is_unset(field: Field, names: Names) -> Filter:
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


def _named(condition: Condition, field: Field, value: str, names: Names) -> Filter:
    _only_equality(condition)
    kind = _NAME_KINDS[field.kind]
    ids = names.ids(kind, value, with_subtree=condition.operator == ":")
    if not ids:
        refuse(f'there is no {kind.value} "{value}"; there is {_listed(names.values(field))}', condition.at)
    return In(Property(field.key), tuple(Literal(each) for each in sorted(ids)))


def _number(condition: Condition, value: str) -> int | float:
    try:
        number = float(value.replace(",", "."))
    except ValueError:
        refuse(f'"{value}" is no number; write one such as {condition.key}>3, or {condition.key}:none', condition.at)
    if number != number or abs(number) > 2**53:  # noqa: PLR0124 - nan
        refuse(f'"{value}" is no number that can be compared', condition.at)
    return int(number) if number.is_integer() else number


def _boolean(condition: Condition, field: Field, value: str, _names: Names) -> Filter:
    _only_equality(condition)
    if value.lower() not in _TRUTHS:
        key = condition.key
        refuse(f'"{value}" is neither yes nor no; write {key}:yes, {key}:no or {key}:none', condition.at)
    return _equals(field, _TRUTHS[value.lower()])


def _tag(condition: Condition, field: Field, value: str, names: Names) -> Filter:
    _only_equality(condition)
    same = [tag for tag in names.values(field) if tag.casefold() == value.casefold()]
    return AnyTag(In(TagVariable(), tuple(map(Literal, dict.fromkeys([value, *same])))))


def _text(condition: Condition, field: Field, value: str, names: Names) -> Filter:
    choices = names.values(field)
    if choices:
        _only_equality(condition)
        return _choice(condition, field, value, choices)
    if condition.operator == ":":
        lower = Call(Function.TOLOWER, (Property(field.key),))
        return Call(Function.CONTAINS, (lower, Literal(value.lower())))
    return Comparison(_OPERATORS[condition.operator], Property(field.key), Literal(value))


def _choice(condition: Condition, field: Field, value: str, choices: Sequence[str]) -> Filter:
    if field.kind is Kind.STATUS and value.lower() == OPEN:
        closed = tuple(Literal(each) for each in choices if not is_open(each))
        return Not(In(Property(field.key), closed))
    folded = value.casefold()
    found = [each for each in choices if each.casefold() == folded]
    if not found and condition.operator == ":":
        found = [each for each in choices if folded in each.casefold()]
    if not found:
        refuse(f'{field.label} is never "{value}"; it is {_listed(choices)}', condition.at)
    return In(Property(field.key), tuple(map(Literal, found)))


_BY_TYPE: Mapping[ValueType, Callable[[Condition, Field, str, Names], Filter]] = {
    ValueType.BOOLEAN: _boolean,
    ValueType.TAGS: _tag,
    ValueType.TEXT: _text,
}


def _only_equality(condition: Condition) -> None:
    if condition.operator not in {":", "="}:
        refuse(
            f'{condition.key} has no order; write "{condition.key}:" instead of "{condition.operator}"', condition.at
        )


def _listed(values: Sequence[str]) -> str:
    shown = ", ".join(written(value) for value in values[:_LISTED])
    return f"{shown} and {len(values) - _LISTED} more" if len(values) > _LISTED else shown or "none at all"
