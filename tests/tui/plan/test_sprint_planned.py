"""A sprint planned from nothing, by keyboard: a series, twenty items, too much of it, a restart, and somebody else."""

import re
from datetime import date, timedelta

import pytest
from tests.store.plan_steps import held
from tests.store.world import World, sent, until
from tests.tui.bare_app import line_with, text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from tests.tui.plan.plan_screens import keys, panes, screen, settled

from backlit.store import ConnectionState, Store, ViewSpec
from backlit.store.planning.plan import PlanChange
from backlit.tui.trees.screen import TreeScreen

ITEMS = 20
SIZE = (160, 50)


async def unplanned(store: Store) -> list[int]:
    """Twenty open items in backlog order that are in no iteration; more are made where the sample has too few."""
    root = store.plan.iterations.backlog_id
    for number in range(ITEMS):
        await store.items.add("Story", {"Name": f"Wish {number}", "Estimate": "2"})
    await sent(store)
    view = store.view(ViewSpec(iteration_ids=frozenset({root}), query="type:story"))
    await view.load()
    return [item_id for item_id in view.ids() if not store.batch.tasks_of(item_id)][-ITEMS:]


async def make_series(opened: Open, store: Store) -> list[int]:
    """Two iterations of two weeks and 24 points each, by the wizard of the iterations' tree."""
    start = date.today() + timedelta(days=300)
    async with opened(store, SIZE) as pilot:
        await press(pilot, "g", "i")
        await until(lambda: isinstance(pilot.app.screen, TreeScreen))
        await press(pilot, "g", "g", "c", "s", *"Leap", "space", *"{n}", "tab", "1", "tab", "2", "tab", "2", "tab")
        await press(pilot, *start.isoformat(), "enter")
        await sent(store)
        made = [each for each in store.lookups.iterations().values() if each.name.startswith("Leap")]
        await press(pilot, "g", "p")
        await settled(pilot)
        await keys(pilot, "9", "}", "{")
        assert screen(pilot).lists.targets()[0].id == made[0].id
        for _ in made:
            await keys(pilot, "tab", "c", "m", *"16", "tab", *"24", "enter")
        await sent(store)
    assert [each.name for each in made] == ["Leap 1", "Leap 2"]
    return [each.id for each in made]


async def plan_twenty(opened: Open, store: Store) -> tuple[str, str]:
    """Fourteen wishes into the first, six into the second; then two of the first on to the second, as it is too much.

    Returns what the screen said when there was too much, and after that.
    """
    async with opened(store, SIZE) as pilot:
        await press(pilot, "g", "p")
        await settled(pilot)
        await keys(pilot, "/", *"Wish", "enter", "g", "g")
        for moves, send in (("13", ">"), ("5", "2>")):
            await keys(pilot, "v", *moves, "j", "v", *send)
        too_much = text_of(pilot.app)
        await keys(pilot, "w")
        too_much += line_with(pilot.app, "Leap 1  0 → 28 pts")
        await keys(pilot, "escape", "escape", "tab", "g", "g", "v", "j", "v", *"2>")
        return too_much, text_of(pilot.app)


async def on_service(world: World) -> dict[int, tuple[object, ...]]:
    """Return iteration, estimate, owner and last change of every item of the service."""
    page = await world.rival.work_items.page(filter="projectId eq 1", order="id", top=1000)
    keys = ("IterationID", "Estimate", "AssignedToID")
    return {each["id"]: (*(each["fields"].get(key) for key in keys), each["lastModifiedAt"]) for each in page.results}


@pytest.mark.slow
async def test_a_sprint_is_planned_from_nothing(world: World, store: Store, opened: Open) -> None:
    wanted = await unplanned(store)
    first, second = await make_series(opened, store)
    too_much, after = await plan_twenty(opened, store)
    entries = store.outbox_entries()
    await world.close(store)
    moved = wanted[3:5]  # somebody else is faster with two of them
    for item_id in moved:
        await world.rival.work_items.update(item_id, {"IterationID": second})

    before = await on_service(world)
    again = world.store()
    again.start()
    await until(lambda: again.connection.state is ConnectionState.ONLINE)
    await again.refresh()
    async with opened(again, SIZE) as pilot:
        await press(pilot, "g", "p")
        await settled(pilot)
        title = text_of(pilot.app)
        shown = again.plan.difference()
        await keys(pilot, "w", "y")
        await sent(again)
        left = len(again.plan.state.contests)
        rows = [panes(pilot)[1].row_count()]
        await keys(pilot, "}")
        rows.append(panes(pilot)[1].row_count())

    assert "pts  4 over" in too_much
    assert "24 pts  ✓ on target" in after
    assert not re.search(r"\d over", after)
    assert entries == ()
    assert "≠ 2 changed by others" in title
    assert left == 2
    assert rows == [10, 10]
    assert await as_shown(world, shown)
    now = await on_service(world)
    assert {each for each in now if now[each] != before[each]} == {change.id for change in shown if change.fields}
    assert [await held(world, each, "IterationID") for each in moved] == [[second]] * 2
    assert len([change for change in shown if change.fields]) == ITEMS - 2
    in_first = [each for each in wanted if await held(world, each, "IterationID") == [first]]
    assert in_first == wanted[2:3] + wanted[5:14]


async def as_shown(world: World, shown: list[PlanChange]) -> bool:
    """Return whether the service has exactly the values of the difference."""
    for change in shown:
        now = await held(world, change.id, *change.fields)
        if now != [touch.mine for touch in change.fields.values()]:
            return False
    return True
