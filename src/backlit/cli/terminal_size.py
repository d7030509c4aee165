"""The size of the terminal, as shutil finds it, which takes 4 ms to import."""

import os
import sys

USUAL_COLUMNS, USUAL_LINES = 80, 24


def terminal_columns() -> int:
    """Return COLUMNS, else the width of the terminal that standard output is, else 80."""
    return _told("COLUMNS") or _size()[0] or USUAL_COLUMNS


def terminal_lines() -> int:
    """Return LINES, else the height of the terminal that standard output is, else 24."""
    return _told("LINES") or _size()[1] or USUAL_LINES


def _told(name: str) -> int:
    told = os.environ.get(name, "")
    return int(told) if told.isascii() and told.isdigit() else 0


def _size() -> tuple[int, int]:
    if sys.__stdout__ is None:
        return 0, 0
    try:
        size = os.get_terminal_size(sys.__stdout__.fileno())
    except (ValueError, OSError):  # closed, or no terminal
        return 0, 0
    return size.columns, size.lines
