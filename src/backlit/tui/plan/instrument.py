"""The instrument of an iteration: its load in words and as a bar, and the target on its scale."""

import math

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.planning import Capacity, CapacityFit, PlannedLoad
from backlit.model.reports.report import number_text
from backlit.tui.drawing.charts import EIGHTHS_ACROSS, ON, Piece, joined
from backlit.tui.widgets.side_lines import Part

ROOM_ABOVE = 4 / 3
"""The end of a scale, by the maximum: a load beyond the target still has room."""
USUAL_RANGE = 1.25
"""The maximum of a scale, by the minimum of a capacity without a maximum."""
SCALE_STEP = 5
"""Points that the end of a scale is a multiple of, as it is named."""
GHOST, FULL = "▒", "█"
"""The signs of what one item would add, and of the load."""


class AddedItem(Struct, frozen=True):
    """The item that would come into the iteration."""

    name: str
    points: float


def scale_end(capacity: Capacity, amount: float = 0.0) -> float:
    """Return the points at the end of a bar's scale; 0 without anything to measure."""
    most = max((capacity.most or (capacity.least or 0.0) * USUAL_RANGE) * ROOM_ABOVE, amount)
    return SCALE_STEP * float(math.ceil(most / SCALE_STEP))


def scale_words(scale: float) -> list[Part]:
    """Return what bars of one scale stand for; nothing without a scale."""
    return [(f"bars 0–{number_text(scale)} pts", "faint")] if scale else []


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
            return f"{number_text((self.capacity.least or 0.0) - points)} under", "muted"
        return ("✓ on target", "status-done") if fit is CapacityFit.WITHIN else ("", "muted")

    def words(self) -> tuple[list[Part], list[Part]]:
        """Return the points with their verdict, and at the right what the added item would make of them."""
        figure, _, unit = counted(round(self.load.points, 1), "pt").partition(" ")
        left: list[Part] = [(figure, "figure"), (f" {unit}", "muted")]
        words, colour = self.verdict(self.load.points)
        left += [(f"  {words}", colour)] if words else []
        if self.load.unestimated:
            left.append((f" · {self.load.unestimated:,} unestimated", "muted"))
        if self.added is None:
            return left, []
        figure, _, unit = counted(round(self.load.points + self.added.points, 1), "pt").partition(" ")
        # In this order a step changes few cells: the number of the item and that of the points.
        return left, [(f"{self.added.name} makes ", "muted"), (figure, "figure"), (f" {unit}", "muted")]

    def bar(self, width: int) -> list[Piece]:
        """Return the load over the lighter ground of the target: done parts green, those above it red, others blue."""
        load, capacity = self.load, self.capacity
        least, most = self._target(width)
        ends = self._eighths(load.points, width)
        done = self._eighths(load.done, width) // 8
        whole = load.points + (self.added.points if self.added is not None else 0.0)
        limit, whole_limit = (self._first_over(points, width) for points in (load.points, whole))
        ghost_end = 0
        # Beyond a load that is too much already, more of it would be bytes for nothing.
        if whole > load.points and capacity.fit(load.points) is not CapacityFit.OVER:
            ghost_end = min(width, -(-self._eighths(whole, width) // 8))

        def piece(at: int) -> Piece:
            ground = "bar-band" if least <= at < most else "bar-track"
            colour = "bar-over" if at >= (limit if 8 * at < ends else whole_limit) else "bar"
            if at < ends // 8:
                return FULL, "bar-done" if at < done else colour
            if at == ends // 8 and ends % 8:
                return EIGHTHS_ACROSS[ends % 8], f"{colour}{ON}{ground}"
            return (GHOST, f"{colour}{ON}{ground}") if at < ghost_end else (" ", f"foreground{ON}{ground}")

        return joined([piece(at) for at in range(width)])

    def target(self, width: int) -> list[Piece]:
        """Return the scale: 0, a bracket from the minimum to the maximum, and the points of the whole width."""
        least, most = self._target(width)
        start, end = (number_text(each) if each else "" for each in (self.capacity.least, self.capacity.most))
        if not (start or end):
            return []
        before, whole = f"target {start}", counted(round(self.scale), "pt")
        end = end if start else f"{end} target"
        bracket = f"{'╰' if least else '0'}{'─' * (most - least - 2)}╯ {end}".rstrip()
        lead = f"{before:>{least - 1}} " if len(before) + 2 < least else " " * least
        scale = f"0{lead[1:]}{bracket}" if least else bracket
        gap = width - len(scale) - len(whole)
        return [(scale + " " * gap + whole if gap > 0 else scale, "muted")] if gap >= -len(whole) else []

    def _first_over(self, points: float, width: int) -> int:
        """Return the first red cell of so many points; the width where they are not too many.

        The cell of the maximum has what is below it too, so that it is red only where something is above.
        """
        is_over = self.capacity.fit(points) is CapacityFit.OVER
        return self._eighths(self.capacity.most, width) // 8 if is_over and self.capacity.most else width

    def _target(self, width: int) -> tuple[int, int]:
        """Return the first cell of the target, and the one behind it."""
        least = self._eighths(self.capacity.least or 0.0, width) // 8
        most = -(-self._eighths(self.capacity.most, width) // 8) if self.capacity.most else width
        return (least, max(least + 1, most)) if self.capacity.least or self.capacity.most else (0, 0)

    def _eighths(self, points: float, width: int) -> int:
        return min(8 * width, round(points / self.scale * 8 * width)) if self.scale else 0
