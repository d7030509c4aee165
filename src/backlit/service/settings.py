"""How a service is set up, and its clock."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from backlit.model.wrap import client_id_of


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Where a service keeps its data (`database` is a SQLAlchemy URL) and what it is called."""

    database: str
    files: Path | str
    """A folder, or `s3://bucket/prefix`."""
    name: str = "backlit"
    login_attempts: int = 10
    """Attempts a minute, for each user and for each address."""
    legacy_clients: bool = False
    """Three relaxations for programs of the original service (DECISIONS "Tokens and login")."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks whose forwarded headers are believed."""
    concurrent_requests: int = 256
    """Most requests in the works at once; one more is answered 503."""
    max_upload: int = 100 * 1024 * 1024
    """Bytes of the largest file that can be attached."""

    @property
    def client_id(self) -> str:
        """What clients have to call the service by (SPEC 5.2)."""
        return client_id_of(self.name)


TICK = timedelta(milliseconds=1)


class Clock:
    """Server time: naive, in whole milliseconds, never going back while the service runs."""

    def __init__(self) -> None:
        self._last = datetime(1970, 1, 1)
        self._followed: tuple[datetime, float] | None = None

    def follow(self, moment: datetime) -> None:
        """Go by another clock, which shows `moment` now; several services on one database go by that one's."""
        self._followed = moment, time.monotonic()

    def now(self) -> datetime:
        """The time, or that of the last call where the machine's clock was set back."""
        if self._followed is None:
            now = datetime.now(UTC).replace(tzinfo=None)
        else:
            moment, then = self._followed
            now = moment + timedelta(seconds=time.monotonic() - then)
        now = now.replace(microsecond=now.microsecond // 1000 * 1000)
        self._last = max(now, self._last)
        return self._last
