"""The contents of the panes: lists, loads and the forecast, read together with the draft laid over."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import counted, listed
from backlit.model.errors import BacklitError, sentence_of
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.planning import Capacity, CapacityFit, PlannedLoad, Velocity, forecast, shares_round
from backlit.model.trees import NodeTotals
from backlit.store.planning.plan import ReleasePlan
from backlit.store.records.changes import Subject
from backlit.store.records.item import ItemRow
from backlit.store.records.people import IterationEntry, target_of
from backlit.store.store import Store
from backlit.store.views.groups import GroupLine, ShownTasks
from backlit.store.views.query import ViewSpec
from backlit.store.views.tree import ALL_OPEN, TreeFolds
from backlit.store.views.view import View
from backlit.tui.commands.command import LOADING_SENTENCE, CannotAct
from backlit.tui.commands.table import key_of
from backlit.tui.fields.names import ALL_TASKS_SHOWN, ListNames
from backlit.tui.lists.folds import KeptFolds
from backlit.tui.plan.capacity import points_of_row
from backlit.tui.plan.pane import FITTING_SIGN, FORECAST_KEY, PlanPane
from backlit.tui.plan.panes import PlanPanes
from backlit.tui.shell.input_queue import ListReadCounter
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.workers import work
from backlit.tui.widgets.item_rows import Badge, ListColumn
from backlit.tui.widgets.tree_rows import TreeRows

FORECAST_ROWS = 400
"""Rows of the backlog in the forecast."""
FORECAST_ITERATIONS = 6
"""Iterations in the forecast."""
MAX_OTHERS = 6
"""Iterations besides the target whose loads are shown."""


class PlanPaneContents:
    """The views, loads and totals of all panes, read in a worker of the panes; posts PlanPanes.Loaded."""

    def __init__(self, store: Store, names: ListNames) -> None:
        self._store = store
        self._names = names
        self.tasks = ShownTasks()
        shown = replace(names.names, badges=self._badges)
        self.panes = PlanPanes(replace(shown, group=self._group_name))
        self._tree_rows = TreeRows(self.panes.backlog.items, self._keep_tree)
        self.spec = ViewSpec()
        """The spec of the backlog's pane."""
        self.view_name = ""
        """The name of the view in the backlog's pane."""
        self.columns: Sequence[ListColumn] = ()
        """The columns chosen by the user; none for the default columns."""
        self.wanted_item: int | None = None
        """The item under the cursor once a list has it."""
        self.is_sought = False
        """True where the cursor goes to the pane of the wanted item."""
        self.loads: Mapping[int, PlannedLoad] = {}
        self.totals: NodeTotals | None = None
        """The totals of the backlog's pane, with the draft laid over."""
        self.velocity = Velocity(is_known=False)
        self.views: dict[PlanPane, View] = {}
        """The view of each loaded pane."""
        self._forecast = Forecast()
        self._tree: bool | None = None
        """Whether the backlog's pane is a tree, as the user chose here; None to follow the view in the backlog."""
        self._tree_folds = TreeFolds()
        self._is_stale = self._is_loading = False
        self.readings = ListReadCounter()

    def _badges(self, rows: Sequence[ItemRow]) -> Mapping[int, Badge]:
        """Return the badges of rows; that of an item whose blocker comes after it names the blocker."""
        found = dict(self._names.badges(rows, self.tasks, is_judged=True))
        blocked = [item_id for item_id, badge in found.items() if badge.blockers]
        for each in self._store.plan_preview.blockers(blocked) if blocked else ():
            if not each.is_beside:
                found[each.item_id] = found[each.item_id]._replace(late_blocker=each.blocker_id)
        return found

    def view(self, pane: PlanPane) -> View:
        """Return the view of a pane. Raises CannotAct before it is loaded."""
        if pane not in self.views:
            raise CannotAct(LOADING_SENTENCE)
        return self.views[pane]

    def targets(self) -> Sequence[IterationEntry]:
        """Return the target and the iterations after it."""
        plan = self._store.plan
        every = plan.iterations.targets()
        target = target_of(every, plan.draft.target, self._store.today())
        return every[every.index(target) if target else 0 :]

    @property
    def target(self) -> IterationEntry | None:
        return next(iter(self.targets()), None)

    def others(self) -> Sequence[IterationEntry]:
        """Return iterations besides the target that have not ended, the current one first."""
        today, target = self._store.today(), self.target
        every = self._store.plan.iterations.targets()
        return [each for each in every if each != target and not each.is_over(today)][:MAX_OTHERS]

    def release(self) -> ReleasePlan | None:
        """Return the release of the target."""
        target = self.target
        return self._store.plan.iterations.release_of(target.id) if target else None

    def name_of(self, pane: PlanPane) -> str:
        iteration = self._store.lookups.iterations().get(pane.place or 0)
        return iteration.name if iteration else "backlog" if pane is self.panes.backlog else "other pane"

    def here(self) -> IterationEntry | None:
        """Return the iteration of the pane with the focus; None for the backlog's pane."""
        place = self.panes.focused.place
        return None if place is None else self._store.lookups.iterations().get(place)

    def step_past(self, item_ids: AbstractSet[int]) -> None:
        """Clear the selection, and put the cursor on the next item besides these."""
        items = self.panes.focused.items
        items.step_past(item_ids)
        items.selection.clear()

    def use_columns(self, columns: Sequence[ListColumn]) -> None:
        """Show these columns, or the default ones without any."""
        self.columns = columns
        self.reload()

    def show_motion(self, changes: ChangeBatch, *, has_motion: bool) -> None:
        """Have what an act of the user changed flash; without motion it just changes."""
        for pane in self.panes.every if has_motion else ():
            pane.items.flash_changed(changes.acted_on, changes.ranked)

    def turn_tasks(self, item_id: int | None, *, is_shown: bool) -> None:
        """Show or hide the tasks of an item, or of all items. Raises CannotAct for an item without tasks."""
        if item_id is None:
            self.tasks = ShownTasks(is_shown)
        elif is_shown and not self._store.batch.tasks_of(item_id):
            raise CannotAct(f"#{item_id} has no tasks. Press {key_of('item.add-task')} to add one.")
        else:
            self.tasks = self.tasks.turned(item_id, is_shown=is_shown)
        self.reload()

    def turn_tree(self) -> None:
        """Show the backlog's pane as a tree, or flat again."""
        self._tree = not self._is_tree
        self.panes.backlog.items.forget_drawn()
        self.reload()

    @property
    def _is_tree(self) -> bool:
        if not self._store.lookups.announces("relations"):
            return False
        return KeptFolds(self._store.kept).of_view(self.view_name).is_tree if self._tree is None else self._tree

    def _keep_tree(self, folds: TreeFolds) -> None:
        self._tree_folds = folds

    def want(self, item_id: int, *, is_sought: bool = False) -> None:
        """Put the cursor on an item once a list has it; with `is_sought`, go to its pane too."""
        self.wanted_item, self.is_sought = item_id, is_sought
        self.reload()

    def rename(self, changes: ChangeBatch) -> None:
        for pane in self.panes.every:
            pane.items.renamed(changes.renamed)
            if Subject.PEOPLE in changes or Subject.TREES in changes:
                pane.items.forget_drawn()
        self.wanted_item = changes.renamed.get(self.wanted_item or 0, self.wanted_item)

    def reload(self, *, is_wanted: bool = True) -> None:
        """Read all panes again, after the current reading. Keys wait for a reading that the user wants."""
        self.readings.ask(is_wanted=is_wanted)
        self._is_stale = True
        if not self._is_loading and self.panes.is_attached:
            self._is_loading = True
            self.panes.run_worker(work(self._load_until_fresh), group="panes")

    async def _load_until_fresh(self) -> None:
        try:
            while self._is_stale and self.panes.is_attached:
                self._is_stale, reading = False, self.readings.asked
                await self.load()
                self.readings.shown = reading
        except BacklitError as error:
            self.readings.shown = self.readings.asked
            self.panes.post_message(PlanPanes.Loaded(sentence_of(error)))
        finally:
            self._is_loading = False

    async def load(self) -> None:
        spec, targets = self.spec, self.targets()
        iterations = self._store.plan.iterations
        every = iterations.targets()
        today = self._store.today()
        upcoming = [each for each in targets if not each.is_over(today)][:FORECAST_ITERATIONS]
        self.velocity = await self._store.reports.velocity()
        release = self.release()
        shown = [*upcoming, *targets[:1], *self.others(), *(release.iterations if release else ())]
        self.loads = await self._store.plan_preview.loads({each.id for each in shown})
        target = next(iter(targets), None)
        self.panes.target.place = target.id if target else None
        places = frozenset({target.id} if target else ())
        await self._load_pane(self.panes.target, ViewSpec(with_done=spec.with_done), places)
        unplanned = frozenset(self._store.lookups.iterations()) - {each.id for each in every}
        await self._load_pane(self.panes.backlog, spec, unplanned, upcoming)
        self.panes.post_message(PlanPanes.Loaded())

    async def _load_pane(
        self, pane: PlanPane, base: ViewSpec, places: frozenset[int], upcoming: Sequence[IterationEntry] = ()
    ) -> None:
        plan = self._store.plan_preview
        is_tree = pane is self.panes.backlog and not base.group and self._is_tree
        spec = replace(plan.spec(base, places, ALL_TASKS_SHOWN if is_tree else self.tasks), is_tree=is_tree)
        view = self._store.view(spec, plan.laid_over)
        view.tree_folds = ALL_OPEN if base.text or base.query else self._tree_folds
        await view.load()
        if not self.panes.is_attached or view.totals is None:
            return
        if pane is self.panes.backlog:
            if base != self.spec:
                return  # another filter came meanwhile; its list starts from the row that has the cursor now
            self.totals = plan.totals_of(view.totals, view.ids())
            pane.items.folds = self._tree_rows if is_tree else pane.items.task_folds
            if not (is_tree or base.group or base.sort or base.text or base.query or base.area_ids is not None):
                rows = view.rows(0, FORECAST_ROWS)
                uncounted = plan.counted_by_items(row.id for row in rows)
                self._forecast.divide(view, self.totals, self.velocity, upcoming, self.loads, uncounted=uncounted)
        self.views[pane] = view
        pane.items.use_columns(self.columns, has_hours=bool(self.tasks))
        wanted = self.wanted_item if self.wanted_item in view.ids() else None
        if wanted is not None:
            self.wanted_item = None
            if self.is_sought:
                self.panes.enter(pane)
        pane.items.show(view, pane.items.current_id if wanted is None else wanted)

    def _group_name(self, line: GroupLine) -> str:
        return self._forecast.name(line) if line.key == FORECAST_KEY else self._names.group(line)


