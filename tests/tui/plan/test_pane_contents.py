"""The lists of the plan: what leaves them, tasks, what fits, the preview, and what they are filtered by."""

import re

import pytest
from tests.store.world import sent, until
from tests.tui.bare_app import heading_of, line_with, lines_of, text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from tests.tui.plan.plan_screens import go_to, keys, panes, plan_of, settled, two_sprints

from backlit.model.amounts import points_of
from backlit.model.planning import PlannedLoad
from backlit.store import Store
from backlit.tui.plan.screen import PlanScreen


@pytest.mark.slow
async def test_a_planned_item_leaves_the_backlog_and_the_cursor_moves_on(store: Store, opened: Open) -> None:
    _, (row, _) = await two_sprints(store)
    async with plan_of(opened, store) as pilot:
        backlog = panes(pilot)[0]
        await go_to(pilot, row.id)
        before = lines_of(pilot.app)[1]
        rows = backlog.row_count()
        order = [*backlog.ids_between(0, None)]
        await keys(pilot, ">")
        after = lines_of(pilot.app)[1]
        planned = [line for line in lines_of(pilot.app) if re.search(rf"\+ +{row.id} ", line.partition("│")[2])]
        listed, current = backlog.ids_between(0, None), backlog.current_id
        await keys(pilot, "tab", "<")

        assert len(planned) == 1
        assert items_in(after) == items_in(before) - 1
        assert row.id not in listed
        assert current == order[order.index(row.id) + 1]
        assert not store.plan.state
        assert (backlog.row_count(), items_in(lines_of(pilot.app)[1])) == (rows, items_in(before))


def items_in(head: str) -> int:
    return int(head.split("items", maxsplit=1)[0].rsplit(maxsplit=1)[-1].replace(",", ""))


@pytest.mark.slow
async def test_tasks_are_shown_under_their_item_with_their_hours(store: Store, opened: Open) -> None:
    (first, _), (row, _) = await two_sprints(store)
    await store.items.add("Task", {"Name": "Sew it up", "ParentID": row.id, "WorkRemaining": 3.5, "IterationID": 1})
    await sent(store)
    async with plan_of(opened, store) as pilot:
        backlog = panes(pilot)[0]
        await go_to(pilot, row.id)
        rows = backlog.row_count()
        folded = line_with(pilot.app, row.name[:16])
        await keys(pilot, "l")
        unfolded = line_with(pilot.app, row.name[:16])
        task = line_with(pilot.app, "Sew it up")
        heading = line_with(pilot.app, "Hours")
        await keys(pilot, ">")
        moved = store.plan.state.changes
        await keys(pilot, "z", "M")

        assert "▸1" in folded
        assert "▸" not in unfolded
        assert "3.5" in task
        assert "Hours" in heading
        assert len(moved) == 2
        assert all(values == {"IterationID": first.id} for values in moved.values())
        assert backlog.row_count() == rows - 1


@pytest.mark.slow
async def test_items_that_are_not_ready_have_their_sign_once_they_are_started(store: Store, opened: Open) -> None:
    (first, _), rows = await two_sprints(store, 6)
    await store.items.edit([row.id for row in rows], {"IterationID": first.id, "Status": "In Progress"})
    maya = next(each.id for each in store.lookups.people().values() if each.username == "maya")
    await store.items.edit([row.id for row in rows[:3]], {"AssignedToID": maya, "Estimate": "3"})
    await sent(store)
    async with plan_of(opened, store) as pilot:
        backlog, sprint = panes(pilot)[:2]
        await until(lambda: sprint.row_count() == len(rows))
        listed = list(backlog.ids_between(0, backlog.page))
        signed = {int(each) for each in re.findall(r"¬ +(\d+) ", text_of(pilot.app))}

        assert store.ready_check.faults(listed)
        assert signed == set(store.ready_check.faults([row.id for row in rows]))
        assert 0 < len(signed) < len(rows)


@pytest.mark.slow
async def test_the_preview_shows_planned_values(store: Store, opened: Open) -> None:
    (first, _), (row, other) = await two_sprints(store)
    await store.plan.move([other.id], first.id)
    async with plan_of(opened, store) as pilot:
        await go_to(pilot, row.id)
        await keys(pilot, "p")
        below = text_of(pilot.app)
        await keys(pilot, "tab")
        beside = text_of(pilot.app)

        assert f"#{row.id} " in below
        assert re.search(rf"Sprint +{first.name}", beside)


@pytest.mark.slow
async def test_backlog_and_plan_share_their_filter(store: Store, opened: Open) -> None:
    _, (row, other) = await two_sprints(store)
    async with opened(store, (150, 40)) as pilot:
        await press(pilot, "/", *f"#{row.id}", "enter", "g", "p")
        await until(lambda: isinstance(pilot.app.screen, PlanScreen))
        await settled(pilot)
        there = heading_of(pilot.app)
        await keys(pilot, "escape", "/", *f"#{other.id}", "enter", "g", "b")
        back = heading_of(pilot.app)

        assert f"› #{row.id}" in there
        assert f"› #{other.id}" in back


@pytest.mark.slow
async def test_lines_say_what_of_the_backlog_fits_by_velocity_while_it_is_not_filtered(
    store: Store, opened: Open
) -> None:
    (first, _), (row, _) = await two_sprints(store)
    await store.reports.ask_velocity()
    amount = (await store.reports.velocity()).forecast
    async with plan_of(opened, store, (180, 40)) as pilot:
        backlog = panes(pilot)[0]
        listed = backlog.ids_between(0, None)
        points = {item.id: points_of(str(item.fields.get("Estimate"))) or 0 for item in store.batch.items(listed)}
        header = line_with(pilot.app, f"─ fits {first.name} · ")
        room = amount - store.plan_preview.loads_now([first.id]).get(first.id, PlannedLoad()).points
        stretch = listed[: listed.index(row.id) + 1]
        while sum(points[each] for each in stretch) <= amount:
            stretch = listed[: len(stretch) + 1]
        await go_to(pilot, next(item.id for item in store.batch.items(listed) if item.type == "Story"))
        await keys(pilot, ">")
        without_first = text_of(pilot.app)
        await keys(pilot, "u", "/", *f"#{row.id}", "enter")

        count, total = len(stretch) - 1, sum(points[each] for each in stretch[:-1])
        assert amount > 0
        assert f" {first.name} · room for {room:g} pts " in header
        assert f"{count} item{'s' * (count != 1)} · {total:g} pts" in header
        assert " fits " in without_first
        assert " 0 items · " not in without_first
        assert "fits" not in text_of(pilot.app)
