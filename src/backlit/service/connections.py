"""Connections of the web server: uvicorn with limits on heads, idle times, unread responses and their number."""

import asyncio
import errno
import logging
import resource
import socket
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from typing import Protocol

import orjson
import uvicorn
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from backlit.service.http.proxies import Proxies, share_of
from backlit.service.http.waiting import CONNECTION_KEY
from backlit.service.storage.settings import HEAD_LIMIT, ServiceLimits

_log = logging.getLogger(__name__)


class DeadlineProtocol(Protocol):
    """Reader of a connection's requests."""

    def end_if_late(self, now: float) -> bool:
        """End the connection after a passed limit; return True if it did."""


class ServerConnection:
    """An accepted connection, from before the TLS handshake until its socket closes."""

    __slots__ = ("abort", "address", "peer", "since")

    def __init__(self, address: str | None, now: float) -> None:
        self.address = address
        self.since: float | None = now
        """Start of the wait for a request; None during a request."""
        self.peer: DeadlineProtocol | None = None
        self.abort: Callable[[], object] = lambda: None


class OpenConnections:
    """The connections that are open: at most `most` in total, and a share for each address (None: exempt)."""

    def __init__(self, limits: ServiceLimits, most: int) -> None:
        self._share = limits.connections_per_address
        self._notice = limits.notice
        self._most = most
        self._all: dict[ServerConnection, None] = {}
        self._waiting: dict[ServerConnection, None] = {}
        self._of_address: defaultdict[str, dict[ServerConnection, None]] = defaultdict(dict)
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._noted: Counter[str] = Counter()
        self._noted_at = float("-inf")

    async def wait_for_room(self) -> None:
        """Wait for room for one more connection, which may take the place of a waiting one."""
        await self._has_room.wait()

    def add(self, address: str | None) -> ServerConnection | None:
        """Add a connection; None if all connections of its address are busy."""
        if address is not None and len(self._of_address[address]) >= self._share:
            oldest = min(
                (each for each in self._of_address[address] if each.since is not None),
                key=lambda each: each.since or 0.0,
                default=None,
            )
            if oldest is None:
                self.count_event("refused")
                return None
            # The address makes room among its own connections, so that one caller cannot displace others.
            self._end(oldest)
        # A connection without a request gives way, the longest idle one first, so that idle connections cannot keep
        # callers out.
        elif len(self._all) >= self._most:
            self.end_oldest()
        connection = ServerConnection(address, time.monotonic())
        self._all[connection] = self._waiting[connection] = None
        if address is not None:
            self._of_address[address][connection] = None
        self._update()
        return connection

    def remove(self, connection: ServerConnection) -> None:
        """Remove a connection; a second call has no effect."""
        self._all.pop(connection, None)
        self._waiting.pop(connection, None)
        self._leave_address(connection)
        self._update()

    def begin(self, connection: ServerConnection) -> None:
        if connection.since is not None:
            connection.since = None
            self._waiting.pop(connection, None)
            self._update()

    def mark_waiting(self, connection: ServerConnection) -> None:
        if connection in self._all:
            connection.since = time.monotonic()
            self._waiting[connection] = None
            self._update()

    def lend(self, connection: ServerConnection) -> None:
        """Take the connection of a signed-in request that waits for changes out of the share of its address."""
        self._leave_address(connection)

    def take_back(self, connection: ServerConnection) -> None:
        if connection.address is not None and connection in self._all:
            self._of_address[connection.address][connection] = None

    def end_oldest(self) -> None:
        if self._waiting:
            self._end(next(iter(self._waiting)))

    def sweep(self) -> None:
        """End every connection over its limits, and log the counts when due."""
        now = time.monotonic()
        for connection in list(self._all):
            if connection.peer is not None and connection.peer.end_if_late(now):
                self.count_event("late")
        if self._noted and now - self._noted_at >= self._notice:
            self._noted_at = now
            _log.warning("Connections were refused or ended.", extra={"open": len(self._all), **self._noted})
            self._noted.clear()

    def count_event(self, what: str) -> None:
        self._noted[what] += 1

    def _leave_address(self, connection: ServerConnection) -> None:
        if connection.address is not None and connection.address in self._of_address:
            own = self._of_address[connection.address]
            own.pop(connection, None)
            if not own:
                del self._of_address[connection.address]

    def _end(self, connection: ServerConnection) -> None:
        self.count_event("displaced")
        self.remove(connection)
        connection.abort()

    def _update(self) -> None:
        if len(self._all) < self._most or self._waiting:
            self._has_room.set()
        else:
            self._has_room.clear()


