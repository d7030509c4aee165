"""The panes of the plan side by side, as many as there is room for, and which of them has the focus."""

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import DescendantFocus
from textual.message import Message

from backlit.tui.sturdy import Sturdy
from backlit.tui.widgets.backlog_columns import Names
from backlit.tui.widgets.plan_pane import PlanPane

MOST_TARGETS = 3
NARROW, TWO, THREE = 80, 140, 190
"""Columns from which on there is more than one pane, and a second and a third iteration."""


class PlanPanes(Sturdy, Container):
    """The backlog's pane, then those of iterations; where it is narrow only the one that has the focus."""

    class Entered(Message):
        """Another pane has the focus."""

    class Placed(Message):
        """The panes lie otherwise; `line` is the column of the first line between them, None where there is none."""

        def __init__(self, line: int | None) -> None:
            super().__init__()
            self.line = line

    def __init__(self, names: Names) -> None:
        super().__init__()
        self.backlog = PlanPane(names, id="backlog")
        self.targets = [PlanPane(names, id=f"iteration-{number}") for number in range(MOST_TARGETS)]
        self.focused = self.backlog
        self._is_single = False

    def compose(self) -> ComposeResult:
        """All of them; those without room are hidden."""
        yield self.backlog
        yield from self.targets

    @property
    def every(self) -> Sequence[PlanPane]:
        """All panes, the backlog's first."""
        return (self.backlog, *self.targets)

    def on_resize(self) -> None:
        """Show as many as there is room for."""
        self._place()

    def _place(self) -> None:
        width = self.size.width
        self._is_single = width < NARROW
        count = 1 if width < TWO else 2 if width < THREE else MOST_TARGETS
        shown = [self.backlog, *self.targets[:count]]
        if self.focused not in shown and not self._is_single:
            self.focused = shown[-1]
        for pane in self.every:
            pane.display = pane is self.focused if self._is_single else pane in shown
        self.set_class(self._is_single, "-single")
        has_focus = self.screen.focused is None or self.screen.focused in [pane.items for pane in self.every]
        if has_focus and not self.focused.items.has_focus:
            self.focused.items.focus()

    @on(PlanPane.Resized)
    def _pane_resized(self) -> None:
        is_beside = self.backlog.display and not self._is_single
        self.post_message(self.Placed(self.targets[0].region.x if is_beside else None))

    def do_plan_next_pane(self, _count: int | None) -> None:
        """Go to the pane at the right; from the last to the first."""
        self._step(1)

    def do_plan_previous_pane(self, _count: int | None) -> None:
        """Go to the pane at the left."""
        self._step(-1)

    def _step(self, steps: int) -> None:
        """Go to another pane; from the last to the first."""
        panes = [each for each in self.every if each.display or self._is_single]
        self.focused = panes[(panes.index(self.focused) + steps) % len(panes)]
        if self._is_single:
            self._place()
        self.focused.items.focus()
        self.post_message(self.Entered())

    @on(DescendantFocus)
    def _pane_entered(self, event: DescendantFocus) -> None:
        pane = next((each for each in self.every if each.items is event.widget), None)
        if pane is not None and pane is not self.focused:
            self.focused = pane
            self.post_message(self.Entered())
