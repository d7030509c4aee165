"""What every list of a view's items is to the screen around it: its current item, and how it follows changes."""

from collections.abc import Mapping, Sequence

from backlit.store.rows import Row
from backlit.store.views import View
from backlit.tui.commands import Context
from backlit.tui.widgets.backlog_columns import Names
from backlit.tui.widgets.badges import Badge
from backlit.tui.widgets.line_list import is_far_away
from backlit.tui.widgets.list_marks import ListMarks


class ItemList(ListMarks):
    """Rows of a view that are read as they are seen; subclasses say where they stand and how they look."""

    CONTEXTS: tuple[Context, ...] = (Context.LIST, Context.ITEM)

    def __init__(self, names: Names, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.current_id: int | None = None
        self.empty_words = ""
        self._view: View | None = None
        self._names = names
        self._badges: dict[int, Badge] = {}
        self.is_sparing = False

    # What subclasses say

    def show(self, view: View, item_id: int | None = None) -> None:
        """Show a view, the cursor on the item where the view has it."""
        raise NotImplementedError

    def go_to(self, item_id: int) -> bool:
        """Put the cursor on an item, unfolding what it is in; False where the list does not have it."""
        raise NotImplementedError

    def rows_changed(self, ids: set[int] | None) -> None:
        """Draw anew the rows in sight whose items changed; None means any of them."""
        raise NotImplementedError

    def forget_drawn(self) -> None:
        """Draw everything anew, because names or the theme changed."""
        raise NotImplementedError

    def hold_page(self) -> None:
        """Let the page stay until the cursor is moved: its item is about to go elsewhere in the order."""

    def rows_read(self) -> Sequence[Row]:
        """The items in sight, as far as they were read."""
        raise NotImplementedError

    # What they share

    def group_here(self) -> Mapping[str, object]:
        """What the items of the group under the cursor have in common, by the fields' keys; nothing without groups."""
        return {}

    def spare(self, is_sparing: bool) -> None:
        """Send little to the terminal, or not: scroll by half a page, draw the cursor as a bar."""
        self.is_sparing = is_sparing
        self.scrolls_by_half = is_sparing or is_far_away()
        self.forget_drawn()

    def start_over(self) -> None:
        """Forget the place, as what is shown next is another list."""
        self.clear_marks()
        self.current_id = None
        self.cursor = self.top = 0

    def renamed(self, ids: Mapping[int, int]) -> None:
        """Stay on an item whose temporary id became a real one."""
        self.rename_marks(ids)
        if self.current_id is not None:
            self.current_id = ids.get(self.current_id, self.current_id)

    def say_when_empty(self, words: str) -> None:
        """Say why there are no rows, where there are none."""
        if words != self.empty_words:
            self.empty_words = words
            if self.row_count() == 0:
                self.refresh()

    def is_complete(self) -> bool:
        """Whether the ids of all rows are known."""
        return self._view is not None and self._view.count is not None

    def badge(self, item_id: int) -> Badge:
        """The quiet signs of an item; asked for the rows in sight together."""
        if item_id not in self._badges:
            rows = [row for row in self.rows_read() if row.id not in self._badges]
            found = self._names.badges(rows)
            self._badges.update((row.id, found.get(row.id, Badge.NONE)) for row in rows)
        return self._badges.get(item_id, Badge.NONE)
