"""Finding rows that only moved: the terminal moves them itself, at the cost of a few bytes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import is_not, ne

from backlit.tui.drawing.frames.row import Row

_TOLD_BY = 40
"""Cells at the left by which a row is known again; what is beside a list need not move with it."""
_LEAST_MOVED = 4
_LEAST_GAIN = 60
"""Cells that have to be saved for it to be worth moving rows."""


@dataclass(frozen=True, slots=True)
class Scroll:
    """The rows from `top` to before `bottom` move up by so many lines, or down where they are less than 0."""

    top: int
    bottom: int
    lines: int


def find_scroll(rows: Sequence[Row], differing: Sequence[int]) -> Scroll | None:
    """The move after which fewer cells differ, of the one by which most rows are found again; None without any."""
    shown: dict[tuple[str | None, ...], list[int]] = {}
    for y, row in enumerate(rows):
        shown.setdefault(tuple(row.shown[:_TOLD_BY]), []).append(y)
    moved: dict[int, list[int]] = {}
    for y in differing:
        found = shown.get(tuple(rows[y].characters[:_TOLD_BY]), ())
        if len(found) == 1 and found[0] != y:
            moved.setdefault(found[0] - y, []).append(y)
    if not moved:
        return None
    ((lines, _count),) = Counter({step: len(each) for step, each in moved.items()}).most_common(1)
    targets = moved[lines]
    if len(targets) < _LEAST_MOVED:
        return None
    scroll = Scroll(
        min(*targets, *(y + lines for y in targets)), max(*targets, *(y + lines for y in targets)) + 1, lines
    )
    return scroll if _gain(rows, scroll) >= _LEAST_GAIN else None


def _gain(rows: Sequence[Row], scroll: Scroll) -> int:
    band = range(scroll.top, scroll.bottom)
    before = sum(_differing(rows[y], rows[y]) for y in band)
    after = sum(_differing(rows[y], rows[y + scroll.lines] if y + scroll.lines in band else None) for y in band)
    return before - after


def _differing(row: Row, shown: Row | None) -> int:
    if shown is None:
        return len(row.characters)
    characters: int = sum(map(ne, row.characters, shown.shown))
    return max(characters, sum(map(is_not, row.looks, shown.shown_looks)))
