"""The plan: the backlog beside one to three iterations; nothing that is planned here is written until w."""

import time
from collections.abc import Mapping, Sequence

from textual import on
from textual.app import ComposeResult

from backlit.model.errors import BacklitError
from backlit.model.planning import Load
from backlit.store.changes import Subject
from backlit.store.people import IterationEntry
from backlit.store.plan_places import Release
from backlit.store.plan_tasks import TasksShown
from backlit.store.store import Store
from backlit.store.views import View
from backlit.tui.acting import CannotAct
from backlit.tui.gathered import Gathered
from backlit.tui.list_names import ListNames
from backlit.tui.live_filter import PLAIN
from backlit.tui.plan_filter import PlanFilter
from backlit.tui.plan_heads import Fill, backlog_head, iteration_head
from backlit.tui.plan_lists import PlanLists
from backlit.tui.plan_targets import target_of
from backlit.tui.plan_words import Shift, shift_part, shifts
from backlit.tui.screens.backlog_words import (
    empty_words,
    left_status,
    left_title,
    marks_words,
    right_title,
    unread_words,
)
from backlit.tui.widgets.item_panes import ItemPanes
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.widgets.plan_body import PlanBody
from backlit.tui.widgets.plan_pane import HeadLine, PlanList
from backlit.tui.widgets.plan_panes import MOST_TARGETS, NARROW, PlanPanes
from backlit.tui.work import work

TALL, TALLER, TALLEST = 24, 30, 36
"""Lines from which on the load of people is shown, that of the release, and those of teams."""
HINTS = ("plan.send", "plan.back", "plan.commit", "plan.difference", "app.help")
FEW_HINTS = ("plan.send", "plan.commit", "app.help")
AGE_CHECK = 15.0


