"""Reads of what the inbox tells beyond the mirror: who changed what, and what is unread at the service."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from backlit.model.errors import BacklitError
from backlit.store.files.files import LocalDatabase
from backlit.store.remote.reachability import RetryPauses
from backlit.store.remote.recorded_changes import HistoryReader
from backlit.store.remote.unread import UnreadReader

if TYPE_CHECKING:
    from backlit.client.client import Client

SPREAD = 0.5, 1.5
"""Shares of a pause between which the pauses of many programs lie."""


class NewsReader:
    """Reader of the news of one session; `ready` waits for a sign-in and a service that answers."""

    def __init__(
        self,
        client: "Client",
        files: LocalDatabase,
        waits: RetryPauses,
        ready: Callable[[], Awaitable[None]],
        note: Callable[[BacklitError], bool],
    ) -> None:
        self.history = HistoryReader(client, files)
        self._unread = UnreadReader(client, files)
        self._waits = waits
        self._ready = ready
        self._note = note
        self._followed = asyncio.Event()
        self._read_elsewhere = asyncio.Event()

    async def read(self, project_id: int) -> None:
        await self._unread.read(project_id)
        await self.history.read_news(project_id)

    async def send_read(self, confirm: Callable[[], Awaitable[None]]) -> None:
        """Tell the service what the user has read; `confirm` checks who is signed in. Raises what prevents it."""
        await self._unread.send(confirm)

    def followed(self) -> None:
        """Note that changes were followed, of which the history may tell more."""
        self._followed.set()

    def read_elsewhere(self) -> None:
        """Note that the user has read something, perhaps on another machine."""
        self._read_elsewhere.set()

    async def run(self, project_id: Callable[[], int | None]) -> None:
        """Read until cancelled: some time after what was followed, and soon after what was read elsewhere."""
        async with asyncio.TaskGroup() as loops:
            loops.create_task(self._read_after(self._followed, self._waits.sync_every, self.read, project_id))
            # Whoever reads one entry reads the next.
            loops.create_task(
                self._read_after(self._read_elsewhere, self._waits.first_pause, self._unread.read, project_id)
            )

    async def _read_after(
        self,
        due: asyncio.Event,
        pause: float,
        read: Callable[[int], Awaitable[None]],
        project_id: Callable[[], int | None],
    ) -> None:
        while True:
            await due.wait()
            # All programs are told of a change at one moment. Twenty that asked again 20 s after it, at one moment too,
            # made the next change wait for half a second.
            await asyncio.sleep(pause * random.uniform(*SPREAD))  # noqa: S311 # spread is no secret
            await self._ready()
            due.clear()
            current = project_id()
            if current is not None:
                try:
                    await read(current)
                except BacklitError as error:
                    self._note(error)
