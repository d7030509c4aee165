"""The ready-check's rules, one by one and as one filter."""

from datetime import date, datetime, timedelta

import pytest

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, SYNC_KEYS, VIRTUAL_BY_KEY, ItemType
from backlit.model.filters import POINTS, VIRTUAL, matches
from backlit.model.ready_check import (
    RULES,
    USUAL_RULES,
    ReadyRule,
    RuleInputs,
    askable_field_key,
    check_rule,
    is_missing,
    ready_rules_of,
    without_values,
)

NOW = datetime(2026, 3, 2, 12)
GROUND = RuleInputs(NOW, root_area_id=1, current_iteration_ids=frozenset({7}))


def item(**other: object) -> dict[str, object]:
    """Something that lacks nothing."""
    return {
        "Status": "Not Done",
        POINTS: 3.0,
        "AssignedToID": 4,
        "AreaID": 2,
        "IterationID": 7,
        "IsTriaged": True,
        "IsBlocking": False,
        "Maturity": "4 - Somewhat Mature",
        "lastModifiedAt": NOW,
    } | other


def faults(item_type: str, values: dict[str, object]) -> list[str]:
    return [rule.id for rule in USUAL_RULES.faults(item_type, values, GROUND)]


@pytest.mark.parametrize("item_type", ItemType)
def test_readiness_check_passes_complete_items(item_type: ItemType) -> None:
    assert faults(item_type, item()) == []


@pytest.mark.parametrize(
    ("item_type", "lack", "rule"),
    [
        ("Story", {POINTS: None}, "estimate"),
        ("Story", {"AssignedToID": None}, "owner"),
        ("Task", {"AssignedToID": None, "IterationID": 9, "Status": "In Progress"}, "owner"),
        ("Feature", {"AreaID": 1}, "area"),
        ("Bug", {"IsTriaged": None}, "triage"),
        ("Bug", {"IsTriaged": False}, "triage"),
        ("Risk", {"IsBlocking": True, "AssignedToID": None, "IterationID": 9}, "blocking"),
        ("Story", {"Maturity": "2 - Not Mature"}, "maturity"),
        ("Story", {"Maturity": "1 - Undefined"}, "maturity"),
    ],
)
def test_readiness_check_names_missing_values(item_type: str, lack: dict[str, object], rule: str) -> None:
    assert faults(item_type, item(**lack)) == [rule]


@pytest.mark.parametrize(
    ("item_type", "lack"),
    [
        ("Task", {POINTS: None, "AreaID": 1}),
        ("Feature", {POINTS: None, "AssignedToID": None, "Maturity": "1 - Undefined"}),
        ("Story", {"AssignedToID": None, "IterationID": 9}),
        ("Story", {"Maturity": None}),
        ("Story", {"Maturity": "3 - Somewhat Not Mature"}),
        ("Story", {"lastModifiedAt": NOW - timedelta(days=90)}),
    ],
)
def test_readiness_check_skips_fields_a_type_lacks(item_type: str, lack: dict[str, object]) -> None:
    assert faults(item_type, item(**lack)) == []


def test_without_a_root_and_a_current_iteration_nothing_lacks_an_area_or_an_owner_for_them() -> None:
    nowhere, bare = RuleInputs(NOW), item(AreaID=1, AssignedToID=None)

    assert [rule.id for rule in USUAL_RULES.faults("Story", bare, nowhere)] == []
    assert [rule.id for rule in USUAL_RULES.faults("Story", bare, GROUND)] == ["owner", "area"]
    begun = bare | {"Status": "Ready For Test"}
    assert [rule.id for rule in USUAL_RULES.faults("Story", begun, nowhere)] == ["owner"]


@pytest.mark.parametrize("item_type", ItemType)
@pytest.mark.parametrize("lack", [{}, {POINTS: None}, {"AssignedToID": None}, {"IsBlocking": True, "IsTriaged": None}])
def test_the_one_filter_finds_exactly_what_fails_a_rule(item_type: ItemType, lack: dict[str, object]) -> None:
    values = item(type=item_type, **lack)

    assert matches(USUAL_RULES.failing(GROUND), values) == bool(faults(item_type, values))


def test_a_type_keeps_only_the_rules_chosen_for_it() -> None:
    lint = ready_rules_of({ItemType.STORY: ["estimate"], ItemType.BUG: []})
    bad = item(Points=None, Maturity="1 - Undefined", AreaID=1)

    assert [[rule.id for rule in lint.faults(name, bad, GROUND)] for name in ("Story", "Bug", "Issue")] == [
        ["estimate"],
        [],
        ["estimate", "area"],
    ]
    assert not matches(lint.failing(GROUND), bad | {"type": "Bug"})


def test_no_rule_at_all_finds_nothing() -> None:
    assert not matches(ready_rules_of({name: [] for name in ItemType}).failing(GROUND), item(type="Bug", Points=None))


