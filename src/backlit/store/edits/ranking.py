"""Ranking: moves of items in the backlog's order, among the items that a view shows."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import FIELD_BY_KEY
from backlit.store.edits.items import update_overlay
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry, new_entry
from backlit.store.remote.capabilities import ServiceFeatures
from backlit.store.sqlite.database import ids_json, transaction
from backlit.store.views.query import ViewStatements
from backlit.store.views.view import View

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


def reorder(writer: WriteContext, block: RankedBlock, beside: Sequence[RankTarget], *, is_local: bool) -> bool:
    """Move a block next to something, as a new act. Returns False if every neighbour was deleted."""
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
            writer.journal.add(entries)
            writer.journal.ranks.put(block.project_id, numbers, is_local=is_local)
    update_overlay(writer, block.ids)
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


EXTENSION = "rank"


class MoveResult(Struct, frozen=True):
    """The result of a move. A count of 0 means that the items were there already."""

    count: int
    is_local: bool
    is_first: bool = False
    """True for the project's first move that only this machine knows."""


Where = Callable[["_ShownOrder", RankedBlock], Sequence[RankTarget]]
"""The neighbours of a block's target position. Empty if the block is there already."""


class Ranking:
    """Moves of blocks of items. A block keeps its own order, and each move is one undoable step.

    Neighbours are the items that the view shows. Tasks move with their item, or by themselves within it. Every move
    raises BadRequest for a view in another order than the backlog's and for a block from two parents, NotFound if
    the whole block is gone.
    """

    def __init__(self, files: LocalDatabase, server: ServiceFeatures, project_id: Callable[[], int | None]) -> None:
        self._files = files
        self._server = server
        self._project_id = project_id

    @property
    def is_offered(self) -> bool:
        """True if the service supports ranking. Otherwise the order is kept on this machine only."""
        told = (self._server.capabilities() or {}).get("extensions")
        return isinstance(told, list | tuple) and EXTENSION in told

    def local_ids(self) -> list[int]:
        """Return the ids of the project's items whose position only this machine knows."""
        project_id = self._project_id()
        return [] if project_id is None else self._files.journal.ranks.local(project_id)

    async def up(self, view: View, item_ids: Iterable[int], count: int = 1) -> MoveResult:
        return await self._move(view, item_ids, lambda shown, block: shown.up(block, count))

    async def down(self, view: View, item_ids: Iterable[int], count: int = 1) -> MoveResult:
        return await self._move(view, item_ids, lambda shown, block: shown.down(block, count))

    async def to_top(self, view: View, item_ids: Iterable[int]) -> MoveResult:
        return await self.to_position(view, item_ids, 1)

    async def to_bottom(self, view: View, item_ids: Iterable[int]) -> MoveResult:
        return await self._move(view, item_ids, lambda shown, block: shown.bottom(block))

    async def to_position(self, view: View, item_ids: Iterable[int], number: int) -> MoveResult:
        """Move a block to a position, counted from 1. Tasks count within their item."""
        return await self._move(view, item_ids, lambda shown, block: shown.at(block, number))

    async def beside(self, view: View, item_ids: Iterable[int], item_id: int, *, is_above: bool) -> MoveResult:
        """Move a block above or below an item. Raises BadRequest for one of the block or of another order."""
        return await self._move(view, item_ids, lambda shown, _: shown.beside(item_id, is_above=is_above))

    async def forget(self) -> int:
        """Discard this machine's order and show the service's again. Returns the number of moved items."""
        project_id = self._project_id()

        def act(writer: WriteContext) -> int:
            ids = [] if project_id is None else writer.journal.ranks.local(project_id)
            writer.drop_ranks(ids)
            return len(ids)

        return await self._files.write(act)

    async def _move(self, view: View, item_ids: Iterable[int], where: Where) -> MoveResult:
        refuse_other_orders(view)
        ids, query, is_local, is_tree = list(item_ids), view.query, not self.is_offered, view.spec.is_tree

        def act(writer: WriteContext) -> MoveResult:
            block = _block_of(writer, ids)
            beside = where(_ShownOrder(writer, query, block, is_tree=is_tree), block)
            is_first = is_local and not writer.journal.ranks.count_local(block.project_id)
            is_moved = bool(beside) and reorder(writer, block, beside, is_local=is_local)
            return MoveResult(len(block.ids) * is_moved, is_local, is_first and is_moved)

        return await self._files.edit(act)


def refuse_other_orders(view: View) -> None:
    for keys, words in (([key.name for key in view.spec.sort], "sorted"), (view.spec.group, "grouped")):
        if keys:
            field = FIELD_BY_KEY.get(keys[0])
            by = field.label.lower() if field else keys[0]
            raise BadRequest(f"The list is {words} by {by}. Clear that to change the backlog order.")


