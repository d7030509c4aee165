"""The target of list commands."""

from typing import Any, Protocol

from textual.worker import WorkType

from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.store.views.view import View
from backlit.tui.items.target import AddTarget
from backlit.tui.lists.filtering import NodeFilter, SharedFilter
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import FilterLine, ListFrame
from backlit.tui.lists.shown_view import ColumnChoice
from backlit.tui.widgets.item_list import ItemList


class ListTarget(AddTarget, Protocol):
    """The screen of a list: the backlog, the board or the plan."""

    shared: SharedFilter
    line: FilterLine
    frame: ListFrame
    panes: ItemPanes
    columns: ColumnChoice
    spec: ViewSpec
    """The specification of the list, with its filter."""
    shown_view: View
    """The view behind the list."""

    @property
    def items(self) -> ItemList:
        """The list with the focus."""

    @property
    def node(self) -> NodeFilter | None:
        """The node that filters the list."""

    def show_spec(self, spec: ViewSpec) -> None:
        """Show another spec; do nothing for the same one. Raises BadRequest for a malformed query."""

    def take_filter(self) -> None:
        """Show the items that match the shared filter."""

    def show_saved(self, view: SavedView) -> None:
        """Show a saved view. Raises BadRequest for a query that this project cannot answer."""

    async def loaded(self) -> None:
        """Wait until all ids of the list are known."""

    def run_worker(self, work: WorkType[Any], *, group: str, exclusive: bool = False) -> object:
        """Run a coroutine beside the keys."""
