"""The screen of the backlog: the list of all items, and the preview of the item under the cursor."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace
from textual import on
from textual.message import Message

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.trees import NO_TOTALS
from backlit.store.records.item import Item, ItemRow
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.tree import ALL_OPEN, TreeFolds
from backlit.store.views.view import View
from backlit.tui.commands.table import key_of
from backlit.tui.fields.names import ALL_TASKS_SHOWN, ListNames
from backlit.tui.lists.filtering import SharedFilter, filter_words, searched_words
from backlit.tui.lists.folds import KeptFolds, ViewFolds
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import GREETING_HIDDEN_KEY, list_heading
from backlit.tui.lists.list_screen import ColumnChoice, item_title
from backlit.tui.lists.one_list_screen import OneListScreen
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.feature_columns import TREE_COLUMNS
from backlit.tui.widgets.item_rows import Badge, ListColumn
from backlit.tui.widgets.tree_rows import TreeRows
from backlit.tui.widgets.view_list import BacklogList, TaskFolds


class BacklogScreen(OneListScreen):
    """Shows a window on the store; holds a filter and a cursor, but no items."""

    AUTO_FOCUS = "#items"
    PLACE = "app.backlog"
    CSS_PATH = ["../styles/backlog.tcss", "../styles/query_line.tcss"]

    class Painted(Message):
        """The first rows are on the screen."""

    def __init__(self, store: Store, shared: SharedFilter, *, greets: bool = False) -> None:
        self._names = names = ListNames(store)

        def badges(rows: Sequence[ItemRow]) -> Mapping[int, Badge]:
            tasks = ALL_TASKS_SHOWN if self.is_tree else self.listed_tasks
            return names.badges(rows, tasks, is_judged=self.is_judged)

        shown = replace(names.names, badges=badges)
        items = self._rows = BacklogList(shown, id="items")
        columns = ColumnChoice(store, lambda found: items.columns.use(found or self._usual_columns))
        super().__init__(store, shared, ItemPanes(store, items), columns)
        self._folds_of = ""
        """The name of the view whose folds are shown."""
        self._kept_folds = KeptFolds(store.kept)
        self._restore_folds()
        self.frame.greets = greets and not store.kept.find(GREETING_HIDDEN_KEY)
        self.folds = TaskFolds(items, self.folded_tasks, self.turn_tasks)
        self._tree_rows = TreeRows(items, self._keep_tree)

    def on_mount(self) -> None:
        self.show_view()
        self.call_after_refresh(self.post_message, self.Painted())

    def store_changed(self, changes: ChangeBatch) -> None:
        self.follow_store(changes)
        self.update_labels()

    def show_spec(self, spec: ViewSpec) -> None:
        has_other_folds = self._restore_folds()
        if has_other_folds:
            self.items.forget_drawn()
        if spec != self.spec:
            if spec.query != self.spec.query:
                self.store.view(spec)
            self.spec = spec
            self.show_view()
            self.panes.find_words(searched_words(spec.query))
        elif has_other_folds:
            self.show_view()

    def _restore_folds(self) -> bool:
        """Take the folds that the user left in the view; return whether they differ from those shown."""
        before, name = (self.shown_tasks, self.is_tree), self.shared.now.view.name
        if name != self._folds_of:
            self._folds_of = name
            folds = self._kept_folds.of_view(name)
            self.shown_tasks, self.is_tree = folds.tasks, folds.is_tree
        return (self.shown_tasks, self.is_tree) != before

    def turn_tasks(self, item_id: int | None, is_shown: bool) -> None:
        super().turn_tasks(item_id, is_shown)
        self._keep_folds(tree=self._kept_folds.of_view(self._folds_of).tree)

    def show_view(self) -> None:
        super().show_view()
        self.columns.use(self.columns.wishes)
        self.items.folds = self._tree_rows if self.current_view.spec.is_tree else self.folds

    @property
    def _usual_columns(self) -> Sequence[ListColumn]:
        return TREE_COLUMNS if self.current_view.spec.is_tree else self._rows.COLUMNS

    @property
    def tree_folds(self) -> TreeFolds:
        return ALL_OPEN if self._is_narrowed else self._kept_folds.of_view(self._folds_of).tree

    @property
    def _is_narrowed(self) -> bool:
        """True while the user looks for something: all that leads to it is open, and no fold is kept."""
        return bool(self.spec.text) or self.shared.now.is_narrowed

    def _keep_tree(self, folds: TreeFolds) -> None:
        if not self._is_narrowed:
            self._keep_folds(tree=folds)

    def _keep_folds(self, tree: TreeFolds) -> None:
        self._kept_folds.keep(self._folds_of, ViewFolds(self.shown_tasks, self.is_tree, tree))

    def turn_tree(self) -> None:
        """Show the view as a tree, or flat again."""
        self.is_tree = not self.current_view.spec.is_tree
        self._keep_folds(tree=self._kept_folds.of_view(self._folds_of).tree)
        self.items.forget_drawn()
        if self.is_tree and self.spec.group:
            self.show_spec(replace(self.spec, group=()))
        else:
            self.show_view()

    @property
    def is_as_at_start(self) -> bool:
        """True if a start shows the same: the plain list, with nothing else on the screen."""
        is_plain = self.spec == ViewSpec() and self.panes.selected.totals == NO_TOTALS
        return is_plain and self.focused is self.items

    def ranked_view(self) -> View:
        """Return the list's own view; its page stays while the row moves in it."""
        self.items.hold_page()
        return self.current_view

    def item_added(self, item_id: int) -> None:
        self.items.hold_page()
        self.want_item(item_id, is_added=True)
        self.reload()

    def item_added_below(self, feature_id: int, item_id: int) -> None:
        """Keep the cursor on the Feature, so that the same key adds the next item beside this one."""
        feature = self.store.item(feature_id)  # it may have got its number while the name was typed
        is_here = feature is not None and self.items.current_id in {feature_id, feature.id}
        self.want_item(item_id, is_added=True, keeps_cursor=is_here)
        self.reload()

    def say_hidden(self, item_id: int) -> None:
        self.go_to_item(item_id, is_offered=False)

    @on(ItemPanes.Rested)
    @on(ItemPanes.Measured)
    @on(BacklogList.ColumnsMoved)
    def update_labels(self) -> None:
        self.frame.has_more_columns = bool(self._rows.columns.more)
        self.draw_labels(
            list_heading(self._names, self.shared.now.view, self.node, self.current_view.spec),
            self.current_view.totals,
            self._rows.position_in_list(self._names.names.group),
        )

    def go_to_item(self, item_id: int, *, is_offered: bool = True) -> None:
        """Put the cursor on an item once the list is loaded; for a hidden item say why, and offer to show it."""
        self.run_worker(work(self._find_item, item_id, is_offered=is_offered), exclusive=True, group="go-to")

    async def _find_item(self, item_id: int, *, is_offered: bool) -> None:
        try:
            await self.loaded()
            if not self.items.is_attached or self.items.go_to(item_id):
                return
            item = self.store.item(item_id)
            if item is None:
                self.say(f"Item #{item_id} no longer exists.", is_bad=True)
                return
            if item.id != item_id and self.items.go_to(item.id):
                return
            parent_id = item.fields.get("ParentID")
            is_flat = not (self.spec.text or self.current_view.spec.is_tree)
            if isinstance(parent_id, int) and is_flat and self.folds.reveal(parent_id):
                self.item_added(item.id)
                return
            name = f"#{item.id}" if item.id > 0 else item.name
            usual = self.store.view(ViewSpec(text=name))
            await usual.load()
        except BacklitError as error:
            self.say(sentence_of(error), is_bad=True)
            return
        sentence = self._hidden_words(item, is_open=bool(usual.count))
        if is_offered:
            self.begin(self._offer_hidden, item, sentence, usual.count)
        else:
            self.notify(
                f"{sentence} Press {key_of('app.go-to')} to go to it.", markup=False
            )  # beside what is said of the act

    def _hidden_words(self, item: Item, *, is_open: bool) -> str:
        spec = self.spec
        name = item_title(item)
        if item.project_id != self.store.project_id:
            return f"{name} is in another project."
        reasons = filter_words(spec.query, spec.text)
        reasons += ["one area or iteration"] if spec.area_ids is not None or spec.iteration_ids is not None else []
        reasons += [] if is_open or spec.with_done else ["open items only"]
        return f"{name} is hidden. The list shows {', '.join(reasons)}."

    async def _offer_hidden(self, item: Item, sentence: str, open_count: int | None) -> None:
        from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog

        is_here = item.project_id == self.store.project_id
        there = [AnswerKey("c", "Clear the filters and go to it")] if is_here else []
        answers = [*there, AnswerKey("e", "Open it in the editor")]
        key = await self.ask(ConfirmDialog("Hidden item", sentence, answers, "Cancel"))
        if key == "c":
            self.show_spec(replace(self.spec, with_done=self.spec.with_done or not open_count))
            self.run_command("list.no-filter")
            self.item_added(item.id)
        elif key == "e":
            self.open(item.id, ItemDestination.EDITOR)
