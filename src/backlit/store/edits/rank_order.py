"""The rank order of items as numbers, and blocks that move in it."""

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from backlit.store.files.files import WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry, new_entry
from backlit.store.sqlite.database import transaction
from backlit.store.sqlite.ids import ids_json

RANKING = "rank"
"""The extension by which the service ranks items."""
WINDOW = 32
"""The first number of neighbours above a gap to renumber if the gap is full. Each retry takes eight times as many."""
NEAR = 2
"""Neighbours remembered on each side, in case the nearest one is deleted."""

RankTarget = tuple[str, int]
"""A target position in the service's terms: `after` or `before` an item, or at the `top`."""


def rank_neighbours(kept: Mapping[str, object]) -> list[RankTarget]:
    found = kept.get("beside")
    return [(str(where), int(neighbour_id)) for where, neighbour_id in found] if isinstance(found, list | tuple) else []


class RankPosition(Struct, frozen=True):
    """A position in the order: a number, and the id among equal numbers."""

    number: float
    id: int


class RankOrder:
    """The order of one parent's tasks, or of the items without a parent."""

    def __init__(self, connection: sqlite3.Connection, project_id: int, parent_id: int | None) -> None:
        self._connection = connection
        self._values: tuple[object, ...]
        if parent_id is None:
            self._source = "items INDEXED BY items_in_order"
            self._where, self._values = "project_id = ? AND rank_id = id", (project_id,)
            self._key = ("rank_priority", "rank_id")
        else:
            self._source = "items"
            self._where, self._values = "parent_id = ? AND rank_id <> id", (parent_id,)
            self._key = ("own_priority", "id")

    def place_of(self, item_id: int) -> RankPosition | None:
        """Return an item's position, or None if it belongs to another order."""
        sql = f"SELECT own_priority, id FROM items WHERE {self._where} AND id = ?"  # noqa: S608 # constants
        found = self._connection.execute(sql, (*self._values, item_id)).fetchone()
        return RankPosition(*found) if found else None

    def above(self, place: RankPosition | None, limit: int, without: Sequence[int] = ()) -> list[RankPosition]:
        """Return the positions above a position, nearest first. Without a position, start from the end."""
        return self._beside(place, "<", "DESC", limit, without)

    def below(self, place: RankPosition | None, limit: int, without: Sequence[int] = ()) -> list[RankPosition]:
        return self._beside(place, ">", "ASC", limit, without)

    def _beside(
        self, place: RankPosition | None, sign: str, direction: str, limit: int, without: Sequence[int]
    ) -> list[RankPosition]:
        first, second = self._key
        beyond = "" if place is None else f" AND ({first}, {second}) {sign} (?, ?)"
        key = () if place is None else (place.number, place.id)
        sql = (
            f"SELECT own_priority, id FROM {self._source} WHERE {self._where}{beyond}"  # noqa: S608 # constants
            " AND id NOT IN (SELECT value FROM json_each(?))"
            f" ORDER BY {first} {direction}, {second} {direction} LIMIT ?"
        )
        found = self._connection.execute(sql, (*self._values, *key, ids_json(without), limit))
        return [RankPosition(*each) for each in found]

    def former(self, item_id: int, block: Sequence[int]) -> list[RankTarget]:
        """Return an item's current neighbours, best first, for restoring a block from its top on."""
        place = self.place_of(item_id)
        nearest = self.above(place, 1, (item_id,))
        above, below = self.above(place, NEAR, block), self.below(place, NEAR, block)
        found: list[RankTarget] = [("after", each.id) for each in nearest]
        found += [("before", each.id) for each in below[:1]]
        found += [("after", each.id) for each in above]
        found += [("before", each.id) for each in below[1:]]
        return list(dict.fromkeys(found)) or [("top", 0)]

    def put(self, ids: Sequence[int], beside: Sequence[RankTarget]) -> dict[int, float] | None:
        """Return the numbers that place a block, and new numbers for neighbours if a gap is full.

        Returns None if every neighbour was deleted.
        """
        for where, neighbour_id in beside:
            if where == "top":
                return self._between(ids, None, next(iter(self.below(None, 1, ids)), None))
            place = self.place_of(neighbour_id)
            if place is None or neighbour_id in ids:
                continue
            if where == "after":
                return self._between(ids, place, next(iter(self.below(place, 1, ids)), None))
            return self._between(ids, next(iter(self.above(place, 1, ids)), None), place)
        return None

    def _between(self, ids: Sequence[int], low: RankPosition | None, high: RankPosition | None) -> dict[int, float]:
        ceiling = None if high is None or high.number == inf else high.number
        numbers = spread(len(ids), None if low is None else low.number, ceiling)
        pushed: list[RankPosition] = []
        window = WINDOW
        while numbers is None and low is not None:
            found = self.above(low, window + 1, ids)
            pushed = [low, *found[:window]]
            floor = found[window].number if len(found) > window else None
            numbers = spread(len(pushed) + len(ids), floor, ceiling)
            window *= 8
        order = [*(each.id for each in reversed(pushed)), *ids]
        return dict(zip(order, numbers or (), strict=True))


