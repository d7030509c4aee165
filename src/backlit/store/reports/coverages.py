"""The subjects of reports: iterations, releases, and the whole backlog over some days."""

from datetime import date, timedelta

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.dates import monday_of, week_name
from backlit.model.errors import BadRequest
from backlit.model.query import NameKind
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.store.views.lookups import Lookups
from backlit.store.views.names import CURRENT, QueryNames

PERIODS = (30, 90, 365)
"""The offered periods of the whole backlog, in days up to today."""


MAX_REPORT_DAYS = 3660
OFFERED_WEEKS = 8


class Coverage(Struct, frozen=True):
    """The subject of a report. `end` is inclusive. No node means the whole backlog."""

    name: str
    start: date
    end: date
    node_id: int | None = None
    iteration_ids: frozenset[int] = frozenset()
    week: str | None = None
    """The week that it is, such as 2026-W47, which logged time can be about."""

    @property
    def about(self) -> str:
        return self.name if self.node_id is not None else "whole backlog"

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1


class Coverages:
    """The coverages of the current project."""

    def __init__(self, lookups: Lookups, names: QueryNames) -> None:
        self._lookups = lookups
        self._names = names

    def iterations(self) -> tuple[Coverage, ...]:
        roots = {node.id for node in self._lookups.tree(TreeKind.ITERATIONS).roots}
        return tuple(
            found
            for each in self._lookups.iterations().values()
            if each.id not in roots and (found := self._of(each)) is not None
        )

    def period(self, days: int) -> Coverage:
        """Return the whole backlog over a number of days up to today. Raises BadRequest for an invalid number."""
        if not 1 <= days <= MAX_REPORT_DAYS:
            raise BadRequest(f"Enter a number of days from 1 to {MAX_REPORT_DAYS:,}.")
        today = self._names.today()
        return Coverage(f"Whole backlog, {counted(days, 'day')}", today - timedelta(days=days - 1), today)

    def week(self, day: date) -> Coverage:
        """Return the week of a day."""
        first = monday_of(day)
        year, number, _ = first.isocalendar()
        name = f"Week {number}" if year == self._names.today().isocalendar().year else f"Week {number}, {year}"
        return Coverage(name, first, first + timedelta(days=6), week=week_name(first))

    def weeks(self) -> tuple[Coverage, ...]:
        """Return this week and those before it that are offered, the last first."""
        return tuple(self.week(self._names.today() - timedelta(days=7 * number)) for number in range(OFFERED_WEEKS))

    def usual(self) -> Coverage:
        """Return the current iteration, else the last ended one, else the whole backlog."""
        current = self._names.ids(NameKind.ITERATION, CURRENT, with_subtree=False)
        for each in self.iterations():
            if each.node_id in current:
                return each
        over = [each for each in self.leaves() if each.end < self._names.today()]
        return max(over, key=lambda each: each.end, default=self.period(PERIODS[1]))

    def leaves(self, below: Coverage | None = None) -> tuple[Coverage, ...]:
        tree, entries = self._lookups.tree(TreeKind.ITERATIONS), self._lookups.iterations()
        found = [
            each
            for each in self.iterations()
            if each.node_id is not None and not entries[each.node_id].is_release and not tree.children(each.node_id)
        ]
        if below is not None and below.node_id is not None:
            found = [each for each in found if each.node_id in below.iteration_ids]
        return tuple(sorted(found, key=lambda each: (each.start, each.end)))

    def named(self, text: str) -> Coverage:
        """Return the coverage of a name, path, id, `current`, `next` or `previous`. Raises BadRequest for others."""
        coverage = self._of(self._names.iteration(text))
        if coverage is None:
            raise BadRequest(f"“{text}” has no dates. Set them to see its reports.")
        return coverage

    def _of(self, entry: IterationEntry) -> Coverage | None:
        if entry.start is None or entry.end is None or entry.end < entry.start:
            return None
        if (entry.end - entry.start).days > MAX_REPORT_DAYS:
            return None
        ids = frozenset(self._lookups.tree(TreeKind.ITERATIONS).subtree_ids(entry.id))
        return Coverage(entry.name, entry.start, entry.end, entry.id, ids)
