"""The plan: panes of the backlog and of iterations over a draft, with their heads and the title."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import dropwhile

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from textual import on

from backlit.model.amounts import counted, points_of
from backlit.model.fields import ItemType
from backlit.model.planning import PlannedLoad
from backlit.model.reports.report import number_text
from backlit.store.planning.plan import Plan
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.item import Item, ItemRow
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.commands.command import LOADING_SENTENCE, CannotAct
from backlit.tui.commands.table import key_of, with_keys
from backlit.tui.drawing.charts import capacity_words, range_words, scaled_bar
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import KEY
from backlit.tui.fields.dates import event_words, span
from backlit.tui.fields.field_edits import FieldEdit
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.filtering import NodeFilter, SharedFilter, filter_words
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import list_heading
from backlit.tui.lists.list_screen import ColumnChoice, ListScreen, item_title
from backlit.tui.lists.saved_views import DEFAULT_VIEW
from backlit.tui.plan.capacity import (
    CapacityReader,
    IterationChangeCounts,
    PeopleCapacities,
    count_changes,
    people_of,
    people_words,
    refresh_capacities,
    velocity_words,
)
from backlit.tui.plan.instrument import AddedItem, Instrument, scale_end, scale_words
from backlit.tui.plan.other_sprints import LEGEND, OtherSprint, next_lines
from backlit.tui.plan.pane import MIN_WIDTH_WITH_SIGNS, SIGNS_OF_PLAN, HeadLine, PlanPane, TasksAsked
from backlit.tui.plan.pane_contents import PlanPaneContents
from backlit.tui.plan.panes import PlanBody, PlanPanes
from backlit.tui.plan.plan_commands import stage
from backlit.tui.shell.status_text import (
    explain_empty,
    is_loading,
    is_unreached,
    position_words,
    selection_words,
    status_words,
    totals_words,
    unread_words,
)
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.workers import BACKGROUND_GROUP, work
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.side_lines import Part, Word, length


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
        unsaved, is_single = found[None].unsaved_words(), self._panes.is_single
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
        saved = () if self._heads.has_line_of_unsaved or len(unsaved) == 1 else unsaved
        count = self._heads.count_words()
        signs = [(SIGNS_OF_PLAN, "faint")] if self._panes.backlog.size.width >= MIN_WIDTH_WITH_SIGNS else ()
        self._panes.frames[self._panes.backlog].say(heading, velocity, signs, () if is_in_target else position)
        self._panes.frames[target].say(title.left, title.right, saved, position if is_in_target else count)
        self._panes.others_frame.say([("Other sprints", "heading")], LEGEND, (), scale_words(self._heads.scale))
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


LEAST_BAR, BAR = 10, 28
"""Cells of a bar, with the whole words beside it and at most."""
CAPACITY_TEXT_CELLS, BRIEF_CAPACITY_TEXT_CELLS = 33, 25
"""Cells that the words beside a bar keep, so that the bars of all iterations are equally long."""


class PlanPaneHeads:
    """The heads and the titles of all panes, drawn from their contents."""

    def __init__(self, store: Store, lists: PlanPaneContents) -> None:
        self._store = store
        self._lists = lists

    def draw(
        self,
        found: Mapping[object, IterationChangeCounts],
        people: PeopleCapacities,
        unsaved: Sequence[Word],
        *,
        is_unread: bool,
    ) -> HeadLine:
        """Draw the velocity, the load of the target and those of other sprints; return the title of the target.

        In frames, the velocity and what is not saved are words of the edges.
        """
        store, lists, panes = self._store, self._lists, self._lists.panes
        every, pane = store.plan.iterations.targets(), panes.target
        iteration = store.lookups.iterations().get(pane.place) if pane.place is not None else None
        self.scale = max((scale_end(each.capacity, self._load(each).points) for each in every), default=0.0)
        velocity = velocity_words(lists.velocity)
        if length(velocity) + 2 > panes.backlog.size.width:
            velocity = velocity_words(lists.velocity, is_brief=True)
        head = [HeadLine([(" ", "muted"), *velocity]), HeadLine([(" ", "muted"), *unsaved])]
        if is_unread and lists.velocity.median is None:
            head = UNREAD_HEAD
        elif panes.is_single and iteration is not None:
            name = f"→ {iteration.name} {found.get(iteration.id, IterationChangeCounts()).words()}".rstrip()
            head[1] = _fill_line(iteration, self._load(iteration), panes.backlog.size.width, self.scale, name)
        panes.backlog.say([] if panes.has_frames or is_unreached(store) else head)
        panes.show_others([] if is_unread else self._others(), store.today())
        is_reader = store.lookups.is_read_only
        if iteration is None:
            pane.say(UNREAD_HEAD if is_unread else _no_iteration_head(is_reader=is_reader))
            pane.say_below(())
            return HeadLine() if is_unread else HeadLine([("No iteration to plan", "foreground")])
        release = store.plan.iterations.release_of(iteration.id)
        days, above = span(iteration.start, iteration.end, store.today()), release.entry.name if release else ""
        when = days, above, *event_words(iteration, store.local, store.local_today())
        ways = iteration not in every[:1], iteration not in every[-1:]
        pending = unsaved if self.has_line_of_unsaved and len(unsaved) > 1 else ()
        shown = IterationHead(iteration, when, self._load(iteration), people, ways, self._added(), pending)
        pane.say(shown.lines(pane.size.width, self.scale, self._head_lines()))
        pane.say_below([] if panes.others_frame.display else [*self._next_lines(iteration, pane.size.width)])
        pane.items.empty_text = self._empty_words(iteration, is_reader=is_reader)
        if panes.has_frames:
            return shown.edge()
        room = pane.size.width - panes.is_single * (sum(cell_len(word[0]) for word in unsaved) + 4)
        return HeadLine(shown.title(room, has_focus=pane is panes.focused))

    @property
    def has_line_of_unsaved(self) -> bool:
        """True where what is not saved has a line above the target's list; else it is in an edge."""
        return self._lists.panes.has_frames and self._head_lines() == PlanPane.HEAD_LINES

    def count_words(self) -> list[Part]:
        view = self._lists.views.get(self._lists.panes.target)
        return [(counted(view.totals.count, "item"), "muted")] if view is not None and view.totals else []

    def _others(self) -> list[OtherSprint]:
        """Return the other iterations that have not ended, and the release, which has a scale of its own."""
        loads, release = self._lists.loads, self._lists.release()
        found = [
            OtherSprint(each.name, each.start, each.end, each.capacity, loads[each.id], self.scale)
            for each in self._lists.others()
            if each.id in loads
        ]
        if release is not None:
            load = sum((self._load(each) for each in release.iterations), PlannedLoad())
            entry, scale = release.entry, scale_end(release.capacity, load.points)
            found.append(
                OtherSprint(entry.name, entry.start, entry.end, release.capacity, load, scale, is_release=True)
            )
        return found

    def _empty_words(self, iteration: IterationEntry, *, is_reader: bool) -> str:
        """Return the text of a pane without rows, which has no open items; the head counts done ones too."""
        load, is_over = self._load(iteration), iteration.is_over(self._store.today())
        if load.count:
            which = "The only item" if load.count == 1 else f"All {load.count:,} items"
            verb, them = ("is", "it") if load.count == 1 else ("are", "them")
            return f"{which} here {verb} done: {counted(load.points, 'pt')}. {key_of('list.done')} shows {them}."
        return f"{iteration.name} has ended with nothing in it." if is_over else with_keys(EMPTY_PANE_TEXTS[is_reader])

    def backlog_title(self, filtered: Sequence[Part]) -> list[Word]:
        totals, panes = self._lists.totals, self._lists.panes
        name = ("Backlog", "heading" if panes.focused is panes.backlog else "foreground")
        amount = totals_words(totals)
        return [name, *filtered, *amount]

    def _head_lines(self) -> int:
        panes = self._lists.panes
        is_tall = panes.app.size.height >= PlanPane.TALL
        return 2 if panes.is_single else PlanPane.HEAD_LINES if is_tall else 3

    def _added(self) -> AddedItem | None:
        """Return the item under the cursor of the backlog, which would come into the target."""
        items = self._lists.panes.backlog.items
        if self._lists.panes.focused.items is not items or items.is_low_bandwidth or not items.row_count():
            return None
        row = items.row(items.cursor)
        if not isinstance(row, ItemRow) or row.type == ItemType.TASK:
            return None
        return AddedItem(f"#{row.id}" if row.id > 0 else "it", points_of(row.estimate))

    def _load(self, iteration: IterationEntry) -> PlannedLoad:
        return self._lists.loads.get(iteration.id, PlannedLoad())

    def _next_lines(self, iteration: IterationEntry, width: int) -> Iterator[HeadLine]:
        """Yield a line for each of the iterations after one; unread loads are left out.

        Items that exceed this iteration move to a later one.
        """
        targets = dropwhile(lambda each: each.id != iteration.id, self._store.plan.iterations.targets())
        later = [each for each in [*targets][1:] if each.id in self._lists.loads]
        every = [OtherSprint(it.name, it.start, it.end, it.capacity, self._load(it), self.scale) for it in later]
        key: list[Part] = [(f" {key_of('plan.next-target')} ", KEY), ("next ", "muted")]
        return next_lines(every, width, self._store.today(), key)


