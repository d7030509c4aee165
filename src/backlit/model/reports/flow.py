"""Flow of items into and out of a scope, from the scope log."""

from dataclasses import dataclass

from backlit.model.trees import Totals

NOTHING = Totals()


@dataclass(frozen=True, slots=True)
class Flow:
    """Added and removed items between two records; `sized` is the change of points by new estimates."""

    came: Totals = NOTHING
    went: Totals = NOTHING
    sized: float = 0.0

    def __add__(self, other: "Flow") -> "Flow":
        return Flow(self.came + other.came, self.went + other.went, self.sized + other.sized)

    def leads(self, before: Totals, after: Totals) -> bool:
        """Return True if the flow explains the whole change between two scopes."""
        points = before.points + self.came.points - self.went.points + self.sized
        return before.count + self.came.count - self.went.count == after.count and abs(points - after.points) < 1e-6


def flow_of(before: float | None, after: float | None) -> Flow:
    """Return the flow of one item by its points; None for an item outside the scope."""
    if before is None:
        return Flow() if after is None else Flow(came=Totals(1, after))
    return Flow(went=Totals(1, before)) if after is None else Flow(sized=after - before)
