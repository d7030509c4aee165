"""The mouse in the backlog, and the ways to show less."""

from pathlib import Path

import pytest
from tests.quiet import strips_of, workers_done
from tests.store.world import until
from tests.tui.bare_app import heading_of, lines_of, text_of
from tests.tui.list_steps import items, press, shown, status_line
from tests.tui.lists.saved_views import BUGS, LARGE, viewed
from tests.tui.opened import Open
from textual import events
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.board.board_list import BoardList
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.widgets.side_lines import TabLine


async def click(pilot: Pilot[None], row: int, *, shift: bool = False, control: bool = False, times: int = 1) -> None:
    """Click on a row of the list, counted from 0 at the top."""
    await pilot.click(items(pilot), offset=(20, row + 1), shift=shift, control=control, times=times)
    await workers_done(pilot.app)
    await pilot.pause()


@pytest.mark.slow
async def test_a_click_moves_the_cursor_and_a_double_click_opens_the_item(store: Store, opened: Open) -> None:
    wanted = (await shown(store))[4].id
    async with opened(store) as pilot:
        await click(pilot, 4)
        there = items(pilot).current_id
        await click(pilot, 4, times=2)

        assert there == wanted
        assert isinstance(pilot.app.screen, ItemEditorScreen)


@pytest.mark.slow
async def test_a_second_click_opens_the_item_also_after_a_while(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await click(pilot, 4)
        await click(pilot, 2)
        await click(pilot, 4)
        first = isinstance(pilot.app.screen, ItemEditorScreen)
        await pilot.pause(0.6)
        await click(pilot, 4)

        assert (first, isinstance(pilot.app.screen, ItemEditorScreen)) == (False, True)


async def test_the_wheel_scrolls_three_rows(store: Store, opened: Open) -> None:
    async with opened(store, (100, 20)) as pilot:
        items(pilot).post_message(
            events.MouseScrollDown(items(pilot), 5, 5, 0, 0, 0, shift=False, meta=False, ctrl=False)
        )
        await pilot.pause()

        assert items(pilot).top == 3


async def test_ctrl_selects_and_deselects_a_row(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await click(pilot, 2, control=True)
        await click(pilot, 5, control=True)
        await click(pilot, 2, control=True)

        assert list(items(pilot).selection.ids()) == [rows[5].id]


async def test_shift_selects_from_the_cursor_to_the_row_and_the_sum_is_said(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await click(pilot, 1)
        await click(pilot, 4, shift=True)
        await until(lambda: "4 selected" in status_line(pilot) or "selected" in status_line(pilot))

        assert set(items(pilot).selection.ids()) == {row.id for row in rows[1:5]}


async def test_a_click_on_a_header_folds_its_group_and_another_unfolds_it(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "t", "g", *"type", "enter")
        everything = items(pilot).row_count()
        await click(pilot, 0)
        folded = items(pilot).row_count()
        await click(pilot, 0)

        assert folded < everything == items(pilot).row_count()


async def test_a_double_click_on_a_header_opens_nothing(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "t", "g", *"type", "enter")
        await click(pilot, 0, times=2)

        assert not isinstance(pilot.app.screen, ItemEditorScreen)


async def test_a_click_on_a_tab_goes_to_its_view(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", BUGS, LARGE) as pilot:
        await pilot.click(pilot.app.screen.query_one(TabLine), offset=(18, 0))
        await pilot.pause()

        assert heading_of(pilot.app).startswith("Bugs")


async def test_the_tabs_around_the_current_one_are_shown(store: Store, tmp_path: Path) -> None:
    own = "\n".join(LARGE.replace("Large", f"View number {number}") for number in range(2, 10))
    async with viewed(store, tmp_path / "home", own, size=(60, 20)) as pilot:
        await press(pilot, "g", "6")
        line = lines_of(pilot.app)[1]

        assert line.startswith(" …")
        assert line.endswith("…")
        assert "6 View number 6" in line


async def test_zen_leaves_the_list_alone_and_ends_as_it_began(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await until(lambda: "5 comments" in text_of(pilot.app))
        before = text_of(pilot.app)
        await press(pilot, "t", "z")
        zen = lines_of(pilot.app)
        await press(pilot, "t", "z")

        assert zen[0].split()[:2] == ["#", "Name"]
        assert "keys" not in zen[-1]
        await until(lambda: text_of(pilot.app) == before)


async def test_low_bandwidth_shows_no_preview_and_the_cursor_as_a_bar_alone(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "t", "l")
        strip = strips_of(pilot.app)[3]

        assert lines_of(pilot.app)[5].count("│") == 2
        assert strip.text.startswith("│▌")
        assert len({segment.style.bgcolor for segment in strip if segment.style}) == 1
        assert items(pilot).scrolls_by_half


async def test_done_items_are_hidden_until_requested(store: Store, opened: Open) -> None:
    some, everything = len(await shown(store)), len(await shown(store, with_done=True))
    async with opened(store) as pilot:
        hidden = items(pilot).row_count()
        await press(pilot, "t", "d")

        assert (hidden, items(pilot).row_count()) == (some, everything)
        assert "All items" in heading_of(pilot.app)


async def test_on_the_board_ctrl_selects_a_card_and_shift_those_up_to_it(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "g", "k")
        board = pilot.app.screen.query_one(BoardList)
        await until(lambda: board.row_count() > 2)
        first, second, third = board.ids_between(0, 3)
        for row, held in ((0, "control"), (1, ""), (2, "shift")):
            offset = (4, board.HEADER_LINES + row * board.laid_out.card_lines)
            await pilot.click(board, offset=offset, control=held == "control", shift=held == "shift")
        await pilot.pause()

        assert set(board.selection.ids()) == {first, second, third}
        assert board.current_id == third
