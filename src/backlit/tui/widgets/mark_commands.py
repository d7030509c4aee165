"""Commands that mark rows of a list: one, a range, all, or the others (KEYMAP, Lists)."""

from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.widgets.item_list import ItemList


def mark(target: ItemList, call: Call) -> None:
    """Mark the row, or take its mark off, and go down; on a header mark all of its group, or none.

    A count marks as many rows.
    """
    group = target.folds.ids_under_header() if call.count is None else None
    if group is not None:
        target.marks.toggle_all(group)
        target.move_to(target.cursor + 1)
        return
    stop = target.cursor + (call.count or 1)
    target.marks.toggle(target.cursor, stop)
    target.move_to(stop)


def open_range(target: ItemList, _call: Call) -> None:
    """Begin a range at the row, or end it and keep its rows marked."""
    if not target.marks.end_range():
        target.marks.begin_range()


def invert(target: ItemList, _call: Call) -> None:
    """Mark the rows that are not marked, and only those."""
    _need_all(target)
    target.marks.invert()


def mark_all(target: ItemList, _call: Call) -> None:
    """Mark all that match."""
    _need_all(target)
    target.marks.add(0, None)


def _need_all(target: ItemList) -> None:
    if not target.is_complete():
        raise CannotAct("The list is still being read; try again in a moment.")
