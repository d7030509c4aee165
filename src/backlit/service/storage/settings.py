"""Settings of a service, and its clock."""

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from backlit.model.wrap import client_id_of
from backlit.service.storage.limits import Limits


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


TICK = timedelta(milliseconds=1)


class Clock:
    """Server time: naive, in whole milliseconds, never going back.

    Where it is ahead of the machine's clock, which was set back, it runs at half pace until the two meet: sign-ins
    and attempts still expire.
    """

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._last = datetime(1970, 1, 1), time.monotonic()
        self._followed: tuple[datetime, float] | None = None

    def follow(self, moment: datetime) -> None:
        """Go by another clock, which shows `moment` now; several services on one database go by that one's."""
        self._followed = moment, time.monotonic()

    def keep_ahead_of(self, stamp: datetime) -> None:
        """Show no less than a stamp that is stored already."""
        with self._gate:
            if stamp > self._last[0]:
                self._last = stamp, time.monotonic()

    def now(self) -> datetime:
        """Return the time, never earlier than at the last call."""
        with self._gate:
            at = time.monotonic()
            last, then = self._last
            now = max(self._shown(at), last + timedelta(seconds=(at - then) / 2))
            self._last = now, at
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def _shown(self, at: float) -> datetime:
        if self._followed is None:
            return datetime.now(UTC).replace(tzinfo=None)
        moment, then = self._followed
        return moment + timedelta(seconds=at - then)