def _block_of(writer: WriteContext, item_ids: Sequence[int]) -> RankedBlock:
    ids = {writer.journal.real_id(each) for each in item_ids}
    found = writer.mirror.connection.execute(
        "SELECT id, project_id, rank_id FROM items WHERE id IN (SELECT value FROM json_each(?))"
        " ORDER BY rank_priority, rank_id, is_task, own_priority, id",
        (ids_json(ids),),
    ).fetchall()
    if not found:
        raise NotFound("The item was deleted." if len(ids) == 1 else "The items were deleted.")
    led = [(item_id, None if rank_id == item_id else rank_id) for item_id, _, rank_id in found if rank_id not in ids]
    led += [(item_id, None) for item_id, _, rank_id in found if rank_id == item_id]
    parents = {parent_id for _, parent_id in led}
    if len(parents) > 1:
        raise BadRequest("Tasks move within their item. Select items, or tasks of one item.")
    kept = {item_id for item_id, _ in led}
    (parent_id,) = parents
    return RankedBlock(found[0][1], parent_id, tuple(item_id for item_id, *_ in found if item_id in kept))


class _ShownOrder:
    """The rank order as a view shows it."""

    def __init__(self, writer: WriteContext, query: ViewStatements, block: RankedBlock, *, is_tree: bool) -> None:
        self._connection = writer.mirror.connection
        self._query = query
        self._block = block
        self._lineup = rank_order_of(writer, block)
        self._family = self._family_of(block) if is_tree and block.parent_id is None else None

    def _family_of(self, block: RankedBlock) -> tuple[int | None]:
        """Return the Feature of the block, within which it moves in a tree; None for items of none.

        Raises BadRequest for items of several Features.
        """
        sql = "SELECT DISTINCT parent_id FROM items WHERE id IN (SELECT value FROM json_each(?))"
        found = self._connection.execute(sql, (ids_json(block.ids),)).fetchall()
        if len(found) > 1:
            raise BadRequest("In the tree items move within their Feature. Select items of one Feature.")
        ((feature_id,),) = found
        return (feature_id,)

    def up(self, block: RankedBlock, count: int) -> Sequence[RankTarget]:
        above = self._near(self._lineup.place_of(block.ids[0]), -max(count, 1), block.ids)
        return self._before(above[-1]) if above else self.at(block, 1)

    def down(self, block: RankedBlock, count: int) -> Sequence[RankTarget]:
        below = self._near(self._lineup.place_of(block.ids[-1]), max(count, 1), block.ids)
        return self._after(below[-1]) if below else self.bottom(block)

    def at(self, block: RankedBlock, number: int) -> Sequence[RankTarget]:
        start = max(number, 1) - 1
        order = self._near(None, start + len(block.ids) + 1, ())
        if tuple(order[start : start + len(block.ids)]) == block.ids:
            return ()
        others = self._near(None, start + 1, block.ids)
        return self._before(others[start]) if len(others) > start else self.bottom(block)

    def bottom(self, block: RankedBlock) -> Sequence[RankTarget]:
        last = self._near(None, -len(block.ids) - 1, ())
        others = self._near(None, -1, block.ids)
        is_there = tuple(reversed(last[: len(block.ids)])) == block.ids
        return () if is_there or not others else self._after(others[0])

    def beside(self, item_id: int, *, is_above: bool) -> Sequence[RankTarget]:
        if item_id in self._block.ids:
            raise BadRequest(f"Item {item_id} is among the items to move. Name another one.")
        if self._lineup.place_of(item_id) is None:
            raise BadRequest(f"Item {item_id} is in another order: items rank among items, tasks within their item.")
        return self._before(item_id) if is_above else self._after(item_id)

    def _near(self, place: RankPosition | None, count: int, without: Sequence[int]) -> list[int]:
        """Return the items that the view shows below a place, or above it for a negative count, nearest first."""
        sign, direction = (">", "ASC") if count > 0 else ("<", "DESC")
        is_of_items = self._block.parent_id is None
        first, second = ("rank_priority", "rank_id") if is_of_items else ("own_priority", "id")
        source = self._query.ordered_source if is_of_items else "items"
        where, values = self._query.where.text, self._query.where.values
        beyond = "" if place is None else f" AND ({first}, {second}) {sign} (?, ?)"
        within = "" if is_of_items else " AND parent_id = ? AND rank_id <> id"
        parent: tuple[int | None, ...] = () if is_of_items else (self._block.parent_id,)
        if self._family is not None:
            within, parent = " AND parent_id IS ? AND rank_id = id", self._family
        sql = (
            f"SELECT {second} FROM {source} WHERE {where}{within}{beyond}"  # noqa: S608 # bound values
            f" AND {second} NOT IN (SELECT value FROM json_each(?))"
            f" GROUP BY {first}, {second} ORDER BY {first} {direction}, {second} {direction} LIMIT ?"
        )
        key = () if place is None else (place.number, place.id)
        bound = (*values, *parent, *key, ids_json(without), abs(count))
        return [item_id for (item_id,) in self._connection.execute(sql, bound)]

    def _before(self, item_id: int) -> list[RankTarget]:
        return [("before", item_id), *self._others(item_id, "above")]

    def _after(self, item_id: int) -> list[RankTarget]:
        return [("after", item_id), *self._others(item_id, "below")]

    def _others(self, item_id: int, side: str) -> list[RankTarget]:
        place = self._lineup.place_of(item_id)
        if place is None:
            return []
        above = [("after", each.id) for each in self._lineup.above(place, 1, self._block.ids)]
        below = [("before", each.id) for each in self._lineup.below(place, 1, self._block.ids)]
        return [*above, *below] if side == "above" else [*below, *above]
