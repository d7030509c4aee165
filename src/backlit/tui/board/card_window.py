"""The cards of a board in sight: read from its view column by column."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from backlit.store.records.item import Row
from backlit.store.views.view import View
from backlit.tui.board.grid import Grid
from backlit.tui.widgets.item_rows import Badge, Badges, Names

ROWS_KEPT = 4_000


class ReadBoard(Protocol):
    """A board as far as it says which cards are in sight."""

    grid: Grid
    view: View | None

    @property
    def page(self) -> int:
        """The cards that fit below each other."""

    def top_of(self, column: int) -> int:
        """Return the first row in sight of a column."""


class CardWindow:
    """Cards by their place in the view, with their badges."""

    def __init__(self, board: ReadBoard, names: Names) -> None:
        self._board = board
        self._rows: dict[int, Row] = {}
        self._badges = Badges(names, self.read)

    def read(self) -> Sequence[Row]:
        """Return the cards that were read."""
        return [*self._rows.values()]

    def at(self, column: int, place: int) -> Row | None:
        """Return the card at a place of the view; what else of its column is in sight is read with it."""
        view = self._board.view
        if place not in self._rows and view is not None:
            if len(self._rows) > ROWS_KEPT:
                self._rows.clear()
            top = self._board.top_of(column)
            for run in _runs([*self._board.grid.places(column, top, top + self._board.page), place]):
                self._rows.update(zip(run, view.rows(run.start, run.stop), strict=False))
        return self._rows.get(place)

    def badge(self, item_id: int) -> Badge:
        """Return the quiet signs of a card."""
        return self._badges.of(item_id)

    def forget_rows(self) -> None:
        """Forget all cards: the view is another."""
        self._rows.clear()

    def forget_badges(self) -> None:
        """Forget the signs of all cards."""
        self._badges.forget()

    def forget_items(self, ids: set[int] | None) -> None:
        """Forget the cards of some items, or all."""
        self._badges.forget(None if len(self._badges) > ROWS_KEPT else ids)
        for place in [place for place, row in self._rows.items() if ids is None or row.id in ids]:
            del self._rows[place]


def _runs(places: Sequence[int]) -> Iterator[range]:
    """Stretches of places that follow each other."""
    start = stop = None
    for place in sorted(set(places)):
        if stop == place:
            stop += 1
            continue
        if start is not None and stop is not None:
            yield range(start, stop)
        start, stop = place, place + 1
    if start is not None and stop is not None:
        yield range(start, stop)
