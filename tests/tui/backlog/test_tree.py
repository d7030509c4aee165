"""The backlog as a tree of Features."""

from pathlib import Path

import pytest
from tests.store.documents import announce, item, put
from tests.store.views.forest import forest, put_relations
from tests.tui.bare_app import line_with, lines_of, pane_lines
from tests.tui.list_steps import items, press
from tests.tui.opened import Open

pytestmark = pytest.mark.slow


def names_in(lines: list[str]) -> list[str]:
    """Return the rows of a list from the id on, without their other columns."""
    return [line[8:].split("     ")[0].rstrip() for line in lines if line[3:7].strip().isdigit()]


async def test_tf_shows_the_backlog_as_a_tree_and_flat_again(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            flat = names_in(pane_lines(pilot.app))
            await press(pilot, "t", "f")
            tree, heading = names_in(pane_lines(pilot.app)), line_with(pilot.app, "as a tree")
            await press(pilot, "t", "f")

            assert tree[:4] == ["▲ Search", "  ◆ Synonyms ▸1", "  ▲ Suggestions ▸1", "◆ Payment"]
            assert "Open items as a tree" in heading
            assert names_in(pane_lines(pilot.app)) == flat


async def test_keys_fold_and_unfold_one_level_a_press(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "t", "f")
            counts = [items(pilot).row_count()]
            for keys in (("z", "R"), ("z", "R"), ("z", "M"), ("z", "a"), ("l",), ("j", "l"), ("h",), ("h",)):
                await press(pilot, *keys)
                counts.append(items(pilot).row_count())

            assert counts == [6, 7, 8, 7, 4, 7, 8, 7, 4]
            assert items(pilot).current_id == 1


async def test_what_is_looked_for_is_shown_with_the_way_to_it(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "t", "f", "z", "M", "/", *"write", "enter")
            found = names_in(pane_lines(pilot.app))
            await press(pilot, "escape", "#", "4", "enter")

            assert found == ["▲ Search", "  ◆ Synonyms", "    □ Write the list"]
            assert items(pilot).current_id == 4


async def test_a_tree_and_its_folds_are_kept_for_the_next_start(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "t", "f", "h")
            before = names_in(pane_lines(pilot.app))
        async with opened(store, (100, 24)) as pilot:
            await press(pilot)

            assert before[0] == "▲ Search ▸2"
            assert names_in(pane_lines(pilot.app)) == before


async def test_a_tree_is_no_groups_and_groups_are_no_tree(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "t", "f", ":", *"group type", "enter")
            grouped = lines_of(pilot.app)
            await press(pilot, "t", "f")

            assert any("by type" in line for line in grouped)
            assert not any("as a tree" in line for line in grouped)
            assert names_in(pane_lines(pilot.app))[0] == "▲ Search"


async def test_tf_says_that_a_server_has_no_relations(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as alone:
        announce(alone, {"extensions": []})
        async with opened(alone, (100, 24)) as pilot:
            await press(pilot, "t", "f")

            assert line_with(pilot.app, "This server has no relations between items.")


async def test_a_feature_shows_what_is_done_below_it_and_its_own_estimate_apart(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        put(store, [item(1, kind="Feature", Name="Search", Estimate="40"), item(4, kind="Bug", Estimate="5")])
        put(store, [item(2, Name="Synonyms", Estimate="5", Status="Done")])
        put_relations(store, [(5, "Blocks", 4), (2, "Parent", 1), (3, "Parent", 1), (4, "Parent", 3)])
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "t", "f", "z", "R")
            feature, blocked = line_with(pilot.app, "▲ Search"), line_with(pilot.app, "× Item 4")

            assert "(40)     5/10  ━━━━────" in feature
            assert "⊣1" in blocked
