"""Commands of the plan over a store without a service: what they move, ask, save and refuse."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put, put_nouns, state_project
from tests.tui.plan.fake_plan import FakePlan
from tests.tui.target import fault_of, rows_of, run, stage, taken_by, words_of

from backlit.model.errors import BadRequest, Forbidden
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.person_load import PersonLoad
from backlit.model.settings.user_settings import OwnCapacities
from backlit.store import EntryKind, Store
from backlit.store.edits.rollover import RolloverDecision, RolloverOutcome
from backlit.store.records.item import Document
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.line import FormDialog
from backlit.tui.drawing.themes import type_sign
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.field_edits import FieldEdit, set_field_edit
from backlit.tui.plan.plan_commands import stage as stage_change
from backlit.tui.plan.rollover import RolloverDialog, SplitAsked
from backlit.tui.plan.sprint_events import close

DOCUMENTS = (
    item(1, Estimate="3", IterationID=20),
    item(2, Estimate="5", IterationID=21, AssignedToID=7),
    item(3, kind="Task", ParentID=2, IterationID=21, WorkRemaining=4.0),
    item(4, Estimate="8", IterationID=20),
    item(5, kind="Bug", IterationID=21, Status="Done", Estimate="2"),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with offline_store(tmp_path, DOCUMENTS) as store:
        put_sprints(store)
        yield store


def put_sprints(store: Store, *more: dict[str, object]) -> None:
    """Store an ended, a current and a coming sprint of ten days each."""
    days = [store.today() + timedelta(10 * at - 5) for at in (-1, 0, 1)]
    sprints = [
        node(21 + at, f"S{at + 1}", 20, startDate=f"{day}", endDate=f"{day + timedelta(9)}", maxCapacity=10.0)
        for at, day in enumerate(days)
    ]
    put_nouns(store, iterations=[node(20, "Shop"), *sprints, *more], user=[{"id": 7, "name": "zoe"}])


def plan_at(store: Store, here: int | None, *ids: int, answers: Sequence[object] = ()) -> FakePlan:
    """A plan in the pane of an iteration, or of the backlog for None, with panes of the last two sprints."""
    every = {each.id: each for each in store.plan.iterations.targets()}
    return FakePlan(store, ids, answers, [every[22], every[23]], every[here] if here else None)


def planned(store: Store) -> dict[int, object]:
    return {item_id: dict(each) for item_id, each in store.plan.state.changes.items()}


async def test_a_sprint_that_has_not_begun_is_not_closed(store: Store) -> None:
    target = plan_at(store, 23)

    with pytest.raises(CannotAct, match=r"S3 has not begun: it starts on \d+ \w+"):
        await close(target, store.lookups.iterations()[23])

    assert target.asked == []


# Moving


@pytest.mark.parametrize(
    ("here", "ids", "count", "moved", "passed"),
    [
        (None, [1], None, {1: 22}, {1}),
        (None, [1, 4], 2, {1: 23, 4: 23}, {1, 4}),
        (22, [1], 2, {1: 23}, {1}),
        (21, [2], None, {2: 22, 3: 22}, {2}),
        (23, [1], 1, {1: 22}, {1}),
    ],
)
async def test_items_are_planned_from_the_pane_that_has_the_focus(
    store: Store, *, here: int | None, ids: list[int], count: int | None, moved: dict[int, int], passed: set[int]
) -> None:
    target = plan_at(store, here, *ids)

    await run(target, "plan.send", count)

    assert planned(store) == {item_id: {"IterationID": place} for item_id, place in moved.items()}
    assert target.passed == [passed]


async def test_planning_refuses_what_is_planned_and_where_there_is_no_further_sprint(store: Store) -> None:
    put(store, [item(6, IterationID=22)])
    for target, reason in (
        (plan_at(store, None, 6), "Already planned into S2"),
        (plan_at(store, 22, 1), r"Already in S2\. 2> plans into S3\."),
    ):
        with pytest.raises(CannotAct, match=reason):
            await run(target, "plan.send")
    await run(plan_at(store, None, 1, 6), "plan.send")

    assert planned(store) == {1: {"IterationID": 22}}


async def test_a_move_is_reverted_and_an_unplanned_item_goes_to_the_backlog(store: Store) -> None:
    put(store, [item(6, IterationID=20)])
    await store.plan.move([1], 22)
    await store.plan.stage({4: {"Estimate": "13"}})
    reverted, moved = plan_at(store, 22, 1, 4), plan_at(store, 21, 2)

    with pytest.raises(CannotAct, match="The selected items are not planned"):
        await run(plan_at(store, None, 4, 6), "plan.back")
    await run(reverted, "plan.back")
    after = planned(store)
    await run(moved, "plan.back")

    assert after == {4: {"Estimate": "13"}}
    assert planned(store)[2] == {"IterationID": 20}
    assert (reverted.passed, moved.passed) == ([frozenset()], [{2}])


async def test_the_target_goes_on_by_the_count_and_stops_at_the_ends(store: Store) -> None:
    target = plan_at(store, None)

    await run(target, "plan.previous-target")
    first = store.plan.draft.target
    await run(target, "plan.previous-target", 5)
    start = store.plan.draft.target
    await run(target, "plan.next-target", 5)

    assert (first, start, store.plan.draft.target) == (21, 21, 23)
    last = FakePlan(store, targets=store.plan.iterations.targets()[-1:])
    with pytest.raises(CannotAct, match="S3 is the last iteration"):
        await run(last, "plan.next-target")
    with pytest.raises(CannotAct, match="S1 is the first iteration"):
        await run(FakePlan(store, targets=store.plan.iterations.targets()), "plan.previous-target")


# Staging, undo and discarding


async def test_only_planned_fields_are_staged_and_a_repeat_is_kept(store: Store) -> None:
    target, other = plan_at(store, None, 1), plan_at(store, None, 4)
    estimate = set_field_edit(FIELD_BY_KEY["Estimate"], "13", "13")
    both = FieldEdit("Both", (), lambda _: {"Estimate": "1", "Priority": 2}, is_repeatable=False)

    await stage_change(target, estimate, target.chosen())
    await stage_change(other, both, other.chosen())

    mixed = FieldEdit("Mixed", (), lambda each: {"Estimate": "2"} if each.id == 1 else {"Priority": 3})
    target.ids, target.answers = [1, 4], [None]
    await stage_change(target, mixed, target.chosen())

    assert planned(store) == {1: {"Estimate": "13"}}
    assert [(each.kind, each.payload) for each in store.outbox_entries()] == [
        (EntryKind.EDIT, {"Estimate": "1", "Priority": 2})
    ]
    assert (target.session.last_act, other.session.last_act) == (estimate, None)


async def test_a_change_is_compared_with_the_planned_value(store: Store) -> None:
    await store.plan.stage({1: {"Estimate": "13"}})
    target = plan_at(store, None, 1)

    for points in ("13", "3"):
        items = [store.plan_preview.item_laid_over(each) for each in target.chosen()]
        await stage_change(target, set_field_edit(FIELD_BY_KEY["Estimate"], points, points), items)

    assert (planned(store), target.said, store.outbox_entries()) == ({}, ["No change needed."], ())


async def test_an_iteration_with_other_values_moves_no_tasks(store: Store) -> None:
    target = plan_at(store, 21, 2)
    move = set_field_edit(FIELD_BY_KEY["IterationID"], 22, "S2")
    both = FieldEdit("Both", (), lambda _: {"IterationID": 23, "Estimate": "8"})

    await stage_change(target, move, target.chosen())
    along = planned(store)
    await store.plan.discard()
    await stage_change(target, both, target.chosen())

    assert along == {2: {"IterationID": 22}, 3: {"IterationID": 22}}
    assert planned(store)[2] == {"IterationID": 23, "Estimate": "8"}


async def test_undo_stops_at_the_beginning_and_goes_to_the_item(store: Store) -> None:
    target = plan_at(store, None, 1)
    await run(target, "plan.send")
    target.ids = [4]
    await run(target, "plan.send", 2)

    await run(target, "plan.undo")
    one = planned(store)
    await run(target, "plan.undo", 5)
    none = planned(store)
    await run(target, "plan.undo", 3)
    await run(target, "plan.redo")

    assert (one, none, planned(store)) == ({1: {"IterationID": 22}}, {}, {1: {"IterationID": 22}})
    assert (target.added, target.run) == ([4, 1, 1], [("app.undo", 3)])


async def test_a_plan_is_discarded_only_where_there_is_one(store: Store) -> None:
    with pytest.raises(CannotAct, match="The plan has no changes"):
        await run(plan_at(store, None), "plan.discard")
    await store.plan.move([1], 22)
    target = plan_at(store, None)

    await run(target, "plan.discard")

    assert (planned(store), target.said) == ({}, ["Plan discarded. u to undo."])


@pytest.mark.parametrize(("here", "changed"), [(None, 22), (21, 21)])
async def test_the_capacity_is_that_of_the_pane_or_of_the_target(store: Store, here: int | None, changed: int) -> None:
    target = plan_at(store, here, answers=[("2", "12.5")])

    await run(target, "plan.capacity")

    dialog = target.asked[0]
    assert isinstance(dialog, FormDialog)
    assert dialog.typed == ("", "10")
    found = store.lookups.iterations()
    assert {each for each in found if found[each].max_capacity == 12.5} == {changed}
    target.answers = [None]
    await run(target, "plan.capacity")
    assert {each: entry.max_capacity for each, entry in store.lookups.iterations().items()}[changed] == 12.5
    state_project(store, role="reader")
    with pytest.raises(BadRequest, match="Only managers"):
        await run(target, "plan.capacity")


async def test_a_reader_is_led_on_where_others_are_told_to_plan(store: Store) -> None:
    state_project(store, role="reader")
    target, said = plan_at(store, 23), []
    for command_id in ("difference", "send", "back"):
        with pytest.raises((CannotAct, Forbidden)) as refused:
            await run(target, f"plan.{command_id}")
        said.append(str(refused.value))
    put_nouns(store, iterations=[node(20, "Shop")])
    with pytest.raises(CannotAct, match=r"There is no iteration yet\. gb shows the backlog\."):
        await run(FakePlan(store), "plan.next-target")

    assert said[0] == "The plan has no changes. W shows the workload."
    assert [each[:29] for each in said[1:]] == ["This project is read only for"] * 2


async def test_nothing_is_planned_aimed_at_or_measured_without_an_iteration(store: Store) -> None:
    put_nouns(store, iterations=[node(20, "Shop")])
    target = FakePlan(store, [1])

    for command_id in ("send", "next-target", "capacity", "workload"):
        with pytest.raises(CannotAct, match=r"There is no iteration to plan into\. Press gi"):
            await run(target, f"plan.{command_id}")
    put_nouns(store, iterations=[])
    with pytest.raises(CannotAct, match="The iterations are still loading"):
        await run(target, "plan.send")


async def test_the_workload_compares_people_and_teams_and_sums_the_release_up(store: Store) -> None:
    days = {"startDate": f"{store.today()}", "endDate": f"{store.today()}"}
    release = node(30, "R1", 20, isRelease=True, minCapacity=20.0, maxCapacity=30.0, **days)
    sprints = [node(22, "S2", 30, maxCapacity=10.0, **days), node(23, "S3", 30, **days)]
    users = [{"id": number, "name": name} for number, name in ((7, "zoe"), (8, "ada"))]
    put_nouns(store, iterations=[node(20, "Shop"), release, *sprints], user=users)
    documents = [
        item(1, Estimate="3", IterationID=22, AssignedToID=7),
        item(2, Estimate="3", IterationID=22, AssignedToID=8, Status="Done"),
        item(6, Estimate="2", IterationID=22, TeamID=5, Status="Done"),
        item(3, kind="Task", ParentID=2, IterationID=22, WorkRemaining=4.0, AssignedToID=7),
        item(4, Estimate=None, IterationID=22),
        item(5, Estimate="8", IterationID=23, AssignedToID=7),
    ]
    put(store, documents)
    await store.plan.stage({2: {"AssignedToID": 7}})
    target = plan_at(store, 22, answers=[None, "}", None])
    await run(target, "plan.workload")
    target.session.capacities = OwnCapacities({"zoe": PersonLoad(5.0, 9.0)})
    await run(target, "plan.workload")

    before, after, beside = (
        " ".join(re.sub("[█▉▊▋▌▍▎▏━╸]|(?<=─)─+", " ", words_of(each)).split()) for each in target.asked
    )
    assert before == (
        "Workload of S2 8 pts, max 10 4 items · 5 pts done · 1 unestimated"
        " 0─ ╯ 10 target 15 pts"
        " Owner Points Share Hours zoe 6 75% 4 unassigned 2 25% Team Points Share Hours no team 6 75% 4 team 5 2 25%"
        " R1 16 pts, capacity 20–30 4 under 5 done 11 open"
        " 0 target 20 ╰─ ╯ 30 40 pts No velocity yet: no closed sprint."
    )
    assert "zoe 6 of 5 local limit 75% 4 of 9 unassigned 2" in after
    assert beside.startswith("Workload of S3 8 pts")


# Saving


async def test_a_plan_is_saved_after_a_look_at_it(store: Store) -> None:
    with pytest.raises(CannotAct, match="The plan has no changes"):
        await run(plan_at(store, None), "plan.commit")
    await store.plan.move([1], 22)
    await store.plan.stage({4: {"Estimate": "13"}})
    put(store, [item(4, Estimate="21", IterationID=20)])

    def overtaken(_: object) -> str:
        put(store, [item(1, Estimate="3", IterationID=23)])
        return "y"

    target = plan_at(store, None, answers=[None, overtaken])

    await run(target, "plan.difference")
    before = store.outbox_entries()
    await store.plan.move([2], 22)
    await run(target, "plan.commit")

    assert [words_of(each).split("\n")[0] for each in target.asked] == ["Plan changes", "Save plan"]
    assert taken_by(target.asked[0], "yma") == "ym"
    assert before == ()
    assert {each.item_id: each.payload for each in store.outbox_entries()} == {
        2: {"IterationID": 22},
        3: {"IterationID": 22},
    }
    assert target.said == ["! Plan saved: 1 item, 1 task. u to undo. 1 changed on the server and stay in the plan."]


async def test_a_plan_is_summed_up_before_it_is_saved(store: Store) -> None:
    sign, old = type_sign("Story"), "no changes for 90 days"
    put(store, [item(6, IterationID=20, Estimate=None, AssignedToID=7), item(7, IterationID=20)])
    await store.plan.move([4, 6, 7], 22)
    await store.plan.move([2], 23)
    await store.plan.stage({1: {"Estimate": "13"}})
    put(store, [item(4, Estimate="8", IterationID=23)])
    store.files.submit(lambda writer: writer.mirror.remove_items([7])).result()
    target = plan_at(store, None, answers=[None, None])
    target.session.capacities = OwnCapacities({"zoe": PersonLoad(4.0)})
    await run(target, "plan.difference")

    title, loads, changes = words_of(target.asked[0]).splitlines()
    assert title == "Plan changes"
    assert loads == (
        f"S1 7 → 2 pts ✓ on target {'█' * 6}▍ target 10"
        " S2 0 pts ✓ on target · 1 unestimated target 10"
        f" S3 8 → 13 pts 3 over {'█' * 41}▋ target 10 ! zoe has 5 of 4 pts (local limit)"
        " 1 item was deleted and will leave the plan. ≠ 1 item was changed by someone else and will be skipped."
    )
    assert changes == (
        f"Other changes 2 items Pts ¬ Not ready ¬ #1 {sign} Item 1 3 → 13 {old} ¬ #4 {sign} Item 4 8 {old}"
        f" ≠ S3 now, planned: S2 S1 → S3 1 item Pts ¬ Not ready ¬ #2 {sign} Item 2 with 1 task 5 {old}"
        f" Backlog → S2 1 item Pts ¬ Not ready ¬ #6 {sign} Item 6 – no estimate, {old}"
    )
    assert taken_by(target.asked[0], "yma") == "ym"


async def test_the_review_marks_what_is_not_ready_with_its_planned_values(store: Store) -> None:
    def ready(item_id: int, estimate: str | None) -> Document:
        values = item(item_id, IterationID=20, Estimate=estimate, AreaID=2, AssignedToID=7, Status="In Progress")
        return {**values, "lastModifiedAt": f"{store.today()}T00:00:00.000"}

    put(store, [ready(6, None), ready(7, "3")])
    await store.plan.stage({6: {"Estimate": "8"}, 7: {"AssignedToID": None}})
    target = plan_at(store, None, answers=[None])
    await run(target, "plan.difference")

    sign, words = type_sign("Story"), words_of(target.asked[0])
    assert f" #6 {sign} Item 6 – → 8" in words
    assert "¬ #6" not in words
    assert f"¬ #7 {sign} Item 7 3" in words
    assert set(store.ready_check.faults([6, 7])) == {6}


async def test_a_plan_with_only_contested_changes_offers_nothing_but_to_overwrite_them(store: Store) -> None:
    await store.plan.move([4], 22)
    put(store, [item(4, Estimate="8", IterationID=23)])
    target = plan_at(store, None, answers=[None])
    await run(target, "plan.difference")

    assert taken_by(target.asked[0], "yma") == "m"


async def test_a_reader_looks_at_a_plan_and_saves_nothing(store: Store) -> None:
    await store.plan.move([1], 22)
    state_project(store, role="reader")
    target = plan_at(store, None, answers=[None])

    await run(target, "plan.difference")
    with pytest.raises(Forbidden):
        await run(target, "plan.commit")

    assert taken_by(target.asked[0], "ym") == ""
    assert words_of(target.asked[0]).startswith("Plan changes")


# Rollover


async def test_an_iteration_is_rolled_over_from_its_pane_or_picked(store: Store) -> None:
    put(store, [item(6, IterationID=22), item(7, IterationID=23), item(8, IterationID=24, Estimate="2")])
    ended = store.today() - timedelta(30)
    put_sprints(store, node(24, "S0", 20, startDate=f"{ended}", endDate=f"{ended + timedelta(9)}"))
    target = plan_at(store, 22, answers=[None] * 3)

    await run(target, "plan.rollover")
    picked = plan_at(store, 23, answers=[Choice(24, ""), None])
    await run(picked, "plan.rollover")

    assert isinstance(target.asked[0], RolloverDialog)
    rows = rows_of(picked.asked[0])
    assert [(each.value, each.hint.partition(",")[0]) for each in rows] == [(21, "1 unfinished"), (24, "1 unfinished")]
    assert isinstance(picked.asked[1], RolloverDialog)


async def test_a_split_asks_for_the_done_points_and_goes_on_after_the_item(store: Store) -> None:
    put(store, [item(6, IterationID=21, Estimate="8")])
    key = "rollover:1:21"
    seen: list[tuple[object, object]] = []

    def look(dialog: object) -> SplitAsked:
        assert isinstance(dialog, RolloverDialog)
        seen.append((dict(dialog.decisions), (store.drafts.find(key) or {}).get("2")))
        return SplitAsked(0, dialog.decisions)

    def end(dialog: object) -> object:
        return {**look(dialog).decisions, 6: RolloverDecision(RolloverOutcome.BACKLOG)}

    target = plan_at(store, 21, answers=[look, None, look, "0", look, "2,5", end])
    await store.drafts.save(key, {"2": ["stay", 0.0]})

    await run(target, "plan.rollover")

    assert seen == [
        ({2: RolloverDecision(RolloverOutcome.STAY)}, ["stay", 0.0]),
        ({2: RolloverDecision(RolloverOutcome.STAY)}, ["stay", 0.0]),
        ({2: RolloverDecision(RolloverOutcome.SPLIT, 0.0)}, ["split", 0.0, False]),
        ({2: RolloverDecision(RolloverOutcome.SPLIT, 2.5)}, ["split", 2.5, False]),
    ]
    assert [fault_of(target.asked[1], text) for text in ("x", "6", "5", "0")] == [
        *("Enter a number, such as 3.", "The item has 5 points.", "", ""),
    ]
    assert store.drafts.find("rollover:1:21") is None
    assert target.said == ["S1: 2 items carried over. u to undo."]
    moved = {each.id: each.fields["IterationID"] for each in store.batch.items([2, 6])}
    assert moved == {2: 22, 6: 20}


async def test_keys_decide_item_by_item(store: Store) -> None:
    put(store, [item(6, IterationID=21, Estimate="8"), item(7, IterationID=21)])
    opened: list[RolloverDialog] = []
    target = plan_at(store, 21, answers=[opened.append])
    await run(target, "plan.rollover")
    (dialog,) = opened

    found = []
    for keys in ("d", "D", "kDn", "nz", "kd", "kkkn"):
        with stage():
            for key in keys:
                dialog.type_early(key)
            found.append(dict(dialog.decisions))
            for _ in range(9):
                dialog.press("backspace")

    assert found == [
        {2: RolloverDecision(RolloverOutcome.DONE, with_tasks=True)},
        {2: RolloverDecision(RolloverOutcome.DONE)},
        {2: RolloverDecision(RolloverOutcome.STAY), 6: RolloverDecision(RolloverOutcome.NEXT)},
        {2: RolloverDecision(RolloverOutcome.NEXT), 6: RolloverDecision(RolloverOutcome.NEXT)},
        {2: RolloverDecision(RolloverOutcome.STAY), 6: RolloverDecision(RolloverOutcome.DONE)},
        {
            2: RolloverDecision(RolloverOutcome.STAY),
            6: RolloverDecision(RolloverOutcome.STAY),
            7: RolloverDecision(RolloverOutcome.STAY),
        },
    ]


async def test_the_current_iteration_rolls_over_into_the_next_one_and_an_empty_one_gives_way(store: Store) -> None:
    empty = plan_at(store, 22, answers=[{}])
    await run(empty, "plan.rollover")
    put(store, [item(6, IterationID=22)])

    await run(plan_at(store, 22, answers=[{6: RolloverDecision(RolloverOutcome.NEXT)}]), "plan.rollover")

    assert empty.said == ["S1: 0 items carried over. u to undo."]
    assert store.batch.items([6])[0].fields["IterationID"] == 23


async def test_a_plan_forgets_deleted_items_when_it_is_saved(store: Store) -> None:
    await store.plan.move([1], 22)
    store.files.submit(lambda writer: writer.mirror.remove_items([1])).result()
    target = plan_at(store, None, answers=["y"])

    await run(target, "plan.commit")

    assert taken_by(target.asked[0], "ym") == "y"
    assert (store.plan.state.gone, store.plan.draft.items) == (frozenset(), {})
