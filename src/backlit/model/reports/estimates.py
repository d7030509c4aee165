"""How large the open items are, and how many have no estimate."""

from collections.abc import Sequence
from dataclasses import dataclass

from backlit.model.reports.chart import Bar, Bars, Part, Tone
from backlit.model.reports.report import Column, Report, ReportName, Table
from backlit.model.reports.words import counted, number_text

COLUMNS = (Column("Estimate", is_text=True), Column("Items"), Column("Pts"), Column("% items", rank=1))
UNSET, WORDS = "not set", "no number"
"""What has no estimate, and what has one that is no number."""
NOTE = "Open items that can have an estimate, as they stand now: not tasks and not feedback."


@dataclass(frozen=True, slots=True)
class Size:
    """How many items have an estimate; `points` is None where it is not a number, `is_set` tells that from none."""

    points: float | None
    is_set: bool
    count: int

    @property
    def label(self) -> str:
        """The estimate as a word."""
        return number_text(self.points) if self.points is not None else WORDS if self.is_set else UNSET


def estimates(about: str, sizes: Sequence[Size]) -> Report:
    """The items of each size, the small ones first, those without a number at the end."""
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
        return "Nothing is open here."
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
    """The smallest size that half of the estimated items do not exceed."""
    seen = 0
    for points, count in estimated:
        seen += count
        if 2 * seen >= known:
            return points
    raise AssertionError("the counts add up to all of them")
