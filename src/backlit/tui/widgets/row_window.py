"""The rows of a list in sight: read from its view together, with their badges and the words of their cells."""

from collections.abc import Callable, Sequence

from backlit.store.records.item import Row
from backlit.store.views.groups import GroupLine
from backlit.store.views.view import View
from backlit.tui.widgets.badges import Badge
from backlit.tui.widgets.item_rows import Names


class Badges:
    """The quiet signs of items, read for all rows in sight together; `rows` returns those."""

    def __init__(self, names: Names, rows: Callable[[], Sequence[Row]]) -> None:
        self._names = names
        self._rows = rows
        self._found: dict[int, Badge] = {}

    def __len__(self) -> int:
        return len(self._found)

    def of(self, item_id: int) -> Badge:
        """Return those of an item."""
        if item_id not in self._found:
            unknown = [row for row in self._rows() if row.id not in self._found]
            found = self._names.badges(unknown)
            self._found.update((row.id, found.get(row.id, Badge.NONE)) for row in unknown)
        return self._found.get(item_id, Badge.NONE)

    def forget(self, ids: set[int] | None = None) -> None:
        """Forget those of some items, or all."""
        if ids is None:
            self._found.clear()
        for item_id in ids or ():
            self._found.pop(item_id, None)


class RowWindow:
    """The lines of a view in sight, and nothing else of it."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._lines: dict[int, Row | GroupLine] = {}
        self._cells: dict[int, tuple[str, ...]] = {}
        self._badges = Badges(names, self._rows)

    def line(self, view: View, index: int, top: int, page: int) -> Row | GroupLine | None:
        """Return a line; where it was not read, it is read with all that are in sight."""
        if index not in self._lines:
            start = max(0, min(top, index))
            stop = max(top + page, index + 1)
            self._lines = dict(enumerate(view.lines(start, stop), start))
        return self._lines.get(index)

    def forget_lines(self) -> None:
        """Forget all: the view is another, or in another order."""
        self._lines.clear()
        self.forget_words()

    def forget_words(self) -> None:
        """Forget badges and cells."""
        self._badges.forget()
        self._cells.clear()

    def forget_items(self, ids: set[int] | None) -> Sequence[int]:
        """Forget the lines of some items, or all; returns their indices."""
        self.forget_words()
        found = [index for index, row in self._lines.items() if ids is None or (isinstance(row, Row) and row.id in ids)]
        for index in found:
            del self._lines[index]
        return found

    def badge(self, item_id: int) -> Badge:
        """Return the quiet signs of an item in sight."""
        return self._badges.of(item_id)

    def cells(self, item_id: int, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the words of an item in columns that its row has no values for."""
        if not keys:
            return ()
        if item_id not in self._cells:
            ids = [row.id for row in self._rows() if row.id not in self._cells]
            found = self._names.cells(ids, keys)
            self._cells.update((each, tuple(found.get(each, ()))) for each in ids)
        return self._cells.get(item_id, ())

    def _rows(self) -> Sequence[Row]:
        return [row for row in self._lines.values() if isinstance(row, Row)]
