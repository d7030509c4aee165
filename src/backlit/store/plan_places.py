"""Where a plan can put items, and where they are without it."""

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

from backlit.model.errors import BadRequest
from backlit.model.planning import Capacity
from backlit.store.changes import Change, Signal, Subject
from backlit.store.database import ids_json
from backlit.store.files import Files
from backlit.store.iterations_by_date import leaves
from backlit.store.lookups import Lookups
from backlit.store.people import IterationEntry, TreeKind
from backlit.store.plan_draft import Values

_T = TypeVar("_T")
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
        """Its own least and most points, else those of its iterations together, as far as each has them."""
        if self.entry.min_capacity or self.entry.max_capacity:
            return Capacity(self.entry.min_capacity, self.entry.max_capacity)
        least = [each.min_capacity for each in self.iterations if each.min_capacity]
        most = [each.max_capacity for each in self.iterations if each.max_capacity]
        is_whole = len(most) == len(self.iterations)
        return Capacity(sum(least) or None, (sum(most) or None) if is_whole else None)


class PlanPlaces:
    """The iterations of the current project as a plan sees them; what is read is kept until something concerns it."""

    def __init__(self, files: Files, lookups: Lookups, signal: Signal) -> None:
        self._files = files
        self._lookups = lookups
        self._kept: dict[str, object] = {}
        signal.subscribe(self._forget)

    def _forget(self, change: Change) -> None:
        if change.kind in {Subject.PLAN, Subject.ITEMS, Subject.TREES, Subject.OUTBOX}:
            self._kept = {}

    def _keep(self, name: str, make: Callable[[], _T]) -> _T:
        kept, key = self._kept, f"{name} {self._lookups.project_id}"
        if key not in kept:
            kept[key] = make()
        return kept[key]  # type: ignore[return-value] # what `make` made

    def now(self, connection: sqlite3.Connection, item_ids: Iterable[int]) -> dict[int, Values]:
        """What items have now in the fields that are planned; those in no iteration are in the backlog."""
        return {
            item_id: {"IterationID": self.place_of(place), "Estimate": estimate, "AssignedToID": owner_id}
            for item_id, _, _, _, place, estimate, owner_id in rows_of(connection, item_ids)
        }

    def place_of(self, iteration_id: object) -> object:
        """An iteration; the root for what a foreign service, or an item that is new, has in none."""
        roots = self._lookups.tree(TreeKind.ITERATIONS).roots
        return roots[0].id if iteration_id is None and roots else iteration_id

    def real_id(self, given_id: int) -> int:
        """The id that an item or an iteration has by now."""
        return self._files.journal.real_id(given_id)

    @property
    def _key(self) -> str:
        return f"plan:{self._lookups.project_id}"

    @property
    def backlog_id(self) -> int:
        """The iteration of what is in none: the root. Raises BadRequest before it is known."""
        roots = self._lookups.tree(TreeKind.ITERATIONS).roots
        if not roots:
            raise BadRequest("The iterations are not known yet.")
        return roots[0].id

    def targets(self) -> list[IterationEntry]:
        """The iterations that can be planned, in the order of their dates; those without dates come last."""
        found = leaves(self._lookups.iterations().values())
        return sorted(found, key=lambda each: (each.start or each.end or date.max, each.end or date.max))

    def release_of(self, iteration_id: int) -> Release | None:
        """The release an iteration is under, with all that can be planned in it; None where it is in none."""
        tree, iterations = self._lookups.tree(TreeKind.ITERATIONS), self._lookups.iterations()
        above = tree.parent(iteration_id) if iteration_id in tree else None
        while above is not None and not iterations[above.id].is_release:
            above = tree.parent(above.id)
        if above is None:
            return None
        below = set(tree.subtree_ids(above.id))
        return Release(iterations[above.id], tuple(each for each in self.targets() if each.id in below))

    def as_is(self, item_ids: Iterable[int]) -> dict[int, Values]:
        """What items have without the plan in the fields that are planned; those that are gone are left out."""
        return self.now(self._files.mirror, item_ids)


def rows_of(connection: sqlite3.Connection, item_ids: Iterable[int]) -> Iterable[tuple[Any, ...]]:
    """Id, type, name, parent and the planned fields of items, in backlog order."""
    return connection.execute(_ITEMS_SQL, (ids_json(item_ids),))


def text_of(value: object) -> str | None:
    """An estimate as it is compared: foreign services may send a number."""
    return None if value is None else str(value)
