"""Commands of the plan against a target without a screen."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put_nouns
from tests.store.plan_steps import add_sprints, ended_sprint, held, stories
from tests.store.world import World, sent
from tests.tui.plan.fake_plan import FakePlan
from tests.tui.target import run
from tests.tui.target import words_of as dialog_words

from backlit.model.fields import FIELD_BY_KEY
from backlit.model.planning import IterationEvent, PlannedLoad, Velocity
from backlit.model.settings.user_settings import OwnCapacities
from backlit.model.trees import NodeTotals
from backlit.store import ItemRow, IterationEntry, Store, TreeKind, ViewSpec
from backlit.store.edits.rollover import RolloverDecision, RolloverOutcome
from backlit.store.planning.draft import ContestedValue, PlannedValue
from backlit.store.planning.plan import PlanChange
from backlit.store.records.people import current, preceding, target_of
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.reading import Line, laid_out
from backlit.tui.drawing.themes import type_sign
from backlit.tui.fields.dates import Phase, phases
from backlit.tui.fields.field_edits import set_field_edit
from backlit.tui.items.bulk_edit import journal
from backlit.tui.plan.capacity import PeopleCapacities
from backlit.tui.plan.commit import MAX_REVIEW_LINES, PlanSummary, plan_lines
from backlit.tui.plan.pane_contents import Forecast, rounds_of
from backlit.tui.plan.plan_commands import stage
from backlit.tui.plan.rollover import RolloverDialog


async def unplanned(store: Store, count: int) -> list[ItemRow]:
    root = store.plan.iterations.backlog_id
    rows = [row for row in await stories(store, 99) if row.iteration_id == root and not store.batch.tasks_of(row.id)]
    return rows[:count]


async def test_send_plans_into_the_iteration_of_the_count(store: Store) -> None:
    first, second = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    target = FakePlan(store, [row.id], targets=[first, second])

    await run(target, "plan.send", 2)

    assert store.plan.state.changes == {row.id: {"IterationID": second.id}}
    assert target.passed == [{row.id}]


async def test_send_plans_into_the_target_from_the_pane_of_another_iteration(store: Store) -> None:
    first, second = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    await store.plan.move([row.id], second.id)

    await run(FakePlan(store, [row.id], targets=[first, second], here=second), "plan.send")

    assert store.plan.state.changes == {row.id: {"IterationID": first.id}}


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        (None, r"Already in Plan 1\. 2> plans into Plan 2\."),
        (1, r"Already in Plan 1\. 2> plans into Plan 2\."),
        (9, r"No iteration 9\. 2> plans into the last, Plan 2\."),
    ],
)
async def test_send_refuses_the_pane_itself_and_iterations_that_are_not_there(
    store: Store, count: int | None, reason: str
) -> None:
    first, second = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    target = FakePlan(store, [row.id], targets=[first, second], here=first)

    with pytest.raises(CannotAct, match=reason):
        await run(target, "plan.send", count)

    assert target.passed == []


@pytest.mark.parametrize("days", [1, 13])
@pytest.mark.parametrize("answer", [None, "y"])
async def test_an_iteration_that_has_ended_is_planned_into_only_after_a_question(
    store: Store, days: int, answer: str | None
) -> None:
    first, _ = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    end = date.today() - timedelta(days=days)
    await store.nodes.edit(TreeKind.ITERATIONS, first.id, {"startDate": str(end - timedelta(9)), "endDate": str(end)})
    await sent(store)
    ended = store.lookups.iterations()[first.id]
    sending, staging = FakePlan(store, [row.id], [answer], [ended]), FakePlan(store, [row.id], [answer], [ended])

    await run(sending, "plan.send")
    sent_to = dict(store.plan.state.changes)
    await store.plan.discard()
    await stage(staging, set_field_edit(FIELD_BY_KEY["IterationID"], ended.id, ended.name), staging.chosen())

    assert sent_to == store.plan.state.changes == ({row.id: {"IterationID": ended.id}} if answer else {})
    assert sending.passed == ([{row.id}] if answer else [])
    for target in (sending, staging):
        assert f"{ended.name} ended {days} day{'s' * (days > 1)} ago." in dialog_words(target.asked[0])


async def test_back_refuses_an_unplanned_item_of_the_backlog(store: Store) -> None:
    (row,) = await unplanned(store, 1)

    with pytest.raises(CannotAct, match=f"#{row.id} is not planned"):
        await run(FakePlan(store, [row.id]), "plan.back")


async def test_aim_stops_at_the_last_iteration(store: Store) -> None:
    first, second = await add_sprints(store)

    await run(FakePlan(store, targets=[first, second]), "plan.next-target", 99)

    assert store.plan.draft.target == store.plan.iterations.targets()[-1].id
    with pytest.raises(CannotAct, match="is the last iteration"):
        await run(FakePlan(store, targets=store.plan.iterations.targets()[-1:]), "plan.next-target")


async def test_a_step_to_another_sprint_takes_the_message_about_the_way_there(store: Store) -> None:
    first, second = await add_sprints(store)
    target = FakePlan(store, targets=[first, second])
    target.say(f"#9 is in {second.name}. Press }} to show it.")

    await run(target, "plan.next-target")

    assert target.forgotten == 1


async def test_undo_and_redo_walk_the_draft_by_the_count(store: Store) -> None:
    first, second = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    target = FakePlan(store, [row.id], targets=[first, second])
    await run(target, "plan.send")
    await run(target, "plan.send", 2)

    await run(target, "plan.undo", 9)
    undone = dict(store.plan.state.changes)
    await run(target, "plan.redo", 2)

    assert undone == {}
    assert store.plan.state.changes == {row.id: {"IterationID": second.id}}
    assert target.run == []


async def test_the_undo_of_a_planned_feature_leaves_the_cursor_on_it(store: Store) -> None:
    sprints, view = await add_sprints(store), store.view(ViewSpec(query="type:feature"))
    await view.load()
    feature_id = next(each for each in view.ids() if store.plan_preview.unplanned_below([each]))
    target = FakePlan(store, [feature_id], ["y"], sprints)
    await run(target, "plan.send")
    planned = dict(store.plan.state.changes)
    await run(target, "plan.undo")
    on_feature = list(target.added)
    target.ids = list(planned)[:1]
    await run(target, "plan.redo")

    assert planned
    assert on_feature == []
    assert target.added == [next(iter(planned))]


async def test_undo_and_redo_without_a_step_of_the_draft_are_the_application_s(store: Store) -> None:
    target = FakePlan(store)

    await run(target, "plan.undo", 2)
    await run(target, "plan.redo")

    assert target.run == [("app.undo", 2), ("app.redo", None)]


async def test_undo_takes_back_what_was_done_last_be_it_of_the_draft_or_of_the_journal(store: Store) -> None:
    first, second = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    target = FakePlan(store, [row.id], targets=[first, second])
    await run(target, "plan.send")
    await store.items.edit([row.id], {"Name": "Renamed"})
    await run(target, "plan.send", 2)

    await run(target, "plan.undo", 9)
    of_draft = dict(store.plan.state.changes)
    await run(target, "plan.undo")
    asked = list(target.run)
    await store.history.undo()
    await run(target, "plan.undo")
    nothing = dict(store.plan.state.changes)
    await run(target, "plan.redo", 9)
    await run(target, "plan.redo")

    assert of_draft == {row.id: {"IterationID": first.id}} == dict(store.plan.state.changes)
    assert (asked, nothing) == ([("app.undo", None)], {})
    assert target.run[1:] == [("app.redo", None)]


async def test_stage_plans_planned_fields_and_journals_others(world: World, store: Store) -> None:
    (row,) = await unplanned(store, 1)
    target = FakePlan(store, [row.id])

    await stage(target, set_field_edit(FIELD_BY_KEY["Estimate"], "21", "21"), target.chosen())
    await stage(target, set_field_edit(FIELD_BY_KEY["Name"], "Renamed", "Renamed"), target.chosen())
    await sent(store)

    assert store.plan.state.changes == {row.id: {"Estimate": "21"}}
    assert await held(world, row.id, "Name", "Estimate") == ["Renamed", row.estimate]


async def test_commit_writes_only_after_a_yes(world: World, store: Store) -> None:
    first, _ = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    await store.plan.move([row.id], first.id)
    target = FakePlan(store, answers=[None, True])

    await run(target, "plan.commit")
    before = store.outbox_entries()
    await run(target, "plan.commit")
    await sent(store)

    assert before == ()
    assert target.said == ["Plan saved: 1 item. u to undo."]
    assert await held(world, row.id, "IterationID") == [first.id]


async def test_commit_writes_mine_over_theirs_only_when_that_is_asked_for(world: World, store: Store) -> None:
    first, second = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    await store.plan.move([row.id], first.id)
    await world.rival.work_items.update(row.id, {"IterationID": second.id})
    await store.refresh()

    await run(FakePlan(store, answers=[True]), "plan.commit")
    left = store.plan.state.contests
    await run(FakePlan(store, answers=["m"]), "plan.commit")
    await sent(store)

    assert row.id in left
    assert await held(world, row.id, "IterationID") == [first.id]


async def test_rollover_resumes_after_the_kept_answers_and_discards_them_once_written(store: Store) -> None:
    ended, _, rows = await ended_sprint(store, 3)
    key = f"rollover:{store.project_id}:{ended.id}"
    kept = [[RolloverOutcome.BACKLOG.value, 0.0, False], [RolloverOutcome.DONE.value, 0.0, True]]
    await store.drafts.save(key, {str(row.id): each for row, each in zip(rows, kept, strict=False)})
    opened = []

    def written(dialog: object) -> object:
        assert isinstance(dialog, RolloverDialog)
        opened.append(dialog.decisions)
        return dialog.decisions

    target = FakePlan(store, answers=[written], here=ended)
    await run(target, "plan.rollover")

    assert opened == [
        {
            rows[0].id: RolloverDecision(RolloverOutcome.BACKLOG),
            rows[1].id: RolloverDecision(RolloverOutcome.DONE, with_tasks=True),
        }
    ]
    assert target.said == [f"{ended.name}: 2 items carried over. u to undo."]
    assert store.drafts.find(key) is None


def sprint(number: int, start: date) -> IterationEntry:
    name = f"Sprint {number}"
    return IterationEntry(number, name, f"Aurora\\{name}", start, start + timedelta(13), None, None, is_release=False)


def test_the_plan_opens_on_the_iteration_after_the_current_one() -> None:
    today = date(2026, 3, 11)
    past, now, coming = [sprint(number, today + timedelta(14 * number - 30)) for number in (1, 2, 3)]

    assert target_of([past, now, coming], None, today) is coming
    assert target_of([past, now, coming], past.id, today) is past
    assert target_of([past, now], None, today) is now
    assert target_of([past], None, today) is past
    assert target_of([], None, today) is None


def test_a_closed_iteration_is_not_the_current_one_but_the_previous() -> None:
    today = date(2026, 3, 11)
    past, now, coming = [sprint(number, today + timedelta(14 * number - 30)) for number in (1, 2, 3)]
    closed = replace(now, closed_at=datetime(2026, 3, 11, 9))

    assert (current([past, now, coming], today), preceding([past, now, coming], today)) == ([now], [past])
    assert (current([past, closed, coming], today), preceding([past, closed, coming], today)) == ([], [closed])
    assert target_of([past, closed], None, today) is closed
    assert phases([now, coming], today) == {now.id: Phase.CURRENT, coming.id: Phase.NEXT}
    assert phases([closed, coming], today) == {closed.id: Phase.PAST, coming.id: Phase.NEXT}


@pytest.mark.parametrize("answer", [None, "y"])
async def test_a_closed_iteration_is_asked_about_though_its_end_is_to_come(store: Store, answer: str | None) -> None:
    first, later = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    await store.nodes.record(first.id, IterationEvent.CLOSE)
    target = FakePlan(store, [row.id], [answer])

    await journal(target, set_field_edit(FIELD_BY_KEY["IterationID"], first.id, first.name), target.chosen())

    moved, before = store.item(row.id), store.plan.iterations.targets()
    assert f"{first.name} is closed: what is done in it now counts as late." in dialog_words(target.asked[0])
    assert moved is not None
    assert (moved.fields.get("IterationID") == first.id) is bool(answer)
    over = before[[each.id for each in before].index(first.id) - 1]
    assert store.plan.iterations.next_after(over.id, store.today()) == later


@pytest.mark.parametrize("answer", [None, "y"])
async def test_an_ended_iteration_is_asked_about_where_no_plan_is_open_too(store: Store, answer: str | None) -> None:
    first, _ = await add_sprints(store)
    (row,) = await unplanned(store, 1)
    end = date.today() - timedelta(days=3)
    await store.nodes.edit(TreeKind.ITERATIONS, first.id, {"startDate": str(end - timedelta(9)), "endDate": str(end)})
    target = FakePlan(store, [row.id], [answer])

    await journal(target, set_field_edit(FIELD_BY_KEY["IterationID"], first.id, first.name), target.chosen())

    moved = store.item(row.id)
    assert f"{first.name} ended 3 days ago." in dialog_words(target.asked[0])
    assert moved is not None
    assert (moved.fields.get("IterationID") == first.id) is bool(answer)


async def test_an_item_larger_than_an_iteration_is_not_said_to_fit(tmp_path: Path) -> None:
    upcoming = [sprint(number, date(2026, 3, 14 * number - 10)) for number in (1, 2)]
    iterations = [node(10, "Shop"), *(node(each.id, each.name, 10) for each in upcoming)]
    with offline_store(tmp_path, [item(1, Estimate="8"), item(2, Estimate="2")]) as store:
        put_nouns(store, iterations=iterations)
        view, forecast = store.view(ViewSpec()), Forecast()
        await view.load()

        forecast.divide(
            view, NodeTotals(2, 10.0), Velocity(3.0, samples=3), upcoming, {1: PlannedLoad(), 2: PlannedLoad()}
        )

        words = [forecast.name(line) for line in view.outline.headers]
        assert [each.partition(" · ")[0] for each in words] == [
            f"larger than {upcoming[0].name}",
            f"fits {upcoming[1].name}",
        ]


async def test_each_part_of_the_forecast_counts_its_own_items(tmp_path: Path) -> None:
    upcoming = [sprint(number, date(2026, 3, 14 * number - 10)) for number in (1, 2)]
    with offline_store(tmp_path, [item(number, Estimate="3") for number in range(1, 8)]) as store:
        view = store.view(ViewSpec())
        await view.load()

        Forecast().divide(
            view,
            NodeTotals(7, 21.0),
            Velocity(7.0, samples=3),
            upcoming,
            {1: PlannedLoad(), 2: PlannedLoad(points=1.0)},
        )

        parts = [(line.value, line.count, line.points) for line in view.outline.headers]
        assert parts == [(1, 2, 6.0), (2, 2, 6.0), (None, 3, 9.0)]


def test_sprints_that_run_together_share_one_velocity() -> None:
    red, blue, later = sprint(1, date(2026, 3, 2)), sprint(2, date(2026, 3, 9)), sprint(3, date(2026, 3, 16))
    loads = {1: PlannedLoad(points=8.0), 2: PlannedLoad(points=5.0), 3: PlannedLoad()}

    rounds = rounds_of([later, blue, red], loads)

    assert [(each.name, each.points, each.room(45.0)) for each in rounds] == [
        ("Sprint 1 and Sprint 2", 13.0, 32.0),
        ("Sprint 3", 0.0, 45.0),
    ]


def test_a_round_holds_no_more_than_the_maxima_of_its_sprints() -> None:
    first, second = (replace(sprint(number, date(2026, 3, 2)), max_capacity=15.0) for number in (1, 2))
    loads = {1: PlannedLoad(points=40.0), 2: PlannedLoad()}

    (both,) = rounds_of([first, second], loads)
    (alone,) = rounds_of([replace(first, max_capacity=None)], loads)

    assert both.room(45.0) == -10.0
    assert alone.room(45.0) == 5.0


def words_of(lines: Iterable[Line]) -> list[list[str]]:
    drawn = laid_out([*lines], 88).plain.splitlines()
    return [line.split() for line in drawn if line.strip()]


def test_a_task_that_others_changed_has_a_line_of_its_own(tmp_path: Path) -> None:
    move = {"IterationID": PlannedValue(1, 2)}
    story = PlanChange(1, "Story", "Pay", None, 1, move, {})
    along = PlanChange(3, "Task", "Test", 1, 1, move, {})
    contested = PlanChange(2, "Task", "Build", 1, 1, move, {"AssignedToID": ContestedValue(PlannedValue(None, 5), 6)})
    with offline_store(tmp_path) as store:
        people = PeopleCapacities({}, OwnCapacities(), {})
        lines = [*plan_lines(store, PlanSummary([story, along, contested], frozenset(), [], {}, people))]

    shown = [words for words in words_of(lines) if "#" in words[0]]
    assert [words[0] for words in shown] == ["#1", "#2"]
    assert shown[0][-4:] == ["with", "1", "task", "–"]


def test_a_plan_is_listed_by_its_moves_with_the_tasks_that_only_go_along(tmp_path: Path) -> None:
    def change(item_id: int, kind: str, parent_id: int | None = None, **fields: tuple[object, object]) -> PlanChange:
        touches = {key: PlannedValue(*each) for key, each in fields.items()}
        return PlanChange(item_id, kind, f"N{item_id}", parent_id, 21, touches, {})

    changes = [
        change(1, "Story", IterationID=(21, 22), Estimate=("3", "5")),
        change(2, "Task", 1, IterationID=(21, 22)),
        change(3, "Task", 1, IterationID=(21, 20)),
        change(4, "Task", 1, IterationID=(21, 22), AssignedToID=(None, 3)),
        change(5, "Task", 9, IterationID=(21, 22)),
        change(6, "Bug", Estimate=(None, "2"), AssignedToID=(3, None)),
    ]
    with offline_store(tmp_path) as store:
        put_nouns(
            store,
            iterations=[node(20, "Shop"), node(21, "S1", 20), node(22, "S2", 20)],
            user=[{"id": 3, "name": "zoe"}],
        )
        people = PeopleCapacities({}, OwnCapacities(), {})
        lines = [*plan_lines(store, PlanSummary(changes, frozenset(), [], {}, people))]

    assert [" ".join(words) for words in words_of(lines)] == [
        "S1 → S2 3 items Pts",
        f"#1 {type_sign('Story')} N1 with 1 task 3 → 5",
        f"#4 {type_sign('Task')} N4 Owner – → zoe",
        f"#5 {type_sign('Task')} N5",
        "S1 → Backlog 1 item Pts",
        f"#3 {type_sign('Task')} N3",
        "Other changes 1 item Pts",
        f"#6 {type_sign('Bug')} N6 – → 2 Owner zoe → –",
    ]


def test_a_long_plan_is_cut_after_its_first_items(tmp_path: Path) -> None:
    changes = [
        PlanChange(number, "Bug", "N", None, 20, {"IterationID": PlannedValue(20, 21 + number % 2)}, {})
        for number in range(1, MAX_REVIEW_LINES + 3)
    ]
    with offline_store(tmp_path) as store:
        put_nouns(store, iterations=[node(20, "Shop"), node(21, "S1", 20), node(22, "S2", 20)])
        people = PeopleCapacities({}, OwnCapacities(), {})
        lines = words_of(plan_lines(store, PlanSummary(changes, frozenset(), [], {}, people)))

    assert sum("#" in words[0] for words in lines) == MAX_REVIEW_LINES
    assert lines[-1] == ["…", "and", "more"]
