"""The tasks of the plan's items: shown and hidden like the groups of a list."""

from typing import Protocol

from textual.message import Message

from backlit.model.fields import ItemType
from backlit.store.records.item import Row
from backlit.store.views.groups import GroupLine
from backlit.tui.commands.command import CannotAct
from backlit.tui.widgets.folds import FoldableRows, GroupFolds


class TasksAsked(Message):
    """The tasks of an item, or of all where there is none, are to be shown or hidden."""

    def __init__(self, item_id: int | None, *, is_shown: bool) -> None:
        super().__init__()
        self.item_id = item_id
        self.is_shown = is_shown


class TaskRows(FoldableRows, Protocol):
    """A list with tasks under items."""

    def row(self, index: int) -> Row | GroupLine | None:
        """Return the item or header on a line."""

    def go_to(self, item_id: int) -> bool:
        """Put the cursor on an item."""

    def post_message(self, message: Message) -> bool:
        """Send a message up."""


class TaskFolds(GroupFolds):
    """Folds the tasks of the item under the cursor, else the group."""

    def __init__(self, rows: TaskRows) -> None:
        super().__init__(rows)
        self._tasks = rows

    def fold(self) -> None:
        """Hide the tasks of the item, or of the task's; else fold the group."""
        row = self._row()
        if row is not None and row.type == ItemType.TASK and row.parent_id is not None:
            self._tasks.go_to(row.parent_id)
            self._ask(row.parent_id, is_shown=False)
        elif row is not None and self._has_tasks_below(row):
            self._ask(row.id, is_shown=False)
        else:
            self._need_groups("Its tasks are not shown; l shows them.")
            super().fold()

    def unfold(self) -> None:
        """Show the tasks of the item; else unfold the group."""
        row = self._row()
        if row is not None and row.type != ItemType.TASK:
            self._ask(row.id, is_shown=True)
        else:
            self._need_groups("A task has none itself.")
            super().unfold()

    def toggle(self) -> None:
        """Show or hide the tasks of the item; on a header fold or unfold the group."""
        row = self._row()
        if row is None:
            super().toggle()
        elif row.type == ItemType.TASK or self._has_tasks_below(row):
            self.fold()
        else:
            self.unfold()

    def fold_all(self) -> None:
        """Hide all tasks, and fold all groups."""
        self._ask(None, is_shown=False)
        if self._has_groups():
            super().fold_all()

    def unfold_all(self) -> None:
        """Show all tasks, and unfold all groups."""
        self._ask(None, is_shown=True)
        if self._has_groups():
            super().unfold_all()

    def _row(self) -> Row | None:
        row = self._tasks.row(self._tasks.cursor)
        return row if isinstance(row, Row) else None

    def _ask(self, item_id: int | None, *, is_shown: bool) -> None:
        self._tasks.post_message(TasksAsked(item_id, is_shown=is_shown))

    def _has_tasks_below(self, row: Row) -> bool:
        below = self._tasks.row(self._tasks.cursor + 1)
        return isinstance(below, Row) and below.type == ItemType.TASK and below.parent_id == row.id

    def _has_groups(self) -> bool:
        return self._tasks.view is not None and bool(self._tasks.view.spec.group)

    def _need_groups(self, otherwise: str) -> None:
        if not self._has_groups():
            raise CannotAct(otherwise)
