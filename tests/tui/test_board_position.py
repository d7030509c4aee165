"""The position on a board: columns entered and left, cards revealed, lanes placed again; no application runs."""

from collections.abc import Sequence

import pytest

from backlit.store import Store, ViewSpec
from backlit.store.views.view import View
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.position import BoardPosition, Spot

NAMES = ("Not Done", "In Progress", "Ready For Test", "Done")


async def view_of(store: Store, *lanes: str) -> View:
    view = store.view(ViewSpec(group=(*lanes, "Status"), with_done=True))
    await view.load()
    return view


def columns_of(_view: View) -> Sequence[BoardColumn]:
    return [BoardColumn(name, (name,)) for name in NAMES]


@pytest.fixture
async def board(store: Store) -> BoardPosition:
    """A position in the first column of the items by status."""
    position = BoardPosition(columns_of)
    position.show(await view_of(store), None, Spot())
    return position


@pytest.fixture
async def laned(store: Store) -> BoardPosition:
    """A position in the first column of the items by status, with lanes by type."""
    position = BoardPosition(columns_of)
    position.show(await view_of(store, "type"), None, Spot())
    return position


async def test_a_column_comes_back_to_its_spot(board: BoardPosition) -> None:
    there = board.enter(1, None, Spot(3, 2))
    back = board.enter(0, None, there)

    assert there == Spot()
    assert back == Spot(3, 2)
    assert board.shown_column == BoardColumn("Not Done", ("Not Done",))


async def test_a_column_out_of_sight_of_the_cursor_keeps_its_first_row_in_sight(board: BoardPosition) -> None:
    board.enter(1, None, Spot(3, 2))

    assert board.top_of(0, 0, 5) == 2
    assert list(board.places_in_sight(0, 0, 5)) == board.grid.places(0, 2, 7)


async def test_show_enters_the_column_of_an_item(store: Store, board: BoardPosition) -> None:
    last = board.grid.all_places(3)[-1]
    view = await view_of(store)
    item_id = view.ids()[last]

    board.show(view, item_id, Spot())

    assert board.column == 3
    assert board.id_at(board.row_of(item_id) or 0) == item_id


async def test_reveal_opens_a_collapsed_column(board: BoardPosition) -> None:
    item_id = board.ids_between(0, 1)[0]
    assert board.toggle_collapsed()
    board.regrid(None, 0)
    hidden = board.row_of(item_id), board.id_at(0)

    assert board.reveal(item_id) == (0, 0)
    assert hidden == (0, None)
    assert 0 not in board.grid.collapsed


async def test_a_collapsed_column_opens_where_the_cursors_item_comes_from_another(
    store: Store, board: BoardPosition
) -> None:
    item_id = board.ids_between(0, 1)[0]
    board.toggle_collapsed()
    board.regrid(None, 0)
    board.show(await view_of(store), item_id, Spot())
    is_kept = 0 in board.grid.collapsed

    board.enter(1, None, Spot())
    board.show(await view_of(store), item_id, Spot())

    assert is_kept
    assert 0 not in board.grid.collapsed
    assert board.id_at(board.row_of(item_id) or 0) == item_id


async def test_reveal_knows_no_item_outside_the_view(board: BoardPosition) -> None:
    assert board.reveal(-77) is None


async def test_a_collapsed_column_is_left_out_of_all_cards(board: BoardPosition) -> None:
    everything, first = board.ids_between(0, None), board.ids_between(0, board.grid.height(0))
    board.toggle_collapsed()
    board.regrid(None, 0)

    assert list(board.ids_between(0, None)) == [each for each in everything if each not in set(first)]


async def test_regrid_returns_the_header_of_the_lane_when_it_is_folded(laned: BoardPosition) -> None:
    row = (laned.grid.lane_row(1) or 0) + 1
    lane = laned.lane(row)
    assert lane is not None
    assert lane.header is not None

    laned.folded.add(lane.header.group)

    header = laned.regrid(laned.id_at(row), row)
    assert header == laned.grid.lane_row(1)
    assert laned.lane_value(header) == ("type", lane.header.value)


async def test_reveal_unfolds_the_lane_of_a_card(laned: BoardPosition) -> None:
    item_id = laned.ids_between(0, None)[0]
    laned.folded.update(lane.header.group for lane in laned.grid.lanes if lane.header)
    laned.regrid(None, 0)

    column, row = laned.reveal(item_id) or (-1, -1)

    assert not laned.folded
    assert laned.grid.place_at(column, row) is not None


async def test_lanes_are_as_high_as_the_current_column_needs_in_single_mode(laned: BoardPosition) -> None:
    laned.is_single = True
    laned.regrid(None, 0)
    before = laned.grid.height(0)

    laned.enter(3, None, Spot(1, 0))

    cards = len(laned.grid.all_places(3))
    assert laned.grid.height(3) == cards + len(laned.grid.lanes)
    assert before != laned.grid.height(3)
