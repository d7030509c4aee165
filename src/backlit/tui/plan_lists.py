"""What the panes of the plan show: lists, loads and the forecast, read together as the draft has them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from backlit.model.fields import ItemType
from backlit.model.planning import Load, Velocity
from backlit.model.trees import Totals
from backlit.store.people import IterationEntry
from backlit.store.plan_tasks import TasksShown
from backlit.store.rows import Row
from backlit.store.store import Store
from backlit.store.views import View
from backlit.store.views_groups import GroupLine
from backlit.store.views_query import ViewSpec
from backlit.tui.acting import CannotAct
from backlit.tui.list_names import ListNames
from backlit.tui.plan_forecast import Forecast
from backlit.tui.widgets.badges import Badge
from backlit.tui.widgets.columns import Column
from backlit.tui.widgets.plan_pane import FORECAST, PlanList, PlanPane
from backlit.tui.widgets.plan_panes import MOST_TARGETS, PlanPanes

FORETOLD = 6
"""Iterations whose share of the backlog is foretold."""


class PlanLists:
    """Every pane is a window on the store; no item is kept here."""

    def __init__(self, store: Store, names: ListNames) -> None:
        self._store = store
        self._names = names
        self.panes = PlanPanes(replace(names.names, group=self._group_name, badges=self._badges))
        self.tasks = TasksShown()
        self.columns: Sequence[Column] = ()
        """Those that were chosen; the usual ones without."""
        self.wanted_item: int | None = None
        """Where the cursor goes once a list has it."""
        self.loads: Mapping[int, Load] = {}
        self.totals: Totals | None = None
        """Of what is unplanned, as the plan has it."""
        self.velocity = Velocity(())
        self.views: dict[PlanPane, View] = {}
        """Of each pane, once it was read."""
        self._forecast = Forecast(store)

    def view(self, pane: PlanPane) -> View:
        """The list of a pane. Raises CannotAct before it was read."""
        if pane not in self.views:
            raise CannotAct("The list is still being read; try again in a moment.")
        return self.views[pane]

    async def load(self, spec: ViewSpec, targets: Sequence[IterationEntry]) -> None:
        """Read the backlog by a spec, and some iterations with what is in them."""
        plan = self._store.plan
        every = plan.targets()
        today = self._store.today()
        later = every[every.index(targets[0]) :] if targets else []
        upcoming = [each for each in later if each.end is None or each.end >= today][:FORETOLD]
        self.velocity = await self._store.reports.velocity()
        releases = [plan.release_of(each.id) for each in targets]
        released = [each for release in releases if release for each in release.iterations]
        self.loads = await plan.loads({each.id for each in (*upcoming, *targets, *released)})
        for pane, target in zip(self.panes.targets, [*targets, *[None] * MOST_TARGETS], strict=False):
            pane.place = target.id if target else None
            places = frozenset({target.id} if target else ())
            await self._load_pane(pane, ViewSpec(with_done=spec.with_done), places)
        unplanned = frozenset(self._store.iterations()) - {each.id for each in every}
        await self._load_pane(self.panes.backlog, spec, unplanned, upcoming)

    async def _load_pane(
        self, pane: PlanPane, base: ViewSpec, places: frozenset[int], upcoming: Sequence[IterationEntry] = ()
    ) -> None:
        plan = self._store.plan
        spec = plan.spec(base, places, self.tasks)
        if not spec.group:  # the figures of groups are without what leaves, and so are their rows
            spec = replace(spec, planned_out=frozenset())
        view = self._store.view(spec, partial(plan.laid_over, places=places))
        await view.load()
        if not self.panes.is_attached or view.totals is None:
            return
        if pane is self.panes.backlog:
            self.totals = view.totals if spec.group else plan.totals_of(view.totals, view.ids(), places)
            if not (base.group or base.sort or base.text or base.query or base.area_ids is not None):
                self._forecast.divide(view, self.totals, self.velocity, upcoming, self.loads)
        self.views[pane] = view
        pane.items.leaving = plan.leaving(places)
        pane.items.use_columns(self.columns or (PlanList.WITH_HOURS if self.tasks else PlanList.COLUMNS))
        wanted = self.wanted_item if self.wanted_item in view.ids() else None
        if wanted is not None:
            self.wanted_item = None
        pane.items.show(view, pane.items.current_id if wanted is None else wanted)

    def _group_name(self, line: GroupLine) -> str:
        return self._forecast.name(line) if line.key == FORECAST else self._names.group(line)

    def _badges(self, rows: Sequence[Row]) -> Mapping[int, Badge]:
        """The quiet signs of some rows; items with tasks that are not shown have one more."""
        found = dict(self._names.badges(rows))
        hidden = [row.id for row in rows if row.type != ItemType.TASK and not self.tasks.shows(row.id)]
        for item_id in self._store.plan.with_tasks(hidden):
            found[item_id] = found.get(item_id, Badge.NONE) | Badge.FOLDED
        return found
