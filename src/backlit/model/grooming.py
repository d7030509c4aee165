"""Questions of grooming: findings of the readiness check, and chosen fields without a value."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, PROPERTY_BY_LOWER_NAME, SYNC_KEYS, Field, Kind, Settable
from backlit.model.filters import And, AnyTag, Comparison, Filter, In, Literal, Not, Operator, Or, Property
from backlit.model.ready_check import Rule

FIELD_BY_RULE: Mapping[str, str] = MappingProxyType(
    {
        "estimate": "Estimate",
        "owner": "AssignedToID",
        "area": "AreaID",
        "triage": "IsTriaged",
        "blocking": "AssignedToID",
        "maturity": "Maturity",
        "stale": "Status",
    }
)
"""The field that satisfies a rule, by the rule's id."""

Roots = Mapping[str, Collection[int]]
"""The root ids that mean no area and no iteration, by field key."""


@dataclass(frozen=True, slots=True)
class Question:
    """A field to fill in, with the reason."""

    key: str
    reasons: tuple[str, ...] = ()


def questions(rules: Iterable[Rule], missing: Iterable[Field], item_fields: Collection[str]) -> tuple[Question, ...]:
    """List the questions for an item: one a field, in the order of the rules, then of the chosen fields."""
    reasons: dict[str, list[str]] = {}
    for rule in rules:
        key = FIELD_BY_RULE[rule.id]
        if key in item_fields:
            reasons.setdefault(key, []).append(rule.sentence)
    for field in missing:
        reasons.setdefault(field.key, [])
    return tuple(Question(key, tuple(said)) for key, said in reasons.items())


def is_missing(field: Field, value: object, roots: Roots) -> bool:
    """Return True for a field without a value; the roots of the trees count as none."""
    return value in (None, "", []) or value in roots.get(field.key, ())


def lacking(fields: Sequence[Field], roots: Roots) -> Filter:
    """Return a filter for items that lack one of the fields of their type."""
    parts = tuple(And((_of_types(field), _without(field, roots))) for field in fields)
    return Or(parts) if parts else Literal(False)


def answerable(rule: Rule, failing: Filter) -> Filter:
    """Return a filter for items that fail a rule and have the field for its answer."""
    return And((_of_types(FIELD_BY_KEY[FIELD_BY_RULE[rule.id]]), failing))


def _of_types(field: Field) -> Filter:
    return In(Property("type"), tuple(Literal(each) for each in sorted(field.types)))


def _without(field: Field, roots: Roots) -> Filter:
    if field.kind is Kind.TAGS:
        return Not(AnyTag(None))
    empty: list[object] = [None, *roots.get(field.key, ())]
    if field.kind in {Kind.TEXT, Kind.LONG_TEXT, Kind.CHOICE}:
        empty.append("")
    return Or(tuple(Comparison(Operator.EQ, Property(field.key), Literal(each)) for each in empty))  # type: ignore[arg-type] # None, text, ids


def field_keys(names: object) -> tuple[str, ...]:
    """Return field keys for names in any case, as listed in the settings; `…_cf` are a project's own.

    Raises BadRequest that names an unknown or read-only field.
    """
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise BadRequest('Write a list of fields, such as ["PriorityClass", "IterationID"].')
    found = []
    for name in names:
        field = PROPERTY_BY_LOWER_NAME.get(name.lower())
        if field is None and not name.endswith("_cf"):
            raise BadRequest(f"Unknown field {name!r}.")
        if field is not None and (field.settable is not Settable.ALWAYS or field.key in {*SYNC_KEYS, "Name"}):
            raise BadRequest(f"{field.key} is read-only.")
        found.append(field.key if field else name)
    return tuple(dict.fromkeys(found))
