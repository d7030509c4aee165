"""The plan: panes of the backlog and of iterations over a draft, with their heads and the title."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec.structs import replace
from textual import on

from backlit.model.fields import ItemType
from backlit.store.planning.plan import Plan
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.commands.command import LOADING_SENTENCE, CannotAct
from backlit.tui.commands.table import key_of
from backlit.tui.fields.field_edits import FieldEdit
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.filtering import NodeFilter, SharedFilter, filter_words
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import list_heading
from backlit.tui.lists.list_screen import ColumnChoice, ListScreen, item_title
from backlit.tui.lists.saved_views import DEFAULT_VIEW
from backlit.tui.plan.capacity import (
    CapacityReader,
    count_changes,
    people_of,
    refresh_capacities,
    velocity_words,
)
from backlit.tui.plan.instrument import scale_words
from backlit.tui.plan.other_sprints import LEGEND, OTHERS
from backlit.tui.plan.pane import MIN_WIDTH_WITH_SIGNS, SIGNS_OF_PLAN, TasksAsked
from backlit.tui.plan.pane_contents import PlanPaneContents
from backlit.tui.plan.pane_heads import PlanPaneHeads
from backlit.tui.plan.panes import PlanBody, PlanPanes
from backlit.tui.plan.plan_commands import stage
from backlit.tui.shell.status_text import (
    explain_empty,
    is_loading,
    is_unreached,
    position_words,
    selection_words,
    status_words,
    unread_words,
)
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.workers import BACKGROUND_GROUP, work
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.side_lines import Part


class PlanScreen(ListScreen):
    """Panes of the backlog and of iterations; changes stay in the draft until the user saves the plan."""

    COMMAND_GROUPS = (
        *ListScreen.COMMAND_GROUPS,
        *("plan.plan_commands", "plan.commit", "plan.rollover", "plan.capacity", "plan.sprint_events"),
    )
    HINTS = (
        *("plan.send", "plan.commit", "plan.next-pane", "plan.back", "plan.next-target", "plan.workload"),
        *("plan.difference", "plan.rollover", "c", "g", "app.help"),
    )
    AUTO_FOCUS = "#backlog PlanList"
    PLACE = "app.plan"
    CSS_PATH = ["../styles/plan.tcss", "../styles/query_line.tcss"]

    def __init__(self, store: Store, shared: SharedFilter) -> None:
        self._names = ListNames(store)
        self.lists = PlanPaneContents(store, self._names)
        self._panes = self.lists.panes
        self._heads = PlanPaneHeads(store, self.lists)
        super().__init__(store, shared, PlanBody(store, self._panes), ColumnChoice(store, self.lists.use_columns))
        self.readings = self.lists.readings
        self._project_id = store.project_id
        self._velocity_day: date | None = None
        """The day for which the velocity was asked; None for one that could not be."""
        self._capacities = CapacityReader(store)

    # Life

    def on_mount(self) -> None:
        self.lists.reload()
        self._ask_velocity()

    def _ask_velocity(self) -> None:
        """Ask for the velocity, which only the dates of sprints and the passing of days change."""
        self._velocity_day = self.store.today() if self.store.connection.state is ConnectionState.ONLINE else None
        self.run_worker(work(self.store.reports.ask_velocity), group=BACKGROUND_GROUP)

    def store_changed(self, changes: ChangeBatch) -> None:
        self.lists.rename(changes)
        is_online = self.store.connection.state is ConnectionState.ONLINE
        if Subject.TREES in changes or (is_online and self._velocity_day != self.store.today()):
            self._ask_velocity()
        if self.store.project_id != self._project_id:
            self._project_id = self.store.project_id
            self.shared.follow_project()
            self.take_filter()
            self.lists.reload()
        self.shared.rename(changes.renamed)
        if any(subject in changes for subject in RELOAD_SUBJECTS):
            self.lists.show_motion(changes, has_motion=self.has_motion)
            self.lists.reload(is_wanted=False)
            self.panes.preview_soon()
        if Subject.DRAFTS in changes:
            for pane in self._panes.every:
                pane.items.rows_changed(changes.ids(Subject.DRAFTS))
        self.update_labels()

    # Items with the draft laid over

    def current(self) -> Item:
        if not self.items.is_complete:
            raise CannotAct(LOADING_SENTENCE)
        return super().current()

    def chosen(self, rows: int | None = None) -> list[Item]:
        return [self.store.plan_preview.item_laid_over(item) for item in super().chosen(rows)]

    def preset(self, item_type: ItemType) -> Mapping[str, object]:
        here = self.lists.here()
        return {**super().preset(item_type), "IterationID": here.id if here else self.store.plan.iterations.backlog_id}

    async def apply(self, act: FieldEdit, items: Sequence[Item]) -> None:
        await stage(self, act, items)

    # Contents of the panes

    async def loaded(self) -> None:
        await self.lists.load()

    @on(PlanPanes.Loaded)
    def _contents_loaded(self, message: PlanPanes.Loaded) -> None:
        self.current_view = self.lists.views.get(self._panes.backlog, self.current_view)
        if message.fault:
            self.say(message.fault, is_bad=True)
        elif self.lists.is_sought and self.lists.wanted_item is not None:
            item, self.lists.wanted_item = self.store.item(self.lists.wanted_item), None
            if item is not None:
                self.notify(f"{item_title(item)} {self._why_absent(item)}", markup=False)  # beside what the act says
        self.update_labels()

    def _why_absent(self, item: Item) -> str:
        """Return why no pane shows an item, and the keys that show the iteration that it is in."""
        laid_over = self.store.plan_preview.item_laid_over(item)
        every, target = self.store.plan.iterations.targets(), self._panes.target.place
        at = {each.id: number for number, each in enumerate(every)}
        place = laid_over.fields.get("IterationID")
        is_shown = self.spec.with_done or self.store.lookups.status_groups().is_open(str(item.fields.get("Status")))
        if not isinstance(place, int) or target not in at or place not in at or place == target or not is_shown:
            return "is in no pane: it is done, filtered out, or in another iteration."
        steps = at[place] - at[target]
        key = key_of("plan.next-target" if steps > 0 else "plan.previous-target")
        return f"is in {every[at[place]].name}. Press {abs(steps) if abs(steps) > 1 else ''}{key} to show it."

    def ranked_view(self) -> View:
        """Return the view of the pane with the focus; its page stays while a row moves in it."""
        view = self.lists.view(self._panes.focused)
        self.items.hold_page()
        return view

    # Words

    @on(PlanPanes.Entered)
    @on(ItemPanes.Measured)
    @on(ItemPanes.Placed)
    @on(ItemPanes.Rested)
    def update_labels(self) -> None:
        store, plan = self.store, self.store.plan
        found = count_changes(plan.difference())
        self._panes.show_backlog_alone(is_wanted=is_unreached(store))
        is_unread = is_loading(store) or not self.lists.readings.shown
        unsaved, is_single = found[None].unsaved_words(is_brief=self._panes.has_column), self._panes.is_single
        people = people_of(store, self.session.capacities)
        title = self._heads.draw(found, people, unsaved, is_unread=is_unread)
        if not self._panes.backlog.items.row_count():
            filters, can_clear = filter_words(self.spec.query, self.spec.text), self.shared.now.can_clear
            backlog = self._panes.backlog.items
            explain_empty(backlog, store, self.spec, filters, can_clear=can_clear, is_unread=is_unread)
        shown = self.lists.views.get(self._panes.backlog)
        unread = unread_words(store.search.unread(shown)) if shown else []
        selected = selection_words(self.panes.selected.totals, is_growing=self.items.selection.is_growing)
        view = self.shared.now.view
        parts = list_heading(self._names, view, self.node, self.spec)
        is_plain = view is DEFAULT_VIEW and self.node is None
        heading = self._heads.backlog_title(parts[1:] if is_plain else [(" · ", "muted"), *parts])
        position = [*selected, *position_words(*self._panes.row_place)]
        target, is_in_target = self._panes.target, self._panes.focused is self._panes.target
        self.frame.say(
            title.left if is_single and is_in_target else heading,
            unsaved if is_single else [],
            [*unread, *plan_words(plan), *status_words(store)],
            {"plan.next-pane": self.lists.name_of(self._panes.after(1))},
            position,
        )
        velocity = [] if is_unread else velocity_words(self.lists.velocity, is_brief=True)
        has_column, pending = self._panes.has_column, () if len(unsaved) == 1 else unsaved
        saved = () if has_column or self._heads.has_line_of_unsaved else pending
        count = self._heads.count_words()
        signs = [(SIGNS_OF_PLAN, "faint")] if self._panes.backlog.size.width >= MIN_WIDTH_WITH_SIGNS else ()
        self._panes.frames[self._panes.backlog].say(heading, velocity, signs, () if is_in_target else position)
        self._panes.frames[target].say(title.left, title.right, saved, position if is_in_target else count)
        if has_column:
            capacity: list[Part] = [("Capacity", "heading"), (f" of {self.lists.name_of(target)}", "muted")]
            self._panes.others_frame.say(capacity, (), pending)
        else:
            self._panes.others_frame.say([(OTHERS, "heading")], LEGEND, (), scale_words(self._heads.scale))
        self.frame.highlight(self._panes.rule_above(), [] if is_single else [(target.region.x + 1, title.left)])
        views = self.shared.views
        self.frame.show_tabs(views.labels, views.place(view))
        if target.place is not None and self._capacities.is_due(target.place):
            self.run_worker(work(refresh_capacities, store, [target.place]), group=BACKGROUND_GROUP)

    # Filter

    @property
    def node(self) -> NodeFilter | None:
        """The node that filters the backlog's pane; None for an iteration, as each pane shows one."""
        node = super().node
        return None if node is not None and node.kind is TreeKind.ITERATIONS else node

    def show_spec(self, spec: ViewSpec) -> None:
        """Show another spec in the pane of the backlog. Raises BadRequest for a malformed query."""
        spec, name = replace(spec, iteration_ids=None), self.shared.now.view.name
        if spec != self.spec or name != self.lists.view_name:
            self.store.view(spec)
            self.spec = self.lists.spec = spec
            self.lists.view_name = name
            self.lists.reload()

    def turn_tree(self) -> None:
        self.lists.turn_tree()

    @property
    def filtered_items(self) -> ItemList:
        return self._panes.backlog.items

    # Panes

    @on(TasksAsked)
    def _tasks_asked(self, message: TasksAsked) -> None:
        try:
            self.lists.turn_tasks(message.item_id, is_shown=message.is_shown)
        except CannotAct as refusal:
            self.say(str(refusal))

    def item_added(self, item_id: int) -> None:
        """Go to a new or changed item, in its pane, once the panes are loaded; for a hidden item say so."""
        self.lists.want(item_id, is_sought=True)

    def return_to_item(self, item_id: int) -> None:
        """Leave the focus where it is, though the item may be in another pane by now."""
        self.lists.want(item_id)


def plan_words(plan: Plan) -> list[Part]:
    count, sent = len(plan.state.contests), plan.sent()
    words: list[Part] = [(f"  ≠ {count} changed by others ({key_of('plan.difference')})", "conflict")] * bool(count)
    if sent is not None:
        held = f", {sent.held} on hold ({key_of('app.outbox')})" if sent.held else ""
        words.append((f"  plan: {sent.done} of {sent.total} sent{held}", "conflict" if held else "pending"))
    return words


RELOAD_SUBJECTS = (Subject.PLAN, Subject.ITEMS, Subject.TREES, Subject.HISTORY)
