"""The plan: the backlog beside one to three iterations; nothing that is planned here is written until w."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual import on
from textual.app import ComposeResult

from backlit.model.errors import BacklitError
from backlit.model.planning import Load, Velocity, forecast
from backlit.model.trees import Totals
from backlit.store.changes import Subject
from backlit.store.people import IterationEntry
from backlit.store.plan_places import Release
from backlit.store.store import Store
from backlit.store.views import View
from backlit.store.views_groups import GroupLine
from backlit.store.views_query import ViewSpec
from backlit.tui.acting import CannotAct
from backlit.tui.gathered import Gathered
from backlit.tui.list_names import ListNames
from backlit.tui.live_filter import PLAIN
from backlit.tui.plan_heads import Fill, People, backlog_head, iteration_head
from backlit.tui.plan_targets import target_of
from backlit.tui.plan_words import Shift, points_of_row, shift_part, shifts
from backlit.tui.rollover_verb import RolloverVerb
from backlit.tui.screens.backlog_words import (
    empty_words,
    left_status,
    left_title,
    marks_words,
    right_title,
    unread_words,
)
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.widgets.plan_pane import FORECAST, HeadLine, PlanPane
from backlit.tui.widgets.plan_panes import MOST_TARGETS, NARROW, PlanPanes
from backlit.tui.work import work

TALL, TALLER = 24, 30
"""Lines from which on the load of people is shown, and that of the release."""
FORETOLD = 6
"""Iterations whose share of the backlog is foretold."""
FORETOLD_ROWS = 400
HINTS = ("plan.send", "plan.back", "plan.commit", "plan.difference", "app.help")
FEW_HINTS = ("plan.send", "plan.commit", "app.help")
AGE_CHECK = 15.0


class PlanScreen(RolloverVerb):
    """Every pane is a window on the store as the draft has it; the screen keeps no item."""

    AUTO_FOCUS = "#backlog PlanList"
    CSS_PATH = ["../styles/plan.tcss", "../styles/query_line.tcss"]

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._names = ListNames(store)
        names = replace(self._names.names, group=self._group_name)
        self._panes = PlanPanes(names)
        self.items = self._panes.backlog.items
        self._title, self._status = SidesLine(id="title"), SidesLine(id="status")
        self._views: dict[PlanPane, View] = {}
        self._loads: Mapping[int, Load] = {}
        self._totals: Totals | None = None
        self._velocity = Velocity(())
        self._is_stale = self._is_loading = False
        self._wanted_item: int | None = None

    # Life

    def compose(self) -> ComposeResult:
        """Title, panes between rules, status."""
        yield self._title
        yield RuleLine("┬")
        yield self._panes
        yield RuleLine("┴")
        yield self._status
        yield self.line

    def on_mount(self) -> None:
        """Read what the panes show."""
        self.reload()
        self.set_interval(AGE_CHECK, self.draw_words)

    @on(PlanPanes.Placed)
    def _panes_placed(self, message: PlanPanes.Placed) -> None:
        for rule in self.query(RuleLine):
            rule.join_at(message.line)
        self.draw_words()

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
        self._wanted_item = gathered.renamed.get(self._wanted_item or 0, self._wanted_item)
        if any(subject in gathered for subject in (Subject.PLAN, Subject.ITEMS, Subject.TREES)):
            self.reload()
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

    def show_spec(self, spec: ViewSpec) -> None:
        """Show the backlog's pane otherwise; raises BadRequest for a query that cannot be read."""
        self.store.view(spec)
        self.spec = spec
        self.reload()

    def show_view(self) -> None:
        """Show what the filters leave."""
        self.reload()

    def show_all(self, item_id: int, *, with_done: bool) -> None:
        """Clear every filter, with the cursor on an item."""
        self._wanted_item = item_id
        self.spec = replace(self.spec, with_done=self.spec.with_done or with_done)
        self.do_list_no_filter(None)

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
        plan, targets = self.store.plan, self.targets()
        every = plan.targets()
        today = self.store.today()
        later = every[every.index(targets[0]) :] if targets else []
        upcoming = [each for each in later if each.end is None or each.end >= today][:FORETOLD]
        self._velocity = await plan.velocity(today)
        releases = [plan.release_of(each.id) for each in targets]
        released = [each for release in releases if release for each in release.iterations]
        self._loads = await plan.loads({each.id for each in (*upcoming, *targets, *released)})
        for pane, target in zip(self._panes.targets, [*targets, *[None] * MOST_TARGETS], strict=False):
            pane.place = target.id if target else None
            places = frozenset({target.id} if target else ())
            await self._load_pane(pane, plan.spec(ViewSpec(with_done=self.spec.with_done), places))
        unplanned = frozenset(self.store.iterations()) - {each.id for each in every}
        await self._load_pane(self._panes.backlog, plan.spec(self.spec, unplanned), upcoming)
        self.draw_words()

    async def _load_pane(self, pane: PlanPane, spec: ViewSpec, upcoming: Sequence[IterationEntry] = ()) -> None:
        view = self.store.view(spec, self.store.plan.laid_over)
        await view.load()
        if not self.is_attached:
            return
        if not (spec.group or spec.sort or spec.text):
            self._foretell(view, upcoming)
        self._views[pane] = view
        if pane is self._panes.backlog and view.totals is not None:
            self._totals = view.totals + Totals(0, self.store.plan.points_added(view.ids()))
        wanted = self._wanted_item if self._wanted_item in view.ids() else None
        if wanted is not None:
            self._wanted_item = None
        pane.items.show(view, pane.items.current_id if wanted is None else wanted)

    def _foretell(self, view: View, upcoming: Sequence[IterationEntry]) -> None:
        """Put lines over what fits which iteration, by what was done in those before."""
        mean = self._velocity.mean
        if not (mean and upcoming and view.count):
            return
        points = [points_of_row(row) for row in view.rows(0, FORETOLD_ROWS)]
        rooms = [mean - self._loads[each.id].points for each in upcoming]
        parts: list[tuple[object, int, float]] = []
        start = 0
        for number, stop in forecast(points, rooms):
            parts.append((upcoming[number].id, stop, sum(points[start:stop])))
            start = stop
        if start < view.count:
            rest = (view.totals.points if view.totals else 0.0) - sum(part[2] for part in parts)
            parts.append((None, view.count, max(0.0, rest)))
        if len(parts) > 1:
            view.divide(FORECAST, parts)

    def _group_name(self, line: GroupLine) -> str:
        if line.key != FORECAST:
            return self._names.group(line)
        found = self.store.iterations().get(line.value) if isinstance(line.value, int) else None
        return f"fits {found.name}" if found else "later"

    def ranked_view(self) -> View:
        """The list of the pane that has the focus; its page stays while the row moves in it."""
        if self._panes.focused not in self._views:
            raise CannotAct("The list is still being read; try again in a moment.")
        self.items.hold_page()
        return self._views[self._panes.focused]

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
        is_taller = self.size.height >= TALLER and any(releases.values())
        lines = 4 if is_taller else 3 if self.size.height >= TALL else 2
        backlog, here = self._panes.backlog, self._panes.focused
        totals = self._totals
        blank = [HeadLine()] * lines
        backlog.say([*backlog_head(totals, self._velocity, is_here=backlog is here), *blank][:lines])
        backlog.items.say_when_empty(empty_words(connection, self.spec))
        people = People(
            {each.id: each.username for each in store.everybody.known().values()}, self.chord_app.capacities
        )
        for pane in self._panes.targets:
            iteration = store.iterations().get(pane.place) if pane.place is not None else None
            load, shift = self._loads.get(pane.place or 0, Load()), found.get(pane.place, Shift())
            release = releases[pane]
            fill = Fill(load, shift, people, release, _released(release, self._loads))
            head = iteration_head(iteration, fill, store.today(), pane.size.width, is_here=pane is here)
            pane.say([*head, *blank][:lines])
            pane.items.say_when_empty("Nothing is planned here; > plans an item into it." if iteration else "")
        shown = self._views.get(backlog)
        unread = unread_words(store.search.unread(shown)) if shown else []
        status = [*unread, *marks_words(self.marked), *self._sent(), *left_status(connection, store.outbox, 0, 0)]
        self._status.say(status, hints(HINTS if self.size.width >= NARROW else FEW_HINTS))

    def _left_title(self, contested: int) -> list[Part]:
        parts = left_title(self._names, PLAIN, None, self.spec)
        parts[2:3] = [(" › Plan", "foreground")]
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

    @on(LineList.Chosen)
    def _row_chosen(self) -> None:
        self.do_item_open(None)

    def item_added(self, item_id: int) -> None:
        """Go to the new item once the list has it."""
        self._wanted_item = item_id
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
