"""The difference between a plan and the mirror, item by item."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace

from backlit.store.planning.draft import Contest, Standing, Touch
from backlit.store.planning.iterations import PlanIterations, rows_of


@dataclass(frozen=True, slots=True)
class PlanChange:
    """One item's part of a plan: its iteration now, and for each changed field the value now and the planned value.

    `contests` are fields that somebody else changed since; they are written only when the user asks for that.
    """

    id: int
    type: str
    name: str
    parent_id: int | None
    place: object
    fields: Mapping[str, Touch]
    contests: Mapping[str, Contest]

    def over_theirs(self) -> "PlanChange":
        """Return the same change, with the contested fields planned anew from the others' values."""
        mine = {key: Touch(contest.theirs, contest.touch.mine) for key, contest in self.contests.items()}
        return replace(self, fields={**self.fields, **mine}, contests={})


def difference_of(mirror: sqlite3.Connection, iterations: PlanIterations, standing: Standing) -> list[PlanChange]:
    """Return the changes of a draft in backlog order; deleted items are left out."""
    ids = standing.changes.keys() | standing.contests.keys()
    found = []
    now = iterations.now(mirror, ids)
    for item_id, kind, name, parent_id, *_ in rows_of(mirror, ids):
        before = now[item_id]
        fields = {key: Touch(before[key], mine) for key, mine in standing.changes.get(item_id, {}).items()}
        contests = standing.contests.get(item_id, {})
        found.append(PlanChange(item_id, kind, name, parent_id, before["IterationID"], fields, contests))
    return found
