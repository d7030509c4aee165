"""The position on a board: columns entered and left, cards revealed, lanes placed again; no application runs."""

from collections.abc import Sequence

import pytest

from backlit.store import Store, ViewSpec
from backlit.store.views.view import View
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.position import MAX_LATEST_CARDS, BoardPosition, RowPosition

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
    position.show(await view_of(store), None, RowPosition())
    return position


@pytest.fixture
async def laned(store: Store) -> BoardPosition:
    """A position in the first column of the items by status, with lanes by type."""
    position = BoardPosition(columns_of)
    position.show(await view_of(store, "type"), None, RowPosition())
    return position


async def test_a_column_comes_back_to_its_spot(board: BoardPosition) -> None:
    there = board.enter(1, None, RowPosition(3, 2))
    back = board.enter(0, None, there)

    assert there == RowPosition()
    assert back == RowPosition(3, 2)
    assert board.shown_column == BoardColumn("Not Done", ("Not Done",))


async def test_a_column_out_of_sight_of_the_cursor_keeps_its_first_row_in_sight(board: BoardPosition) -> None:
    board.enter(1, None, RowPosition(3, 2))

    assert board.top_of(0, 0, 5) == 2
    assert list(board.places_in_sight(0, 0, 5)) == board.grid.places(0, 2, 7)


async def test_show_enters_the_column_of_an_item(store: Store, board: BoardPosition) -> None:
    last = board.grid.all_places(3)[-1]
    view = await view_of(store)
    item_id = view.ids()[last]

    board.show(view, item_id, RowPosition())

    assert board.column == 3
    assert board.id_at(board.row_of(item_id) or 0) == item_id


async def test_a_column_is_entered_at_a_row_that_it_has(board: BoardPosition) -> None:
    assert board.enter(1, 99, RowPosition()).row == board.grid.height(1) - 1
    assert board.enter(0, -3, RowPosition()).row == 0


async def test_the_first_column_with_cards_is_entered_first(store: Store) -> None:
    position = BoardPosition(lambda _view: [BoardColumn("Nothing", ("Nothing",)), *columns_of(_view)])

    position.show(await view_of(store), None, RowPosition())

    assert position.column == 1


async def test_a_card_of_another_column_has_no_row(board: BoardPosition) -> None:
    item_id = board.ids_between(0, 1)[0]
    there = board.row_of(item_id)

    board.enter(1, None, RowPosition())

    assert (there, board.row_of(item_id)) == (0, None)


async def test_a_column_that_is_collapsed_twice_is_open(board: BoardPosition) -> None:
    for is_collapsed in (True, False):
        board.toggle_collapsed(None)
        board.regrid(None, 0)

        assert (0 in board.grid.collapsed) is is_collapsed


async def test_a_card_is_counted_among_those_of_its_lane(laned: BoardPosition) -> None:
    laned.enter(1, None, RowPosition())
    number = next(at for at, lane in enumerate(laned.grid.lanes) if len(lane.cells[0]) != len(lane.cells[1]) > 1)
    first = (laned.grid.lane_row(number) or 0) + 1

    assert laned.card_place(first + 1) == (2, len(laned.grid.lanes[number].cells[1]), "card")
    assert laned.card_place(first - 1) == (number + 1, len(laned.grid.lanes), "lane")


async def test_a_folded_column_has_no_place_for_the_cursor(laned: BoardPosition) -> None:
    laned.toggle_collapsed(None)
    laned.regrid(None, 0)

    assert laned.card_place(1) == (0, 0, "card")


async def test_other_lanes_begin_unfolded_with_the_latest_cards(store: Store, laned: BoardPosition) -> None:
    header = laned.grid.lanes[0].header
    assert header is not None
    laned.folded.add(header.group)
    laned.has_all_done = True
    laned.show(await view_of(store, "type"), None, RowPosition())
    kept = (len(laned.folded), laned.has_all_done)

    laned.show(await view_of(store, "AssignedToID"), None, RowPosition())

    assert kept == (1, True)
    assert (len(laned.folded), laned.has_all_done) == (0, False)


