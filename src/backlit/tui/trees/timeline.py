"""The timeline of iterations: the days of each to one scale, with what is done and planned of its target."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Self

from msgspec import Struct

from backlit.model.dates import start_of_week
from backlit.model.planning import PlannedLoad
from backlit.model.reports.report import day_text
from backlit.store.records.people import IterationEntry
from backlit.tui.drawing.charts import Piece, joined, scale_of
from backlit.tui.drawing.themes import TODAY

DONE, PLANNED, TARGET = "█", "▓", "░"
START, WAY, END = "╶", "─", "╴"
TODAY_LINE = "┊"
LABEL, LABEL_GAP = "╷", 3
"""The sign of a label above the start of a bar, and the blank cells between two of them at least."""
PAST_SHARE = 0.25
"""Share of the timeline before today, and what is left of it for a label's first Monday."""
TIMELINE_KEY: Sequence[Piece] = (
    (DONE, "bar-done"),
    (" done ", "muted"),
    (PLANNED, "bar"),
    (" planned ", "muted"),
    (TARGET, "muted"),
    (" to target", "muted"),
)


class IterationTimeline(Struct, frozen=True):
    """Some cells from a day on, each for one or more days; today is a dotted line through what is blank."""

    start: date
    cells: int
    days: int
    today: date

    @classmethod
    def around(cls, today: date, cells: int, days: int) -> Self:
        """Return a timeline that begins with a week, with a quarter of it before today."""
        begin = today - timedelta(round(cells * days * PAST_SHARE))
        return cls(start_of_week(begin), cells, days, today)

    def labels(self, days: Iterable[date]) -> str:
        """Return some days, on which bars begin, where their text fits."""
        found = ""
        for day in sorted(days):
            label, at = f"{LABEL}{day_text(day)}", self._cell(day)
            if at >= 0 and len(found) + LABEL_GAP * bool(found) <= at and at + len(label) <= self.cells:
                found = found.ljust(at) + label
        return found.ljust(self.cells)

    def row(self, iteration: IterationEntry | None, load: PlannedLoad | None) -> list[Piece]:
        """Return the cells of an iteration, of a release without its load, or of neither."""
        cells: list[Piece] = [(" ", "foreground")] * self.cells
        now = self._cell(self.today)
        if 0 <= now < self.cells:
            cells[now] = TODAY_LINE, TODAY
        if iteration is not None and iteration.start is not None and iteration.end is not None:
            first, last = self._cell(iteration.start), self._cell(iteration.end)
            drawn = _way(last - first + 1) if load is None else _bar(iteration, load, last - first + 1)
            for at, piece in enumerate(drawn, first):
                if 0 <= at < self.cells:
                    cells[at] = piece
        return joined(cells)

    def _cell(self, day: date) -> int:
        return (day - self.start).days // self.days


def _way(width: int) -> list[Piece]:
    return [(sign, "muted") for sign in (START, *WAY * (width - 2), END)][:width]


def _bar(iteration: IterationEntry, load: PlannedLoad, width: int) -> list[Piece]:
    """Return what is done and planned as shares of the days, which stand for the target or for a larger load."""
    most, whole = iteration.capacity.most, scale_of(iteration.capacity, load.points)
    if not whole:
        return [(TARGET, "muted")] * width
    done, planned, limit = (round(width * min(1.0, part / whole)) for part in (load.done, load.points, most or whole))
    found = [(DONE, "bar-done")] * done
    found += [(PLANNED, "bar" if at < limit else "bar-over") for at in range(len(found), planned)]
    return [*found, *[(TARGET, "muted")] * (width - len(found))]
