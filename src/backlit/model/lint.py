"""The ready-check: rules that say what an item still lacks before a team begins it, written as filters."""

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
    """What the rules judge by: the service's time, the root area, and the iterations that are under way."""

    now: datetime
    root_area_id: int | None = None
    current_iteration_ids: frozenset[int] = frozenset()
    stale_days: int = STALE_DAYS


@dataclass(frozen=True, slots=True)
class Rule:
    """One question of the check; `condition` holds for the items that fail it."""

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
    Rule("estimate", "no estimate", "It has no estimate in points.", _ESTIMATED, _unestimated),
    Rule("owner", "no owner", "It is under way or in a current iteration, and nobody owns it.", _OWNED, _without_owner),
    Rule("area", "no area", "It is still in the root area.", frozenset(ItemType) - {ItemType.TASK}, _in_root_area),
    Rule("triage", "untriaged", "Nobody has triaged it.", frozenset({ItemType.BUG}), _untriaged),
    Rule("blocking", "blocking, no owner", "It blocks others, and nobody owns it.", _BLOCKING, _blocking),
    Rule(
        "maturity",
        "immature",
        "Its maturity is too low to begin it.",
        frozenset({ItemType.STORY}),
        _immature,
    ),
    Rule("stale", "stale", "Nothing about it has changed for a long time.", frozenset(ItemType), _stale),
)
"""In the order in which they are told."""

RULE_BY_ID: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in RULES})


@dataclass(frozen=True, slots=True)
class Lint:
    """Which rules hold for which types; made by `chosen`, or every rule for the types it is meant for."""

    types_by_rule: Mapping[str, frozenset[ItemType]]

    def faults(self, item_type: str, values: Mapping[str, object], ground: Ground) -> tuple[Rule, ...]:
        """The rules that an item fails; `values` as `filters.matches` reads them, with POINTS beside."""
        return tuple(
            rule
            for rule in RULES
            if item_type in self.types_by_rule[rule.id] and matches(rule.condition(ground), values)
        )

    def failing(self, ground: Ground, rule_id: str | None = None) -> Filter:
        """Holds for the items that fail a rule, or at least one; whether they are open is for the caller to ask."""
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
    """The rules chosen for each type, `{"Story": ["estimate", "maturity"], "Bug": []}`; the rest keep theirs.

    Raises BadRequest naming the type or rule that there is not, or that a rule says nothing about.
    """
    types_by_rule = {rule.id: set(rule.types) for rule in RULES}
    for name, ids in rules_by_type.items():
        if name not in set(ItemType):
            raise BadRequest(f"There is no type {name!r}. There are: {', '.join(ItemType)}.")
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            raise BadRequest(f"The rules of {name} are a list of words, such as {_example(ItemType(name))}.")
        for unknown in sorted(set(ids) - RULE_BY_ID.keys()):
            raise BadRequest(f"There is no rule {unknown!r}. There are: {', '.join(RULE_BY_ID)}.")
        for rule in RULES:
            if rule.id in ids and ItemType(name) not in rule.types:
                raise BadRequest(f"The rule {rule.id!r} says nothing about {name}. Take {_example(ItemType(name))}.")
            if rule.id not in ids:
                types_by_rule[rule.id].discard(ItemType(name))
    return Lint({rule_id: frozenset(types) for rule_id, types in types_by_rule.items()})


def _example(item_type: ItemType) -> str:
    return str([rule.id for rule in RULES if item_type in rule.types]).replace("'", '"')
