"""The board: shows a view in columns and follows its changes."""

from collections.abc import Sequence

from textual import events

from backlit.store.views import View
from backlit.tui.widgets.board_drawing import ROWS_KEPT
from backlit.tui.widgets.board_moves import BoardMoves


class BoardList(BoardMoves):
    """The cards of a grouped view; what it keeps in memory is the rows in sight and their drawn lines."""

    # What is shown

    def show(self, view: View, item_id: int | None = None) -> None:
        """Show a grouped view, the cursor on the item where it has it."""
        before = self.shown_column
        is_other = self._view is None or view.spec.group != self._view.spec.group
        self._view = view
        self._rows.clear()
        if is_other:
            self._folded.clear()
            self._spots.clear()
        self._make_grid()
        place = self._place_of(item_id) if item_id is not None else None
        spot = None if place is None else self._grid.spot_of(place)
        column = self._number_of(before) if spot is None else spot[0]
        self._take_column(self._first_column() if column is None else column)
        if self._has_own_lanes():
            self._make_grid()
            spot = None if place is None else self._grid.spot_of(place)
        self.lay_out()
        self.rows_replaced(self.cursor if spot is None else spot[1])
        self._settle()

    def go_to(self, item_id: int) -> bool:
        """Put the cursor on a card, opening the column and the lane it is in."""
        place = self._place_of(item_id)
        spot = None if place is None else self._grid.spot_of(place)
        if spot is None:
            return False
        column = spot[0]
        if column in self._grid.collapsed or self._grid.header_at(spot[1]):
            self.collapsed[self._grid.columns[column].first] = False
            self._folded.clear()
            self._make_grid()
            spot = self._grid.spot_of(place or 0) or spot
        self.go_to_column(column, spot[1])
        return True

    def rows_changed(self, ids: set[int] | None) -> None:
        """Read anew the cards whose items changed, None means any; they are drawn when the view is shown again."""
        if ids is None or len(self._badges) > ROWS_KEPT:
            self._badges.clear()
        for item_id in ids or ():
            self._badges.pop(item_id, None)
        for place in [place for place, row in self._rows.items() if ids is None or row.id in ids]:
            del self._rows[place]

    # Rows of the current column, as marks see them

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """The ids of the cards on a stretch of rows; without an end those of all columns that are not collapsed."""
        if self._view is None:
            return ()
        ids = self._view.ids()
        if stop is None:
            shown = (n for n in range(len(self._grid.columns)) if n not in self._grid.collapsed)
            return [ids[place] for number in shown for place in self._grid.all_places(number)]
        return [ids[place] for place in self._grid.places(self.column, start, stop)]

    def find_row(self, item_id: int) -> int | None:
        """The row of a card in the current column."""
        place = self._place_of(item_id)
        spot = None if place is None else self._grid.spot_of(place)
        return spot[1] if spot is not None and spot[0] == self.column else None

    # Mouse

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the card; ctrl and shift mark in its column, a double click chooses."""
        event.prevent_default()  # the list's own would take the line for a row
        slot = self._layout.slot_at(event.x)
        if slot is None:
            return
        row = self.top_of(slot.number) + max(0, event.y - self.HEADER_LINES) // self.card_lines
        if slot.number != self.column or event.y < self.HEADER_LINES:
            self.go_to_column(slot.number, row if event.y >= self.HEADER_LINES else None)
        if event.y >= self.HEADER_LINES:
            self.clicked(row, event)