def _refusal(status: bytes, sentence: str) -> bytes:
    body = orjson.dumps({"message": sentence, "errors": {}})
    head = b"HTTP/1.1 %b\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
    return head % (status, len(body)) + body


_TOO_LONG = _refusal(
    b"431 Request Header Fields Too Large", f"The address and the headers together are longer than {HEAD_LIMIT} bytes."
)
_MALFORMED = _refusal(b"400 Bad Request", "The request is not HTTP.")
_TOO_SLOW = _refusal(b"408 Request Timeout", "The head of the request came too slowly. Send it again.")


class BoundedProtocol(HttpToolsProtocol):
    """Protocol that ends connections with a long or slow head, idle ones, and ones with unread responses.

    Uvicorn itself limits only idle times.
    """

    def __init__(
        self,
        config: Config,
        state: ServerState,
        connection: ServerConnection,
        connections: OpenConnections,
        limits: ServiceLimits,
    ) -> None:
        super().__init__(config, state, {})
        self.url = b""
        self._connection = connection
        self._connections = connections
        self._limits = limits
        self._head_size = 0
        self._in_head = self._is_first = True
        self._stalled_since: float | None = None
        self._closing_since: float | None = None
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        self._connection.peer = self
        self._connection.abort = transport.abort
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.remove(self._connection)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head; reject an incomplete one over the limit. What follows a rejection is dropped."""
        if self._is_refused:
            return
        if self._in_head:
            if not self._head_size and not self._is_first and self._connection.since is not None:
                self._connection.since = time.monotonic()  # the idle time ends, the head's time begins
            self._head_size += len(data)
        super().data_received(data)
        if self._in_head and not self._is_refused and self._head_size > HEAD_LIMIT:
            self._refuse(_TOO_LONG)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own words
        """Answer what the parser does not read, such as an address over the limit."""
        is_long = len(self.url) > HEAD_LIMIT or (self._in_head and self._head_size > HEAD_LIMIT)
        self._refuse(_TOO_LONG if is_long else _MALFORMED)

    def lend(self) -> None:
        self._connections.lend(self._connection)

    def take_back(self) -> None:
        self._connections.take_back(self._connection)

    def on_message_begin(self) -> None:
        """Start counting a head that follows the previous request in the same bytes."""
        # A pipelined request has no data of its own to count, yet its head has begun.
        self._head_size = self._head_size or 1
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = self._is_first = False
        self._connections.begin(self._connection)
        self.scope["state"][CONNECTION_KEY] = self
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head, self._head_size = True, 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless the caller has already sent it."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self._connections.mark_waiting(self._connection)

    def pause_writing(self) -> None:
        self._stalled_since = time.monotonic()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._stalled_since = None
        super().resume_writing()

    def end_if_late(self, now: float) -> bool:
        since = self._connection.since
        # A caller that does not read its last response keeps a closing connection open.
        if self.transport.is_closing():
            self._closing_since = self._closing_since or now
            is_late = now - self._closing_since >= self._limits.send
        else:
            is_late = self._stalled_since is not None and now - self._stalled_since >= self._limits.send
        if is_late:
            self.transport.abort()
        elif since is not None and not self.transport.is_closing():
            in_head = self._is_first or self._head_size
            is_late = now - since >= (self._limits.head if in_head else self._limits.idle)
            if is_late and self._head_size:
                self._refuse(_TOO_SLOW)
            elif is_late:
                self.transport.close()
        return is_late

    def _refuse(self, answer: bytes) -> None:
        """Answer and close; only close in the middle of another response.

        The connection closes after a pause: closed on unread bytes, it would take the answer along.
        """
        if self.transport.is_closing() or self._is_refused:
            return
        self._is_refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.close()
            return
        self.transport.write(answer)
        if self.transport.can_write_eof():
            # The end is sent at once, so that the caller stops waiting for more.
            self.transport.write_eof()
        self.loop.call_later(self._limits.linger, self.transport.close)


ACCEPT_RETRY_SECONDS = 0.1
"""Seconds before the next attempt to accept, after the system ran out of resources."""
_AT_ONCE = 16
"""Maximum connections accepted in a row before others are served."""
_OWN_FILES = 64
"""Number of files for the process itself: databases, the log, libraries."""
_NO_MEANS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def connection_limit(limits: ServiceLimits, concurrent_requests: int) -> int:
    """Return how many connections leave enough of the process's open files to the requests and to itself."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY:
        return limits.connections
    # Half at most, so that a process with few files still accepts somebody.
    reserve = min(_OWN_FILES + concurrent_requests, files // 2)
    return min(limits.connections, files - reserve)


class BoundedServer(uvicorn.Server):
    """Uvicorn's server with limits on every accepted connection."""

    def __init__(
        self,
        config: uvicorn.Config,
        listener: socket.socket,
        connections: OpenConnections,
        limits: ServiceLimits,
        proxies: Proxies,
        *,
        on_shutdown: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._on_shutdown = on_shutdown
        self._listener = listener
        self._connections = connections
        self._limits = limits
        self._proxies = proxies
        self._running: list[asyncio.Task[None]] = []
        self._opening: set[asyncio.Task[None]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
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
        # Uvicorn waits for requests in the works, and those that wait for changes would hold it for their time.
        self._on_shutdown()
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
                    self._connections.count_event("failed")
                    # Without a pause the loop would spin: the listener stays readable.
                    self._connections.end_oldest()
                    await asyncio.sleep(ACCEPT_RETRY_SECONDS)
                continue
            try:
                await self._connections.wait_for_room()
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

    async def _open(self, caller: socket.socket, connection: ServerConnection) -> None:
        try:
            tls = self.config.ssl
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: BoundedProtocol(self.config, self.server_state, connection, self._connections, self._limits),
                caller,
                ssl=tls,
                # asyncio's own limit is 60 s, in which a caller that says nothing would hold a connection that no sweep
                # knows yet.
                ssl_handshake_timeout=self._limits.head if tls else None,
                ssl_shutdown_timeout=self._limits.linger if tls else None,
            )
        except OSError:  # the caller went away, or does not speak TLS
            self._connections.remove(connection)

    def _end_opening(self, caller: socket.socket, connection: ServerConnection, task: "asyncio.Task[None]") -> None:
        """Close a connection that ended before its protocol began; its task may not have started."""
        self._opening.discard(task)
        if task.cancelled():
            self._connections.remove(connection)
            caller.close()

    async def _sweep(self) -> None:
        limits = self._limits
        # One task for all connections: a timer for each would be set and cancelled with every request.
        pause = min(1.0, *(limit / 4 for limit in (limits.head, limits.idle, limits.send, limits.linger)))
        while True:
            await asyncio.sleep(pause)
            self._connections.sweep()

    def _address_of(self, peer: object) -> str | None:
        """Return the address that a connection counts for; None for a trusted proxy."""
        host = peer[0] if isinstance(peer, tuple) else None
        return None if host is None or self._proxies.is_trusted(host) else share_of(host)
