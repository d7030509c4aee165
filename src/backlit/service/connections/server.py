"""Web server: uvicorn with counted connections."""

import asyncio
import errno
import resource
import socket
from functools import partial

import uvicorn

from backlit.service.connections.protocol import BoundedProtocol
from backlit.service.connections.table import Connection, Connections
from backlit.service.http.proxies import Proxies, share_of
from backlit.service.storage.settings import Limits

RETRY = 0.1
"""Seconds before the next attempt to accept, after the system ran out of resources."""
_AT_ONCE = 16
"""Maximum connections accepted in a row before others are served."""
_OWN_FILES = 64
"""Number of files for the process itself: databases, the log, libraries."""
_NO_MEANS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def most_connections(limits: Limits, concurrent_requests: int) -> int:
    """Return how many connections leave enough of the process's open files to the requests and to itself."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY:
        return limits.connections
    reserve = min(_OWN_FILES + concurrent_requests, files // 2)
    return min(limits.connections, files - reserve)


class BoundedServer(uvicorn.Server):
    """Uvicorn's server with limits on every accepted connection."""

    def __init__(
        self,
        config: uvicorn.Config,
        listener: socket.socket,
        connections: Connections,
        limits: Limits,
        proxies: Proxies,
    ) -> None:
        super().__init__(config)
        self._listener = listener
        self._connections = connections
        self._limits = limits
        self._proxies = proxies
        self._running: list[asyncio.Task[None]] = []
        self._opening: set[asyncio.Task[None]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting."""
        await super().startup(sockets)
        self._listener.setblocking(False)
        self._running = [asyncio.create_task(self._accept()), asyncio.create_task(self._sweep())]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, let running requests end, and end late connections meanwhile."""
        accepting, sweeping = self._running
        accepting.cancel()
        self._listener.close()
        for task in self._opening:
            task.cancel()
        await super().shutdown(sockets)
        sweeping.cancel()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        accepted = 0
        while True:
            try:
                caller, peer = await loop.sock_accept(self._listener)
            except OSError as error:
                if error.errno in _NO_MEANS:
                    self._connections.note("failed")
                    self._connections.end_oldest()
                    await asyncio.sleep(RETRY)
                continue
            try:
                await self._connections.room()
            except asyncio.CancelledError:
                caller.close()
                raise
            connection = self._connections.add(self._address_of(peer))
            if connection is None:
                caller.close()
            else:
                task = asyncio.create_task(self._open(caller, connection))
                connection.abort = task.cancel
                self._opening.add(task)
                task.add_done_callback(partial(self._end_opening, caller, connection))
            accepted += 1
            if accepted % _AT_ONCE == 0:
                await asyncio.sleep(0)

    async def _open(self, caller: socket.socket, connection: Connection) -> None:
        """Attach the connection to its protocol, after a TLS handshake."""
        try:
            tls = self.config.ssl
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: BoundedProtocol(self.config, self.server_state, connection, self._connections, self._limits),
                caller,
                ssl=tls,
                ssl_handshake_timeout=self._limits.head if tls else None,
                ssl_shutdown_timeout=self._limits.linger if tls else None,
            )
        except OSError:  # the caller went away, or does not speak TLS
            self._connections.remove(connection)

    def _end_opening(self, caller: socket.socket, connection: Connection, task: "asyncio.Task[None]") -> None:
        """Close a connection that ended before its protocol began; its task may not have started."""
        self._opening.discard(task)
        if task.cancelled():
            self._connections.remove(connection)
            caller.close()

    async def _sweep(self) -> None:
        limits = self._limits
        pause = min(1.0, *(limit / 4 for limit in (limits.head, limits.idle, limits.send, limits.linger)))
        while True:
            await asyncio.sleep(pause)
            self._connections.sweep()

    def _address_of(self, peer: object) -> str | None:
        """Return the address that a connection counts for; None for a trusted proxy."""
        host = peer[0] if isinstance(peer, tuple) else None
        return None if host is None or self._proxies.is_trusted(host) else share_of(host)
