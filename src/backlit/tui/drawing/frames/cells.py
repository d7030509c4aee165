"""What strips come to in cells of the terminal."""

from functools import lru_cache

from rich.cells import split_graphemes
from rich.color import ColorSystem
from textual.strip import Strip

from backlit.tui.drawing.frames.cell_style import Look, look_of

_SINGLE = frozenset(
    chr(code)
    for part in ((0x20, 0x7F), (0xA0, 0xAD), (0xAE, 0x300), (0x2010, 0x2028), (0x2190, 0x2300), (0x2500, 0x25FD))
    for code in range(*part)
)
"""Characters that are one cell wide and that nothing is drawn over; not all, but most that are used."""
_NARROW = 0x1100
"""Below are no wide characters; what combines there comes with the one that it is written over."""
_SYMBOLS = range(0x2000, 0x2E80)
_WIDE = (range(0x2E80, 0xD7A4), range(0xF900, 0xFB00), range(0xFF01, 0xFF61), range(0x20000, 0x3FFFE))


def cells_of(strip: Strip, system: ColorSystem) -> tuple[list[str], list[Look]]:
    """The character of each cell, nothing in the second cell of a wide one, and how each looks.

    What combines with a character is in its cell. Control segments have no cells.
    """
    characters: list[str] = []
    looks: list[Look] = []
    for text, style, control in strip:
        if control:
            continue
        here = look_of(style, system)
        before = len(characters)
        characters.extend(text if text.isascii() or _SINGLE.issuperset(text) else _clusters(text))
        looks.extend([here] * (len(characters) - before))
    return characters, looks


def _clusters(text: str) -> list[str]:
    cells: list[str] = []
    for start, end, width in split_graphemes(text)[0]:
        if width:
            cells.append(text[start:end])
            cells.extend([""] * (width - 1))
    return cells


@lru_cache(maxsize=4096)
def is_agreed(cluster: str) -> bool:
    """Whether all terminals move on by as many cells as we count: they do not for emoji and for what combines."""
    if len(cluster) > 1:
        return False
    code = ord(cluster)
    if code < _NARROW or code in _SYMBOLS:
        return split_graphemes(cluster)[1] == 1
    return any(code in each for each in _WIDE) and split_graphemes(cluster)[1] == 2
