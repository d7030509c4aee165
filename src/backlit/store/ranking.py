"""Ranking: moving items in the backlog's order, among those that a view shows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import FIELD_BY_KEY
from backlit.store.database import ids_json
from backlit.store.files import Files, Writer
from backlit.store.lineup import Beside, Place
from backlit.store.ranks import drop_numbers
from backlit.store.reordering import Block, lineup_of, reorder
from backlit.store.server import Server
from backlit.store.views import View
from backlit.store.views_query import Query

EXTENSION = "rank"


@dataclass(frozen=True, slots=True)
class Ranked:
    """What came of a move: how many things moved, none where they stood there already."""

    count: int
    is_local: bool
    is_first: bool = False
    """Whether it is the first of the project that only this machine knows of."""


Where = Callable[["_Shown", Block], Sequence[Beside]]
"""Beside what a block is to stand; nothing where it stands there already."""


class Ranking:
    """Moves blocks: the things keep their order among themselves, and each act is one step of the history.

    Neighbours are what the view shows; what is hidden between them stays with them. Tasks go with their item, and move
    by themselves within it. All raise BadRequest for a view in another order than the backlog's and for a block that
    is not of one lineup, NotFound where nothing of it is there.
    """

    def __init__(
        self, files: Files, server: Server, wake: Callable[[], None], project_id: Callable[[], int | None]
    ) -> None:
        self._files = files
        self._server = server
        self._wake = wake
        self._project_id = project_id

    @property
    def is_offered(self) -> bool:
        """Whether the service can rank; where it cannot, the order is kept on this machine only."""
        told = (self._server.capabilities() or {}).get("extensions")
        return isinstance(told, list | tuple) and EXTENSION in told

    def count_local(self) -> int:
        """How many items of the project stand where they do on this machine only."""
        return self._files.journal.ranks.count_local(self._project_id())

    def local_ids(self) -> list[int]:
        """Those items."""
        project_id = self._project_id()
        return [] if project_id is None else self._files.journal.ranks.local(project_id)

    async def up(self, view: View, item_ids: Iterable[int], count: int = 1) -> Ranked:
        """Move a block up by so many of the things shown."""
        return await self._move(view, item_ids, lambda shown, block: shown.up(block, count))

    async def down(self, view: View, item_ids: Iterable[int], count: int = 1) -> Ranked:
        """Move a block down by so many of the things shown."""
        return await self._move(view, item_ids, lambda shown, block: shown.down(block, count))

    async def to_top(self, view: View, item_ids: Iterable[int]) -> Ranked:
        """Move a block above all that is shown."""
        return await self.to_position(view, item_ids, 1)

    async def to_bottom(self, view: View, item_ids: Iterable[int]) -> Ranked:
        """Move a block below all that is shown."""
        return await self._move(view, item_ids, lambda shown, block: shown.bottom(block))

    async def to_position(self, view: View, item_ids: Iterable[int], number: int) -> Ranked:
        """Move a block so that it begins at a place, counted from 1; within their item for tasks."""
        return await self._move(view, item_ids, lambda shown, block: shown.at(block, number))

    async def forget(self) -> int:
        """Give the order of this machine up and show the service's again; says how many items that moves."""
        project_id = self._project_id()

        def act(writer: Writer) -> int:
            ids = [] if project_id is None else writer.journal.ranks.local(project_id)
            drop_numbers(writer, ids)
            return len(ids)

        return await self._files.write(act)

    async def _move(self, view: View, item_ids: Iterable[int], where: Where) -> Ranked:
        refuse_other_orders(view)
        ids, query, is_local = list(item_ids), view.query, not self.is_offered

        def act(writer: Writer) -> Ranked:
            block = _block_of(writer, ids)
            beside = where(_Shown(writer, query, block), block)
            is_first = is_local and not writer.journal.ranks.count_local(block.project_id)
            is_moved = bool(beside) and reorder(writer, block, beside, is_local=is_local)
            return Ranked(len(block.ids) * is_moved, is_local, is_first and is_moved)

        ranked = await self._files.write(act)
        self._wake()
        return ranked


def refuse_other_orders(view: View) -> None:
    """Raise BadRequest for a view that is not in the backlog's own order."""
    for keys, words in (([key.name for key in view.spec.sort], "sorted"), (view.spec.group, "grouped")):
        if keys:
            field = FIELD_BY_KEY.get(keys[0])
            by = field.label.lower() if field else keys[0]
            raise BadRequest(f"The list is {words} by {by}; ranks show only in the backlog's own order.")