class ForecastRound(Struct, frozen=True):
    """Sprints that run together and so share one velocity, and the points planned into them."""

    sprints: tuple[IterationEntry, ...]
    points: float

    @property
    def id(self) -> int:
        return self.sprints[0].id

    @property
    def name(self) -> str:
        return listed([sprint.name for sprint in self.sprints])

    @property
    def capacity(self) -> Capacity:
        """The sums of the minima and of the maxima, where each sprint has one."""
        return Capacity(
            _whole([sprint.min_capacity for sprint in self.sprints]),
            _whole([sprint.max_capacity for sprint in self.sprints]),
        )

    def room(self, amount: float) -> float:
        """Return the points that fit: what the velocity leaves, on target what the maximum leaves."""
        most = self.capacity.most
        if most and self.capacity.fit(self.points) is CapacityFit.WITHIN:
            return most - self.points
        return (min(amount, most) if most else amount) - self.points


def _whole(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount]
    return sum(known) if len(known) == len(amounts) else None


def rounds_of(sprints: Sequence[IterationEntry], loads: Mapping[int, PlannedLoad]) -> list[ForecastRound]:
    found: list[list[IterationEntry]] = []
    for sprint in sorted(sprints, key=lambda each: (each.start or date.max, each.end or date.max)):
        if found and _shares_round(found[-1][0], sprint):
            found[-1].append(sprint)
        else:
            found.append([sprint])
    return [ForecastRound(tuple(each), sum(loads[sprint.id].points for sprint in each)) for each in found]


