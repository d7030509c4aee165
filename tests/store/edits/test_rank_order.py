"""Places in the rank order without a service: neighbours that are gone, blocks that cannot move, and a local order."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.world import raised

from backlit.model.errors import BadRequest, NotFound
from backlit.store import Store, ViewSpec
from backlit.store.edits.rank_order import RankedBlock, RankOrder, rank_neighbours, reorder
from backlit.store.files.files import WriteContext
from backlit.store.records.changes import StoreChange


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    tasks = [item(number, kind="Task", ParentID=1 + number % 2) for number in (10, 11, 12)]
    with offline_store(tmp_path, [*map(item, (1, 2, 3, 4)), item(5, project=2), *tasks]) as made:
        yield made


async def order(store: Store) -> list[int]:
    view = store.view(ViewSpec(with_done=True))
    await view.load()
    return [row.id for row in view.rows(0, view.count or 0) if row.type != "Task"]


@pytest.mark.parametrize(
    ("ids", "beside", "numbers"),
    [
        ((4,), [("after", 2)], {4: 2.5}),
        ((4,), [("before", 2)], {4: 1.5}),
        ((4,), [("before", 1)], {4: 0.0}),
        ((1,), [("after", 4)], {1: 5.0}),
        ((4,), [("top", 0)], {4: 0.0}),
        ((1,), [("top", 0)], {1: 1.0}),
        ((4,), [("after", 99), ("after", 4), ("before", 3)], {4: 2.5}),
        ((4,), [("after", 5), ("after", 10), ("before", 3)], {4: 2.5}),
        ((4,), [("after", 99)], None),
        ((4,), [], None),
        ((3, 4), [("after", 1)], {3: 4 / 3, 4: 5 / 3}),
    ],
)
async def test_a_block_is_put_beside_the_first_neighbour_that_is_there(
    store: Store, ids: Sequence[int], beside: Sequence[tuple[str, int]], numbers: dict[int, float] | None
) -> None:
    found = await store.files.write(lambda writer: RankOrder(writer.mirror.connection, 1, None).put(ids, beside))

    assert (found and {each: round(number, 9) for each, number in found.items()}) == (
        numbers and {each: round(number, 9) for each, number in numbers.items()}
    )


async def test_former_neighbours_are_the_nearest_first(store: Store) -> None:
    def read(writer: WriteContext) -> list[list[tuple[str, int]]]:
        ranks = RankOrder(writer.mirror.connection, 1, None)
        return [ranks.former(2, [2]), ranks.former(3, [2, 3]), ranks.former(1, [1, 2, 3, 4])]

    assert await store.files.write(read) == [
        [("after", 1), ("before", 3), ("before", 4)],
        [("after", 2), ("before", 4), ("after", 1)],
        [("top", 0)],
    ]


@pytest.mark.parametrize(
    ("ids", "error", "words"),
    [
        ([99], NotFound, "The item was deleted."),
        ([98, 99], NotFound, "The items were deleted."),
        ([10, 11], BadRequest, "Tasks move within their item."),
        ([3, 10], BadRequest, "Tasks move within their item."),
    ],
)
async def test_a_block_that_is_gone_or_divided_does_not_move(
    store: Store, ids: list[int], error: type[Exception], words: str
) -> None:
    found = await raised(store.ranking.up(store.view(ViewSpec(with_done=True)), ids))

    assert isinstance(found, error)
    assert words in str(found)
    assert store.outbox_entries() == ()


@pytest.mark.parametrize(
    ("gone", "expected"),
    [((), [1, 2, 3, 4]), ((3,), [1, 2, 4]), ((2, 3), [4, 1]), ((1, 2), [3, 4]), ((1, 2, 3), [4])],
)
async def test_an_undone_move_goes_back_beside_a_near_neighbour_that_is_left(
    store: Store, gone: Sequence[int], expected: list[int]
) -> None:
    await store.ranking.to_top(store.view(ViewSpec(with_done=True)), [4])
    store.files.submit(lambda writer: writer.mirror.remove_items(gone)).result()

    await store.history.undo()

    assert await order(store) == expected


async def test_a_block_whose_neighbours_are_all_gone_stays(store: Store) -> None:
    block = RankedBlock(1, None, (4,))

    is_moved = await store.files.write(lambda writer: reorder(writer, block, [("after", 99)], is_local=True))

    assert (is_moved, await order(store)) == (False, [1, 2, 3, 4])


async def test_a_moved_block_goes_back_without_the_items_that_are_gone(store: Store) -> None:
    await store.ranking.to_bottom(store.view(ViewSpec(with_done=True)), [1, 2])
    store.files.submit(lambda writer: writer.mirror.remove_items([1])).result()

    await store.history.undo()

    assert await order(store) == [2, 3, 4]


@pytest.mark.parametrize(
    ("ids", "way", "beside"),
    [
        ([3], "up", [("before", 2), ("after", 1), ("before", 4)]),
        ([2], "up", [("before", 1), ("before", 3)]),
        ([2], "down", [("after", 3), ("before", 4), ("after", 1)]),
        ([3], "down", [("after", 4), ("after", 2)]),
        ([4], "top", [("before", 1), ("before", 2)]),
        ([1], "bottom", [("after", 4), ("after", 3)]),
        ([10], "down", [("after", 12)]),
        ([12], "up", [("before", 10)]),
    ],
)
async def test_a_move_is_sent_with_substitutes_for_its_neighbour(
    store: Store, ids: list[int], way: str, beside: list[tuple[str, int]]
) -> None:
    view = store.view(ViewSpec(with_done=True))
    ranking = store.ranking
    ways = {"up": ranking.up, "down": ranking.down, "top": ranking.to_top, "bottom": ranking.to_bottom}

    ranked = await ways[way](view, ids)

    entries = await store.files.write(lambda writer: [writer.journal.entries.find(number) for number in range(1, 9)])
    (entry,) = [each for each in entries if each]
    assert (ranked.count, ranked.is_local, ranked.is_first) == (1, True, True)
    assert rank_neighbours(entry.payload) == beside


@pytest.mark.parametrize(
    ("ids", "number", "expected"),
    [
        ([4], 2, [1, 4, 2, 3]),
        ([1], 3, [2, 3, 1, 4]),
        ([1, 2], 2, [3, 1, 2, 4]),
        ([3, 4], 1, [3, 4, 1, 2]),
        ([1], 9, [2, 3, 4, 1]),
        ([4], 0, [4, 1, 2, 3]),
        ([1, 3], 2, [2, 1, 3, 4]),
        ([2], 2, None),
        ([2, 3], 2, None),
        ([4], 9, None),
    ],
)
async def test_a_block_goes_to_a_position_counted_without_it(
    store: Store, ids: list[int], number: int, expected: list[int] | None
) -> None:
    ranked = await store.ranking.to_position(store.view(ViewSpec(with_done=True)), ids, number)

    assert (ranked.count, await order(store)) == (len(ids) if expected else 0, expected or [1, 2, 3, 4])
    assert len(store.ranking.local_ids()) == ranked.count


async def test_only_the_first_local_move_is_told_as_the_first(store: Store) -> None:
    view = store.view(ViewSpec(with_done=True))

    found = [await store.ranking.up(view, [1]), await store.ranking.up(view, [3]), await store.ranking.down(view, [1])]

    assert [(each.count, each.is_first) for each in found] == [(0, False), (1, True), (1, False)]


async def test_several_undone_moves_go_back_from_the_top_on(store: Store) -> None:
    view = store.view(ViewSpec(with_done=True))
    await store.ranking.to_bottom(view, [1, 3])
    moved = await order(store)

    await store.history.undo()
    back = await order(store)
    await store.history.redo()

    assert (moved, back, await order(store)) == ([2, 4, 1, 3], [1, 2, 3, 4], [2, 4, 1, 3])


async def test_a_block_in_another_order_than_its_numbers_goes_back_and_is_told(store: Store) -> None:
    view = store.view(ViewSpec(with_done=True))
    await store.ranking.to_top(view, [3])
    heard: list[StoreChange] = []
    store.subscribe(heard.append)
    await store.ranking.to_bottom(view, [1, 3])
    moved = await order(store)
    told = [each.ids for each in heard if each.fields == {"BacklogPriority"}]

    await store.history.undo()

    assert (moved, await order(store)) == ([2, 4, 3, 1], [3, 1, 2, 4])
    assert told == [frozenset({1, 3})]
