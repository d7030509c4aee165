"""Commands that move the cursor of any list: by rows, pages and counts (KEYMAP, Lists)."""

from typing import Protocol

from backlit.tui.commands.command import Call
from backlit.tui.widgets.line_list import LineList


class MoveTarget(Protocol):
    """A list with a cursor on one of its rows."""

    cursor: int

    def row_count(self) -> int:
        """Return the number of rows."""

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, or on the nearest one."""

    def move_by(self, rows: int) -> None:
        """Move the cursor by some rows."""


def step(target: MoveTarget, call: Call) -> None:
    """Move by the count, the way of the argument's sign."""
    target.move_by(int(call.command.argument) * (call.count or 1))


def to_first(target: MoveTarget, call: Call) -> None:
    """Go to the first row, or to row n with a count."""
    target.move_to((call.count or 1) - 1)


def to_last(target: MoveTarget, call: Call) -> None:
    """Go to the last row, or to row n with a count."""
    target.move_to((call.count or target.row_count()) - 1)


def half_page(target: LineList, call: Call) -> None:
    """Move by half a page, the way of the argument's sign."""
    target.move_to(target.cursor + int(call.command.argument) * (target.page // 2) * (call.count or 1))


def page(target: LineList, call: Call) -> None:
    """Scroll by a page, the way of the argument's sign; the cursor stays at its line of the screen."""
    rows = int(call.command.argument) * target.page * (call.count or 1)
    line, before = target.cursor - target.top, target.cursor
    target.top = max(0, min(target.top + rows, max(0, target.row_count() - target.page)))
    target.cursor = max(0, min(before + rows, target.row_count() - 1))
    if not target.top <= target.cursor < target.top + target.page:
        target.top = max(0, target.cursor - line)
    target.repaint()
    target.moved(before)


def centre(target: LineList, _call: Call) -> None:
    """Scroll the row to the middle."""
    target.scroll_rows(target.cursor - target.page // 2)


def to_top(target: LineList, _call: Call) -> None:
    """Scroll the row to the top."""
    target.scroll_rows(target.cursor)


def to_bottom(target: LineList, _call: Call) -> None:
    """Scroll the row to the bottom."""
    target.scroll_rows(target.cursor - target.page + 1)
