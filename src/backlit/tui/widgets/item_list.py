"""Lists of work items: the base of all of them, and the commands that select rows and fold groups."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events

from backlit.store.views.view import View
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.widgets.folds import Folding
from backlit.tui.widgets.item_rows import Names
from backlit.tui.widgets.line_list import LineList, is_far_away
from backlit.tui.widgets.selection import RowSelection


class ItemList(LineList):
    """The rows of a view, read as they come into sight; subclasses place and draw them."""

    COMMAND_GROUPS: ClassVar[Sequence[str]] = (
        "widgets.move_commands",
        "widgets.item_list",
    )

    folds: Folding

    def __init__(self, names: Names, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.view: View | None = None
        self.current_id: int | None = None
        self.is_sparing = False
        self.selection = RowSelection(self)
        self._names = names

    # Hooks

    def show(self, view: View, item_id: int | None = None) -> None:
        """Show a view, the cursor on the item where the view has it."""
        raise NotImplementedError

    def go_to(self, item_id: int) -> bool:
        """Put the cursor on an item, unfolding what it is in; False where the list does not have it."""
        raise NotImplementedError

    def rows_changed(self, ids: set[int] | None) -> None:
        """Redraw the rows in sight whose items changed; None means any item."""
        raise NotImplementedError

    def forget_drawn(self) -> None:
        """Redraw everything, because names or the theme changed."""
        raise NotImplementedError

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """Return the ids of a range of rows; without an end, of all rows."""
        raise NotImplementedError

    def find_row(self, item_id: int) -> int | None:
        """Return the row of an item; None without one."""
        raise NotImplementedError

    def hold_page(self) -> None:
        """Keep the page until the cursor is moved, as its item is about to move in the order."""

    def group_here(self) -> Mapping[str, object]:
        """Return the values of the group under the cursor by field; empty without groups."""
        return {}

    # State

    def spare(self, is_sparing: bool) -> None:
        """Turn low-bandwidth drawing on or off: scroll by half a page, draw the cursor as a bar."""
        self.is_sparing = is_sparing
        self.scrolls_by_half = is_sparing or is_far_away()
        self.forget_drawn()

    def start_over(self) -> None:
        """Reset cursor and selection for another list."""
        self.selection.clear()
        self.current_id = None
        self.cursor = self.top = 0

    def renamed(self, ids: Mapping[int, int]) -> None:
        """Follow an item whose temporary id became a real one."""
        self.selection.rename(ids)
        if self.current_id is not None:
            self.current_id = ids.get(self.current_id, self.current_id)

    def moved(self, before: int) -> None:
        """Post the move of the cursor, and extend an open range."""
        self.selection.follow(before)
        super().moved(before)

    def clicked(self, index: int, event: events.Click) -> None:
        """Select or deselect the row with ctrl; with shift, select up to it."""
        first, last = sorted((self.cursor, index))
        if event.ctrl and self.ids_between(index, index + 1):
            self.selection.toggle(index, index + 1)
        elif event.shift:
            self.selection.add(first, last + 1)
        super().clicked(index, event)


def select(target: ItemList, call: Call) -> None:
    """Select or deselect the row and move down; on a header, its whole group.

    A count selects as many rows.
    """
    group = target.folds.ids_under_header() if call.count is None else None
    if group is not None:
        target.selection.toggle_all(group)
        target.move_to(target.cursor + 1)
        return
    stop = target.cursor + (call.count or 1)
    target.selection.toggle(target.cursor, stop)
    target.move_to(stop)


def open_range(target: ItemList, _call: Call) -> None:
    """Start a range at the row, or end it and keep its rows selected."""
    if not target.selection.end_range():
        target.selection.begin_range()


def invert(target: ItemList, _call: Call) -> None:
    """Invert the selection."""
    _need_all(target)
    target.selection.invert()


def select_all(target: ItemList, _call: Call) -> None:
    """Select all items that match."""
    _need_all(target)
    target.selection.add(0, None)


def is_complete(items: ItemList) -> bool:
    """Return whether the ids of all rows are known."""
    return items.view is not None and items.view.count is not None


def _need_all(target: ItemList) -> None:
    if not is_complete(target):
        raise CannotAct("The list is still loading. Try again in a moment.")


def fold(target: ItemList, _call: Call) -> None:
    """Fold the group; from a folded one, go to the header of the outer group."""
    target.folds.fold()


def unfold(target: ItemList, _call: Call) -> None:
    """Unfold the group; from the header of an unfolded one, go to its first row."""
    target.folds.unfold()


def toggle(target: ItemList, _call: Call) -> None:
    """Fold or unfold the group."""
    target.folds.toggle()


def fold_all(target: ItemList, _call: Call) -> None:
    """Fold all groups."""
    target.folds.fold_all()


def unfold_all(target: ItemList, _call: Call) -> None:
    """Unfold all groups."""
    target.folds.unfold_all()


def step_header(target: ItemList, call: Call) -> None:
    """Go on by some headers: the argument's sign times the count."""
    target.folds.step(int(call.command.argument) * (call.count or 1))
