"""The target of plan commands, and the staging of changes in the draft."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from backlit.store.planning.draft import PLANNED, Values
from backlit.store.planning.plan import Plan
from backlit.store.records.item import Item
from backlit.store.records.people import IterationEntry
from backlit.tui.fields.acts import Act, plan_of
from backlit.tui.items.item_screen import journal
from backlit.tui.items.target import AddTarget


class IterationPanes(Protocol):
    """Panes of the backlog and of iterations, one of which has the focus."""

    def targets(self) -> Sequence[IterationEntry]:
        """Return the iterations of the panes, the target first."""

    def here(self) -> IterationEntry | None:
        """Return the iteration of the pane with the focus; None for the backlog's pane."""

    def step_past(self, item_ids: AbstractSet[int]) -> None:
        """Clear the selection, and put the cursor on the next item besides these."""


class PlanTarget(AddTarget, Protocol):
    """A place with a draft."""

    @property
    def lists(self) -> IterationPanes:
        """The panes."""

    def run_command(self, command_id: str, count: int | None = None) -> None:
        """Run a command as its key does."""


async def stage(target: AddTarget, act: Act, items: Sequence[Item]) -> None:
    """Stage a change of planned fields; journal any other change. Raises BadRequest for invalid values."""
    store = target.store
    planned = plan_of(act, [store.plan_preview.item_laid_over(item) for item in items], store.lookups)
    if not planned.changes or not all(changes.keys() <= set(PLANNED) for changes in planned.changes.values()):
        await journal(target, act, items)
        return
    if act.is_repeatable:
        target.session.last_act = act
    await _stage(store.plan, planned.changes)


async def _stage(plan: Plan, changes: Mapping[int, Values]) -> None:
    """Stage values; a change of the iteration alone moves the open tasks of an item too."""
    moves: dict[int, list[int]] = {}
    values: dict[int, Values] = {}
    for item_id, each in changes.items():
        place = each.get("IterationID")
        if isinstance(place, int) and len(each) == 1:
            moves.setdefault(place, []).append(item_id)
        else:
            values[item_id] = each
    for place, item_ids in moves.items():
        await plan.move(item_ids, place)
    if values:
        await plan.stage(values)
