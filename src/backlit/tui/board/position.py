"""The position on a board: its cards in columns and lanes, the current column, and the rows to come back to."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from backlit.store.views.groups import GroupKey
from backlit.store.views.view import View
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.grid import CardGrid, Swimlane
from backlit.tui.commands.command import CannotAct

MAX_LATEST_CARDS = 10
"""Cards shown of those in the order of their last change."""
ColumnsOf = Callable[[View], Sequence[BoardColumn]]


class RowPosition(NamedTuple):
    """A row of a column, and the first row in sight."""

    row: int = 0
    top: int = 0


class BoardPosition:
    """The grid of a view's cards and the current column of it; the list that draws the grid has the cursor's row.

    Without lanes each column has a spot of its own, and comes back to it. In single mode one column is in sight at a
    time, and lanes are as high as its cards need.
    """

    def __init__(self, columns_of: ColumnsOf) -> None:
        self.view: View | None = None
        self.grid = CardGrid()
        self.column = 0
        self.is_single = False
        self.collapsed: dict[object, bool] = {}
        """Columns that the user collapsed or opened, by their first values."""
        self.folded: set[GroupKey] = set()
        self.has_all_done = False
        """True where columns of done items show all cards, not the last changed ones or those beside open ones."""
        self._left: dict[object, int] = {}
        """The items under the cursor when columns were folded, by their first values."""
        self._whole: set[GroupKey] = set()
        """Lanes that show all their done cards."""
        self._is_fresh = True
        """True until the lanes of another arrangement are shown."""
        self._columns_of = columns_of
        self._spots: dict[object, RowPosition] = {}
        self._start: GroupKey | None = None

    # The view

    def show(self, view: View, item_id: int | None, spot: RowPosition) -> RowPosition:
        """Place the cards of a view and enter the column of an item, else stay; return the spot to begin at.

        A collapsed column opens where the item came to it from another. Under another filter, a column without matches
        gives way to the first one with some.
        """
        before, self._start = self._start or self.group, None
        is_filtered = self.view is not None and _filter_of(self.view) != _filter_of(view)
        if self.view is None or view.spec.group != self.view.spec.group:
            self.folded.clear()
            self._whole.clear()
            self._spots.clear()
            self.has_all_done, self._is_fresh = False, True
        self.view = view
        self._make_grid()
        self._fold_done_lanes()
        found = self._find(item_id) or self._find_cut(item_id)
        if found and before and found[0] in self.grid.collapsed and self.grid.columns[found[0]].first != before[0]:
            found = self.reveal(item_id)
        column = found[0] if found else self.grid.column_of(before[0]) if before else None
        if found is None and is_filtered and column is not None and not self.grid.totals[column].count:
            column = None
        spot = self._take_column(self._first_with_cards() if column is None else column, spot)
        if self._has_own_lanes:
            self._make_grid()
        return spot

    def start_in(self, group: GroupKey | None) -> None:
        """Have the next view begin in the column of a group, with no rows to come back to."""
        self._start = group
        self._spots.clear()

    def regrid(self, item_id: int | None, row: int) -> int:
        """Place the cards again; return the row of an item, else of the lane that the row was in."""
        lane = self.lane(row)
        number = self.grid.lanes.index(lane) if lane is not None else 0
        self._make_grid()
        found = self._find(item_id)
        here = found[1] if found else self.grid.lane_row(number)
        return row if here is None else here

    # Columns

    @property
    def shown_column(self) -> BoardColumn | None:
        return self.grid.columns[self.column] if self.column < len(self.grid.columns) else None

    @property
    def group(self) -> GroupKey | None:
        """Return the first value of the current column, as the group of its cards."""
        column = self.shown_column
        return None if column is None else (column.first,)

    def enter(self, column: int, row: int | None, spot: RowPosition) -> RowPosition:
        """Make another column the current one; return the spot at a row of it, else at its own."""
        found = self.grid.lane_at(spot.row if row is None else row)
        spot = self._take_column(column, spot)
        wanted = spot.row if row is None else row
        if found is not None and self._has_own_lanes:
            number = self.grid.lanes.index(found[0])
            self._make_grid()
            wanted = (self.grid.lane_row(number) or 0) + found[1]
        wanted = max(0, min(wanted, self.grid.height(column) - 1))
        return RowPosition(self.grid.snapped(column, wanted, 1), spot.top)

    def reveal(self, item_id: int | None) -> tuple[int, int] | None:
        """Open the column and the lane of a card; return its column and row, None where the board lacks it."""
        found = self._find(item_id) or self._find_cut(item_id)
        if found is None and self.view is not None and self.view.spec.latest and item_id in self.view.ids():
            self.has_all_done = True
            self._make_grid()
            found = self._find(item_id)
        if found is None:
            return None
        column, row = found
        if column not in self.grid.collapsed and self.grid.header_at(row) is None:
            return found
        self.collapsed[self.grid.columns[column].first] = False
        self.folded.clear()
        self._make_grid()
        return self._find(item_id)

    def toggle_collapsed(self, item_id: int | None) -> int | None:
        """Fold the column, or open it; return the item to be under the cursor: in an opened one as it was folded.

        Raises CannotAct without a column.
        """
        column = self.shown_column
        if column is None:
            raise CannotAct("The board has no columns.")
        self.collapsed[column.first] = is_folded = self.column not in self.grid.collapsed
        if not is_folded:
            return self._left.pop(column.first, item_id)
        if item_id is not None:
            self._left[column.first] = item_id
        return item_id

    def top_of(self, column: int, top: int, page: int) -> int:
        """Return the first row in sight of a column; `top` is the current column's."""
        if self.grid.has_lanes or column == self.column:
            return top
        own = self._spots.get(self.grid.columns[column].first, RowPosition()).top
        return max(0, min(own, self.grid.height(column) - page))

    def places_in_sight(self, column: int, top: int, page: int) -> Sequence[int]:
        first = self.top_of(column, top, page)
        return self.grid.places(column, first, first + page)

    # Rows of the current column

    def card_place(self, row: int) -> tuple[int, int, str]:
        """Return the number of the card on a row in its column or its lane of it, that of the cards, and their noun.

        On the header of a lane it is that of the lane; a folded column has no place.
        """
        if self.column in self.grid.collapsed:
            return 0, 0, "card"
        found = self.grid.lane_at(row) if self.grid.has_lanes else None
        if found is None:
            return row + 1, self.grid.height(self.column), "card"
        lane, number = found
        if not number:
            return self.grid.lanes.index(lane) + 1, len(self.grid.lanes), "lane"
        return number, len(lane.cells[self.column]), "card"

    def row_of(self, item_id: int | None) -> int | None:
        found = self._find(item_id)
        return found[1] if found is not None and found[0] == self.column else None

    def id_at(self, row: int) -> int | None:
        place = self.grid.place_at(self.column, row)
        found = self.view.ids(place, place + 1) if self.view is not None and place is not None else ()
        return found[0] if found else None

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """Return the cards on a stretch of rows; without an end the cards of all columns that are not collapsed."""
        if self.view is None:
            return ()
        ids = self.view.ids()
        if stop is not None:
            return [ids[place] for place in self.grid.places(self.column, start, stop)]
        return [ids[place] for number in self.grid.open_columns() for place in self.grid.all_places(number)]

    def lane(self, row: int) -> Swimlane | None:
        found = self.grid.lane_at(row) if self.grid.has_lanes else None
        return found[0] if found else None

    def lane_value(self, row: int) -> tuple[str, object] | None:
        """Return the field of the lanes and its value in the lane of a row; None without lanes."""
        lane = self.lane(row)
        if self.view is None or lane is None or lane.header is None:
            return None
        return self.view.spec.group[0], lane.header.group[0]

    def _find(self, item_id: int | None) -> tuple[int, int] | None:
        if self.view is None or item_id is None:
            return None
        try:
            return self.grid.spot_of(self.view.ids().index(item_id))
        except ValueError:
            return None

    def _find_cut(self, item_id: int | None) -> tuple[int, int] | None:
        """Show all cards of the lane that has a card below those in sight; return its column and row."""
        if self.view is None or item_id is None or not self.grid.has_lanes or item_id not in self.view.ids():
            return None
        lane = self.grid.lane_with(self.view.ids().index(item_id))
        if lane is None or lane.header is None or lane.header.group in self._whole:
            return None
        self._whole.add(lane.header.group)
        self._make_grid()
        return self._find(item_id)

    def _fold_done_lanes(self) -> None:
        """Fold the lanes in which all is done at first, beside others with open cards."""
        if not (self._is_fresh and self.grid.has_lanes):
            return
        self._is_fresh = False
        with_cards = [lane for lane in self.grid.lanes if lane.header and any(map(len, lane.cells))]
        done = {lane.header.group for lane in with_cards if lane.header and not self.grid.has_open_cards(lane)}
        if done and len(done) < len(with_cards):
            self.folded |= done
            self._make_grid()

    def _first_with_cards(self) -> int:
        return next((number for number in self.grid.open_columns() if self.grid.totals[number].count), 0)

    def _take_column(self, column: int, spot: RowPosition) -> RowPosition:
        if self.shown_column is not None:
            self._spots[self.shown_column.first] = spot
        if column != self.column and column < len(self.grid.columns) and not self.grid.has_lanes:
            spot = self._spots.get(self.grid.columns[column].first, RowPosition())
        self.column = min(column, max(0, len(self.grid.columns) - 1))
        return spot

    @property
    def _has_own_lanes(self) -> bool:
        """True where the heights of lanes depend on the current column."""
        return self.is_single and self.grid.has_lanes

    def _make_grid(self) -> None:
        if self.view is None:
            return
        columns = self._columns_of(self.view)
        collapsed = [n for n, each in enumerate(columns) if self.collapsed.get(each.first, each.is_collapsed)]
        only = self.column if self.is_single and self.column < len(columns) else None
        cut = () if self.has_all_done else self.view.spec.latest
        columns = [replace(each, most=MAX_LATEST_CARDS) if each.first in cut else each for each in columns]
        whole = None if self.has_all_done else self._whole
        self.grid = CardGrid(columns, self.view.outline.headers, collapsed, self.folded, only, whole=whole)


def _filter_of(view: View) -> tuple[str, str]:
    return view.spec.query, view.spec.text
