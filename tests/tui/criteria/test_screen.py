"""The acceptance criteria of an item."""

from pathlib import Path

import pytest
from tests.store.documents import item
from tests.store.store_items import field
from tests.store.views.forest import DOCUMENTS, forest, put_criteria
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
            moved = "Criterion moved." in text_of(pilot.app)
            await press(pilot, "u", "u")
            undone = [each.title for each in store.criteria.of_item(2)]
            await press(pilot, "g", "g", "d")

            assert "Criteria 0/2" in heading
            assert moved
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


async def test_criteria_are_taken_from_the_description_on_the_command_line(tmp_path: Path, opened: Open) -> None:
    described = "Money goes back.\n\n## Done when\n\n- On the same day\n- In full"
    with forest(tmp_path, [*DOCUMENTS, item(9, Name="Refund", Description=described)]) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "#", "9", "enter", ":", *"criteria from d", "tab", "enter")
            said = text_of(pilot.app)
            taken, text = [each.title for each in store.criteria.of_item(9)], field(store, 9, "Description")
            await press(pilot, "u")
            left, again = store.criteria.of_item(9), field(store, 9, "Description")
            await press(pilot, "#", "5", "enter", ":", *"criteria from description", "enter")

            assert "#9: 2 criteria taken from the description." in said
            assert (taken, text) == (["On the same day", "In full"], "Money goes back.")
            assert (left, again) == ((), described)
            assert "The description has no list below a heading such as" in text_of(pilot.app)