def _shares_round(opening: IterationEntry, sprint: IterationEntry) -> bool:
    if not (opening.start and opening.end and sprint.start and sprint.end):
        return False
    return shares_round((opening.start, opening.end), (sprint.start, sprint.end))


class Forecast:
    """The forecast: the backlog divided by rounds of sprints at their median; unestimated items take no room."""

    def __init__(self) -> None:
        self._unestimated: dict[object, int] = {}
        self._free: dict[object, float] = {}
        self._rounds: dict[object, ForecastRound] = {}

    def divide(
        self,
        view: View,
        totals: NodeTotals,
        velocity: Velocity,
        upcoming: Sequence[IterationEntry],
        loads: Mapping[int, PlannedLoad],
        *,
        uncounted: AbstractSet[int] = frozenset(),
    ) -> None:
        """Put a line above the items that fit each round; `totals` belong to the whole list.

        Rows of `uncounted` items take no room: Features whose items do.
        """
        amount = velocity.forecast
        if not (amount and upcoming and view.count):
            return
        rows = view.rows(0, FORECAST_ROWS)
        estimate = FIELD_BY_KEY["Estimate"]
        at = [
            index
            for index, row in enumerate(rows)
            if row.type != ItemType.TASK and estimate.applies_to(row.type) and row.id not in uncounted
        ]
        points = [points_of_row(rows[index]) for index in at]
        rounds = rounds_of(upcoming, loads)
        rooms = [each.room(amount) for each in rounds]
        self._rounds = {each.id: each for each in rounds}
        self._free = {each.id: max(0.0, room) for each, room in zip(rounds, rooms, strict=True)}
        parts: list[tuple[object, int, NodeTotals]] = []
        start = begin = end = 0
        self._unestimated = {}
        for number, stop in forecast(points, rooms, amount):
            place = rounds[number].id
            end = at[stop] if stop < len(at) else len(rows)
            parts.append(
                (
                    place,
                    end,
                    NodeTotals(sum(row.type != ItemType.TASK for row in rows[begin:end]), sum(points[start:stop])),
                )
            )
            self._unestimated[place] = sum(not points_of_row(rows[index]) for index in at[start:stop])
            start, begin = stop, end
        if end < view.count:
            taken = sum((part[2] for part in parts), NodeTotals())
            parts.append(
                (None, view.count, NodeTotals(totals.count - taken.count, max(0.0, totals.points - taken.points)))
            )
        if len(parts) > 1:
            view.divide(FORECAST_KEY, parts)

    def name(self, line: GroupLine) -> str:
        found = self._rounds.get(line.value)
        if found is None:
            return "later"
        unestimated, free = self._unestimated.get(line.value, 0), self._free[line.value]
        fit = found.capacity.fit(found.points)
        room = f"room for {counted(round(free), 'pt')}" if round(free) else "full"
        # An item that is larger than a whole iteration takes one alone.
        fits = "larger than" if line.points > free else "fits"
        sign = f"{FITTING_SIGN} " if fit is CapacityFit.WITHIN else ""
        facts = [f"{sign}{fits} {found.name}", room, f"{unestimated} unestimated" if unestimated else ""]
        return " · ".join(filter(None, facts))
