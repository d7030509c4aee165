"""The view and the columns of a list; the view is read in the background and follows the store."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import counted
from backlit.model.errors import BadRequest
from backlit.model.filters import all_of
from backlit.model.query.keys import field_named
from backlit.model.settings.view_settings import ChosenColumn
from backlit.model.trees import NO_TOTALS, NodeTotals
from backlit.store.records.changes import Subject
from backlit.store.store import Store
from backlit.store.views.groups import ShownTasks
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct
from backlit.tui.lists.filtering import FilterTarget, drop_query, filter_words
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import FilterLine, ListFrame
from backlit.tui.lists.saved_views import DEFAULT_VIEW
from backlit.tui.shell.input_queue import ListReadCounter
from backlit.tui.shell.status_text import (
    explain_empty,
    selection_words,
    status_words,
    totals_words,
    unread_words,
    unready_words,
)
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.workers import work
from backlit.tui.widgets.item_rows import ListColumn, column_of
from backlit.tui.widgets.side_lines import Part

EXPLAIN_EMPTY_DELAY = 0.3
"""Seconds before further views are read to explain an empty list; a filter that changes sooner reads none."""


class EmptyListFigures(Struct, frozen=True):
    """A spec that no item matches, the done items that do, and the totals without the filter and without its end.

    `texts` is the number of items that have the words of the filter in a text or a comment.
    """

    spec: ViewSpec | None = None
    done: int | None = None
    all: NodeTotals = NO_TOTALS
    rest: NodeTotals | None = None
    texts: int | None = None


class EmptyListReader:
    """Reads the figures of specs that no item matches; the totals without text and query once, until `forget`."""

    def __init__(self, view_of: Callable[[ViewSpec], View]) -> None:
        self._view_of = view_of
        self._kept: dict[ViewSpec, NodeTotals] = {}

    def forget(self) -> None:
        self._kept = {}

    async def read(
        self, spec: ViewSpec, wider: ViewSpec | None = None, in_texts: ViewSpec | None = None
    ) -> EmptyListFigures:
        """Return the figures of a spec; `wider` is it without the end of the filter, `in_texts` looks in texts too."""
        kept, bare = self._kept, replace(spec, text="", query="")
        if bare not in kept:
            kept[bare] = (await self._loaded(bare)).totals or NO_TOTALS
        done = None if spec.with_done else (await self._loaded(replace(spec, with_done=True))).count
        rest = (await self._loaded(wider)).totals if wider not in {None, bare} else None
        texts = (await self._loaded(in_texts)).count if in_texts is not None else None
        return EmptyListFigures(spec, done, kept[bare], rest, texts)

    async def _loaded(self, spec: ViewSpec) -> View:
        view = self._view_of(spec)
        await view.load()
        return view


class ViewTarget(FilterTarget, Protocol):
    """The screen whose list a `ListViewController` fills."""

    panes: ItemPanes
    frame: ListFrame
    line: FilterLine
    spec: ViewSpec
    current_view: View
    readings: ListReadCounter

    def update_labels(self) -> None: ...


class ListViewController:
    """The view of the target's spec; `hidden` is called with an added item that the list hides."""

    def __init__(self, target: ViewTarget, hidden: Callable[[int], None]) -> None:
        self._target = target
        self._store = target.store
        self._items = target.panes.items
        self._hidden = hidden
        self._project_id = self._store.project_id
        self._wanted_item: int | None = None
        self._is_added = False
        self._loading: View | None = None
        self._is_due = False
        self._unready = 0
        self.is_judged = False
        """Whether rows carry the sign of items that are not ready: from the first count on."""
        self._unmatched = EmptyListFigures()
        self._unmatched_reader = EmptyListReader(self._store.view)
        self.tasks = ShownTasks(of_all=True)
        self._left_at: dict[int | None, int | None] = {}
        """The last item under the cursor by project."""

    def show(self) -> None:
        """Show the first rows at once, unless they need a search or another order; all ids follow."""
        target = self._target
        before, spec = target.current_view, target.spec
        try:
            folded = None if spec.text or spec.query or "type" in spec.group else self.tasks.filter()
            parts = [each for each in (spec.filter, folded) if each is not None]
            view = target.current_view = self._store.view(replace(spec, filter=all_of(parts)))
        except BadRequest as error:
            drop_query(target, error)
            return
        if before.spec.group == spec.group:
            view.fold(*before.folded, is_folded=True)
        # An index has the first rows of the backlog order in 3 ms at a million items. Other lists need a search or a
        # sort for theirs, and are shown once they are loaded.
        if not (spec.text or spec.query or spec.group or spec.sort):
            self._items.show(view, self._items.current_id)
            target.update_labels()
        self.reload()

    def reload(self, *, is_wanted: bool = True) -> None:
        """Read the view again, or once more after a reading. Keys wait for a reading that the user wants."""
        self._target.readings.ask(is_wanted=is_wanted)
        self._is_due = True
        if self._loading is not self._target.current_view:
            panes, view = self._target.panes, self._target.current_view
            is_first = not (panes.size or view.is_grouped or view.count)  # the rows known so far are painted before
            begin = partial(panes.app.call_later, panes.run_worker) if is_first else panes.run_worker
            begin(work(self._load), exclusive=True, group="view")

    def folded_tasks(self, item_id: int) -> int:
        return 0 if self.tasks.shows(item_id) else self._store.plan_preview.task_counts([item_id]).get(item_id, 0)

    def turn_tasks(self, item_id: int | None, is_shown: bool) -> None:
        """Show or hide the tasks of an item, or of all items for None. Raises CannotAct for an item without tasks."""
        if item_id is not None and is_shown and not self.folded_tasks(item_id):
            raise CannotAct(f"#{item_id} has no folded tasks.")
        self.tasks = ShownTasks(is_shown) if item_id is None else self.tasks.turned(item_id, is_shown=is_shown)
        self._items.forget_drawn()
        self.show()

    def want(self, item_id: int, *, is_added: bool = False) -> None:
        self._wanted_item, self._is_added = item_id, is_added

    async def loaded(self) -> None:
        while self._items.is_attached and not self._items.is_complete:
            await self._target.current_view.reload()
            self._items.show(self._target.current_view, self._items.current_id)

    def update_labels(self, heading: Sequence[Part], totals: NodeTotals | None, position: tuple[int, int, str]) -> None:
        """Draw a heading, the tabs, the status, and the reason for an empty list.

        `position` is the number of the row under the cursor, that of all rows, and their noun.
        """
        target, store = self._target, self._store
        views = target.shared.views
        unread = unread_words(store.search.unread(target.current_view))
        selected = selection_words(target.panes.selected.totals)
        has_key = not (store.lookups.is_read_only or target.line.is_open)
        lacking = unready_words(self._unready, has_key=has_key) if totals is not None else []
        place = status_words(store, *(() if self._items.is_low_bandwidth else position))
        unmatched = self._unmatched if self._unmatched.spec == target.spec else EmptyListFigures()
        figures = totals_words(totals)
        if not figures and unmatched.all != NO_TOTALS:
            figures = [(f"0 of {counted(unmatched.all.count, 'item')}", "foreground")]
        target.frame.say([*heading, *lacking], figures, [*unread, *selected, *place])
        target.frame.show_tabs(views.names, views.place(target.shared.now.view))
        is_empty = self._items.has_no_items
        if is_empty:
            spec, can_clear = target.spec, target.shared.now.can_clear
            words = filter_words(spec.query, spec.text)
            explain_empty(
                self._items,
                store,
                spec,
                words,
                unmatched.done,
                rest=unmatched.rest,
                texts=unmatched.texts,
                can_clear=can_clear,
            )
        target.panes.hide_preview_when_empty(is_empty)

    def follow(self, changes: ChangeBatch) -> None:
        items, panes, target = self._items, self._target.panes, self._target
        self._unmatched_reader.forget()
        if Subject.PEOPLE in changes or Subject.TREES in changes:
            items.forget_drawn()
            panes.preview_soon()
        items.renamed(changes.renamed)
        target.shared.rename(changes.renamed)
        if self._wanted_item is not None:
            self._wanted_item = changes.renamed.get(self._wanted_item, self._wanted_item)
        if self._store.project_id != self._project_id:
            self._switch_project()
        elif Subject.TREES in changes:
            target.take_filter()
            self.reload(is_wanted=False)
        if Subject.ITEMS in changes:
            items.rows_changed(changes.ids(Subject.ITEMS))
            self.reload(is_wanted=False)
            if panes.selected.totals != NO_TOTALS:
                panes.measure_selection()
        if Subject.DRAFTS in changes:
            items.rows_changed(changes.ids(Subject.DRAFTS))
        item_id = items.current_id
        if item_id and any(changes.touches(subject, item_id) for subject in (Subject.ITEMS, Subject.COMMENTS)):
            panes.draw_preview()

    def _switch_project(self) -> None:
        self._left_at[self._project_id] = self._items.current_id
        self._project_id = self._store.project_id
        self._target.shared.follow_project()
        self._items.start_over()
        self._wanted_item = self._left_at.get(self._project_id)
        self._target.take_filter()
        self.show()

    async def _load(self) -> None:
        view = self._loading = self._target.current_view
        try:
            # One reading at a time. A change during it is read after its rows are shown: while many changes arrive,
            # the rows would never come otherwise.
            while self._is_due and view is self._target.current_view:
                self._is_due, reading = False, self._target.readings.asked
                await view.reload()
                self._show_loaded(view)
                self._target.readings.shown = reading
        except BadRequest as error:
            drop_query(self._target, error)
        finally:
            if self._loading is view:
                self._loading = None

    def _show_loaded(self, view: View) -> None:
        if not self._items.is_attached or view is not self._target.current_view:
            return
        wanted, is_added = self._wanted_item, self._is_added
        if self._is_due and wanted is not None and view.index_of(wanted) is None:
            wanted = None  # the next reading may have it
        else:
            self._wanted_item, self._is_added = None, False
        self._items.show(view, self._items.current_id if wanted is None else wanted)
        self._target.update_labels()
        panes = self._target.panes
        panes.preview_soon()
        panes.run_worker(work(self._count_unready, view), exclusive=True, group="unready")
        if is_added and wanted is not None and view.index_of(wanted) is None:
            self._hidden(wanted)

    async def _count_unready(self, view: View) -> None:
        # Counted behind the rows: the check reads fields out of the documents, 0.13 s of 100,000 items.
        self._unready = await self._store.ready_check.count(view.ids())
        spec = self._target.spec
        if not view.count and (spec.text or spec.query):
            await asyncio.sleep(EXPLAIN_EMPTY_DELAY)
            wider = (
                replace(spec, text="")
                if spec.text
                else replace(spec, query=self._target.shared.now.without_last_condition)
            )
            found = self._target.shared.now.in_texts()
            texts = None if found is None else found.applied_to(spec, self._store)
            self._unmatched = await self._unmatched_reader.read(spec, wider if wider != spec else None, texts)
        if self._items.is_attached and view is self._target.current_view:
            if not self.is_judged:
                self.is_judged = True
                self._items.forget_drawn()
            self._target.update_labels()


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
