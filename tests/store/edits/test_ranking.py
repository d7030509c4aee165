"""Ranking: what is shown at once is what the service has afterwards; blocks, undo, rivals, and other orders."""

import asyncio
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.documents import item, offline_store
from tests.store.world import World, raised, sent, until, until_true

from backlit.model.filters import SortKey
from backlit.store import Store, View, ViewSpec
from backlit.store.edits.rank_order import spread
from backlit.store.records.entry import EntryKind, new_entry


async def shown(store: Store, spec: ViewSpec | None = None) -> list[int]:
    """The items of a view, tasks left out, in its order."""
    view = store.view(spec or ViewSpec(with_done=True))
    await view.load()
    return [row.id for row in view.rows(0, view.count or 0) if row.type != "Task"]


async def on_service(world: World) -> list[int]:
    """The same in the service's order."""
    order = "BacklogPriority,id"
    page = await world.rival.work_items.page(filter="projectId eq 1 and type ne 'Task'", order=order, top=1000)
    return [each["id"] for each in page.results]


def all_of(store: Store) -> View:
    return store.view(ViewSpec(with_done=True))


async def test_the_order_on_the_service_afterwards_is_the_one_that_was_shown(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    chance = random.Random(7)

    for _ in range(25):
        item_id, count = chance.choice(ids), chance.randint(1, 4)
        move = store.ranking.up if chance.random() < 0.5 else store.ranking.down
        await move(all_of(store), [item_id], count)
    before = await shown(store)
    await sent(store)

    assert before != ids
    assert await shown(store) == before
    assert await on_service(world) == before


async def test_a_move_is_shown_before_it_is_sent_and_after_a_restart(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    world.faults.is_down = True

    await store.ranking.down(all_of(store), [ids[0]], 2)
    await world.close(store)
    again = world.store()

    wanted = [ids[1], ids[2], ids[0], *ids[3:]]
    assert await shown(again) == wanted
    world.faults.is_down = False
    again.start()
    await sent(again)
    assert await on_service(world) == wanted


async def test_a_block_moves_as_one_and_keeps_its_inner_order(world: World) -> None:
    store = await world.online()
    ids = await shown(store)

    done = await store.ranking.down(all_of(store), [ids[4], ids[0], ids[2]])
    await sent(store)

    wanted = [ids[1], ids[3], ids[5], ids[0], ids[2], ids[4], *ids[6:]]
    assert done.count == 3
    assert await shown(store) == wanted
    assert await on_service(world) == wanted


async def test_undo_puts_a_block_back_as_one_step_and_redo_moves_it_again(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    block = [ids[1], ids[3], ids[4], ids[7]]
    await store.ranking.to_top(all_of(store), block)
    moved = await shown(store)
    await sent(store)

    asked = await store.history.to_undo()
    await store.history.undo()
    undone = await shown(store)
    await sent(store)
    undone_there = await on_service(world)
    await store.history.redo()
    await sent(store)

    assert asked is not None
    assert not asked.is_grave
    assert (undone, undone_there) == (ids, ids)
    assert await shown(store) == moved == await on_service(world)


async def test_undo_before_it_was_sent_leaves_the_service_as_it_was(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    world.faults.is_down = True
    await store.ranking.to_bottom(all_of(store), [ids[0], ids[-1]])

    await store.history.undo()

    assert await shown(store) == ids
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    assert await on_service(world) == ids


async def test_neighbours_are_those_that_the_view_shows(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    spec = ViewSpec(query="type:story", with_done=True)
    stories = await shown(store, spec)

    await store.ranking.down(store.view(spec), [stories[0]])
    await sent(store)

    rest = [each for each in ids if each != stories[0]]
    at = rest.index(stories[1]) + 1
    assert await shown(store) == [*rest[:at], stories[0], *rest[at:]] == await on_service(world)


async def test_to_a_position_counts_what_is_shown(world: World) -> None:
    store = await world.online()
    ids = await shown(store)

    await store.ranking.to_position(all_of(store), [ids[8], ids[9]], 3)
    again = await store.ranking.to_position(all_of(store), [ids[8], ids[9]], 3)

    assert (await shown(store))[:6] == [ids[0], ids[1], ids[8], ids[9], ids[2], ids[3]]
    assert again.count == 0


async def test_at_the_edges_nothing_moves_and_nothing_is_journalled(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    world.faults.is_down = True

    moves = [
        await store.ranking.up(all_of(store), [ids[0], ids[1]]),
        await store.ranking.down(all_of(store), [ids[-1]]),
        await store.ranking.to_top(all_of(store), [ids[0]]),
        await store.ranking.to_bottom(all_of(store), [ids[-2], ids[-1]]),
    ]

    assert [each.count for each in moves] == [0, 0, 0, 0]
    assert store.outbox_entries() == ()


async def test_tasks_go_with_their_item_and_move_within_it(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    tasks = [await store.items.add("Task", {"Name": name, "ParentID": ids[3]}) for name in ("a", "b", "c")]
    await sent(store)

    await store.ranking.to_top(all_of(store), tasks[2:])
    await store.ranking.up(all_of(store), [ids[3]], 3)
    await sent(store)
    refused = await raised(store.ranking.up(all_of(store), [tasks[0], ids[5]]))

    names = [task.fields["Name"] for task in store.batch.tasks_of(ids[3])]
    assert names.index("c") < names.index("a") < names.index("b")
    assert names[0] == "c"
    assert (await shown(store))[0] == ids[3]
    assert "within their item" in str(refused)


async def test_a_new_item_is_ranked_before_the_service_knows_it(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    world.faults.is_down = True
    new = await store.items.add("Story", {"Name": "first of all"})

    await store.ranking.to_top(all_of(store), [new])
    await store.ranking.down(all_of(store), [ids[1]])
    await store.ranking.up(all_of(store), [ids[3]], 3)
    first = await shown(store)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    item = store.item(new)
    assert item is not None
    assert first[:3] == [new, ids[3], ids[0]]
    assert (await on_service(world))[:3] == [item.id, ids[3], ids[0]] == (await shown(store))[:3]


async def test_a_neighbour_that_is_gone_is_replaced_by_the_next_best(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    world.faults.is_down = True
    await store.ranking.down(all_of(store), [ids[0]])

    await world.rival.work_items.delete(ids[1])
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    assert store.outbox.refused == 0
    assert await on_service(world) == [ids[0], *ids[2:]]


async def test_a_lost_answer_changes_nothing_of_the_order(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    world.faults.lost_answers = {"POST": 2}

    await store.ranking.down(all_of(store), [ids[0]], 3)
    await store.ranking.down(all_of(store), [ids[1]], 1)
    wanted = await shown(store)
    await sent(store)

    assert await on_service(world) == wanted == await shown(store)


async def test_a_move_below_a_new_item_waits_for_it(world: World) -> None:
    store = await world.online()
    first, *rest = await shown(store)
    world.faults.is_down = True
    new = await store.items.add("Story", {"Name": "New"})
    await store.ranking.to_bottom(all_of(store), [first])

    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    made = store.item(new)
    assert made is not None
    assert await on_service(world) == [*rest, made.id, first]


async def test_items_without_a_rank_are_ranked_after_the_others(tmp_path: Path) -> None:
    documents = [item(1), *(item(number, BacklogPriority=None) for number in (2, 3, 4))]
    with offline_store(tmp_path, documents) as store:
        await store.ranking.up(all_of(store), [4])
        await store.ranking.up(all_of(store), [3], 2)

        assert await shown(store) == [1, 3, 2, 4]


async def test_a_move_without_a_neighbour_goes_to_the_top(world: World) -> None:
    store = await world.online()
    *others, last = await shown(store)
    move = new_entry(EntryKind.RANK, 1, {"beside": [["top", 0]]}, last, {"beside": []})

    await store.files.write(lambda writer: writer.journal.add([move]))
    await store.refresh()
    await sent(store)

    assert await on_service(world) == [last, *others]


async def test_a_list_in_another_order_is_not_ranked(world: World) -> None:
    store = await world.online()
    ids = await shown(store)

    by_name = await raised(store.ranking.up(store.view(ViewSpec(sort=(SortKey("Name"),))), [ids[3]]))
    by_status = await raised(store.ranking.up(store.view(ViewSpec(group=("Status",))), [ids[3]]))

    assert "sorted by name" in str(by_name)
    assert "grouped by status" in str(by_status)


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.slow if seed < 2 else pytest.mark.long) for seed in range(8)]
)
@pytest.mark.long_but("1")
async def test_two_who_rank_at_random_end_with_one_order(world: World, seed: int) -> None:
    one, other = await world.online("one"), await world.online("other")
    ids = await shown(one)
    chance = random.Random(seed)

    for _ in range(3):
        await asyncio.gather(_rank_at_random(one, ids, chance), _rank_at_random(other, ids, chance))
        await asyncio.gather(sent(one), sent(other))
    await asyncio.gather(one.refresh(), other.refresh())
    await asyncio.gather(one.refresh(), other.refresh())

    order = await on_service(world)
    assert sorted(order) == sorted(ids)
    assert await shown(one) == order == await shown(other)


async def _rank_at_random(store: Store, ids: Sequence[int], chance: random.Random) -> None:
    for _ in range(6):
        block = chance.sample(ids, chance.randint(1, 3))
        match chance.randint(0, 4):
            case 0:
                await store.ranking.up(all_of(store), block, chance.randint(1, 5))
            case 1:
                await store.ranking.down(all_of(store), block, chance.randint(1, 5))
            case 2:
                await store.ranking.to_top(all_of(store), block)
            case 3:
                await store.ranking.to_position(all_of(store), block, chance.randint(1, len(ids)))
            case _:
                await store.history.undo()


@pytest.mark.slow
async def test_where_no_number_lies_between_two_neighbours_these_get_new_ones(world: World) -> None:
    store = await world.online()
    ids = await shown(store)
    world.faults.is_down = True

    for turn in range(70):
        await store.ranking.to_position(all_of(store), [ids[10 + turn % 2]], 2)
    first = await shown(store)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    await until_true(lambda: _is_order(store, first))

    assert first[:3] == [ids[0], ids[11], ids[10]]
    assert await on_service(world) == first


async def _is_order(store: Store, wanted: list[int]) -> bool:
    await store.refresh()
    return await shown(store) == wanted


numbers = st.none() | st.floats(allow_nan=False)


@given(st.integers(1, 50), numbers, numbers)
def test_spread_numbers_rise_strictly_between_their_bounds(count: int, low: float | None, high: float | None) -> None:
    found = spread(count, low, high)

    bounds = [each for each in (low, *(found or ()), high) if each is not None]
    assert found is None or (len(found) == count and all(a < b for a, b in pairwise(bounds)))


async def test_where_the_service_cannot_rank_the_order_stays_on_this_machine(world: World) -> None:
    world.faults.lacks = frozenset({"/capabilities"})
    store = await world.online()
    ids = await shown(store)

    first = await store.ranking.down(all_of(store), [ids[0]])
    second = await store.ranking.down(all_of(store), [ids[4]])
    await world.close(store)
    again = world.store()
    again.start()
    await until(lambda: again.connection.synced_at)

    wanted = [ids[1], ids[0], ids[2], ids[3], ids[5], ids[4], *ids[6:]]
    assert (first.is_local, first.is_first, second.is_first) == (True, True, False)
    assert await shown(again) == wanted
    assert again.project_facts.count_local_positions() == 2
    assert again.outbox_entries() == ()
    assert await on_service(world) == ids


async def test_a_local_order_is_undone_and_given_up(world: World) -> None:
    world.faults.lacks = frozenset({"/capabilities"})
    store = await world.online()
    ids = await shown(store)
    await store.ranking.down(all_of(store), [ids[0]])
    await store.ranking.to_top(all_of(store), [ids[5]])

    await store.history.undo()
    undone = await shown(store)
    count = await store.ranking.forget()

    assert undone == [ids[1], ids[0], *ids[2:]]
    assert count == 2
    assert await shown(store) == ids
    assert store.project_facts.count_local_positions() == 0


async def test_a_local_order_survives_a_mirror_that_is_made_anew(world: World) -> None:
    world.faults.lacks = frozenset({"/capabilities"})
    store = await world.online()
    ids = await shown(store)
    await store.ranking.to_top(all_of(store), [ids[5]])
    await world.close(store)

    world.places().mirror.unlink()
    again = await world.online()

    assert (await shown(again))[:3] == [ids[5], ids[0], ids[1]]