def plan_words(plan: Plan) -> list[Part]:
    count, sent = len(plan.state.contests), plan.sent()
    words: list[Part] = [(f"  ≠ {count} changed by others ({key_of('plan.difference')})", "conflict")] * bool(count)
    if sent is not None:
        held = f", {sent.held} on hold ({key_of('app.outbox')})" if sent.held else ""
        words.append((f"  plan: {sent.done} of {sent.total} sent{held}", "conflict" if held else "pending"))
    return words


RELOAD_SUBJECTS = (Subject.PLAN, Subject.ITEMS, Subject.TREES, Subject.HISTORY)
EMPTY_PANE_TEXTS = (
    "Nothing is planned here yet. Go to an item with [plan.next-pane], and press [plan.send] to plan it.",
    "Nothing is planned here yet. Press [plan.next-pane] for other panes, [plan.next-target] for other iterations.",
)
"""The text of an empty pane, and the one for a reader."""
UNREAD_HEAD = [HeadLine([(" Loading …", "muted")]), HeadLine()]


def _no_iteration_head(*, is_reader: bool) -> list[HeadLine]:
    way = key_of("app.iterations")
    words = (
        f"{way} shows the iterations" if is_reader else f"Press {way}, then {key_of('tree.series')} to create sprints"
    )
    return [HeadLine([(f" {words}", "muted")]), HeadLine()]


