"""What is below an item: its tasks, and the items of a Feature."""

from pathlib import Path

import pytest
from tests.store.views.forest import forest
from tests.tui.bare_app import line_with
from tests.tui.list_steps import press
from tests.tui.opened import Open

pytestmark = pytest.mark.slow


async def test_tasks_are_added_and_done_where_they_are_shown(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "#", "2", "enter", "g", "s", "x", "a", *"Another", "enter")
            below = [store.item(each) for each in store.relations.children(2)]

            assert "Tasks 2" in line_with(pilot.app, "Details")
            assert [(each.name, each.status) for each in below if each] == [
                ("Write the list", "Done"),
                ("Another", ""),
            ]

            await press(pilot, "space", "escape")
            first = type(pilot.app.screen).__name__
            await press(pilot, "escape")

            assert (first, type(pilot.app.screen).__name__) == ("TasksScreen", "BacklogScreen")


async def test_the_tab_of_a_feature_has_its_items_and_adds_stories(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "#", "3", "enter", "g", "s", "a", "1", *"New story", "enter")
            names = [item.name for each in store.relations.children(3) if (item := store.item(each))]

            assert "Items 2" in line_with(pilot.app, "Details")
            assert names == ["Nothing is suggested", "New story"]
