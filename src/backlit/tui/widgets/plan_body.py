"""The panes of the plan, and below or beside them the preview of the item under the cursor."""

from textual import on
from textual.app import ComposeResult
from textual.message import Message

from backlit.store.rows import Item
from backlit.store.store import Store
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.item_panes import ItemPanes
from backlit.tui.widgets.plan_panes import PlanPanes


class PlanBody(ItemPanes):
    """The preview is away until it is asked for, and first below, as panes beside each other need the width."""

    class Joined(Message):
        """It is placed otherwise: the column of a line that meets the rule above it, and that below."""

        def __init__(self, above: int | None, below: int | None) -> None:
            super().__init__()
            self.above = above
            self.below = below

    def __init__(self, store: Store, panes: PlanPanes) -> None:
        super().__init__(store, panes.backlog.items)
        self._plan_panes = panes
        self._is_wanted_below = True
        self._panes_line: int | None = None
        self._preview_line: int | None = None
        self.hide_preview()

    def compose(self) -> ComposeResult:
        """The panes, then the preview."""
        yield self._plan_panes
        yield self._preview

    @property
    def items(self) -> ItemList:
        """The list of the pane that has the focus."""
        return self._plan_panes.focused.items

    @on(PlanPanes.Placed)
    def _panes_placed(self, message: PlanPanes.Placed) -> None:
        self._panes_line = message.line
        self._join()

    @on(ItemPanes.Placed)
    def _preview_placed(self, message: ItemPanes.Placed) -> None:
        self._preview_line = message.line
        self._join()

    def _join(self) -> None:
        """Let the rules meet the first line; below the preview there is none."""
        line = self._preview_line if self._panes_line is None else self._panes_line
        is_covered = self._preview.display and self.has_class("-below")
        self.post_message(self.Joined(line, None if is_covered else line))

    def shown_item(self, item_id: int) -> Item | None:
        """An item as the plan has it."""
        item = super().shown_item(item_id)
        return self._store.plan.item_laid_over(item) if item else None

    @on(PlanPanes.Entered)
    def _pane_entered(self) -> None:
        self.preview_soon()

    def do_list_sparing(self, count: int | None) -> None:
        """Send less for all panes, or all again."""
        super().do_list_sparing(count)
        for pane in self._plan_panes.every:
            if pane.items is not self.items:
                pane.items.spare(self.items.is_sparing)
