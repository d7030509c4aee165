"""Readiness check: rules for items that a team can start, written as filters, and the questions of grooming."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from types import MappingProxyType

from msgspec import Struct

from backlit.model.errors import BadRequest
from backlit.model.fields import (
    CRITERIA_COUNT,
    FEATURE_ID,
    MATURITIES,
    PROPERTY_BY_LOWER_NAME,
    SYNC_KEYS,
    Field,
    ItemType,
    Kind,
    Settable,
)
from backlit.model.filters import (
    POINTS,
    VIRTUAL,
    And,
    AnyTag,
    Comparison,
    Filter,
    In,
    Literal,
    Not,
    Operator,
    Or,
    Property,
    any_of,
    matches,
)

STALE_DAYS = 90

_ESTIMATED = frozenset({ItemType.STORY, ItemType.BUG, ItemType.ISSUE, ItemType.RISK})
_OWNED = frozenset(ItemType) - {ItemType.FEATURE, ItemType.FEEDBACK}
_BLOCKING = frozenset({ItemType.BUG, ItemType.ISSUE, ItemType.RISK})
_CLOSABLE = frozenset(ItemType) - {ItemType.FEEDBACK}
_IN_FEATURES = frozenset({ItemType.STORY, ItemType.BUG})
_WITH_CRITERIA = frozenset({ItemType.STORY})
_BEGUN = ("In Progress", "Ready For Test")


class RuleInputs(Struct, frozen=True):
    """Inputs of the rules: server time, root area, current iterations, and what the due field is compared with.

    `missing` are extensions of the interface that rules need and the server lacks: nothing fails these rules.
    """

    now: datetime
    root_area_id: int | None = None
    current_iteration_ids: frozenset[int] = frozenset()
    stale_days: int = STALE_DAYS
    due_field: str | None = None
    today: date | None = None
    missing: frozenset[str] = frozenset()


class ReadyRule(Struct, frozen=True):
    """A rule of the check; `condition` holds for the items that fail it, `passed` names it for others, if shown."""

    id: str
    label: str
    sentence: str
    types: frozenset[ItemType]
    condition: Callable[[RuleInputs], Filter]
    passed: str
    is_usual: bool = True
    """False for a rule that holds only where the project or the settings name it."""
    extension: str = ""

    def failing(self, inputs: RuleInputs) -> Filter:
        return Literal(False) if self.extension in inputs.missing else self.condition(inputs)

    def field_key(self, inputs: RuleInputs) -> str:
        """Return the key of the field that satisfies the rule; every type of the rule has it."""
        return FIELD_BY_RULE.get(self.id) or inputs.due_field or ""

    def failure_sentence(self, inputs: RuleInputs) -> str:
        """Return the sentence about an item that fails the rule."""
        return self.sentence.format(days=inputs.stale_days)

    def failure_label(self, inputs: RuleInputs) -> str:
        """Return the label; of a rule on age its sentence in lower case, which names the days."""
        sentence = self.failure_sentence(inputs)
        return f"{sentence[:1].lower()}{sentence[1:]}".rstrip(".") if "{days}" in self.sentence else self.label

    def words_passed(self, inputs: RuleInputs) -> str:
        """Return the words about an item that passes the rule; empty where none are shown."""
        return self.passed.format(days=inputs.stale_days)


def _is(key: str, value: int | bool | datetime | None, operator: Operator = Operator.EQ) -> Filter:
    return Comparison(operator, Property(key), Literal(value))


def _one_of(key: str, values: Iterable[int | str]) -> Filter:
    return In(Property(key), tuple(Literal(value) for value in values))


def _without_owner(inputs: RuleInputs) -> Filter:
    begun = _one_of("Status", _BEGUN)
    if inputs.current_iteration_ids:
        begun = Or((begun, _one_of("IterationID", sorted(inputs.current_iteration_ids))))
    return And((_is("AssignedToID", None), begun))


def _in_root_area(inputs: RuleInputs) -> Filter:
    return Literal(False) if inputs.root_area_id is None else _is("AreaID", inputs.root_area_id)


def _unestimated(_: RuleInputs) -> Filter:
    return _is(POINTS, None)


def _untriaged(_: RuleInputs) -> Filter:
    return _is("IsTriaged", True, Operator.NE)


def _blocking(_: RuleInputs) -> Filter:
    return And((_is("AssignedToID", None), _is("IsBlocking", True)))


def _immature(_: RuleInputs) -> Filter:
    return _one_of("Maturity", MATURITIES[:2])


def _stale(inputs: RuleInputs) -> Filter:
    return _is("lastModifiedAt", inputs.now - timedelta(days=inputs.stale_days), Operator.LT)


def _without_feature(_: RuleInputs) -> Filter:
    return _is("ParentID", None)


def _without_criteria(_: RuleInputs) -> Filter:
    return Not(Property(f"{VIRTUAL}has criteria"))


def _blocked(inputs: RuleInputs) -> Filter:
    return And((_one_of("IterationID", sorted(inputs.current_iteration_ids)), Property(f"{VIRTUAL}blocked any")))


def _overdue(inputs: RuleInputs) -> Filter:
    if inputs.due_field is None or inputs.today is None:
        return Literal(False)
    return Comparison(Operator.LT, Property(inputs.due_field), Literal(inputs.today.isoformat()))


RULES: tuple[ReadyRule, ...] = (
    ReadyRule("estimate", "no estimate", "No estimate in points.", _ESTIMATED, _unestimated, "Estimated"),
    ReadyRule(
        "owner", "unassigned", "In progress or in the current sprint, but unassigned.", _OWNED, _without_owner, "Owner"
    ),
    ReadyRule("area", "no area", "No area set.", frozenset(ItemType) - {ItemType.TASK}, _in_root_area, "Area"),
    ReadyRule("triage", "untriaged", "Not triaged.", frozenset({ItemType.BUG}), _untriaged, "Triaged"),
    ReadyRule("blocking", "blocking, unassigned", "Blocking others, but unassigned.", _BLOCKING, _blocking, ""),
    ReadyRule("maturity", "not mature", "Not mature enough.", frozenset({ItemType.STORY}), _immature, "Mature enough"),
    ReadyRule("stale", "stale", "No changes for {days} days.", _CLOSABLE, _stale, "Changed within {days} days"),
    ReadyRule(
        *("feature", "no Feature", "Part of no Feature.", _IN_FEATURES, _without_feature, "Feature"),
        is_usual=False,
        extension="relations",
    ),
    ReadyRule(
        *("criteria", "no criteria", "No acceptance criteria.", _WITH_CRITERIA, _without_criteria, "Criteria"),
        is_usual=False,
        extension="acceptanceCriteria",
    ),
    ReadyRule(
        *("blocked", "blocked", "In the current sprint, but blocked.", _CLOSABLE, _blocked, ""),
        is_usual=False,
        extension="relations",
    ),
    ReadyRule("overdue", "overdue", "Past its due date.", _CLOSABLE, _overdue, "", is_usual=False),
)
"""All rules, in the order of their display."""

_WITH_EXTENSION = tuple(rule for rule in RULES if rule.extension)
RULE_BY_ID: Mapping[str, ReadyRule] = MappingProxyType({rule.id: rule for rule in RULES})


class ReadyRules(Struct, frozen=True):
    """The rules by type; made by `ready_rules_of`, or with every usual rule on its default types."""

    types_by_rule: Mapping[str, frozenset[ItemType]]

    def faults(self, item_type: str, values: Mapping[str, object], inputs: RuleInputs) -> tuple[ReadyRule, ...]:
        """Return the rules that an item fails; `values` are those of `filters.matches`, with POINTS."""
        return tuple(rule for rule in self.of(item_type) if matches(rule.failing(inputs), values))

    def of(self, item_type: str) -> tuple[ReadyRule, ...]:
        return tuple(rule for rule in RULES if item_type in self.types_by_rule[rule.id])

    def extensions(self) -> frozenset[str]:
        """Return the extensions of the interface that some rule needs."""
        return frozenset(rule.extension for rule in _WITH_EXTENSION if self.types_by_rule[rule.id])

    def failing(self, inputs: RuleInputs, rule_id: str | None = None) -> Filter:
        """Return a filter for items that fail a rule, or any rule, open or not."""
        return any_of(
            And((_one_of("type", sorted(types)), rule.failing(inputs)))
            for rule in RULES
            if rule_id in {None, rule.id} and (types := self.types_by_rule[rule.id])
        )


USUAL_RULES = ReadyRules({rule.id: rule.types if rule.is_usual else frozenset() for rule in RULES})
_USUAL_IDS = frozenset(rule.id for rule in RULES if rule.is_usual)


def ready_rules_of(rules_by_type: Mapping[ItemType, Collection[str]]) -> ReadyRules:
    """Return the check with rules by type, such as estimate and maturity for Story; other types keep the usual ones."""
    types_by_rule = {
        rule.id: frozenset(each for each in rule.types if rule.id in rules_by_type.get(each, _USUAL_IDS))
        for rule in RULES
    }
    return ReadyRules(types_by_rule)


def check_rule(item_type: ItemType, rule_id: str) -> None:
    """Raise BadRequest that names an unknown rule, or one that does not fit the type."""
    rule = RULE_BY_ID.get(rule_id)
    if rule is None:
        raise BadRequest(f"Unknown rule {rule_id!r}. Choose from: {', '.join(RULE_BY_ID)}.")
    if item_type not in rule.types:
        fitting = str([rule.id for rule in RULES if item_type in rule.types]).replace("'", '"')
        raise BadRequest(f"The rule {rule_id!r} does not apply to {item_type}. Use {fitting}.")


FIELD_BY_RULE: Mapping[str, str] = MappingProxyType(
    {
        "estimate": "Estimate",
        "owner": "AssignedToID",
        "area": "AreaID",
        "triage": "IsTriaged",
        "blocking": "AssignedToID",
        "maturity": "Maturity",
        "stale": "Status",
        "feature": FEATURE_ID,
        "criteria": CRITERIA_COUNT,
        "blocked": "IterationID",
    }
)
"""The field that satisfies a rule, by the rule's id; the due field of a project satisfies the last one."""

