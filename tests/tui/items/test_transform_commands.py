"""The commands that convert, move and split items: what they ask, and what comes of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.documents import announce, item, put_nouns
from tests.store.views.forest import DOCUMENTS, forest, put_criteria
from tests.tui.bare_app import text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from textual import events

from backlit.store import Store
from backlit.tui.widgets.inputs import LineInput

pytestmark = pytest.mark.slow

EXTENSIONS = ["relations", "acceptanceCriteria", "links", "convert", "move", "rank"]


@pytest.fixture
def woods(tmp_path: Path) -> Iterator[Store]:
    with forest(tmp_path, [*DOCUMENTS, item(9, kind="Bug", Name="Broken", Severity="2 - High")]) as store:
        announce(store, {"extensions": EXTENSIONS, "projects": [{"id": 1}, {"id": 2}]})
        put_nouns(store, project=[{"id": 1, "name": "Aurora"}, {"id": 2, "name": "Pluto"}])
        yield store


def type_of(store: Store, item_id: int) -> str:
    found = store.item(item_id)
    assert found is not None
    return found.type


def projects_of(store: Store, *item_ids: int) -> set[int]:
    return {each.project_id for each in store.batch.items(item_ids)}


async def test_ct_lists_what_is_lost_converts_and_is_undone(woods: Store, opened: Open) -> None:
    async with opened(woods, (100, 24)) as pilot:
        await press(pilot, "#", "9", "enter", "c", "T", *"story", "enter")
        asked = text_of(pilot.app)
        await press(pilot, "y")
        converted, said = type_of(woods, 9), text_of(pilot.app)
        await press(pilot, "u")

        assert "Severity" in asked
        assert "High → –" in asked
        assert (converted, type_of(woods, 9)) == ("Story", "Bug")
        assert "#9 → Story." in said
        assert "Type of #9 back to Bug" in text_of(pilot.app)


async def test_ct_asks_for_the_item_of_a_task_and_says_what_stands_against_it(woods: Store, opened: Open) -> None:
    async with opened(woods, (100, 24)) as pilot:
        await press(pilot, "#", "2", "enter", "c", "T", *"task", "enter", *"#5", "enter")
        refused = text_of(pilot.app)
        await press(pilot, "#", "8", "enter", "c", "T", *"task", "enter", *"#5", "enter", "y")

        found = woods.item(8)
        assert "#2 has tasks, which a Task cannot have." in refused
        assert found is not None
        assert (found.type, found.fields["ParentID"]) == ("Task", 5)


async def test_a_converted_item_stays_open_with_the_fields_of_its_type(woods: Store, opened: Open) -> None:
    async with opened(woods, (100, 40)) as pilot:
        await press(pilot, "#", "5", "enter", "enter")
        before = text_of(pilot.app)
        await press(pilot, "c", "T", *"bug", "enter")

        assert "Steps to reproduce" not in before
        assert "Steps to reproduce" in text_of(pilot.app)


async def test_mp_moves_a_feature_with_what_is_below(woods: Store, opened: Open) -> None:
    async with opened(woods, (100, 24)) as pilot:
        await press(pilot, "#", "1", "enter", "m", "P", "enter")
        asked = text_of(pilot.app)
        await press(pilot, "m")
        moved = projects_of(woods, 1, 2, 3, 4, 6)
        await press(pilot, "u", "y")

        assert "3 items are below." in asked
        assert moved == {2}
        assert projects_of(woods, 1, 2, 3, 4, 6) == {1}


async def test_split_distributes_points_tasks_and_criteria(woods: Store, opened: Open) -> None:
    put_criteria(woods, 2, "Not Executed")
    async with opened(woods, (100, 30)) as pilot:
        await press(pilot, "#", "2", "enter", "c", "/", *"Half", "tab", "2")
        followed = text_of(pilot.app)
        await press(pilot, "tab", "space", "tab", "space", "space", "enter")

        (new,) = [each for each in woods.batch.items([each.item_id for each in woods.outbox_entries()]) if each.id < 0]
        rest = woods.item(2)
        assert rest is not None
        assert "3" in followed
        assert (new.name, new.fields["Estimate"], rest.fields["Estimate"]) == ("Half", "2", "3")
        assert [each.id for each in woods.batch.tasks_of(new.id)] == [6]
        assert len(woods.criteria.of_item(new.id)) == 1
        await press(pilot, "u", "y")
        again = woods.item(2)
        assert again is not None
        assert (again.fields["Estimate"], [each.id for each in woods.batch.tasks_of(2)]) == ("5", [6])
        assert [each.title for each in woods.criteria.of_item(2)] == ["Criterion 1"]


async def test_the_text_behind_ctrl_n_stands_in_the_new_part_in_one_write(woods: Store, opened: Open) -> None:
    async with opened(woods, (100, 30)) as pilot:
        await press(pilot, "#", "2", "enter", "c", "/")
        for key in ("A", *(key for name in "BCDEFGH" for key in ("ctrl+n", name))):
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await press(pilot, "f12")

        assert [each.value for each in pilot.app.screen.query(LineInput)][2::2] == [*"ABCDEFGH"]


async def test_an_open_form_is_saved_before_its_item_is_converted(woods: Store, opened: Open) -> None:
    async with opened(woods, (100, 24)) as pilot:
        await press(pilot, "#", "5", "enter", "enter", "c", "e", *"8", "enter", "c", "T")

        assert "Save the changes of this item first." in text_of(pilot.app)
        assert type_of(woods, 5) == "Story"
