"""The rules of a draft and of the values laid over a list, without a service."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put, put_nouns
from tests.store.world import raised

from backlit.model.errors import BadRequest
from backlit.model.planning import Capacity
from backlit.model.trees import NodeTotals
from backlit.store import IterationEntry, RowSign, Store, ViewSpec
from backlit.store.planning.draft import (
    MOST_STEPS,
    ContestedValue,
    PlanDraft,
    PlannedValue,
    PlanState,
    draft_of,
)
from backlit.store.planning.plan import ReleasePlan

ROOT, SPRINT, NEXT, FAR = 21, 22, 23, 24


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Sprint 22 holds stories 1 and 2 and tasks 5 to 7 of story 1, of which 6 is done and 7 lies in sprint 23."""
    documents = [
        item(1, IterationID=SPRINT, Estimate="8", AssignedToID=1, TeamID=4),
        item(2, IterationID=SPRINT, Estimate="3"),
        item(3, IterationID=NEXT, Estimate="5", Status="Deferred"),
        item(4, kind="Feedback", IterationID=FAR),
        item(5, kind="Task", IterationID=SPRINT, ParentID=1, WorkRemaining=6.0),
        item(6, kind="Task", IterationID=SPRINT, ParentID=1, WorkRemaining=9.0, Status="Done"),
        item(7, kind="Task", IterationID=NEXT, ParentID=1, WorkRemaining=2.0),
    ]
    dates = {"startDate": "2026-03-02", "endDate": "2026-06-30"}
    later = {"startDate": "2026-03-16", "endDate": "2026-03-29"}
    with offline_store(tmp_path, documents) as store:
        nodes = [node(ROOT, "Root"), node(SPRINT, "S", ROOT, **dates), node(NEXT, "T", ROOT, **later)]
        nodes.append(node(FAR, "U", ROOT, endDate="2026-03-10"))
        put_nouns(store, user=[{"id": 1, "name": "maya"}], iterations=nodes)
        yield store


def plan_of(values: Mapping[int, Mapping[str, object]]) -> PlanDraft:
    return PlanDraft().stage(values, {each: {} for each in values})


def test_a_draft_steps_back_and_forth_in_order() -> None:
    draft = PlanDraft()
    steps = [draft := draft.stage({1: {"Estimate": str(n)}}, {1: {}}) for n in (1, 2, 3)]

    back = steps[-1].undone().undone()

    assert back.items == steps[0].items
    assert back.redone().items == steps[1].items
    assert back.redone().redone().items == steps[2].items
    assert back.redone().undone().items == steps[0].items


def test_a_draft_forgets_its_oldest_steps() -> None:
    draft = PlanDraft()
    for number in range(MOST_STEPS + 2):
        draft = draft.stage({1: {"Estimate": str(number)}}, {1: {}})

    assert len(draft.past) == MOST_STEPS
    assert draft.undone().items[1]["Estimate"].mine == str(MOST_STEPS)


def test_a_value_planned_as_it_is_leaves_only_the_other_fields() -> None:
    draft = plan_of({1: {"Estimate": "3", "AssignedToID": 2}})

    assert draft.stage({1: {"Estimate": None}}, {1: {}}).items == {1: {"AssignedToID": PlannedValue(None, 2)}}


def test_saved_fields_leave_a_draft_with_its_steps() -> None:
    draft = replace(plan_of({1: {"Estimate": "3", "AssignedToID": 2}, 4: {"Estimate": "1"}}), target=8, step=6)

    written = draft.undone().redone().written({1: ("Estimate",), 4: ("Estimate",)}, None)

    assert written == PlanDraft({1: {"AssignedToID": PlannedValue(None, 2)}}, target=8, step=6)
    assert draft.written({}, 7).step == 7


def test_a_draft_compares_its_start_and_its_plan_with_the_current_value() -> None:
    draft = plan_of({each: {"Estimate": "3"} for each in (1, 2, 3, 4)})
    now: dict[int, dict[str, object]] = {1: {"Estimate": None}, 2: {"Estimate": "3"}, 3: {"Estimate": "5"}}

    state = draft.compared(now)

    contests = {3: {"Estimate": ContestedValue(PlannedValue(None, "3"), "5")}}
    assert state == PlanState({1: {"Estimate": "3"}}, contests, frozenset({4}))


