"""The tab of what is below an item: its tasks, and the items of a Feature."""

from collections.abc import Mapping, Sequence

from textual import on

from backlit.model.fields import ItemType
from backlit.model.filters import Comparison, Literal, Operator, Property
from backlit.store.records.changes import Subject
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.commands.command import LOADING_SENTENCE, CannotAct, CommandContext
from backlit.tui.fields.names import ListNames
from backlit.tui.items.item_head import TAB_COMMANDS, ItemRowsScreen
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.item_rows import OWNER_COLUMN, STATUS_COLUMN, USUAL_COLUMNS, ListColumn
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.view_list import BacklogList

TASK_COLUMNS = (OWNER_COLUMN, STATUS_COLUMN, ListColumn("WorkRemaining", "Hours", 5, is_number=True, drop=4))


class TasksScreen(ItemRowsScreen):
    """What is directly below an item; the commands of items act on its rows."""

    COMMAND_GROUPS = ("tasks.screen", "items.rank", *TAB_COMMANDS)
    AUTO_FOCUS = "BacklogList"
    CSS_PATH = "../styles/below.tcss"
    TAB = ItemDestination.TASKS
    SUBJECTS = (Subject.ITEMS, Subject.RELATIONS)
    HINTS = ("tasks.open", "item.add", "item.done", "item.status", "item.delete", "item.next-tab", "app.help")
    HINTS_WITHOUT_ROWS = ("item.add", *ItemRowsScreen.HINTS_WITHOUT_ROWS)
    EMPTY = ("Nothing is below this item.", "Nothing is below this item in the local copy.")

    def __init__(self, store: Store, item_id: int) -> None:
        names = ListNames(store)
        self._items = BacklogList(names.names, id="below")
        super().__init__(store, item_id, self._items)
        self._wanted: int | None = None

    def on_mount(self) -> None:
        is_feature = self.page_item().type == ItemType.FEATURE
        self._items.columns.use(USUAL_COLUMNS if is_feature else TASK_COLUMNS)

    def store_changed(self, changes: ChangeBatch) -> None:
        self._items.renamed(changes.renamed)
        if self._wanted is not None:
            self._wanted = changes.renamed.get(self._wanted, self._wanted)
        super().store_changed(changes)
        if Subject.ITEMS in changes:  # those below it, whose ids are others
            self.show_rows()

    def show_rows(self) -> None:
        self.run_worker(work(self._read), exclusive=True, group="rows")

    async def _read(self) -> None:
        below = Comparison(Operator.EQ, Property("ParentID"), Literal(self.item_id))
        view = self.store.view(ViewSpec(with_done=True, filter=below))
        await view.load()
        if self._items.is_attached:
            wanted, self._wanted = self._wanted or self._items.current_id, None
            self._items.show(view, wanted)
            self.update_labels()

    def current(self) -> Item:
        """Return the item under the cursor; raises CannotAct without one."""
        item_id = self._items.current_id
        item = None if item_id is None else self.store.item(item_id)
        if item is None:
            raise CannotAct("There is no item under the cursor.")
        return item

    def chosen_ids(self, rows: int | None = None) -> Sequence[int]:
        selected = self._items.selection.ids()
        if selected or not rows:
            return selected or (self.current().id,)
        return self._items.ids_between(self._items.cursor, self._items.cursor + rows)

    def expected_type(self) -> ItemType | None:
        return ItemType.STORY if self.page_item().type == ItemType.FEATURE else ItemType.TASK

    def preset(self, item_type: ItemType) -> Mapping[str, object]:  # noqa: ARG002 - all have this parent
        item = self.page_item()
        found = {key: item.fields[key] for key in ("AreaID", "IterationID") if item.fields.get(key) is not None}
        return {**found, "ParentID": item.id}

    def item_added(self, item_id: int) -> None:
        self._wanted = item_id
        self.show_rows()

    def ranked_view(self) -> View:
        if self._items.view is None:
            raise CannotAct(LOADING_SENTENCE)
        return self._items.view

    def open_row(self, _call: CommandContext) -> None:
        self.open(self.current().id, ItemDestination.EDITOR)

    def unwind(self, _call: CommandContext) -> None:
        selection = self._items.selection
        if not (selection.end_range() or selection.clear()):
            self.run_command("app.unwind")

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("tasks.open")

    @on(LineList.Highlighted)
    def _row_highlighted(self) -> None:
        self.draw_status()