@pytest.mark.parametrize(
    ("item_type", "rule", "sentence"),
    [
        (ItemType.STORY, "size", "Unknown rule 'size'"),
        (
            ItemType.TASK,
            "estimate",
            'The rule \'estimate\' does not apply to Task. Use \\["owner", "stale", "blocked", "overdue"\\]',
        ),
    ],
)
def test_a_rule_that_makes_no_sense_is_said(item_type: ItemType, rule: str, sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        check_rule(item_type, rule)


ROOTS = {"AreaID": {1}, "IterationID": {2, 3}}
POSSIBLE = {
    "Estimate": (None, "", "0"),
    "PriorityClass": (None, "", "1 - Critical"),
    "Description": (None, "", "x"),
    "Priority": (None, 0, 1),
    "AreaID": (None, 0, 1, 2, 3),
    "IterationID": (None, 0, 1, 2, 3, 4),
    "Tags": (None, [], ["x"]),
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in POSSIBLE.items() for value in values])
def test_the_filter_for_lacking_fields_finds_what_is_missing(key: str, value: object) -> None:
    field = FIELD_BY_KEY[key]
    for item_type in ItemType:
        values = {"type": item_type, field.key: value}
        is_lacking = item_type in field.types and is_missing(field, value, ROOTS)

        assert matches(without_values([field], ROOTS), values) == is_lacking
        assert not matches(without_values([], ROOTS), values)


@pytest.mark.parametrize(
    ("name", "key"), [("priorityclass", "PriorityClass"), ("Odd_cf", "Odd_cf"), ("ITERATIONID", "IterationID")]
)
def test_a_field_to_ask_for_is_read_in_any_case(name: str, key: str) -> None:
    assert askable_field_key(name) == key


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Estimat", "Unknown field 'Estimat'"),
        *(
            (name, f"{name} is read-only")
            for name in ("Name", "id", "type", "ParentID", "lastModifiedAt", *sorted(SYNC_KEYS))
        ),
    ],
)
def test_a_field_that_cannot_be_filled_in_is_refused(name: str, sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        askable_field_key(name)


def test_every_rule_has_words_of_its_own() -> None:
    assert len({rule.label for rule in RULES}) == len({rule.sentence for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_field_of_a_rule_exists_on_each_of_its_types(rule: ReadyRule) -> None:
    key = rule.field_key(RuleInputs(NOW, due_field="Due_cf"))

    assert key == "Due_cf" if rule.id == "overdue" else rule.types <= set({**FIELD_BY_KEY, **VIRTUAL_BY_KEY}[key].types)


RELATED = {"ParentID": 44, f"{VIRTUAL}has criteria": True, f"{VIRTUAL}blocked any": False, "Due_cf": "2026-03-02"}
DUE = RuleInputs(NOW, current_iteration_ids=frozenset({7}), due_field="Due_cf", today=date(2026, 3, 2))
EVERY_RULE = ready_rules_of({each: [rule.id for rule in RULES if each in rule.types] for each in ItemType})


@pytest.mark.parametrize(
    ("item_type", "lack", "rules"),
    [
        ("Story", {}, []),
        ("Story", {"ParentID": None}, ["feature"]),
        ("Bug", {"ParentID": None}, ["feature"]),
        ("Issue", {"ParentID": None}, []),
        ("Story", {f"{VIRTUAL}has criteria": False}, ["criteria"]),
        ("Bug", {f"{VIRTUAL}has criteria": False}, []),
        ("Task", {f"{VIRTUAL}blocked any": True}, ["blocked"]),
        ("Story", {f"{VIRTUAL}blocked any": True, "IterationID": 9}, []),
        ("Feature", {"Due_cf": "2026-03-01"}, ["overdue"]),
        ("Feature", {"Due_cf": None}, []),
    ],
)
def test_rules_of_relations_criteria_and_due_dates_name_what_fails(
    item_type: str, lack: dict[str, object], rules: list[str]
) -> None:
    values = item(**RELATED | lack)

    assert [rule.id for rule in EVERY_RULE.faults(item_type, values, DUE)] == rules
    assert [rule.id for rule in USUAL_RULES.faults(item_type, values, DUE)] == []


def test_a_rule_whose_extension_the_server_lacks_is_failed_by_nothing() -> None:
    values = item(**RELATED | {"ParentID": None, f"{VIRTUAL}has criteria": False, f"{VIRTUAL}blocked any": True})
    bare = RuleInputs(NOW, current_iteration_ids=frozenset({7}), missing=EVERY_RULE.extensions())

    assert EVERY_RULE.extensions() == {"relations", "acceptanceCriteria"}
    assert EVERY_RULE.faults("Story", values, bare) == ()
    assert USUAL_RULES.extensions() == frozenset()
