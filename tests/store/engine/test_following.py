"""A program that follows the service: what others do is read as they do it, and nothing is asked for meanwhile."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.store.following import following
from tests.store.nodes import AREAS, shown
from tests.store.world import World, until

from backlit.client.client import Client
from backlit.store import Store, ViewSpec

STREAM = "/api/v1/changes/stream"


@pytest.fixture
async def follower(world: World) -> AsyncIterator[Store]:
    async with following(world) as store:
        yield store


def field_of(store: Store, item_id: int, key: str) -> object:
    found = store.item(item_id)
    return found and found.fields[key]


def name_of(store: Store, item_id: int) -> object:
    return field_of(store, item_id, "Name")


async def test_what_others_do_with_items_is_read_by_id_as_they_do_it(world: World, follower: Store) -> None:
    first, second = (row.id for row in follower.view(ViewSpec()).rows(0, 2))
    world.faults.requests.clear()

    await world.rival.work_items.update(first, {"Name": "Renamed by jon"})
    await until(lambda: name_of(follower, first) == "Renamed by jon", lambda: world.faults.requests)
    new = await world.rival.work_items.create({"type": "Story", "projectId": 1, "fields": {"Name": "Made by jon"}})
    await until(lambda: name_of(follower, new["id"]) == "Made by jon", lambda: world.faults.requests)
    rank = (await world.rival.work_items.rank(second, {"bottom": True}))["fields"]["BacklogPriority"]
    await until(lambda: field_of(follower, second, "BacklogPriority") == rank)

    assert {path for _, path in world.faults.requests} <= {"/api/v1/workitems", f"/api/v1/workitems/{first}/history"}


async def test_a_removed_item_goes_without_a_request_for_it(world: World, follower: Store) -> None:
    new = await world.rival.work_items.create({"type": "Story", "projectId": 1, "fields": {"Name": "Made by jon"}})
    await until(lambda: name_of(follower, new["id"]))
    world.faults.requests.clear()

    await world.rival.work_items.delete(new["id"])

    await until(lambda: follower.item(new["id"]) is None)
    assert ("GET", f"/api/v1/workitems/{new['id']}") not in world.faults.requests


async def test_a_stream_that_breaks_goes_on_where_it_was(world: World, follower: Store) -> None:
    item_id = follower.view(ViewSpec()).rows(0, 1)[0].id
    world.faults.breaks_stream = True
    world.faults.requests.clear()

    await world.rival.work_items.update(item_id, {"Name": "Told by the next stream"})

    await until(lambda: name_of(follower, item_id) == "Told by the next stream", lambda: world.faults.requests)
    assert [path for _, path in world.faults.requests][:2] == [STREAM, "/api/v1/workitems"]


async def test_comments_and_trees_of_others_are_read(world: World, boss: Client, follower: Store) -> None:
    item_id = follower.view(ViewSpec()).rows(0, 1)[0].id
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "Said by jon"})
    await until(lambda: "Said by jon" in [each.text for each in follower.comments.of_item(item_id)])
    root = (await boss.areas.page(filter="projectId eq 1")).results[0]
    await boss.areas.create({"projectId": 1, "name": "Grown by jon", "parentId": root["id"]})
    await until(lambda: "Grown by jon" in [name for _, name in shown(follower, AREAS)])


async def test_a_burst_is_read_by_a_few_requests(world: World, follower: Store) -> None:
    ids = [row.id for row in follower.view(ViewSpec()).rows(0, 40)]
    world.faults.requests.clear()

    await asyncio.gather(*(world.rival.work_items.update(item_id, {"Name": f"All {item_id}"}) for item_id in ids))

    await until(lambda: all(name_of(follower, item_id) == f"All {item_id}" for item_id in ids))
    assert sum(path == "/api/v1/workitems" for _, path in world.faults.requests) < len(ids) / 2
