"""The iterations that a plan can fill, and the planned fields of items without the draft."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from backlit.model.errors import BadRequest
from backlit.model.planning import Capacity
from backlit.store.files.files import Files
from backlit.store.planning.draft import Values
from backlit.store.records.people import IterationEntry, TreeKind, leaves
from backlit.store.sqlite.database import ids_json
from backlit.store.views.lookups import Lookups

_ITEMS_SQL = (
    "SELECT id, type, name, parent_id, iteration_id, estimate, owner_id FROM items"
    " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY rank_priority, rank_id, is_task, own_priority, id"
)


@dataclass(frozen=True, slots=True)
class Release:
    """A release and the iterations that can be planned in it."""

    entry: IterationEntry
    iterations: tuple[IterationEntry, ...]

    @property
    def capacity(self) -> Capacity:
        """The release's own min and max capacity, else the sums over its iterations."""
        if self.entry.min_capacity or self.entry.max_capacity:
            return Capacity(self.entry.min_capacity, self.entry.max_capacity)
        least = [each.min_capacity for each in self.iterations if each.min_capacity]
        most = [each.max_capacity for each in self.iterations if each.max_capacity]
        is_whole = len(most) == len(self.iterations)
        return Capacity(sum(least) or None, (sum(most) or None) if is_whole else None)


class PlanIterations:
    """The iterations of the current project, and the planned fields of its items without the draft."""

    def __init__(self, files: Files, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    def now(self, connection: sqlite3.Connection, item_ids: Iterable[int]) -> dict[int, Values]:
        """Return the planned fields of items. Items without an iteration are in the root."""
        return {
            item_id: {"IterationID": self.place_of(place), "Estimate": estimate, "AssignedToID": owner_id}
            for item_id, _, _, _, place, estimate, owner_id in rows_of(connection, item_ids)
        }

    def place_of(self, iteration_id: object) -> object:
        """Return the iteration, or the root for None, which foreign services and new items have."""
        roots = self._lookups.tree(TreeKind.ITERATIONS).roots
        return roots[0].id if iteration_id is None and roots else iteration_id

    @property
    def backlog_id(self) -> int:
        """The root, which holds the unplanned items. Raises BadRequest before the iterations are loaded."""
        roots = self._lookups.tree(TreeKind.ITERATIONS).roots
        if not roots:
            raise BadRequest("The iterations are not loaded yet. Try again in a moment.")
        return roots[0].id

    def targets(self) -> list[IterationEntry]:
        """Return the iterations without children in the order of their dates, undated ones last."""
        found = leaves(self._lookups.iterations().values())
        return sorted(found, key=lambda each: (each.start or each.end or date.max, each.end or date.max))

    def release_of(self, iteration_id: int) -> Release | None:
        """Return the release above an iteration with its iterations, or None without a release."""
        tree, iterations = self._lookups.tree(TreeKind.ITERATIONS), self._lookups.iterations()
        above = tree.parent(iteration_id) if iteration_id in tree else None
        while above is not None and not iterations[above.id].is_release:
            above = tree.parent(above.id)
        if above is None:
            return None
        below = set(tree.subtree_ids(above.id))
        return Release(iterations[above.id], tuple(each for each in self.targets() if each.id in below))

    def as_is(self, item_ids: Iterable[int]) -> dict[int, Values]:
        """Return the planned fields of items from the mirror, without deleted items."""
        return self.now(self._files.mirror, item_ids)


def rows_of(connection: sqlite3.Connection, item_ids: Iterable[int]) -> Iterable[tuple[Any, ...]]:
    """Read id, type, name, parent and the planned fields of items, in backlog order."""
    return connection.execute(_ITEMS_SQL, (ids_json(item_ids),))


def text_of(value: object) -> str | None:
    """Return an estimate as text for comparison. Foreign services may send a number."""
    return None if value is None else str(value)
