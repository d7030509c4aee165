"""What is opened for tests of the store and closed after them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.store.documents import offline_store, places_in
from tests.store.foreign_server import PACING, ForeignServer, Online, Quirks
from tests.store.reading import Begin, Reading
from tests.store.world import Faults, World, until

from backlit.client.calls import RetryPolicy
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.store import ConnectionState, Store
from backlit.store.engine.engine import Report

ONCE = RetryPolicy(attempts=1)


@pytest.fixture
async def begin(tmp_path: Path) -> AsyncIterator[Begin]:
    async with AsyncExitStack() as stack:

        async def begin(**quirks: object) -> Reading:
            server = ForeignServer(Quirks(**quirks), items=0)  # type: ignore[arg-type] # of each field
            faults = Faults(server)
            store = stack.enter_context(offline_store(tmp_path))
            client = await stack.enter_async_context(
                Client.inside(faults, TokenCache(tmp_path / "pat.json", "here"), pacing=ONCE)
            )
            await client.auth.sign_in("pat", "secret")
            server.requests.clear()
            faults.requests.clear()
            return Reading(store, server, client, faults)

        yield begin


@pytest.fixture
async def online(tmp_path: Path) -> AsyncIterator[Online]:
    """Opens stores of pat's on foreign services and waits until they have loaded everything."""
    stores: list[Store] = []

    async def online(
        server: ForeignServer, *, over_network: bool = False, prepare: Callable[[Store], object] = lambda _: None
    ) -> Store:
        async def connect(_report: Report) -> Client:
            tokens = TokenCache(tmp_path / "pat.json", server.base)
            client = (
                Client.at(server.base, tokens, PACING)
                if over_network
                else Client.inside(server, tokens, server.base, pacing=PACING)
            )
            await client.auth.sign_in("pat", "secret")
            return client

        store = Store(places_in(tmp_path / "mine"), connect)
        store.open()
        stores.append(store)
        prepare(store)
        store.start()
        await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
        return store

    yield online
    for store in stores:
        store.close()


@pytest.fixture
async def boss(world: World) -> AsyncIterator[Client]:
    """Another manager at work on the service itself."""
    client = Client.inside(world.asgi, TokenCache(world.folder / "boss.json", "boss"))
    await client.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, "maya"))
    yield client
    await client.aclose()
