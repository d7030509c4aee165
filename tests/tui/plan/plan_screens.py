"""The plan's screen, opened, its panes, and keys in it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.quiet import workers_done
from tests.store.plan_steps import add_sprints, stories
from tests.store.world import until
from tests.tui.bare_app import text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import ItemRow, IterationEntry, Store
from backlit.tui.plan.pane import PlanList
from backlit.tui.plan.screen import PlanScreen


@asynccontextmanager
async def plan_of(opened: Open, store: Store, size: tuple[int, int] = (150, 40)) -> AsyncIterator[Pilot[None]]:
    async with opened(store, size) as pilot:
        await press(pilot, "g", "p")
        await until(lambda: isinstance(pilot.app.screen, PlanScreen))
        await settled(pilot)
        yield pilot


async def settled(pilot: Pilot[None]) -> None:
    """Wait until all panes show what the store has."""
    await pilot.pause(0.05)
    await workers_done(pilot.app)
    await pilot.pause()


async def keys(pilot: Pilot[None], *pressed: str) -> None:
    await press(pilot, *pressed)
    await settled(pilot)


def screen(pilot: Pilot[None]) -> PlanScreen:
    found = pilot.app.screen_stack[0]
    assert isinstance(found, PlanScreen)
    return found


def panes(pilot: Pilot[None]) -> list[PlanList]:
    return list(screen(pilot).query(PlanList))


async def go_to(pilot: Pilot[None], item_id: int) -> None:
    """Put the cursor on an item of the pane that has the focus."""
    assert screen(pilot).items.go_to(item_id), text_of(pilot.app)
    await pilot.pause()


async def two_sprints(store: Store, count: int = 2) -> tuple[list[IterationEntry], list[ItemRow]]:
    """New iterations that are planned, and unplanned items without tasks."""
    sprints = await add_sprints(store)
    await store.plan.aim(sprints[0].id)
    root = store.plan.iterations.backlog_id
    rows = [row for row in await stories(store, 99) if row.iteration_id == root and not store.batch.tasks_of(row.id)]
    return sprints, rows[:count]
