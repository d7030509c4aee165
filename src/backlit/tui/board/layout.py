"""Pure: which columns of a board are in sight, and how wide they are."""

from collections.abc import Collection
from dataclasses import dataclass

LEAST_WIDTH = 24
"""Cells of a column that is not alone."""
COLLAPSED_WIDTH = 3
GAP = 1


@dataclass(frozen=True, slots=True)
class Slot:
    """A column in sight: its number, where it begins and how wide it is."""

    number: int
    x: int
    width: int
    is_collapsed: bool


@dataclass(frozen=True, slots=True)
class BoardLayout:
    """The columns in sight from left to right, and how many there are beyond them."""

    slots: tuple[Slot, ...] = ()
    is_single: bool = False
    left: int = 0
    right: int = 0

    def slot(self, number: int) -> Slot | None:
        """Return the slot of a column; None where it is out of sight."""
        return next((each for each in self.slots if each.number == number), None)

    def slot_at(self, x: int) -> Slot | None:
        """The column under a cell."""
        return next((each for each in self.slots if each.x <= x < each.x + each.width), None)


def laid_out(
    width: int, count: int, collapsed: Collection[int], current: int, before: BoardLayout, *, is_single: bool
) -> BoardLayout:
    """Lay out columns so that the current one is in sight, moving as little as can be from what was in sight before."""
    if not count or width <= 0:
        return BoardLayout()
    if is_single:
        return BoardLayout((Slot(current, 0, width, current in collapsed),), True, current, count - current - 1)
    least = [COLLAPSED_WIDTH if number in collapsed else LEAST_WIDTH for number in range(count)]

    def taken(start: int, stop: int) -> int:
        return sum(least[start:stop]) + GAP * (stop - start - 1)

    first = min(before.left, current, count - 1)
    while taken(first, current + 1) > width and first < current:
        first += 1
    last = current + 1
    while last < count and taken(first, last + 1) <= width:
        last += 1
    while first > 0 and taken(first - 1, last) <= width:
        first -= 1
    wide = [number for number in range(first, last) if number not in collapsed]
    each, more = divmod(max(0, width - taken(first, last)), len(wide)) if wide else (0, 0)
    slots: list[Slot] = []
    x = 0
    for number in range(first, last):
        is_collapsed = number in collapsed
        own = COLLAPSED_WIDTH if is_collapsed else min(width, LEAST_WIDTH + each + (wide.index(number) < more))
        slots.append(Slot(number, x, own, is_collapsed))
        x += own + GAP
    return BoardLayout(tuple(slots), False, first, count - last)
