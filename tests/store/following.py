"""A store that follows a world's service as over a network."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from msgspec.structs import replace
from tests.store.world import LOADED, World, until

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.client.transport import Application, InProcessTransport
from backlit.store import Store
from backlit.store.engine.engine import Report

SELDOM = 3600.0
"""Seconds between two syncs: what is seen before was followed."""


class Network(httpx.AsyncBaseTransport):
    """A way to a service in this process that counts as one to another machine."""

    def __init__(self, application: Application) -> None:
        self._inner = InProcessTransport(application)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


@asynccontextmanager
async def following(world: World, name: str = LOADED) -> AsyncIterator[Store]:
    """A store of maya's that follows the service after its first syncs, and would sync next in an hour."""
    async with connected(world, name) as store:
        await until(lambda: store.connection.is_live, lambda: (store.connection, world.faults.requests))
        yield store


@asynccontextmanager
async def connected(world: World, name: str = LOADED) -> AsyncIterator[Store]:
    """A store of maya's that was started, with the service behind a network; another name is another machine."""
    if name == LOADED:
        world.take_loaded()
    await asyncio.to_thread(lambda: world.service)

    async def connect(_report: Report) -> Client:
        tokens = TokenCache(world.folder / f"following {name}.json", "following")
        client = Client.at("http://backlit.local", tokens, world.pacing, Network(world.faults))
        if not client.auth.signed_in:
            await client.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, "maya"))
        return client

    store = Store(world.places(name), connect, waits=replace(world.waits, sync_every=SELDOM, first_pause=0.05))
    store.engine.owner = "maya"
    store.engine.has_ended = TokenCache(world.folder / f"following {name}.json", "following").has_ended
    store.open()
    store.start()
    try:
        yield store
    finally:
        await asyncio.to_thread(store.close)
