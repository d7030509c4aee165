"""The panes of the plan side by side, as many as fit, and the preview of the item in focus."""

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import DescendantFocus
from textual.message import Message

from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.tui.commands.command import CommandContext
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.plan.pane import PlanPane
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.item_rows import DisplayNames
from backlit.tui.widgets.storage_errors import StorageErrorGuard

MAX_ITERATION_PANES = 3
NARROW, TWO, THREE = 80, 140, 190
"""Columns of a terminal with more than one pane, with a second and with a third iteration."""


class PlanPanes(StorageErrorGuard, Container):
    """The backlog's pane, then the panes of iterations; a narrow screen has only the pane with the focus."""

    COMMAND_GROUPS = ("plan.panes",)

    class Entered(Message):
        """Another pane has the focus."""

    class Loaded(Message):
        """The contents are loaded; `fault` is a sentence for the user after a failure."""

        def __init__(self, fault: str = "") -> None:
            super().__init__()
            self.fault = fault

    class Placed(Message):
        """The panes are placed; `line` is the column of the first line between them, None without one."""

        def __init__(self, line: int | None) -> None:
            super().__init__()
            self.line = line

    def __init__(self, names: DisplayNames) -> None:
        super().__init__()
        self.backlog = PlanPane(names, id="backlog")
        self.targets = [PlanPane(names, id=f"iteration-{number}") for number in range(MAX_ITERATION_PANES)]
        self.focused = self.backlog
        self.is_single = False

    def compose(self) -> ComposeResult:
        yield self.backlog
        yield from self.targets

    @property
    def every(self) -> Sequence[PlanPane]:
        return (self.backlog, *self.targets)

    def on_resize(self) -> None:
        self._place()

    def _place(self) -> None:
        width = self.size.width
        self.is_single = width < NARROW
        count = 1 if width < TWO else 2 if width < THREE else MAX_ITERATION_PANES
        shown = [self.backlog, *self.targets[:count]]
        if self.focused not in shown and not self.is_single:
            self.focused = shown[-1]
        for pane in self.every:
            pane.display = pane is self.focused if self.is_single else pane in shown
        self.set_class(self.is_single, "-single")
        has_focus = self.screen.focused is None or self.screen.focused in [pane.items for pane in self.every]
        if has_focus and not self.focused.items.has_focus:
            self.focused.items.focus()

    @on(PlanPane.Resized)
    def _pane_resized(self) -> None:
        is_beside = self.backlog.display and not self.is_single
        self.post_message(self.Placed(self.targets[0].region.x if is_beside else None))

    def rule_above(self) -> tuple[int, int] | None:
        """Return the cells of the rule above the pane with the focus; None for a pane that is alone."""
        region = self.focused.region
        return None if self.is_single else (region.x, region.right)

    def step(self, call: CommandContext) -> None:
        """Give the focus to another pane; after the last one comes the first."""
        self.enter(self.after(int(call.command.argument)))

    def can_enter(self, pane: PlanPane) -> bool:
        """Return whether the terminal has room for a pane; one that shows a single pane has room for each of them."""
        return pane.display or self.is_single

    def steps_to(self, pane: PlanPane) -> int:
        """Return how many iterations later the first one must be for the terminal to show a pane's iteration."""
        return self.targets.index(pane) + 1 - sum(target.display for target in self.targets)

    def after(self, steps: int) -> PlanPane:
        panes = [pane for pane in self.every if self.can_enter(pane)]
        return panes[(panes.index(self.focused) + steps) % len(panes)]

    def enter(self, pane: PlanPane) -> None:
        """Give the focus to a pane that `can_enter` allows."""
        self.focused = pane
        if self.is_single:
            self._place()
        self.focused.items.focus()
        self.post_message(self.Entered())

    @on(DescendantFocus)
    def _pane_entered(self, event: DescendantFocus) -> None:
        pane = next((each for each in self.every if each.items is event.widget), None)
        if pane is not None and pane is not self.focused:
            self.focused = pane
            self.post_message(self.Entered())


class PlanBody(ItemPanes):
    """Panes and preview; the preview is hidden at first, and then below the panes."""

    def __init__(self, store: Store, panes: PlanPanes) -> None:
        super().__init__(store, panes.backlog.items, has_frames=False)
        self._plan_panes = panes
        self._is_wanted_below = True
        self._panes_line: int | None = None
        self.hide_preview()

    def compose(self) -> ComposeResult:
        yield self._plan_panes
        yield self._preview_frame

    @property
    def items(self) -> ItemList:
        return self._plan_panes.focused.items

    @on(PlanPanes.Placed)
    def _panes_placed(self, message: PlanPanes.Placed) -> None:
        self._panes_line = message.line
        self.report_edges()

    def report_edges(self) -> None:
        """Let the rules meet the first line between panes; a preview below has no line."""
        line = self._line if self._panes_line is None else self._panes_line
        is_covered = self._preview_frame.display and self.has_class("-below")
        self.post_message(self.Placed(line, None if is_covered else line))

    def shown_item(self, item_id: int) -> Item | None:
        """Return an item with its planned values."""
        item = super().shown_item(item_id)
        return self._store.plan_preview.item_laid_over(item) if item else None

    @on(PlanPanes.Entered)
    def _pane_entered(self) -> None:
        self.preview_soon()
        self.measure_selection()

    def set_low_bandwidth(self, is_low_bandwidth: bool) -> None:
        super().set_low_bandwidth(is_low_bandwidth)
        for pane in self._plan_panes.every:
            if pane.items is not self.items:
                pane.items.set_low_bandwidth(is_low_bandwidth)
