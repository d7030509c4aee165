"""The screen of the backlog: the list of all items, and the preview of the item under the cursor."""

from textual import on
from textual.message import Message

from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.filtering import SharedFilter, words_wanted
from backlit.tui.lists.go_to_item import go_to_item
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import left_title
from backlit.tui.lists.list_screen import ListScreen
from backlit.tui.lists.shown_view import ColumnChoice, ShownView
from backlit.tui.shell.change_batch import Gathered
from backlit.tui.widgets.view_list import BacklogList


class BacklogScreen(ListScreen):
    """Shows a window on the store; holds a filter and a cursor, but no items."""

    AUTO_FOCUS = "#items"
    CSS_PATH = ["../styles/backlog.tcss", "../styles/query_line.tcss"]

    class Painted(Message):
        """The first rows are on the screen."""

    def __init__(self, store: Store, shared: SharedFilter) -> None:
        self._names = ListNames(store)
        items = BacklogList(self._names.names, id="items")
        columns = ColumnChoice(store, lambda found: items.columns.use(found or items.COLUMNS))
        super().__init__(store, shared, ItemPanes(store, items), columns)
        self._shown_view = ShownView(self, lambda item_id: go_to_item(self, item_id, is_offered=False))

    def on_mount(self) -> None:
        """Show the first rows, and report their painting."""
        self._shown_view.show()
        self.call_after_refresh(self.post_message, self.Painted())

    def store_changed(self, gathered: Gathered) -> None:
        """Show changes of the store."""
        self._shown_view.follow(gathered)
        self.draw_words()

    def show_spec(self, spec: ViewSpec) -> None:
        """Show another spec; do nothing for the same one. Raises BadRequest for a malformed query."""
        if spec != self.spec:
            if spec.query != self.spec.query:
                self.store.view(spec)
            self.spec = spec
            self._shown_view.show()
            self.panes.find_words(words_wanted(spec.query))

    async def loaded(self) -> None:
        """Wait until all ids of the list are known."""
        await self._shown_view.loaded()

    def ranked_view(self) -> View:
        """Return the list's own view; its page stays while the row moves in it."""
        self.items.hold_page()
        return self.shown_view

    def item_added(self, item_id: int) -> None:
        """Go to the new item once the list is loaded; for a hidden item say why."""
        self._shown_view.want(item_id, is_added=True)
        self._shown_view.reload()

    @on(ItemPanes.Rested)
    @on(ItemPanes.Measured)
    def draw_words(self) -> None:
        """Draw title, tabs and status."""
        self._shown_view.draw_words(
            left_title(self._names, self.shared.now.view, self.node, self.spec), self.shown_view.totals
        )
