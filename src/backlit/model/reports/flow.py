"""What came into a piece of work and what went out of it, item by item, where that was noted."""

from dataclasses import dataclass

from backlit.model.trees import Totals

NOTHING = Totals()


@dataclass(frozen=True, slots=True)
class Flow:
    """What came and what went between two records; `sized` is what new estimates did to the points of what stayed."""

    came: Totals = NOTHING
    went: Totals = NOTHING
    sized: float = 0.0

    def __add__(self, other: "Flow") -> "Flow":
        return Flow(self.came + other.came, self.went + other.went, self.sized + other.sized)

    def leads(self, before: Totals, after: Totals) -> bool:
        """Whether it is all that lies between two scopes."""
        points = before.points + self.came.points - self.went.points + self.sized
        return before.count + self.came.count - self.went.count == after.count and abs(points - after.points) < 1e-6


def flow_of(before: float | None, after: float | None) -> Flow:
    """What one item did, by its points; None where it did not count."""
    if before is None:
        return Flow() if after is None else Flow(came=Totals(1, after))
    return Flow(went=Totals(1, before)) if after is None else Flow(sized=after - before)
