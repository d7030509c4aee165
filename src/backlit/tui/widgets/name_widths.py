"""The cells of names in a wide list."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple, Self

MAX_NAME_WIDTH, MAX_NAME_BLANKS = 70, 12
"""Cells of a name in a wide list at most, and those between its end and the next column on average."""
MAX_FURTHER_BLANKS = 7
"""Blanks more, on average, beside names that would be cut for cells that no column needs."""
MAX_SIGNS_WIDTH = 7
"""Cells of what may stand behind a name, as in `⊣1 ▸2`."""


class NameWidths(NamedTuple):
    """Cells of names: `near` leave MAX_NAME_BLANKS to the next column on average, `whole` cut few or none."""

    near: int = MAX_NAME_WIDTH
    whole: int = MAX_NAME_WIDTH

    @classmethod
    def of(cls, name_lengths: Iterable[int], least: int, gap: int) -> Self:
        """Return the widths for names of some lengths, `gap` blanks before the next column."""
        lengths = sorted(name_lengths)
        if not lengths:
            return cls()
        width = MAX_NAME_WIDTH
        blanks = sum(max(0, width - length) for length in lengths)
        while width > least and blanks > (MAX_NAME_BLANKS - gap) * len(lengths):
            blanks -= bisect_left(lengths, width)  # a narrower column takes one from every shorter name
            width -= 1
        return cls(width, min(MAX_NAME_WIDTH, lengths[-1] + MAX_SIGNS_WIDTH, width + MAX_FURTHER_BLANKS))
