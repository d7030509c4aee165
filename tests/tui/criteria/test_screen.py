"""The acceptance criteria of an item."""

from pathlib import Path

import pytest
from tests.store.views.forest import forest, put_criteria
from tests.tui.bare_app import lines_of, text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open

pytestmark = pytest.mark.slow


async def test_criteria_are_judged_written_ordered_and_deleted_by_keys(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        put_criteria(store, 2, "Not Executed", "Not Executed")
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "#", "2", "enter", "g", "d")
            heading = text_of(pilot.app)
            await press(pilot, "space", "j", "f")
            judged = [each.status for each in store.criteria.of_item(2)]
            await press(pilot, "a", *"Third", "enter", "K")
            titles = [each.title for each in store.criteria.of_item(2)]
            await press(pilot, "u", "u")
            undone = [each.title for each in store.criteria.of_item(2)]
            await press(pilot, "g", "g", "d")

            assert "Criteria 0/2" in heading
            assert judged == ["Pass", "Fail"]
            assert titles == ["Criterion 1", "Third", "Criterion 2"]
            assert undone == ["Criterion 1", "Criterion 2"]
            assert [each.title for each in store.criteria.of_item(2)] == ["Criterion 2"]


async def test_a_task_has_no_criteria(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "#", "6", "enter", "g", "d")
            said = text_of(pilot.app)
            await press(pilot, "enter")
            tabs = lines_of(pilot.app)[2]

            assert "A task has no criteria." in said
            assert "Criteria" not in tabs
            assert "Tasks" not in tabs
