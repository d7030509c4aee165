"""The grid of a board: the places of its cards, and the columns in sight."""

from array import array
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from backlit.store.views.groups import GroupBucket, ListLines
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.grid import HEADER_LINES, MIN_COLUMN_WIDTH, BoardLayout, CardGrid, lay_out_columns

TO_DO, DOING, DONE = (BoardColumn(name, (name,)) for name in ("To do", "Doing", "Done"))
COLUMNS = (TO_DO, DOING, DONE)


def grid_of(
    cells: Mapping[Any, int], collapsed: tuple[int, ...] = (), folded: tuple[str, ...] = (), only: int | None = None
) -> CardGrid:
    """A board of cards: how many there are in each lane and column, or column."""
    buckets = [GroupBucket(key, array("q", range(count))) for key, count in cells.items()]
    keys = ("lane", "column")[-len(next(iter(cells))) :]
    lines = ListLines.grouped(keys, buckets, {key: (count, 1.5 * count) for key, count in cells.items()})
    return CardGrid(COLUMNS, lines.headers, collapsed, [(name,) for name in folded], only)


IN_LANES = {("a", "To do"): 2, ("a", "Done"): 1, ("b", "Doing"): 3, ("c", "To do"): 1}


def test_without_lanes_each_column_has_rows_of_its_own() -> None:
    grid = grid_of({("To do",): 3, ("Done",): 2})

    assert [grid.height(column) for column in range(3)] == [3, 0, 2]
    assert [grid.place_at(2, row) for row in range(3)] == [3, 4, None]
    assert grid.spot_of(4) == (2, 1)


def test_a_column_has_the_totals_of_its_cards() -> None:
    totals = grid_of(IN_LANES).totals

    assert [(each.count, each.points) for each in totals] == [(3, 4.5), (3, 4.5), (1, 1.5)]


def test_a_column_with_a_most_shows_its_first_cards_and_counts_all() -> None:
    lines = ListLines.grouped(
        ("column",), [GroupBucket((DONE.first,), array("q", range(14)))], {(DONE.first,): (14, 21.0)}
    )
    grid = CardGrid((TO_DO, DOING, replace(DONE, most=10)), lines.headers)

    assert (grid.totals[2].count, grid.totals[2].shown) == (14, 10)
    assert (grid.height(2), grid.place_at(2, 9), grid.place_at(2, 10), grid.spot_of(10)) == (10, 9, None, None)


def test_lanes_are_as_high_as_their_longest_column_below_a_header() -> None:
    grid = grid_of(IN_LANES)

    assert [grid.lane_row(number) for number in range(4)] == [0, 3, 7, None]
    assert grid.height(1) == 9
    assert [grid.place_at(0, row) for row in range(9)] == [None, 0, 1, None, None, None, None, None, 6]
    assert grid.spot_of(5) == (1, 6)


def test_lanes_are_as_high_as_the_only_shown_column_needs() -> None:
    grid = grid_of(IN_LANES, only=0)

    assert [grid.lane_row(number) for number in range(3)] == [0, 3, 4]
    assert [grid.place_at(0, row) for row in range(6)] == [None, 0, 1, None, None, 6]


def test_done_cards_make_no_lane_higher_than_its_open_ones_unless_it_shows_all() -> None:
    cells = {("a", "To do"): 1, ("a", "Done"): 3, ("b", "Done"): 2, ("c", "To do"): 1, ("c", "Done"): 2}
    buckets = [GroupBucket(key, array("q", range(count))) for key, count in cells.items()]
    lines = ListLines.grouped(("lane", "column"), buckets, {key: (count, 1.0) for key, count in cells.items()})
    columns = (TO_DO, replace(DONE, is_done=True))

    grid = CardGrid(columns, lines.headers, whole=[("c",)])

    assert [[len(cell) for cell in lane.cells] for lane in grid.lanes] == [[1, 1], [0, 2], [1, 2]]
    assert [(lane.totals[1].shown, lane.totals[1].count) for lane in grid.lanes] == [(1, 3), (2, 2), (2, 2)]
    assert grid.lane_with(3) is grid.lanes[0]


