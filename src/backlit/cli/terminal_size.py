"""The width of the terminal, as shutil finds it, which takes 4 ms to import."""

import os
import sys

USUAL_COLUMNS = 80


def terminal_columns() -> int:
    """Return COLUMNS, else the width of the terminal that standard output is, else 80."""
    told = os.environ.get("COLUMNS", "")
    if told.isascii() and told.isdigit() and int(told):
        return int(told)
    if sys.__stdout__ is None:
        return USUAL_COLUMNS
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or USUAL_COLUMNS
    except (ValueError, OSError):  # closed, or no terminal
        return USUAL_COLUMNS
