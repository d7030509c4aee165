"""A pane of the plan: a head of a few lines above a list of items."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Blur, Focus
from textual.message import Message
from textual.strip import Strip

from backlit.store.records.item import Row, RowSign
from backlit.store.views.groups import GroupLine
from backlit.store.views.view import View
from backlit.tui.commands.command import Context
from backlit.tui.plan.task_folds import TaskFolds
from backlit.tui.widgets.columns import OWNER, PTS, Column
from backlit.tui.widgets.item_rows import Names
from backlit.tui.widgets.side_lines import Part, SidesLine
from backlit.tui.widgets.storage_errors import StorageErrorGuard
from backlit.tui.widgets.view_list import BacklogList

HOURS = Column("WorkRemaining", "Hours", 5, is_number=True)
MOST_PASSED = 500
"""Rows that the cursor passes at most, looking for one that stays."""
FORECAST = "forecast"
"""The key of the lines that say what fits which iteration."""


@dataclass(frozen=True, slots=True)
class HeadLine:
    """One line of a pane's head: words at the left and at the right."""

    left: Sequence[Part] = ()
    right: Sequence[Part] = ()


class PlanList(BacklogList):
    """The items of a pane; only the pane with the focus shows its cursor."""

    CONTEXTS = (Context.PLAN, Context.MOVES, Context.LIST, Context.ITEM)
    COLUMNS: ClassVar[Sequence[Column]] = (PTS, OWNER)
    WITH_HOURS: ClassVar[Sequence[Column]] = (PTS, HOURS, OWNER)

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self.folds = TaskFolds(self)
        self.leaving: frozenset[int] = frozenset()
        """What the plan moves away from here; still there to be seen, but not when all are marked."""

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one item."""
        return super().render_row(index, is_cursor=is_cursor and self.has_focus)

    def move_to(self, index: int) -> None:
        """Put the cursor on a row; lines of the forecast are stepped over."""
        row = self.row(index)
        if isinstance(row, GroupLine) and row.key == FORECAST:
            beyond = index + (1 if index >= self.cursor or index == 0 else -1)
            index = beyond if 0 <= beyond < self.row_count() else index
        super().move_to(index)

    def show(self, view: View, item_id: int | None = None) -> None:
        """Show a view; the cursor moves off a line of the forecast."""
        super().show(view, item_id)
        self.move_to(self.cursor)

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """Return the ids of a stretch; of the whole list without the leaving items."""
        ids = super().ids_between(start, stop)
        return ids if stop is not None or not self.leaving else [each for each in ids if each not in self.leaving]

    @on(Focus)
    @on(Blur)
    def _focus_changed(self) -> None:
        """Show or hide the cursor."""
        self.refresh_row(self.cursor)


def step_past(items: PlanList, gone: AbstractSet[int]) -> None:
    """Put the cursor on the next row that stays when the items in `gone` leave with their tasks."""
    row = items.row(items.cursor)
    if not isinstance(row, Row) or row.id not in gone:
        return
    for index in range(items.cursor + 1, min(items.row_count(), items.cursor + 1 + MOST_PASSED)):
        row = items.row(index)
        if isinstance(row, Row) and not {row.id, row.parent_id} & gone and row.sign is not RowSign.LEAVING:
            items.move_to(index)
            return


class PlanPane(StorageErrorGuard, Vertical):
    """A head and a list; `place` is the id of the iteration shown, None in the backlog's pane."""

    HEAD_LINES = 5

    class Resized(Message):
        """Sent when the pane has another size or position."""

    def __init__(self, names: Names, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.place: int | None = None
        self.items = PlanList(names)
        self._head = [SidesLine() for _ in range(self.HEAD_LINES)]

    def compose(self) -> ComposeResult:
        """Place the head above the list."""
        yield from self._head
        yield self.items

    def on_resize(self) -> None:
        """Tell that lines around the pane may have to meet another edge."""
        self.post_message(self.Resized())

    def say(self, lines: Sequence[HeadLine]) -> None:
        """Show these lines in the head, and hide the rest."""
        for number, line in enumerate(self._head):
            line.display = number < len(lines)
            if number < len(lines):
                line.say(lines[number].left, lines[number].right)
