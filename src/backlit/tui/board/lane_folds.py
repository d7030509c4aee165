"""The folding of a board's swimlanes."""

from collections.abc import Sequence
from typing import Protocol

from backlit.store.views.groups import GroupKey
from backlit.tui.board.grid import Grid, Lane
from backlit.tui.commands.command import CannotAct


class LaneRows(Protocol):
    """A board whose cards may stand in lanes."""

    cursor: int
    current_id: int | None

    @property
    def grid(self) -> Grid:
        """The places of the cards."""

    def lane(self) -> Lane | None:
        """Return the lane under the cursor; None without lanes."""

    def move_to(self, index: int) -> None:
        """Put the cursor on a card."""

    def regrid(self, item_id: int | None) -> None:
        """Place everything anew, the cursor on a card or in the lane it was in."""


class LaneFolds:
    """Folds lanes; every method raises CannotAct where there are none."""

    def __init__(self, rows: LaneRows) -> None:
        self.folded: set[GroupKey] = set()
        self._rows = rows

    def fold(self) -> None:
        """Fold the lane."""
        self.folded.add(self._header())
        self._rows.regrid(self._rows.current_id)

    def unfold(self) -> None:
        """Unfold the lane."""
        self.folded.discard(self._header())
        self._rows.regrid(self._rows.current_id)

    def toggle(self) -> None:
        """Fold or unfold the lane."""
        self.folded ^= {self._header()}
        self._rows.regrid(self._rows.current_id)

    def fold_all(self) -> None:
        """Fold all lanes."""
        self._header()
        self.folded.update(lane.header.group for lane in self._rows.grid.lanes if lane.header)
        self._rows.regrid(self._rows.current_id)

    def unfold_all(self) -> None:
        """Unfold all lanes."""
        self._header()
        self.folded.clear()
        self._rows.regrid(self._rows.current_id)

    def step(self, steps: int) -> None:
        """Go to the lane below, or above, as often as the steps say."""
        self._header()
        row = self._rows.cursor
        for _ in range(abs(steps)):
            row = self._rows.grid.next_lane(row, 1 if steps > 0 else -1) or 0
        self._rows.move_to(row)

    def ids_under_header(self) -> Sequence[int] | None:
        """Return None: the cursor marks cards."""
        return None

    def _header(self) -> GroupKey:
        lane = self._rows.lane()
        if lane is None or lane.header is None:
            raise CannotAct("There are no swimlanes; tg makes some.")
        return lane.header.group
