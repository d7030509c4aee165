"""A screen with one list, whose view is read in the background and follows the store."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from msgspec.structs import replace
from textual import on
from textual.timer import Timer

from backlit.model.amounts import counted
from backlit.model.errors import BadRequest
from backlit.model.filters import all_of
from backlit.model.trees import NO_TOTALS, NodeTotals
from backlit.store.records.changes import Subject
from backlit.store.store import Store
from backlit.store.views.groups import ShownTasks
from backlit.store.views.query import ViewSpec
from backlit.store.views.tree import TreeFolds
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct
from backlit.tui.fields.names import ALL_TASKS_SHOWN
from backlit.tui.lists.filtering import FilterState, SharedFilter, drop_query, filter_words
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_screen import ColumnChoice, ListScreen
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.status_text import (
    explain_empty,
    position_words,
    selection_words,
    status_words,
    totals_words,
    unread_words,
    unready_words,
)
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.workers import work
from backlit.tui.widgets.count_up import CountUp
from backlit.tui.widgets.inputs import QueryLine
from backlit.tui.widgets.side_lines import Part

if TYPE_CHECKING:
    from backlit.tui.lists.unmatched import EmptyListFigures, EmptyListReader

PREVIEWED_SUBJECTS = (Subject.ITEMS, Subject.COMMENTS, Subject.OTHERS)
REST_SECONDS = 0.6
"""Seconds after a key in which changes of others leave the rows where they are."""
LEAST_BELOW = 10
"""Lines that the matches leave free for the conditions that would narrow them."""
LINES_ABOVE_NEAR = 6
"""Lines of a list above what is near: the reason, the ways out, blanks and the headings of columns."""
EXPLAIN_EMPTY_DELAY = 0.3
"""Seconds before further views are read to explain an empty list; a filter that changes sooner reads none."""


class OneListScreen(ListScreen):
    """Shows the view of `spec`; the backlog and the board, whose lists differ."""

    NAMES_GROOM_KEY: ClassVar[bool] = True
    """Whether the key that grooms stands beside the number of items that are not ready."""

    def __init__(self, store: Store, shared: SharedFilter, panes: ItemPanes, columns: ColumnChoice) -> None:
        super().__init__(store, shared, panes, columns)
        self._shown_project_id = store.project_id
        self._wanted_item: int | None = None
        self._is_added = self._keeps_cursor = False
        self._loading_view: View | None = None
        self._is_reload_due = False
        self._rest_timer: Timer | None = None
        self._counting = CountUp(self.set_interval, self.update_labels)
        self._unready = 0
        self.is_judged = False
        """Whether rows carry the sign of items that are not ready: from the first count on."""
        self._empty_list: EmptyListFigures | None = None
        self._empty_list_reader: EmptyListReader | None = None
        """Made for the first list without matches."""
        self.shown_tasks = ALL_TASKS_SHOWN
        self.is_tree = False
        self._filtered_among: NodeTotals | None = None
        """The number of rows without what is typed in the filter line."""
        self._item_left_at: dict[int | None, int | None] = {}
        """The last item under the cursor by project."""

    def say_hidden(self, item_id: int) -> None:
        """Say why the list hides an item that was added."""
        raise NotImplementedError

    def arranged(self, spec: ViewSpec) -> ViewSpec:
        """Return a spec as this list shows it."""
        return spec

    @property
    def tree_folds(self) -> TreeFolds:
        """What is open in a tree that is about to be shown."""
        return TreeFolds()

    def show_view(self) -> None:
        """Show the first rows at once, unless they need a search or another order; all ids follow."""
        before, spec = self.current_view, self.spec
        try:
            view = self.current_view = self._view_of(spec)
        except BadRequest as error:
            drop_query(self, error)
            return
        if before.spec.group == spec.group:
            view.fold(*before.folded, is_folded=True)
        elif not spec.group and (head := self.items.row_identity.group) and (ids := before.ids_in(head)):
            self.want_item(ids[0])
        # An index has the first rows of the backlog order in 3 ms at a million items. Other lists need a search or a
        # sort for theirs, and are shown once they are loaded.
        if not (spec.text or spec.query or spec.group or spec.sort or view.spec.is_tree):
            self.items.show(view, self.items.current_id)
            self.update_labels()
        self.reload()

    def _view_of(self, spec: ViewSpec) -> View:
        if self.is_tree and not spec.group:
            view = self.store.view(replace(spec, is_tree=True))
            view.tree_folds = self.tree_folds
            return view
        folded = self.listed_tasks.filter()
        return self.store.view(
            replace(spec, filter=all_of([each for each in (spec.filter, folded) if each is not None]))
        )

    def reload(self, *, is_wanted: bool = True) -> None:
        """Read the view again, or once more after a reading. Keys wait for a reading that the user wants."""
        self.readings.ask(is_wanted=is_wanted)
        self._is_reload_due = True
        if self._loading_view is not self.current_view:
            panes, view = self.panes, self.current_view
            is_first = not (panes.size or view.is_grouped or view.count)  # the rows known so far are painted before
            begin = partial(panes.app.call_later, panes.run_worker) if is_first else panes.run_worker
            begin(work(self._read_view), exclusive=True, group="view")

    @property
    def listed_tasks(self) -> ShownTasks:
        """The tasks in the list: a search, a query and the group by type list all that match, whatever is folded."""
        return ALL_TASKS_SHOWN if self._lists_all_tasks else self.shown_tasks

    @property
    def _lists_all_tasks(self) -> bool:
        return bool(self.spec.text or self.spec.query or "type" in self.spec.group)

    def folded_tasks(self, item_id: int) -> int:
        return 0 if self.listed_tasks.shows(item_id) else self.store.batch.task_counts([item_id]).get(item_id, 0)

    def turn_tasks(self, item_id: int | None, is_shown: bool) -> None:
        """Show or hide the tasks of an item, or of all items for None. Raises CannotAct for an item without tasks."""
        if item_id is not None and is_shown and not self.folded_tasks(item_id):
            raise CannotAct(f"#{item_id} has no folded tasks.")
        if item_id is not None and self._lists_all_tasks:
            raise CannotAct("The list shows all tasks that match: none are folded.")
        self.shown_tasks = (
            ShownTasks(is_shown) if item_id is None else self.shown_tasks.turned(item_id, is_shown=is_shown)
        )
        self.items.forget_drawn()
        self.show_view()

    def want_item(self, item_id: int, *, is_added: bool = False, keeps_cursor: bool = False) -> None:
        self._wanted_item, self._is_added, self._keeps_cursor = item_id, is_added, keeps_cursor

    @on(QueryLine.Turned)
    def _line_turned(self) -> None:
        self.items.say_below(())
        if self.line.is_open:
            self._filtered_among = None
            self.panes.run_worker(work(self._count_unfiltered), exclusive=True, group="unfiltered")
        self.update_labels()

    async def _count_unfiltered(self) -> None:
        spec = self.line.filter_before.applied_to(self.spec, self.store)
        try:
            totals = await self.store.view(self.arranged(spec)).read_totals()
        except BadRequest:
            return
        if self.items.is_attached:
            self._filtered_among = totals
            self.update_labels()

    async def loaded(self) -> None:
        while self.items.is_attached and not self.items.is_complete:
            await self.current_view.reload()
            self.items.show(self.current_view, self.items.current_id)

    def draw_labels(
        self,
        heading: Sequence[Part],
        totals: NodeTotals | None,
        position: tuple[int, int, str],
        arranged: Sequence[Part] = (),
    ) -> None:
        """Draw a heading, the tabs, the status, and the reason for an empty list.

        `position` is the number of the row under the cursor, that of all rows, and their noun. The words `arranged`
        follow the figures of the heading.
        """
        store = self.store
        views = self.shared.views
        unread = unread_words(store.search.unread(self.current_view))
        selected = selection_words(self.panes.selected.totals, is_growing=self.items.selection.is_growing)
        has_key = self.NAMES_GROOM_KEY and not (store.lookups.is_read_only or self.line.is_open)
        lacking = unready_words(self._unready, has_key=has_key) if totals is not None else []
        is_open, among = self.line.is_open, self._filtered_among
        place = [] if self.items.is_low_bandwidth or selected else position_words(*position)
        unmatched = self._unmatched
        nearest = unmatched.near if unmatched else ()
        figures = totals_words(self._counted(totals), among.count if is_open and among is not None else None)
        if not figures and unmatched and unmatched.all != NO_TOTALS:
            figures = [(f" 0 of {counted(unmatched.all.count, 'item')}", "foreground")]
        if figures and heading[-1:] and heading[-1][1] == "mark":  # "Sprint 15 13 items" would read as one
            figures = [(" ·", "muted"), *figures]
        self.frame.say(
            [*heading, *figures, *arranged],
            lacking,
            [*unread, *status_words(store)],
            position=[*selected, *place],
        )
        self.frame.show_tabs(views.labels, views.place(self.shared.now.view))
        spec, is_empty, shows_near = self.spec, self.items.has_no_items, self._shows_near
        is_known = unmatched is not None or not (spec.text or spec.query)
        if is_empty or shows_near:
            near = () if shows_near else [(each.words, found.count or found.tasks) for each, found in nearest]
            explain_empty(
                self.items,
                store,
                spec,
                filter_words(spec.query, spec.text),
                unmatched.done if unmatched else None,
                near=near,
                meant=next((each.meant for each, _ in nearest if each.meant), ""),
                is_alone=is_known and not shows_near,
                can_clear=self.shared.now.can_clear,
            )
        self.panes.hide_preview_when_empty(is_empty and is_known)

    @property
    def _unmatched(self) -> "EmptyListFigures | None":
        """What is known of the list without matches; None before it is read."""
        return self._empty_list if self._empty_list and self._empty_list.spec == self.spec else None

    @property
    def _shows_near(self) -> bool:
        """Whether the rows are those of changed filters, as none match this one."""
        near_view = self._empty_list.near_view if self._empty_list else None
        return near_view is not None and self.items.view is near_view

    @property
    def near_filters(self) -> Sequence[FilterState]:
        return [each.filter for each, _ in self._unmatched.near] if self._unmatched else ()

    def _counted(self, totals: NodeTotals | None) -> NodeTotals | None:
        """Return the totals of this moment: after an act of the user they count to those that hold now."""
        if totals is None:
            return None
        shown = self._counting.shown(self.current_view.spec, (totals.count, totals.points, totals.tasks))
        return NodeTotals(int(shown[0]), shown[1], int(shown[2]))

    def follow_store(self, changes: ChangeBatch) -> None:
        items, panes = self.items, self.panes
        if self._empty_list_reader is not None:
            self._empty_list_reader.forget()
        if Subject.PEOPLE in changes or Subject.TREES in changes:
            items.forget_drawn()
            panes.preview_soon()
        items.renamed(changes.renamed)
        self.shared.rename(changes.renamed)
        if self._wanted_item is not None:
            self._wanted_item = changes.renamed.get(self._wanted_item, self._wanted_item)
        if self.store.project_id != self._shown_project_id:
            self._switch_project()
        elif Subject.TREES in changes:
            self.take_filter()
            self.reload(is_wanted=False)
        if Subject.ITEMS in changes:
            self._counting.begin(has_motion=self.has_motion and bool(changes.acted_on))
            if self.has_motion:
                items.flash_changed(changes.acted_on, changes.ranked)
            self._show_changed_items(changes)
            if panes.selected.totals != NO_TOTALS:
                panes.measure_selection()
        self._redraw_rows(changes)
        item_id = items.current_id
        if item_id and any(changes.touches(subject, item_id) for subject in PREVIEWED_SUBJECTS):
            panes.draw_preview()

    def _redraw_rows(self, changes: ChangeBatch) -> None:
        """Draw the rows of items again that have other signs or cells now, though the items are the same."""
        for subject in (Subject.DRAFTS, Subject.RELATIONS, Subject.CRITERIA, Subject.OTHERS):
            self.items.rows_changed(changes.ids(subject))
        if Subject.OTHERS in changes:
            self.items.refresh()

    def _show_changed_items(self, changes: ChangeBatch) -> None:
        """Show changed rows in place, and in their order at once, or after a rest where others changed them."""
        ids = changes.ids(Subject.ITEMS)
        if self._empty_list and self._empty_list.near_view is not None:
            self._empty_list.near_view.forget_rows(ids)
        if not changes.acted_on and self._seconds_to_rest() > 0:
            self.current_view.forget_rows(ids)
            self._reload_at_rest()
        else:
            self.reload(is_wanted=False)
        self.items.rows_changed(ids)

    def _seconds_to_rest(self) -> float:
        """Return how long the order has to wait, so that no key meets another row than was on the screen."""
        since = asyncio.get_running_loop().time() - cast("ChordApp", self.app).input.typed_at
        return REST_SECONDS - since if self.store.connection.is_live else 0.0

    def _reload_at_rest(self) -> None:
        wait = self._seconds_to_rest()
        if wait <= 0:
            self._rest_timer = None
            self.reload(is_wanted=False)
        elif self._rest_timer is None:
            self._rest_timer = self.set_timer(wait, self._rested)

    def _rested(self) -> None:
        self._rest_timer = None
        self._reload_at_rest()

    def _switch_project(self) -> None:
        self._item_left_at[self._shown_project_id] = self.items.current_id
        self._shown_project_id = self.store.project_id
        self.shared.follow_project()
        self.items.start_over()
        self._wanted_item = self._item_left_at.get(self._shown_project_id)
        self.take_filter()
        self.show_view()

    async def _read_view(self) -> None:
        view = self._loading_view = self.current_view
        try:
            # One reading at a time. A change during it is read after its rows are shown: while many changes arrive,
            # the rows would never come otherwise.
            while self._is_reload_due and view is self.current_view:
                self._is_reload_due, reading = False, self.readings.asked
                await view.reload()
                self._show_loaded(view)
                self.readings.shown = reading
        except BadRequest as error:
            drop_query(self, error)
        finally:
            if self._loading_view is view:
                self._loading_view = None

    def _show_loaded(self, view: View) -> None:
        if not self.items.is_attached or view is not self.current_view:
            return
        wanted, is_added, keeps_cursor = self._wanted_item, self._is_added, self._keeps_cursor
        if wanted is not None and view.index_of(wanted) is None:
            wanted = self._id_in(view, wanted)
        if self._is_reload_due and wanted is not None and view.index_of(wanted) is None:
            wanted = None  # the next reading may have it
        else:
            self._wanted_item, self._is_added, self._keeps_cursor = None, False, False
        if wanted is not None:
            view.reveal(wanted)
        self.items.say_below(())
        if view.count or not (self._shows_near and self._unmatched):  # what is near stays while nothing matches
            self.items.show(view, self.items.current_id if wanted is None or keeps_cursor else wanted)
        self.update_labels()
        panes = self.panes
        panes.preview_soon()
        panes.run_worker(work(self._count_unready, view), exclusive=True, group="unready")
        if is_added and wanted is not None and view.index_of(wanted) is None:
            self.say_hidden(wanted)

    def _id_in(self, view: View, item_id: int) -> int:
        """Return the number that an item got while the list was read, before the change that says so."""
        item = self.store.item(item_id)
        return item.id if item is not None and item.id in view.ids() else item_id

    async def _count_unready(self, view: View) -> None:
        # Counted behind the rows: the check reads fields out of the documents, 0.13 s of 100,000 items.
        self._unready = await self.store.ready_check.count(view.ids())
        spec = self.spec
        if not view.count and (spec.text or spec.query):
            await asyncio.sleep(EXPLAIN_EMPTY_DELAY)
            from backlit.tui.lists.unmatched import EmptyListReader

            self._empty_list_reader = self._empty_list_reader or EmptyListReader(self.store)
            self._empty_list = figures = await self._empty_list_reader.read(
                spec, self.shared.now, self.items.size.height - LINES_ABOVE_NEAR
            )
            if figures.near_view is not None and view is self.current_view:
                self.items.offer(figures.near_view)
                self.panes.preview_soon()
        if self.items.is_attached and view is self.current_view:
            if not self.is_judged:
                self.is_judged = True
                self.items.forget_drawn()
            self.update_labels()
            await self._offer_conditions(view)

    async def _offer_conditions(self, view: View) -> None:
        """Name above the query that is being typed the values of few matches, as conditions of it."""
        count = view.line_count or 0
        if not (self.line.is_open and 1 < count <= self.items.size.height - LEAST_BELOW):
            return
        await asyncio.sleep(EXPLAIN_EMPTY_DELAY)
        from backlit.tui.lists.narrowing import read_conditions

        # A line of the height is the header of the list.
        width, room = self.items.size.width, self.items.size.height - count - 1
        lines = await read_conditions(self.store, view, width, room)
        if self.items.is_attached and view is self.current_view and self.line.is_open:
            self.items.say_below([*[()] * (room - len(lines)), *lines])
