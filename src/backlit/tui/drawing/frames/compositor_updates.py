"""What Textual's compositor has painted, as strips at places: all that is known here of its private classes."""

from collections.abc import Iterator

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Size
from textual.strip import Strip

PAINTED = (LayoutUpdate, ChopsUpdate)
"""A whole screen, or spans of lines."""


def size_of(update: LayoutUpdate | ChopsUpdate) -> Size:
    """The size of the screen that was painted on."""
    if isinstance(update, LayoutUpdate):
        return update.region.size
    return Size(update.chop_ends[0][-1], len(update.chops))


def strips_of(update: LayoutUpdate | ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Column, line and strip of all that was painted."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in line:
                yield x, y, strip
                x += strip.cell_length
        return
    for y, start, end in update.spans:
        for right, (x, part) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if part is not None and x < end and right > start:
                yield x, y, part if right <= end else part.crop(0, end - x)
