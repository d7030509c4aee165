"""Ranking: moves of items in the backlog's order, among the items that a view shows."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import FIELD_BY_KEY
from backlit.store.edits.items import update_overlay
from backlit.store.edits.rank_order import RANKING, RankedBlock, RankPosition, RankTarget, rank_order_of, reorder
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.remote.capabilities import ServiceFeatures
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.query import ViewStatements
from backlit.store.views.view import View


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
        return isinstance(told, list | tuple) and RANKING in told

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
            update_overlay(writer, block.ids if is_moved else ())
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
