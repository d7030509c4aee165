"""Commands that move the cursor of any list: by rows, pages and counts."""

from typing import Protocol

from backlit.tui.commands.command import Call


class MoveTarget(Protocol):
    """A list with a cursor on one of its rows."""

    cursor: int

    @property
    def page(self) -> int:
        """The number of lines in sight."""

    def row_count(self) -> int:
        """Return the number of rows."""

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, or on the nearest one."""

    def move_by(self, rows: int) -> None:
        """Move the cursor by some rows."""

    def page_by(self, step: float, count: int) -> None:
        """Move by a number of half pages (step 0.5), or scroll by whole ones (step 1); negative is up."""

    def scroll_cursor_to(self, line: int) -> None:
        """Scroll until the cursor's row is on a line of the page."""


def step(target: MoveTarget, call: Call) -> None:
    """Move by the count, in the direction of the argument's sign."""
    target.move_by(int(call.command.argument) * (call.count or 1))


def to_first(target: MoveTarget, call: Call) -> None:
    """Go to the first row, or to row n with a count."""
    target.move_to((call.count or 1) - 1)


def to_last(target: MoveTarget, call: Call) -> None:
    """Go to the last row, or to row n with a count."""
    target.move_to((call.count or target.row_count()) - 1)


def page(target: MoveTarget, call: Call) -> None:
    """Move by half or whole pages, as the argument says, times the count."""
    target.page_by(float(call.command.argument), call.count or 1)


def centre(target: MoveTarget, _call: Call) -> None:
    """Scroll the row to the middle."""
    target.scroll_cursor_to(target.page // 2)


def to_top(target: MoveTarget, _call: Call) -> None:
    """Scroll the row to the top."""
    target.scroll_cursor_to(0)


def to_bottom(target: MoveTarget, _call: Call) -> None:
    """Scroll the row to the bottom."""
    target.scroll_cursor_to(target.page - 1)
