"""A screen whose items stand in a list with marks: what its verbs act on, and how much is marked."""

from collections.abc import Mapping, Sequence

from textual import on

from backlit.model.fields import ItemType
from backlit.model.trees import Totals
from backlit.store.rows import Item
from backlit.tui.acting import CannotAct
from backlit.tui.group_preset import preset_of, type_in
from backlit.tui.item_verbs import ItemVerbs
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.list_marks import ListMarks
from backlit.tui.work import work


class MarkedList(ItemVerbs):
    """The verbs act on the marked rows, an open range among them, else on the row under the cursor."""

    items: ItemList
    marked = Totals()
    """How many items are marked, and their points; read behind the marking."""

    def draw_words(self) -> None:
        """Say what changed; subclasses say where."""
        raise NotImplementedError

    def current_item(self) -> Item:
        """The item under the cursor."""
        item_id = self.items.current_id
        item = self.store.item(item_id) if item_id is not None else None
        if item is None:
            raise CannotAct("There is no item under the cursor.")
        return item

    def chosen_ids(self) -> Sequence[int]:
        """The marked items, wherever they stand, else so many rows as a count says, else the current one."""
        rows = self.chord_app.rows_wanted
        return self.items.marked_ids() or (self.ids_from_here(rows) if rows else super().chosen_ids())

    def ids_from_here(self, count: int) -> Sequence[int]:
        """The current item and those below it."""
        return self.items.ids_between(self.items.cursor, self.items.cursor + count)

    def expected_type(self) -> ItemType | None:
        """The type of the group that the item is added in."""
        return type_in(self.items.group_here())

    def _ask_name(self, item_type: ItemType, preset: Mapping[str, object], tasks: Sequence[str] = ()) -> None:
        """What is added in a group belongs there; a task belongs to its item."""
        group = {} if item_type is ItemType.TASK else self.items.group_here()
        super()._ask_name(item_type, {**preset, **preset_of(self.store, item_type, group)}, tasks)

    @on(ListMarks.Marked)
    def measure_marks(self) -> None:
        """Count the marked items and their points, off the screen's thread: there may be very many."""
        ids = self.items.marked_ids()
        if ids:
            self.run_worker(work(self._measure, ids), exclusive=True, group="marks")
        else:
            self.workers.cancel_group(self, "marks")
            self.marked = Totals()
            self.draw_words()

    async def _measure(self, ids: Sequence[int]) -> None:
        self.marked = await self.store.batch.totals(ids)
        if self.is_attached:
            self.draw_words()
