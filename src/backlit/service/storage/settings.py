"""Settings of a service, with its limits on slow and idle callers."""

from pathlib import Path

from msgspec import Struct, field

from backlit.model.resources import INTERNAL
from backlit.model.wrap import client_id_of

# The parser of uvicorn refuses addresses from 65,535 bytes on, so a larger limit could not be kept.
HEAD_LIMIT = 64 * 1024
"""Bytes of a request's address and headers together."""


class ServiceLimits(Struct, frozen=True):
    """Time limits for callers, and the number of waiting callers."""

    head: float = 15.0
    """Seconds from the connection, or from the first byte of a later request, to the end of the request's head."""
    idle: float = 75.0
    """Seconds between two requests. Proxies keep a connection for 60: whoever sends next must close first."""
    body: float = 3600.0
    """Total seconds of all waits for one body."""
    body_rate: int = 1024
    """Average bytes a second over the waits for a body, after the grace period."""
    body_grace: float = 10.0
    """Seconds of waiting for a body before its rate counts."""
    stall: float = 30.0
    """Seconds between two pieces of a body."""
    send: float = 60.0
    """Seconds within which a caller must take sent data, before and after the connection closes."""
    linger: float = 2.0
    """Seconds for draining an unread body before its connection, or TLS, ends."""
    connections: int = 4096
    """Maximum connections, within the process's limit of open files."""
    connections_per_address: int = 256
    bodies_per_address: int = 32
    """Maximum requests of one address that wait for their bodies."""
    waiters: int = 2000
    """Maximum requests that wait for changes."""
    waiters_per_user: int = 8
    """Maximum requests of one user that wait for changes; the oldest is answered then."""
    probe: float = 30.0
    """Seconds for which a check of the file store holds."""
    notice: float = 60.0
    """Seconds between two log lines about refused or closed connections."""


class ServiceSettings(Struct, frozen=True):
    """Settings of a service; `database` is a SQLAlchemy URL."""

    database: str
    files: Path | str
    """A folder, or `s3://bucket/prefix`."""
    name: str = "backlit"
    login_failures: int = 10
    """Failed sign-ins a minute of one user from one address."""
    login_failures_per_address: int = 100
    """Failed sign-ins a minute from one address, which may be that of a whole office."""
    legacy_clients: bool = False
    """Compatibility mode for clients of the original service."""
    has_presence: bool = True
    """Whether callers are told who edits what."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks of trusted proxies."""
    concurrent_requests: int = 256
    """Maximum concurrent requests; one more gets 503."""
    max_upload: int = 100 * 1024 * 1024
    """Bytes of the largest attachment."""
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    """Limits on slow and idle callers."""

    @property
    def client_id(self) -> str:
        return client_id_of(self.name)

    @property
    def internal_type(self) -> str:
        """Return the internal `type` of comments and attachments; legacy clients compare it with the name."""
        return self.name if self.legacy_clients else INTERNAL

    def written_type(self, stored: str) -> str:
        return self.internal_type if stored == INTERNAL else stored