def spread(count: int, low: float | None, high: float | None) -> list[float] | None:
    """Return evenly spaced numbers strictly between two bounds, or None if there is no room."""
    if low is not None and low == inf:
        return None
    if low is None:
        low = 0.0 if high is None else high - (count + 1) * _unit(high)
    step = _unit(low) if high is None else (high - low) / (count + 1)
    numbers = [low + step * place for place in range(1, count + 1)]
    ends = [low, *numbers] if high is None else [low, *numbers, high]
    return numbers if all(one < other for one, other in pairwise(ends)) else None


def _unit(number: float) -> float:
    """Return the smallest difference that is distinguishable at a number of this size."""
    return max(1.0, abs(number) * 2.0**-40)


class RankedBlock(Struct, frozen=True):
    """Items that move together, in their order, all of one parent."""

    project_id: int
    parent_id: int | None
    ids: tuple[int, ...]

    def entry(
        self, item_id: int, beside: Sequence[RankTarget], former: Sequence[RankTarget], *, is_local: bool
    ) -> OutboxEntry:
        payload: Mapping[str, object] = {"beside": list(beside)}
        state = EntryState.KEPT if is_local else EntryState.WAITING
        base = {"beside": list(former)}
        return replace(new_entry(EntryKind.RANK, self.project_id, payload, item_id, base), state=state)


def rank_order_of(writer: WriteContext, block: RankedBlock) -> RankOrder:
    return RankOrder(writer.mirror.connection, block.project_id, block.parent_id)


def reorder(
    writer: WriteContext, block: RankedBlock, beside: Sequence[RankTarget], *, is_local: bool, step: int | None = None
) -> bool:
    """Move a block next to something, as a new act or a part of a step; False if every neighbour was deleted.

    The caller updates the overlay of the block.
    """
    rank_order = rank_order_of(writer, block)
    former = {item_id: rank_order.former(item_id, block.ids) for item_id in block.ids}
    numbers = rank_order.put(block.ids, beside)
    if numbers is None:
        return False
    wanted: dict[int, list[RankTarget]] = {}
    for at, item_id in enumerate(block.ids):
        wanted[item_id] = [("after", block.ids[at - 1]), *beside] if at else list(beside)
    entries = [block.entry(item_id, wanted[item_id], former[item_id], is_local=is_local) for item_id in block.ids]
    with transaction(writer.mirror.connection):
        writer.mirror.ranks.put(numbers)
        with writer.journal.transaction():
            writer.journal.add(entries, step)
            writer.journal.ranks.put(block.project_id, numbers, is_local=is_local)
    _tell(writer, numbers)
    return True


def move_back(writer: WriteContext, entries: Sequence[OutboxEntry], step: int) -> list[OutboxEntry]:
    block = _block_of_entries(writer, entries)
    rank_order = rank_order_of(writer, block)
    is_local = any(each.state is EntryState.KEPT for each in entries)
    stood = {each.item_id: rank_neighbours(each.base) for each in entries}
    former = {item_id: rank_order.former(item_id, block.ids) for item_id in block.ids}
    moved: list[OutboxEntry] = []
    for item_id in [each.item_id for each in sorted(entries, key=lambda each: each.id)]:
        numbers = rank_order.put([item_id], stood[item_id])
        if numbers is not None:
            writer.mirror.ranks.put(numbers)
            writer.journal.ranks.put(block.project_id, numbers, is_local=is_local)
            moved.append(block.entry(item_id, stood[item_id], former[item_id], is_local=is_local))
            _tell(writer, numbers)
    return writer.journal.add(moved, step)


def _block_of_entries(writer: WriteContext, entries: Sequence[OutboxEntry]) -> RankedBlock:
    sql = "SELECT CASE WHEN rank_id = id THEN NULL ELSE parent_id END FROM items WHERE id = ?"
    found = writer.mirror.connection.execute(sql, (entries[0].item_id,)).fetchone()
    parent_id = found[0] if found else None
    return RankedBlock(entries[0].project_id, parent_id, tuple(each.item_id for each in entries))


def _tell(writer: WriteContext, numbers: Mapping[int, float]) -> None:
    writer.signal.publish(StoreChange(Subject.ITEMS, frozenset(numbers), frozenset({"BacklogPriority"})))
