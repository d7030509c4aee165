"""A client of a simulation: a mirror of its own, on a machine with a time zone of its own."""

import asyncio
from zoneinfo import ZoneInfo

from tests.store.documents import places_in
from tests.store.reports.simulated_project import SimulatedProject, with_zone
from tests.store.world import Faults, World, sent, until

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.store import ConnectionState, Store
from backlit.store.engine.engine import Report
from backlit.store.remote.reachability import RetryPauses

SOON = RetryPauses(first_pause=0.02, longest_pause=0.1)


class Person:
    """A client with a mirror of its own, whose machine has its own time zone."""

    def __init__(self, world: World, name: str, zone: ZoneInfo, project: SimulatedProject, project_id: int) -> None:
        self.name = name
        self.faults = Faults(world.asgi)

        async def connect(_report: Report) -> Client:
            tokens = TokenCache(world.folder / f"{name}.json", name)
            client = Client.inside(self.faults, tokens)
            if not client.auth.signed_in:
                code = await asyncio.to_thread(world.service.invite, name)
                await client.auth.sign_in_with_code(code)
            return client

        places = places_in(world.folder / f"store of {name}")
        self.store = Store(places, connect, lambda: with_zone(project.now, zone), SOON)
        self.store.pinned = str(project_id)

    async def start(self) -> None:
        self.store.open()
        self.store.start()
        await until(lambda: self.store.connection.state is ConnectionState.ONLINE, lambda: self.store.connection)

    async def send(self) -> None:
        await sent(self.store)
        assert not self.store.outbox.conflicts, self.store.outbox_entries()
        assert not self.store.outbox.refused, self.store.outbox_entries()
