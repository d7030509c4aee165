"""Readiness check: rules for items that a team can start, written as filters."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from backlit.model.errors import BadRequest
from backlit.model.fields import MATURITIES, ItemType
from backlit.model.filters import POINTS, And, Comparison, Filter, In, Literal, Operator, Or, Property, matches

STALE_DAYS = 90

_ESTIMATED = frozenset({ItemType.STORY, ItemType.BUG, ItemType.ISSUE, ItemType.RISK})
_OWNED = frozenset(ItemType) - {ItemType.FEATURE, ItemType.FEEDBACK}
_BLOCKING = frozenset({ItemType.BUG, ItemType.ISSUE, ItemType.RISK})
_BEGUN = ("In Progress", "Ready For Test")


@dataclass(frozen=True, slots=True)
class Ground:
    """Inputs of the rules: server time, root area, and current iterations."""

    now: datetime
    root_area_id: int | None = None
    current_iteration_ids: frozenset[int] = frozenset()
    stale_days: int = STALE_DAYS


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the check; `condition` holds for the items that fail it."""

    id: str
    label: str
    sentence: str
    types: frozenset[ItemType]
    condition: Callable[[Ground], Filter]


def _is(key: str, value: int | bool | datetime | None, operator: Operator = Operator.EQ) -> Filter:
    return Comparison(operator, Property(key), Literal(value))


def _one_of(key: str, values: Iterable[int | str]) -> Filter:
    return In(Property(key), tuple(Literal(value) for value in values))


def _without_owner(ground: Ground) -> Filter:
    begun = _one_of("Status", _BEGUN)
    if ground.current_iteration_ids:
        begun = Or((begun, _one_of("IterationID", sorted(ground.current_iteration_ids))))
    return And((_is("AssignedToID", None), begun))


def _in_root_area(ground: Ground) -> Filter:
    return Literal(False) if ground.root_area_id is None else _is("AreaID", ground.root_area_id)


def _unestimated(_: Ground) -> Filter:
    return _is(POINTS, None)


def _untriaged(_: Ground) -> Filter:
    return _is("IsTriaged", True, Operator.NE)


def _blocking(_: Ground) -> Filter:
    return And((_is("IsBlocking", True), _is("AssignedToID", None)))


def _immature(_: Ground) -> Filter:
    return _one_of("Maturity", MATURITIES[:2])


def _stale(ground: Ground) -> Filter:
    return _is("lastModifiedAt", ground.now - timedelta(days=ground.stale_days), Operator.LT)


RULES: tuple[Rule, ...] = (
    Rule("estimate", "no estimate", "Not estimated.", _ESTIMATED, _unestimated),
    Rule("owner", "no owner", "In progress or in the current sprint, but unassigned.", _OWNED, _without_owner),
    Rule("area", "no area", "No area set.", frozenset(ItemType) - {ItemType.TASK}, _in_root_area),
    Rule("triage", "untriaged", "Not triaged.", frozenset({ItemType.BUG}), _untriaged),
    Rule("blocking", "blocking, no owner", "Blocking others, but unassigned.", _BLOCKING, _blocking),
    Rule(
        "maturity",
        "immature",
        "Not mature enough to start.",
        frozenset({ItemType.STORY}),
        _immature,
    ),
    Rule("stale", "stale", "No changes for a long time.", frozenset(ItemType), _stale),
)
"""All rules, in the order of their display."""

RULE_BY_ID: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in RULES})


@dataclass(frozen=True, slots=True)
class Lint:
    """The rules by type; made by `chosen`, or with every rule on its default types."""

    types_by_rule: Mapping[str, frozenset[ItemType]]

    def faults(self, item_type: str, values: Mapping[str, object], ground: Ground) -> tuple[Rule, ...]:
        """Return the rules that an item fails; `values` are those of `filters.matches`, with POINTS."""
        return tuple(
            rule
            for rule in RULES
            if item_type in self.types_by_rule[rule.id] and matches(rule.condition(ground), values)
        )

    def failing(self, ground: Ground, rule_id: str | None = None) -> Filter:
        """Return a filter for items that fail a rule, or any rule, open or not."""
        parts = tuple(
            And((_one_of("type", sorted(types)), rule.condition(ground)))
            for rule in RULES
            if rule_id in {None, rule.id} and (types := self.types_by_rule[rule.id])
        )
        if not parts:
            return Literal(False)
        return parts[0] if len(parts) == 1 else Or(parts)


USUAL = Lint({rule.id: rule.types for rule in RULES})


def chosen(rules_by_type: Mapping[str, object]) -> Lint:
    """Return the check with rules by type, `{"Story": ["estimate", "maturity"], "Bug": []}`; other types keep theirs.

    Raises BadRequest that names an unknown type or rule, or a rule that does not fit the type.
    """
    types_by_rule = {rule.id: set(rule.types) for rule in RULES}
    for name, ids in rules_by_type.items():
        if name not in set(ItemType):
            raise BadRequest(f"Unknown type {name!r}. Choose from: {', '.join(ItemType)}.")
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            raise BadRequest(f"The rules of {name} must be a list of words, such as {_example(ItemType(name))}.")
        for unknown in sorted(set(ids) - RULE_BY_ID.keys()):
            raise BadRequest(f"Unknown rule {unknown!r}. Choose from: {', '.join(RULE_BY_ID)}.")
        for rule in RULES:
            if rule.id in ids and ItemType(name) not in rule.types:
                raise BadRequest(f"The rule {rule.id!r} does not apply to {name}. Use {_example(ItemType(name))}.")
            if rule.id not in ids:
                types_by_rule[rule.id].discard(ItemType(name))
    return Lint({rule_id: frozenset(types) for rule_id, types in types_by_rule.items()})


def _example(item_type: ItemType) -> str:
    return str([rule.id for rule in RULES if item_type in rule.types]).replace("'", '"')