def test_new_ids_replace_only_places_and_the_target() -> None:
    places: dict[str, Any] = {"IterationID": -8, "AssignedToID": -2}
    draft = replace(PlanDraft().stage({-5: places}, {-5: {"IterationID": -7, "AssignedToID": -3}}), target=-8)

    renamed = draft.renamed(abs)

    assert renamed.items == {5: {"IterationID": PlannedValue(7, 8), "AssignedToID": PlannedValue(-3, -2)}}
    assert renamed.target == 8
    assert renamed.undone().redone().items == renamed.items


def test_a_draft_keeps_its_target_and_step_on_disk() -> None:
    draft = replace(plan_of({1: {"Estimate": "3"}}), target=8, step=6)

    assert draft_of(draft.document) == draft


def test_a_release_has_its_own_capacity_with_one_bound() -> None:
    entry = IterationEntry(1, "Sprint", "", None, None, 5.0, 8.0, is_release=False)

    for least, most in ((9.0, None), (None, 9.0), (2.0, 3.0)):
        release = replace(entry, is_release=True, min_capacity=least, max_capacity=most)
        assert ReleasePlan(release, (entry,)).capacity == Capacity(least, most)


def test_targets_are_in_the_order_of_their_starts(store: Store) -> None:
    assert [each.id for each in store.plan.iterations.targets()] == [SPRINT, FAR, NEXT]


def test_a_release_is_found_at_any_height(store: Store) -> None:
    tree = [node(ROOT, "Root"), node(31, "R", ROOT, isRelease=True), node(32, "P", 31), node(33, "Q", 32)]
    put_nouns(store, iterations=[*tree, node(34, "S", 33), node(35, "T", 31), node(36, "U", ROOT)])

    release = store.plan.iterations.release_of(34)

    assert release is not None
    assert (release.entry.id, {each.id for each in release.iterations}) == (31, {34, 35})
    assert store.plan.iterations.release_of(36) is None


async def test_open_tasks_in_the_same_place_under_the_plan_follow_their_item(store: Store) -> None:
    await store.plan.move([1], FAR)
    assert set(store.plan.state.changes) == {1, 5}
    await store.plan.stage({5: {"IterationID": SPRINT}})

    along = store.plan.along({1: {"IterationID": NEXT, "Estimate": "1"}})
    await store.plan.unplan([1])

    assert along == {1: {"IterationID": NEXT, "Estimate": "1"}}
    assert not store.plan.state
    assert store.plan.along({1: {"IterationID": NEXT}, 5: {"Estimate": None}}) == {
        1: {"IterationID": NEXT},
        5: {"Estimate": None},
    }
    assert set(store.plan.along({1: {"IterationID": NEXT}})) == {1, 5}


async def test_unplanning_moved_and_unmoved_items_is_one_step(store: Store) -> None:
    await store.plan.move([2], NEXT)

    await store.plan.unplan([1, 2])
    after = dict(store.plan.state.changes)
    await store.plan.undo()

    assert after == {1: {"IterationID": ROOT}, 5: {"IterationID": ROOT}}
    assert store.plan.state.changes == {2: {"IterationID": NEXT}}
    assert await store.plan.undo()
    assert not store.plan.state


async def test_a_planned_task_of_an_unplanned_item_gets_its_plan_back_by_one_undo(store: Store) -> None:
    await store.plan.move([7], SPRINT)

    await store.plan.unplan([1, 7])
    after = dict(store.plan.state.changes)
    await store.plan.undo()

    assert after == {each: {"IterationID": ROOT} for each in (1, 5, 7)}
    assert store.plan.state.changes == {7: {"IterationID": SPRINT}}
    await store.plan.redo()
    assert store.plan.state.changes == after


async def test_a_contested_move_is_unplanned(store: Store) -> None:
    await store.plan.move([2], NEXT)
    put(store, [item(2, IterationID=FAR, Estimate="3")])
    assert store.plan.state.contests

    await store.plan.unplan([2])

    assert not store.plan.state


async def test_a_plan_over_theirs_keeps_its_other_fields(store: Store) -> None:
    await store.plan.stage({2: {"IterationID": NEXT, "Estimate": "13"}})
    put(store, [item(2, IterationID=FAR, Estimate="3")])

    (change,) = store.plan.difference()

    over = change.over_theirs()
    assert over.fields == {"IterationID": PlannedValue(FAR, NEXT), "Estimate": PlannedValue("3", "13")}
    assert not over.contests