async def test_a_lane_with_open_cards_in_a_folded_column_begins_open(store: Store) -> None:
    board = BoardPosition(columns_of)
    board.collapsed = {"Not Done": True}
    board.show(await view_of(store, "AssignedToID"), None, RowPosition())

    assert [lane.is_folded for lane in board.grid.lanes if len(lane.cells[0])] != []
    assert not any(lane.is_folded for lane in board.grid.lanes if len(lane.cells[0]))


async def test_lanes_in_which_all_is_done_begin_folded_and_a_card_below_the_open_ones_is_found(store: Store) -> None:
    def with_done(_view: View) -> Sequence[BoardColumn]:
        return [BoardColumn(name, (name,), is_done=name == "Done") for name in NAMES]

    board = BoardPosition(with_done)
    view = await view_of(store, "AssignedToID")
    board.show(view, None, RowPosition())
    lane = next(lane for lane in board.grid.lanes if lane.totals[-1].shown < lane.totals[-1].count)
    hidden = view.ids()[lane.cells[-1].stop]
    before = board.row_of(hidden)

    found = board.reveal(hidden)

    done = [lane for lane in board.grid.lanes if lane.totals[-1].count and not any(map(len, lane.cells[:-1]))]
    assert all(lane.is_folded for lane in done)
    assert not any(lane.is_folded for lane in board.grid.lanes if lane not in done)
    assert before is None
    assert found is not None
    assert board.grid.place_at(*found) == lane.cells[-1].stop


async def test_the_cards_below_the_latest_come_into_sight_when_one_is_revealed(store: Store) -> None:
    view = store.view(ViewSpec(group=("Status",), latest=("Not Done",)))
    await view.load()
    board = BoardPosition(columns_of)
    board.show(view, None, RowPosition())
    below = view.ids()[MAX_LATEST_CARDS]
    before = (board.grid.height(0), board.row_of(below))

    assert board.reveal(below) == (0, MAX_LATEST_CARDS)
    assert before == (MAX_LATEST_CARDS, None)
    assert board.grid.height(0) > MAX_LATEST_CARDS


async def test_reveal_opens_a_collapsed_column(board: BoardPosition) -> None:
    item_id = board.ids_between(0, 1)[0]
    assert board.toggle_collapsed(item_id) == item_id
    board.regrid(None, 0)
    hidden = board.row_of(item_id), board.id_at(0)

    assert board.reveal(item_id) == (0, 0)
    assert hidden == (0, None)
    assert 0 not in board.grid.collapsed


async def test_a_collapsed_column_opens_where_the_cursors_item_comes_from_another(
    store: Store, board: BoardPosition
) -> None:
    item_id = board.ids_between(0, 1)[0]
    board.toggle_collapsed(None)
    board.regrid(None, 0)
    board.show(await view_of(store), item_id, RowPosition())
    is_kept = 0 in board.grid.collapsed

    board.enter(1, None, RowPosition())
    board.show(await view_of(store), item_id, RowPosition())

    assert is_kept
    assert 0 not in board.grid.collapsed
    assert board.id_at(board.row_of(item_id) or 0) == item_id


async def test_reveal_knows_no_item_outside_the_view(board: BoardPosition) -> None:
    assert board.reveal(-77) is None


async def test_a_collapsed_column_is_left_out_of_all_cards(board: BoardPosition) -> None:
    everything, first = board.ids_between(0, None), board.ids_between(0, board.grid.height(0))
    board.toggle_collapsed(None)
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

    laned.enter(3, None, RowPosition(1, 0))

    cards = len(laned.grid.all_places(3))
    assert laned.grid.height(3) == cards + len(laned.grid.lanes)
    assert before != laned.grid.height(3)
