"""The instrument of an iteration: its load in words and as a bar, the shares of people, and the target on one scale."""

from collections.abc import Sequence

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.planning import Capacity, CapacityFit, PlannedLoad
from backlit.model.reports.report import number_text
from backlit.tui.drawing.charts import EIGHTHS_ACROSS, ON, Piece, joined
from backlit.tui.drawing.themes import owner_colour
from backlit.tui.widgets.side_lines import Part, length

ROOM_ABOVE = 4 / 3
"""The end of a scale, by the maximum: a load beyond the target still has room."""
USUAL_RANGE = 1.25
"""The maximum of a scale, by the minimum of a capacity without a maximum."""
GHOST, SHARE, FULL = "▒", "▀", "█"
"""The signs of what one item would add, of a person's share, and of the load."""
MIN_TARGET_WIDTH = len("╰ target ╯")


class AddedItem(Struct, frozen=True):
    """The item that would come into the iteration; `points` is None without an estimate."""

    name: str
    points: float | None


def scale_end(capacity: Capacity, amount: float = 0.0) -> float:
    """Return the points at the end of a bar's scale; 0 without anything to measure."""
    return max((capacity.most or (capacity.least or 0.0) * USUAL_RANGE) * ROOM_ABOVE, amount)


class Instrument(Struct, frozen=True):
    """A load beside its capacity; `scale` is the points of a whole width."""

    load: PlannedLoad
    capacity: Capacity
    scale: float
    added: AddedItem | None = None

    def verdict(self, points: float) -> Part:
        """Return the words for a load: on target, what is missing, or what is too much."""
        fit = self.capacity.fit(points)
        if fit is CapacityFit.OVER:
            return f"{number_text(self.capacity.over(points))} over", "conflict"
        if fit is CapacityFit.UNDER:
            return f"{number_text((self.capacity.least or 0.0) - points)} to target", "pending"
        return ("✓ on target", "status-done") if fit is CapacityFit.WITHIN else ("", "muted")

    def words(self) -> tuple[list[Part], list[Part]]:
        """Return the points with their verdict, and at the right what the added item would make of them."""
        figure, _, unit = counted(round(self.load.points, 1), "pt").partition(" ")
        left: list[Part] = [(figure, "figure"), (f" {unit}", "muted")]
        words, colour = self.verdict(self.load.points)
        left += [(f"  {words}", colour)] if words else []
        if self.load.unestimated:
            left.append((f"  {self.load.unestimated:,} unestimated", "warn"))
        if self.added is None:
            return left, []
        right: list[Part] = [(f"with {self.added.name} ", "muted")]
        if self.added.points is None:
            return left, [*right, ("? pts", "muted")]
        most = f" of {number_text(self.capacity.most)}" if self.capacity.most else ""
        return left, [*right, (number_text(self.load.points + self.added.points), "figure"), (most, "muted")]

    def bar(self, width: int, reached: str = "bar-done") -> list[Piece]:
        """Return the load over the lighter ground of the target: `reached` on target, red above it, else blue.

        What is done is green in any case.
        """
        load, capacity = self.load, self.capacity
        least, most = self._target(width)
        ends = self._eighths(load.points, width)
        colour = {CapacityFit.UNDER: "bar", CapacityFit.OPEN: "bar"}.get(capacity.fit(load.points), reached)
        done = self._eighths(load.done, width) // 8
        limit = self._eighths(capacity.most, width) // 8 if capacity.most else width
        ghost_end, ghost = 0, colour
        if self.added is not None and self.added.points:
            after = load.points + self.added.points
            ghost_end = min(width, -(-self._eighths(after, width) // 8))
            ghost = {"conflict": "bar-over", "status-done": "bar-done"}.get(self.verdict(after)[1], "bar")

        def piece(at: int) -> Piece:
            ground = "bar-band" if least <= at < most else "bar-track"
            if at < ends // 8:
                return FULL, "bar-done" if at < done else "bar-over" if at >= limit else colour
            if at == ends // 8 and ends % 8:
                return EIGHTHS_ACROSS[ends % 8], f"{'bar-over' if at >= limit else colour}{ON}{ground}"
            return (GHOST, f"{ghost}{ON}{ground}") if at < ghost_end else (" ", f"foreground{ON}{ground}")

        return joined([piece(at) for at in range(width)])

    def shares(self, width: int, known: Sequence[int]) -> list[Piece]:
        """Return the load again, divided by owners, the fullest first, each in the colour of its owner."""
        pieces: list[Piece] = []
        so_far = 0.0
        for owner, share in sorted(self.load.people.items(), key=lambda each: (-each[1].points, -each[1].hours)):
            start = self._eighths(so_far, width) // 8
            so_far += share.points
            cells = self._eighths(so_far, width) // 8 - start
            pieces.append((SHARE * cells, "faint" if owner is None else owner_colour(owner, known)))
        return [each for each in pieces if each[0]]

    def target(self, width: int) -> list[Piece]:
        """Return the scale: 0, and a bracket from the minimum to the maximum, green where the load is in it."""
        capacity = self.capacity
        least, most = self._target(width)
        colour = "status-done" if capacity.fit(self.load.points) is CapacityFit.WITHIN else "muted"
        start, end = (number_text(each) if each else "" for each in (capacity.least, capacity.most))
        if not (start or end):
            return []
        lead = f"{start} " if start else ""
        room = max(MIN_TARGET_WIDTH, most - least)
        at = max(2 + len(lead), min(least, width - room - len(f" {end}")))
        rule = "─" * ((room - MIN_TARGET_WIDTH) // 2)
        more = "─" * ((room - MIN_TARGET_WIDTH) % 2)
        bracket = f"╰{rule} target {rule}{more}╯"
        parts = [("0", "muted"), (" " * (at - 1 - len(lead)), "muted"), (lead, "muted"), (bracket, colour)]
        parts.append((f" {end}", "muted"))
        return parts if length(parts) <= width else []

    def _target(self, width: int) -> tuple[int, int]:
        """Return the first cell of the target, and the one behind it."""
        least = self._eighths(self.capacity.least or 0.0, width) // 8
        most = -(-self._eighths(self.capacity.most, width) // 8) if self.capacity.most else width
        return (least, max(least + 1, most)) if self.capacity.least or self.capacity.most else (0, 0)

    def _eighths(self, points: float, width: int) -> int:
        return min(8 * width, round(points / self.scale * 8 * width)) if self.scale else 0
