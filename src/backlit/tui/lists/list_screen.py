"""A screen with a list of items: filtered, grouped, sorted, marked, and previewed beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult

from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.tui.commands.command import CannotAct
from backlit.tui.items.item_screen import ITEM_COMMANDS, ItemScreen
from backlit.tui.lists.column_choice import ColumnChoice
from backlit.tui.lists.filter_line import FilterLine
from backlit.tui.lists.filtering import Filtering, SharedFilter
from backlit.tui.lists.group_preset import preset_of, type_in
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import ListFrame
from backlit.tui.lists.node_filter import NodeFilter
from backlit.tui.status.status_line import FEW_HINTS, HINTS
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.tab_line import TabLine

AGE_CHECK = 15.0
"""Seconds between looks at how old what is shown is."""
LIST_COMMANDS = (
    "lists.filter_commands",
    "lists.preview_commands",
    "lists.saved_view_commands",
    "lists.search_commands",
    "lists.view_commands",
)


class ListScreen(ItemScreen):
    """A `lists.target.ListTarget`; subclasses make the panes, show a spec in them, and draw the words around them.

    The filter is the application's: what it leaves of `spec` is taken over whenever the screen is come to.
    """

    COMMAND_GROUPS: ClassVar[Sequence[str]] = (*ITEM_COMMANDS, *LIST_COMMANDS)
    HINTS: ClassVar[Sequence[str]] = HINTS
    FEW_HINTS: ClassVar[Sequence[str]] = FEW_HINTS

    def __init__(self, store: Store, shared: SharedFilter, panes: ItemPanes, columns: ColumnChoice) -> None:
        super().__init__(store)
        self.shared = shared
        self.panes = panes
        self.columns = columns
        self.spec = ViewSpec()
        self.shown_view = store.view(self.spec)
        self.shows_done = False
        """Whether done items are shown in views that leave them out, too."""
        self.line = FilterLine(self)
        self.frame = ListFrame(panes, self.line, self.HINTS, self.FEW_HINTS)
        self._shown: SavedView | None = None

    # Hooks

    def show_spec(self, spec: ViewSpec) -> None:
        """Show the list otherwise, if it is; raises BadRequest for a query that cannot be read."""
        raise NotImplementedError

    async def loaded(self) -> None:
        """Return when all ids of the list are known."""
        raise NotImplementedError

    def draw_words(self) -> None:
        """Draw title, tabs and status."""
        raise NotImplementedError

    # The screen

    def compose(self) -> ComposeResult:
        """The frame holds everything."""
        yield self.frame

    def on_mount(self) -> None:
        """Show what the mirror holds before anything else happens."""
        self.take_filter()
        self.set_interval(AGE_CHECK, self.draw_words)

    def on_screen_resume(self) -> None:
        """Be filtered as the other lists were meanwhile."""
        if self.is_mounted:
            self.take_filter()

    @on(TabLine.Chosen)
    def _tab_chosen(self, message: TabLine.Chosen) -> None:
        try:
            self.show_saved(self.shared.views.tabs[message.index])
        except BadRequest as error:
            self.say(str(error), is_bad=True)

    # The filter

    @property
    def node(self) -> NodeFilter | None:
        """The node that the list is seen through."""
        return self.shared.now.node

    def take_filter(self) -> None:
        """Show what the shared filter leaves."""
        now, spec = self.shared.now, self.spec
        is_other = self._shown != now.view
        if is_other:
            self._shown = now.view
            spec = replace(now.view.spec, with_done=now.view.spec.with_done or self.shows_done)
        self.show_spec(now.over(spec, self.store))
        if is_other:
            self.columns.use_saved(now.view)
        self.draw_words()

    def show_saved(self, view: SavedView) -> None:
        """Show a view as it was saved; raises BadRequest for a query that cannot be read here."""
        self.store.view(view.spec)
        self._shown, self.shared.now = None, Filtering.of(view)
        self.line.close()
        self.take_filter()

    # Items

    @property
    def items(self) -> ItemList:
        """The list that has the focus."""
        return self.panes.items

    def current(self) -> Item:
        """Return the item under the cursor; raises CannotAct without one."""
        item_id = self.items.current_id
        item = self.store.item(item_id) if item_id is not None else None
        if item is None:
            raise CannotAct("There is no item under the cursor.")
        return item

    def chosen_ids(self, rows: int | None = None) -> Sequence[int]:
        """Return the marked items, wherever they are, else `rows` rows from the cursor, else the current item."""
        marked = self.items.marks.ids()
        if marked or not rows:
            return marked or (self.current().id,)
        return self.items.ids_between(self.items.cursor, self.items.cursor + rows)

    def expected_type(self) -> ItemType | None:
        """Return the type of the group that the item is added in."""
        return type_in(self.items.group_here())

    def preset(self, item_type: ItemType) -> Mapping[str, object]:
        """Return the values of the group too; a task takes over its parent's instead."""
        group = {} if item_type is ItemType.TASK else self.items.group_here()
        return {**super().preset(item_type), **preset_of(self.store, item_type, group)}
