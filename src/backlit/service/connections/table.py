"""Open connections of one process, in the order in which they wait."""

import asyncio
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Protocol

from backlit.service.storage.settings import Limits

_log = logging.getLogger(__name__)


class Peer(Protocol):
    """Reader of a connection's requests."""

    def end_if_late(self, now: float) -> bool:
        """End the connection after a passed limit; return True if it did."""


class Connection:
    """An accepted connection, from before the TLS handshake until its socket closes."""

    __slots__ = ("abort", "address", "peer", "since")

    def __init__(self, address: str | None, now: float) -> None:
        self.address = address
        self.since: float | None = now
        """Start of the wait for a request; None during a request."""
        self.peer: Peer | None = None
        self.abort: Callable[[], object] = lambda: None


class Connections:
    """Table of connections: at most `most` in total, and a share for each address (None: exempt)."""

    def __init__(self, limits: Limits, most: int) -> None:
        self._share = limits.connections_per_address
        self._notice = limits.notice
        self._most = most
        self._all: dict[Connection, None] = {}
        self._waiting: dict[Connection, None] = {}
        self._of_address: defaultdict[str, dict[Connection, None]] = defaultdict(dict)
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._noted: Counter[str] = Counter()
        self._noted_at = float("-inf")

    async def room(self) -> None:
        """Wait for room for one more connection, which may take the place of a waiting one."""
        await self._has_room.wait()

    def add(self, address: str | None) -> Connection | None:
        """Add a connection; None if all connections of its address are busy."""
        if address is not None and len(self._of_address[address]) >= self._share:
            oldest = min(
                (each for each in self._of_address[address] if each.since is not None),
                key=lambda each: each.since or 0.0,
                default=None,
            )
            if oldest is None:
                self.note("refused")
                return None
            self._end(oldest)
        elif len(self._all) >= self._most:
            self.end_oldest()
        connection = Connection(address, time.monotonic())
        self._all[connection] = self._waiting[connection] = None
        if address is not None:
            self._of_address[address][connection] = None
        self._update()
        return connection

    def remove(self, connection: Connection) -> None:
        """Remove a connection; a second call has no effect."""
        self._all.pop(connection, None)
        self._waiting.pop(connection, None)
        if connection.address is not None and connection.address in self._of_address:
            own = self._of_address[connection.address]
            own.pop(connection, None)
            if not own:
                del self._of_address[connection.address]
        self._update()

    def begin(self, connection: Connection) -> None:
        """Mark the connection as busy."""
        if connection.since is not None:
            connection.since = None
            self._waiting.pop(connection, None)
            self._update()

    def wait(self, connection: Connection) -> None:
        """Mark the connection as waiting for its next request."""
        if connection in self._all:
            connection.since = time.monotonic()
            self._waiting[connection] = None
            self._update()

    def end_oldest(self) -> None:
        """End the connection that has waited longest, if one waits."""
        if self._waiting:
            self._end(next(iter(self._waiting)))

    def sweep(self) -> None:
        """End every connection over its limits, and log the counts when due."""
        now = time.monotonic()
        for connection in list(self._all):
            if connection.peer is not None and connection.peer.end_if_late(now):
                self.note("late")
        if self._noted and now - self._noted_at >= self._notice:
            self._noted_at = now
            _log.warning("Connections were refused or ended.", extra={"open": len(self._all), **self._noted})
            self._noted.clear()

    def note(self, what: str) -> None:
        """Count an event for the next log line."""
        self._noted[what] += 1

    def _end(self, connection: Connection) -> None:
        self.note("displaced")
        self.remove(connection)
        connection.abort()

    def _update(self) -> None:
        if len(self._all) < self._most or self._waiting:
            self._has_room.set()
        else:
            self._has_room.clear()