def test_moving_in_a_column_passes_over_headers_and_lanes_without_cards_of_it() -> None:
    grid = grid_of(IN_LANES)

    assert [grid.step(0, 1, 1), grid.step(0, 2, 1), grid.step(0, 8, 1), grid.step(0, 1, 9)] == [2, 8, 8, 8]
    assert [grid.step(0, 8, -1), grid.step(0, 8, -2), grid.step(0, 1, -1)] == [2, 1, 1]


def test_the_nearest_card_is_searched_in_the_direction_of_the_move() -> None:
    grid = grid_of(IN_LANES)

    assert [grid.snapped(0, 4, 1), grid.snapped(0, 4, -1), grid.snapped(2, 8, 1)] == [8, 2, 1]
    assert [grid.snapped(2, 8, 8), grid.snapped(2, 8, -8)] == [1, 1]


def test_a_folded_lane_is_one_row_for_the_cursor() -> None:
    grid = grid_of(IN_LANES, folded=("b",))

    assert grid.height(0) == 6
    assert [grid.step(0, 2, 1), grid.step(0, 3, 1)] == [3, 5]
    assert grid.spot_of(4) == (1, 3)


def test_collapsed_columns_make_no_lane_higher_and_show_no_card() -> None:
    grid = grid_of(IN_LANES, collapsed=(1,))

    assert grid.height(0) == 3 + 1 + 2
    assert grid.place_at(1, 4) is None


def test_the_first_card_of_each_lane_of_a_column_is_gone_to_either_way() -> None:
    grid = grid_of({**IN_LANES, ("c", "To do"): 2})

    assert [grid.next_lane(0, 1, 1), grid.next_lane(0, 8, 1)] == [8, None]
    assert [grid.next_lane(0, 9, -1), grid.next_lane(0, 8, -1), grid.next_lane(0, 1, -1)] == [8, 1, None]


def test_the_lanes_below_those_in_sight_begin_at_a_row_or_below_it() -> None:
    grid = grid_of(IN_LANES, folded=("a",))

    assert [grid.lanes_from(row) for row in (0, 1, 2, 5, 6)] == [range(start, 3) for start in (0, 1, 2, 2, 3)]


def test_values_without_a_column_are_passed_over() -> None:
    grid = grid_of({("Lost",): 2, ("Doing",): 1})

    assert grid.place_at(1, 0) == 2
    assert grid.spot_of(0) is None


# Columns in sight


def shown(width: int, current: int, before: BoardLayout, widths: Mapping[int, int | None] | None = None) -> BoardLayout:
    return lay_out_columns(
        width, dict.fromkeys(range(8)) if widths is None else widths, current, replace(before, card_lines=4)
    )


def test_columns_share_the_width_and_never_leave_it() -> None:
    for width in range(MIN_COLUMN_WIDTH, 300):
        laid = shown(width, 0, BoardLayout())

        assert laid.slots[-1].x + laid.slots[-1].width <= width
        assert all(each.width >= MIN_COLUMN_WIDTH for each in laid.slots)


def test_the_columns_move_as_little_as_can_be_to_show_the_current_one() -> None:
    first = shown(100, 0, BoardLayout())
    there = shown(100, 5, first)
    back = shown(100, 3, there)

    assert [each.number for each in first.slots] == [0, 1, 2, 3]
    assert [each.number for each in there.slots] == [2, 3, 4, 5]
    assert back == there
    assert (there.left, there.right) == (2, 2)


def test_a_collapsed_column_has_no_room() -> None:
    laid = shown(100, 1, BoardLayout(), {0: None, 3: None, 4: None})

    assert [each.number for each in laid.slots] == [0, 3, 4]
    assert sum(each.width for each in laid.slots) == 96


def test_a_column_of_its_own_width_leaves_the_rest_to_the_others() -> None:
    laid = shown(100, 0, BoardLayout(), {0: None, 1: 12, 2: None})

    assert [each.width for each in laid.slots] == [42, 12, 42]


def test_columns_that_all_fit_share_the_width_by_their_cards_in_sight() -> None:
    few = grid_of({("a", "To do"): 5, ("a", "Doing"): 1, ("b", "To do"): 2}).column_widths(118)
    many = grid_of({("To do",): 900, ("Doing",): 8}).column_widths(118)

    assert few == {0: 50, 1: 34, 2: 30}
    assert many == {0: 43, 1: 43, 2: 28}


