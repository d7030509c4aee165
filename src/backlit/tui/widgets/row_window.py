"""The rows of a list that are in sight, with their badges and the texts of their cells."""

from collections.abc import Callable, Collection, Mapping, Sequence

from backlit.store.records.item import ItemRow
from backlit.store.views.groups import GroupLine
from backlit.store.views.view import View
from backlit.tui.widgets.flash import DrawnCells
from backlit.tui.widgets.item_rows import NO_BADGE, Badge, DisplayNames


class Badges:
    """Badges of items, read for all rows in sight together; `rows` returns those."""

    def __init__(self, names: DisplayNames, rows: Callable[[], Sequence[ItemRow]]) -> None:
        self._names = names
        self._rows = rows
        self._found: dict[int, Badge] = {}

    def __len__(self) -> int:
        return len(self._found)

    def of(self, item_id: int) -> Badge:
        if item_id not in self._found:
            unknown = [row for row in self._rows() if row.id not in self._found]
            found = self._names.badges(unknown)
            self._found.update((row.id, found.get(row.id, NO_BADGE)) for row in unknown)
        return self._found.get(item_id, NO_BADGE)

    def forget(self, ids: set[int] | None = None) -> None:
        if ids is None:
            self._found.clear()
        for item_id in ids or ():
            self._found.pop(item_id, None)


class RowWindow:
    """The lines of a view that are in sight, with badges and cells."""

    def __init__(self, names: DisplayNames) -> None:
        self._names = names
        self._lines: dict[int, ItemRow | GroupLine] = {}
        self._cells: dict[int, tuple[str, ...]] = {}
        self._badges = Badges(names, self._rows)

    def line(self, view: View, index: int, top: int, page: int) -> ItemRow | GroupLine | None:
        """Return a line; reads all lines in sight where it is missing."""
        if index not in self._lines:
            start = max(0, min(top, index))
            stop = max(top + page, index + 1)
            self._lines = dict(enumerate(view.lines(start, stop), start))
        return self._lines.get(index)

    def forget_lines(self) -> None:
        self._lines.clear()
        self.forget_words()

    def forget_words(self) -> None:
        self._badges.forget()
        self._cells.clear()

    def forget_items(self, ids: set[int] | None) -> Sequence[int]:
        """Forget the lines of some items, or all; returns their indices."""
        self.forget_words()
        found = [
            index for index, row in self._lines.items() if ids is None or (isinstance(row, ItemRow) and row.id in ids)
        ]
        for index in found:
            del self._lines[index]
        return found

    def drawn(self, ids: Collection[int]) -> Mapping[int, DrawnCells]:
        """Return those of some items that are in sight, with the texts of their other columns."""
        return {row.id: (row, self._cells.get(row.id, ())) for row in self._rows() if row.id in ids}

    def badge(self, item_id: int) -> Badge:
        return self._badges.of(item_id)

    def cells(self, item_id: int, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the texts of an item in columns whose values its row does not carry."""
        if not keys:
            return ()
        if item_id not in self._cells:
            ids = [row.id for row in self._rows() if row.id not in self._cells]
            found = self._names.cells(ids, keys)
            self._cells.update((each, tuple(found.get(each, ()))) for each in ids)
        return self._cells.get(item_id, ())

    def _rows(self) -> Sequence[ItemRow]:
        return [row for row in self._lines.values() if isinstance(row, ItemRow)]