@pytest.mark.parametrize(
    ("staged", "saved", "kept"),
    [({"Estimate": "5"}, [], {"Estimate": "5"}), ({"Estimate": "3"}, [], {}), ({"AssignedToID": 1}, [2], {})],
)
async def test_a_change_is_saved_as_it_was_shown(
    store: Store, staged: dict[str, object], saved: list[int], kept: dict[str, object]
) -> None:
    await store.plan.stage({2: {"Estimate": "13"}})
    shown = store.plan.difference()
    await store.plan.stage({2: staged})

    assert list(await store.plan.commit(shown)) == saved
    assert store.plan.state.changes.get(2, {}) == (kept or {key: staged[key] for key in staged if saved})


async def test_a_saved_plan_is_shown_and_an_item_that_came_back_stays_planned(store: Store) -> None:
    await store.plan.stage({1: {"Estimate": "13"}, 2: {"Estimate": "1"}})
    first = [each for each in store.plan.difference() if each.id == 1]

    await store.plan.commit(first, gone=[2])

    found = store.item(1)
    assert found is not None
    assert found.fields["Estimate"] == "13"
    assert store.plan.state.changes == {2: {"Estimate": "1"}}
    assert store.plan.draft.step == store.outbox_entries()[0].step


async def test_values_of_a_plan_are_laid_over_rows_and_items(store: Store) -> None:
    view = store.view(ViewSpec())
    await view.load()
    rows = {row.id: row for row in view.rows(0, 9)}
    await store.plan.stage({1: {"Estimate": "13", "AssignedToID": None}, 2: {"IterationID": NEXT}})

    row = store.plan_preview.laid_over(rows[1])

    assert (row.estimate, row.owner_id, row.iteration_id, row.sign) == ("13", None, SPRINT, RowSign.ALTERED)
    found = store.item(1)
    assert found is not None
    assert store.plan_preview.item_laid_over(found).fields["Estimate"] == "13"
    for sign, shown in ((RowSign.PENDING, RowSign.PLANNED), (RowSign.REFUSED, RowSign.REFUSED)):
        assert store.plan_preview.laid_over(rows[2]._replace(sign=sign)).sign is shown
    put(store, [item(2, IterationID=FAR, Estimate="3")])
    assert store.plan_preview.laid_over(rows[2]).sign is RowSign.CONTESTED


async def test_a_list_of_iterations_has_the_items_planned_into_it(store: Store) -> None:
    await store.plan.stage({1: {"IterationID": NEXT}, 2: {"Estimate": "13"}, 3: {"IterationID": FAR}})

    specs = {place: store.plan_preview.spec(ViewSpec(), frozenset({place})) for place in (SPRINT, NEXT)}

    assert {place: (set(spec.planned_in), set(spec.planned_out)) for place, spec in specs.items()} == {
        SPRINT: (set(), {1, 3}),
        NEXT: ({1}, {3}),
    }
    view = store.view(specs[NEXT])
    await view.load()
    assert list(view.ids()) == [1]
    assert store.plan_preview.totals_of(NodeTotals(2, 11.0), [1, 2]) == NodeTotals(2, 21.0)
    assert store.plan_preview.totals_of(NodeTotals(1, 8.0), [1]) == NodeTotals(1, 8.0)
    assert store.batch.task_counts([1, 2]) == {1: 2}


async def test_loads_count_open_work_in_its_planned_place(store: Store) -> None:
    await store.plan.stage({1: {"IterationID": NEXT, "AssignedToID": None}, 2: {"Estimate": None}})

    planned = store.plan_preview.loads_now([SPRINT, NEXT])
    current = store.plan_preview.loads_now([SPRINT, FAR], {})

    assert [(planned[each].count, planned[each].points, planned[each].hours) for each in (SPRINT, NEXT)] == [
        (1, 0.0, 6.0),
        (1, 8.0, 2.0),
    ]
    assert (planned[SPRINT].unestimated, set(planned[NEXT].people)) == (1, {None})
    assert planned[NEXT].teams[4].points == 8.0
    assert (current[FAR].count, current[FAR].unestimated) == (1, 0)
    assert (current[SPRINT].count, current[SPRINT].points, current[SPRINT].people[1].points) == (2, 11.0, 8.0)


async def test_a_plan_with_an_invalid_value_is_not_saved_at_all(store: Store) -> None:
    await store.plan.stage({1: {"AssignedToID": 1, "Estimate": "1"}, 2: {"IterationID": FAR}})
    shown = store.plan.difference()
    put_nouns(store, iterations=[node(ROOT, "Root"), node(SPRINT, "S", ROOT)])

    error = await raised(store.plan.commit(shown))

    assert isinstance(error, BadRequest)
    assert list(error.errors) == ["#2"]
    assert not store.outbox_entries()
