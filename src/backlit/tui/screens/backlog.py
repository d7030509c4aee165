"""The backlog: the list, its live filter, and the preview of the item under the cursor."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.message import Message

from backlit.model.errors import BadRequest
from backlit.model.trees import Totals
from backlit.store.changes import Subject
from backlit.store.search import Hit
from backlit.store.store import Store
from backlit.store.views import View
from backlit.store.views_query import ViewSpec
from backlit.tui.commands import COMMAND_BY_ID
from backlit.tui.gathered import Gathered
from backlit.tui.list_names import ListNames
from backlit.tui.list_words import ListWords
from backlit.tui.log_verbs import timer_words
from backlit.tui.screens.backlog_words import (
    FEW_HINTS,
    HINTS,
    ROOM_FOR_HINTS,
    empty_words,
    left_status,
    left_title,
    marks_words,
    right_title,
    unread_words,
)
from backlit.tui.widgets.backlog_list import BacklogList
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.item_panes import ItemPanes
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.work import work

AGE_CHECK = 15.0
"""Seconds between looks at how old what is shown is."""


class BacklogScreen(ListWords):
    """Everything it shows is a window on the store; it holds a filter, a cursor and no items."""

    AUTO_FOCUS = "#items"
    CSS_PATH = ["../styles/backlog.tcss", "../styles/query_line.tcss"]

    HINTS: ClassVar[Sequence[str]] = HINTS
    FEW_HINTS: ClassVar[Sequence[str]] = FEW_HINTS

    class Painted(Message):
        """The first rows are on the screen."""

    def __init__(self, store: Store, items: ItemList | None = None) -> None:
        super().__init__(store)
        self.shown_view = store.view(self.spec)
        self._names = ListNames(store)
        self._project_id = store.project_id
        self.items = BacklogList(self._names.names, id="items") if items is None else items
        self._panes = ItemPanes(store, self.items)
        self._title, self._status = SidesLine(id="title"), SidesLine(id="status")
        self._wanted_item: int | None = None
        self._is_added = False
        self._loading: View | None = None
        self._is_due = False
        self._left_at: dict[int | None, tuple[int | None, str]] = {}
        """Of each project that was left: the item under the cursor, and the query."""

    # Life

    def compose(self) -> ComposeResult:
        """Title, tabs, list and preview between rules, status, and the line while it is open."""
        yield self._title
        yield self.tab_line
        yield RuleLine("┬")
        yield self._panes
        yield RuleLine("┴")
        yield self._status
        yield self.line

    def on_mount(self) -> None:
        """Show what the mirror holds before anything else happens."""
        self.use_columns(self.columns_of(self.tab))
        self.show_view()
        self.set_interval(AGE_CHECK, self.draw_words)
        self.call_after_refresh(self.post_message, self.Painted())

    def store_changed(self, gathered: Gathered) -> None:
        """Draw what changed; the order and the counts are read again where they may be others."""
        if Subject.PEOPLE in gathered or Subject.TREES in gathered:
            self.items.forget_drawn()
            self._panes.preview_soon()
        self.items.renamed(gathered.renamed)
        if self.node is not None and self.node.node_id in gathered.renamed:
            self.filter_by(replace(self.node, node_id=gathered.renamed[self.node.node_id]))
        if self._wanted_item in gathered.renamed:
            self._wanted_item = gathered.renamed[self._wanted_item]
        if self.store.project_id != self._project_id:
            self._left_at[self._project_id] = self.items.current_id, self.spec.query
            self.node = None
            item_id, query = self._left_at.get(self.store.project_id, (None, self.tab.spec.query))
            self.spec = replace(self.spec, area_ids=None, iteration_ids=None, query=query)
            self.items.start_over()
            self._wanted_item = item_id
            self.show_view()
        elif Subject.TREES in gathered:
            self.apply()
            self._reload()
        if Subject.ITEMS in gathered:
            self.items.rows_changed(gathered.ids(Subject.ITEMS))
            self._reload()
            if self.marked.count:
                self.measure_marks()
        item_id = self.items.current_id
        if item_id and any(gathered.touches(subject, item_id) for subject in (Subject.ITEMS, Subject.COMMENTS)):
            self._panes.draw_preview()
        self.draw_words()

    # The view

    def show_spec(self, spec: ViewSpec) -> None:
        """Show the list otherwise, if it is; raises BadRequest for a query that cannot be read."""
        if spec != self.spec:
            if spec.query != self.spec.query:
                self.store.view(spec)
            self.spec = spec
            self.show_view()
            self.find_words()

    def _drop_query(self, error: BadRequest) -> None:
        """Go on without the query, whose names mean nothing any more."""
        self.say(f"{error} The filter is cleared.", is_bad=True)
        self.spec = replace(self.spec, query="")
        self.show_view()

    def show_view(self) -> None:
        """Show the first window at once, unless it takes a search or is put in order; the ids follow."""
        before, spec = self.shown_view, self.spec
        self._project_id = self.store.project_id
        try:
            self.shown_view = self.store.view(spec)
        except BadRequest as error:
            self._drop_query(error)
            return
        if before.spec.group == spec.group:
            self.shown_view.fold(*before.folded, is_folded=True)
        if not (spec.text or spec.query or spec.group or spec.sort):
            self.items.show(self.shown_view, self.items.current_id)
            self.draw_words()
        self._reload()

    def _reload(self) -> None:
        """Read the view again; where that is under way, once more after what is read is shown."""
        self._is_due = True
        if self._loading is not self.shown_view:
            self.run_worker(work(self._load), exclusive=True, group="view")

    async def _load(self) -> None:
        view = self._loading = self.shown_view
        try:
            while self._is_due and view is self.shown_view:
                self._is_due = False
                await view.reload()
                self._show_loaded(view)
        except BadRequest as error:
            self._drop_query(error)
        finally:
            if self._loading is view:
                self._loading = None

    def _show_loaded(self, view: View) -> None:
        if self.is_attached and view is self.shown_view:
            wanted, is_added = (None, False) if self._is_due else (self._wanted_item, self._is_added)
            if not self._is_due:
                self._wanted_item, self._is_added = None, False
            self.items.show(view, self.items.current_id if wanted is None else wanted)
            self.draw_words()
            self._panes.preview_soon()
            if (
                is_added
                and wanted is not None
                and view.index_of(wanted) is None
                and isinstance(self.items, BacklogList)
            ):
                self.go_to_item(wanted, is_offered=False)

    def ranked_view(self) -> View:
        """The list's own; its page stays while the row moves in it."""
        self.items.hold_page()
        return self.shown_view

    async def loaded(self) -> None:
        """Return when all ids of the list are known."""
        while self.is_attached and not self.items.is_complete():
            await self.shown_view.reload()
            self.items.show(self.shown_view, self.items.current_id)

    def show_all(self, item_id: int, *, with_done: bool) -> None:
        """Clear every filter and fold, with the cursor on an item."""
        self.shown_view.fold(*self.shown_view.folded, is_folded=False)
        self._wanted_item = item_id
        self.spec = replace(self.spec, with_done=self.spec.with_done or with_done)
        self.do_list_no_filter(None)

    # Words

    def on_resize(self) -> None:
        """There is room for other hints."""
        self.draw_words()

    def title_words(self) -> list[Part]:
        """Where one is, and what is shown."""
        return left_title(self._names, self.tab, self.node, self.spec)

    def shown_totals(self) -> Totals | None:
        """How much is shown; None until that is known."""
        return self.shown_view.totals

    def draw_words(self) -> None:
        """Title and status."""
        connection, items = self.store.connection, self.items
        self._title.say(
            self.title_words(),
            right_title(connection, self.shown_totals(), self.store.inbox.unread(), time.time()),
        )
        left = [*marks_words(self.marked), *left_status(connection, self.store.outbox, 0, 0), *timer_words(self.store)]
        self._status.say(
            [*unread_words(self.store.search.unread(self.shown_view)), *left],
            hints(self.HINTS if self.size.width >= ROOM_FOR_HINTS else self.FEW_HINTS),
        )
        items.say_when_empty(empty_words(connection, self.spec))

    @on(ItemPanes.Rested)
    def _cursor_rested(self) -> None:
        self.draw_words()
        if self.items.current_id is not None:
            self.run_worker(work(self.store.look_at, self.items.current_id), exclusive=True, group="look")

    @on(ItemPanes.Looked)
    def _item_looked_at(self, message: ItemPanes.Looked) -> None:
        self.mark_seen(message.item_id)

    @on(ItemPanes.Placed)
    def _panes_placed(self, message: ItemPanes.Placed) -> None:
        for rule in self.query(RuleLine):
            rule.join_at(message.line)

    @on(ItemPanes.Said)
    def _panes_said(self, message: ItemPanes.Said) -> None:
        self.say(message.words)

    @on(LineList.Chosen)
    def _row_chosen(self) -> None:
        self.chord_app.run_command(COMMAND_BY_ID["item.open"])

    # Commands

    def hits_found(self, hits: Mapping[int, Hit]) -> None:
        """Say where the words are in the preview."""
        self._panes.show_hits(hits)

    def item_added(self, item_id: int) -> None:
        """Go to the new item once the list has it; say why where it does not show it."""
        self._wanted_item, self._is_added = item_id, True
        self._reload()
