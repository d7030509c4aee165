"""Ranks of work items in a project's backlog."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Select, select, tuple_

from backlit.service.storage.clock import TICK
from backlit.service.storage.schema import work_items
from backlit.service.tables import work_items as item_table
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.work_items import Item, item_of

WINDOW = 32
"""Number of items on each side that are renumbered first if no number fits between two neighbours."""
WIDER = 8


def move(
    connection: Connection,
    item: Item,
    target: Item | None,
    settings: ProjectSettings,
    *,
    after: bool,
    by: str,
    now: datetime,
) -> None:
    """Move an item directly before or after another; without one, to the top (before) or the bottom (after)."""
    window = WINDOW
    while True:
        above, below = _neighbours(connection, item, target, window, after=after)
        priority = _between(above[-1][1] if above else None, below[0][1] if below else None)
        if _is_there(item, above, below):
            return
        if priority is not None:
            _store(connection, item.id, priority, settings, by=by, now=now)
            return
        numbers = _spread(above, item.id, below, window)
        if numbers is not None:
            for item_id, number in numbers:
                _store(connection, item_id, number, settings, by=by, now=now)
            return
        window *= WIDER


_Ranked = tuple[int, float]
"""An item's id and its BacklogPriority."""


def _neighbours(
    connection: Connection, item: Item, target: Item | None, window: int, *, after: bool
) -> tuple[list[_Ranked], list[_Ranked]]:
    """Return the items before and after the place, nearest in the middle; at most one more than the window of each."""
    ranked: Select[Any] = select(work_items.c.id, work_items.c.backlog_priority).where(
        work_items.c.project_id == item.project_id, work_items.c.id != item.id
    )
    up = ranked.order_by(work_items.c.backlog_priority.desc(), work_items.c.id.desc()).limit(window + 1)
    down = ranked.order_by(work_items.c.backlog_priority, work_items.c.id).limit(window + 1)
    if target is None:
        found_up, found_down = (up, None) if after else (None, down)
    else:
        rank = tuple_(work_items.c.backlog_priority, work_items.c.id)
        key = tuple_(target.values["BacklogPriority"], target.id)
        found_up = up.where(rank <= key if after else rank < key)
        found_down = down.where(rank > key if after else rank >= key)
    above = [] if found_up is None else [(row[0], row[1]) for row in connection.execute(found_up)]
    below = [] if found_down is None else [(row[0], row[1]) for row in connection.execute(found_down)]
    return above[::-1], below


def _between(low: float | None, high: float | None) -> float | None:
    """Return a double strictly between two; None if absent."""
    if low is None:
        return 1.0 if high is None else high - 1.0
    if high is None:
        return low + 1.0
    middle = low + (high - low) / 2
    return middle if low < middle < high else None


def _is_there(item: Item, above: Sequence[_Ranked], below: Sequence[_Ranked]) -> bool:
    key = item.values["BacklogPriority"], item.id
    follows = not above or (above[-1][1], above[-1][0]) < key
    return follows and (not below or key < (below[0][1], below[0][0]))


def _spread(above: list[_Ranked], moved: int, below: list[_Ranked], window: int) -> list[_Ranked] | None:
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


def _store(
    connection: Connection, item_id: int, priority: float, settings: ProjectSettings, *, by: str, now: datetime
) -> None:
    found = item_table.read(connection, item_id)
    assert found is not None
    old = item_of(found[1])
    if old.values["BacklogPriority"] != priority:
        stamp = max(now, old.last_modified_at + TICK)
        values = {**old.values, "BacklogPriority": priority}
        new = replace(old, values=values, last_modified_by=by, last_modified_at=stamp)
        item_table.change(connection, old, new, settings)
