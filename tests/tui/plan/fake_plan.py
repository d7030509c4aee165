"""A plan without a screen."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from tests.tui.target import FakeTarget

from backlit.store import IterationEntry, Store


class FakePlan(FakeTarget):
    """A `plan.plan_commands.PlanCommandTarget` with some iterations, in the pane of one of them or of the backlog."""

    def __init__(
        self,
        store: Store,
        ids: Sequence[int] = (),
        answers: Sequence[object] = (),
        targets: Sequence[IterationEntry] = (),
        here: IterationEntry | None = None,
    ) -> None:
        super().__init__(store, ids, answers)
        self._targets = targets
        self._here = here
        self.passed: list[AbstractSet[int]] = []
        self.run: list[tuple[str, int | None]] = []

    @property
    def lists(self) -> "FakePlan":
        return self

    def targets(self) -> Sequence[IterationEntry]:
        return self._targets

    def here(self) -> IterationEntry | None:
        return self._here

    def step_past(self, item_ids: AbstractSet[int]) -> None:
        self.passed.append(item_ids)

    def run_command(self, command_id: str, count: int | None = None) -> None:
        self.run.append((command_id, count))
