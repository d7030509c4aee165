"""The plan: panes of the backlog and of iterations over a draft, with their heads and the title."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from textual import on

from backlit.model.amounts import counted
from backlit.model.fields import ItemType
from backlit.model.planning import Capacity, Load, Velocity
from backlit.model.trees import Totals
from backlit.store.planning.plan import Plan, Release
from backlit.store.records.changes import Subject
from backlit.store.records.item import Item
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct
from backlit.tui.fields.acts import Act
from backlit.tui.fields.dates import span
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.filtering import NodeFilter, SharedFilter
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import list_heading
from backlit.tui.lists.list_screen import ListScreen, item_title
from backlit.tui.lists.saved_views import PLAIN
from backlit.tui.lists.shown_view import ColumnChoice
from backlit.tui.plan.capacity import (
    BAR,
    People,
    Shift,
    capacity_bar,
    capacity_of,
    capacity_words,
    extra_words,
    people_of,
    people_words,
    shift_part,
    shifts,
    team_words,
    velocity_words,
)
from backlit.tui.plan.pane import HeadLine, TasksAsked
from backlit.tui.plan.pane_contents import LOADING, PlanLists
from backlit.tui.plan.panes import PlanBody, PlanPanes
from backlit.tui.plan.plan_commands import stage
from backlit.tui.shell.status_text import explain_empty, selection_words, status_words, unread_words
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.widgets.item_list import is_complete
from backlit.tui.widgets.side_lines import Part


class PlanScreen(ListScreen):
    """A `plan.target.PlanTarget` with panes over the store; changes stay in the draft until the user saves the plan."""

    COMMAND_GROUPS = (*ListScreen.COMMAND_GROUPS, "plan.plan_commands", "plan.commit", "plan.rollover")
    HINTS = ("plan.send", "plan.back", "plan.commit", "plan.difference", "app.help")
    AUTO_FOCUS = "#backlog PlanList"
    PLACE = "app.plan"
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
        elif self.lists.is_sought and self.lists.wanted_item is not None:
            item, self.lists.wanted_item = self.store.item(self.lists.wanted_item), None
            if item is not None:
                self.say(f"{item_title(item)} is in no pane: it is done, filtered out, or in another iteration.")
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
        """Draw heading, heads and status."""
        store, plan = self.store, self.store.plan
        shift = shift_part(shifts(plan.difference())[None])
        self._heads.draw(people_of(store, self.session.capacities), self.size.height)
        if not self._panes.backlog.items.row_count():
            explain_empty(self._panes.backlog.items, store, self.spec)
        shown = self.lists.views.get(self._panes.backlog)
        unread = unread_words(store.search.unread(shown)) if shown else []
        selected = selection_words(self.panes.selected.totals)
        view = self.shared.now.view
        parts = list_heading(self._names, view, self.node, self.spec)
        is_plain = view is PLAIN and self.node is None
        self.frame.say(
            plan_heading(parts, plan, is_plain=is_plain),
            shift,
            [*status_words(store), *unread, *sent_words(plan), *selected],
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
        """Go to a new or changed item, in its pane, once the panes are loaded; for a hidden item say so."""
        self.lists.want(item_id, is_sought=True)


TALL, TALLER, TALLEST = 24, 30, 36
"""Heights of the screen from which the heads have the lines of people, of releases and of teams."""
HEAD_LINES = 5
LEAST_BAR = 6
EDGES = 4
"""Cells around a bar."""


class PlanHeads:
    """The heads of all panes, drawn from their contents."""

    def __init__(self, store: Store, lists: PlanLists) -> None:
        self._store = store
        self._lists = lists

    def draw(self, people: People, height: int) -> None:
        """Draw the load of each iteration, in as many lines as the height of the screen allows."""
        store, lists, panes = self._store, self._lists, self._lists.panes
        found = shifts(store.plan.difference())
        releases = {
            pane: store.plan.iterations.release_of(pane.place) if pane.place else None for pane in panes.targets
        }
        kept = self._kept_lines(height, has_releases=any(releases.values()))
        here = panes.focused
        head = backlog_head(lists.totals, lists.velocity, is_here=panes.backlog is here)
        panes.backlog.say([*head, *[HeadLine()] * len(kept)][: len(kept)])
        for pane in panes.targets:
            iteration = store.lookups.iterations().get(pane.place) if pane.place is not None else None
            load, shift = lists.loads.get(pane.place or 0, Load()), found.get(pane.place, Shift())
            release = releases[pane]
            fill = Fill(load, shift, people, release, _released(release, lists.loads))
            lines = iteration_head(iteration, fill, store.today(), pane.size.width, is_here=pane is here)
            pane.say([lines[at] for at in kept])
            pane.items.empty_text = "No items. Press > to plan one into this iteration." if iteration else ""

    def _kept_lines(self, height: int, *, has_releases: bool) -> list[int]:
        """Return the numbers of the lines that fit."""
        loads = self._lists.loads
        has_teams = any(any(loads.get(each.place or 0, Load()).teams) for each in self._lists.panes.targets)
        wanted = (True, True, height >= TALL, height >= TALLER and has_releases, height >= TALLEST and has_teams)
        return [at for at, is_wanted in enumerate(wanted) if is_wanted]


def _released(release: Release | None, loads: Mapping[int, Load]) -> Load:
    """Return the load of all iterations of a release together."""
    return sum((loads.get(each.id, Load()) for each in release.iterations), Load()) if release else Load()


def plan_heading(parts: Sequence[Part], plan: Plan, *, is_plain: bool) -> list[Part]:
    """Return the heading of a list, with the number of items that others changed.

    A plain list, without view and node, loses the part that names it.
    """
    count = len(plan.state.contests)
    return [*parts[is_plain:], *[(f" ≠ {count} changed by others (gD)", "conflict")] * bool(count)]


def sent_words(plan: Plan) -> list[Part]:
    """Return the progress of the plan saved last, for the status line."""
    sent = plan.sent()
    if sent is None:
        return []
    held = f", {sent.held} on hold (go)" if sent.held else ""
    return [(f"  plan: {sent.done} of {sent.total} sent{held}", "conflict" if held else "pending")]


def backlog_head(totals: Totals | None, velocity: Velocity, *, is_here: bool) -> list[HeadLine]:
    """Return the head of the backlog: unplanned items and points, and the velocity."""
    amount = f"{counted(totals.count, 'item')}  {counted(totals.points, 'pt')} " if totals else ""
    return [
        HeadLine([_name("Backlog", is_here=is_here), ("  unplanned", "muted")], [(amount, "foreground")]),
        HeadLine(velocity_words(velocity)),
    ]


@dataclass(frozen=True, slots=True)
class Fill:
    """Load of an iteration, the draft's effect on it, its people and its release."""

    load: Load
    shift: Shift
    people: People
    release: Release | None = None
    released: Load = field(default_factory=Load)


