"""Writing the plan: its difference, what is over a capacity before it is written, and what others changed."""

from collections.abc import Sequence

from backlit.model.errors import BacklitError
from backlit.store.plan_reading import PlanChange
from backlit.tui.acting import CannotAct
from backlit.tui.bulk import sentence_of
from backlit.tui.plan_difference import Stand, plan_lines, stand_lines
from backlit.tui.plan_verbs import PlanVerbs
from backlit.tui.work import work


class PlanWriting(PlanVerbs):
    """The commands that show the draft as a whole, and write it."""

    def do_plan_difference(self, _count: int | None) -> None:
        """Show what the plan changes."""
        self._need_plan()
        from backlit.tui.dialogs.reading import ReadingDialog

        stand = self._stand()
        lines = [*stand_lines(stand), *plan_lines(self.store, stand)]
        self.app.push_screen(ReadingDialog("What the plan changes", lines))

    def do_plan_commit(self, _count: int | None) -> None:
        """Show the difference, and write it when it is agreed to."""
        self._need_plan()
        from backlit.tui.dialogs.commit_plan import CommitPlanDialog

        stand = self._stand()
        dialog = CommitPlanDialog(self.store, stand)

        def answered(is_agreed: bool | None) -> None:
            if is_agreed:
                mine = [change.over_theirs() for change in stand.changes]
                changes = mine if dialog.is_over_theirs else stand.changes
                self.run_worker(work(self._commit, changes, stand), group="writes")

        self.app.push_screen(dialog, answered)

    def _need_plan(self) -> None:
        if not self.store.plan.standing:
            raise CannotAct("Nothing is planned: > plans an item into the iteration, ce its estimate, ca its owner.")

    def _stand(self) -> Stand:
        """The draft as it is now, with the loads of all iterations it changes."""
        plan = self.store.plan
        changes = plan.difference()
        iterations = self.store.iterations()
        places = {each for change in changes for each in _places(change)} & iterations.keys() - {plan.backlog_id}
        ordered = [each for each in plan.targets() if each.id in places]
        loads = plan.loads_now([each.id for each in ordered])
        return Stand(changes, plan.standing.gone, ordered, loads, self.people())

    async def _commit(self, changes: Sequence[PlanChange], stand: Stand) -> None:
        try:
            written = await self.store.plan.commit(changes, stand.gone)
        except BacklitError as error:
            self.say(sentence_of(error), is_bad=True)
            return
        agreed = sum(bool(change.fields) for change in changes)
        noun = "item" if written == 1 else "items"
        late = f" {agreed - written:,} changed at the last moment and stay in the plan." if written < agreed else ""
        self.say(f"Plan written: {written:,} {noun}; u takes it back.{late}", is_bad=bool(late))


def _places(change: PlanChange) -> set[object]:
    move = change.fields.get("IterationID")
    return {change.place} if move is None else {move.base, move.mine}
