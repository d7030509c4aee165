"""Unfinished items of an ended iteration: each goes its way, and all of it is one step."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put, put_nouns
from tests.store.plan_steps import ended_sprint, held
from tests.store.world import World, raised, sent

from backlit.model.errors import BadRequest
from backlit.model.fields import NAME_LIMIT
from backlit.store import Store
from backlit.store.edits.rollover import RolloverDecision, RolloverOutcome, rest_of
from backlit.store.records.entry import EntryKind


async def test_open_items_are_unfinished_tasks_and_done_ones_are_not(world: World) -> None:
    store = await world.online()
    ended, _, rows = await ended_sprint(store, 3)
    await store.items.edit([rows[0].id], {"Status": "Done"})

    assert store.rollover.unfinished(ended.id) == [row.id for row in rows[1:]]


async def test_every_item_goes_its_way(world: World) -> None:
    store = await world.online()
    ended, target, (on, back, split, done, stays) = await ended_sprint(store, 5)
    decisions = {
        on.id: RolloverDecision(RolloverOutcome.NEXT),
        back.id: RolloverDecision(RolloverOutcome.BACKLOG),
        split.id: RolloverDecision(RolloverOutcome.SPLIT, 3),
        done.id: RolloverDecision(RolloverOutcome.DONE),
        stays.id: RolloverDecision(RolloverOutcome.STAY),
    }

    written = await store.rollover.write(ended.id, target.id, decisions)
    await sent(store)

    keys = ("IterationID", "Estimate", "Status")
    assert written == (4, set())
    assert await held(world, on.id, *keys) == [target.id, "8", "In Progress"]
    assert await held(world, back.id, *keys) == [store.plan.iterations.backlog_id, "8", "In Progress"]
    assert await held(world, split.id, *keys) == [target.id, "5", "In Progress"]
    assert await held(world, done.id, *keys) == [ended.id, "8", "Done"]
    assert await held(world, stays.id, *keys) == [ended.id, "8", "In Progress"]


@pytest.mark.parametrize(("with_tasks", "status"), [(True, "Done"), (False, "Not Done")])
async def test_what_is_done_is_so_with_its_tasks_if_that_is_wanted(
    world: World, *, with_tasks: bool, status: str
) -> None:
    store = await world.online()
    ended, target, (row,) = await ended_sprint(store, 1)
    task_id = await store.items.add("Task", {"Name": "Sew", "ParentID": row.id})
    await sent(store)
    before = store.rollover.open_tasks(row.id)

    await store.rollover.write(
        ended.id, target.id, {row.id: RolloverDecision(RolloverOutcome.DONE, with_tasks=with_tasks)}
    )
    await sent(store)

    assert store.nodes.real_id(task_id) in before
    assert await held(world, row.id, "Status") == ["Done"]
    assert await held(world, store.nodes.real_id(task_id), "Status") == [status]


async def test_the_done_part_of_a_split_item_stays_behind_as_an_item_of_its_own(world: World) -> None:
    store = await world.online()
    ended, target, (row,) = await ended_sprint(store, 1)

    await store.rollover.write(ended.id, target.id, {row.id: RolloverDecision(RolloverOutcome.SPLIT, 3)})
    await sent(store)

    page = await world.rival.work_items.page(filter=f"IterationID eq {ended.id} and Estimate eq '3'", top=10)
    (part,) = [each["fields"] for each in page.results if each["fields"]["Name"].endswith("(done part)")]
    assert (part["Status"], part["Name"]) == ("Done", f"{row.name} (done part)")


@pytest.mark.parametrize("has_history", [True, False])
async def test_the_done_part_names_its_source_where_the_server_takes_that(world: World, *, has_history: bool) -> None:
    if not has_history:
        world.without_history()
    store = await world.online("splitting")
    ended, target, (row,) = await ended_sprint(store, 1)
    await store.rollover.write(ended.id, target.id, {row.id: RolloverDecision(RolloverOutcome.SPLIT, 3)})
    await sent(store)

    page = await world.rival.work_items.page(
        filter=f"IterationID eq {ended.id} and Estimate eq '3'", select="id,splitFrom,fields/Name", top=10
    )
    (part,) = [each for each in page.results if each["fields"]["Name"].endswith("(done part)")]
    assert part["splitFrom"] == (row.id if has_history else None)


async def test_it_is_one_step_that_is_taken_back(world: World) -> None:
    store = await world.online()
    ended, target, (one, other) = await ended_sprint(store, 2)
    await store.rollover.write(
        ended.id,
        target.id,
        {one.id: RolloverDecision(RolloverOutcome.SPLIT, 3), other.id: RolloverDecision(RolloverOutcome.DONE)},
    )
    await sent(store)

    await store.history.undo()
    await sent(store)

    assert await held(world, one.id, "IterationID", "Estimate") == [ended.id, "8"]
    assert await held(world, other.id, "Status") == ["In Progress"]
    names = await world.rival.work_items.page(filter=f"IterationID eq {ended.id} and Estimate eq '3'", top=10)
    assert [each["fields"]["Status"] for each in names.results if "(done part)" in each["fields"]["Name"]] == [
        "Deleted"
    ]


async def test_the_part_of_a_split_is_there_before_its_item_is_smaller(world: World) -> None:
    store = await world.online()
    ended, target, (row,) = await ended_sprint(store, 1)
    arrived: list[tuple[str, str]] = []

    async def arrive(method: str, path: str) -> None:
        if method == "POST":  # the other request has time to come first
            await asyncio.sleep(0.1)
        arrived.append((method, path.rpartition("/")[2]))

    world.faults.before = arrive
    await store.rollover.write(ended.id, target.id, {row.id: RolloverDecision(RolloverOutcome.SPLIT, 3)})
    await sent(store)

    assert arrived.index(("POST", "workitems")) < arrived.index(("PUT", str(row.id)))


async def test_an_item_that_left_meanwhile_stays_where_it_is(world: World) -> None:
    store = await world.online()
    ended, target, (row,) = await ended_sprint(store, 1)
    await world.rival.work_items.update(row.id, {"IterationID": store.plan.iterations.backlog_id})
    await store.refresh()

    assert await store.rollover.write(ended.id, target.id, {row.id: RolloverDecision(RolloverOutcome.NEXT)}) == (
        0,
        set(),
    )


async def test_without_a_next_iteration_nothing_is_written(world: World) -> None:
    store = await world.online()
    ended, _, (row,) = await ended_sprint(store, 1)

    error = await raised(store.rollover.write(ended.id, None, {row.id: RolloverDecision(RolloverOutcome.NEXT)}))

    assert isinstance(error, BadRequest)
    assert store.outbox_entries() == ()


@pytest.mark.parametrize(
    ("decision", "rest"),
    [
        (RolloverDecision(RolloverOutcome.NEXT), 8),
        (RolloverDecision(RolloverOutcome.SPLIT, 3), 5),
        (RolloverDecision(RolloverOutcome.SPLIT, 99), 0),
        (RolloverDecision(RolloverOutcome.BACKLOG), 0),
        (RolloverDecision(RolloverOutcome.DONE), 0),
    ],
)
async def test_what_goes_on_is_known_before(world: World, decision: RolloverDecision, rest: float) -> None:
    store = await world.online()
    _, _, (row,) = await ended_sprint(store, 1)
    item = store.item(row.id)

    assert item is not None
    assert rest_of(item, decision) == rest


@pytest.fixture
def offline(tmp_path: Path) -> Iterator[Store]:
    """A store without a service: an ended sprint 22, and sprint 23 after it."""
    long = "n" * NAME_LIMIT
    documents = [item(1, Name=long, IterationID=22, Estimate="8"), item(2, IterationID=22), item(3, IterationID=23)]
    with offline_store(tmp_path, documents) as store:
        put_nouns(store, iterations=[node(21, "Root"), node(22, "S", 21), node(23, "T", 21)])
        yield store


async def test_the_name_of_a_done_part_fits_the_longest_name(offline: Store) -> None:
    assert await offline.rollover.write(22, 23, {1: RolloverDecision(RolloverOutcome.SPLIT, 3)}) == (1, set())

    (made,) = [each.fields for each in offline.outbox_entries() if each.kind is EntryKind.ADD]
    name = str(made["Name"])
    assert (len(name), name[-13:], made["Estimate"]) == (NAME_LIMIT, "n (done part)", "3")


async def test_a_done_part_leaves_out_an_owner_who_is_no_user_any_more(offline: Store) -> None:
    put_nouns(offline, user=[{"id": 3, "name": "zoe"}], looked_up_user=[{"id": 9, "name": "jon"}])
    put(offline, [item(each, IterationID=22, AssignedToID=9) for each in (1, 2)])

    written = await offline.rollover.write(
        22, 23, {1: RolloverDecision(RolloverOutcome.SPLIT, 3), 2: RolloverDecision(RolloverOutcome.NEXT)}
    )

    assert written == (2, {"Owner jon is not a licensed user."})
    (made,) = [each.fields for each in offline.outbox_entries() if each.kind is EntryKind.ADD]
    assert made.get("AssignedToID") is None


async def test_items_that_are_gone_or_elsewhere_go_nowhere(offline: Store) -> None:
    decisions = dict.fromkeys((99, 3, 2), RolloverDecision(RolloverOutcome.NEXT))

    assert await offline.rollover.write(22, 23, decisions) == (1, set())
    assert [each.item_id for each in offline.outbox_entries()] == [2]
