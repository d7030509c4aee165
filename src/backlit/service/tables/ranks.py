"""Ranks of items in the backlog: an order is not an edit, and changes BacklogPriority alone."""

import operator
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

from msgspec.structs import replace
from sqlalchemy import BigInteger, Connection, Float, bindparam, select, tuple_

from backlit.service.storage.prepared_statements import PreparedStatement
from backlit.service.storage.schema import work_items as work_item_rows
from backlit.service.tables import projects, work_items
from backlit.service.tables.changes import ChangeAct, ChangeCause, Stamp, differences, note
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.work_items import RankedItem, WorkItemRow, item_of

RANK_WINDOW = 32
"""Number of items on each side that are renumbered first if no number fits between two neighbours."""
RANK_WINDOW_GROWTH = 8


def move_rank(
    connection: Connection,
    item: WorkItemRow,
    target: WorkItemRow | None,
    settings: ProjectSettings,
    stamp: Stamp,
    *,
    after: bool,
) -> None:
    """Move an item directly before or after another; without one, to the top (before) or the bottom (after).

    An order is not an edit: only BacklogPriority changes, of the item and of renumbered neighbours.
    """
    # A full gap renumbers its neighbourhood, not the backlog; only where that is full too, a wider one.
    window = RANK_WINDOW
    while True:
        above, below = _neighbours(connection, item, target, window, after=after)
        priority = _between(above[-1][1] if above else None, below[0][1] if below else None)
        if item.is_between(above, below):
            return
        if priority is not None:
            _store_ranks(connection, item, [(item.id, priority)], settings, stamp)
            return
        # Halves between two neighbours run out after some fifty moves into the same gap.
        numbers = _spread(above, item.id, below, window)
        if numbers is not None:
            _store_ranks(connection, item, numbers, settings, stamp)
            return
        window *= RANK_WINDOW_GROWTH


def _neighbours(
    connection: Connection, item: WorkItemRow, target: WorkItemRow | None, window: int, *, after: bool
) -> tuple[list[RankedItem], list[RankedItem]]:
    """Return the items before and after the place, nearest in the middle; at most one more than the window of each."""
    values = {"project": item.project_id, "item": item.id, "most": window + 1}
    if target is None:
        found = _nearest(up=after, within=None).rows(connection, **values)
        return (found[::-1], []) if after else ([], found)
    values |= {"priority": target.values["BacklogPriority"], "target": target.id}
    above = _nearest(up=True, within=after).rows(connection, **values)
    return above[::-1], _nearest(up=False, within=not after).rows(connection, **values)


@cache
def _nearest(*, up: bool, within: bool | None) -> PreparedStatement:
    """Return the statement of the nearest items up or down, from a target on (`within`), beyond it, or from the end."""
    rank = tuple_(work_item_rows.c.backlog_priority, work_item_rows.c.id)
    of_project = work_item_rows.c.project_id == bindparam("project")
    found = select(work_item_rows.c.id, work_item_rows.c.backlog_priority).where(
        of_project, work_item_rows.c.id != bindparam("item")
    )
    if within is not None:
        key = tuple_(bindparam("priority", type_=Float()), bindparam("target", type_=BigInteger()))
        compare = (operator.le if within else operator.lt) if up else (operator.ge if within else operator.gt)
        found = found.where(compare(rank, key))
    ends = [each.desc() for each in rank.clauses] if up else list(rank.clauses)
    return PreparedStatement(found.order_by(*ends).limit(bindparam("most")))


def _between(low: float | None, high: float | None) -> float | None:
    """Return a double strictly between two; None if absent."""
    if low is None:
        return 1.0 if high is None else high - 1.0
    if high is None:
        return low + 1.0
    middle = low + (high - low) / 2
    return middle if low < middle < high else None


def _spread(above: list[RankedItem], moved: int, below: list[RankedItem], window: int) -> list[RankedItem] | None:
    """Renumber a window of items evenly between its neighbours; None if these are too close."""
    low = above.pop(0)[1] if len(above) > window else None
    high = below.pop()[1] if len(below) > window else None
    order = [item_id for item_id, _ in above] + [moved] + [item_id for item_id, _ in below]
    if low is None:
        low = 0.0 if high is None else high - len(order) - 1.0
    step = 1.0 if high is None else (high - low) / (len(order) + 1)
    numbers = [low + step * place for place in range(1, len(order) + 1)]
    ends = [low, *numbers] if high is None else [low, *numbers, high]
    has_room = all(one < other and one < one + (other - one) / 2 < other for one, other in pairwise(ends))
    return list(zip(order, numbers, strict=True)) if has_room else None


def _store_ranks(
    connection: Connection,
    moved: WorkItemRow,
    numbers: Iterable[RankedItem],
    settings: ProjectSettings,
    stamp: Stamp,
) -> None:
    recorded = []
    for item_id, priority in numbers:
        found = work_items.read(connection, item_id)
        assert found is not None
        old = item_of(found[1])
        values = {**old.values, "BacklogPriority": priority}
        if values != old.values:
            work_items.store(connection, old, replace(old, values=values), settings)
            cause = None if item_id == moved.id else ChangeCause.RENUMBERED
            fields = differences(old.values, values)
            recorded.append(old.recorded(ChangeAct.CHANGED, fields, stamp.at, cause))
    if recorded:
        # The moved item comes first: the others were renumbered because of it.
        note(connection, stamp, *sorted(recorded, key=lambda change: change.object_id != moved.id))
        projects.reordered(connection, moved.project_id, stamp)
