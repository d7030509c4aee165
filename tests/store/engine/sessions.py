"""A session that has synced, and what it shows."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from tests.store.documents import item, put
from tests.store.reading import Reading
from tests.store.world import until

from backlit.model.errors import BacklitError
from backlit.store.engine.engine import OthersDisplay, PresenceDisplay
from backlit.store.engine.session import SyncSession
from backlit.store.records.changes import ConnectionState, ConnectionStatus
from backlit.store.records.people import Person
from backlit.store.remote.reachability import RetryPauses

QUICK = RetryPauses(first_pause=0.01, longest_pause=0.01, in_transit=0.0, sync_every=1000.0)


class Shown:
    """The display of a session, which keeps what it is told."""

    def __init__(self) -> None:
        self.connection = ConnectionStatus()
        self.on_projects: Callable[[list[int]], int | None] = lambda ids: ids[0]
        self.on_synced: Callable[[int], Awaitable[None]] = self._synced
        self.others: OthersDisplay | None = None
        self.presence: PresenceDisplay | None = None
        self.said: list[str] = []
        self.users: list[str] = []
        self.details: object = None

    async def _synced(self, project_id: int) -> None:
        self.said.append(f"synced {project_id}")

    def show(self, state: ConnectionState, sentence: str, done: int = 0, total: int = 0, **more: object) -> None:
        self.details = (done, total, more)
        if state is not ConnectionState.LOADING:
            self.said.append(f"{state.value}: {sentence}")

    def welcome(self, user: Person | None) -> None:
        self.users.append(user.username if user else "")

    def failed(self, error: BacklitError) -> None:
        self.said.append(f"failed: {error.message}")

    def lost(self, sentence: str, next_try: float) -> None:  # noqa: ARG002 - only told
        self.details = sentence
        self.said.append("lost")

    def found(self) -> None:
        self.said.append("found")

    def show_live(self, *, is_live: bool, is_polling: bool) -> None:
        self.said.append("live" if is_live else "polling" if is_polling else "alone")

    def succeeded(self, synced_at: float, sentence: str) -> None:
        self.details = (synced_at, sentence)
        self.said.append("succeeded")


@asynccontextmanager
async def running(reading: Reading, waits: RetryPauses = QUICK) -> AsyncIterator[tuple[SyncSession, Shown]]:
    """A session that has synced items 1 and 2."""
    known = [item(1, project=7), item(2, project=7)]
    reading.have(*known)
    put(reading.store, known)
    shown = Shown()
    session = SyncSession(reading.client, reading.store.files, shown, waits)
    task = asyncio.create_task(session.run())
    try:
        await until(lambda: "succeeded" in shown.said, lambda: shown.said)
        reading.faults.requests.clear()
        yield session, shown
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        session.close()
