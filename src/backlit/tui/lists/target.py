"""The places that list commands run in."""

from typing import Any, Protocol

from textual.worker import WorkType

from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.store.views.view import View
from backlit.tui.items.target import AddTarget
from backlit.tui.lists.column_choice import ColumnChoice
from backlit.tui.lists.filter_line import FilterLine
from backlit.tui.lists.filtering import SharedFilter
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import ListFrame
from backlit.tui.lists.node_filter import NodeFilter
from backlit.tui.widgets.item_list import ItemList


class ListTarget(AddTarget, Protocol):
    """A screen with a list that is filtered, grouped and sorted: the backlog, the board, the plan."""

    shared: SharedFilter
    line: FilterLine
    frame: ListFrame
    panes: ItemPanes
    columns: ColumnChoice
    spec: ViewSpec
    """All that the list shows, its filter among it."""
    shown_view: View
    """The view that ran for the list."""

    @property
    def items(self) -> ItemList:
        """The list that has the focus."""

    @property
    def node(self) -> NodeFilter | None:
        """The node that the list is seen through."""

    def show_spec(self, spec: ViewSpec) -> None:
        """Show the list otherwise, if it is; raises BadRequest for a query that cannot be read."""

    def take_filter(self) -> None:
        """Show what the shared filter leaves."""

    def show_saved(self, view: SavedView) -> None:
        """Show a view as it was saved; raises BadRequest for a query that cannot be read."""

    async def loaded(self) -> None:
        """Return when all ids of the list are known."""

    def run_worker(self, work: WorkType[Any], *, group: str, exclusive: bool = False) -> object:
        """Run a coroutine beside the keys."""
