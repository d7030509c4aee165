"""Plain tables for terminals and pipes."""

import shutil
import sys
import unicodedata
from collections.abc import Sequence

from backlit.model.plain import plain

_GAP = "  "
_WIDE = frozenset("WF")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Return the lines of a table; a terminal's width cuts the last column, a pipe does not.

    `right` names the right-aligned columns. Control characters become �.
    """
    cells = [header, *([plain(cell) for cell in row] for row in rows)]
    widths = [max(cells_of(row[at]) for row in cells) for at in range(len(header) - 1)]
    room = shutil.get_terminal_size().columns - sum(width + len(_GAP) for width in widths)
    limit = max(room, 10) if sys.stdout.isatty() else None
    return [_line(row, widths, right, limit) for row in cells]


def cells_of(text: str) -> int:
    """Count the terminal columns of a text."""
    if text.isascii():
        return len(text)
    return sum(_cells_of_one(character) for character in text)


def _cells_of_one(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def _line(row: Sequence[str], widths: Sequence[int], right: frozenset[int], limit: int | None) -> str:
    parts = []
    for at, (cell, width) in enumerate(zip(row, widths, strict=False)):
        blanks = " " * (width - cells_of(cell))
        parts.append(blanks + cell if at in right else cell + blanks)
    last = row[-1] if limit is None else _cut(row[-1], limit)
    return _GAP.join([*parts, last]).rstrip()


def _cut(text: str, limit: int) -> str:
    if cells_of(text) <= limit:
        return text
    kept, used = "", 1
    for character in text:
        used += _cells_of_one(character)
        if used > limit:
            break
        kept += character
    return kept + "…"
