"""Saved views as tabs of the backlog."""

from pathlib import Path

import pytest
from tests.store.documents import offline_store
from tests.store.world import until
from tests.tui.bare_app import heading_of, lines_of, messages_of, place_of, text_of
from tests.tui.list_steps import items, press, shown
from tests.tui.lists.saved_views import BUGS, LARGE, FakeList, viewed

from backlit.config.settings import find_locations
from backlit.store import Store, ViewSpec
from backlit.store.views.view_files import ViewFiles
from backlit.tui.commands.command import CommandContext
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.lists.filtering import FilterState
from backlit.tui.shell.dispatch import function_of


async def count_of(store: Store, query: str) -> int:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return view.count or 0


@pytest.mark.slow
async def test_there_is_no_tab_line_without_views(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home") as pilot:
        assert lines_of(pilot.app)[1].startswith("╭─ Open items ")


async def test_own_views_and_those_of_the_repository_are_tabs(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", BUGS, LARGE) as pilot:
        assert lines_of(pilot.app)[1] == " 1 Open items  2 Bugs  3 Large"
        assert place_of(pilot.app, 1) == "1 Open items"


async def test_a_number_goes_to_a_view_and_1_back_to_the_backlog(store: Store, tmp_path: Path) -> None:
    large = await count_of(store, "est>5")
    everything = sum(row.type != "Task" for row in await shown(store))
    async with viewed(store, tmp_path / "home", BUGS, LARGE) as pilot:
        await press(pilot, "g", "3")
        count, title = items(pilot).row_count(), heading_of(pilot.app)
        await press(pilot, "g", "1")

        assert (count, items(pilot).row_count()) == (large, everything)
        assert title.startswith("Large")
        assert "points ↓" in title


@pytest.mark.slow
async def test_brackets_go_from_view_to_view(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", BUGS, LARGE) as pilot:
        titles = []
        for key in ("]", "]", "]", "["):
            await press(pilot, key)
            titles.append(heading_of(pilot.app))

        assert ["Bugs" in titles[0], "Large" in titles[1], "Open items" in titles[2], "Large" in titles[3]] == [
            True
        ] * 4


@pytest.mark.slow
async def test_the_filter_narrows_a_view_and_escape_shows_all_of_it_again(store: Store, tmp_path: Path) -> None:
    both, bugs = await count_of(store, "type:bug est:none"), await count_of(store, "type:bug")
    async with viewed(store, tmp_path / "home", BUGS.replace('group = ["status"]\n', "")) as pilot:
        await press(pilot, "g", "2", "/", *"est:none", "enter")
        narrowed = items(pilot).row_count()
        await press(pilot, "escape")

        assert (narrowed, items(pilot).row_count()) == (both, bugs)


@pytest.mark.slow
async def test_a_list_is_saved_as_a_view_and_read_again(store: Store, tmp_path: Path) -> None:
    bugs = await count_of(store, "type:bug")
    async with viewed(store, tmp_path / "home", "# mine\n" + LARGE) as pilot:
        await press(pilot, "/", *"type:bug", "enter", "t", "s", *"name", "enter")
        await press(pilot, "S", *"Bugs", "enter")
        tabs, title = lines_of(pilot.app)[1], heading_of(pilot.app)
        kept = (tmp_path / "home" / "config" / "views.toml").read_text()

        assert "3 Bugs" in tabs
        assert title.startswith("Bugs")
        assert items(pilot).row_count() == bugs
        assert kept.startswith("# mine\n" + LARGE)
        assert 'query = "type:bug"\nsort = ["Name"]' in kept


@pytest.mark.slow
async def test_a_view_keeps_a_computed_order(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", LARGE) as pilot:
        await press(pilot, ":", *"sort", "space", *"lint", "space", *"desc", "enter", "S", *"Due", "enter")
        ids = list(items(pilot).ids_between(0, None))
        await press(pilot, "g", "1", "g", "3")
        kept = (tmp_path / "home" / "config" / "views.toml").read_text()

        assert 'sort = ["lint desc"]' in kept
        assert "not ready ↓" in heading_of(pilot.app)
        assert list(items(pilot).ids_between(0, None)) == ids


async def test_searched_words_become_part_of_the_query_of_a_view(tmp_path: Path) -> None:
    with offline_store(tmp_path / "store") as store:
        target = FakeList(store, FilterState(text="sign in", query="type:bug"))
        target.shared.views.files = ViewFiles(find_locations({"BACKLIT_HOME": str(tmp_path)}), tmp_path)

        await function_of("lists.list_commands:save_view")(
            target, CommandContext(COMMAND_BY_ID["view.save"], text="Doors")
        )

        assert target.shared.now.text == ""
        assert target.shared.now.query == '(type:bug) ("sign in")'


async def test_a_view_of_the_same_name_is_replaced_and_no_other(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", BUGS + "\n" + LARGE) as pilot:
        await press(pilot, "g", "2", "t", "g", *"owner", "enter", "S", "enter")
        kept = (tmp_path / "home" / "config" / "views.toml").read_text()

        assert kept.count("Bugs") == 1
        assert LARGE in kept
        assert 'group = ["AssignedToID"]' in kept


async def test_a_saved_view_goes_behind_ones_own_and_before_those_of_the_repository(
    store: Store, tmp_path: Path
) -> None:
    async with viewed(store, tmp_path / "home", BUGS, LARGE) as pilot:
        await press(pilot, "S", *"Mine", "enter")

        assert lines_of(pilot.app)[1] == " 1 Open items  2 Bugs  3 Mine  4 Large"


async def test_a_file_that_is_no_toml_is_left_as_it_is(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", "[[view]\n") as pilot:
        await press(pilot, "S", *"Mine", "enter")

        (shown,) = messages_of(pilot.app)
        assert "Could not save the view, as the file has a fault." in shown
        assert "views.toml, line 1: the name of a table has no ]] after" in shown
        assert (tmp_path / "home" / "config" / "views.toml").read_text() == "[[view]\n"


async def test_views_that_cannot_be_read_are_named_and_the_backlog_is_there(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", BUGS, '[[view]]\nname = "X"\ngroup = ["nonsense"]\n') as pilot:
        assert "There is no field 'nonsense'" in text_of(pilot.app)
        assert "Bugs" in text_of(pilot.app)
        assert items(pilot).row_count() > 0


async def test_a_number_without_a_view_says_so(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", BUGS) as pilot:
        await press(pilot, "g", "7")

        assert "There is no view 7" in text_of(pilot.app)


async def test_the_command_line_goes_to_a_view_by_name(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", BUGS, LARGE) as pilot:
        await press(pilot, ":", *"view", "space", *"lar", "tab", "enter")

        assert heading_of(pilot.app).startswith("Large")


@pytest.mark.slow
async def test_the_board_shows_the_view_that_the_list_shows(store: Store, tmp_path: Path) -> None:
    bugs = await count_of(store, "type:bug")
    async with viewed(store, tmp_path / "home", BUGS, LARGE) as pilot:
        await press(pilot, "g", "2")
        await press(pilot, "g", "k")
        title, place = heading_of(pilot.app), place_of(pilot.app)
        await press(pilot, "g", "b", "escape")

        assert place == "Board"
        assert title.startswith("Bugs")
        assert items(pilot).row_count() >= bugs


@pytest.mark.slow
async def test_a_view_without_matches_offers_no_key_that_clears_its_own_filters(store: Store, tmp_path: Path) -> None:
    nothing = '[[view]]\nname = "Nothing"\nquery = "type:bug tag:nonesuch"\n'
    async with viewed(store, tmp_path / "home", nothing) as pilot:
        await press(pilot, "g", "2")
        await until(lambda: "tag nonesuch”" in text_of(pilot.app), lambda: text_of(pilot.app))
        assert "clear" not in text_of(pilot.app)

        await press(pilot, "/", *"zebra", "enter")
        await until(lambda: "clear “/zebra”" in text_of(pilot.app), lambda: text_of(pilot.app))
