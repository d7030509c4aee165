"""What is done in the plan: moves, estimates and owners go into its draft, everything else is written at once."""

from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from backlit.model.errors import BacklitError
from backlit.store.people import IterationEntry, TreeKind
from backlit.store.plan_draft import PLANNED
from backlit.store.rows import Item
from backlit.tui.acting import CannotAct
from backlit.tui.acts import Act, Changes, plan_of
from backlit.tui.bulk import sentence_of
from backlit.tui.capacity_asking import ask_capacity
from backlit.tui.plan_words import People
from backlit.tui.shared_filter import SharedFilter
from backlit.tui.widgets.plan_pane import PlanList
from backlit.tui.work import work

if TYPE_CHECKING:
    from backlit.tui.history_acts import HistoryActs


class PlanVerbs(SharedFilter):
    """A screen with a draft; subclasses say which iterations are in sight, and which has the focus."""

    def targets(self) -> Sequence[IterationEntry]:
        """The iterations that are planned at present, the first of which is the target."""
        raise NotImplementedError

    def here(self) -> IterationEntry | None:
        """The iteration whose pane has the focus; None for the backlog's."""
        raise NotImplementedError

    def people(self) -> People:
        """Who works on the project, and what each can take on by the settings of this machine."""
        known = self.store.everybody.known().values()
        names = {each.id: each.username for each in known}
        return People(names, self.chord_app.capacities, self.store.teams())

    # Items as the draft has them

    def current_item(self) -> Item:
        """The item under the cursor."""
        if not self.items.is_complete():
            raise CannotAct("The list is still being read; try again in a moment.")
        return super().current_item()

    def chosen(self) -> list[Item]:
        """The items the verbs act on, as the plan has them."""
        return [self.store.plan.item_laid_over(item) for item in super().chosen()]

    def inherited(self) -> dict[str, object]:
        """A new item comes into the iteration of the pane it is added in."""
        here = self.here()
        place = here.id if here else self.store.plan.backlog_id
        return {**super().inherited(), "IterationID": place}

    def carry_out(self, act: Act, items: Sequence[Item]) -> None:
        """Plan what can be planned; anything else is written as everywhere."""
        planned = plan_of(act, [self.store.plan.item_laid_over(item) for item in items], self.store)
        if not planned.changes or not all(changes.keys() <= set(PLANNED) for changes in planned.changes.values()):
            super().carry_out(act, items)
            return
        if act.is_repeatable:
            self.chord_app.last_act = act
        self.plan(self._stage(planned.changes))

    async def _stage(self, changes: Mapping[int, Changes]) -> None:
        moves: dict[int, list[int]] = {}
        values: dict[int, Changes] = {}
        for item_id, each in changes.items():
            place = each.get("IterationID")
            if isinstance(place, int) and len(each) == 1:
                moves.setdefault(place, []).append(item_id)
            else:
                values[item_id] = each
        for place, item_ids in moves.items():
            await self.store.plan.move(item_ids, place)
        if values:
            await self.store.plan.stage(values)

    def plan(self, act: Coroutine[Any, Any, object]) -> None:
        """Have the draft changed; what is wrong with that is said."""
        self.run_worker(work(self._planned, act), group="writes")

    async def _planned(self, act: Coroutine[Any, Any, object]) -> None:
        try:
            await act
        except BacklitError as error:
            self.say(sentence_of(error), is_bad=True)

    def _no_iteration(self) -> CannotAct:
        if not self.store.iterations():
            return CannotAct("The iterations are still being read; try again in a moment.")
        return CannotAct("There is no iteration to plan into; gi shows them, and cs there makes a series.")

    # Commands

    def do_plan_send(self, count: int | None) -> None:
        """Plan into the target, or into the one so many further; from an iteration into the one after it."""
        targets, here = self.targets(), self.here()
        ids = [here_id.id for here_id in targets]
        at = (count or 1) - 1
        if count is None and here is not None and here.id in ids:
            at = ids.index(here.id) + 1
        if at >= len(targets):
            raise self._no_iteration()
        if here is not None and here.id == ids[at]:
            raise CannotAct(f"It is in {here.name} already.")
        self._send(targets[at])

    def _send(self, iteration: IterationEntry) -> None:
        items = self.chosen()
        if all(item.fields.get("IterationID") == iteration.id for item in items):
            raise CannotAct(f"It is planned into {iteration.name} already.")
        self._step_on(items)
        self.plan(self.store.plan.move([item.id for item in items], iteration.id))

    def _step_on(self, items: Sequence[Item]) -> None:
        """Go from what leaves its list to the next that stays; marks are done with."""
        if isinstance(self.items, PlanList):
            self.items.go_on({item.id for item in items})
        self.items.clear_marks()

    def do_plan_back(self, _count: int | None) -> None:
        """Take the planned move back, or plan into the backlog."""
        items = self.chosen()
        is_moved = any("IterationID" in self.store.plan.draft.items.get(item.id, {}) for item in items)
        if self.here() is None and not is_moved:
            raise CannotAct("It is in the backlog already.")
        if is_moved:
            self.items.clear_marks()
        else:
            self._step_on(items)
        self.plan(self.store.plan.take_back([item.id for item in items]))

    def do_plan_next_target(self, count: int | None) -> None:
        """Plan the next iteration."""
        self._aim(count or 1)

    def do_plan_previous_target(self, count: int | None) -> None:
        """Plan the one before."""
        self._aim(-(count or 1))

    def _aim(self, steps: int) -> None:
        every, targets = self.store.plan.targets(), self.targets()
        if not targets:
            raise self._no_iteration()
        at = [each.id for each in every].index(targets[0].id)
        wanted = max(0, min(at + steps, len(every) - 1))
        if wanted == at:
            raise CannotAct(f"{targets[0].name} is the {'last' if steps > 0 else 'first'} iteration.")
        self.plan(self.store.plan.aim(every[wanted].id))

    def do_plan_capacity(self, _count: int | None) -> None:
        """Change the least and the most points of the iteration here, else of the target."""
        refusal = self.store.nodes.refusal()
        if refusal:
            raise CannotAct(refusal)
        entry = self.here() or next(iter(self.targets()), None)
        if entry is None:
            raise self._no_iteration()
        nodes, iteration_id = self.store.nodes, entry.id
        ask_capacity(self.app, entry, lambda changes: self.plan(nodes.edit(TreeKind.ITERATIONS, iteration_id, changes)))

    def do_plan_discard(self, _count: int | None) -> None:
        """Drop the draft."""
        if not self.store.plan.draft.items:
            raise CannotAct("Nothing is planned.")
        self.plan(self._discard())

    async def _discard(self) -> None:
        await self.store.plan.discard()
        self.say("The plan is dropped; u brings it back.")

    def do_app_undo(self, count: int | None) -> None:
        """Take the draft's last step back; where it has none, the last act as everywhere."""
        if not self.store.plan.draft.past:
            cast("HistoryActs", self.app).do_app_undo(count)
            return
        self.plan(self._walk_draft(count or 1, is_redo=False))

    def do_app_redo(self, count: int | None) -> None:
        """Do again what was taken back of the draft; where nothing was, of everything."""
        if not self.store.plan.draft.future:
            cast("HistoryActs", self.app).do_app_redo(count)
            return
        self.plan(self._walk_draft(count or 1, is_redo=True))

    async def _walk_draft(self, count: int, *, is_redo: bool) -> None:
        for _ in range(count):
            if not await (self.store.plan.redo() if is_redo else self.store.plan.undo()):
                return
