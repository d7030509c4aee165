"""Switching the project and the profile, and the facts of a project."""

import re

import pytest
from tests.store.world import until
from tests.tui.bare_app import line_with, text_of
from tests.tui.list_steps import go_to, items, press
from tests.tui.opened import Open

from backlit.model.trees import NodeTotals
from backlit.store import Store
from backlit.store.records.people import TreeKind
from backlit.tui.app.app import BacklitApp


@pytest.mark.slow
async def test_the_projects_are_listed_with_what_is_open_in_them_and_one_is_picked(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        here, there = store.lookups.projects()[:2]
        totals = (await store.project_facts.totals())[here.id]
        await press(pilot, "g", "P")
        listed = line_with(pilot.app, "▌ ✓")
        await press(pilot, *there.name.lower(), "enter")
        await until(lambda: store.project_id == there.id)

        assert listed.partition("▌ ✓")[2].split()[:2] == [here.name, store.lookups.roles()[here.id]]
        assert re.search(rf"Sprint \d+, ends in \d+ days +{totals.count} ", listed)
        assert totals.count > 0


async def test_each_project_is_come_back_to_where_it_was_left(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        here, there = store.lookups.projects()[:2]
        item_id = await go_to(pilot, store, "Bug")
        store.choose_project(there.id)
        await until(lambda: items(pilot).current_id != item_id)
        await press(pilot, "j")
        store.choose_project(here.id)
        await until(lambda: items(pilot).current_id == item_id)

        assert store.project_id == here.id


async def test_what_is_open_in_a_project_is_what_its_areas_have(store: Store) -> None:
    totals = await store.project_facts.totals()

    assert totals[store.project_id or 0] == sum(store.lookups.totals(TreeKind.AREAS).values(), NodeTotals())


async def test_the_facts_of_the_project_are_shown(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, ":", *"facts", "enter")
        await until(lambda: "Statuses" in text_of(pilot.app))
        shown = text_of(pilot.app)

        assert str(store.project_facts.document()["description"])[:30] in shown
        assert "Maya" in line_with(pilot.app, "Members")
        assert "Issue, Risk: Active, Closed" in shown


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["demo-5", "demo-500-1"])
async def test_another_profile_is_gone_to_by_its_name(store: Store, typed: str) -> None:
    app = BacklitApp(store, profiles=["here", "local", "demo-500-1"])
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await press(pilot, ":", *f"profile {typed}", "enter")

    assert app.wanted_profile == "demo-500-1"


@pytest.mark.slow
async def test_a_profile_that_is_not_there_is_named_with_those_that_are(store: Store) -> None:
    app = BacklitApp(store, profiles=["here", "local"])
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        await press(pilot, ":", *"profile nowhere", "enter")

        assert "Unknown profile “nowhere”. Profiles: here, local." in " ".join(text_of(app).split())
    assert app.wanted_profile is None


async def test_a_profile_is_picked_among_the_projects(store: Store) -> None:
    app = BacklitApp(store, profiles=["here", "local"])
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await press(pilot, "g", "P", *"local", "enter")

    assert app.wanted_profile == "local"
