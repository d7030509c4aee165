"""What a report can be about: an iteration or a release with its days, or the whole backlog over a period."""

from dataclasses import dataclass
from datetime import date, timedelta

from backlit.model.errors import BadRequest
from backlit.model.query import NameKind
from backlit.store.lookups import Lookups
from backlit.store.names import CURRENT, StoreNames
from backlit.store.people import IterationEntry, TreeKind

PERIODS = (30, 90, 365)
"""Days up to today that are offered for the whole backlog."""
LONGEST = 3660


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a report is about; `end` is inclusive. No node means the whole backlog."""

    name: str
    start: date
    end: date
    node_id: int | None = None
    iteration_ids: frozenset[int] = frozenset()


class Coverages:
    """Those of one store's current project."""

    def __init__(self, lookups: Lookups, names: StoreNames) -> None:
        self._lookups = lookups
        self._names = names

    def iterations(self) -> tuple[Coverage, ...]:
        """The iterations and releases that have dates, in the order of the tree; not the root."""
        roots = {node.id for node in self._lookups.tree(TreeKind.ITERATIONS).roots}
        return tuple(
            found
            for each in self._lookups.iterations().values()
            if each.id not in roots and (found := self._of(each)) is not None
        )

    def period(self, days: int) -> Coverage:
        """The whole backlog over the days up to today; BadRequest for a number that makes no sense."""
        if not 1 <= days <= LONGEST:
            raise BadRequest(f"The number of days is from 1 to {LONGEST:,}.")
        today = self._names.today()
        return Coverage(f"Whole backlog, {days:,} days", today - timedelta(days=days - 1), today)

    def usual(self) -> Coverage:
        """The current iteration; else the one that ended last, else the whole backlog."""
        current = self._names.ids(NameKind.ITERATION, CURRENT, with_subtree=False)
        for each in self.iterations():
            if each.node_id in current:
                return each
        over = [each for each in self.leaves() if each.end < self._names.today()]
        return max(over, key=lambda each: each.end, default=self.period(PERIODS[1]))

    def leaves(self, below: Coverage | None = None) -> tuple[Coverage, ...]:
        """The iterations that work is planned into, by their start: no releases, none that is divided."""
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
        """The iteration or release of a name, path or number, `current`, `next` or `previous`; else BadRequest."""
        entries = self._lookups.iterations()
        found = self._names.ids(NameKind.ITERATION, text, with_subtree=False)
        if not found and text.isascii() and text.isdigit() and int(text) in entries:
            found = frozenset({int(text)})
        if not found:
            names = ", ".join(each.name for each in self.iterations())
            raise BadRequest(f"There is no iteration “{text}”. There are: {names or 'none with dates'}.")
        if len(found) > 1:
            paths = ", ".join(each.path for each in entries.values() if each.id in found)
            raise BadRequest(f"“{text}” may be any of: {paths}.")
        coverage = self._of(entries[next(iter(found))])
        if coverage is None:
            raise BadRequest(f"“{text}” has no dates, so there is nothing to draw from day to day.")
        return coverage

    def _of(self, entry: IterationEntry) -> Coverage | None:
        if entry.start is None or entry.end is None or entry.end < entry.start:
            return None
        if (entry.end - entry.start).days > LONGEST:
            return None
        ids = frozenset(self._lookups.tree(TreeKind.ITERATIONS).subtree_ids(entry.id))
        return Coverage(entry.name, entry.start, entry.end, entry.id, ids)
