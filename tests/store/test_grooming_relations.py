"""Readiness and grooming by what is beside an item: its Feature, its criteria, its blockers and its due date."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.documents import announce, item, node, put, put_nouns
from tests.store.views.forest import forest, put_criteria, put_relations

from backlit.model.fields import CRITERIA_COUNT, FEATURE_ID, ItemType
from backlit.model.ready_check import ready_rules_of
from backlit.store import Store
from backlit.store.grooming import likely_features

STORY_RULES = ["feature", "criteria", "blocked", "overdue"]
EXTENSIONS = ["relations", "acceptanceCriteria"]
BACKLOG, SPRINT = 20, 21


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with forest(tmp_path) as store:
        store.names.own_rules = ready_rules_of({ItemType.STORY: STORY_RULES, ItemType.BUG: ["feature"]})
        yield store


def plan_in_current_sprint(store: Store, item_id: int) -> None:
    today = store.today()
    dates = {"startDate": str(today), "endDate": str(today + timedelta(7))}
    put_nouns(store, iterations=[node(BACKLOG, "Root"), node(SPRINT, "Sprint 1", BACKLOG, **dates)])
    put(store, [item(item_id, IterationID=SPRINT)])


def failed(store: Store, item_id: int) -> list[str]:
    return [rule.id for rule in store.ready_check.faults([item_id]).get(item_id, ())]


def asked(store: Store, item_id: int) -> list[str]:
    found = store.item(item_id)
    assert found is not None
    return list(store.grooming.questions(found))


async def begin_with(store: Store, item_id: int) -> None:
    """Show an item as the first of a queue, as the screen does."""
    await store.grooming.begin([item_id])
    stop, found = store.grooming.next_stop(0), store.item(item_id)
    assert stop is not None
    assert found is not None
    await store.grooming.show(stop, found, asked(store, item_id))


def test_a_story_lacks_a_feature_and_criteria_until_it_has_them(store: Store) -> None:
    put_criteria(store, 2, "Pass")

    assert (failed(store, 2), failed(store, 5)) == ([], ["feature", "criteria"])
    assert failed(store, 4) == []
    assert asked(store, 5) == [FEATURE_ID, CRITERIA_COUNT]


def test_an_item_of_the_current_sprint_that_waits_for_an_open_one_is_blocked(store: Store) -> None:
    put_relations(store, [(5, "Blocks", 8), (7, "Blocks", 2)])
    before = failed(store, 8)
    plan_in_current_sprint(store, 8)
    plan_in_current_sprint(store, 2)

    assert "blocked" not in before
    assert "blocked" in failed(store, 8)
    assert "blocked" not in failed(store, 2), "what blocks it is done"
    assert "IterationID" in asked(store, 8)


def test_an_item_is_overdue_after_its_due_date(store: Store) -> None:
    fields = [{"key": "Due_cf", "kind": "date", "types": ["Story"], "choices": []}]
    announce(store, {"extensions": EXTENSIONS, "projects": [{"id": 1, "customFields": fields, "dueField": "Due_cf"}]})
    today = store.today()
    put(store, [item(2, Due_cf=str(today - timedelta(1))), item(5, Due_cf=str(today))])

    assert ("overdue" in failed(store, 2), "overdue" in failed(store, 5)) == (True, False)
    assert "Due_cf" in asked(store, 2)


def test_without_the_extensions_nothing_is_asked_that_nobody_could_answer(store: Store) -> None:
    announce(store, {"extensions": []})

    assert (failed(store, 5), asked(store, 5)) == ([], [])


async def test_a_query_finds_what_fails_a_rule(store: Store) -> None:
    from backlit.store import ViewSpec

    view = store.view(ViewSpec(query="lint:feature"))
    await view.load()

    assert list(view.ids()) == [5]


async def test_a_feature_and_criteria_given_meanwhile_are_answers_and_undone_ones_are_not(store: Store) -> None:
    await begin_with(store, 5)
    await store.relation_edits.set_parent([5], 3)
    await store.criterion_edits.add(5, "It works by keyboard")
    (given,) = await store.grooming.results()
    for _ in range(2):
        await store.history.undo()
    (undone,) = await store.grooming.results()

    assert [(each.key, each.before, each.after) for each in given.answers] == [
        *((FEATURE_ID, None, 3), (CRITERIA_COUNT, None, 1)),
    ]
    assert (given.open, given.others) == ((), ())
    assert undone.answers == ()
    assert [rule.id for rule in undone.open] == ["feature", "criteria"]


async def test_features_are_likely_by_words_of_the_name_and_then_by_the_area(store: Store) -> None:
    documents = [item(10 + at, kind="Feature", Name=f"Other {at}", AreaID=2) for at in range(6)]
    put(store, [*documents, item(5, Name="Suggestions for a search", AreaID=2)])
    found = store.item(5)
    assert found is not None

    likely = likely_features(found, await store.grooming.open_features())

    assert [(feature.item_id, why) for feature, why in likely] == [
        *((1, "similar"), (3, "similar"), (10, "same area"), (11, "same area")),
    ]


async def test_features_are_read_only_where_a_rule_asks_for_them(store: Store) -> None:
    store.names.own_rules = ready_rules_of({ItemType.STORY: ["criteria"], ItemType.BUG: []})

    assert await store.grooming.open_features() == ()
