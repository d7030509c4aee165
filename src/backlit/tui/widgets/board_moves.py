"""The commands that move over a board: by cards, columns and lanes; collapsing columns and folding lanes."""

from textual.message import Message

from backlit.tui.acting import CannotAct
from backlit.tui.board_grid import Lane
from backlit.tui.widgets.board_places import BoardPlaces


class BoardMoves(BoardPlaces):
    """A board whose cursor and columns the commands move."""

    class Collapsed(Message):
        """A column was collapsed, or opened again."""

    def do_list_down(self, count: int | None) -> None:
        """Move down by cards."""
        self.move_to(self._grid.step(self.column, self.cursor, count or 1))

    def do_list_up(self, count: int | None) -> None:
        """Move up by cards."""
        self.move_to(self._grid.step(self.column, self.cursor, -(count or 1)))

    def do_board_left(self, count: int | None) -> None:
        """Go to the column at the left."""
        self.go_to_column(max(0, self.column - (count or 1)))

    def do_board_right(self, count: int | None) -> None:
        """Go to the column at the right."""
        self.go_to_column(min(len(self._grid.columns) - 1, self.column + (count or 1)))

    # Columns and lanes

    def do_board_collapse(self, _count: int | None) -> None:
        """Collapse the column, or open it again."""
        column = self.shown_column
        if column is None:
            raise CannotAct("There is no column here.")
        self.collapsed[column.first] = self.column not in self._grid.collapsed
        self.regrid(self.current_id)
        self.post_message(self.Collapsed())

    def do_list_toggle(self, _count: int | None) -> None:
        """Fold or unfold the lane."""
        lane = self._lane_here()
        assert lane.header is not None
        self._folded ^= {lane.header.group}
        self.regrid(self.current_id)

    def do_list_fold_all(self, _count: int | None) -> None:
        """Fold all lanes."""
        self._lane_here()
        self._folded = {lane.header.group for lane in self._grid.lanes if lane.header}
        self.regrid(self.current_id)

    def do_list_unfold_all(self, _count: int | None) -> None:
        """Unfold all lanes."""
        self._lane_here()
        self._folded.clear()
        self.regrid(self.current_id)

    def do_list_next_group(self, count: int | None) -> None:
        """Go to the lane below."""
        self._to_lane(1, count or 1)

    def do_list_previous_group(self, count: int | None) -> None:
        """Go to the lane above."""
        self._to_lane(-1, count or 1)

    def _to_lane(self, step: int, count: int) -> None:
        self._lane_here()
        row = self.cursor
        for _ in range(count):
            row = self._grid.next_lane(row, step) or 0
        self.move_to(row)

    def _lane_here(self) -> Lane:
        lane = self.lane()
        if lane is None:
            raise CannotAct("There are no swimlanes; tg makes some.")
        return lane
