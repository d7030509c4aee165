"""Lists of work items: their base, their selection, and the commands that select rows and fold groups."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import ClassVar, Protocol

from msgspec import Struct
from textual import events
from textual.message import Message

from backlit.store.views.groups import GroupKey
from backlit.store.views.view import View
from backlit.tui.commands.command import LOADING_SENTENCE, CannotAct, CommandContext
from backlit.tui.widgets.flash import DrawnCells, Flash
from backlit.tui.widgets.item_rows import DisplayNames
from backlit.tui.widgets.line_list import LineList, is_over_ssh


class SelectionChanged(Message):
    """The selection of a list changed."""


class RowSelection:
    """The selected rows of a list, and the range that is open between a row and the cursor.

    The ids survive refresh, filter and order; the cost of selecting depends on the rows in sight, except for their set.
    """

    def __init__(self, rows: "ItemList") -> None:
        self._rows = rows
        self._selected: set[int] = set()
        self._anchor: int | None = None
        self._anchor_id: int | None = None
        self.agreed_hidden: frozenset[int] = frozenset()
        """The selected items out of sight that the user agreed to act on."""

    def ids(self) -> Sequence[int]:
        """Return the selected items and those of the open range, in no particular order."""
        return list(self._selected.union(() if self._anchor is None else self._rows.ids_between(*self._range())))

    def has(self, item_id: int) -> bool:
        return item_id in self._selected

    def has_row(self, index: int, item_id: int) -> bool:
        if item_id in self._selected or self._anchor is None:
            return item_id in self._selected
        start, stop = self._range()
        return start <= index < stop

    def rename(self, ids: Mapping[int, int]) -> None:
        for old in self._selected & ids.keys():
            self._selected.remove(old)
            self._selected.add(ids[old])
        if self._anchor_id is not None:
            self._anchor_id = ids.get(self._anchor_id, self._anchor_id)

    def find_anchor(self) -> None:
        """Find the first row of the range after the rows were replaced; without it, close the range."""
        self._anchor = None if self._anchor_id is None else self._rows.find_row(self._anchor_id)
        if self._anchor is None:
            self._anchor_id = None

    @property
    def is_growing(self) -> bool:
        return self._anchor is not None

    def begin_range(self) -> None:
        """Open a range at the cursor; raises CannotAct without a row there."""
        self._anchor_id, self._anchor = self._ids(self._rows.cursor, self._rows.cursor + 1)[0], self._rows.cursor
        self._changed()

    def end_range(self) -> bool:
        if self._anchor is None:
            return False
        self._selected.update(self._rows.ids_between(*self._range()))
        self._anchor = self._anchor_id = None
        self._changed()
        return True

    def drop_range(self) -> None:
        if self._anchor is not None:
            self._anchor = self._anchor_id = None
            self._changed()

    def clear(self) -> bool:
        had_any = bool(self._selected) or self._anchor is not None
        self._selected.clear()
        self._anchor = self._anchor_id = None
        self.agreed_hidden = frozenset()
        if had_any:
            self._changed()
        return had_any

    def toggle(self, start: int, stop: int) -> None:
        """Select or deselect some rows; raises CannotAct without any."""
        self.end_range()
        self._selected.symmetric_difference_update(self._ids(start, stop))
        self._refresh(start, stop - 1)
        self._rows.post_message(SelectionChanged())

    def toggle_all(self, ids: Sequence[int]) -> None:
        """Select all of some items, or deselect them where all are selected."""
        self.end_range()
        if self._selected.issuperset(ids):
            self._selected.difference_update(ids)
        else:
            self._selected.update(ids)
        self._changed()

    def add(self, start: int, stop: int | None) -> None:
        self.end_range()
        self._selected.update(self._rows.ids_between(start, stop))
        self._changed()

    def remove(self, item_ids: Iterable[int]) -> None:
        self._selected.difference_update(item_ids)
        self._changed()

    def invert(self) -> None:
        self.end_range()
        self._selected.symmetric_difference_update(self._rows.ids_between(0, None))
        self._changed()

    def follow(self, before: int) -> None:
        """Repaint the rows that the cursor added to the range or took from it."""
        if self._anchor is not None and before != self._rows.cursor:
            self._refresh(*sorted((before, self._rows.cursor)))
            self._rows.post_message(SelectionChanged())

    def _ids(self, start: int, stop: int) -> Sequence[int]:
        ids = self._rows.ids_between(start, stop)
        if not ids:
            raise CannotAct("No row to select.")
        return ids

    def _refresh(self, first: int, last: int) -> None:
        rows = self._rows
        for index in range(max(first, rows.top), min(last, rows.top + rows.page - 1) + 1):
            rows.refresh_row(index)

    def _range(self) -> tuple[int, int]:
        first, last = sorted((self._anchor or 0, self._rows.cursor))
        return first, last + 1

    def _changed(self) -> None:
        self._rows.repaint()
        self._rows.post_message(SelectionChanged())


class GroupFolding(Protocol):
    """Folds of a list's groups; every method raises CannotAct without groups."""

    def fold(self) -> None: ...

    def unfold(self) -> None: ...

    def toggle(self) -> None: ...

    def fold_all(self) -> None: ...

    def unfold_all(self) -> None: ...

    def step(self, steps: int) -> None: ...

    def ids_under_header(self) -> Sequence[int] | None:
        """Return the items of the group whose header is under the cursor; None on any other row."""


