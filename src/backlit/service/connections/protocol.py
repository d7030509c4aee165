"""HTTP on one connection: uvicorn's protocol with limits on heads, idle times and unread responses."""

import asyncio
import time

import orjson
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from backlit.service.connections.table import Connection, Connections
from backlit.service.storage.settings import HEAD_LIMIT, Limits


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
        self, config: Config, state: ServerState, connection: Connection, connections: Connections, limits: Limits
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
        """Register with the table's sweep."""
        self._connection.peer = self
        self._connection.abort = transport.abort
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister from the table."""
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

    def on_message_begin(self) -> None:
        """Start counting a head that follows the previous request in the same bytes."""
        self._head_size = self._head_size or 1
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Mark the connection as busy; the body follows."""
        self._in_head = self._is_first = False
        self._connections.begin(self._connection)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Start counting the next head."""
        self._in_head, self._head_size = True, 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless the caller has already sent it."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self._connections.wait(self._connection)

    def pause_writing(self) -> None:
        """Record the time since which the caller reads nothing."""
        self._stalled_since = time.monotonic()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Record that the caller reads again."""
        self._stalled_since = None
        super().resume_writing()

    def end_if_late(self, now: float) -> bool:
        """End the connection after a passed limit; return True if it did."""
        since = self._connection.since
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
            self.transport.write_eof()
        self.loop.call_later(self._limits.linger, self.transport.close)
