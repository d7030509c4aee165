"""Report on the estimates of open items."""

from collections.abc import Sequence
from dataclasses import dataclass

from backlit.model.reports.chart import Bar, Bars, Part, Tone
from backlit.model.reports.formatting import counted, number_text
from backlit.model.reports.report import Column, Report, ReportName, Table

COLUMNS = (Column("Estimate", is_text=True), Column("Items"), Column("Pts"), Column("% items", rank=1))
UNSET, WORDS = "not set", "no number"
"""Labels for items without an estimate, and with one that is not a number."""
NOTE = "Current open items, without tasks and feedback, which have no estimate."


@dataclass(frozen=True, slots=True)
class Size:
    """The count of items with one estimate; `points` is None for a text, and `is_set` is False for no estimate."""

    points: float | None
    is_set: bool
    count: int

    @property
    def label(self) -> str:
        """The estimate as a word."""
        return number_text(self.points) if self.points is not None else WORDS if self.is_set else UNSET


def estimates(about: str, sizes: Sequence[Size]) -> Report:
    """Report the items of each estimate, small ones first, those without a number last."""
    shown = sorted(sizes, key=lambda each: (each.points is None, each.points or 0.0, not each.is_set))
    total = sum(each.count for each in shown)
    rows = tuple(
        (
            each.label,
            float(each.count),
            None if each.points is None else each.points * each.count,
            float(round(100 * each.count / total)),
        )
        for each in shown
    )
    bars = tuple(Bar(each.label, (float(each.count),)) for each in shown)
    chart = Bars((Part("items", Tone.PLAIN),), bars)
    return Report(ReportName.ESTIMATES, about, _headline(shown, total), chart, Table(COLUMNS, rows), (NOTE,))


def _headline(sizes: Sequence[Size], total: int) -> str:
    if not total:
        return "No open items."
    estimated = [(each.points, each.count) for each in sizes if each.points is not None]
    known = sum(count for _, count in estimated)
    lacking = f"{total - known:,} of {counted(total, 'open item')} without a number"
    if not known:
        return f"{lacking}."
    largest = max(points for points, _ in estimated)
    return (
        f"Half are {number_text(_median(estimated, known))} pts or less, the largest {number_text(largest)}; {lacking}."
    )


def _median(estimated: Sequence[tuple[float, int]], known: int) -> float:
    """Return the median: the smallest estimate that half of the items do not exceed."""
    seen = 0
    for points, count in estimated:
        seen += count
        if 2 * seen >= known:
            return points
    raise AssertionError("the counts add up to all of them")
