"""The timeline of iterations: the days of each to one scale, with what is done and planned of its target."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from math import floor
from typing import Self

from msgspec import Struct

from backlit.model.dates import start_of_week
from backlit.model.planning import PlannedLoad
from backlit.model.reports.report import day_text
from backlit.store.records.people import IterationEntry
from backlit.tui.drawing.charts import ON, Piece, joined, scale_of
from backlit.tui.drawing.themes import TODAY

DONE, PLANNED, TARGET = "█", "▓", "░"
START, WAY, END = "╶", "─", "╴"
TODAY_LINE, TODAY_ON_WAY = "┊", "┼"
TODAY_LABEL = f"{TODAY_LINE}today"
PLANNED_COLOUR = f"bar{ON}bar"
"""The colour of planned cells, whose sign is a shade for terminals without colours alone."""
TARGET_COLOUR = f"bar-band{ON}bar-band"
"""The colour of the cells up to the target, which is that of a target elsewhere."""
LABEL_GAP = 2
"""The blank cells between two labels, each of which begins above the start of a bar."""
MOST_STRETCHED = 1.25
"""How many times the usual days a cell stands for at most."""
PAST_SHARE = 0.25
"""Share of the timeline before today, and what is left of it for a label's first Monday."""
TIMELINE_KEY: Sequence[Piece] = (
    (DONE, "bar-done"),
    (" done ", "muted"),
    (PLANNED, "bar"),
    (" planned ", "muted"),
    (TARGET, TARGET_COLOUR),
    (" to target", "muted"),
)


class IterationTimeline(Struct, frozen=True):
    """Some cells from a day on, each for so many days; today is a dotted line through all rows."""

    start: date
    cells: int
    days: float
    today: date

    @classmethod
    def around(cls, today: date, cells: int, days: float, end: date | None = None) -> Self:
        """Return a timeline that begins with a week, with a quarter of it before today.

        Its cells stand for so many days, or for fewer or a few more where it then ends with a given day.
        """
        begin = start_of_week(today - timedelta(round(cells * days * PAST_SHARE)))
        if end is not None and end > today and (wanted := ((end - begin).days + 1) / cells) <= MOST_STRETCHED * days:
            days = wanted
        return cls(begin, cells, days, today)

    def labels(self, days: Iterable[date]) -> str:
        """Return some days, on which bars begin, where their text fits beside that of today."""
        now, found = self._cell(self.today), ""
        for day in sorted((*days, self.today)):
            label, at = day_text(day), self._cell(day)
            if day == self.today:
                label = TODAY_LABEL
            elif at <= now < at + len(label) + LABEL_GAP:
                continue
            if at >= 0 and len(found) + LABEL_GAP * bool(found) <= at and at + len(label) <= self.cells:
                found = found.ljust(at) + label
        return found.ljust(self.cells)

    def row(self, iteration: IterationEntry | None, load: PlannedLoad | None) -> list[Piece]:
        """Return the cells of an iteration, of a release without its load, or of neither."""
        cells: list[Piece] = [(" ", "foreground")] * self.cells
        if iteration is not None and iteration.start is not None and iteration.end is not None:
            first, last = self._cell(iteration.start), self._cell(iteration.end + timedelta(1)) - 1
            drawn = _way(last - first + 1) if load is None else _bar(iteration, load, last - first + 1)
            for at, piece in enumerate(drawn, first):
                if 0 <= at < self.cells:
                    cells[at] = piece
        now = self._cell(self.today)
        if 0 <= now < self.cells:
            sign, colour = cells[now]
            ink = "background" if sign in (DONE, PLANNED) else TODAY
            line = f"{ink}{ON}{colour.partition(ON)[0]}" if sign in (DONE, PLANNED, TARGET) else TODAY
            cells[now] = TODAY_ON_WAY if sign == WAY else TODAY_LINE, line
        return joined(cells)

    def _cell(self, day: date) -> int:
        return floor((day - self.start).days / self.days + 1e-9)


def _way(width: int) -> list[Piece]:
    return [(sign, "muted") for sign in (START, *WAY * (width - 2), END)][:width]


def _bar(iteration: IterationEntry, load: PlannedLoad, width: int) -> list[Piece]:
    """Return what is done and planned as shares of the days, which stand for the target or for a larger load."""
    most, whole = iteration.capacity.most, scale_of(iteration.capacity, load.points)
    if not whole:
        return [(TARGET, TARGET_COLOUR)] * width
    done, planned, limit = (round(width * min(1.0, part / whole)) for part in (load.done, load.points, most or whole))
    found = [(DONE, "bar-done")] * done
    found += [(PLANNED, PLANNED_COLOUR if at < limit else "bar-over") for at in range(len(found), planned)]
    return [*found, *[(TARGET, TARGET_COLOUR)] * (width - len(found))]
