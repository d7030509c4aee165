"""The plan's draft: it stays local, survives restarts, merges with what others do, and is written as one step."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, offline_store
from tests.store.plan_steps import add_sprints, held, stories
from tests.store.world import World, raised, sent, until

from backlit.model.errors import BadRequest
from backlit.model.planning import Capacity
from backlit.store import EntryState, Item, IterationEntry, RowSign, Store, TreeKind
from backlit.store.edits.nodes import NewNode
from backlit.store.planning.draft import PlanDraft, PlannedValue, draft_of
from backlit.store.planning.plan import ReleasePlan, SendProgress


def places(store: Store, *item_ids: int) -> list[object]:
    return [store.plan.state.changes.get(each, {}).get("IterationID") for each in item_ids]


def known(store: Store, item_id: int) -> Item:
    found = store.item(item_id)
    assert found is not None
    return found


async def test_a_planned_move_stays_on_this_machine(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    (row,) = await stories(store, 1)
    before = await held(world, row.id, "IterationID")

    await store.plan.move([row.id], first.id)

    assert places(store, row.id) == [first.id]
    assert store.plan_preview.laid_over(row).iteration_id == first.id
    assert store.plan_preview.laid_over(row).sign is RowSign.PLANNED
    await store.plan.stage({row.id: {"Estimate": "8"}})
    assert store.plan_preview.laid_over(row).sign is RowSign.PLANNED
    assert store.outbox_entries() == ()
    assert known(store, row.id).fields["IterationID"] == row.iteration_id
    assert await held(world, row.id, "IterationID") == before


async def test_a_draft_is_there_after_a_restart(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    one, other = await stories(store, 2)
    await store.plan.move([one.id], first.id)
    await store.plan.stage({other.id: {"Estimate": 21, "AssignedToID": 2}})
    await store.plan.aim(first.id)
    await world.close(store)

    again = world.store()

    assert places(again, one.id) == [first.id]
    assert again.plan.state.changes[other.id] == {"Estimate": "21", "AssignedToID": 2}
    assert again.plan.draft.target == first.id
    assert await again.plan.undo()
    assert other.id not in again.plan.state.changes


async def test_what_is_so_anyway_is_no_plan(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    (row,) = await stories(store, 1)
    await store.plan.move([row.id], first.id)

    await store.plan.stage({row.id: {"IterationID": row.iteration_id}})

    assert not store.plan.state


async def test_a_value_that_cannot_be_set_is_not_planned(world: World) -> None:
    store = await world.online()
    (row,) = await stories(store, 1)

    error = await raised(store.plan.stage({row.id: {"IterationID": 987_654}}))
    other = await raised(store.plan.stage({row.id: {"Name": "New"}}))

    assert isinstance(error, BadRequest)
    assert "IterationID" in error.errors
    assert isinstance(other, BadRequest)
    assert not store.plan.state


async def test_steps_of_the_draft_are_taken_back_and_done_again(world: World) -> None:
    store = await world.online()
    first, second = await add_sprints(store)
    (row,) = await stories(store, 1)
    await store.plan.move([row.id], first.id)
    await store.plan.move([row.id], second.id)

    assert await store.plan.undo()
    assert places(store, row.id) == [first.id]
    assert await store.plan.undo()
    assert not store.plan.state
    assert not await store.plan.undo()
    assert await store.plan.redo()
    assert places(store, row.id) == [first.id]


async def test_a_new_step_leaves_nothing_to_do_again(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.plan.stage({1: {"Estimate": "3"}})
        await store.plan.undo()
        await store.plan.stage({1: {"Estimate": "5"}})

        assert not await store.plan.redo()
        assert store.plan.state.changes == {1: {"Estimate": "5"}}


async def test_a_change_in_transit_is_not_saved_yet(tmp_path: Path) -> None:
    states = [EntryState.SENT, EntryState.SENDING, EntryState.WAITING, EntryState.REFUSED]
    with offline_store(tmp_path, [item(number) for number in (1, 2, 3, 4)]) as store:
        await store.plan.stage({number: {"Estimate": "5"} for number in (1, 2, 3, 4)})
        await store.plan.commit(store.plan.difference())
        changed = [replace(entry, state=each) for entry, each in zip(store.outbox_entries(), states, strict=True)]
        store.files.submit(lambda writer: writer.journal.update_all(changed)).result()

        assert store.plan.sent() == SendProgress(done=1, waiting=2, held=1)


async def test_a_discarded_draft_can_be_had_back(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    (row,) = await stories(store, 1)
    await store.plan.move([row.id], first.id)

    await store.plan.discard()
    is_empty = not store.plan.state
    await store.plan.undo()

    assert is_empty
    assert places(store, row.id) == [first.id]


async def test_open_tasks_go_with_their_item(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    row = next(each for each in await stories(store, 99) if store.batch.tasks_of(each.id))
    tasks = store.batch.tasks_of(row.id)
    await store.items.edit([tasks[0].id], {"IterationID": store.plan.iterations.targets()[0].id})
    tasks = store.batch.tasks_of(row.id)
    going = [
        each.id for each in tasks if each.fields["Status"] != "Done" and each.fields["IterationID"] == row.iteration_id
    ]

    await store.plan.move([row.id], first.id)
    moved = set(store.plan.state.changes)
    await store.plan.unplan([row.id])

    assert moved == {row.id, *going}
    assert not store.plan.state


async def test_back_takes_a_planned_move_back_and_plans_the_others_into_the_backlog(world: World) -> None:
    store = await world.online()
    first, second = await add_sprints(store)
    one, other = await stories(store, 2)
    await store.items.edit([other.id], {"IterationID": second.id})
    await store.plan.move([one.id], first.id)

    await store.plan.unplan([one.id, other.id])
    after = places(store, one.id, other.id)
    await store.plan.undo()

    assert after == [None, store.plan.iterations.backlog_id]
    assert places(store, one.id, other.id) == [first.id, None]


async def test_what_others_do_to_other_fields_is_seen_and_the_plan_holds(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    (row,) = await stories(store, 1)
    await store.plan.move([row.id], first.id)

    await world.rival.work_items.update(row.id, {"Name": "Renamed", "Estimate": "40"})
    await store.refresh()

    (change,) = [each for each in store.plan.difference() if each.id == row.id]
    assert change.name == "Renamed"
    assert change.fields == {"IterationID": PlannedValue(row.iteration_id, first.id)}
    assert change.contests == {}


async def test_what_others_moved_meanwhile_stays_theirs_until_it_is_planned_anew(world: World) -> None:
    store = await world.online()
    first, second = await add_sprints(store)
    (row,) = await stories(store, 1)
    await store.plan.move([row.id], first.id)
    await world.rival.work_items.update(row.id, {"IterationID": second.id})
    await store.refresh()

    contested = store.plan.difference()[0]
    sign = store.plan_preview.laid_over(row).sign
    await store.plan.move([row.id], first.id)

    assert sign is RowSign.CONTESTED
    assert contested.fields == {}
    assert contested.contests["IterationID"].theirs == second.id
    assert store.plan.difference()[0].fields == {"IterationID": PlannedValue(second.id, first.id)}


@pytest.mark.slow
async def test_what_others_did_as_planned_is_no_plan_any_more(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    (row,) = await stories(store, 1)
    await store.plan.stage({row.id: {"IterationID": first.id}})

    await world.rival.work_items.update(row.id, {"IterationID": first.id})
    await store.refresh()

    assert not store.plan.state


async def test_the_plan_is_written_as_one_step_that_u_takes_back(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    one, other = await stories(store, 2)
    await store.plan.stage({one.id: {"IterationID": first.id}, other.id: {"Estimate": "21", "AssignedToID": 2}})

    written = await store.plan.commit(store.plan.difference())
    await sent(store)
    after = [*await held(world, one.id, "IterationID"), *await held(world, other.id, "Estimate", "AssignedToID")]
    await store.history.undo()
    await sent(store)

    assert len(written) == 2
    assert not store.plan.state
    assert after == [first.id, "21", 2]
    assert await held(world, one.id, "IterationID") == [one.iteration_id]
    assert await held(world, other.id, "Estimate", "AssignedToID") == [other.estimate, other.owner_id]


async def test_only_what_the_difference_showed_is_written(world: World) -> None:
    store = await world.online()
    first, second = await add_sprints(store)
    one, other, third = await stories(store, 3)
    await store.plan.stage({each.id: {"IterationID": first.id} for each in (one, other)})
    shown = store.plan.difference()
    await store.plan.stage({third.id: {"IterationID": first.id}})
    await store.items.edit([other.id], {"IterationID": second.id})

    written = await store.plan.commit(shown)
    await sent(store)

    assert len(written) == 1
    assert await held(world, one.id, "IterationID") == [first.id]
    assert await held(world, other.id, "IterationID") == [second.id]
    assert set(store.plan.draft.items) == {other.id, third.id}


async def test_ones_own_is_written_over_theirs_where_that_is_asked_for(world: World) -> None:
    store = await world.online()
    first, second = await add_sprints(store)
    (row,) = await stories(store, 1)
    await store.plan.stage({row.id: {"IterationID": first.id}})
    await world.rival.work_items.update(row.id, {"IterationID": second.id})
    await store.refresh()

    nothing = await store.plan.commit(store.plan.difference())
    written = await store.plan.commit([each.over_theirs() for each in store.plan.difference()])
    await sent(store)

    assert not nothing
    assert len(written) == 1
    assert await held(world, row.id, "IterationID") == [first.id]
    assert not store.plan.state


async def test_a_deleted_item_leaves_the_plan_when_it_is_written(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    one, other = await stories(store, 2)
    await store.plan.stage({each.id: {"IterationID": first.id} for each in (one, other)})
    await world.rival.work_items.delete(one.id)
    await store.refresh()
    await until(lambda: store.item(one.id) is None)

    gone = store.plan.state.gone
    await store.plan.commit(store.plan.difference(), gone)

    assert gone == {one.id}
    assert store.plan.draft.items == {}


async def test_a_new_item_and_a_new_iteration_keep_their_plan_when_they_get_their_ids(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    root = store.plan.iterations.backlog_id
    sprint = await store.nodes.add(TreeKind.ITERATIONS, root, NewNode("Offline sprint"))
    item = await store.items.add("Story", {"Name": "Offline story"})
    await store.plan.move([item], sprint)

    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    ((item_id, values),) = store.plan.state.changes.items()
    assert item_id > 0
    assert store.lookups.iterations()[values["IterationID"]].name == "Offline sprint"  # type: ignore[index] # an id


async def test_how_far_the_plan_is_sent_is_known_also_after_a_restart(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    rows = await stories(store, 3)
    world.faults.is_down = True
    await store.plan.stage({row.id: {"IterationID": first.id} for row in rows})
    await store.plan.commit(store.plan.difference())
    await world.close(store)

    again = world.store()
    before = again.plan.sent()
    world.faults.is_down = False
    again.start()
    await sent(again)

    assert before is not None
    assert (before.done, before.total) == (0, 3)
    assert again.plan.sent() is None
    assert [await held(world, row.id, "IterationID") for row in rows] == [[first.id]] * 3


async def test_loads_are_those_of_the_plan(world: World) -> None:
    store = await world.online()
    first, second = await add_sprints(store)
    one, other = [row for row in await stories(store, 99) if not store.batch.tasks_of(row.id)][:2]
    await store.items.edit([other.id], {"IterationID": second.id, "Estimate": "8"})
    await store.plan.stage({one.id: {"IterationID": first.id, "Estimate": "5", "AssignedToID": 2}})
    await store.plan.stage({other.id: {"Estimate": "13"}})

    found = await store.plan_preview.loads([first.id, second.id])

    assert (found[first.id].count, found[first.id].points) == (1, 5)
    assert found[first.id].people[2].points == 5
    assert found[second.id].points == 13


async def test_hours_of_tasks_are_counted_where_their_item_is_planned(world: World) -> None:
    store = await world.online()
    first, _ = await add_sprints(store)
    (row,) = await stories(store, 1)
    root = store.plan.iterations.backlog_id
    await store.items.edit([row.id], {"IterationID": root})
    fields = {"Name": "Wire it", "ParentID": row.id, "WorkRemaining": 6.0, "AssignedToID": 2, "IterationID": root}
    await store.items.add("Task", fields)

    await store.plan.move([row.id], first.id)

    load = (await store.plan_preview.loads([first.id]))[first.id]
    assert load.hours >= 6
    assert load.people[2].hours >= 6


async def test_a_release_is_the_sum_of_its_iterations(world: World) -> None:
    store = await world.online()
    under = next(each for each in store.plan.iterations.targets() if "Release" in each.path)

    release = store.plan.iterations.release_of(under.id)

    assert release is not None
    assert release.entry.is_release
    assert under in release.iterations
    assert release.capacity.most == sum(each.max_capacity or 0 for each in release.iterations)
    first, _ = await add_sprints(store)
    assert store.plan.iterations.release_of(first.id) is None


def test_a_draft_is_read_as_it_was_written() -> None:
    draft = (
        PlanDraft().stage({5: {"Estimate": "3", "IterationID": 8}}, {5: {"Estimate": None, "IterationID": 1}}).undone()
    )

    assert draft_of(draft.document) == draft
    assert draft_of(None) == PlanDraft()


def test_a_release_with_an_unlimited_iteration_has_no_maximum() -> None:
    first = IterationEntry(1, "Sprint 1", "", None, None, 5.0, 8.0, is_release=False)
    second = replace(first, id=2, max_capacity=None)
    release = IterationEntry(3, "Release", "", None, None, None, None, is_release=True)

    assert ReleasePlan(release, (first, first)).capacity == Capacity(10.0, 16.0)
    assert ReleasePlan(release, (first, second)).capacity == Capacity(10.0, None)
    assert ReleasePlan(release, ()).capacity == Capacity(None, None)


def test_all_steps_of_a_draft_follow_new_ids() -> None:
    draft = PlanDraft().stage({-5: {"IterationID": -8}}, {-5: {"IterationID": 1}})

    renamed = draft.undone().renamed(abs)

    assert renamed.redone().items == {5: {"IterationID": PlannedValue(1, 8)}}
    assert draft.renamed(abs).undone().items == {}
