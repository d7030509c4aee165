"""gs and gx: the start and the close of a sprint, from the plan and from the iterations."""

import re
from datetime import timedelta
from typing import Any

import pytest
from tests.store.plan_steps import ended_sprint, held, stories
from tests.store.world import World, sent, until
from tests.tui.bare_app import missing, text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from tests.tui.plan.fake_plan import FakePlan
from tests.tui.plan.plan_screens import keys, plan_of
from tests.tui.target import run, words_of

from backlit.model.planning import IterationEvent
from backlit.store import IterationEntry, Store, TreeKind
from backlit.store.edits.nodes import NewNode
from backlit.tui.trees.screen import TreeScreen


async def sprint_from_today(store: Store, days: int = 0) -> IterationEntry:
    """A sprint that begins today or some days later, on the service too."""
    start = store.today() + timedelta(days)
    root = store.lookups.tree(TreeKind.ITERATIONS).roots[0]
    await store.nodes.add(TreeKind.ITERATIONS, root.id, NewNode("Fresh", start, start + timedelta(13)))
    await sent(store)
    return next(each for each in store.lookups.iterations().values() if each.name == "Fresh")


async def plan_into(store: Store, pilot: Any, sprint: IterationEntry) -> None:
    await store.plan.move([row.id for row in await stories(store, 2)], sprint.id)
    await keys(pilot, "w")
    await until(lambda: "Save plan" in text_of(pilot.app))
    await keys(pilot, "y")


@pytest.mark.slow
async def test_the_plan_asks_once_to_start_a_sprint_that_begins(store: Store, opened: Open) -> None:
    sprint = await sprint_from_today(store)
    async with plan_of(opened, store) as pilot:
        await plan_into(store, pilot, sprint)
        await until(lambda: not missing(pilot.app, ["Start Fresh?", "the commitment.", "y start"]))
        await keys(pilot, "y")
        await until(lambda: store.lookups.iterations()[sprint.id].started_at)

        await until(lambda: "Fresh started." in text_of(pilot.app))


@pytest.mark.parametrize(("days", "is_named"), [(3, False), (5, True)])
async def test_the_start_of_a_sprint_far_ahead_names_its_first_day(store: Store, days: int, is_named: bool) -> None:
    sprint = await sprint_from_today(store, days)
    target = FakePlan(store, answers=[None], here=sprint)
    await run(target, "plan.start")

    words = words_of(target.asked[0])
    assert "become the commitment." in words
    assert bool(re.search(r" Its first day is \d+ \w+( \d+)?, in 5 days\.", words)) is is_named


@pytest.mark.slow
async def test_the_plan_does_not_ask_again_after_no(store: Store, opened: Open) -> None:
    sprint = await sprint_from_today(store)
    async with plan_of(opened, store) as pilot:
        await plan_into(store, pilot, sprint)
        await until(lambda: "Start Fresh?" in text_of(pilot.app))
        await keys(pilot, "escape")
        await store.plan.move([row.id for row in (await stories(store, 3))[2:]], sprint.id)
        await store.plan.aim(sprint.id)
        await keys(pilot, "g", "s")
        await until(lambda: "saved is not in it" in text_of(pilot.app), lambda: text_of(pilot.app))
        await keys(pilot, "escape", "w", "y")
        await until(lambda: store.plan.draft.items == {})

        assert "Start Fresh?" not in text_of(pilot.app)
        assert store.lookups.iterations()[sprint.id].started_at is None


@pytest.mark.slow
async def test_gx_carries_the_rest_over_by_one_key_and_closes(world: World, store: Store, opened: Open) -> None:
    ended, _, rows = await ended_sprint(store, 3)
    await store.plan.aim(ended.id)
    async with plan_of(opened, store) as pilot:
        await keys(pilot, "tab", "g", "x")
        await until(lambda: not missing(pilot.app, ["N Move all 3 remaining"]))
        await keys(pilot, "N")
        await until(lambda: not missing(pilot.app, [f"{ended.name} will be closed", "y save and close"]))
        await keys(pilot, "y")
        await until(lambda: store.lookups.iterations()[ended.id].closed_at)
        await sent(store)

        places = {(await held(world, row.id, "IterationID"))[0] for row in rows}
        assert len(places) == 1
        assert ended.id not in places

        await keys(pilot, "u")
        await until(lambda: not missing(pilot.app, ["3 items are affected.", f"{ended.name} is open again"]))
        await keys(pilot, "y")
        await until(lambda: store.lookups.iterations()[ended.id].closed_at is None)
        await sent(store)
        assert {(await held(world, row.id, "IterationID"))[0] for row in rows} == {ended.id}


@pytest.mark.slow
async def test_a_started_sprint_offers_to_withdraw_the_start_in_the_iterations(store: Store, opened: Open) -> None:
    sprint = await sprint_from_today(store)
    await store.nodes.record(sprint.id, IterationEvent.START)
    async with opened(store) as pilot:
        await press(pilot, "g", "i")
        await until(lambda: isinstance(pilot.app.screen, TreeScreen))
        tree = pilot.app.screen
        assert isinstance(tree, TreeScreen)
        tree.go_to_node(sprint.id)
        await press(pilot, "g", "s")
        await until(lambda: not missing(pilot.app, ["Fresh was started", "w withdraw the start"]))
        await press(pilot, "w")
        await until(lambda: store.lookups.iterations()[sprint.id].started_at is None)
