"""Settings of a service, with its limits on slow and idle callers."""

from dataclasses import dataclass, field
from pathlib import Path

from backlit.model.wrap import client_id_of

HEAD_LIMIT = 64 * 1024
"""Bytes of a request's address and headers together."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits for callers, and the number of waiting callers."""

    head: float = 15.0
    """Seconds from the connection, or from the first byte of a later request, to the end of the request's head."""
    idle: float = 75.0
    """Seconds between two requests. Proxies keep a connection for 60: whoever sends next must close first."""
    body: float = 3600.0
    """Seconds that all waits for one body may last together."""
    body_rate: int = 1024
    """Bytes a second, on average over the waits for a body, after the grace."""
    body_grace: float = 10.0
    """Seconds of waiting for a body before its rate counts."""
    stall: float = 30.0
    """Seconds between two pieces of a body."""
    send: float = 60.0
    """Seconds in which a caller must take what is ready to be sent, before and after the connection is closed."""
    linger: float = 2.0
    """Seconds in which an unread body is read and dropped before its connection is closed, or TLS is ended."""
    connections: int = 4096
    """Connections, as far as the process may open that many files."""
    connections_per_address: int = 256
    bodies_per_address: int = 32
    """Requests of one address that may wait for their bodies."""
    notice: float = 60.0
    """Seconds between two lines of the log about connections that were refused or closed."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Settings of a service; `database` is a SQLAlchemy URL."""

    database: str
    files: Path | str
    """A folder, or `s3://bucket/prefix`."""
    name: str = "backlit"
    login_attempts: int = 10
    """Attempts a minute, for each user and for each address."""
    legacy_clients: bool = False
    """Three relaxations for programs of the original service."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks whose forwarded headers are believed."""
    concurrent_requests: int = 256
    """Most requests in the works at once; one more is answered 503."""
    max_upload: int = 100 * 1024 * 1024
    """Bytes of the largest file that can be attached."""
    limits: Limits = field(default_factory=Limits)
    """How long callers are waited for, and how many of them."""

    @property
    def client_id(self) -> str:
        """Return the client id of the service."""
        return client_id_of(self.name)
