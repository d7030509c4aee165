"""Commands that show the draft as a whole and write it, and the dialog that asks first."""

from collections.abc import Sequence

from textual.content import Content

from backlit.store.planning.plan import PlanChange
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.confirm_difference import DifferenceQuestion
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import literal
from backlit.tui.plan.capacity import people_of
from backlit.tui.plan.difference import PlanSummary, plan_lines, summary_lines
from backlit.tui.plan.target import PlanTarget


async def difference(target: PlanTarget, _call: Call) -> None:
    """Show the changes of the plan."""
    summary = _summary(target)
    lines = [*summary_lines(summary), *plan_lines(target.store, summary)]
    await target.ask(ReadingDialog("Changes of the plan", lines))


async def commit(target: PlanTarget, _call: Call) -> None:
    """Show the changes of the plan, and write them once the user agrees."""
    summary = _summary(target)
    dialog = CommitPlanDialog(summary, plan_lines(target.store, summary))
    if not await target.ask(dialog):
        return
    changes = [change.over_theirs() for change in summary.changes] if dialog.is_over_theirs else summary.changes
    written = await target.store.plan.commit(changes, summary.gone)
    agreed = sum(bool(change.fields) for change in changes)
    noun = "item" if written == 1 else "items"
    late = f" {agreed - written:,} changed at the last moment and stay in the plan." if written < agreed else ""
    target.say(f"Plan written: {written:,} {noun}; u takes it back.{late}", is_bad=bool(late))


def _summary(target: PlanTarget) -> PlanSummary:
    """Read the draft with the loads of all iterations it changes; raises CannotAct without a plan."""
    plan, store = target.store.plan, target.store
    if not plan.standing:
        raise CannotAct("Nothing is planned: > plans an item into the iteration, ce its estimate, ca its owner.")
    changes = plan.difference()
    places = {each for change in changes for each in _places(change)} - {plan.iterations.backlog_id}
    ordered = [each for each in plan.iterations.targets() if each.id in places]
    loads = store.plan_preview.loads_now([each.id for each in ordered])
    people = people_of(store, target.session.capacities)
    return PlanSummary(changes, plan.standing.gone, ordered, loads, people)


def _places(change: PlanChange) -> set[object]:
    move = change.fields.get("IterationID")
    return {change.place} if move is None else {move.base, move.mine}


class CommitPlanDialog(DifferenceQuestion):
    """The plan before it is written: loads of iterations, then the changes.

    y agrees to the changes without contests; m also to the user's values over the others', as `is_over_theirs` says.
    """

    def __init__(self, summary: PlanSummary, changes: Sequence[Content]) -> None:
        noun = "item" if summary.written == 1 else "items"
        super().__init__("Write the plan", f"write {summary.written:,} {noun}" if summary.written else "")
        self._summary = summary
        self._changes = changes
        self.is_over_theirs = False
        if summary.contested:
            with_yes = f"y write {summary.written:,} {noun}  " if summary.written else ""
            self.frame.border_subtitle = literal(f"{with_yes}m mine over theirs too  n leave")

    def heading(self) -> list[Content]:
        """Return a line for each iteration, with a warning for each load over its capacity."""
        return summary_lines(self._summary)

    def lines(self) -> Sequence[Content]:
        """Return a line for each item."""
        return self._changes

    def type_early(self, character: str) -> None:
        """Write, leave, or scroll."""
        if character == "m" and self._summary.contested:
            self.is_over_theirs = True
            self.dismiss(True)
        elif character != "y" or self._summary.written or self._summary.gone:
            super().type_early(character)
