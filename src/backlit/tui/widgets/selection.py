"""Selection: the selected items of a list, and the range that is open."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from textual.message import Message

from backlit.tui.commands.command import CannotAct


class SelectionChanged(Message):
    """The selection of a list changed."""


class SelectableRows(Protocol):
    """A list with rows that can be selected."""

    cursor: int
    top: int

    @property
    def page(self) -> int:
        """The number of rows that fit."""

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """Return the ids of a range of rows; without an end, of all rows."""

    def find_row(self, item_id: int) -> int | None:
        """Return the row of an item; None without one."""

    def refresh_row(self, index: int) -> None:
        """Repaint one row."""

    def repaint(self) -> None:
        """Repaint the changed parts."""

    def post_message(self, message: Message) -> bool:
        """Send a message up."""


class RowSelection:
    """The selected rows of a list, and the range that is open between a row and the cursor.

    The cost of selecting depends on the rows in sight, except for the set of ids.
    """

    def __init__(self, rows: SelectableRows) -> None:
        self._rows = rows
        self._selected = Selection()
        self._anchor: int | None = None
        self.agreed_hidden: frozenset[int] = frozenset()
        """The selected items out of sight that the user agreed to act on."""

    def ids(self) -> Sequence[int]:
        """Return the selected items, including the open range."""
        return self._selected.with_range(() if self._anchor is None else self._rows.ids_between(*self._range()))

    def has(self, item_id: int) -> bool:
        """Return whether an item is selected by itself."""
        return item_id in self._selected

    def has_row(self, index: int, item_id: int) -> bool:
        """Return whether a row is selected, or in the open range."""
        if item_id in self._selected:
            return True
        if self._anchor is None:
            return False
        start, stop = self._range()
        return start <= index < stop

    def rename(self, ids: Mapping[int, int]) -> None:
        """Follow temporary ids that became real ones."""
        self._selected.rename(ids)

    def find_anchor(self) -> None:
        """Find the first row of the range after the rows were replaced; without it, close the range."""
        anchor = self._selected.anchor
        self._anchor = None if anchor is None else self._rows.find_row(anchor)
        if self._anchor is None:
            self._selected.anchor = None

    def begin_range(self) -> None:
        """Open a range at the cursor; raises CannotAct without a row there."""
        self._selected.anchor, self._anchor = self._ids(self._rows.cursor, self._rows.cursor + 1)[0], self._rows.cursor
        self._changed()

    def end_range(self) -> bool:
        """Select the rows of the open range; return False without one."""
        if self._anchor is None:
            return False
        self._selected.add(self._rows.ids_between(*self._range()))
        self._selected.anchor = self._anchor = None
        self._changed()
        return True

    def clear(self) -> bool:
        """Clear the selection; return False where it is empty."""
        had_any = bool(self._selected) or self._anchor is not None
        self._selected.clear()
        self._anchor, self.agreed_hidden = None, frozenset()
        if had_any:
            self._changed()
        return had_any

    def toggle(self, start: int, stop: int) -> None:
        """Select or deselect some rows; raises CannotAct without any."""
        self.end_range()
        rows = self._rows
        for item_id in self._ids(start, stop):
            self._selected.toggle(item_id)
        self._refresh(start, stop - 1)
        rows.post_message(SelectionChanged())

    def toggle_all(self, ids: Sequence[int]) -> None:
        """Select all of some items, or deselect them where all are selected."""
        self.end_range()
        if all(each in self._selected for each in ids):
            self._selected.invert(ids)
        else:
            self._selected.add(ids)
        self._changed()

    def add(self, start: int, stop: int | None) -> None:
        """Select a range of rows."""
        self.end_range()
        self._selected.add(self._rows.ids_between(start, stop))
        self._changed()

    def remove(self, item_ids: Collection[int]) -> None:
        """Deselect some items, shown or not."""
        self._selected.invert([each for each in item_ids if each in self._selected])
        self._changed()

    def invert(self) -> None:
        """Invert the selection."""
        self.end_range()
        self._selected.invert(self._rows.ids_between(0, None))
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


class Selection:
    """Selected ids; they survive refresh, filter and order.

    A range is open between `anchor` (a row's id) and the cursor; its rows count as selected, also after its end.
    """

    def __init__(self) -> None:
        self._ids: set[int] = set()
        self.anchor: int | None = None

    def __bool__(self) -> bool:
        return bool(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, item_id: int) -> bool:
        return item_id in self._ids

    def toggle(self, item_id: int) -> None:
        """Select or deselect an item."""
        self._ids ^= {item_id}

    def add(self, item_ids: Iterable[int]) -> None:
        """Select more items."""
        self._ids.update(item_ids)

    def invert(self, item_ids: Iterable[int]) -> None:
        """Invert the selection among some items; others stay."""
        self._ids.symmetric_difference_update(item_ids)

    def clear(self) -> None:
        """Clear the selection, and forget the range."""
        self._ids.clear()
        self.anchor = None

    def rename(self, ids: Mapping[int, int]) -> None:
        """Follow items whose temporary ids became real ones."""
        for old in self._ids & ids.keys():
            self._ids.remove(old)
            self._ids.add(ids[old])
        if self.anchor is not None:
            self.anchor = ids.get(self.anchor, self.anchor)

    def with_range(self, between: Iterable[int]) -> Sequence[int]:
        """Return the selected ids and those of the open range, in no particular order."""
        return list(self._ids.union(between))
