"""Cells of a table that a spreadsheet opens: none of them is taken as a formula."""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def defused(cell: str) -> str:
    """Return a cell with an apostrophe before what a spreadsheet would calculate; numbers stay."""
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def undefused(cell: str) -> str:
    """Return the cell that `defused` got."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
