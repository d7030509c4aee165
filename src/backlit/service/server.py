"""A service behind a web server of its own: one process, one listening socket."""

import signal
import socket
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backlit.model.errors import BadRequest
from backlit.service.front import HEAD_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from uvicorn import Server
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    from backlit.service.app import Service

PATIENCE = 30
"""Seconds that requests in the works have to end when the service stops."""
_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Transport:
    """How connections are made: in the open, or encrypted with a certificate (PEM) and its key."""

    certificate: str | None = None
    key: str | None = None

    @property
    def scheme(self) -> str:
        """What addresses begin with."""
        return "https" if self.certificate else "http"


async def run_server(
    service: "Service", listener: socket.socket, transport: Transport, on_ready: "Callable[[], None] | None" = None
) -> None:
    """Start the service, serve until SIGTERM or SIGINT, let requests end, and close the databases."""
    import uvicorn

    config = uvicorn.Config(
        service.asgi,
        interface="asgi3",
        http=_protocol(),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
        ssl_certfile=transport.certificate,
        ssl_keyfile=transport.key,
    )
    try:
        config.load()
    except OSError as error:  # ssl.SSLError is one
        raise BadRequest(f"The TLS certificate or its key cannot be used: {error}.") from error
    server = uvicorn.Server(config)
    received = _signals(server)
    await service.start()
    try:
        if on_ready is not None:
            on_ready()
        if not received:
            await server.serve([listener])
    finally:
        await service.stop()
    if signal.SIGINT in received:
        raise KeyboardInterrupt


def _signals(server: "Server") -> list[int]:
    """Note the signals that end the server, which hands them on when its work is done.

    What they usually do would end the process, or this task, before the databases are closed. The server has handlers
    of its own only once it serves: of what comes just before, it is told.
    """
    received: list[int] = []

    def note(number: int, _: object) -> None:
        received.append(number)
        server.should_exit = True

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, note)
    return received


def _protocol() -> "type[HttpToolsProtocol]":
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class BoundedProtocol(HttpToolsProtocol):
        """Does not gather headers without end; the parser itself knows no limit."""

        _head_size = 0
        _in_head = True

        def data_received(self, data: bytes) -> None:
            """Give up on a head that is too long and still not over."""
            if self._in_head:
                self._head_size += len(data)
            super().data_received(data)
            if self._in_head and self._head_size > HEAD_LIMIT and not self.transport.is_closing():
                self.transport.write(_TOO_LONG)
                self.transport.close()

        def on_headers_complete(self) -> None:
            """The head is over; what follows is the body."""
            self._in_head = False
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            """The next head begins."""
            self._in_head, self._head_size = True, 0
            super().on_message_complete()

    return BoundedProtocol
