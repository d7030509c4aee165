"""One side of the plan: what it is and how full, above the items that are in it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip

from backlit.model.fields import ItemType
from backlit.store.rows import Row, RowSign
from backlit.store.views import View
from backlit.store.views_groups import GroupLine
from backlit.tui.acting import CannotAct
from backlit.tui.commands import Context
from backlit.tui.sturdy import Sturdy
from backlit.tui.widgets.backlog_columns import Names
from backlit.tui.widgets.backlog_list import BacklogList
from backlit.tui.widgets.columns import OWNER, PTS, Column
from backlit.tui.widgets.lines import Part, SidesLine

HOURS = Column("WorkRemaining", "Hours", 5, is_number=True)
MOST_PASSED = 500
"""Rows that the cursor passes at most, looking for one that stays."""
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
    WITH_HOURS: ClassVar[Sequence[Column]] = (PTS, HOURS, OWNER)

    class TasksAsked(Message):
        """The tasks of an item, or of all where there is none, are to be shown or hidden."""

        def __init__(self, item_id: int | None, *, is_shown: bool) -> None:
            super().__init__()
            self.item_id = item_id
            self.is_shown = is_shown

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self.leaving: frozenset[int] = frozenset()
        """What the plan moves away from here; still there to be seen, but not when all are marked."""

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

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """The ids of a stretch; of all without those that leave."""
        ids = super().ids_between(start, stop)
        return ids if stop is not None or not self.leaving else [each for each in ids if each not in self.leaving]

    def go_on(self, gone: AbstractSet[int]) -> None:
        """Put the cursor on the next row that stays, if those leave with their tasks; else it stays where it is."""
        row = self._row(self.cursor)
        if not isinstance(row, Row) or row.id not in gone:
            return
        for index in range(self.cursor + 1, min(self.row_count(), self.cursor + 1 + MOST_PASSED)):
            row = self._row(index)
            if isinstance(row, Row) and not {row.id, row.parent_id} & gone and row.sign is not RowSign.LEAVING:
                self.move_to(index)
                return

    # Tasks

    def do_list_fold(self, count: int | None) -> None:
        """Hide the tasks of the item, or of the task's; else fold the group."""
        row = self._row(self.cursor)
        if isinstance(row, Row) and row.type == ItemType.TASK and row.parent_id is not None:
            self.go_to(row.parent_id)
            self.post_message(self.TasksAsked(row.parent_id, is_shown=False))
        elif isinstance(row, Row) and self._has_tasks_below(row):
            self.post_message(self.TasksAsked(row.id, is_shown=False))
        else:
            self._need_groups("Its tasks are not shown; l shows them.")
            super().do_list_fold(count)

    def do_list_unfold(self, count: int | None) -> None:
        """Show the tasks of the item; else unfold the group."""
        row = self._row(self.cursor)
        if isinstance(row, Row) and row.type != ItemType.TASK:
            self.post_message(self.TasksAsked(row.id, is_shown=True))
        else:
            self._need_groups("A task has none itself.")
            super().do_list_unfold(count)

    def do_list_toggle(self, count: int | None) -> None:
        """Show or hide the tasks of the item; on a header fold or unfold the group."""
        row = self._row(self.cursor)
        if not isinstance(row, Row):
            super().do_list_toggle(count)
        elif row.type == ItemType.TASK or self._has_tasks_below(row):
            self.do_list_fold(count)
        else:
            self.do_list_unfold(count)

    def do_list_fold_all(self, count: int | None) -> None:
        """Hide all tasks, and fold all groups."""
        self.post_message(self.TasksAsked(None, is_shown=False))
        if self._view is not None and self._view.spec.group:
            super().do_list_fold_all(count)

    def do_list_unfold_all(self, count: int | None) -> None:
        """Show all tasks, and unfold all groups."""
        self.post_message(self.TasksAsked(None, is_shown=True))
        if self._view is not None and self._view.spec.group:
            super().do_list_unfold_all(count)

    def _has_tasks_below(self, row: Row) -> bool:
        below = self._row(self.cursor + 1)
        return isinstance(below, Row) and below.type == ItemType.TASK and below.parent_id == row.id

    def _need_groups(self, otherwise: str) -> None:
        if self._view is None or not self._view.spec.group:
            raise CannotAct(otherwise)

    def on_focus(self) -> None:
        """Show the cursor."""
        self.refresh_row(self.cursor)

    def on_blur(self) -> None:
        """Hide it."""
        self.refresh_row(self.cursor)


class PlanPane(Sturdy, Vertical):
    """A head of a few lines and a list; `place` is the iteration it shows, None for the backlog's."""

    HEAD_LINES = 5

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
