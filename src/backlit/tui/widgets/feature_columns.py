"""The columns of a tree of Features: points done and in all below one, and the share of them as a bar."""

from collections.abc import Sequence

from msgspec.structs import replace

from backlit.model.settings.view_settings import PROGRESS_KEY, ROLLUP_KEY
from backlit.store.records.item import ItemRow
from backlit.tui.widgets.item_rows import (
    ITERATION_COLUMN,
    OWNER_COLUMN,
    POINTS_COLUMN,
    STATUS_COLUMN,
    ListColumn,
)

PROGRESS_WIDTH = 8
"""Cells of the bar of what is done below a Feature."""
TREE_COLUMNS = (
    *(ITERATION_COLUMN, OWNER_COLUMN),
    replace(STATUS_COLUMN, drop=5),
    replace(POINTS_COLUMN, drop=6, is_usual=False),
    ListColumn(ROLLUP_KEY, "Done", 7, is_number=True, drop=4, is_usual=True),
    ListColumn(PROGRESS_KEY, "", PROGRESS_WIDTH, drop=3, is_usual=True),
)
"""The default columns of a tree."""


def progress_bar(share: object) -> str:
    """Return the share of what is done as a bar; empty without one."""
    if not isinstance(share, int | float):
        return ""
    full = round(min(max(share, 0.0), 1.0) * PROGRESS_WIDTH)
    return "━" * full + "─" * (PROGRESS_WIDTH - full)


def with_own_estimate_apart(row: ItemRow, read: Sequence[str], cells: Sequence[str]) -> ItemRow:
    """Return a row whose own estimate is in brackets where it differs from the points below it, which a cell has."""
    if not row.estimate or not cells or ROLLUP_KEY not in read:
        return row
    total = cells[read.index(ROLLUP_KEY)].rpartition("/")[2]
    return row if total in {"", "0", row.estimate} else row._replace(estimate=f"({row.estimate})")
