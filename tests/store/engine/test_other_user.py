"""The owner of a profile's files: nothing that waits in them is sent under another name."""

import asyncio

import pytest
from tests.store.world import World, raised, sent, until

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.store import ConnectionState, Store
from backlit.store.engine.other_user import OtherUser


async def with_a_change(world: World) -> Store:
    """A signed-out store of maya's in which a change waits."""
    store = world.store(signed_in=False, owner="maya")
    await store.items.add("Story", {"Name": "Written by maya"})
    store.start()
    await until(lambda: store.connection.state is ConnectionState.SIGNED_OUT)
    return store


@pytest.mark.parametrize("user", ["jon", "maya"])
async def test_only_the_owner_signs_in_to_a_store(world: World, user: str) -> None:
    world.take_loaded()
    (world.folder / "mine.json").unlink()
    store = await with_a_change(world)
    code = await asyncio.to_thread(world.service.invite, user)

    if user == "maya":
        await store.engine.sign_in_with_code(code)
        await sent(store)
        assert "Written by maya" in await world.names()
        return
    error = await raised(store.engine.sign_in_with_code(code))

    assert isinstance(error, OtherUser)
    assert "You signed in as jon, but this profile belongs to maya." in str(error)
    assert store.connection.state is ConnectionState.SIGNED_OUT
    assert store.outbox.pending == 1
    assert "Written by maya" not in await world.names()


async def test_a_stored_sign_in_of_another_user_sends_and_loads_nothing(world: World) -> None:
    world.take_loaded()
    client = Client.inside(world.asgi, TokenCache(world.folder / "mine.json", "mine"))
    await client.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, "jon"))
    await client.aclose()
    store = world.store(owner="maya")
    await store.items.add("Story", {"Name": "Written by maya"})

    store.start()
    await until(lambda: store.connection.state is ConnectionState.SIGNED_OUT, lambda: store.connection)

    assert "The stored sign-in was that of jon, but this profile belongs to maya." in store.connection.sentence
    assert store.outbox.pending == 1
    me = store.lookups.me()
    assert me is not None
    assert me.username == "maya"
    assert "Written by maya" not in await world.names()
    assert TokenCache(world.folder / "mine.json", "mine").load() is None


@pytest.mark.parametrize("content", ["{", '{"mine": {}}'])
async def test_a_sign_in_file_that_cannot_be_read_asks_for_a_sign_in_which_replaces_it(
    world: World, content: str
) -> None:
    (world.folder / "mine.json").write_text(content)
    store = world.store(signed_in=False, owner="maya")

    store.start()
    await until(lambda: store.connection.state is ConnectionState.SIGNED_OUT, lambda: store.connection)
    said = store.connection.sentence
    await store.engine.sign_in_with_code(await asyncio.to_thread(world.service.invite, "maya"))
    await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)

    assert f"({world.folder / 'mine.json'}). Sign in again to replace it." in said
