"""A start after another one: the place of the last time, and the line for a new user."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in, put
from tests.store.world import World, make_sample, until
from tests.tui.bare_app import line_with, lines_of, text_of
from tests.tui.list_steps import items, press
from tests.tui.opened import Open

from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.app.screen_navigator import LAST_LOCATION_KEY
from backlit.tui.board.screen import BoardScreen
from backlit.tui.editor.screen import ItemEditorScreen


@pytest.mark.slow
async def test_a_start_shows_the_screen_and_the_item_of_the_last_time(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, *"7jgk")
        await until(lambda: isinstance(pilot.app.screen, BoardScreen))
        await press(pilot, "j", "j")
        board = pilot.app.screen
        assert isinstance(board, BoardScreen)
        current = board.items.current_id
        pilot.app.exit()

    async with opened(store) as pilot:
        await until(lambda: isinstance(pilot.app.screen, BoardScreen))
        board = pilot.app.screen
        assert isinstance(board, BoardScreen)
        await until(lambda: board.items.current_id == current, lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_a_start_opens_the_item_that_was_open(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, *"3j", "enter")
        await until(lambda: isinstance(pilot.app.screen, ItemEditorScreen))
        pilot.app.exit()

    async with opened(store) as pilot:
        await until(lambda: isinstance(pilot.app.screen, ItemEditorScreen))
        await press(pilot, "q")

        assert items(pilot).cursor == 3


async def test_the_cursor_goes_to_the_neighbour_of_an_item_that_is_gone(tmp_path: Path, opened: Open) -> None:
    with offline_store(tmp_path, [item(number) for number in range(1, 60)]) as store:
        async with opened(store) as pilot:
            await press(pilot, *"40j")
            assert items(pilot).current_id == 41
            pilot.app.exit()
        put(store, [item(41, Status="Done")])

        async with opened(store) as pilot:
            await until(lambda: items(pilot).current_id == 42, lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_the_line_for_a_new_user_is_hidden_for_good_by_esc(store: Store) -> None:
    async with BacklitApp(store, greets=True).run_test(size=(120, 40)) as pilot:
        await until(lambda: "New here?" in text_of(pilot.app))
        line = " ".join(line_with(pilot.app, "New here?").split())
        assert line == "New here? gq groom all gp plan gk board ctrl+p find a command ? keys esc hide"
        await press(pilot, "escape")
        await until(lambda: "New here?" not in text_of(pilot.app))

    async with BacklitApp(store, greets=True).run_test(size=(120, 40)) as pilot:
        await press(pilot, "j")
        assert "New here?" not in text_of(pilot.app)


@pytest.mark.slow
async def test_the_line_for_a_new_user_offers_no_change_before_a_project_is_loaded(world: World) -> None:
    world.faults.is_down = True
    async with BacklitApp(world.store("empty"), greets=True).run_test(size=(120, 40)) as pilot:
        await until(lambda: "Nothing loaded yet" in text_of(pilot.app), lambda: text_of(pilot.app))

        line = " ".join(line_with(pilot.app, "New here?").split())
        assert line == "New here? ctrl+p find a command ? keys esc hide"


@pytest.mark.slow
async def test_a_key_of_the_line_for_a_new_user_is_run_by_a_click(store: Store) -> None:
    async with BacklitApp(store, greets=True).run_test(size=(120, 40)) as pilot:
        await until(lambda: "New here?" in text_of(pilot.app))
        line = line_with(pilot.app, "New here?")

        await pilot.click("#greeting", offset=(line.index("board"), 0))
        await until(lambda: isinstance(pilot.app.screen, BoardScreen), lambda: lines_of(pilot.app)[0])


async def test_a_confirmation_is_not_repeated_in_the_line_for_a_new_user(store: Store) -> None:
    async with BacklitApp(store, greets=True).run_test(size=(120, 40)) as pilot:
        await until(lambda: "New here?" in text_of(pilot.app))
        await press(pilot, "u")
        await until(lambda: "Nothing to undo." in text_of(pilot.app), lambda: text_of(pilot.app))

        assert text_of(pilot.app).count("Nothing to undo.") == 1
        assert "esc hide" in line_with(pilot.app, "New here?")


@pytest.mark.slow
async def test_the_place_is_kept_for_an_application_that_is_killed(tmp_path: Path, opened: Open) -> None:
    def kept() -> object:
        with closing(sqlite3.connect(places_in(tmp_path).journal)) as journal:
            return journal.execute("SELECT value FROM settings WHERE key = ?", (LAST_LOCATION_KEY,)).fetchone()

    with offline_store(tmp_path, [item(number) for number in range(1, 60)]) as store:
        async with opened(store) as pilot:
            await press(pilot, *"40j")

            await until(lambda: " 41, 40," in str(kept()), lambda: str(kept()))


@pytest.mark.slow
async def test_an_empty_backlog_shows_three_steps_and_offers_nothing_without_an_item(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    world = World(tmp_path, make_sample(folder, items=0))
    await world.start()
    store = await world.online()
    async with BacklitApp(store, greets=True).run_test(size=(120, 40)) as pilot:
        await until(lambda: "Three steps to a first sprint" in text_of(pilot.app), lambda: text_of(pilot.app))
        greeting = line_with(pilot.app, "New here?")
        assert "1  add an item" in text_of(pilot.app)
        assert "✓  add sprints" in text_of(pilot.app)
        assert "3  plan: > moves" in text_of(pilot.app)
        assert "add an item" in greeting
        assert "groom" not in greeting
    await world.stop()
