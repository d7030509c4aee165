"""A service with its own web server: one process and one listening socket."""

import signal
import socket
import threading
from typing import TYPE_CHECKING

from msgspec import Struct

from backlit.model.errors import BadRequest
from backlit.service.http.proxies import Proxies

if TYPE_CHECKING:
    from collections.abc import Callable

    from uvicorn import Server

    from backlit.service.app import Service

SHUTDOWN_GRACE_SECONDS = 30
"""Seconds that requests in the works have to end when the service stops."""


class TransportSecurity(Struct, frozen=True):
    """Transport of connections: plain, or encrypted with a certificate (PEM) and its key."""

    certificate: str | None = None
    key: str | None = None

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"


async def run_server(
    service: "Service",
    listener: socket.socket,
    transport: TransportSecurity,
    on_ready: "Callable[[], None] | None" = None,
) -> None:
    import uvicorn

    from backlit.service.connections import BoundedServer, OpenConnections, connection_limit

    settings, limits = service.settings, service.settings.limits
    # uvloop is no dependency: it saved at most 4 % of a request, within the spread of four runs in turns.
    config = uvicorn.Config(
        service.asgi,
        interface="asgi3",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_GRACE_SECONDS,
        timeout_keep_alive=limits.idle,  # type: ignore[arg-type] # any number of seconds will do
        ssl_certfile=transport.certificate,
        ssl_keyfile=transport.key,
    )
    try:
        config.load()
    except OSError as error:  # includes ssl.SSLError
        raise BadRequest(f"The TLS certificate or its key cannot be used: {error}.") from error
    connections = OpenConnections(limits, connection_limit(limits, settings.concurrent_requests))
    proxies = Proxies(settings.trusted_proxies)
    server = BoundedServer(config, listener, connections, limits, proxies, on_shutdown=service.shared.waiters.stop)
    received = _signals(server)
    await service.start()
    try:
        if on_ready is not None:
            on_ready()
        if not received:
            await server.serve([])
    finally:
        await service.stop()
    if signal.SIGINT in received:
        raise KeyboardInterrupt


def _signals(server: "Server") -> list[int]:
    """Record the signals that end the server, which raises them after its work.

    Their default handlers would end the process, or this task, before the databases close. The server installs its own
    handlers only when it serves, so this handler tells it of earlier signals.
    """
    received: list[int] = []

    def note(number: int, _: object) -> None:
        received.append(number)
        server.should_exit = True

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, note)
    return received