class RowIdentity(Struct, frozen=True):
    """What is under a cursor, wherever another view has it: an item, a group's header, or a column of a board."""

    item_id: int | None = None
    group: GroupKey | None = None


class ItemList(LineList):
    """The rows of a view, read as they come into sight; subclasses place and draw them."""

    COMMAND_GROUPS: ClassVar[Sequence[str]] = ("widgets.line_list", "widgets.item_list")

    folds: GroupFolding
    # A row asks for the width several times, and Textual looks it up in the layout of the whole screen each time.
    size = LineList.outer_size
    """The size without a look at the layout of the screen: there is no gutter around the rows."""

    def __init__(self, names: DisplayNames, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.view: View | None = None
        self.current_id: int | None = None
        self.selection = RowSelection(self)
        self.flash = Flash(self.set_timer, self.flash_ended)
        self._start: RowIdentity | None = None
        self._names = names

    # Hooks

    def show(self, view: View, item_id: int | None = None) -> None:
        raise NotImplementedError

    def offer(self, view: View) -> None:
        """Show what is near where nothing matches; for lists whose groups have headings."""

    def go_to(self, item_id: int) -> bool:
        """Put the cursor on an item, unfolding what it is in; False where the list does not have it."""
        raise NotImplementedError

    def rows_changed(self, ids: set[int] | None) -> None:
        """Redraw the rows in sight whose items changed; None means any item."""
        raise NotImplementedError

    def forget_drawn(self) -> None:
        raise NotImplementedError

    def drawn_cells(self, ids: Collection[int]) -> Mapping[int, DrawnCells]:
        """Return what is drawn of some items."""
        raise NotImplementedError

    def flash_ended(self) -> None:
        """Draw what flashed as it is at rest."""
        raise NotImplementedError

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """Return the ids of a range of rows; without an end, of all rows."""
        raise NotImplementedError

    def find_row(self, item_id: int) -> int | None:
        raise NotImplementedError

    def hold_page(self) -> None:
        """Keep the page until the cursor is moved, as its item is about to move in the order."""

    def group_here(self) -> Mapping[str, object]:
        return {}

    # State

    def set_low_bandwidth(self, is_low_bandwidth: bool) -> None:
        self.is_low_bandwidth = is_low_bandwidth
        self.scrolls_by_half = is_low_bandwidth or is_over_ssh()
        self.forget_drawn()

    def start_over(self) -> None:
        self.selection.clear()
        self.current_id = None
        self.cursor = self.top = 0

    @property
    def row_identity(self) -> RowIdentity:
        return RowIdentity(self.current_id)

    def start_from(self, row: RowIdentity) -> None:
        """Have the next view begin with the cursor on a row, or on the first one where the view lacks it."""
        # Kept until then: a change of the height, as by the note below the filter, places the cursor in this view.
        self._start = row

    def _begin_view(self, item_id: int | None) -> int | None:
        """Return the item to begin a view at: that of `start_from` if it was called, else the given one."""
        row, self._start = self._start, None
        if row is None:
            return item_id
        self.cursor = self.top = 0
        self.start_in(row.group)
        return row.item_id

    def start_in(self, group: GroupKey | None) -> None:
        """Have the view that is about to be shown begin in a group where it lacks the item."""

    def flash_changed(self, ids: Collection[int], ranked: Collection[int] = ()) -> None:
        """Have items flash that an act of the user changes; called while the rows before it are known."""
        if ids:
            self.flash.begin(self.drawn_cells(ids), ids, ranked)

    def renamed(self, ids: Mapping[int, int]) -> None:
        self.selection.rename(ids)
        self.flash.rename(ids)
        if self.current_id is not None:
            self.current_id = ids.get(self.current_id, self.current_id)

    def moved(self, before: int) -> None:
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

    def select_rows(self, call: CommandContext) -> None:
        """Select or deselect the row and move down; on a header, its whole group.

        A count selects as many rows.
        """
        group = self.folds.ids_under_header() if call.count is None else None
        if group is not None:
            self.selection.toggle_all(group)
            self.move_to(self.cursor + 1)
            return
        stop = self.cursor + (call.count or 1)
        self.selection.toggle(self.cursor, stop)
        self.move_to(stop)

    def turn_range(self, _call: CommandContext) -> None:
        """Start a range at the row, or end it and keep its rows selected."""
        if not self.selection.end_range():
            self.selection.begin_range()

    def invert_selection(self, _call: CommandContext) -> None:
        self._need_all()
        self.selection.invert()

    def select_all(self, _call: CommandContext) -> None:
        self._need_all()
        self.selection.add(0, None)

    @property
    def has_no_items(self) -> bool:
        """Return whether a list has no items, not even in folded groups and columns."""
        return not (self.row_count() or (self.view is not None and self.view.count))

    @property
    def is_complete(self) -> bool:
        return self.view is not None and self.view.count is not None

    def _need_all(self) -> None:
        if not self.is_complete:
            raise CannotAct(LOADING_SENTENCE)

    def turn_folds(self, call: CommandContext) -> None:
        """Call the method of the list's folds that the argument names."""
        getattr(self.folds, str(call.command.argument))()

    def step_header(self, call: CommandContext) -> None:
        self.folds.step(int(call.command.argument) * (call.count or 1))
