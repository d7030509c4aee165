"""The cards of a board that are in sight, and their badges."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby

from backlit.store.records.item import ItemRow
from backlit.store.views.view import View
from backlit.tui.widgets.flash import DrawnCells
from backlit.tui.widgets.item_rows import Badge, DisplayNames
from backlit.tui.widgets.row_window import Badges

ROWS_KEPT = 4_000
"""Rows that are kept at most."""


class CardWindow:
    """The cards in sight by their places in the view, with their badges; read column by column."""

    def __init__(self, names: DisplayNames) -> None:
        self._rows: dict[int, ItemRow] = {}
        self._badges = Badges(names, self.read)

    def read(self) -> Sequence[ItemRow]:
        return [*self._rows.values()]

    def at(self, view: View, place: int, in_sight: Callable[[], Sequence[int]]) -> ItemRow | None:
        """Return the card at a place of the view; an unread card is read with the others in sight of its column."""
        if place not in self._rows:
            if len(self._rows) > ROWS_KEPT:
                self._rows.clear()
            for run in _runs([*in_sight(), place]):
                self._rows.update(zip(run, view.rows(run.start, run.stop), strict=False))
        return self._rows.get(place)

    def drawn(self, ids: Collection[int]) -> Mapping[int, DrawnCells]:
        return {row.id: (row, ()) for row in self._rows.values() if row.id in ids}

    def badge(self, item_id: int) -> Badge:
        return self._badges.of(item_id)

    def forget_rows(self) -> None:
        self._rows.clear()

    def forget_items(self, ids: set[int] | None) -> None:
        self._badges.forget()
        for place in [place for place, row in self._rows.items() if ids is None or row.id in ids]:
            del self._rows[place]


def _runs(places: Sequence[int]) -> Iterator[range]:
    for _, stretch in groupby(enumerate(sorted(set(places))), lambda each: each[1] - each[0]):
        run = [place for _, place in stretch]
        yield range(run[0], run[-1] + 1)
