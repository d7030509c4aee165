"""The command line, driven by keys on several screens."""

import pytest
from tests.store.world import World, until
from tests.tui.bare_app import heading_of, lines_of, text_of
from tests.tui.editor_steps import Edit
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.backlog.screen import BacklogScreen


async def type_in(pilot: Pilot[None], text: str, *then: str) -> None:
    await press(pilot, *("space" if sign == " " else sign for sign in text), *then)
    await pilot.pause()


@pytest.mark.slow
async def test_commands_sort_and_group(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, ":group type", "enter")
        await type_in(pilot, ":sort est desc, name", "enter")

        assert "by type" in heading_of(pilot.app)
        assert "points ↓, name ↑" in heading_of(pilot.app)


@pytest.mark.slow
async def test_a_word_alone_does_what_its_key_does(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, ":sort", "enter")

        assert "Sort by" in text_of(pilot.app)


@pytest.mark.slow
async def test_words_are_offered_at_once_and_fields_behind_them(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, ":")
        words = lines_of(pilot.app)[-1]
        await type_in(pilot, "sort seve", "tab", "enter")

        assert "sort   group" in words
        assert "severity ↑" in heading_of(pilot.app)


async def test_a_number_goes_to_the_item_and_ctrl_o_comes_back(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await type_in(pilot, f":{rows[9].id}", "enter")
        there = items(pilot).current_id
        await press(pilot, "ctrl+o")

        assert (there, items(pilot).current_id) == (rows[9].id, rows[0].id)


async def test_a_number_goes_to_the_item_from_another_screen(store: Store, opened: Open) -> None:
    wanted = (await shown(store))[9].id
    async with opened(store) as pilot:
        await press(pilot, "g", "i")
        await type_in(pilot, f":{wanted}", "enter")

        assert isinstance(pilot.app.screen, BacklogScreen)
        assert items(pilot).current_id == wanted


async def test_explain_says_what_ran_and_what_was_asked(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, ":explain", "enter")

        assert "Filters are never sent to the server" in " ".join(text_of(pilot.app).split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (":frobnicate", "Unknown command “frobnicate”. ? lists all commands."),
        (":sort est, colour", "There is no field 'colour'"),
        (":colums", "Unknown command “colums”. Did you mean :col"),
        (":w now", ":w takes no argument."),
        (":99999", "No item #99999 in this project"),
    ],
)
@pytest.mark.long_but(":frobnicate", ":99999")
async def test_the_line_closes_after_an_error_so_that_the_next_keys_are_commands(
    store: Store, opened: Open, line: str, fault: str
) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await type_in(pilot, line, "enter")
        words = " ".join(text_of(pilot.app).split())
        await press(pilot, "j")
        on_screen, current = lines_of(pilot.app)[-1], items(pilot).current_id
        await press(pilot, ":", "up")

        assert fault in words
        assert line not in on_screen
        assert current == rows[1].id
        assert line in lines_of(pilot.app)[-1]


@pytest.mark.slow
async def test_a_faulty_line_comes_back_to_be_corrected(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, ":sort est, colour", "enter", ":", "up", "ctrl+w", *"name", "enter")

        assert "points ↑, name ↑" in heading_of(pilot.app)


@pytest.mark.slow
async def test_escape_leaves_the_line_and_nothing_else(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, "/bug", "enter")
        filtered = items(pilot).row_count()
        await type_in(pilot, ":so", "escape")

        assert items(pilot).row_count() == filtered
        assert ":so" not in text_of(pilot.app)


@pytest.mark.slow
async def test_what_was_typed_comes_back_on_every_screen_and_in_the_next_run(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, ":sort name", "enter")
    async with opened(store) as pilot:
        await press(pilot, "g", "a", ":", "up")

        assert ":sort name" in text_of(pilot.app)


@pytest.mark.slow
async def test_words_of_the_list_are_not_known_among_the_areas(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "g", "a")
        await type_in(pilot, ":sort name", "enter")

        assert "Unknown command “sort name”" in text_of(pilot.app)


@pytest.mark.slow
async def test_in_the_editor_q_closes_it(world: World, edit: Edit) -> None:
    item_id = (await world.rival.work_items.page(top=1)).results[0]["id"]
    async with edit(item_id) as pilot:
        await type_in(pilot, ":q", "enter")

        assert isinstance(pilot.app.screen, BacklogScreen)


async def test_w_says_that_all_is_saved(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, ":w", "enter")

        assert "All changes are saved." in text_of(pilot.app)


@pytest.mark.slow
async def test_a_theme_is_put_on_by_its_name(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, ":theme pap", "tab", "enter")

        assert pilot.app.theme == "paper"


@pytest.mark.slow
async def test_an_item_is_ranked_to_a_place_by_words(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await type_in(pilot, ":rank 4", "enter")
        await until(lambda: items(pilot).cursor == 5)

        assert [row.id for row in await shown(store)][5] == rows[0].id