Roots = Mapping[str, Collection[int]]
"""The root ids that mean no area and no iteration, by field key."""


def is_missing(field: Field, value: object, roots: Roots) -> bool:
    """Return True for a field without a value; the roots of the trees count as none."""
    return value in (None, "", []) or value in roots.get(field.key, ())


def without_values(fields: Sequence[Field], roots: Roots) -> Filter:
    return any_of(And((_of_types(field), _without(field, roots))) for field in fields)


def _of_types(field: Field) -> Filter:
    return In(Property("type"), tuple(Literal(each) for each in sorted(field.types)))


def _without(field: Field, roots: Roots) -> Filter:
    if field.kind is Kind.TAGS:
        return Not(AnyTag(None))
    empty: list[object] = [None, *roots.get(field.key, ())]
    if field.kind in {Kind.TEXT, Kind.LONG_TEXT, Kind.CHOICE}:
        empty.append("")
    return Or(tuple(Comparison(Operator.EQ, Property(field.key), Literal(each)) for each in empty))  # type: ignore[arg-type] # None, text, ids


def askable_field_key(name: str) -> str:
    """Return the key of a field that grooming can ask for, in any case; `…_cf` are a project's own.

    Raises BadRequest that names an unknown or read-only field.
    """
    field = PROPERTY_BY_LOWER_NAME.get(name.lower())
    if field is None and not name.endswith("_cf"):
        raise BadRequest(f"Unknown field {name!r}.")
    if field is not None and (field.settable is not Settable.ALWAYS or field.key in {*SYNC_KEYS, "Name"}):
        raise BadRequest(f"{field.key} is read-only.")
    return field.key if field else name
