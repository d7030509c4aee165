"""Commands that move the cursor of any list: by rows, pages and counts."""

from typing import Protocol

from backlit.tui.commands.command import Call


class MoveTarget(Protocol):
    """A list with a cursor on one of its rows."""

    cursor: int

    def row_count(self) -> int:
        """Return the number of rows."""

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, or on the nearest one."""

    def move_by(self, rows: int) -> None:
        """Move the cursor by some rows."""

    def half_page_by(self, steps: int) -> None:
        """Move by half pages."""

    def page_by(self, pages: int) -> None:
        """Scroll by pages."""

    def show_cursor_at(self, share: float) -> None:
        """Scroll the cursor's row to the top of the page (0), its middle or its bottom (1)."""


def step(target: MoveTarget, call: Call) -> None:
    """Move by the count, in the direction of the argument's sign."""
    target.move_by(int(call.command.argument) * (call.count or 1))


def to_first(target: MoveTarget, call: Call) -> None:
    """Go to the first row, or to row n with a count."""
    target.move_to((call.count or 1) - 1)


def to_last(target: MoveTarget, call: Call) -> None:
    """Go to the last row, or to row n with a count."""
    target.move_to((call.count or target.row_count()) - 1)


def half_page(target: MoveTarget, call: Call) -> None:
    """Move by half pages, in the direction of the argument's sign."""
    target.half_page_by(int(call.command.argument) * (call.count or 1))


def page(target: MoveTarget, call: Call) -> None:
    """Scroll by pages, in the direction of the argument's sign."""
    target.page_by(int(call.command.argument) * (call.count or 1))


def centre(target: MoveTarget, _call: Call) -> None:
    """Scroll the row to the middle."""
    target.show_cursor_at(0.5)


def to_top(target: MoveTarget, _call: Call) -> None:
    """Scroll the row to the top."""
    target.show_cursor_at(0)


def to_bottom(target: MoveTarget, _call: Call) -> None:
    """Scroll the row to the bottom."""
    target.show_cursor_at(1)
