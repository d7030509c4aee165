"""The screen of the plan: the backlog beside one to three iterations, with the draft laid over."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual import on

from backlit.model.fields import ItemType
from backlit.store.records.changes import Subject
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct
from backlit.tui.fields.acts import Act
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.filtering import NodeFilter, SharedFilter
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import left_title
from backlit.tui.lists.list_screen import ListScreen
from backlit.tui.lists.saved_views import PLAIN
from backlit.tui.lists.shown_view import ColumnChoice
from backlit.tui.plan.capacity import people_of, shift_part, shifts
from backlit.tui.plan.headings import PlanHeads, plan_title, sent_words
from backlit.tui.plan.pane import TasksAsked
from backlit.tui.plan.pane_contents import LOADING, PlanLists
from backlit.tui.plan.panes import PlanBody, PlanPanes
from backlit.tui.plan.target import stage
from backlit.tui.shell.status_text import empty_words, left_status, right_title, selection_words, unread_words
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.widgets.item_list import is_complete


class PlanScreen(ListScreen):
    """A `plan.target.PlanTarget` with panes over the store; changes stay in the draft until the user saves the plan."""

    COMMAND_GROUPS = (*ListScreen.COMMAND_GROUPS, "plan.plan_commands", "plan.commit", "plan.rollover")
    HINTS = ("plan.send", "plan.back", "plan.commit", "plan.difference", "app.help")
    FEW_HINTS = ("plan.send", "plan.commit", "app.help")
    AUTO_FOCUS = "#backlog PlanList"
    CSS_PATH = ["../styles/plan.tcss", "../styles/query_line.tcss"]

    def __init__(self, store: Store, shared: SharedFilter) -> None:
        self._names = ListNames(store)
        self.lists = PlanLists(store, self._names)
        self._panes = self.lists.panes
        self._heads = PlanHeads(store, self.lists)
        super().__init__(store, shared, PlanBody(store, self._panes), ColumnChoice(store, self.lists.use_columns))
        self.readings = self.lists.readings
        self._project_id = store.project_id

    # Life

    def on_mount(self) -> None:
        """Read the contents of the panes."""
        self.lists.reload()

    def store_changed(self, changes: ChangeBatch) -> None:
        """Show changes of the store."""
        self.lists.rename(changes)
        if self.store.project_id != self._project_id:
            self._project_id = self.store.project_id
            self.shared.follow_project()
            self.take_filter()
            self.lists.reload()
        self.shared.rename(changes.renamed)
        if any(subject in changes for subject in (Subject.PLAN, Subject.ITEMS, Subject.TREES)):
            self.lists.reload(is_wanted=False)
            self.panes.preview_soon()
        self.draw_words()

    # Items with the draft laid over

    def current(self) -> Item:
        """Return the item under the cursor."""
        if not is_complete(self.items):
            raise CannotAct(LOADING)
        return super().current()

    def chosen(self, rows: int | None = None) -> list[Item]:
        """Return the target items of commands, with their planned values."""
        return [self.store.plan_preview.item_laid_over(item) for item in super().chosen(rows)]

    def preset(self, item_type: ItemType) -> Mapping[str, object]:
        """Return the iteration of the pane too."""
        here = self.lists.here()
        return {**super().preset(item_type), "IterationID": here.id if here else self.store.plan.iterations.backlog_id}

    async def apply(self, act: Act, items: Sequence[Item]) -> None:
        """Stage changes of planned fields in the draft; journal any other change."""
        await stage(self, act, items)

    # Contents of the panes

    async def loaded(self) -> None:
        """Wait until all panes show their contents."""
        await self.lists.load()

    @on(PlanPanes.Loaded)
    def _contents_loaded(self, message: PlanPanes.Loaded) -> None:
        self.shown_view = self.lists.views.get(self._panes.backlog, self.shown_view)
        if message.fault:
            self.say(message.fault, is_bad=True)
        self.draw_words()

    def ranked_view(self) -> View:
        """Return the view of the pane with the focus; its page stays while a row moves in it."""
        view = self.lists.view(self._panes.focused)
        self.items.hold_page()
        return view

    # Words

    @on(PlanPanes.Entered)
    @on(ItemPanes.Measured)
    @on(ItemPanes.Placed)
    def draw_words(self) -> None:
        """Draw title, heads and status."""
        store, connection, plan = self.store, self.store.connection, self.store.plan
        shift = shift_part(shifts(plan.difference())[None])
        self._heads.draw(people_of(store, self.session.capacities), self.size.height)
        self._panes.backlog.items.empty_text = empty_words(connection, self.spec)
        shown = self.lists.views.get(self._panes.backlog)
        unread = unread_words(store.search.unread(shown)) if shown else []
        selected = selection_words(self.panes.selected.totals)
        view = self.shared.now.view
        title = left_title(self._names, view, self.node, self.spec)
        is_plain = view is PLAIN and self.node is None
        self.frame.say(
            plan_title(title, plan, is_plain=is_plain),
            [*shift, *right_title(connection, None, 0, time.time(), is_read_only=store.lookups.is_read_only)],
            [*unread, *selected, *sent_words(plan), *left_status(store)],
        )
        views = self.shared.views
        self.frame.show_tabs(views.names, views.place(view))

    # Filter

    @property
    def node(self) -> NodeFilter | None:
        """The node that filters the backlog's pane; None for an iteration, as each pane shows one."""
        node = super().node
        return None if node is not None and node.kind is TreeKind.ITERATIONS else node

    def show_spec(self, spec: ViewSpec) -> None:
        """Show another spec in the pane of the backlog. Raises BadRequest for a malformed query."""
        spec = replace(spec, iteration_ids=None)
        if spec != self.spec:
            self.store.view(spec)
            self.spec = self.lists.spec = spec
            self.lists.reload()

    # Panes

    @on(TasksAsked)
    def _tasks_asked(self, message: TasksAsked) -> None:
        try:
            self.lists.turn_tasks(message.item_id, is_shown=message.is_shown)
        except CannotAct as refusal:
            self.say(str(refusal))

    def item_added(self, item_id: int) -> None:
        """Go to the new item once the list has it."""
        self.lists.want(item_id)