def iteration_head(
    iteration: IterationEntry | None, fill: Fill, today: date, width: int, *, is_here: bool
) -> list[HeadLine]:
    """Return the lines of an iteration: dates and changes, load, people, release, teams."""
    if iteration is None:
        none = (
            HeadLine([(" No iteration to plan", "muted")]),
            HeadLine([(" Press gi, then cs to create sprints", "muted")]),
        )
        return [*none, *[HeadLine()] * (HEAD_LINES - len(none))]
    load, capacity = fill.load, capacity_of(iteration)
    dates: Part = (f"  {span(iteration.start, iteration.end, today)}", "muted")
    beside = width - _length(capacity_words(load, capacity)) - LEAST_BAR - EDGES - 1
    extra = extra_words(load, beside)
    full = _full(load, capacity, width - _length(extra) - len(extra))
    return [
        HeadLine([_name(iteration.name, is_here=is_here), dates], shift_part(fill.shift)),
        HeadLine(full, extra),
        HeadLine(people_words(load, fill.people, iteration.name)),
        _release_line(fill, width),
        HeadLine(team_words(load, fill.people.teams)),
    ]


def _full(load: Load, capacity: Capacity, width: int) -> list[Part]:
    """Return the points in words, after a bar that fills the room left."""
    words = capacity_words(load, capacity)
    bar_width = min(BAR, width - _length(words) - EDGES)
    bar = capacity_bar(load.points, load.done, capacity, bar_width) if bar_width >= LEAST_BAR else []
    return [(" ", "muted"), *bar, *words]


def _release_line(fill: Fill, width: int) -> HeadLine:
    """Return the load of the iteration's release."""
    if fill.release is None:
        return HeadLine()
    name = f"{fill.release.entry.name} "
    return HeadLine(_full(fill.released, fill.release.capacity, width - len(name) - 1), [(name, "muted")])


def _length(parts: Sequence[Part]) -> int:
    return sum(len(text) for text, _ in parts)


def _name(text: str, *, is_here: bool) -> Part:
    return (f" {text}", "accent" if is_here else "foreground")
