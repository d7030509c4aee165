"""The screen of a list: filtered, grouped, sorted and selected items, with the preview of one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar, TypeVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.screen import Screen

from backlit.model.amounts import counted, listed
from backlit.model.errors import BadRequest
from backlit.model.field_values import number_text
from backlit.model.fields import Field, ItemType, Kind, Settable
from backlit.model.filters import POINTS
from backlit.model.query.keys import field_named
from backlit.model.settings.view_settings import ChosenColumn
from backlit.store.records.item import Item, number_of
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.tui.commands.command import LOADING_SENTENCE, AskFirst, CannotAct
from backlit.tui.commands.table import key_of
from backlit.tui.items.item_screen import ITEM_COMMANDS, ItemScreen
from backlit.tui.lists.filtering import FilterState, NodeFilter, SharedFilter
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import SIGNS, FilterLine, ListFrame
from backlit.tui.lists.saved_views import DEFAULT_VIEW
from backlit.tui.shell.status_text import is_loading
from backlit.tui.widgets.item_list import ItemList, RowSelection
from backlit.tui.widgets.item_rows import ListColumn, column_of
from backlit.tui.widgets.side_lines import TabLine

Answered = TypeVar("Answered")
LIST_COMMANDS = ("lists.list_commands", "lists.view_sharing", "lists.tree_commands")
MAX_NAMED = 3
"""Deleted items that a message names."""


class ColumnChoice:
    """The columns of a list, chosen by the user or of a saved view; the default columns without a choice.

    `apply` shows columns; a list without it has no columns.
    """

    def __init__(self, store: Store, apply: Callable[[Sequence[ListColumn]], None] | None = None) -> None:
        self.wishes: Sequence[ChosenColumn] = ()
        self._store = store
        self._apply = apply

    @property
    def is_possible(self) -> bool:
        return self._apply is not None

    def use(self, wishes: Sequence[ChosenColumn]) -> None:
        if self._apply is not None:
            self.wishes = tuple(wishes)
            custom = self._store.lookups.custom_fields() if wishes else ()
            self._apply([column_of(wish, field_named(wish.key, custom)) for wish in wishes])

    def use_saved(self, view: SavedView) -> None:
        """Show the columns of a view; the plain backlog has the columns chosen last."""
        self.use(self._store.columns.wishes() if view == DEFAULT_VIEW else view.columns)

    def choose(self, wishes: Sequence[ChosenColumn], view: SavedView) -> None:
        """Show these columns; the plain backlog keeps them, after a restart too."""
        self.use(wishes)
        if view == DEFAULT_VIEW:
            self._store.columns.keep(wishes)


class ListScreen(ItemScreen):
    """A `lists.list_commands.ListTarget`. Subclasses make the panes, show a spec in them, and draw the lines around.

    The application's filter replaces that of `spec` whenever the user comes to the screen.
    """

    COMMAND_GROUPS: ClassVar[Sequence[str]] = (*ITEM_COMMANDS, "items.rank", *LIST_COMMANDS)
    HINTS: ClassVar[Sequence[str]] = (
        *("item.open", "item.groom", "item.status", "list.filter", "g", "c", "preview.toggle", "item.comment"),
        "app.help",
    )
    HEADING_LINE: ClassVar[str] = "─"
    """The sign that fills the line of the heading."""
    SIGNS: ClassVar[Sequence[str]] = SIGNS
    """What the signs of items mean."""

    def __init__(self, store: Store, shared: SharedFilter, panes: ItemPanes, columns: ColumnChoice) -> None:
        super().__init__(store)
        self.shared = shared
        self.panes = panes
        self.columns = columns
        self.spec = ViewSpec()
        self.current_view = store.view(self.spec)
        self.shows_done = False
        """True where views that leave done items out show them too."""
        self.line = FilterLine(self)
        self.frame = ListFrame(
            store, self.title_line, panes, self.line, self.HINTS, heading_line=self.HEADING_LINE, signs=self.SIGNS
        )
        self._shown: SavedView | None = None
        self._acted_on: RowSelection | None = None
        """The selection that the running command acts on; None after a cancelled question."""

    # Hooks

    def show_spec(self, spec: ViewSpec) -> None:
        raise NotImplementedError

    async def loaded(self) -> None:
        raise NotImplementedError

    def update_labels(self) -> None:
        raise NotImplementedError

    def turn_tree(self) -> None:
        """Show the list as a tree, or flat again. Raises CannotAct where it can be none."""
        raise CannotAct(f"Only the backlog can be a tree. Press {key_of('app.backlog')} to go there.")

    def feature_above(self) -> int:
        tree, cursor = self.current_view.tree, self.items.cursor
        place = None if tree is None else tree.place_at(cursor)
        if tree is None or place is None:
            raise CannotAct(f"Items are put below Features in the tree. {key_of('list.tree')} shows it.")
        above = tree.place_before(place)
        row = None if above is None else self.store.item(tree.ids[above])
        if row is None or row.type != ItemType.FEATURE:
            parent = tree.parent_of(place)
            if parent is None:
                raise CannotAct("The item above it is no Feature.")
            raise CannotAct(f"It is below {number_of(tree.ids[parent])} already, and no Feature stands above it there.")
        return row.id

    # The screen

    def compose(self) -> ComposeResult:
        yield self.frame

    def on_mount(self) -> None:
        if self.session.is_low_bandwidth:
            self.panes.set_low_bandwidth(True)
        self.take_filter()

    def on_screen_resume(self) -> None:
        """Apply the filter, which other lists may have changed."""
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
        return self.shared.now.node

    def take_filter(self) -> None:
        now, spec = self.shared.now, self.spec
        is_other = self._shown != now.view
        if is_other:
            self._shown = now.view
            spec = replace(now.view.spec, with_done=now.view.spec.with_done or self.shows_done)
        self.show_spec(now.applied_to(spec, self.store))
        if is_other:
            self.columns.use_saved(now.view)
        self.update_labels()

    def show_saved(self, view: SavedView) -> None:
        if view.fault:
            raise BadRequest(view.fault)
        self.store.view(view.spec)
        self._shown, self.shared.now = None, FilterState.of(view)
        self.line.close()
        self.take_filter()

    # Items

    @property
    def items(self) -> ItemList:
        return self.panes.items

    @property
    def near_filters(self) -> Sequence[FilterState]:
        """Changed filters that give items where this one gives none."""
        return ()

    @property
    def filtered_items(self) -> ItemList:
        return self.panes.items

    def current(self) -> Item:
        item_id = self.items.current_id
        item = self.store.item(item_id) if item_id is not None else None
        if item is None and (is_loading(self.store) or self.current_view.count is None):
            raise CannotAct(LOADING_SENTENCE)
        if item is None:
            raise CannotAct("There is no item under the cursor.")
        return item

    def chosen_ids(self, rows: int | None = None) -> Sequence[int]:
        selected = self._without_deleted(self.items.selection.ids())
        if selected or not rows:
            self._ask_about_hidden(selected)
            self._acted_on = self.items.selection
            return selected or (self.current().id,)
        return self.items.ids_between(self.items.cursor, self.items.cursor + rows)

    @contextmanager
    def running_command(self) -> Iterator[None]:
        """Close the open range after a command that acted on it; one that was cancelled or failed leaves it open."""
        self._acted_on = None
        yield
        if self._acted_on is not None:
            self._acted_on.drop_range()

    async def ask(self, dialog: Screen[Answered]) -> Answered:
        answer = await super().ask(dialog)
        if answer is None:
            self._acted_on = None
        return answer

    def _without_deleted(self, selected: Sequence[int]) -> Sequence[int]:
        """Return the selected items that still exist, and deselect the others.

        Raises CannotAct where there are others: what is left is shown first, so that it is acted on knowingly.
        """
        view, selection = self.items.view, self.items.selection
        missing = frozenset(selected).difference(view.ids()) if view is not None and view.count is not None else ()
        deleted = frozenset(missing).difference(each.id for each in self.store.batch.items(list(missing)))
        if not deleted:
            return selected
        selection.remove(deleted)
        names = listed([number_of(each) for each in sorted(deleted)][:MAX_NAMED])
        words = names if len(deleted) <= MAX_NAMED else f"{len(deleted):,} selected items"
        verb = "was" if len(deleted) == 1 else "were"
        left = len(selected) - len(deleted)
        rest = f"{counted(left, 'item is', 'items are')} still selected." if left else "Nothing is selected now."
        raise CannotAct(f"{words} {verb} deleted meanwhile. {rest}")

    def _ask_about_hidden(self, selected: Sequence[int]) -> None:
        """Raise AskFirst for selected items that the filter hides and that the user did not agree to."""
        view, selection = self.items.view, self.items.selection
        if not selected or view is None or view.count is None:
            return
        hidden = frozenset(selected).difference(view.ids())
        if hidden <= selection.agreed_hidden:
            return
        shown = [each for each in selected if each not in hidden]
        words = self.store.batch.words
        every, out_of_sight = words(selected), words(list(hidden))

        async def ask() -> bool:
            from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog

            answers = [AnswerKey("y", f"act on all, {every}")]
            if shown:
                answers.append(AnswerKey("o", f"only the {words(shown)} shown"))
            sentence = f"Selected: {every}. Hidden by the filter: {out_of_sight}."
            key = await self.ask(ConfirmDialog("Hidden items", sentence, answers, "cancel"))
            if key == "o":
                selection.remove(hidden)
            elif key == "y":
                selection.agreed_hidden = hidden
            return key is not None

        raise AskFirst(f"Hidden by the filter: {out_of_sight}.", ask)

    def expected_type(self) -> ItemType | None:
        """Return the type of the group, or in a tree that of the item, beside which the new one stands."""
        here = self._item_in_tree()
        return group_type(self.items.group_here() if here is None else {"type": here.type})

    def _item_in_tree(self) -> Item | None:
        item_id = self.items.current_id if self.current_view.spec.is_tree else None
        return None if item_id is None else self.store.item(item_id)

    def preset(self, item_type: ItemType) -> Mapping[str, object]:
        """Return the values of the group too; a task has its parent's values instead. In a tree, add what it is below.

        What stands beside a task is a task; other types have no such parent.
        """
        group = {} if item_type is ItemType.TASK else self.items.group_here()
        found = {**super().preset(item_type), **group_preset(self.store, item_type, group)}
        here = self._item_in_tree()
        if here is not None and (here.type == ItemType.TASK) is (item_type is ItemType.TASK):
            parent_id = self.store.relations.parents([here.id]).get(here.id)
            found |= {} if parent_id is None else {"ParentID": parent_id}
        return found

    def return_to_item(self, item_id: int) -> None:
        """Put the cursor on the item that had it before a filter."""
        self.item_added(item_id)

    def go_to_changed(self, item_ids: Sequence[int]) -> None:
        """Put the cursor on the first of some changed items that the list has; say why it has none."""
        view, here = self.items.view, self.items.current_id
        known = view.ids() if view is not None and view.count is not None else ()
        first = next((each for each in item_ids if each in known), item_ids[0])
        self.item_added(here if here is not None and here in item_ids else first)


def item_title(item: Item) -> str:
    return f"{f'#{item.id} ' if item.id > 0 else ''}“{item.fields.get('Name') or ''}”"


def group_type(group: Mapping[str, object]) -> ItemType | None:
    found = group.get("type")
    return ItemType(str(found)) if found in set(ItemType) else None


def group_preset(store: Store, item_type: ItemType, group: Mapping[str, object]) -> dict[str, object]:
    """Return the values of a group that suit a new item of a type, without values that customers see."""
    from backlit.store.records.item import is_seen_by_customers

    found: dict[str, object] = {}
    for key, value in group.items():
        field = field_named("Estimate" if key == POINTS else key, store.lookups.custom_fields())
        if field is None or field.settable is not Settable.ALWAYS or not field.applies_to(item_type):
            continue
        choices = store.lookups.choices(field, item_type) if field.kind in {Kind.STATUS, Kind.CHOICE} else ()
        if value is not None and not is_seen_by_customers(field.key) and (not choices or value in choices):
            found[field.key] = _document_value(field, value)
    return found


def _document_value(field: Field, value: object) -> object:
    if field.kind is Kind.BOOLEAN:
        return bool(value)
    if field.kind is Kind.TAGS:
        return list(value) if isinstance(value, tuple) else value
    if field.key == "Estimate" and isinstance(value, int | float):
        return number_text(float(value))
    return value