def _block_of(writer: Writer, item_ids: Sequence[int]) -> Block:
    """The block that some items make, in its order; tasks of items among them go with those."""
    ids = {writer.journal.real_id(each) for each in item_ids}
    found = writer.mirror.connection.execute(
        "SELECT id, project_id, rank_id FROM items WHERE id IN (SELECT value FROM json_each(?))"
        " ORDER BY rank_priority, rank_id, is_task, own_priority, id",
        (ids_json(ids),),
    ).fetchall()
    if not found:
        raise NotFound("The item is no longer there." if len(ids) == 1 else "The items are no longer there.")
    led = [(item_id, None if rank_id == item_id else rank_id) for item_id, _, rank_id in found if rank_id not in ids]
    led += [(item_id, None) for item_id, _, rank_id in found if rank_id == item_id]
    parents = {parent_id for _, parent_id in led}
    if len(parents) > 1:
        raise BadRequest("Tasks move within their item: mark items, or tasks of one item.")
    kept = {item_id for item_id, _ in led}
    (parent_id,) = parents
    return Block(found[0][1], parent_id, tuple(item_id for item_id, *_ in found if item_id in kept))


class _Shown:
    """The lineup as a view shows it."""

    def __init__(self, writer: Writer, query: Query, block: Block) -> None:
        self._connection = writer.mirror.connection
        self._query = query
        self._block = block
        self._lineup = lineup_of(writer, block)

    def up(self, block: Block, count: int) -> Sequence[Beside]:
        """Before the `count`-th thing above the block, or above all."""
        above = self._near(self._lineup.place_of(block.ids[0]), -max(count, 1), block.ids)
        return self._before(above[-1]) if above else self.at(block, 1)

    def down(self, block: Block, count: int) -> Sequence[Beside]:
        """After the `count`-th thing below the block, or below all."""
        below = self._near(self._lineup.place_of(block.ids[-1]), max(count, 1), block.ids)
        return self._after(below[-1]) if below else self.bottom(block)

    def at(self, block: Block, number: int) -> Sequence[Beside]:
        """Where the block begins at a place, counted from 1."""
        start = max(number, 1) - 1
        order = self._near(None, start + len(block.ids) + 1, ())
        if tuple(order[start : start + len(block.ids)]) == block.ids:
            return ()
        others = self._near(None, start + 1, block.ids)
        return self._before(others[start]) if len(others) > start else self.bottom(block)

    def bottom(self, block: Block) -> Sequence[Beside]:
        """Below all."""
        last = self._near(None, -len(block.ids) - 1, ())
        others = self._near(None, -1, block.ids)
        is_there = tuple(reversed(last[: len(block.ids)])) == block.ids
        return () if is_there or not others else self._after(others[0])

    def _near(self, place: Place | None, count: int, without: Sequence[int]) -> list[int]:
        """What the view shows below a place (above it for a negative count), nearest first."""
        sign, direction = (">", "ASC") if count > 0 else ("<", "DESC")
        is_of_items = self._block.parent_id is None
        first, second = ("rank_priority", "rank_id") if is_of_items else ("own_priority", "id")
        source = self._query.ordered_source if is_of_items else "items"
        where, values = self._query.where
        beyond = "" if place is None else f" AND ({first}, {second}) {sign} (?, ?)"
        within = "" if is_of_items else " AND parent_id = ? AND rank_id <> id"
        sql = (
            f"SELECT {second} FROM {source} WHERE {where}{within}{beyond}"  # noqa: S608 # bound values
            f" AND {second} NOT IN (SELECT value FROM json_each(?))"
            f" GROUP BY {first}, {second} ORDER BY {first} {direction}, {second} {direction} LIMIT ?"
        )
        parent = () if is_of_items else (self._block.parent_id,)
        key = () if place is None else (place.number, place.id)
        bound = (*values, *parent, *key, ids_json(without), abs(count))
        return [item_id for (item_id,) in self._connection.execute(sql, bound)]

    def _before(self, item_id: int) -> list[Beside]:
        return [("before", item_id), *self._others(item_id, "above")]

    def _after(self, item_id: int) -> list[Beside]:
        return [("after", item_id), *self._others(item_id, "below")]

    def _others(self, item_id: int, side: str) -> list[Beside]:
        """What else may stand for a neighbour, should it be gone."""
        place = self._lineup.place_of(item_id)
        if place is None:
            return []
        above = [("after", each.id) for each in self._lineup.above(place, 1, self._block.ids)]
        below = [("before", each.id) for each in self._lineup.below(place, 1, self._block.ids)]
        return [*above, *below] if side == "above" else [*below, *above]
