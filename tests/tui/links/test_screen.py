"""The relations and web links of an item."""

from pathlib import Path

import pytest
from tests.store.views.forest import forest, put_relations
from tests.store.world import until
from tests.tui.bare_app import line_with, lines_of, text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open

from backlit.store import Store

pytestmark = pytest.mark.slow


def words(store: Store, item_id: int) -> list[tuple[str, int]]:
    return [(each.word, each.other_id) for each in store.relations.of_item(item_id)]


async def test_relations_are_shown_added_and_removed(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        put_relations(store, [(5, "Blocks", 2), (2, "Parent", 1)])
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "#", "2", "enter", "g", "x")
            tabs, feature, blocker = (line_with(pilot.app, each) for each in ("Details", "Feature  ", "Blocked by  "))
            await press(pilot, "a", "3", "4", "enter")
            related = words(store, 2)
            await press(pilot, "j", "d")

            assert "Links 2" in tabs
            assert "Blocked by #5" in tabs
            assert "▲ Search" in feature
            assert "◆ Payment" in blocker
            assert related == [("Parent", 1), ("Blocked By", 5), ("Related", 4)]
            assert words(store, 2) == [("Parent", 1), ("Related", 4)]


async def test_narrow_terminal_leaves_the_room_to_the_names(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        put_relations(store, [(5, "Blocks", 2), (2, "Duplicates", 4), (2, "Parent", 1)])
        async with opened(store, (60, 20)) as pilot:
            await press(pilot, "#", "2", "enter", "g", "x")

            assert line_with(pilot.app, "Payment").split() == ["Blk", "by", "5", "◆", "Payment"]
            assert "Dup    4     × Nothing is suggested" in text_of(pilot.app)


async def test_columns_that_no_row_fills_leave_their_room_to_the_names(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        put_relations(store, [(4, "Duplicates", 2)])
        async with opened(store, (80, 24)) as pilot:
            await press(pilot, "#", "2", "enter", "g", "x")

            assert "Duplicated by 4     × Nothing is suggested  " in text_of(pilot.app)


async def test_a_web_link_is_added_and_shows_its_address(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "#", "2", "enter", "g", "x", "A", *"no address", "enter")
            refused = text_of(pilot.app)
            await press(pilot, "ctrl+u", *"https://example.org/survey", "enter", "enter")

            assert "The address " in refused
            assert [(each.text, each.url) for each in store.links.of_item(2)] == [
                ("example.org/survey", "https://example.org/survey")
            ]
            assert "https://example.org/survey" in line_with(pilot.app, "Web")


async def test_a_web_link_that_was_added_has_the_cursor_and_a_relation_offers_no_edit(
    tmp_path: Path, opened: Open
) -> None:
    with forest(tmp_path) as store:
        put_relations(store, [(5, "Blocks", 2)])
        async with opened(store, (120, 24)) as pilot:
            await press(pilot, "#", "2", "enter", "g", "x")
            of_relation = lines_of(pilot.app)[-1]
            await press(pilot, "A", *"https://example.org", "enter", "enter")
            await until(lambda: "Web" in line_with(pilot.app, "▌"), lambda: text_of(pilot.app))

            assert ("e edit" in of_relation.replace("  ", " "), "the Feature" in of_relation) == (False, False)
            assert "e  edit" in lines_of(pilot.app)[-1]
