"""Going to an item by number or words, and back."""

import pytest
from tests.store.world import until
from tests.tui.bare_app import heading_of, missing, text_of, words_of_dialog
from tests.tui.board_steps import board, on_board
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open

from backlit.store import Store
from backlit.tui.app.screen_navigator import AppLocation, JumpHistory
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.trees.screen import TreeScreen

ONE, TWO, THREE = AppLocation("backlog", 1), AppLocation("backlog", 2), AppLocation("areas")


def test_places_are_gone_back_through_and_forward_again() -> None:
    jumps = JumpHistory()
    jumps.leave(ONE)
    jumps.leave(TWO)

    assert [jumps.back(THREE), jumps.back(TWO), jumps.back(ONE)] == [TWO, ONE, None]
    assert [jumps.forward(), jumps.forward(), jumps.forward()] == [TWO, THREE, None]


def test_a_place_is_kept_once() -> None:
    jumps = JumpHistory()
    for place in (ONE, TWO, ONE):
        jumps.leave(place)

    assert [jumps.back(THREE), jumps.back(THREE), jumps.back(THREE)] == [ONE, TWO, None]


@pytest.mark.slow
async def test_an_item_is_gone_to_by_its_number_and_ctrl_o_goes_back(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "#", *str(rows[9].id), "enter")
        await until(lambda: items(pilot).current_id == rows[9].id)

        await press(pilot, "ctrl+o")
        await until(lambda: items(pilot).current_id == rows[0].id)
        await press(pilot, "g", "n")
        await until(lambda: items(pilot).current_id == rows[9].id)


@pytest.mark.slow
async def test_a_typed_number_is_gone_to_before_recent_items_that_contain_it(store: Store, opened: Open) -> None:
    rows = await shown(store)
    wanted = next(row.id for row in rows if row.id < 10)
    first, second = (row.id for row in rows[:3] if row.id != wanted)
    for item_id in (first, second):
        await store.items.edit([item_id], {"Name": f"Before {wanted}"})
    async with opened(store) as pilot:
        for item_id in (first, second):
            await press(pilot, "#", *str(item_id), "enter", "enter", "q")
        await press(pilot, "#", *str(wanted))
        await until(lambda: words_of_dialog(pilot.app).count(f"Before {wanted}") == 2, lambda: text_of(pilot.app))
        await press(pilot, "enter")

        assert items(pilot).current_id == wanted


@pytest.mark.slow
async def test_an_item_is_found_by_words_of_its_name(store: Store, opened: Open) -> None:
    row = (await shown(store))[9]
    async with opened(store) as pilot:
        await press(pilot, "#", *row.name.casefold())
        await until(lambda: f"#{row.id}" in text_of(pilot.app))

        assert missing(pilot.app, [row.name]) == []


@pytest.mark.slow
async def test_a_hidden_item_is_reported_with_an_offer_to_show_it(store: Store, opened: Open) -> None:
    row = next(each for each in await shown(store) if each.type == "Bug")
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter", "#", *str(row.id), "enter")
        await until(lambda: "Hidden item" in text_of(pilot.app))
        assert missing(pilot.app, ["type Story"]) == []

        await press(pilot, "c")
        await until(lambda: items(pilot).current_id == row.id)
        assert "type Story" not in heading_of(pilot.app)


@pytest.mark.slow
async def test_going_to_a_done_item_shows_done_items(store: Store, opened: Open) -> None:
    is_open = {row.id for row in await shown(store)}
    done = next(row for row in await shown(store, with_done=True) if row.id not in is_open)
    async with opened(store) as pilot:
        await press(pilot, "#", *str(done.id), "enter")
        await until(lambda: "open items only" in " ".join(text_of(pilot.app).split()))
        await press(pilot, "c")
        await until(lambda: items(pilot).current_id == done.id)

        assert "All items" in heading_of(pilot.app)


@pytest.mark.slow
async def test_escape_stays_where_one_is(store: Store, opened: Open) -> None:
    row = next(each for each in await shown(store) if each.type == "Bug")
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter")
        before = items(pilot).current_id
        await press(pilot, "#", *str(row.id), "enter")
        await until(lambda: "Hidden item" in text_of(pilot.app))
        await press(pilot, "escape")

        assert items(pilot).current_id == before
        assert "type Story" in heading_of(pilot.app)


@pytest.mark.slow
async def test_the_picker_starts_with_recent_items(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "5", "G", "enter")
        await until(lambda: isinstance(pilot.app.screen, ItemEditorScreen))
        await press(pilot, "q", "#")

        assert missing(pilot.app, ["Recent", f"#{rows[4].id}"]) == []


@pytest.mark.slow
async def test_from_a_tree_one_goes_to_the_backlog_and_back_to_the_tree(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "g", "a", "#", *str(rows[7].id), "enter")
        await until(lambda: items(pilot).current_id == rows[7].id)

        await press(pilot, "ctrl+o")
        assert isinstance(pilot.app.screen, TreeScreen)
        await press(pilot, "ctrl+o")
        await until(lambda: items(pilot).current_id == rows[0].id)


@pytest.mark.slow
async def test_from_the_board_one_goes_to_a_card_of_it_and_back(store: Store) -> None:
    async with on_board(store) as pilot:
        before, *_, wanted = board(pilot).ids_between(0, None)
        await press(pilot, "#", *str(wanted), "enter")
        await until(lambda: board(pilot).current_id == wanted)

        await press(pilot, "ctrl+o")
        assert board(pilot).current_id == before
