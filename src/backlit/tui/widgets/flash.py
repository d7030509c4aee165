"""The flash of what an act of the user changed in a list: for a moment its cells have a ground of their own."""

from collections.abc import Callable, Collection, Mapping

from textual.timer import Timer

from backlit.store.records.item import ItemRow

FLASH_GROUND, FLASH_SECONDS = "flash", 0.3
MAX_FLASHED = 40
"""Items that flash at most: more would repaint the page for what nobody can follow."""
DrawnCells = tuple[ItemRow, tuple[str, ...]]
"""A row, and the texts of its cells whose values it does not carry."""


class Flash:
    """The items of a list that were just changed, as they were drawn before; one timer ends it for all of them."""

    def __init__(
        self, start_timer: Callable[[float, Callable[[], object]], Timer], ended: Callable[[], object]
    ) -> None:
        self._start_timer = start_timer
        self._ended = ended
        self.seconds = FLASH_SECONDS
        self._timer: Timer | None = None
        self._before: dict[int, DrawnCells | None] = {}

    def __contains__(self, item_id: int) -> bool:
        return item_id in self._before

    def begin(self, drawn: Mapping[int, DrawnCells], ids: Collection[int], ranked: Collection[int]) -> None:
        """Have items flash: ranked ones and those that were not drawn by their names, others by their changed cells."""
        in_sight_first = sorted(ids, key=lambda each: each not in drawn)[:MAX_FLASHED]
        self._before.update((each, None if each in ranked else drawn.get(each)) for each in in_sight_first)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._start_timer(self.seconds, self._end)

    def before(self, item_id: int) -> DrawnCells | None:
        """Return what was drawn of a flashing item; None for one that flashes by its name."""
        return self._before[item_id]

    def rename(self, ids: Mapping[int, int]) -> None:
        if self._before:
            self._before = {ids.get(item_id, item_id): drawn for item_id, drawn in self._before.items()}

    def _end(self) -> None:
        self._timer = None
        self._before.clear()
        self._ended()
