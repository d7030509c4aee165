"""Where one was: the places left by jumps, to go back to and forward again, and the items seen last."""

from dataclasses import dataclass

MOST_PLACES = 100
MOST_RECENT = 30


@dataclass(frozen=True, slots=True)
class Place:
    """A mode of the application, and the item under the cursor there."""

    mode: str
    item_id: int | None = None


class Jumps:
    """The places in the order they were left, each once, and how far back one is."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._at = 0

    def leave(self, place: Place) -> None:
        """Note a place that is left for another one."""
        self._places = [*(each for each in self._places if each != place), place][-MOST_PLACES:]
        self._at = len(self._places)

    def back(self, here: Place) -> Place | None:
        """The place before; None at the oldest. From the end, `here` is noted, to come back to."""
        if self._at == len(self._places):
            self.leave(here)
            self._at -= 1
        if self._at == 0:
            return None
        self._at -= 1
        return self._places[self._at]

    def forward(self) -> Place | None:
        """The place after; None at the newest."""
        if self._at + 1 >= len(self._places):
            return None
        self._at += 1
        return self._places[self._at]


class Recent:
    """The items seen last, the latest first."""

    def __init__(self) -> None:
        self._ids: list[int] = []

    def add(self, item_id: int) -> None:
        """Note that an item was seen."""
        self._ids = [item_id, *(each for each in self._ids if each != item_id)][:MOST_RECENT]

    def ids(self) -> tuple[int, ...]:
        """The items."""
        return tuple(self._ids)
