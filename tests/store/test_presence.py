"""Who edits what: told by the service as it happens, and told to it for as long as an editor is open."""

from collections.abc import AsyncIterator

import pytest
from tests.store.following import following
from tests.store.world import World, until

from backlit.client.events import ServerEvent
from backlit.store import Store, ViewSpec


@pytest.fixture
async def follower(world: World) -> AsyncIterator[Store]:
    async with following(world) as store:
        yield store


async def told(events: AsyncIterator[ServerEvent]) -> object:
    """The next that is said of people."""
    async for event in events:
        if event.name == "presence" and event.data["here"]:
            return event.data["here"]
    raise AssertionError("the stream ended")


async def test_who_edits_an_item_is_known_until_they_leave(world: World, follower: Store) -> None:
    item_id = follower.view(ViewSpec()).rows(0, 1)[0].id

    await world.rival.tell_presence(item_id, "Description")
    await until(lambda: follower.presence.words(item_id) == "jon is editing this (Description)")
    assert follower.presence.initial(item_id) == "J"

    await world.rival.tell_presence(None, "")
    await until(lambda: not follower.presence.words(item_id))


async def test_others_are_told_what_is_edited_here_until_it_is_closed(world: World, follower: Store) -> None:
    item_id = follower.view(ViewSpec()).rows(0, 1)[0].id
    me = follower.lookups.me()
    assert me is not None
    async with world.rival.changes(None) as events:
        follower.presence.begin(item_id, "Name")
        assert await told(events) == [{"user": me.id, "item": item_id, "mode": "edit", "field": "Name"}]

        follower.presence.end(item_id)
        assert await told(events) == [{"user": me.id, "item": None}]

    assert not follower.presence.words(item_id)


async def test_nobody_is_told_where_the_user_does_not_want_it(world: World, follower: Store) -> None:
    item_id = follower.view(ViewSpec()).rows(0, 1)[0].id
    follower.presence.is_told = False
    world.faults.requests.clear()

    follower.presence.begin(item_id, "Name")
    await world.rival.work_items.update(item_id, {"Name": "Later"})
    await until(lambda: (item := follower.item(item_id)) is not None and item.name == "Later")

    assert ("PUT", "/api/v1/presence") not in world.faults.requests