class IterationHead(Struct, frozen=True):
    """The head of an iteration's pane; `when` has its dates, its release, and when it was started and closed.

    `ways` says whether { and } lead to another iteration.
    """

    iteration: IterationEntry
    when: tuple[str, ...]
    load: PlannedLoad
    people: PeopleCapacities
    ways: tuple[bool, bool]
    added: AddedItem | None = None
    unsaved: Sequence[Word] = ()

    def title(self, width: int, *, has_focus: bool) -> list[Part]:
        """Return name and time, and where the name leaves room the keys that lead to other iterations."""
        keys = " ".join(key for key, is_open in zip("{}", self.ways, strict=True) if is_open)
        right: list[Part] = [(f"  {keys}", KEY), (" sprints", "muted")] if keys else []
        needed = cell_len(safe(self.iteration.name))
        right = right if needed + length(right) + 2 <= width else []
        room = width - length(right) - 2
        name = fit(self.iteration.name, min(needed, room))
        return [*_named((name, "heading" if has_focus else "foreground"), self.when, room + 2), *right]

    def edge(self) -> HeadLine:
        """Return name and time, and the keys that lead to other iterations, for the edge of a frame."""
        commands = zip(("plan.previous-target", "plan.next-target"), self.ways, strict=True)
        ways = [command for command, is_open in commands if is_open]
        keys: list[Word] = [(key_of(command), KEY, command) for command in ways]
        label: list[Word] = [(" sprints", "muted", ways[-1])] if ways else []
        told = enumerate(filter(None, self.when))
        facts: list[Word] = [(f"{' · ' if at else ' '}{fact}", "muted") for at, fact in told]
        return HeadLine([(self.iteration.name, "heading"), *facts], [*keys, *label])

    def lines(self, width: int, scale: float, count: int = PlanPane.HEAD_LINES) -> list[HeadLine]:
        """Return the instrument in `count` lines: words and bar, then the target, people, and what is not saved."""
        drawn, room = Instrument(self.load, self.iteration.capacity, scale, self.added), max(1, width - 2)
        edge: list[Part] = [(" ", "muted")]
        left, right = drawn.words()
        right = right if length([*left[:3], *right]) + 2 <= room else []
        target = drawn.target(room)
        people = people_words(self.load, self.people, self.iteration, room)
        rows: list[Sequence[Word]] = [drawn.bar(room)] if target else []
        if target and count <= len(rows) + 1 and not right:
            right = [(f"target {range_words(self.iteration.capacity)}", "muted")]
        rows += [target] if target and count > len(rows) + 1 else []
        rows += [people] if people and count >= PlanPane.HEAD_LINES else []
        rows += [self.unsaved] if self.unsaved else []
        return [HeadLine([*edge, *left], [*right, *edge]), *(HeadLine([*edge, *row]) for row in rows)]


def _named(name: Part, facts: Sequence[str], width: int) -> list[Part]:
    left = [name]
    for words in filter(None, facts):
        if length(left) + len(words) + 4 < width:
            left.append((f" · {words}", "muted"))
    return left


def _fill_line(iteration: IterationEntry, load: PlannedLoad, width: int, scale: float, named: str = "") -> HeadLine:
    """Return the points in words, after a bar of a scale, or after a name and a bar; with done points if they fit."""
    capacity = iteration.capacity
    name: list[Part] = [(" ", "muted")]
    if named:
        name = [(f" {key_of('plan.next-pane')} ", KEY), (f"{named} ", "foreground")]
    done = f"  {number_text(load.done)} done" if load.done and not named else ""
    for brief in (False, True):
        words, left = capacity_words(load, capacity, is_brief=brief), width - length(name) - 4
        room = min(BAR, left - max(length(words), BRIEF_CAPACITY_TEXT_CELLS if brief else CAPACITY_TEXT_CELLS))
        if room >= LEAST_BAR:
            break
    done = done if room + length(words) + len(done) <= left else ""
    bar = scaled_bar(load, capacity, room, scale) if room >= LEAST_BAR else []
    return HeadLine(
        [*name, *bar, ("  " if bar else "", "muted"), *words[:2]],
        [*[(done, "muted")] * bool(done), *words[2:], (" ", "muted")],
    )
