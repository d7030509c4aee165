"""gw: the unfinished items one by one, with the next iteration's capacity in sight."""

from datetime import timedelta

import pytest
from tests.store.plan_steps import ended_sprint, held
from tests.store.world import World, sent
from tests.tui.bare_app import missing, text_of
from tests.tui.opened import Open
from tests.tui.plan.plan_screens import keys, plan_of

from backlit.store import Store, TreeKind
from backlit.tui.shell.drafts import RESTORED_SENTENCE


@pytest.mark.slow
async def test_answers_are_given_one_by_one_and_saved_at_the_end(world: World, store: Store, opened: Open) -> None:
    ended, _, rows = await ended_sprint(store, 4)
    task_id = await store.items.add("Task", {"Name": "Sew", "ParentID": rows[3].id})
    await sent(store)
    await store.plan.aim(ended.id)
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "tab", "g", "w")
        first = text_of(pilot.app)
        await keys(pilot, "n")
        second = text_of(pilot.app)
        await keys(pilot, "b", "s", *"3", "enter")
        last = text_of(pilot.app)
        await keys(pilot, "d")
        summary = text_of(pilot.app)
        before = store.outbox_entries()
        await keys(pilot, "y")
        await sent(store)

        assert f"#{rows[0].id} " in first
        assert "n  Move to Sprint" in first
        assert "1 of 4" in first
        assert "2 of 4" in second
        assert all(
            each in summary for each in ("1 to Sprint", "1 to the backlog", "1 split", "1 done", "3 done, 5 moved")
        )
        assert "d  Mark done, including " in last
        assert "D  Mark done, leave " in last
        assert "done, with its tasks" in summary
        assert before == ()
        assert await held(world, store.nodes.real_id(task_id), "Status") == ["Done"]
        places = [(await held(world, row.id, "IterationID"))[0] for row in rows]
        assert places[1] == store.plan.iterations.backlog_id
        assert places[0] == places[2] != ended.id
        assert places[3] == ended.id


@pytest.mark.slow
async def test_answers_survive_leaving_and_the_capacity_follows_them(store: Store, opened: Open) -> None:
    ended, _, rows = await ended_sprint(store, 2)
    await store.plan.aim(ended.id)
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "tab", "g", "w", "n")
        after_one = text_of(pilot.app)
        await keys(pilot, "escape", "g", "w")
        again = text_of(pilot.app)
        await keys(pilot, "backspace")
        back = text_of(pilot.app)

        assert "2 of 2" in after_one
        assert f"#{rows[0].id} to Sprint" in after_one
        assert "2 of 2" in again
        assert "✓ n " in back


@pytest.mark.slow
async def test_done_points_that_were_being_typed_are_restored_for_the_same_item(store: Store, opened: Open) -> None:
    ended, _, rows = await ended_sprint(store, 2)
    await store.plan.aim(ended.id)
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "tab", "g", "w", "s", "2", "wait:400")
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "tab", "g", "w", "s")
        restored = text_of(pilot.app)
        await keys(pilot, "escape")
        left = text_of(pilot.app)

        assert RESTORED_SENTENCE in restored
        assert f"#{rows[0].id} " in left
        assert "1 of 2" in left


@pytest.mark.slow
async def test_without_an_ended_iteration_it_says_so(store: Store, opened: Open) -> None:
    for sprint in store.plan.iterations.targets():
        if sprint.end == store.today():  # the sample's sprint, every other Sunday
            await store.nodes.edit(TreeKind.ITERATIONS, sprint.id, {"endDate": str(sprint.end + timedelta(1))})
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "g", "w")

        assert missing(pilot.app, ["No ended iteration has unfinished items."]) == []
