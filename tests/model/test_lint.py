"""The ready-check's rules, one by one and as one filter."""

from datetime import datetime, timedelta

import pytest

from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.filters import POINTS, matches
from backlit.model.ready_check import RULES, USUAL, Ground, chosen

NOW = datetime(2026, 3, 2, 12)
GROUND = Ground(NOW, root_area_id=1, current_iteration_ids=frozenset({7}))


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
    return [rule.id for rule in USUAL.faults(item_type, values, GROUND)]


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
        ("Feedback", {"lastModifiedAt": NOW - timedelta(days=91)}, "stale"),
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
        ("Story", {"lastModifiedAt": NOW - timedelta(days=89)}),
    ],
)
def test_readiness_check_skips_fields_a_type_lacks(item_type: str, lack: dict[str, object]) -> None:
    assert faults(item_type, item(**lack)) == []


@pytest.mark.parametrize("item_type", ItemType)
@pytest.mark.parametrize("lack", [{}, {POINTS: None}, {"AssignedToID": None}, {"IsBlocking": True, "IsTriaged": None}])
def test_the_one_filter_finds_exactly_what_fails_a_rule(item_type: ItemType, lack: dict[str, object]) -> None:
    values = item(type=item_type, **lack)

    assert matches(USUAL.failing(GROUND), values) == bool(faults(item_type, values))


def test_a_type_keeps_only_the_rules_chosen_for_it() -> None:
    lint = chosen({"Story": ["estimate"], "Bug": []})
    bad = item(Points=None, Maturity="1 - Undefined", AreaID=1)

    assert [[rule.id for rule in lint.faults(name, bad, GROUND)] for name in ("Story", "Bug", "Issue")] == [
        ["estimate"],
        [],
        ["estimate", "area"],
    ]
    assert not matches(lint.failing(GROUND), bad | {"type": "Bug"})


def test_no_rule_at_all_finds_nothing() -> None:
    assert not matches(chosen({name: [] for name in ItemType}).failing(GROUND), item(type="Bug", Points=None))


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"Epic": []}, "Unknown type 'Epic'"),
        ({"Story": "estimate"}, "The rules of Story must be a list of words"),
        ({"Story": ["size"]}, "Unknown rule 'size'"),
        ({"Task": ["estimate"]}, "The rule 'estimate' does not apply to Task"),
    ],
)
def test_a_choice_that_makes_no_sense_is_said(choice: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        chosen(choice)


def test_every_rule_has_words_of_its_own() -> None:
    assert len({rule.label for rule in RULES}) == len({rule.sentence for rule in RULES}) == len(RULES)