class PlanScreen(PlanFilter):
    """Every pane is a window on the store as the draft has it; the screen keeps no item."""

    AUTO_FOCUS = "#backlog PlanList"
    CSS_PATH = ["../styles/plan.tcss", "../styles/query_line.tcss"]

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._names = ListNames(store)
        self.lists = PlanLists(store, self._names)
        self._panes = self.lists.panes
        self._body = PlanBody(store, self._panes)
        self.items = self._panes.backlog.items
        self._title, self._status = SidesLine(id="title"), SidesLine(id="status")
        self.shown_view = store.view(self.spec)
        self._is_stale = self._is_loading = False
        self._project_id = store.project_id

    # Life

    def compose(self) -> ComposeResult:
        """Title, panes between rules, status."""
        yield self._title
        yield self.tab_line
        yield RuleLine("┬")
        yield self._body
        yield RuleLine("┴", id="bottom")
        yield self._status
        yield self.line

    def on_mount(self) -> None:
        """Read what the panes show."""
        self.reload()
        self.set_interval(AGE_CHECK, self.draw_words)

    @on(PlanBody.Joined)
    def _body_placed(self, message: PlanBody.Joined) -> None:
        for rule in self.query(RuleLine):
            rule.join_at(message.below if rule.id == "bottom" else message.above)
        self.draw_words()

    @on(ItemPanes.Looked)
    def _item_looked_at(self, message: ItemPanes.Looked) -> None:
        self.mark_seen(message.item_id)

    @on(ItemPanes.Said)
    def _body_said(self, message: ItemPanes.Said) -> None:
        self.say(message.words)

    @on(PlanPanes.Entered)
    def _pane_entered(self) -> None:
        self.items = self._panes.focused.items
        self.measure_marks()
        self.draw_words()

    def store_changed(self, gathered: Gathered) -> None:
        """Show what is new; lists and loads are read again together, one reading at a time."""
        for pane in self._panes.every:
            pane.items.renamed(gathered.renamed)
            if Subject.PEOPLE in gathered or Subject.TREES in gathered:
                pane.items.forget_drawn()
        self.lists.wanted_item = gathered.renamed.get(self.lists.wanted_item or 0, self.lists.wanted_item)
        if self.store.project_id != self._project_id:
            self._project_id = self.store.project_id
            self.forget_filter()
            self.reload()
        if any(subject in gathered for subject in (Subject.PLAN, Subject.ITEMS, Subject.TREES)):
            self.reload()
            self._body.preview_soon()
        self.draw_words()

    # What is shown

    def targets(self) -> Sequence[IterationEntry]:
        """The iterations from the target on, as many as there may be panes for."""
        plan = self.store.plan
        every = plan.targets()
        target = target_of(every, plan.draft.target, self.store.today())
        at = every.index(target) if target else 0
        return every[at : at + MOST_TARGETS]

    def here(self) -> IterationEntry | None:
        """The iteration whose pane has the focus."""
        place = self._panes.focused.place
        return None if place is None else self.store.iterations().get(place)

    async def loaded(self) -> None:
        """Return when all panes show what they have."""
        await self._load()

    def reload(self) -> None:
        """Read all panes anew, after the reading that is under way."""
        self._is_stale = True
        if not self._is_loading and self.is_attached:
            self._is_loading = True
            self.run_worker(work(self._load_until_fresh), group="panes")

    async def _load_until_fresh(self) -> None:
        try:
            while self._is_stale and self.is_attached:
                self._is_stale = False
                await self._load()
        except BacklitError as error:
            self.say(str(error), is_bad=True)
        finally:
            self._is_loading = False

    async def _load(self) -> None:
        await self.lists.load(self.spec, self.targets())
        self.shown_view = self.lists.views.get(self._panes.backlog, self.shown_view)
        self.draw_words()

    def ranked_view(self) -> View:
        """The list of the pane that has the focus; its page stays while the row moves in it."""
        view = self.lists.view(self._panes.focused)
        self.items.hold_page()
        return view

    # Words

    def draw_words(self) -> None:
        """Title, heads and status."""
        store, connection = self.store, self.store.connection
        changes = store.plan.difference()
        found = shifts(changes)
        self._title.say(
            self._left_title(len(store.plan.standing.contests)),
            [
                *shift_part(found[None]),
                *right_title(connection, None, 0, time.time()),
            ],
        )
        releases = {pane: store.plan.release_of(pane.place) if pane.place else None for pane in self._panes.targets}
        kept = self._head_lines(any(releases.values()))
        backlog, here = self._panes.backlog, self._panes.focused
        totals = self.lists.totals
        blank = [HeadLine()] * len(kept)
        backlog.say([*backlog_head(totals, self.lists.velocity, is_here=backlog is here), *blank][: len(kept)])
        backlog.items.say_when_empty(empty_words(connection, self.spec))
        people = self.people()
        for pane in self._panes.targets:
            iteration = store.iterations().get(pane.place) if pane.place is not None else None
            load, shift = self.lists.loads.get(pane.place or 0, Load()), found.get(pane.place, Shift())
            release = releases[pane]
            fill = Fill(load, shift, people, release, _released(release, self.lists.loads))
            head = iteration_head(iteration, fill, store.today(), pane.size.width, is_here=pane is here)
            pane.say([head[at] for at in kept])
            pane.items.say_when_empty("Nothing is planned here; > plans an item into it." if iteration else "")
        shown = self.lists.views.get(backlog)
        unread = unread_words(store.search.unread(shown)) if shown else []
        status = [*unread, *marks_words(self.marked), *self._sent(), *left_status(connection, store.outbox, 0, 0)]
        self._status.say(status, hints(HINTS if self.size.width >= NARROW else FEW_HINTS))

    def _head_lines(self, has_releases: bool) -> list[int]:
        """Which lines of the heads there is room for: those of people, of releases and of teams come last."""
        height, loads = self.size.height, self.lists.loads
        has_teams = any(any(loads.get(each.place or 0, Load()).teams) for each in self._panes.targets)
        wanted = (True, True, height >= TALL, height >= TALLER and has_releases, height >= TALLEST and has_teams)
        return [at for at, is_wanted in enumerate(wanted) if is_wanted]

    def _left_title(self, contested: int) -> list[Part]:
        parts = left_title(self._names, self.tab, self.node, self.spec)
        at = 3 if self.tab is PLAIN and self.node is None else 2
        parts[2:at] = [(" › Plan", "foreground")]
        if contested:
            parts.append((f"   ≠ {contested} changed by others (gD)", "conflict"))
        return parts

    def _sent(self) -> list[Part]:
        """How far the plan that was written last has come."""
        sent = self.store.plan.sent()
        if sent is None:
            return []
        held = f", {sent.held} held up (go)" if sent.held else ""
        return [(f" plan: {sent.done} of {sent.total} sent{held} ", "conflict" if held else "pending")]

    # Panes

    @on(PlanList.TasksAsked)
    def _tasks_asked(self, message: PlanList.TasksAsked) -> None:
        """Show or hide tasks under their items."""
        if message.item_id is None:
            self.lists.tasks = TasksShown(message.is_shown)
        elif message.is_shown and not self.store.batch.tasks_of(message.item_id):
            self.say("It has no tasks; A adds one.")
            return
        else:
            self.lists.tasks = self.lists.tasks.turned(message.item_id, is_shown=message.is_shown)
        self.reload()

    @on(LineList.Chosen)
    def _row_chosen(self) -> None:
        self.do_item_open(None)

    def item_added(self, item_id: int) -> None:
        """Go to the new item once the list has it."""
        self.lists.wanted_item = item_id
        self.reload()

    def do_app_unwind(self, _count: int | None) -> None:
        """Undo one layer: the line, the range, the marks, the filters; the draft stays whatever is pressed."""
        try:
            super().do_app_unwind(None)
        except CannotAct:
            raise CannotAct("Nothing to cancel here; q goes to the backlog, and the plan stays as it is.") from None


def _released(release: Release | None, loads: Mapping[int, Load]) -> Load:
    """What is in all iterations of a release together."""
    return sum((loads.get(each.id, Load()) for each in release.iterations), Load()) if release else Load()
