"""Where one is on a board: the current column, each column's own place, what is collapsed and folded."""

from backlit.store.views_groups import GroupKey
from backlit.tui.board_columns import BoardColumn
from backlit.tui.board_grid import Grid, Lane
from backlit.tui.widgets.backlog_columns import Names
from backlit.tui.widgets.board_drawing import BoardDrawing, ColumnsOf


class BoardPlaces(BoardDrawing):
    """Knows the current column and its place, which columns are collapsed, and which lanes are folded."""

    def __init__(self, names: Names, columns_of: ColumnsOf, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(names, columns_of, id=id)
        self.collapsed: dict[object, bool] = {}
        """By the first value of a column whether it was collapsed or opened by key."""
        self._folded: set[GroupKey] = set()

    # Where the cursor is

    @property
    def shown_column(self) -> BoardColumn | None:
        """The current column."""
        return self._grid.columns[self.column] if self.column < len(self._grid.columns) else None

    @property
    def grid(self) -> Grid:
        """What stands where."""
        return self._grid

    def lane(self) -> Lane | None:
        """The lane under the cursor; None without lanes."""
        found = self._grid.lane_at(self.cursor) if self._grid.has_lanes else None
        return found[0] if found else None

    def _number_of(self, column: BoardColumn | None) -> int | None:
        return None if column is None else self._grid.column_of(column.first)

    def _first_column(self) -> int:
        """The first column that has cards and shows them."""
        shown = (n for n in range(len(self._grid.columns)) if n not in self._grid.collapsed)
        return next((number for number in shown if self._grid.totals[number].count), 0)

    def _place_of(self, item_id: int) -> int | None:
        ids = self._view.ids() if self._view is not None else ()
        try:
            return ids.index(item_id)
        except ValueError:
            return None

    def _take_column(self, column: int) -> None:
        """Make another column the current one; each remembers its own place."""
        if self.shown_column is not None:
            self._spots[self.shown_column.first] = (self.cursor, self.top)
        if column != self.column and column < len(self._grid.columns):
            self.column = column
            if not self._grid.has_lanes:
                self.cursor, self.top = self._spots.get(self._grid.columns[column].first, (0, 0))
        self.column = min(column, max(0, len(self._grid.columns) - 1))

    def _note_current(self) -> None:
        place = self._grid.place_at(self.column, self.cursor)
        found = self._view.ids(place, place + 1) if self._view is not None and place is not None else ()
        self.current_id = found[0] if found else None

    # Moving

    def _keep_in_sight(self) -> bool:
        """Scroll if the cursor is out of sight, and so that the header right above the first row is seen."""
        is_scrolled = super()._keep_in_sight()
        if self.top and self._grid.header_at(self.top - 1) and self.cursor < self.top + self.page - 1:
            self.top -= 1
            self.repaint()
            return True
        return is_scrolled

    def moved(self, before: int) -> None:
        """Remember which card it is now."""
        self._note_current()
        super().moved(before)

    def move_to(self, index: int) -> None:
        """Put the cursor on a card, as near as there is one."""
        index = max(0, min(index, self.row_count() - 1))
        super().move_to(self._grid.snapped(self.column, index, index - self.cursor))

    def go_to_column(self, column: int, row: int | None = None) -> None:
        """Make another column the current one, the cursor at a row of it or where it was."""
        if not 0 <= column < len(self._grid.columns):
            return
        was = self.current_id
        self.end_range()
        found = self._grid.lane_at(self.cursor if row is None else row)
        self._take_column(column)
        wanted = self.cursor if row is None else row
        if found is not None and self._has_own_lanes():
            number = self._grid.lanes.index(found[0])
            self._make_grid()
            wanted = (self._grid.lane_row(number) or 0) + found[1]
        self.cursor = self._grid.snapped(column, max(0, min(wanted, self.row_count() - 1)), 1)
        self._keep_in_sight()
        self._note_current()
        self.lay_out()
        self.repaint()
        if was != self.current_id:
            self.post_message(self.Highlighted(self, self.cursor))

    def regrid(self, item_id: int | None) -> None:
        """Place everything anew, the cursor on a card or in the lane it was in."""
        lane = self.lane()
        number = self._grid.lanes.index(lane) if lane is not None else 0
        self._make_grid()
        place = self._place_of(item_id) if item_id is not None else None
        spot = self._grid.spot_of(place) if place is not None else None
        here = self._grid.lane_row(number) if spot is None else spot[1]
        self.rows_replaced(self.cursor if here is None else here)
        self._settle()

    def _settle(self) -> None:
        """After the rows were replaced: stand on something, and draw."""
        self.cursor = self._grid.snapped(self.column, self.cursor, 1)
        self.lay_out()
        self._keep_in_sight()
        self.find_anchor()
        self._note_current()
        self.repaint()

    def on_resize(self) -> None:
        """Place everything anew where lanes get another height by it."""
        is_single = self._layout.is_single
        super().on_resize()
        if self._layout.is_single != is_single:
            self.regrid(self.current_id)

    def _has_own_lanes(self) -> bool:
        """Whether lanes are as high as the one column needs that is shown."""
        return self.is_single and self._grid.has_lanes

    def _make_grid(self) -> None:
        if self._view is None:
            return
        columns = self._columns_of(self._view)
        collapsed = [n for n, each in enumerate(columns) if self.collapsed.get(each.first, each.is_collapsed)]
        only = self.column if self.is_single and self.column < len(columns) else None
        self._grid = Grid(columns, self._view.outline.headers, collapsed, self._folded, only)
