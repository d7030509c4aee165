"""A program that follows the service: what others do is read as they do it, and nothing is asked for meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from sqlalchemy import Connection
from tests.store.following import connected, following
from tests.store.nodes import AREAS, shown
from tests.store.world import Said, World, sent, until

from backlit.client.client import Client
from backlit.service.admin.users import license_, remove_grant, rotate_key
from backlit.service.tables import sign_ins
from backlit.store import ConnectionState, Store, ViewSpec

STREAM = "/api/v1/changes/stream"
LONG_POLL = "/api/v1/changes"


def in_database(world: World, act: Callable[[Connection], object]) -> None:
    world.service.shared.database.write.submit(act).result()


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
    rank = (await world.rival.work_items.act(second, "rank", {"bottom": True}))["fields"]["BacklogPriority"]
    await until(lambda: field_of(follower, second, "BacklogPriority") == rank)

    below = {f"/api/v1/{each}" for each in ("relations", "acceptancecriteria", "links", "timeentries")}
    allowed = {"/api/v1/workitems", f"/api/v1/workitems/{first}/history"}
    assert {path for _, path in world.faults.requests} - below <= allowed


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


def reads(world: World) -> list[str]:
    """The addresses read, without those of the stream and of histories."""
    return [path for method, path in world.faults.requests if method == "GET" and "/history" not in path]


async def test_an_own_edit_is_not_read_again(world: World, follower: Store) -> None:
    first, second = (row.id for row in follower.view(ViewSpec()).rows(0, 2))
    world.faults.requests.clear()

    await follower.items.edit([first], {"Name": "Renamed here"})
    await sent(follower)
    await world.rival.work_items.update(second, {"Name": "Renamed by jon"})

    await until(lambda: name_of(follower, second) == "Renamed by jon")
    assert reads(world).count("/api/v1/workitems") == 1


async def test_another_project_is_followed_once_it_is_shown(world: World, follower: Store) -> None:
    follower.choose_project(2)
    await until(lambda: follower.view(ViewSpec()).rows(0, 1))
    item_id = follower.view(ViewSpec()).rows(0, 1)[0].id

    await world.rival.work_items.update(item_id, {"Name": "Renamed by jon"})

    await until(lambda: name_of(follower, item_id) == "Renamed by jon", lambda: world.faults.requests)


async def test_a_project_that_was_taken_away_goes_and_another_is_shown(world: World, follower: Store) -> None:
    item_id = follower.view(ViewSpec()).rows(0, 1)[0].id

    in_database(world, lambda connection: remove_grant(connection, "maya", "1"))

    await until(lambda: follower.item(item_id) is None and follower.project_id != 1, lambda: follower.connection)
    assert 1 not in {each.id for each in follower.lookups.projects()}


def end_licence(connection: Connection) -> None:
    license_(connection, "maya", is_licensed=False)


def revoke_tokens(connection: Connection) -> None:
    sign_ins.revoke_all(connection, 1)


@pytest.mark.parametrize("act", [end_licence, revoke_tokens])
async def test_a_sign_in_that_was_taken_away_locks_the_copy_and_keeps_what_waits(
    world: World, follower: Store, act: Callable[[Connection], object]
) -> None:
    in_database(world, act)

    await until(lambda: follower.connection.is_locked, lambda: follower.connection)
    await follower.items.add("Story", {"Name": "Waits"})
    assert follower.connection.state is ConnectionState.SIGNED_OUT
    assert not follower.connection.is_live
    assert follower.outbox.pending == 1


async def test_a_forgotten_key_locks_nothing(world: World, follower: Store) -> None:
    item_id = follower.view(ViewSpec()).rows(0, 1)[0].id
    world.faults.requests.clear()

    in_database(world, lambda connection: rotate_key(connection, forget=True))

    await until(lambda: ("GET", STREAM) in world.faults.requests and follower.connection.is_live)
    await world.rival.work_items.update(item_id, {"Name": "Renamed by jon"})
    await until(lambda: name_of(follower, item_id) == "Renamed by jon", lambda: follower.connection)
    assert not follower.connection.is_locked


async def test_a_service_out_of_reach_locks_nothing(world: World, follower: Store) -> None:
    world.faults.is_down = True
    world.faults.breaks_stream = True
    await world.rival.work_items.update(follower.view(ViewSpec()).rows(0, 1)[0].id, {"Name": "Not seen"})

    await until(lambda: follower.connection.state is ConnectionState.OFFLINE, lambda: follower.connection)
    assert not follower.connection.is_locked


ENDS_AT_ONCE = Said(200, [(b"content-type", b"text/event-stream")])
IS_NO_STREAM = Said(200, [(b"content-type", b"text/html")], b"<p>Hello")


@pytest.mark.parametrize("answer", [Said(404), Said(405), Said(429), ENDS_AT_ONCE, IS_NO_STREAM])
@pytest.mark.long_but("answer0", "answer2")
async def test_a_stream_that_does_not_come_gives_way_to_requests_that_wait(world: World, answer: Said) -> None:
    world.faults.says = lambda _method, path: answer if path == STREAM else None
    async with following(world) as store:
        item_id = store.view(ViewSpec()).rows(0, 1)[0].id
        world.faults.requests.clear()

        await world.rival.work_items.update(item_id, {"Name": "Renamed by jon"})

        await until(lambda: name_of(store, item_id) == "Renamed by jon", lambda: world.faults.requests)
        assert STREAM not in {path for _, path in world.faults.requests}


async def test_a_program_that_may_not_follow_says_that_it_polls(world: World) -> None:
    world.faults.says = lambda _method, path: Said(404) if path.startswith("/api/v1/changes") else None
    async with connected(world) as store:
        await until(lambda: store.connection.is_polling, lambda: (store.connection, world.faults.requests))
        assert not store.connection.is_live


async def test_a_service_without_the_extension_is_never_asked(world: World) -> None:
    world.without_history()
    async with connected(world) as store:
        await until(lambda: store.connection.state is ConnectionState.ONLINE)
        assert not any(path.startswith("/api/v1/changes") for _, path in world.faults.requests)


async def test_a_new_copy_is_loaded_and_followed(world: World, follower: Store) -> None:
    item_id = follower.view(ViewSpec()).rows(0, 1)[0].id
    follower.files.renew()

    await world.rival.work_items.update(item_id, {"Name": "Renamed by jon"})

    await until(lambda: name_of(follower, item_id) == "Renamed by jon", lambda: world.faults.requests)
    assert len(follower.view(ViewSpec(with_done=True)).rows(0, 100)) == len(await world.names())
