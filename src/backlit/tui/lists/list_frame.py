"""The lines around a list: title and tabs above, status and filter line below, and rules that meet its panes."""

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.widgets.side_lines import Part, RuleLine, SidesLine, TabLine, hints

ROOM_FOR_HINTS = 80
"""Columns from which on all hints are shown."""


class ListFrame(Vertical):
    """Holds the panes of a list between its lines; `few_hints` are for narrow terminals."""

    def __init__(self, panes: ItemPanes, line: Widget, shown_hints: Sequence[str], few_hints: Sequence[str]) -> None:
        super().__init__()
        self._panes, self._line = panes, line
        self._hints, self._few_hints = shown_hints, few_hints
        self._title, self._status = SidesLine(id="title"), SidesLine(id="status")
        self._tabs = TabLine(id="tabs")
        self._above, self._below = RuleLine("┬"), RuleLine("┴")
        self._status_left: Sequence[Part] = ()

    def compose(self) -> ComposeResult:
        """Title, tabs, panes between rules, status, and the line while it is open."""
        yield self._title
        yield self._tabs
        yield self._above
        yield self._panes
        yield self._below
        yield self._status
        yield self._line

    def say(self, title: Sequence[Part], figures: Sequence[Part], status: Sequence[Part]) -> None:
        """Show other words: both sides of the title, and the left of the status."""
        self._title.say(title, figures)
        self._status_left = status
        self._say_status()

    def show_tabs(self, names: Sequence[str], current: int) -> None:
        """Name the tabs, the present one in colour."""
        self._tabs.say(names, current)

    def on_resize(self) -> None:
        """Show the hints there is room for."""
        self._say_status()

    def _say_status(self) -> None:
        shown = self._hints if self.size.width >= ROOM_FOR_HINTS else self._few_hints
        self._status.say(self._status_left, hints(shown))

    @on(ItemPanes.Placed)
    def _join_rules(self, message: ItemPanes.Placed) -> None:
        self._above.join_at(message.above)
        self._below.join_at(message.below)
