"""Reports while the server cannot be reached, and once it is back."""

import pytest
from tests.store.world import World, until
from tests.tui.bare_app import text_of
from tests.tui.opened import Open
from tests.tui.report_steps import reports_of, shown

from backlit.store import Store


@pytest.fixture
async def store(world: World) -> Store:
    return await world.online()


@pytest.mark.slow
async def test_the_last_answer_is_shown_with_its_time_while_the_server_is_away(
    world: World, store: Store, opened: Open
) -> None:
    async with reports_of(opened, store) as pilot:
        world.faults.is_down = True
        await pilot.press("l")
        await shown(pilot, "[Burnup]", "503")
        await pilot.press("h")
        await shown(pilot, "[Burndown]", "history of the server as of ")
        world.faults.is_down = False
        await store.refresh()

        await until(lambda: "as of " not in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_a_report_that_could_not_be_read_is_read_once_the_server_is_back(
    world: World, store: Store, opened: Open
) -> None:
    async with reports_of(opened, store, (80, 24)) as pilot:
        world.faults.is_down = True
        await pilot.press("l")
        await shown(pilot, "[Burnup]", "503")
        world.faults.is_down = False
        await store.refresh()

        await shown(pilot, "[Burnup]", "─ scope")


@pytest.mark.slow
async def test_no_table_stands_beside_the_problem_of_a_report(world: World, store: Store, opened: Open) -> None:
    world.faults.is_down = True
    async with opened(store, (80, 24)) as pilot:
        await pilot.press("g", "r")
        await shown(pilot, "503")

        assert "│" not in text_of(pilot.app)


@pytest.mark.slow
async def test_unsent_changes_are_said_not_to_be_included(world: World, store: Store, opened: Open) -> None:
    async with reports_of(opened, store) as pilot:
        page = await world.rival.work_items.page(filter="projectId eq 1 and Status eq 'Not Done'", top=1)
        world.faults.is_down = True
        await store.items.edit([page.results[0]["id"]], {"Status": "In Progress"})

        await shown(pilot, "1 unsent change is not included.")
