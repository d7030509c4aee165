"""What time it is at the service: from the Date of its answers, and from what it stamps on our own writes."""

import email.utils
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from backlit.model.dates import parse_datetime
from backlit.model.errors import BadRequest

_ZONE_STEP = 15 * 60.0
"""Seconds; every zone of the world is a multiple of this away from UTC."""
_WIDEST = 15 * 3600.0
_JITTER = 5.0
"""Seconds that an answer may travel, and half of which clocks with whole seconds are off."""


class ServiceClock:
    """How far the service's zoneless times are ahead of UTC as this machine has it (FEATURES rule 55)."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.skew: timedelta | None = None
        """From the Date header, which is in UTC: says nothing of the zone that DateTimes are in."""
        self._stamped: timedelta | None = None

    @property
    def offset(self) -> timedelta | None:
        """What to add to this machine's UTC; None before anything is known."""
        return self.skew if self._stamped is None else self._stamped

    @property
    def is_stamped(self) -> bool:
        """Whether the zone is known too, from a write of our own."""
        return self._stamped is not None

    def heard(self, date: str | None) -> None:
        """Learn from an answer's Date header."""
        try:
            moment = email.utils.parsedate_to_datetime(date or "")
        except ValueError:
            return
        self.skew = _whole(moment.timestamp() - self._now())

    def created(self, stamp: object) -> None:
        """Learn from the createdAt of something that was created just now."""
        ahead = self._ahead(stamp)
        if ahead is not None and abs(ahead) <= _WIDEST:
            self._stamped = _whole(ahead)

    def changed(self, stamp: object) -> None:
        """Learn from the lastModifiedAt of something that was changed just now; an older stamp is seen to be one."""
        ahead = self._ahead(stamp)
        if ahead is None or abs(ahead) > _WIDEST:
            return
        skew = self.skew.total_seconds() if self.skew else 0.0
        off_step = (ahead - skew + _ZONE_STEP / 2) % _ZONE_STEP - _ZONE_STEP / 2
        if abs(off_step) <= _JITTER:
            self._stamped = _whole(ahead)

    def _ahead(self, stamp: object) -> float | None:
        try:
            moment: datetime | None = parse_datetime(stamp) if isinstance(stamp, str) else None
        except BadRequest:
            return None
        return None if moment is None else moment.replace(tzinfo=UTC).timestamp() - self._now()


def _whole(seconds: float) -> timedelta:
    """Whole seconds; what is within the jitter counts as none."""
    return timedelta(0) if abs(seconds) <= _JITTER else timedelta(seconds=round(seconds))