def test_a_column_without_cards_is_as_wide_as_its_head_where_not_all_fit() -> None:
    grid = grid_of({("a", "To do"): 9})

    assert grid.column_widths(60) == {0: None, 1: len("◐ Doing   0"), 2: len("◐ Done   0")}


def test_lanes_need_a_line_each_and_those_of_their_cards() -> None:
    assert grid_of(IN_LANES, folded=("c",)).lines(2) == 1 + 2 * 2 + 1 + 3 * 2 + 1


def test_the_last_card_of_all_lanes_needs_no_blank_line_below_it() -> None:
    assert grid_of(IN_LANES).lines(4) == grid_of(IN_LANES).lines(3) + grid_of(IN_LANES).height(0) - 3 - 1


def test_lanes_have_cards_below_others_where_one_that_is_open_has_two_rows() -> None:
    assert grid_of(IN_LANES).has_cards_below_others()
    assert not grid_of(IN_LANES, folded=("a", "b", "c")).has_cards_below_others()


def test_a_blank_line_parts_lanes_of_which_one_is_open() -> None:
    grid = grid_of(IN_LANES, folded=("b", "c"))

    lines = BoardLayout(card_lines=2, has_gaps=True).fitted(grid, 0, 19).lines

    assert grid.gaps() == 1
    assert lines[:9] == ((0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (2, 3), (3, 1), (4, 1), (5, 0))


def test_a_folded_lane_changes_no_width() -> None:
    assert grid_of(IN_LANES, folded=("b",)).column_widths(80) == grid_of(IN_LANES).column_widths(80)


def test_a_line_follows_lanes_only_where_some_are_out_of_sight() -> None:
    grid, laid = grid_of(IN_LANES), BoardLayout(card_lines=2)
    height = HEADER_LINES + grid.lines(2)

    assert laid.foot_lines(grid, 2 * height) == 0
    assert [laid.holds(grid, each) for each in (height, height - 1)] == [True, False]
    assert laid.foot_lines(grid_of({("To do",): 1}), 2 * height) == 1


def rows_of(grid: CardGrid, height: int, card_lines: int) -> list[int]:
    return [row for row, _ in BoardLayout(card_lines=card_lines).fitted(grid, 0, height).lines]


def test_the_header_of_a_lane_has_one_line() -> None:
    assert rows_of(grid_of(IN_LANES), 11, 2) == [0, 1, 1, 2, 2, 3, 4, 4]


def test_a_blank_line_parts_the_cards_of_a_lane_and_stands_above_every_open_one() -> None:
    grid = grid_of(IN_LANES, folded=("b",))
    cards = [(row, line) for row in (1, 2) for line in range(4)]

    lines = BoardLayout(card_lines=4).fitted(grid, 0, 19).lines

    assert lines == ((0, 2), *cards, (3, 2), (3, 3), (4, 2), (5, 0), (5, 1), (5, 2), (5, 3))


def test_no_header_of_a_lane_is_in_sight_without_a_card_below_it() -> None:
    grid = grid_of(IN_LANES, folded=("b",))
    laid = BoardLayout(card_lines=4)
    last = [laid.fitted(grid, 0, height).lines[-1] for height in range(10, 20)]

    assert last == [(2, 2), (2, 3), (3, 2), *[(3, 3)] * 4, (5, 2), (5, 3), (5, 3)]


def test_only_whole_cards_are_in_sight_the_last_one_perhaps_without_its_blank_line() -> None:
    grid = grid_of({("To do",): 9})

    assert rows_of(grid, 11, 3) == [0, 0, 0, 1, 1, 1]
    assert rows_of(grid, 10, 4) == [0, 0, 0, 0, 1, 1, 1]
    assert rows_of(grid, 9, 4) == [0, 0, 0, 0]


def test_one_column_alone_has_all_the_width() -> None:
    laid = lay_out_columns(60, dict.fromkeys(range(4)), 2, BoardLayout(is_single=True))

    assert [(each.number, each.width) for each in laid.slots] == [(2, 60)]
    assert (laid.left, laid.right) == (2, 1)
