"""Requests that follow the changes: their number, who wakes them, and their end when the service stops."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import Protocol

from starlette.types import Scope

from backlit.model.errors import TooManyRequests
from backlit.service.storage.settings import ServiceLimits
from backlit.service.tables.changes import Revisions

CONNECTION_KEY = "backlit.connection"
"""Key of the connection in the state of a request's scope."""
SLOT_KEY = "backlit.slot"
"""Key of the request's slot in its scope."""
WAKE_INTERVAL = 0.1
"""Seconds between two wakings: one edit is answered at once, and a burst of edits a few times."""
LOOK_EVERY = 1.0
"""Seconds between two looks for the writes of other processes."""
RETRY_AFTER_SECONDS = (20, 40)
"""Bounds of the random time after which one waiter too many may come again."""


class LendableConnection(Protocol):
    """The connection of a request."""

    def lend(self) -> None:
        """Take it out of the share of its address."""

    def take_back(self) -> None: ...


class PlaceEnd(StrEnum):
    """Why a request waits no longer."""

    STOP = "stop"
    REPLACED = "replaced"
    GONE = "gone"


class WaitingPlace:
    """The place of one waiting request. It ends when another of its user takes it, or the service stops."""

    def __init__(self, waiters: "ChangeWaiters", connection: LendableConnection | None) -> None:
        self._waiters = waiters
        self._woken = asyncio.Event()
        self.connection = connection
        self.end_reason: PlaceEnd | None = None
        self._is_nudged = False
        self.has_read = False
        """Whether its user has read something since this was last set back."""

    @property
    def is_ended(self) -> bool:
        return self.end_reason is not None

    async def woken(self, since: int, seconds: float) -> None:
        """Wait for a change after a count of changes, at most some seconds, or for the end of the place."""
        if not self.is_ended and self._waiters.count == since and not self._is_nudged:
            self._woken.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._woken.wait()
        self._is_nudged = False

    def wake(self) -> None:
        self._woken.set()

    def nudge(self) -> None:
        """Wake this place alone, for what is no change in the database."""
        self._is_nudged = True
        self.wake()

    def end(self, reason: PlaceEnd) -> None:
        self.end_reason = self.end_reason or reason
        self.wake()


class ChangeWaiters:
    """The waiting requests of one process.

    `count` grows after every commit, once for the commits of WAKE_INTERVAL.
    `look` returns the revisions in the database, which other processes move.
    """

    def __init__(self, limits: ServiceLimits, look: Callable[[], Awaitable[Revisions | None]]) -> None:
        self.count = 0
        self.known: Revisions | None = None
        """The revisions that were last read; a look that finds others wakes all."""
        self._limits = limits
        self._look = look
        self._places: dict[WaitingPlace, int] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken_at = float("-inf")
        self._is_due = False
        self._looking: asyncio.Task[None] | None = None
        self._is_look_due = asyncio.Event()
        self._is_stopped = False

    @property
    def waiting(self) -> int:
        return len(self._places)

    def committed(self) -> None:
        """Note a commit; called on the writing thread."""
        loop = self._loop
        if loop is None:
            self.count += 1
            return
        with suppress(RuntimeError):  # the loop was closed in the meantime
            loop.call_soon_threadsafe(self._changed)

    @contextmanager
    def place(self, user_id: int, scope: Scope) -> Iterator[WaitingPlace]:
        """Hold a place for the length of a block, as `enter` does."""
        place = self.enter(user_id, scope)
        try:
            yield place
        finally:
            self.leave(place)

    def enter(self, user_id: int, scope: Scope) -> WaitingPlace:
        """Return a place, to be left; raise TooManyRequests where all are taken.

        The oldest place of a user with too many ends. The connection leaves the share of its address, which others
        behind it need.
        """
        own = [place for place, owner in self._places.items() if owner == user_id and not place.is_ended]
        if len(own) >= self._limits.waiters_per_user:
            own[0].end(PlaceEnd.REPLACED)
        elif len(self._places) >= self._limits.waiters:
            after = random.uniform(*RETRY_AFTER_SECONDS)  # noqa: S311 - spread, so that they do not come back together
            raise TooManyRequests("Too many requests wait for changes. Ask without wait.", retry_after=after)
        connection: LendableConnection | None = scope.get("state", {}).get(CONNECTION_KEY)
        place = WaitingPlace(self, connection)
        self._places[place] = user_id
        self._begin()
        if connection is not None:
            connection.lend()
        if self._is_stopped:
            place.end(PlaceEnd.STOP)
        return place

    def leave(self, place: WaitingPlace) -> None:
        """Give a place back; a second call has no effect."""
        if self._places.pop(place, None) is None:
            return
        if place.connection is not None:
            place.connection.take_back()
        if not self._places and self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def tell_reader(self, user_id: int) -> None:
        for place, owner in self._places.items():
            if owner == user_id:
                place.has_read = True
                place.nudge()

    def look_now(self) -> None:
        """Look for the writes of other processes without a wait."""
        self._is_look_due.set()

    def stop(self) -> None:
        """End all places, so that a stopping server waits for none."""
        self._is_stopped = True
        for place in self._places:
            place.end(PlaceEnd.STOP)

    def _begin(self) -> None:
        self._loop = asyncio.get_running_loop()
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_for_others())

    def _changed(self) -> None:
        if self._is_due:
            return
        if not self._places:
            self.count += 1
            return
        loop = asyncio.get_running_loop()
        wait = self._woken_at + WAKE_INTERVAL - loop.time()
        if wait <= 0:
            self._wake()
        else:
            self._is_due = True
            loop.call_later(wait, self._wake)

    def _wake(self) -> None:
        self.count += 1
        self._is_due, self._woken_at = False, asyncio.get_running_loop().time()
        for place in self._places:
            place.wake()

    async def _look_for_others(self) -> None:
        self.known = None
        while True:
            self._is_look_due.clear()
            found = await self._look()
            if self.known is not None and found is not None and found != self.known:
                self._changed()
            self.known = self.known if found is None else found
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY):
                    await self._is_look_due.wait()
