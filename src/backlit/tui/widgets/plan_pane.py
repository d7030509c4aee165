"""One side of the plan: what it is and how full, above the items that are in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip

from backlit.store.views import View
from backlit.store.views_groups import GroupLine
from backlit.tui.commands import Context
from backlit.tui.sturdy import Sturdy
from backlit.tui.widgets.backlog_columns import Names
from backlit.tui.widgets.backlog_list import BacklogList
from backlit.tui.widgets.columns import OWNER, PTS, Column
from backlit.tui.widgets.lines import Part, SidesLine

FORECAST = "forecast"
"""The key of the lines that say what fits which iteration."""


@dataclass(frozen=True, slots=True)
class HeadLine:
    """One line of a pane's head: what stands at the left, and at the right."""

    left: Sequence[Part] = ()
    right: Sequence[Part] = ()


class PlanList(BacklogList):
    """The items of a pane; only the one that has the focus shows its cursor."""

    CONTEXTS = (Context.PLAN, Context.LIST, Context.ITEM)
    COLUMNS: ClassVar[Sequence[Column]] = (PTS, OWNER)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one item."""
        return super().render_row(index, is_cursor=is_cursor and self.has_focus)

    def move_to(self, index: int) -> None:
        """Put the cursor on a row; lines of the forecast are stepped over."""
        row = self._row(index)
        if isinstance(row, GroupLine) and row.key == FORECAST:
            beyond = index + (1 if index >= self.cursor or index == 0 else -1)
            index = beyond if 0 <= beyond < self.row_count() else index
        super().move_to(index)

    def show(self, view: View, item_id: int | None = None) -> None:
        """Show a view; a cursor that comes to stand on a line of the forecast goes to what is below it."""
        super().show(view, item_id)
        self.move_to(self.cursor)

    def on_focus(self) -> None:
        """Show the cursor."""
        self.refresh_row(self.cursor)

    def on_blur(self) -> None:
        """Hide it."""
        self.refresh_row(self.cursor)


class PlanPane(Sturdy, Vertical):
    """A head of a few lines and a list; `place` is the iteration it shows, None for the backlog's."""

    HEAD_LINES = 4

    class Resized(Message):
        """It lies elsewhere, or is of another size."""

    def __init__(self, names: Names, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.place: int | None = None
        self.items = PlanList(names)
        self._head = [SidesLine() for _ in range(self.HEAD_LINES)]

    def compose(self) -> ComposeResult:
        """The head above the list."""
        yield from self._head
        yield self.items

    def on_resize(self) -> None:
        """Say so: lines around it may have to meet its edge."""
        self.post_message(self.Resized())

    def say(self, lines: Sequence[HeadLine]) -> None:
        """Show other words in the head; lines that are not given are not there."""
        for number, line in enumerate(self._head):
            line.display = number < len(lines)
            if number < len(lines):
                line.say(lines[number].left, lines[number].right)
